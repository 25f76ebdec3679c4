"""Checks of the table that verdicts rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import Level, Setting
from benchinfer.core import frames
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import as_sentence, count, percent, several, subject
from benchinfer.core.sections import Check
from benchinfer.scores.checks.findings import DOUBTS
from benchinfer.scores.checks.gaps import (
    shared_datasets,
)
from benchinfer.scores.checks.kinds import BINOMIAL, PILED, ZERO_ONE
from benchinfer.scores.checks.units import UNEQUAL
from benchinfer.scores.coverage import Finding
from benchinfer.scores.numerics.limits import StoppedRuns, column_means

if TYPE_CHECKING:
    import pandas as pd

UNDECLARED = "resampling declared"
RATES = "scores of 0 and 1, compared by the rates of data sets"
MOST_STOPPED = 12  # algorithms with stopped runs that are named
UNEQUAL_STOPS = 0.05  # difference of shares stopped beyond which their penalty matters
CUSTOMARY = 10  # the largest penalty factor in use
PRIOR_MATTERS = 5  # data sets or domains: of fewer much of what a posterior says is the prior's


def left_out(setting: Setting) -> list[Check]:
    """Return checks that list the excluded data sets and algorithms; none without exclusions."""
    row = Check.of(
        "data sets and algorithms without scores of the measure",
        len(setting.absent),
        sentence=f"{several(setting.absent)} {'has' if len(setting.absent) == 1 else 'have'} no"
        f" score of {setting.measure.name}, and so no part in the comparison.",
        remedy="Complete the runs, or say that the claims are not about these.",
    )
    parts = (
        ("data sets", setting.datasets_left_out),
        ("algorithms", setting.algorithms_left_out),
    )
    named = "; ".join(f"{what} {several(names)}" for what, names in parts if names)
    incomplete = Check.of(
        "scores left out of the complete part",
        setting.scores_left_out,
        ok=False,
        sentence=f"Left out, so that every algorithm has a score on every data set: {named}.",
        remedy="They were chosen so that the fewest scores are lost; compare_mixed uses all"
        " scores.",
    )
    return [*([row] if setting.absent else []), *([incomplete] if named else [])]


def of_table(
    setting: Setting, *, means: bool = True, rates: bool = True, ranks: bool = False
) -> list[Check]:
    """Return the checks of a table: exclusions, stopped runs and findings that affect verdicts.

    Parameters
    ----------
    setting
        What is compared.
    means
        Whether means over data sets are compared, to which data sets in other units matter.
    rates
        Whether scores of 0 and 1, and shares, are compared as others are, by their means.
    ranks
        Whether ranks or wins are compared, in which scores on a bound are ties as others are.
    """
    rows = [
        Check.of(
            finding.rule,
            finding.count,
            ok=False,
            concerns="verdict",
            sentence=as_sentence(finding.what),
            remedy=as_sentence(finding.hint),
        )
        for finding in doubts(setting)
        if means or finding.rule != UNEQUAL
        if rates or finding.rule not in (ZERO_ONE, PILED)
        if not (ranks and finding.rule == PILED)
    ]
    several = len(setting.coverage.datasets) > 1
    rates = rates and several and setting.zero_one
    return [
        *left_out(setting),
        *stopped_runs(setting),
        *rows,
        *([_rates(setting)] if rates else []),
    ]


def stopped_runs(setting: Setting) -> list[Check]:
    """Return checks of the share of stopped runs and of the order's dependence on their penalty."""
    held, measure = setting.stopped, setting.measure
    if held is None or not held.stopped.sum():
        return []
    shares = held.shares
    most_first = np.argsort(-shares, kind="stable")
    named = [
        f"{setting.algorithms[k]} {percent(float(shares[k]))}" for k in most_first if shares[k] > 0
    ]
    n = int(held.crashed.sum())
    crashed = f", {n:,} of them crashed" if n else ""
    rows = [
        Check.informing(
            "share of runs that were stopped, largest",
            float(shares.max()),
            sentence=f"{subject(int(held.stopped.sum()), 'run', 'was', of=int(held.n.sum()))}"
            f" stopped at the limit of {held.limit:,.6g}{crashed}:"
            f" {several(named, MOST_STOPPED)}.",
            remedy=as_sentence(counted(held, measure)),
        )
    ]
    if measure.limit is None:  # of wins, which are no means
        return rows
    low, high = held.order_range
    if shares.max() - shares.min() > UNEQUAL_STOPS and (low > 1 or high < np.inf):
        rows.append(
            Check.of(
                "penalty of stopped runs at which the order of the means changes",
                high if high < np.inf else low,
                None,
                ok=high > CUSTOMARY and low == 1,
                concerns="verdict",
                sentence=f"What a stopped run counts as decides the order: {order_words(held)}.",
                remedy="Say which penalty was chosen, and why, or compare the shares solved as"
                " well (scores.solved()).",
            )
        )
    if measure.scale == "log":
        rows.append(
            Check.informing(
                "stopped runs on the log scale",
                float(held.stopped.sum()),
                sentence="Ratios are of times up to the limit, at which"
                f" {subject(int(held.stopped.sum()), 'run', 'was')} stopped.",
                remedy="Without a limit they may be farther from 1.",
            )
        )
    return rows


