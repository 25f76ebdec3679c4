"""Diagnostics of the bootstrap."""

import numpy as np

from benchinfer.analyses.bootstrap.evidence import BEYOND, BootstrapProcedure, BootstrapTests
from benchinfer.analyses.bootstrap.numerics.intervals import contracted, expanded
from benchinfer.analyses.bootstrap.numerics.resampling import ScoreSample
from benchinfer.comparison import checks as comparison_checks
from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.contrasts import Sides
from benchinfer.comparison.evidence import Setting
from benchinfer.core.hints import Call, Option, Phrase
from benchinfer.core.measure import Measure
from benchinfer.core.sections import Check

# Draws of n units understate the variance by 1 / n.
_UNITS = 5
# Numbers that a machine holds, of every contrast in every resample.
_MEMORY = 3e8


def checks(
    setting: Setting,
    sample: ScoreSample,
    reported: Measure,
    asked: BootstrapProcedure,
    found: BootstrapTests,
    sides: Sides,
) -> list[Check]:
    """Return the rows."""
    several = sample.n_datasets > 1
    return [
        *comparison_checks.of_table(setting, means=asked.normalise is None),
        *(
            [comparison_checks.number_of_datasets(setting)]
            if asked.target == "domain"
            else [comparison_checks.replications(setting), *_replications(sample)]
        ),
        *([comparison_checks.beyond(asked.target)] if several else []),
        _size(asked),
        comparison_checks.thin_cells(
            setting, "the bootstrap, which keeps each cell's number of scores,"
        ),
        comparison_checks.tolerance(reported),
        *_statistic(asked, sample),
        *([_carried(asked)] if asked.target == "datasets" else []),
        *_references(asked),
        *_resamples(asked, found),
        *_pairs(asked, found, sides),
    ]


def _replications(sample: ScoreSample) -> list[Check]:
    """Say where few replications make a bootstrap within data sets coarse."""
    size = np.diff(sample.strata)
    fewest, alone = int(size[size > 1].min()), int((size == 1).sum())
    return [
        Check.of(
            "fewest replications drawn from",
            fewest,
            _UNITS,
            least=True,
            remedy=f"draws from {fewest} replications take few values and vary too little, by"
            f" 1/{fewest} of the variance",
        ),
        Check.of(
            "replications that cannot be drawn",
            alone,
            remedy="alone in their data set with scores of these algorithms: they are in every"
            " resample as they are, so that intervals are too short",
        ),
    ]


def _size(asked: BootstrapProcedure) -> Check:
    """Say what share of nominal errors the resampling of so many units really makes.

    A bootstrap takes the spread of n units with divisor n, and its tails from the normal
    distribution where they are those of t. For a mean of normal scores that is known exactly.
    """
    units = asked.borne.df, asked.borne.kept
    n = asked.n_contrasts
    one = (sidak(asked.alpha, n) if asked.sides == 2 else asked.alpha / n) / asked.sides
    share = np.full(len(asked.borne.df), one)
    if asked.interval == "expanded":
        share = contracted(share, units)
    factor = float(expanded(share, units).max()) / one
    drawn = "replications" if asked.target == "datasets" else "data sets"
    return Check.of(
        "error rate of one contrast / nominal, for means of normal scores",
        factor,
        1.5,
        remedy=f"too few {drawn} for a bootstrap this far out in the tail: intervals are"
        f" too short and p-values too small; {Option('interval', 'expanded')} and"
        f" {Call('compare_mixed')} allow for the number",
    )


def _carried(asked: BootstrapProcedure) -> Check:
    """Say where single replications, such as failed runs, make most of an error."""
    return Check.of(
        "share of one replication in the variance of a contrast, largest",
        asked.carried,
        0.5,
        remedy="a failed run, or hardly any replications, carry the error: how often runs fail is"
        " hardly known, and intervals of levels are too short, as resamples hold no more failures"
        " than there were; report failures apart, or add replications",
    )


