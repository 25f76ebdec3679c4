"""The function `compare_bootstrap`."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from benchinfer.analyses.bootstrap import diagnostics, evidence
from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.analyses.bootstrap.evidence import Aggregated, BootstrapOptions, levels_of
from benchinfer.analyses.bootstrap.numerics import aggregates, profiles
from benchinfer.analyses.bootstrap.numerics.aggregates import Statistic
from benchinfer.analyses.bootstrap.numerics.resampling import Resample, ScoreSample
from benchinfer.analyses.bootstrap.sample import BootstrapSample, Normalise, Reference
from benchinfer.comparison.adjustment import check_alternative
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.complete import complete_part
from benchinfer.comparison.contrasts import (
    ContrastFamily,
    Contrasts,
    check_number,
    family_of,
    implied,
)
from benchinfer.comparison.evidence import Provenance, Setting, alpha_of, decide
from benchinfer.core import version
from benchinfer.core.arguments import check_resamples, seed_of
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.measure import Measure
from benchinfer.core.progress import Progress, of_task, reporting
from benchinfer.scores.table import ScoreTable

type Named = Literal["iqm", "mean", "median", "optimality-gap", "worst"]
type Interval = Literal["percentile", "expanded", "bca"]
type Adjust = Literal["holm", "none"]


_adjustment_words = {
    "holm": "P-values are Holm's and intervals {simple} over {family}",
    "none": "P-values and intervals are those of each pair alone, not adjusted for {family}",
}


def compared(
    setting: Setting,
    scores: BootstrapSample,
    statistic: Statistic,
    given: Mapping[str, Any],
    progress: Progress | None,
) -> BootstrapComparison:
    """Aggregate, draw and decide, as the arguments of `compare_bootstrap` ask."""
    alpha, seed, resample = alpha_of(given["level"]), given["seed"], given["resample"]
    family = family_of(
        setting.algorithms,
        given["contrasts"],
        given["control"],
        aggregates.point(scores.aggregated, statistic),
        directed=given["alternative"] != "two-sided",
    )
    influence = aggregates.influence(scores.aggregated, statistic, resample, seed)
    asked = BootstrapOptions.of(statistic, family, given, scores.aggregated, influence)
    # The number that was drawn is on record, not that it was left open.
    given = {**given, "resamples": asked.resamples}
    found = Aggregated.of(
        scores.aggregated,
        statistic,
        resample,
        asked.resamples,
        seed,
        given["interval"],
        influence,
        of_task(progress, "aggregates", asked.resamples),
    )
    tested = evidence.tested(
        found.contrast(family.matrix),
        family,
        scores.measure.margin,
        alpha,
        given["alternative"],
        given["adjust"],
    )
    e, shown = tested.evidence, family.wanted
    sides = family.named_sides(setting.algorithms)[shown]
    rows = diagnostics.checks(setting, scores.aggregated, scores.measure, asked, tested, sides)
    side = min(asked.resamples, evidence.SIDE_RESAMPLES)
    return BootstrapComparison(
        setting=setting,
        pairs=family.pairs[shown],
        codes=decide(e.estimate, e.p_value, e.p_equivalence, alpha),
        level=given["level"],
        target=asked.target,
        levels=levels_of(found, alpha),
        checks=tuple(rows),
        provenance=_provenance(setting, family, given),
        sides=family.sides[shown],
        names=family.names[shown],
        evidence=e,
        reported=scores.measure,
        statistic=_words(given["statistic"], several=scores.raw.n_datasets > 1),
        p_error=tested.error,
        improved=evidence.improvement_of(scores.normalised, resample, given, alpha, progress),
        scores_profile=_distributions(scores.normalised, resample, side, seed, alpha),
        ratios_profile=_ratios(setting.measure, scores.raw, resample, side, seed, alpha),
    )


def _provenance(setting: Setting, family: ContrastFamily, given: Mapping[str, Any]) -> Provenance:
    simple = "Sidak's" if given["alternative"] == "two-sided" else "Bonferroni's"
    return Provenance(
        analysis="compare_bootstrap",
        version=version.__version__,
        arguments=given,
        adjustment=_adjustment_words[given["adjust"]].format(family=family.words, simple=simple),
        digest=setting.digest,
        seed=given["seed"],
    )


def _distributions(
    normalised: ScoreSample, resample: Resample, resamples: int, seed: int, alpha: float
) -> profiles.PerformanceProfiles:
    """Return the profile of the scores, over a grid of them."""
    grid = profiles.grid(normalised)
    return profiles.scores_above(normalised, grid, resample, resamples, seed, alpha)


def _ratios(
    measure: Measure, raw: ScoreSample, resample: Resample, resamples: int, seed: int, alpha: float
) -> profiles.PerformanceProfiles | None:
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


def _words(given: str | float, *, several: bool) -> str:
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


_statistics = {
    "iqm": Statistic("iqm"),
    "mean": Statistic("mean"),
    "median": Statistic("quantile", 0.5),
    "optimality-gap": Statistic("mean"),
    "worst": Statistic("quantile", 0.0),
}
FEWEST = 100


def compare_bootstrap(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    statistic: Named | float = "iqm",
    resample: Resample = "replications",
    interval: Interval = "expanded",
    normalise: Normalise = None,
    goal: Reference | None = None,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "holm",
    tolerance: float | None = None,
    level: float = 0.95,
    missing: Literal["complete", "error"] = "complete",
    resamples: int | Literal["auto"] = "auto",
    seed: int | None = None,
    progress: Progress | bool | None = None,
) -> BootstrapComparison:
    """Compare robust aggregates of the algorithms over data sets by the bootstrap.

    Each algorithm is aggregated over data sets and replications, and again in each of many
    resamples; shared replications are drawn together. A one-sided p-value is ``(1 + n) / (N + 1)``,
    where in n of the N resamples the difference of aggregates is not on its side of 0 (expanded, or
    for BCa moved by bias and acceleration), a two-sided one twice the smaller of both: the smallest
    level whose interval leaves 0 out. Equivalence is tested likewise at the tolerance. Where all of
    m units drawn from agree, so do all resamples, which is as likely as heads only: no one-sided
    p-value is below ``2^-m``.

    Parameters
    ----------
    scores
        The table; cells and replications may be missing.
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
        ``"expanded"``: percentiles of the resamples, further out by what t has over the normal
        distribution for the number of units drawn from, which few units need to keep the level;
        ``"percentile"`` as they are; or ``"bca"``, corrected for bias and acceleration by the
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
        As in `compare_points`: the ``"complete"`` part of the table, in which replications may be
        missing, or ``"error"`` where a cell lacks some. Algorithms that the question names are not
        left out.
    resamples
        Their number N. ``"auto"``: as many as place the bounds of the family, which lie further out
        the more contrasts there are, and at least 10,000; no more than a few seconds take.
    seed
        Any integer from 0 to 2^64 - 1; by default one is drawn and recorded.
    progress
        True shows a bar on standard error, in a terminal or a notebook, if it takes longer than a
        second; a function is called with a task in words, the number of resamples just done, and
        their total.

    Returns
    -------
    BootstrapComparison
        With the probability of improvement of each pair and performance profiles.

    Raises
    ------
    DesignError
        The table cannot answer the question: no two algorithms share a data set, there is
        nothing to draw from, replications overlap (cross-validation, repeated splits) and are to be
        drawn, or references are not usable.

    References
    ----------
    Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge
    University Press.

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
    chosen = statistic_of(statistic)
    _check_choices(resample, interval, adjust)
    if resamples != "auto":
        check_resamples(resamples, FEWEST, f"at least {FEWEST}; intervals far out need thousands.")
    seed = seed_of(seed)
    setting, scores = complete_part(
        *Setting.of(scores, measure), missing, _named(contrasts, control, normalise, goal)
    )
    check_number(setting.algorithms, contrasts, control)
    taken = BootstrapSample.of(
        scores,
        setting,
        resample,
        normalise,
        goal,
        tolerance,
        gap=statistic == "optimality-gap",
    )
    arguments = {
        "measure": setting.measure.name,
        "statistic": statistic,
        "resample": resample,
        "interval": interval,
        "normalise": normalise if isinstance(normalise, str | None) else dict(normalise),
        "goal": dict(goal) if isinstance(goal, Mapping) else goal,
        "contrasts": implied(contrasts, control),
        "control": control,
        "alternative": alternative,
        "adjust": adjust,
        "tolerance": tolerance,
        "level": level,
        "missing": missing,
        "resamples": resamples,
        "seed": seed,
    }
    with reporting(progress=progress) as told:
        return compared(setting, taken, chosen, arguments, told)


def statistic_of(given: Named | float) -> Statistic:
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


def _named(
    contrasts: Contrasts, control: str | None, normalise: Normalise, goal: Reference | None
) -> list[object]:
    """Return what may be the name of an algorithm in a question."""
    weights = contrasts.values() if isinstance(contrasts, Mapping) else ()
    return [
        control,
        goal,
        *(() if isinstance(contrasts, str | Mapping) else contrasts),
        *(name for each in weights for name in each),
        *(normalise.values() if isinstance(normalise, Mapping) else ()),
    ]


def _check_choices(resample: str, interval: str, adjust: str) -> None:
    for name, value, kind in (
        ("resample", resample, Resample),
        ("interval", interval, Interval),
        ("adjust", adjust, Adjust),
    ):
        if value not in (known := get_args(kind.__value__)):
            raise DesignError(unknown(name, value, known))