def solved_runs(held: StoppedRuns, algorithms: Sequence[str]) -> pd.DataFrame:
    """Return a table of the runs that each algorithm solved, the shortest mean time first.

    Means are over the data sets on which all algorithms have runs, if there are any, else over
    those of each algorithm.
    """
    n, stopped = held.n.sum(axis=0), held.stopped.sum(axis=0)
    table = frames.frame(
        {
            "algorithm": list(algorithms),
            "n": n,
            "solved": n - stopped,
            "stopped": stopped,
            "crashed": held.crashed,
            "solved_share": 1 - stopped / np.maximum(n, 1),
            "restricted_mean": column_means(held.mean[held.averaged]),
        }
    )
    return table.sort_values("restricted_mean", kind="stable", ignore_index=True)


def counted(held: StoppedRuns, measure: Measure) -> str:
    """Return a clause on the score of stopped runs: the limit, a multiple of it, or a tie."""
    if measure.limit is None:
        score = f"{held.par * held.limit:,.6g}"
        return f"they count as {score} in contests: where both were stopped, it is a tie"
    if held.par == 1:
        return f"they count as {held.limit:,.6g}, so that means are of times up to it"
    return f"they count as {held.par:g} times the limit (PAR{held.par:g})"


def order_words(held: StoppedRuns) -> str:
    """Return a clause on the penalties of stopped runs under which the order of the means holds."""
    if np.isnan(held.order_range).any():
        return "no data set has runs of all algorithms, to say for which penalties an order holds"
    means = "means" if held.par == 1 else f"PAR{held.par:g} means"
    order, best = _penalties(held.order_range), _penalties(held.best_range)
    if order == best:
        return f"the order of the {means} holds for {order}"
    return f"the order of the {means} holds for {order}, its first place for {best}"


def stated_doubt(finding: Finding) -> str:
    """Return a finding and its hint as one sentence."""
    what = finding.what
    return (what if what.endswith("?") else f"{what.removesuffix('.')}:") + " " + finding.hint


def _penalties(ends: tuple[float, float]) -> str:
    low, high = ends
    if high == np.inf:
        return "every penalty" if low == 1 else f"penalties from {low:.3g} on"
    return f"penalties from {low:.3g} to {high:.3g}"


def doubts(setting: Setting) -> list[Finding]:
    """Return the findings that put any conclusion from the table in doubt."""
    one = len(setting.coverage.datasets) == 1  # of several the rates are scores like others
    rules = (*DOUBTS, ZERO_ONE) if one else DOUBTS
    return [finding for finding in setting.coverage.findings if finding.rule in rules]


def _rates(setting: Setting) -> Check:
    """Return a check that names the weight of the data sets' rates, and the model that has none."""
    return Check.informing(
        RATES,
        setting.coverage.n,
        sentence="Scores of 0 and 1 are compared by the rates of the data sets, which count"
        " alike, of however many items they are.",
        remedy=f"A model of right and wrong items is {BINOMIAL}.",
    )


def number_of_datasets(setting: Setting) -> Check:
    """Return a check that each pair shares enough data sets for a claim about their domain."""
    unit = "data set" if setting.members is None else "domain"
    d, name = len(setting.coverage.datasets), f"number of {unit}s"
    few = f"There are only {count(d, unit)}"
    if setting.coverage.empty:
        shared = shared_datasets(setting.coverage.counts > 0)
        name = f"{unit}s that a pair shares, fewest"
        few = f"Some algorithms share only {int(shared.min())} of {count(d, unit)}"
        d = int(shared.min())
    return Check.of(
        name,
        d,
        10.0,
        least=True,
        sentence=f"{few}: claims about others rest on these being typical of them.",
        remedy=f"With more {unit}s less rests on that.",
    )


def learnt_from(setting: Setting, datasets: int) -> list[Check]:
    """Return checks of the number of data sets and of empty cells under a hierarchical model."""
    empty = setting.coverage.empty
    return [
        Check.of(
            "data sets that the model learns from",
            datasets,
            PRIOR_MATTERS,
            least=True,
            sentence=f"The model learns from only {count(datasets, 'data set')}, which leaves much"
            " to the priors.",
            remedy="See whether other priors=... say the same.",
        ),
        Check.of(
            "empty cells",
            len(empty),
            sentence=f"{subject(len(empty), 'cell', 'has', of=setting.coverage.counts.size)} no"
            " score: the model takes them from the others.",
            remedy="That is fair only if scores are not missing because they are bad.",
        ),
    ]