def _statistic(asked: BootstrapProcedure, sample: ScoreSample) -> list[Check]:
    """Say where the bootstrap of a statistic cannot be trusted."""
    if asked.statistic.kind != "quantile":
        return []
    jumpy = Check.of(
        "BCa of a quantile",
        1.0,
        remedy="quantiles jump from unit to unit, and so do the corrections of BCa: in simulations"
        " its errors exceed their level, those of percentile intervals do not",
    )
    rows = [jumpy] if asked.interval == "bca" else []
    pooled, q = asked.statistic.pools(sample.n_datasets), asked.statistic.q
    n = int(sample.n.min()) if pooled else sample.n_datasets
    # Units beyond the quantile on its thinner side: of none the draws see no more than the sample.
    if not pooled and asked.target == "datasets":
        return rows
    beyond = min(q, 1 - q) * n
    return [
        *rows,
        Check.of(
            f"{'scores' if pooled else 'data sets'} beyond the quantile",
            beyond,
            5.0,
            least=True,
            remedy="resamples hold nothing beyond the extreme ones there are: so far out the"
            " bootstrap says little; a mean or a median is safer",
        ),
    ]


def _references(asked: BootstrapProcedure) -> list[Check]:
    given = asked.normalise
    values = list(given.values()) if isinstance(given, dict) else [given]
    own = any(isinstance(value, str) for value in values)
    if given is None:
        return []
    return [
        Check.of(
            "references taken from the same scores",
            float(own),
            remedy="they are held fixed while scores are drawn, so that their own error is left"
            " out: numbers from elsewhere have none",
        )
    ]


def _resamples(asked: BootstrapProcedure, found: BootstrapTests) -> list[Check]:
    least = asked.borne.least
    share = np.full(len(least), 1 / (asked.resamples + 1))
    if asked.interval == "expanded":
        share = expanded(share, (asked.borne.df, asked.borne.kept))
    each = asked.sides * asked.n_contrasts
    smallest = min(each * float(np.maximum(share, least).min()), 1.0)
    beyond = int((np.isinf(found.evidence.low) | np.isinf(found.evidence.high)).sum())
    borne = each * least.min() <= asked.alpha
    # Of two units t reaches so far out that no share of draws is left.
    needed = BEYOND / asked.share if asked.share > 0 else np.inf
    more = f"ask for more resamples, {needed:,.0f} or so"
    if needed * asked.n_contrasts > _MEMORY:
        more = "no memory holds as many resamples as that takes: fewer contrasts do with fewer, and"
        more += Phrase(f" {Call('compare_mixed')} with none")
    if not borne:
        drawn = "replications" if asked.target == "datasets" else "data sets"
        need = int(np.ceil(np.log2(each / asked.alpha) - 1e-9))
        more = Phrase(
            f"no number of resamples helps: {need} {drawn} could decide, and"
            f" {Call('compare_mixed')} can"
        )
        more += " with fewer"
    enough = Check.of(
        "smallest p-value that the resamples allow, adjusted",
        smallest,
        asked.alpha,
        remedy=Phrase("no pair can be decided, and intervals are infinite; ", more),
    )
    if asked.sides == 1:
        return [enough]
    return [
        enough,
        Check.of(
            "intervals that reach beyond the resamples",
            beyond,
            remedy=more
            if smallest > asked.alpha
            else "BCa corrects so much that no resample lies so far out: ask for more resamples,"
            " or for percentile intervals"
            if asked.interval == "bca"
            else "few replications bear on these aggregates, of which most data sets have no part:"
            " a mean rests on all of them; or ask for more resamples",
        ),
    ]


def _pairs(asked: BootstrapProcedure, found: BootstrapTests, sides: Sides) -> list[Check]:
    """Name the pairs whose evidence needs care."""
    e, alpha = found.evidence, asked.alpha

    near = comparison_checks.within_error(e.p_value, found.error, alpha)
    near |= comparison_checks.within_error(e.p_equivalence, found.equivalence_error, alpha)
    return [
        comparison_checks.near_level(
            near & ~found.flat,
            sides,
            Phrase(f"more of them decide: raise {Option('resamples', '')}"),
        ),
        comparison_checks.over_equality(e, alpha, sides, stepwise=asked.n_contrasts > 1),
        Check.of(
            "pairs with the same difference in every resample",
            int(found.flat.sum()),
            remedy=f"{sides.some(found.flat)}: without spread there is nothing to test against;"
            " are they the same algorithm?",
        ),
    ]
