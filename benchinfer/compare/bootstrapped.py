"""From scores to the comparison that a bootstrap of aggregates gives."""

from collections.abc import Mapping
from typing import Any

from benchinfer import version
from benchinfer.compare import bootstrap_checks, bootstrap_evidence, improved
from benchinfer.compare.aggregated import Aggregated, levels_of
from benchinfer.compare.bootstrap_asked import Asked
from benchinfer.compare.bootstrap_comparison import BootstrapComparison
from benchinfer.compare.contrasts import Family, family_of
from benchinfer.compare.evidence import Provenance, Setting, alpha_of, decide
from benchinfer.compare.taken import Taken
from benchinfer.measure import Measure
from benchinfer.numerics import aggregates, profiles
from benchinfer.numerics.aggregates import Statistic
from benchinfer.numerics.bootstrap import Resample, Sample
from benchinfer.progress import Progress, of_task

_adjustment_words = {
    "holm": "P-values are Holm's and intervals {simple} over {family}",
    "none": "P-values and intervals are those of each pair alone, not adjusted for {family}",
}


def compared(
    setting: Setting,
    scores: Taken,
    statistic: Statistic,
    given: Mapping[str, Any],
    progress: Progress | None,
) -> BootstrapComparison:
    """Aggregate, draw and decide, as the arguments of `compare_bootstrap` ask.

    Parameters
    ----------
    setting
        What is compared.
    scores
        What aggregates are taken of.
    statistic
        The aggregate.
    given
        The arguments of `compare_bootstrap`.
    progress
        Told how far resampling is.
    """
    alpha, seed, resample = alpha_of(given["level"]), given["seed"], given["resample"]
    family = family_of(
        setting.algorithms,
        given["contrasts"],
        given["control"],
        aggregates.point(scores.aggregated, statistic),
        directed=given["alternative"] != "two-sided",
    )
    asked = Asked.of(statistic, family, given, scores.aggregated)
    # The number that was drawn is on record, not that it was left open.
    given = {**given, "resamples": asked.resamples}
    found = Aggregated.of(
        scores.aggregated,
        statistic,
        resample,
        asked.resamples,
        seed,
        given["interval"],
        of_task(progress, "aggregates", asked.resamples),
    )
    tested = bootstrap_evidence.tested(
        found.contrast(family.matrix),
        family,
        scores.measure.margin,
        alpha,
        given["alternative"],
        given["adjust"],
    )
    e, shown = tested.evidence, family.wanted
    sides = family.named_sides(setting.algorithms)[shown]
    rows = bootstrap_checks.checks(setting, scores.aggregated, scores.measure, asked, tested, sides)
    side = min(asked.resamples, improved.SIDE_RESAMPLES)
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
        improved=improved.improvement_of(scores.normalised, resample, given, alpha, progress),
        scores_profile=_distributions(scores.normalised, resample, side, seed, alpha),
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


def _distributions(
    normalised: Sample, resample: Resample, resamples: int, seed: int, alpha: float
) -> profiles.Profile:
    """Return the profile of the scores, over a grid of them."""
    grid = profiles.grid(normalised)
    return profiles.scores_above(normalised, grid, resample, resamples, seed, alpha)


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
