"""Variance components for planning."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.mixed.fit import fit_default
from benchinfer.analyses.mixed.tables import components
from benchinfer.analyses.plan.numerics.power import Pilot
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import check_fields
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.core.saving import savable
from benchinfer.scores.rows.nesting import nested_items
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison


@savable
@dataclass(frozen=True, slots=True)
class Components:
    """Variance components on the modelling scale, and the size of the pilot they come from.

    Parameters
    ----------
    dataset_algorithm
        Variance of an algorithm's effect between data sets; None where it is not known.
    residual
        Variance of a score apart from what its data set, algorithm and replication share.
    n_algorithms
        Algorithms of the pilot.
    n_datasets, n_replications
        Size of the pilot; None where the variances are taken as known. Replications are the
        harmonic mean over cells.
    df_residual
        Degrees of freedom of the residual; by default those of shared replications,
        ``D (R - 1) (K - 1)``.
    overlap
        ``rho / (1 - rho)`` of overlapping resamples, None where it is not declared. Only claims
        about given data sets need it.
    measure
        The measure, for its scale and direction.
    units
        What the replications of the pilot hold, in words, where they are nested units.
    warning
        That replications seem to be parts of what was drawn, in words, and what to do.

    Raises
    ------
    DesignError
        A variance is negative or not finite.

    Examples
    --------
    >>> Components(dataset_algorithm=4e-4, residual=6e-4).pilot is None
    True
    """

    dataset_algorithm: float | None
    residual: float
    n_algorithms: int = 2
    n_datasets: int | None = None
    n_replications: float | None = None
    df_residual: float | None = None
    overlap: float | None = 0.0
    measure: Measure | None = None
    units: str = ""
    warning: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("dataset_algorithm", "residual"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise DesignError(f"{name} is {value!r}.", hint="a variance, from 0 on.")

    @property
    def pilot(self) -> Pilot | None:
        """Pilot study of the variances, None if they are known."""
        if self.n_datasets is None or self.n_replications is None:
            return None
        free, d, r = self.n_algorithms - 1, self.n_datasets, self.n_replications
        df = d * (r - 1) * free if self.df_residual is None else self.df_residual
        return Pilot((d - 1) * free, df, r)


def components_of(
    pilot: ScoreTable | MixedComparison | Components, measure: str | None
) -> Components:
    """Return the components of a pilot."""
    if isinstance(pilot, Components):
        return pilot
    if isinstance(pilot, ScoreTable):
        setting, fitted = fit_default(pilot, measure)
    else:
        setting, fitted = pilot.setting, pilot.fitted
    held = components(fitted)
    if "domain:algorithm" in held:
        raise DesignError(
            "the pilot takes its domains as a sample of domains, which plan does not.",
            hint='compare_mixed(..., domains="pooled") takes them as one.',
        )
    return _sized(setting, held)


def _sized(setting: Setting, held: dict[str, float]) -> Components:
    """Add the size of the pilot to its variances."""
    counts = setting.coverage.counts
    there, resampling = counts[counts > 0], setting.resampling
    between, residual = held.get("dataset:algorithm"), held["residual"]
    df = float(there.sum() - len(there))
    if "dataset:replication" in held or "replication" in held:
        df -= float((counts.max(axis=1) - 1).sum())
    if between is None and there.max() == 1 and len(counts) > 1:
        # One score per cell: what replications would average out is not known, so nothing is.
        between, residual, df = residual, 0.0, 0.0
    nested = nested_items(setting.coverage.findings)
    warning = "" if nested is None else f"{nested.what[:1].upper()}{nested.what[1:]}"
    warning += " Levels of units, declared on reading, are planned for, too." if nested else ""
    rho = 0.0 if resampling is None else resampling.overlap
    return Components(
        dataset_algorithm=between,
        residual=residual,
        n_algorithms=counts.shape[1],
        n_datasets=counts.shape[0],
        n_replications=float(1 / np.mean(1 / there)),
        df_residual=df,
        overlap=None if rho is None else rho / (1 - rho),
        measure=setting.measure,
        units=setting.units,
        warning=warning,
    )
