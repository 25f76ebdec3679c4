"""Robust aggregates over data sets, compared by the bootstrap.

References
----------
Agarwal, R., Schwarzer, M., Castro, P. S., Courville, A. & Bellemare, M. G. (2021). Deep
reinforcement learning at the edge of the statistical precipice. Advances in Neural Information
Processing Systems 34. https://doi.org/10.48550/arXiv.2108.13264

Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge
University Press.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from benchinfer import version
from benchinfer.compare import bootstrap_checks, bootstrapped, designs
from benchinfer.compare.adjust import Alternative, check_alternative
from benchinfer.compare.bootstrap_comparison import BootstrapComparison
from benchinfer.compare.contrasts import Contrasts, Family, family_of
from benchinfer.compare.evidence import Provenance, Setting, alpha_of, decide, require_whole
from benchinfer.compare.normalised import Normalise, Reference, normalised, reference, reported
from benchinfer.errors import DesignError, message, unknown
from benchinfer.measure import Measure
from benchinfer.numerics import aggregates, bootstrap, profiles
from benchinfer.numerics.aggregates import Statistic
from benchinfer.numerics.bootstrap import Resample, Sample
from benchinfer.scores import ScoreTable

if TYPE_CHECKING:
    from benchinfer.compare.comparison import Target
    from benchinfer.compare.evidence import Array

type Named = Literal["iqm", "mean", "median", "optimality-gap", "worst"]
type Interval = Literal["percentile", "bca"]
type Adjust = Literal["holm", "none"]

_statistics = {
    "iqm": Statistic("iqm"),
    "mean": Statistic("mean"),
    "median": Statistic("quantile", 0.5),
    "optimality-gap": Statistic("mean"),
    "worst": Statistic("quantile", 0.0),
}
_adjustment_words = {
    "holm": "p-values are Holm's and intervals {simple} over {family}",
    "none": "p-values and intervals are those of each pair alone, not adjusted for {family}",
}
_FEWEST = 100


def compare_bootstrap(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    statistic: Named | float = "iqm",
    resample: Resample = "replications",
    interval: Interval = "percentile",
    normalise: Normalise = None,
    goal: Reference | None = None,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "holm",
    tolerance: float | None = None,
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    resamples: int = 10_000,
    seed: int | None = None,
) -> BootstrapComparison:
    """Compare robust aggregates of the algorithms over data sets by the bootstrap.

    Each algorithm is aggregated over data sets and replications, and again in each of many
    resamples; shared replications are drawn together. A one-sided p-value is ``(1 + #) / (N + 1)``,
    # the number of the N resamples in which the difference of aggregates is not on its side of 0
    (for BCa moved by bias and acceleration), a two-sided one twice the smaller of both: the
    smallest level whose interval leaves 0 out. Equivalence is tested alike at the tolerance.

    Parameters
    ----------
    scores
        The table, with every algorithm on every data set; replications may be missing.
    measure
        Name of the measure; may be omitted where there is one.
    statistic
        ``"iqm"``, the interquartile mean of all scores; ``"mean"``; ``"median"``, ``"worst"`` or a
        number between 0 and 1, that quantile, counted from the worst, of the data sets' means (with
        one data set, of its scores); ``"optimality-gap"``, the mean shortfall from the goal. Data
        sets have equal weight, whatever their number of replications.
    resample
        ``"replications"`` within each data set, for claims about these data sets; ``"datasets"``,
        each with all its replications, or ``"both"``, for claims about the domain they come from.
        Means on data sets carry the replications' error already, so that ``"both"`` counts it
        twice and has the longer intervals.
    interval
        ``"percentile"`` of the resamples, or ``"bca"``, corrected for bias and acceleration by the
        jackknife over what is drawn (over data sets, if both are).
    normalise
        Scores with ``{"low": ..., "high": ...}`` at 0 and 1: a number, one for each data set by
        name, or an algorithm, for its mean there. ``"min-max"``: the worst and the best score of
        each data set. All are held fixed in resamples.
    goal
        For the optimality gap, what counts as reached, in the forms of references; 1 on normalised
        scores unless given.
    contrasts, control
        As in `compare_mixed`.
    alternative
        ``"two-sided"``, or what one-sided tests are to show of the first algorithm of a contrast:
        ``"better"`` or ``"worse"``.
    adjust
        ``"holm"``, with intervals at Sidak's level (one-sided: Bonferroni's), or ``"none"``.
    tolerance
        In place of the measure's own, which does not apply to normalised scores.
    level
        Confidence level of the family of contrasts.
    missing
        ``"use"`` the scores that are there, or ``"error"`` where a cell lacks some.
    resamples
        Their number N.
    seed
        Any integer from 0 to 2^64 - 1; by default one is drawn and recorded.

    Returns
    -------
    BootstrapComparison
        With the probability of improvement of each pair and performance profiles.

    Raises
    ------
    DesignError
        The table cannot answer the question: a cell is empty, there is nothing to draw from,
        replications overlap (cross-validation, repeated splits) and are to be drawn, or references
        are not usable.

    References
    ----------
    Agarwal et al. (2021), https://doi.org/10.48550/arXiv.2108.13264

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("simulated/balanced")
    >>> result = compare_bootstrap(scores, resample="datasets", seed=1)
    >>> result.provenance.seed
    1
    """
    alpha_of(level)
    check_alternative(alternative)
    chosen = _statistic(statistic)
    _check_choices(resample, interval, adjust)
    seed = _check_numbers(resamples, seed)
    setting, scores = Setting.of(scores, measure)
    designs.check_missing(setting, missing)
    require_whole(setting, "aggregates need")
    raw = _sample(scores, setting)
    _refuse_undrawable(setting, raw, resample)
    gap = statistic == "optimality-gap"
    sample = normalised(setting, raw, normalise)
    reaches = _goal(setting, raw, normalise, goal, gap=gap)
    arguments = {
        "measure": setting.measure.name,
        "statistic": statistic,
        "resample": resample,
        "interval": interval,
        "normalise": normalise if isinstance(normalise, str | None) else dict(normalise),
        "goal": dict(goal) if isinstance(goal, Mapping) else goal,
        "contrasts": contrasts,
        "control": control,
        "alternative": alternative,
        "adjust": adjust,
        "tolerance": tolerance,
        "level": level,
        "missing": missing,
        "resamples": resamples,
        "seed": seed,
    }
    kept = sample if reaches is None else aggregates.clipped(sample, reaches)
    measured = reported(setting, normalise, tolerance, gap=gap)
    return _compared(setting, _Scores(raw, sample, kept, measured), chosen, arguments)


@dataclass(frozen=True, slots=True)
class _Scores:
    """Scores as they are, normalised, and as they are aggregated; what the aggregates measure."""

    raw: Sample
    normalised: Sample
    aggregated: Sample
    measure: Measure


def _compared(
    setting: Setting, scores: _Scores, statistic: Statistic, given: Mapping[str, Any]
) -> BootstrapComparison:
    alpha, seed, resample = alpha_of(given["level"]), given["seed"], given["resample"]
    found = bootstrapped.Aggregated.of(
        scores.aggregated,
        statistic,
        resample,
        given["resamples"],
        seed,
        bca=given["interval"] == "bca",
    )
    directed = given["alternative"] != "two-sided"
    family = family_of(
        setting.algorithms,
        given["contrasts"],
        given["control"],
        found.estimate,
        directed=directed,
    )
    tested = bootstrapped.tested(
        found.contrast(family.matrix),
        family,
        scores.measure.margin,
        alpha,
        given["alternative"],
        given["adjust"],
    )
    target: Target = "datasets" if resample == "replications" else "domain"
    asked = bootstrap_checks.Asked(
        statistic=statistic,
        resample=resample,
        resamples=given["resamples"],
        target=target,
        n_contrasts=len(family.matrix) if given["adjust"] == "holm" else 1,
        sides=1 if directed else 2,
        alpha=alpha,
        normalise=given["normalise"],
    )
    e, shown = tested.evidence, family.wanted
    names = setting.algorithms
    sides = list(family.sides[shown]) or [(names[i], names[j]) for i, j in family.pairs[shown]]
    side = min(given["resamples"], bootstrapped.SIDE_RESAMPLES)
    return BootstrapComparison(
        setting=setting,
        pairs=family.pairs[shown],
        codes=decide(e.estimate, e.p_value, e.p_equivalence, alpha),
        level=given["level"],
        target=target,
        levels=bootstrapped.levels_of(found, alpha),
        checks=tuple(
            bootstrap_checks.checks(
                setting, scores.aggregated, scores.measure, asked, tested, sides
            )
        ),
        provenance=_provenance(setting, family, given),
        sides=family.sides[shown],
        names=family.names[shown],
        evidence=e,
        reported=scores.measure,
        statistic=_words(given["statistic"], several=scores.raw.n_datasets > 1),
        p_error=tested.p_error,
        improved=bootstrapped.improvement_of(
            scores.normalised, resample, given["resamples"], seed, alpha, given["adjust"]
        ),
        scores_profile=profiles.scores_above(
            scores.normalised, profiles.grid(scores.normalised), resample, side, seed, alpha
        ),
        ratios_profile=_ratios(setting.measure, scores.raw, resample, side, seed, alpha),
    )


def _provenance(setting: Setting, family: Family, given: Mapping[str, Any]) -> Provenance:
    simple = "Sidak's" if given["alternative"] == "two-sided" else "Bonferroni's"
    return Provenance(
        analysis="compare_bootstrap",
        version=version.__version__,
        arguments=given,
        adjustment=_adjustment_words[given["adjust"]].format(family=family.words, simple=simple),
        digest=setting.digest,
        seed=given["seed"],
    )


def _ratios(
    measure: Measure, raw: Sample, resample: Resample, resamples: int, seed: int, alpha: float
) -> profiles.Profile | None:
    """Return the profile of ratios, where all scores are above 0."""
    if not (measure.level_of(raw.values[raw.present]) > 0).all():
        return None
    return profiles.ratios_within(
        raw,
        lambda means: profiles.ratios(
            measure.level_of(means), lower_is_better=measure.better == "lower"
        ),
        resample,
        resamples,
        seed,
        alpha,
    )


def _statistic(given: Named | float) -> Statistic:
    """Return what a name or a number stands for."""
    if isinstance(given, str):
        if given not in _statistics:
            raise DesignError(
                message(
                    f"unknown statistic {given!r}.",
                    hint=f"one of {', '.join(map(repr, _statistics))}, or a number between 0 and 1"
                    " for that quantile.",
                )
            )
        return _statistics[given]
    if not 0 < given < 1:
        raise DesignError(
            message(
                f"statistic is {given!r}.",
                hint='a quantile lies between 0 and 1; "worst" is the smallest.',
            )
        )
    return Statistic("quantile", float(given))


def _words(given: Named | float, *, several: bool) -> str:
    """Name the statistic in the singular."""
    units = "of the data sets' means" if several else "of the scores"
    if not isinstance(given, str):
        return f"{given:g} quantile, counted from the worst, {units}"
    return {
        "iqm": "interquartile mean",
        "mean": "mean",
        "median": f"median {units}",
        "optimality-gap": "mean",
        "worst": "worst of the data sets' means" if several else "worst score",
    }[given]


def _check_choices(resample: str, interval: str, adjust: str) -> None:
    for name, value, kind in (
        ("resample", resample, Resample),
        ("interval", interval, Interval),
        ("adjust", adjust, Adjust),
    ):
        if value not in (known := get_args(kind.__value__)):
            raise DesignError(unknown(name, value, known))


def _check_numbers(resamples: int, seed: int | None) -> int:
    """Check the number of resamples, and return the seed or draw one."""
    if resamples < _FEWEST:
        raise DesignError(
            message(
                f"resamples is {resamples!r}.",
                hint=f"at least {_FEWEST}; intervals far out need thousands.",
            )
        )
    if seed is None:
        return secrets.randbits(32)
    if not 0 <= seed < 2**64:
        raise DesignError(message(f"seed is {seed!r}.", hint="an integer from 0 to 2^64 - 1."))
    return int(seed)


def _sample(scores: ScoreTable, setting: Setting) -> Sample:
    blocks = scores.blocks(setting.measure.name)
    return bootstrap.lay_out(blocks.mean, blocks.count > 0, blocks.dataset)


def _refuse_undrawable(setting: Setting, sample: Sample, resample: Resample) -> None:
    """Refuse to draw what cannot be drawn, or what is not independent."""
    if resample != "replications":
        if sample.n_datasets < 2:
            raise DesignError(
                message(
                    "there is one data set, and data sets are to be drawn.",
                    hint='resample="replications" draws within it.',
                )
            )
        if resample == "datasets":
            return
    kind = setting.resampling and setting.resampling.kind
    if kind in ("cv", "holdout"):
        raise DesignError(
            message(
                f"replications come from {kind!r}, whose training sets overlap: drawn one by one"
                " they would pass for independent.",
                hint='resample="datasets" draws data sets alone; compare_mixed corrects for the'
                " overlap.",
            )
        )
    if (np.diff(sample.strata) < 2).all():
        raise DesignError(
            message(
                "no data set has several replications to draw from.",
                hint='resample="datasets" draws data sets alone.',
            )
        )


def _goal(
    setting: Setting,
    raw: Sample,
    normalise: Normalise,
    goal: Reference | None,
    *,
    gap: bool,
) -> "Array | None":
    """Return the (D,) oriented goal on the data sets, for an optimality gap."""
    if not gap:
        if goal is not None:
            raise DesignError(
                message(f"goal is {goal!r}.", hint='it goes with statistic="optimality-gap".')
            )
        return None
    if normalise is not None:
        if goal is None or isinstance(goal, int | float):
            return np.full(raw.n_datasets, 1.0 if goal is None else float(goal))
        raise DesignError(
            message(
                "the goal on normalised scores is not a number.",
                hint="it is 1 unless given; the reference for 1 can be what counts as reached.",
            )
        )
    if goal is None:
        raise DesignError(
            message(
                "an optimality gap needs to know what counts as reached.",
                hint="goal=... names it, in the unit of the measure; normalise=... makes it 1.",
            )
        )
    if setting.measure.scale == "logit":
        raise DesignError(
            message(
                "an optimality gap on the logit scale has no unit.",
                hint='Measure(scale="identity") or normalise=... gives it one.',
            )
        )
    return reference(setting, raw, goal)
