"""Studies of a meta-analysis: effects of data sets on algorithms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from benchinfer.analyses.meta.effects import Effects
from benchinfer.analyses.meta.numerics import effects
from benchinfer.analyses.meta.numerics.effects import (
    Block,
    Direct,
    StudyMoments,
    blocks_of,
    direct,
)
from benchinfer.analyses.meta.numerics.moderation import moderated
from benchinfer.comparison.evidence import Setting
from benchinfer.core.errors import DesignError, FitError, unknown
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.rows.reductions import Blocks
from benchinfer.scores.table import ScoreTable

type Effect = Literal["difference", "standardised", "log-ratio"]
type Covariance = Literal["auto", "own", "common", "moderated"]
# So many replications for each algorithm make a covariance of one's own trustworthy.
_PER_ARM = 5


@savable
@shaped(datasets="S", blocks="S same", groups="S?", n="S [0,inf)", levels="S K", covariates="S")
@dataclass(frozen=True, slots=True)
class Studies:
    """Effects of D data sets on K algorithms, larger is better."""

    datasets: tuple[str, ...]  # (D,) names of the data sets, of published effects with their study
    blocks: tuple[Block, ...]  # (D,) effects with their sampling covariance
    groups: tuple[str, ...]  # (D,) study or domain of each data set; empty where there are none
    n: Array  # (D,) number of replications, or size of a published study; 0 where it is not known
    # (D, K) levels of the algorithms, NaN where there is none; of published effects there is none
    # at all
    levels: Array
    # Covariate to its (D,) values
    covariates: dict[str, Array] = field(default_factory=dict[str, Array])
    unused: tuple[str, ...] = ()  # data sets without two algorithms to compare
    covariance: str = ""  # how sampling covariances were found, in words
    # Whether training sets overlap by an amount that was not declared
    unknown_overlap: bool = False
    # Degrees of freedom of the prior variance that those of the data sets were shrunk to; 0 where
    # they were not, infinite where all are the same
    prior_df: float = 0.0

    def direct(self, pairs: Codes) -> list[Direct]:
        """Return the effects of each of (P, 2) pairs on the data sets that hold both."""
        return direct(self.blocks, pairs, self.levels.shape[1])

    def pair(self, first: int, second: int) -> Direct:
        """Return the effects of one pair on the data sets that hold both."""
        return self.direct(np.array([[first, second]]))[0]


def reported(measure: Measure, effect: Effect, tolerance: float | None) -> Measure:
    """Return the measure in which effects are reported, with its tolerance."""
    if effect == "difference":
        return measure if tolerance is None else replace(measure, tolerance=tolerance)
    if measure.scale != "identity":
        raise DesignError(
            f"{effect=} of a measure on the {measure.scale} scale.",
            hint='effect="difference" takes differences on that scale.',
        )
    given = 0.0 if tolerance is None else tolerance
    if effect == "log-ratio":
        return replace(measure, scale="log", tolerance=given, bounds=None)
    label = f"standardised {measure.noun}"
    return replace(measure, tolerance=given, bounds=None, unit="SD", label=label)


def of_scores(
    scores: ScoreTable, setting: Setting, effect: Effect, covariance: Covariance, *, alone: bool
) -> Studies:
    """Return the effects of each data set of a table, each pair of which may be pooled alone."""
    blocks, name = scores.blocks(setting.measure.name), setting.measure.name
    overlap = setting.resampling.overlap if setting.resampling else 0.0
    sizes = [_size(blocks, d) for d in range(len(blocks.datasets))]
    if covariance == "auto":
        many = all(n >= _PER_ARM * (2 if alone else k) for n, k in sizes if k > 1)
        covariance = "own" if many else "moderated"
    reduced: dict[int, tuple[Codes, StudyMoments]] = {}
    wrong: dict[int, FitError] = {}
    for d in range(len(blocks.datasets)):
        arms, values = _scores_of(blocks, d)
        if len(arms) < 2:
            continue
        if len(values) < 2:
            wrong[d] = FitError("fewer than two replications that all its algorithms have.")
            continue
        try:
            reduced[d] = arms, effects.moments(values, paired=blocks.paired, overlap=overlap or 0.0)
        except FitError as error:
            wrong[d] = error
    spreads, prior = _spreads([m for _, m in reduced.values()], covariance, effect, blocks.paired)
    levels = np.full((len(blocks.datasets), len(blocks.algorithms)), np.nan)
    effect_blocks: dict[int, Block] = {}
    for (d, (arms, moments)), spread in zip(reduced.items(), spreads, strict=True):
        try:
            level = _levels(moments, spread, setting.measure.sign, effect, paired=blocks.paired)
        except FitError as error:
            wrong[d] = error
            continue
        effect_blocks[d] = Block(arms, *effects.contrasts(level))
        levels[d, arms] = level.value
    if wrong:
        raise _refused(name, [(blocks.datasets[d], wrong[d]) for d in sorted(wrong)])
    return Studies(
        datasets=tuple(blocks.datasets[d] for d in effect_blocks),
        blocks=tuple(effect_blocks.values()),
        groups=tuple(setting.domains[d] for d in effect_blocks) if setting.domains else (),
        n=np.array([sizes[d][0] for d in effect_blocks], np.float64),
        levels=levels[list(effect_blocks)],
        unused=tuple(name for d, name in enumerate(blocks.datasets) if d not in effect_blocks),
        covariance=_words(blocks.paired, covariance, prior),
        unknown_overlap=overlap is None,
        prior_df=prior,
    )


def _words(paired: bool, covariance: Covariance, prior: float) -> str:  # noqa: FBT001
    shared = "which algorithms share" if paired else "which algorithms do not share"
    if covariance == "own":
        return f"from the spread of the replications, {shared}"
    if np.isinf(prior):
        same = "as those of the data sets differ no more than by chance"
        return f"from one variance of differences, {same} (moderated), over replications {shared}"
    worth = f" (moderated, {prior:.3g} prior degrees of freedom)"
    shrunk = f", shrunk towards each other{worth}" if prior else ""
    return f"from one variance of differences for each data set{shrunk}, over replications {shared}"


def _spreads(
    moments: list[StudyMoments],
    covariance: Covariance,
    effect: Effect,
    paired: bool,  # noqa: FBT001
) -> tuple[list[StudyMoments], float]:
    """Return moments with the covariances to be used, and what prior variances are worth."""
    if covariance == "own":
        return moments, 0.0
    common = [effects.with_common_variance(one, paired=paired) for one in moments]
    # The noise of a log ratio is that of scores over their mean.
    unit = np.array([one.mean.mean() if effect == "log-ratio" else 1.0 for one in moments])
    variance = np.array([one.spread[0, 0] for one in common]) / unit**2
    # Without any spread there is nothing to shrink; such a data set is named elsewhere.
    some = variance > 0
    if covariance == "common" or some.sum() < 2:
        return common, 0.0
    df = np.array([effects.residual_df(one, paired=paired) for one in moments])
    shrunk = moderated(variance[some], df[some])
    factor = np.ones(len(moments))
    factor[some] = shrunk.variance / variance[some]
    wider = [replace(one, spread=f * one.spread) for one, f in zip(common, factor, strict=True)]
    return wider, shrunk.prior_df


def _size(blocks: Blocks, d: int) -> tuple[int, int]:
    """Return the smallest number of scores of an algorithm on a data set, and how many it has."""
    there = blocks.count[blocks.dataset == d] > 0
    held = there.any(axis=0)
    k = int(held.sum())
    return int(there[:, held].sum(axis=0).min(initial=10**9)) if k else 0, k


def _scores_of(blocks: Blocks, d: int) -> tuple[Codes, Array]:
    """Return the algorithms of a data set and its (R, k) scores, NaN where there is none.

    Replications that some algorithm of the data set lacks are left out where they are shared.
    """
    rows = blocks.dataset == d
    there, mean = blocks.count[rows] > 0, blocks.mean[rows]
    arms = np.flatnonzero(there.any(axis=0))
    there, mean = there[:, arms], mean[:, arms]
    if blocks.paired:
        complete = there.all(axis=1)
        return arms, mean[complete]
    return arms, np.where(there, mean, np.nan)


def _levels(
    moments: StudyMoments, spread: StudyMoments, sign: int, effect: Effect, *, paired: bool
) -> effects.Levels:
    if effect == "standardised":
        # The standard deviation is that of scores, whatever is taken for that of differences.
        return effects.standardised(moments, spread.of_means, paired=paired)
    if effect == "log-ratio":
        turned = effects.log_ratio(replace(spread, mean=sign * spread.mean))
        return effects.Levels(sign * turned.value, turned.cov)
    return effects.difference(spread)


def _refused(name: str, wrong: list[tuple[str, FitError]]) -> DesignError:
    rows = [(dataset, str(error).removesuffix(".")) for dataset, error in wrong]
    return DesignError(
        f"{len(wrong)} data sets have no effects of measure {name!r} with a standard error.",
        where=[("dataset", "why"), *rows],
        hint="a meta-analysis needs the sampling error of each data set.\n     "
        " scores.subset(datasets=[...]) keeps the others; compare_mixed and"
        " compare_permutation\n      do with one score per algorithm and data set.",
    )


def with_values(studies: Studies, known: Mapping[str, Array], names: Sequence[str]) -> Studies:
    """Return the studies with centred covariates, of (D,) values each."""
    centred_values: dict[str, Array] = {}
    for name in names:
        if name not in known:
            raise DesignError(unknown("covariate", name, sorted(known)))
        z = np.asarray(known[name], np.float64)
        if not np.isfinite(z).all():
            lack = [studies.datasets[d] for d in np.flatnonzero(~np.isfinite(z))]
            raise DesignError(
                f"the covariate {name!r} is missing on {count(len(lack), 'data set')}:"
                f" {join(lack[:5])}.",
                hint="leave these data sets out, or the covariate.",
            )
        if np.ptp(z) == 0:
            raise DesignError(
                f"the covariate {name!r} is the same on all data sets.",
                hint="a slope needs data sets that differ in it.",
            )
        centred_values[name] = z - z.mean()
    return replace(studies, covariates=centred_values)


def published(
    effects: Effects,
    measure: str | None,
    effect: Effect | None,
    tolerance: float | None,
    covariates: Sequence[str],
) -> tuple[Setting, Studies, Effect]:
    """Return what is compared, the effects of its data sets, and what kind they are."""
    if effect is not None and effect != effects.kind:
        raise DesignError(
            f"{effect=}, but the effects were read as {effects.kind!r}.",
            hint="read_effects(..., effect=...) says what published estimates are.",
        )
    chosen = effects.measure(measure)
    coverage = effects.coverage(chosen.name)
    units = effects.by_unit(chosen.name)
    code = {name: k for k, name in enumerate(coverage.algorithms)}
    blocks: list[Block] = []
    members: list[int] = []
    for _, rows in units:
        # As a log ratio, too, larger is better once the sign is turned.
        parts = blocks_of(
            np.array([code[effects.first[r]] for r in rows]),
            np.array([code[effects.second[r]] for r in rows]),
            chosen.sign * effects.estimate[rows],
            effects.std_error[rows],
            effects.correlation,
        )
        blocks += parts
        members += [int(rows[0])] * len(parts)
    shape = (len(coverage.datasets), len(coverage.algorithms))
    setting = Setting(
        measure=reported(chosen, effects.kind, tolerance),
        algorithms=coverage.algorithms,
        coverage=coverage,
        quantiles=np.full((*shape, 5), np.nan),
        absent=(),
        domains=tuple(effects.domain[rows[0]] for _, rows in units) if effects.domain else (),
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