def tied(n: int) -> list[Check]:
    """Count the scores that are ties though they differ, if there are some."""
    row = Check.of(
        "scores taken as equal to another though they differ",
        n,
        sentence=f"{subject(n, 'score', 'is')} taken as equal to others, as they differ beyond the"
        " twelfth digit only.",
        remedy="Such differences are rounding; if they matter, take a constant off all scores"
        " before they are read.",
    )
    return [row] if n else []


def thin_cells(setting: Setting, user: str) -> Check:
    """Return a check of the number of cells with fewer scores than others of their data set."""
    thin = setting.coverage.thin
    return Check.of(
        "thin cells",
        len(thin),
        sentence=f"{subject(len(thin), 'cell', 'has', of=setting.coverage.counts.size)} fewer"
        " scores than others of the same data set.",
        remedy=as_sentence(f"{user} uses those that are there"),
    )


def tolerance(measure: Measure) -> Check:
    """Return a check that a tolerance is set, without which no pair can be equivalent."""
    declared = 'normalise="HOW:TOLERANCE"' if measure.normalised else "Measure(tolerance=...)"
    return Check.of(
        "tolerance",
        measure.tolerance,
        None,
        ok=measure.tolerance > 0,
        sentence="No tolerance is set, so that no pair can be called equivalent.",
        remedy=f"Set {declared} to the difference that does not matter.",
    )


def legal(setting: Setting, levels: Level) -> list[Check]:
    """Return a check of level intervals that exceed the measure's bounds, declared or apparent.

    Scores that all lie between 0 and 1 look like shares; where no bounds are declared, the row
    informs.
    """
    measure = setting.measure
    if levels.low is None or levels.high is None:
        return []
    low, high = measure.level_interval(levels.low, levels.high)
    if measure.bounds is None:
        least, most = np.nanmin(setting.quantiles), np.nanmax(setting.quantiles)
        n = int(((low < 0) | (high > 1)).sum())
        row = Check.informing(
            "intervals of levels beyond 0 and 1, where all scores lie",
            n,
            sentence=f"Of {count(n, 'algorithm')} the interval of the level leaves the range from"
            f" 0 to 1, where all scores lie: such intervals reach from {low.min():.3g} to"
            f" {high.max():.3g}.",
            remedy="So little is known of levels: declare Measure(bounds=(0, 1)), and see"
            " whether more data sets or a logit scale are needed.",
        )
        return [row] if n and least >= 0 and most <= 1 else []
    beyond = (low < measure.bounds[0]) | (high > measure.bounds[1])
    first, last = (f"{bound:g}" for bound in measure.bounds)
    return [
        Check.of(
            "intervals of levels beyond the measure's bounds",
            int(beyond.sum()),
            sentence=f"Of {count(int(beyond.sum()), 'algorithm')} the interval of the level"
            f" leaves the range from {first} to {last}, where all scores lie: such intervals reach"
            f" from {low.min():.3g} to {high.max():.3g}.",
            remedy="So little is known of levels: more data sets help, or a scale with the same"
            ' bounds, such as Measure(scale="logit").',
        )
    ]


def beyond(target: Target) -> Check:
    """Return a check that claims are about a domain and not about these data sets alone."""
    return Check.of(
        "claims go beyond these data sets",
        float(target == "domain"),
        1.0,
        least=True,
        sentence="Claims hold for these data sets and say nothing of others.",
        remedy="The evidence is their replications: how other data sets differ plays no part.",
    )


def replications(setting: Setting) -> Check:
    """Return a check of the resampling declared for the replications on one data set."""
    resampling = setting.resampling
    if resampling is not None and resampling.kind == "bootstrap":
        return Check.of(
            "conditional on the learning sample",
            1.0,
            sentence="Claims hold for this data set as drawn, as replications are bootstrap samples"
            " of it.",
            remedy="With more of them any difference becomes significant.",
        )
    if resampling is not None and resampling.folds is not None:
        largest = int(setting.coverage.expected.max())
        return Check.of(
            "replications are a multiple of the folds",
            largest,
            None,
            ok=largest % resampling.folds == 0,
            concerns="verdict",
            sentence=f"{largest} replications are no multiple of the {resampling.folds} folds that"
            " are declared.",
            remedy="The folds set the correction for overlapping training sets: see whether they"
            " are as declared.",
        )
    return Check.of(
        UNDECLARED,
        float(resampling is not None),
        1.0,
        least=True,
        concerns="verdict",
        sentence="How the replications came about is not declared: p-values hold if they are"
        " independent.",
        remedy="Where training sets overlap, as in cross-validation, they are too small: say how it"
        " was (resampling=...).",
    )
