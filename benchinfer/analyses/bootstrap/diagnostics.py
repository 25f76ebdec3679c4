"""Diagnostics of the bootstrap."""

import numpy as np

from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.analyses.bootstrap.evidence import BEYOND, BootstrapProcedure, BootstrapTests
from benchinfer.analyses.bootstrap.numerics.intervals import contracted, expanded
from benchinfer.analyses.bootstrap.numerics.resampling import ScoreSample
from benchinfer.analyses.bootstrap.options import statistic_of
from benchinfer.comparison.checks import decisions, tables
from benchinfer.comparison.contrasts import ContrastFamily, some_of
from benchinfer.core.numbers import brief, percent, subject
from benchinfer.core.sections import Check

# Draws of n units understate the variance by 1 / n.
_UNITS = 5
# Numbers that a machine holds, of every contrast in every resample.
_MEMORY = 3e8


def checks(
    result: BootstrapComparison,
    sample: ScoreSample,
    family: ContrastFamily,
    procedure: BootstrapProcedure,
    tests: BootstrapTests,
) -> tuple[Check, ...]:
    """Return the diagnostics of a comparison; the sample is what was aggregated."""
    setting, domain = result.setting, result.target == "domain"
    return (
        *tables.of_table(setting),
        *(
            [tables.number_of_datasets(setting)]
            if domain
            else [tables.replications(setting), *_replications(sample)]
        ),
        *([tables.beyond(result.target)] if sample.n_datasets > 1 else []),
        _error_rate(result, procedure),
        tables.thin_cells(setting, "the bootstrap, which keeps each cell's number of scores,"),
        tables.tolerance(result.reported),
        *_statistic(result, sample),
        *([] if domain else [_single_replication(procedure)]),
        *_references(result),
        *_resamples(result, procedure),
        *_pairs(result, family, procedure, tests),
    )


def _replications(sample: ScoreSample) -> list[Check]:
    """Return the checks of few replications to draw from, and of those that cannot be drawn."""
    size = np.diff(sample.strata)
    fewest, alone = int(size[size > 1].min()), int((size == 1).sum())
    return [
        Check.of(
            "fewest replications drawn from",
            fewest,
            _UNITS,
            least=True,
            sentence=f"Draws from {fewest} replications vary too little, by 1/{fewest} of the"
            " variance.",
            remedy="Intervals are too short: add replications.",
        ),
        Check.of(
            "replications that cannot be drawn",
            alone,
            sentence=f"{subject(alone, 'replication', 'is')} alone in a data set with scores of"
            " these algorithms, and so the same in every resample.",
            remedy="Intervals are too short: add replications there.",
        ),
    ]


def _error_rate(result: BootstrapComparison, procedure: BootstrapProcedure) -> Check:
    """Return the error rate of resampling so few units, over the nominal one.

    A bootstrap takes the spread of n units with divisor n, and its tails from the normal
    distribution where they are those of t. For a mean of normal scores that is known exactly.
    """
    units, level = procedure.bounds.units, procedure.tail
    share = np.full(len(procedure.bounds.df), level)
    if result.options.percentiles == "expanded":
        share = contracted(share, units)
    factor = float(expanded(share, units).max()) / level
    drawn = "replication" if result.target == "datasets" else "data set"
    return Check.of(
        "error rate of one contrast / nominal, for means of normal scores",
        factor,
        1.5,
        concerns="verdict",
        sentence=f"There are too few {drawn}s to draw from: for means of normal scores a"
        f" contrast errs {factor:.2g} times as often as it should.",
        remedy="Intervals are too short and p-values too small this far out in the tail;"
        ' interval="expanded" and compare_mixed allow for the number.',
    )


def _single_replication(procedure: BootstrapProcedure) -> Check:
    """Warn where a single replication, such as a failed run, makes most of an error."""
    return Check.of(
        "share of one replication in the variance of a contrast, largest",
        procedure.largest_part,
        0.5,
        concerns="verdict",
        sentence=f"One replication makes {percent(procedure.largest_part)} of the variance of a"
        " contrast, as a failed run does.",
        remedy="How often runs fail is hardly known then, and intervals of levels are too short,"
        " as resamples hold no more failures than there were: report failures apart, or add"
        " replications.",
    )


