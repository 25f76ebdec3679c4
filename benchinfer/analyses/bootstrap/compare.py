"""The function `compare_bootstrap`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from benchinfer.analyses.bootstrap import diagnostics
from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.analyses.bootstrap.evidence import (
    SIDE_RESAMPLES,
    Aggregated,
    BootstrapProcedure,
    improvement_of,
    levels_of,
    tested,
)
from benchinfer.analyses.bootstrap.numerics import aggregates, profiles
from benchinfer.analyses.bootstrap.numerics.resampling import Resample, ScoreSample
from benchinfer.analyses.bootstrap.options import (
    Adjust,
    BootstrapOptions,
    Interval,
    Named,
    level_name,
    statistic_of,
    statistic_words,
)
from benchinfer.analyses.bootstrap.sample import BootstrapSample
from benchinfer.comparison import adjustment
from benchinfer.comparison.adjustment import words
from benchinfer.comparison.checks.complete import complete_part
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import Contrasts
from benchinfer.comparison.evidence import Setting, decide
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.arguments import check_jobs, checked, seed_of
from benchinfer.core.measure import Measure
from benchinfer.core.progress import Progress, of_task, reporting
from benchinfer.scores.normalisation import Reference
from benchinfer.scores.table import ScoreTable


def compared(
    setting: Setting,
    scores: BootstrapSample,
    options: BootstrapOptions,
    n_jobs: int | None,
    progress: Progress | None,
) -> BootstrapComparison:
    """Aggregate, draw and decide."""
    alpha, seed, resample = options.alpha, options.seed, options.resample
    sample, statistic = scores.aggregated, statistic_of(options.statistic)
    family = options.family(setting.algorithms, aggregates.point(sample, statistic))
    influence = aggregates.influence(sample, statistic, resample, seed)
    procedure = BootstrapProcedure.of(family, options, sample, influence)
    resamples = procedure.resamples
    # The number that was drawn is on record, not that it was left open.
    options = replace(options, resamples=resamples)
    aggregated = Aggregated.of(
        sample,
        statistic,
        resample,
        resamples,
        seed,
        options.percentiles,
        influence,
        n_jobs,
        of_task(progress, "aggregates", resamples),
    )
    draws, margin = aggregated.contrast(family.matrix), scores.measure.margin
    tests = tested(draws, family, margin, options)
    evidence = tests.evidence
    name = level_name(options.statistic)
    mean = aggregates.point(sample, statistic_of("mean")) if name else None
    few, grid = min(resamples, SIDE_RESAMPLES), profiles.grid(scores.raw)
    codes = decide(evidence.estimate, evidence.p_value, evidence.p_equivalence, alpha)
    levels = levels_of(aggregated, alpha, mean, name)
    reported = replace(setting, measure=scores.measure)
    result = BootstrapComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, reported, codes, levels, directed=options.directed),
        level=options.level,
        target="datasets" if resample == "replications" else "domain",
        levels=levels,
        stored_checks=(),
        provenance=options.provenance(
            setting.digest,
            words(options.adjust, family, directed=options.directed, interval=options.statement),
            seed,
        ),
        evidence=evidence,
        reported=scores.measure,
        statistic=statistic_words(options.statistic, several=scores.raw.n_datasets > 1),
        p_error=tests.error,
        improved=improvement_of(scores.raw, options, resamples, n_jobs, progress),
        scores_profile=profiles.scores_above(scores.raw, grid, resample, few, seed, alpha),
        ratios_profile=_ratios(setting.measure, scores.raw, resample, few, seed, alpha),
    )
    rows = diagnostics.checks(result, sample, family, procedure, tests)
    return replace(result, stored_checks=rows)


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


@checked
def compare_bootstrap(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    statistic: Named | Literal["auto"] | float = "auto",
    resample: Resample = "replications",
    interval: Interval | adjustment.Interval = "expanded",
    goal: Reference | None = None,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "auto",
    tolerance: float | None = None,
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    resamples: int | Literal["auto"] = "auto",
    seed: int | None = 1,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> BootstrapComparison:
    """Compare robust aggregates of the algorithms over data sets by the bootstrap.

    Each algorithm is aggregated over data sets and replications, and again in each of many
    resamples; shared replications are drawn together.

    A one-sided p-value is ``(1 + n) / (N + 1)``, where in n of the N resamples the difference of
    aggregates is not on its side of 0 (expanded for the number of units), a two-sided one twice the
    smaller of both: the smallest level whose interval leaves 0 out. Equivalence is tested likewise
    at the tolerance. Where all of m units drawn from agree, so do all resamples, which is as likely
    as heads only: no one-sided p-value is below ``2^-m``.

    Parameters
    ----------
    scores
        The table; cells and replications may be missing.
    measure
        Name of the measure; may be omitted where there is one.
    statistic
        Aggregate: ``"iqm"`` (interquartile mean of all scores), ``"mean"``, ``"median"``,
        ``"worst"``, ``"optimality-gap"`` (mean shortfall from the goal), or a number between 0 and
        1 for that quantile, counted from the worst. ``"auto"``: ``"mean"`` of scores that are all 0
        or 1, which is their rate, and of nested units of unequal size, and else ``"iqm"``.

        Quantiles are of the data sets' means (with one data set, of its scores). Data sets have
        equal weight, whatever their number of replications.
    resample
        Unit of the draws: ``"replications"`` within each data set, for claims about these data
        sets; ``"datasets"``, or ``"both"``, for claims about the domain they come from.

        A data set is drawn with all its replications. Means on data sets carry the replications'
        error already, so that ``"both"`` counts it twice and has the longer intervals.
    interval
        Intervals: percentiles of the resamples, further out for few units drawn from
        (``"expanded"``), or as they are (``"percentile"``), which claim too much of few units.

        ``"expanded"`` goes further out by what t has over the normal distribution for the number of
        units, which few units need to keep the level. Both are compatible with the verdicts;
        ``"simultaneous"`` or ``"pairwise"``, as in `compare_mixed`, go with expanded percentiles.
    goal
        For the optimality gap, what counts as reached: a number, an algorithm, or a number for each
        data set (a mapping, or a TOML file). 1 on normalised scores.
    contrasts, control
        As in `compare_mixed`.
    alternative
        As in `compare_mixed`.
    adjust
        Adjustment for many contrasts: ``"holm"``, as ``"auto"`` is, or ``"none"``.
    tolerance
        Difference that does not matter, in place of the measure's own.
    level
        Confidence level of the family of contrasts.
    missing
        As in `compare_points`.

        Replications may be missing. Algorithms that the question names are not left out.
    resamples
        Number of resamples. ``"auto"``: as many as the contrasts need, in a few seconds.

        These place the bounds of the family, which lie further out the more contrasts there are,
        and are at least 10,000.
    seed
        Seed of the random numbers, from 0 to 2^64 - 1: the same table has the same result.

        None draws one, which is recorded.
    n_jobs
        As in `compare_permutation`.
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
    check_jobs(n_jobs)
    options = BootstrapOptions.from_call(
        locals(),
        statistic="iqm" if statistic == "auto" else statistic,
        goal=dict(goal) if isinstance(goal, Mapping) else goal,
        adjust="holm" if adjust == "auto" else adjust,
        seed=seed_of(seed),
    )
    setting, scores = complete_part(
        *Setting.of(scores, measure), missing, _named(contrasts, control, goal)
    )
    options = replace(options, measure=setting.measure.name)
    if statistic == "auto" and (setting.zero_one or scores.rows.has_unequal_units):
        options = replace(options, statistic="mean")
    options.check_family(setting.algorithms)
    aggregate = statistic_of(options.statistic)
    sample = BootstrapSample.of(
        scores, setting, resample, aggregate, goal, tolerance, gap=options.gap
    )
    with reporting(progress=progress) as callback:
        return compared(setting, sample, options, n_jobs, callback)


def _named(contrasts: Contrasts, control: str | None, goal: Reference | None) -> list[object]:
    """Return what may be the name of an algorithm in a question."""
    weights = contrasts.values() if isinstance(contrasts, Mapping) else ()
    return [
        control,
        goal,
        *(() if isinstance(contrasts, str | Mapping) else contrasts),
        *(name for each in weights for name in each),
    ]
