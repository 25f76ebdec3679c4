"""Caution about failed runs and missing scores."""

from dataclasses import replace
from typing import Any

import numpy as np

from benchinfer.comparison.comparison import Comparison, TestedComparison
from benchinfer.comparison.contrasts import some_of
from benchinfer.comparison.evidence import PairVerdicts, Setting, WorstCase, withheld
from benchinfer.core.numbers import count, percent, several, subject
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes, Flags

# Share of the data sets that an algorithm lacks times the root of their number. Scores that are
# missing because they are the worst ones bias its differences by a third of their error there.
MOST_LOST = 0.25
_LOST = "share of an algorithm's data sets without scores, times the root of their number"
_TURNED = "verdicts that the worst score for what is missing turns"
_UNTRIED = "verdicts not tried with the worst score for what is missing"


def lost(setting: Setting) -> Array:
    """Return (K,) what `MOST_LOST` is the limit of; of one data set that of its replications."""
    coverage = setting.as_read
    d = len(coverage.datasets)
    return coverage.shares_lost[_rows(setting)] * float(d if d > 1 else coverage.expected[0]) ** 0.5


def _rows(setting: Setting) -> Codes:
    """Return the places of the algorithms in the coverage of the data sets."""
    names = setting.as_read.algorithms
    return np.array([names.index(name) for name in setting.algorithms], np.int64)


def in_doubt(setting: Setting) -> Flags:
    """Return (K,) the algorithms that lack so much that verdicts on them may be turned by it."""
    return lost(setting) > MOST_LOST * (1 + 1e-9)


def with_worst_case[C: Comparison](result: C, worst: PairVerdicts | str) -> C:
    """Return a comparison with the caution; verdicts that turn are undecided.

    Parameters
    ----------
    result
        Of a table in which some algorithm is in doubt.
    worst
        Verdicts on the table with the worst score in place of what is missing, or why there are
        none.
    """
    sides, doubtful = result.pairs.sides, in_doubt(result.setting)
    decided = (result.pairs.codes != Verdict.UNDECIDED) & (result.pairs.codes != Verdict.MISSING)
    # An average may be of any algorithm.
    decided &= (doubtful[result.pairs.index] | (result.pairs.index < 0)).any(axis=1)
    untried = worst if isinstance(worst, str) else ""
    codes = np.full(len(sides), Verdict.MISSING, np.int8)
    codes = codes if isinstance(worst, str) else worst.of(sides)
    turned = decided & (codes != result.pairs.codes) & (not untried)
    case = WorstCase(codes, turned, untried)
    changed: dict[str, Any] = {"worst_case": case}
    changed["stored_checks"] = (*result.stored_checks, *_checks(result, case, decided))
    if turned.any():
        codes = np.where(turned, Verdict.UNDECIDED, result.pairs.codes).astype(np.int8)
        changed["pairs"] = replace(result.pairs, codes=codes)
        if isinstance(result, TestedComparison):
            changed["evidence"] = withheld(result.evidence, turned)
    return replace(result, **changed)


def _checks(result: Comparison, case: WorstCase, decided: Flags) -> list[Check]:
    """Return the rows on what is missing, and on the verdicts that depend on it."""
    setting, pairs = result.setting, result.pairs.oriented()
    row = Check.of(
        _LOST,
        float(lost(setting).max()),
        MOST_LOST,
        concerns="verdict",
        sentence=f"{_lacking(setting)}: if these are missing because they are bad, comparisons"
        " favour what lacks them by more than a third of a standard error.",
        remedy="Verdicts stand only where they are the same with the worst score for what is"
        ' missing: complete the runs, or say what a failure counts as (failed="worst").',
    )
    if case.untried:
        n, names = int(decided.sum()), some_of(pairs, decided)
        untried = Check.of(
            _UNTRIED,
            n,
            concerns="verdict",
            sentence=f"{subject(n, 'verdict', 'was')} not tried with the worst score for what is"
            f" missing: {case.untried} ({names}).",
            remedy="Such a verdict holds if scores are not missing because they are bad.",
        )
        return [row, untried]
    n, names = int(case.withheld.sum()), some_of(pairs, case.withheld)
    turned = Check.of(
        _TURNED,
        n,
        concerns="verdict",
        sentence=f"{subject(n, 'pair', 'is')} undecided, as what is missing may decide ({names}).",
        remedy="By the scores that are there they are decided; with the worst score for the"
        " others that verdict turns.",
    )
    return [row, turned]


def _lacking(setting: Setting) -> str:
    """Return the share of missing data sets, or scores, of each algorithm in doubt, in words."""
    shares, doubtful = setting.as_read.shares_lost[_rows(setting)], in_doubt(setting)
    order = [int(k) for k in np.argsort(-shares, kind="stable") if doubtful[k]]
    lost = setting.as_read.lost[:, _rows(setting)][:, doubtful]
    complete = len(lost) > 1 and not (lost % 1).any()
    unit = "data sets" if complete else "scores"
    if len(order) == 1:
        return f"{setting.algorithms[order[0]]} lacks {percent(shares[order[0]])} of its {unit}"
    named = [f"{setting.algorithms[k]} ({percent(shares[k])})" for k in order]
    return f"{several(named)} lack {unit}"


def clause(result: Comparison) -> str:
    """Return what algorithms in doubt lack, and how many verdicts that turns; empty without any."""
    if (case := result.worst_case) is None:
        return ""
    doubtful, lacks = in_doubt(result.setting), _lacking(result.setting)
    it = "it" if doubtful.sum() == 1 else "them"
    if case.untried:
        return f"{lacks}, and verdicts on {it} were not tried with the worst score: {case.untried}"
    involved = (doubtful[result.pairs.index] | (result.pairs.index < 0)).any(axis=1)
    turned = int(case.withheld.sum())
    total = turned + int((involved & (result.pairs.codes != Verdict.UNDECIDED)).sum())
    if not total:
        return lacks
    which = f"{turned:,} of {count(total, 'verdict')} on {it}" if turned else f"no verdict on {it}"
    turns = "turns" if turned < 2 else "turn"
    undecided = ", and so is undecided" if turned == 1 else ", and so are undecided"
    return (
        f"{lacks}, and {which} {turns} with the worst score for what is missing"
        f"{undecided if turned else ''}"
    )
