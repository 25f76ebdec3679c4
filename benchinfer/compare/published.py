"""Published effects as the studies of a meta-analysis, with the setting they come from."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Setting
from benchinfer.compare.studies import Effect, Studies, reported
from benchinfer.compare.study_covariates import with_values
from benchinfer.errors import DesignError, message
from benchinfer.numerics.meta.published import blocks_of
from benchinfer.scores import Effects

if TYPE_CHECKING:
    from benchinfer.numerics.meta.rows import Block


def published(
    effects: Effects,
    measure: str | None,
    effect: Effect | None,
    tolerance: float | None,
    covariates: Sequence[str],
) -> tuple[Setting, Studies, Effect]:
    """Return what is compared, the effects of its data sets, and what kind they are.

    Raises
    ------
    DesignError
        Effects of another kind are asked for, or there is no effect of the measure.
    """
    if effect is not None and effect != effects.kind:
        raise DesignError(
            message(
                f"effect={effect!r}, but the effects were read as {effects.kind!r}.",
                hint="read_effects(..., effect=...) says what published estimates are.",
            )
        )
    chosen = effects.measure(measure)
    coverage = effects.coverage(chosen.name)
    units = effects.by_unit(chosen.name)
    code = {name: k for k, name in enumerate(coverage.algorithms)}
    blocks: list[Block] = []
    members: list[int] = []
    for _, own in units:
        # As a log ratio, too, larger is better once the sign is turned.
        parts = blocks_of(
            np.array([code[effects.first[r]] for r in own]),
            np.array([code[effects.second[r]] for r in own]),
            chosen.sign * effects.estimate[own],
            effects.std_error[own],
            effects.correlation,
        )
        blocks += parts
        members += [int(own[0])] * len(parts)
    shape = (len(coverage.datasets), len(coverage.algorithms))
    setting = Setting(
        measure=reported(chosen, effects.kind, tolerance),
        algorithms=coverage.algorithms,
        coverage=coverage,
        quantiles=np.full((*shape, 5), np.nan),
        absent=(),
        domains=tuple(effects.domain[own[0]] for _, own in units) if effects.domain else (),
        resampling=None,
        paired=False,
        digest=effects.digest,
    )
    names = effects.units
    studies = Studies(
        datasets=tuple(names[r] for r in members),
        blocks=tuple(blocks),
        groups=tuple(effects.study[r] for r in members),
        n=effects.n[members],
        levels=np.full((len(blocks), shape[1]), np.nan),
        covariance="as published",
    )
    known = {name: z[members] for name, z in effects.covariates.items()}
    return setting, with_values(studies, known, covariates), effects.kind