def _statistic(result: BootstrapComparison, sample: ScoreSample) -> list[Check]:
    """Warn where the bootstrap of a statistic cannot be trusted."""
    statistic = statistic_of(result.options.statistic)
    if statistic.kind != "quantile":
        return []
    pooled, q = statistic.pools(sample.n_datasets), statistic.q
    n = int(sample.n.min()) if pooled else sample.n_datasets
    # Units beyond the quantile on its thinner side: of none the draws see no more than the sample.
    if not pooled and result.target == "datasets":
        return []
    beyond = min(q, 1 - q) * n
    return [
        Check.of(
            f"{'scores' if pooled else 'data sets'} beyond the quantile",
            beyond,
            5.0,
            least=True,
            sentence=f"Only {brief(beyond)} {'scores' if pooled else 'data sets'} lie beyond the"
            " quantile, and so far out the bootstrap says little.",
            remedy="Resamples hold nothing beyond the extreme ones there are; a mean or a median"
            " is safer.",
        ),
    ]


def _references(result: BootstrapComparison) -> list[Check]:
    """Return the check of a scale that is computed from the scores and not resampled with them.

    Where data sets are drawn, their scale is drawn with them, and there is no check.
    """
    normalised = result.setting.measure.normalised
    if normalised is None or result.options.resample == "datasets":
        return []
    return [
        Check.of(
            "scale computed of the same scores",
            float(normalised.of_scores),
            sentence="The scale is computed of the same scores, and its error is left out.",
            remedy="It is held fixed while replications are drawn; references from elsewhere"
            " have no such error.",
        )
    ]


def _resamples(result: BootstrapComparison, procedure: BootstrapProcedure) -> list[Check]:
    """Return the checks that resamples and units suffice to decide pairs and bound intervals."""
    least, alpha, evidence = procedure.bounds.least, result._alpha, result.evidence
    share = np.full(len(least), 1 / (procedure.resamples + 1))
    if result.options.percentiles == "expanded":
        share = expanded(share, procedure.bounds.units)
    each = procedure.sides * procedure.n_contrasts
    smallest = min(each * float(np.maximum(share, least).min()), 1.0)
    beyond = int((np.isinf(evidence.low) | np.isinf(evidence.high)).sum())
    # Of two units t reaches so far out that no share of draws is left.
    needed = BEYOND / procedure.share if procedure.share > 0 else np.inf
    more = f"Ask for more resamples, {needed:,.0f} or so."
    if needed * procedure.n_contrasts > _MEMORY:
        more = "No memory holds as many resamples as that takes: fewer contrasts do with fewer, and"
        more += " compare_mixed with none."
    if each * least.min() > alpha:
        drawn = "replications" if result.target == "datasets" else "data sets"
        need = int(np.ceil(np.log2(each / alpha) - 1e-9))
        more = f"No number of resamples helps: {need} {drawn} could decide, and compare_mixed can"
        more += " with fewer."
    enough = Check.of(
        "smallest p-value that the resamples allow, adjusted",
        smallest,
        alpha,
        concerns="verdict",
        sentence="No pair can be decided: the smallest adjusted p-value that the resamples allow"
        f" is {smallest:.4g}.",
        remedy=f"Intervals are infinite. {more}",
    )
    if procedure.sides == 1:
        return [enough]
    return [
        enough,
        Check.of(
            "intervals that reach beyond the resamples",
            beyond,
            sentence=f"{subject(beyond, 'interval', 'reaches')} beyond the resamples.",
            remedy=more
            if smallest > alpha
            else "Few replications bear on these aggregates, of which most data sets have no part:"
            " a mean rests on all of them; or ask for more resamples.",
        ),
    ]


def _pairs(
    result: BootstrapComparison,
    family: ContrastFamily,
    procedure: BootstrapProcedure,
    tests: BootstrapTests,
) -> list[Check]:
    """Return the checks of pairs near the level, with conflicting intervals or without spread."""
    evidence, alpha, flat = result.evidence, result._alpha, tests.flat
    pairs = result.pairs.oriented(family.named_sides(result.algorithms))
    near = decisions.within_error(evidence.p_value, tests.error, alpha)
    near |= decisions.within_error(evidence.p_equivalence, tests.equivalence_error, alpha)
    in_steps = procedure.n_contrasts > 1
    return [
        decisions.near_level(near & ~flat, pairs, "More resamples decide: raise resamples=."),
        decisions.over_equality(evidence, alpha, pairs, in_steps=in_steps),
        Check.of(
            "pairs with the same difference in every resample",
            int(flat.sum()),
            sentence=f"{subject(int(flat.sum()), 'pair', 'has')} the same difference in every"
            f" resample, so that there is nothing to test against ({some_of(pairs, flat)}).",
            remedy=decisions.SAME,
        ),
    ]
