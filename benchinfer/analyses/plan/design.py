"""Findings on the design of a table, before any verdict."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import fdtrc, fdtri

from benchinfer.analyses.plan.plan import plan
from benchinfer.analyses.plan.result import on_scale
from benchinfer.analyses.plan.variances import components_of
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.hints import literal
from benchinfer.core.numbers import count, significant
from benchinfer.scores.checks import gaps, units
from benchinfer.scores.checks.facts import places
from benchinfer.scores.checks.findings import FEW
from benchinfer.scores.coverage import Finding

if TYPE_CHECKING:
    from benchinfer.core.measure import Measure
    from benchinfer.numerics.types import Array, Codes
    from benchinfer.scores.table import ScoreTable

DECIDES = "what the design decides"
POWER = 0.8
_LIKELY = 0.01  # p-value from which replications are said to vary together
_ALIKE = 0.1  # share of variance below which they are said not to


def design(scores: ScoreTable) -> tuple[Finding, ...]:
    """Return the findings on the least detectable differences and on shared replications.

    The difference that it shows with a power of 80 % is that of `plan`, with the table as its own
    pilot: adjusted for all pairs, at 5 %. It depends on the spread of the scores, never on which
    algorithm is the better one. Replications look shared where scores of all algorithms rise and
    fall with them, by the F test of replications within data sets; they look each algorithm's own
    where the 95 % upper bound of their intraclass correlation (Shrout and Fleiss 1979,
    https://doi.org/10.1037/0033-2909.86.2.420) is below 0.1.

    Examples
    --------
    >>> from benchinfer import load_example
    >>> found = design(load_example("simulated/balanced"))
    >>> dict(zip(*found[-1].where, strict=True))["difference"]
    '0.0202'
    """
    if len(scores.algorithms) < 2:
        return ()
    return tuple(finding for rule in (_shared, _decidable) if (finding := rule(scores)) is not None)


def _decidable(scores: ScoreTable) -> Finding | None:
    """Return the finding on the least detectable difference of each measure."""
    rules = {finding.rule for finding in scores.finding_records}
    if rules & set(units.MIXED):
        return None  # spread in two units is that of neither
    rows = [row for measure in scores.measures for row in _reach(scores, measure)]
    if not rows:
        return None
    pairs = math.comb(len(scores.algorithms), 2)
    what = f"differences that are shown with a power of {100 * POWER:.0f} %, at 5 % over"
    what += f" {count(pairs, 'pair')} of average spread"
    d = int(gaps.shared_datasets(scores.facts().summary.n.any(axis=0)).min())
    if len(scores.datasets) > 1 and FEW not in rules and d:
        least = significant(min(1.0, pairs * 2.0 ** (1 - d)))
        by = ", by Holm's" if pairs > 1 else ""
        what += f"; tests of ranks or signs give p = {least} at best{by}"
    wanted = next((m.tolerance for m in scores.measures if m.tolerance), None)
    hint = f"plan(..., difference={literal(wanted)}) says how many it takes for less."
    head = ("measure", "sharing", "difference", "tolerance")
    return Finding(DECIDES, "note", len(rows), f"{what}.", places(head, rows), hint)


def _reach(scores: ScoreTable, measure: Measure) -> list[tuple[str, ...]]:
    """Return the least detectable differences of a measure; none if no variance is estimable."""
    shared = gaps.shared_datasets(scores.coverage(measure.name).counts > 0)
    try:
        pilot = components_of(scores, measure.name)
        domain = pilot.dataset_algorithm is not None
        sizes = sorted({int(shared.max()), int(shared.min())}, reverse=True)
        r = max(1, round(pilot.n_replications or 1))
        least = {
            d: plan(pilot, 1.0, power=POWER, n_datasets=d, n_replications=r).detectable
            for d in sizes
            if d > domain
        }
    except (DesignError, FitError):
        return []
    by = "{} of {}".format if domain else "replications on {} of {}".format
    tolerance = f"{measure.tolerance:g}" if measure.tolerance else "none"
    return [
        (
            measure.name,
            f"{by(d, count(len(scores.datasets), 'data set'))}",
            significant(difference) + on_scale(measure),
            tolerance,
        )
        for d, difference in least.items()
        if 0 < difference < math.inf
    ]


def _shared(scores: ScoreTable) -> Finding | None:
    """Return the finding that replications look shared or unshared, where it is not declared."""
    s = scores.facts().summary
    named = int((s.replications.sum(axis=2) - s.shared).clip(min=0).sum())
    if scores.resampling is not None or s.shared.max(initial=0) < 2 or not named:
        return None
    rates = [rate for m in scores.measures if (rate := _together(scores, m)) is not None]
    if not rates:
        return None
    p, _, share = min(rates)
    if p * len(rates) < _LIKELY:
        what = f"scores of all algorithms rise and fall together over replications: {share:.0%}"
        what += " of their variance is shared, as with common splits or items."
        hint = "paired=True, if they are."
    elif max(high for _, high, _ in rates) < _ALIKE:
        what = "scores of different algorithms do not vary together over replications of one label."
        hint = "paired=False, if each algorithm had its own seeds."
    else:
        return None
    return Finding("replications", "note", len(rates), what.replace("%", " %"), (), hint)


def _together(scores: ScoreTable, measure: Measure) -> tuple[float, float, float] | None:
    """Return p-value of the F test, upper bound and estimate of the intraclass correlation."""
    try:
        blocks = replace(scores, paired=True).blocks(measure.name)
    except DesignError:
        return None
    complete = (blocks.count > 0).all(axis=1)
    values, of = blocks.mean[complete], blocks.dataset[complete]
    return intraclass(values, of)


def intraclass(values: Array, group: Codes) -> tuple[float, float, float] | None:
    """Test whether rows of a table vary together over its columns, within groups of rows.

    Parameters
    ----------
    values
        (R, K) scores.
    group
        (R,) group of each row.

    Returns
    -------
    tuple or None
        p-value of the F test of rows, and 95 % upper bound and estimate of their intraclass
        correlation (consistency); None where nothing is left to estimate.
    """
    k = values.shape[1]
    _, at = np.unique(group, return_inverse=True)
    n = np.bincount(at)
    if not len(n) or n.max() < 2:
        return None
    centred = values - np.stack([np.bincount(at, v) / n for v in values.T], axis=1)[at]
    rows = centred.mean(axis=1)
    free = int((n - 1).sum())
    between = k * float((rows**2).sum()) / free
    within = float(((centred - rows[:, None]) ** 2).sum()) / (free * (k - 1))
    if not within:
        return None
    f, df = between / within, (free, free * (k - 1))
    high = f / fdtri(*df, 0.05)
    share = (f - 1) / (f - 1 + k)
    return float(fdtrc(*df, f)), float((high - 1) / (high - 1 + k)), share
