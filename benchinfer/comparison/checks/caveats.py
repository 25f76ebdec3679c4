"""Caveats of a comparison, which stand before its verdict."""

from collections.abc import Mapping

import numpy as np

from benchinfer.comparison.checks.decisions import ATTAINABLE
from benchinfer.comparison.checks.tables import RATES, counted, order_words, stated_doubt
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import Setting
from benchinfer.core.numbers import percent, several, within
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict
from benchinfer.scores.checks.advice import ADVICE
from benchinfer.scores.checks.facts import least_datasets, least_flips
from benchinfer.scores.checks.findings import DOUBTS, FEW
from benchinfer.scores.checks.gaps import (
    BLOCKS,
    in_common,
    shared_datasets,
)
from benchinfer.scores.checks.kinds import BINOMIAL, WHOLE, ZERO_ONE

ANOTHER = "another analysis fits"  # than the one that was taken
LEFT_OUT = "left out"
STOPPED = "stopped runs"


def caveats(result: Comparison) -> Mapping[str, str]:
    """Return the caveats that precede a verdict: a sentence for each, by name."""
    findings = {one.rule: one for one in result.setting.coverage.findings}
    failed = {check.check: check for check in result._checks if not check.ok}
    stated = {
        rule: findings[rule] for rule in (*DOUBTS, ZERO_ONE) if rule in findings and rule in failed
    }
    lines = {rule: stated_doubt(one) for rule, one in stated.items()}
    if RATES in failed:
        lines[ZERO_ONE] = (
            "the rates of the data sets are compared like other scores;"
            f" {BINOMIAL} models right and wrong."
        )
    if WHOLE in findings:
        lines[WHOLE] = stated_doubt(findings[WHOLE])
    if text := _stopped(result.setting):
        lines[STOPPED] = text
    if text := _ahead(result.setting):
        lines[LEFT_OUT] = text
    if result.setting.coverage.empty:
        lines[BLOCKS] = _in_common(result)
    if text := _few(result, failed, few=FEW in findings):
        lines[FEW] = text
    if ADVICE in findings:
        fitting = dict(findings[ADVICE].proposes)
        if "analysis" not in fitting or not _fits(result, fitting):
            lines[ANOTHER if fitting else ADVICE] = advice(result.setting)
    return lines


def _stopped(setting: Setting) -> str | None:
    """Return a sentence on stopped runs, their penalty and its effect on the order; or None."""
    held = setting.stopped
    if held is None or not (n := int(held.stopped.sum())):
        return None
    total, crashed = int(held.n.sum()), int(held.crashed.sum())
    also = f", of which {crashed:,} crashed" if crashed else ""
    order = "" if setting.measure.limit is None else f"; {order_words(held)}"
    return (
        f"{n:,} of {total:,} runs ({percent(n / total)}) were stopped at the limit of"
        f" {held.limit:,.6g}{also}: {counted(held, setting.measure)}{order}."
    )


def _ahead(setting: Setting) -> str | None:
    """Return a sentence on excluded algorithms better than all compared ones; None without any."""
    out = setting.algorithms_left_out
    if not (n := setting.ahead_left_out):
        return None
    of = len(out) + len(setting.algorithms)
    who, does = ("it is", "does") if n == 1 else ("they are", "do")
    return (
        f"{len(out)} of {of} algorithms lack data sets and are not compared, among them"
        f" {several(out[:n], 3)}: for the data sets that {who} on {who.split()[0]} {does} better"
        " than any that is compared; compare_mixed compares all."
    )


def advice(setting: Setting) -> str:
    """Return the analysis that suits a table, with the reason; empty without a recommendation."""
    for one in setting.coverage.findings:
        if one.rule == ADVICE:
            return one.hint.removesuffix(".") + ", as " + one.what
    return ""


def _in_common(result: Comparison) -> str:
    """Return a sentence on the data sets that pairs share, and on verdicts of pairs without any."""
    coverage, ranking = result.setting.coverage, result.ranking()
    held = coverage.counts > 0
    held = held[:, [coverage.algorithms.index(name) for name in ranking]]
    real = result.pairs.index[result.pairs.real & (result.pairs.codes != Verdict.MISSING)]
    shared = held.astype(np.int64).T @ held
    place = np.array([ranking.index(name) for name in coverage.algorithms])
    alone = bool(len(real)) and bool((shared[tuple(place[real].T)] == 0).any())
    model = ": what is said of these rests on other algorithms and the model alone" if alone else ""
    return f"{in_common(ranking, held)}{model}."


def _few(result: Comparison, failed: Mapping[str, Check], *, few: bool) -> str | None:
    """Return a sentence that data sets are too few for rank or sign tests; None if they suffice."""
    if ATTAINABLE in {check.check for check in result._checks}:
        check = failed.get(ATTAINABLE)
        return check and f"{within(check.sentence)} {check.remedy}"
    if not few or result.target != "domain" or not result._leans_on:
        return None
    shared = shared_datasets(result.setting.coverage.counts > 0)
    k, pairs = len(result.setting.coverage.algorithms), len(shared)
    # By flips of all pairs at once, and by Holm's steps.
    ways = (
        (least_flips(k), ""),
        (least_datasets(pairs), f" by Holm's adjustment for {pairs:,} pairs"),
    )
    for least, by in ways:
        if n := int((shared < least).sum()):
            fewer = f"{n:,} of {len(shared):,} pairs {'has' if n == 1 else 'have'} fewer"
            fewer = "the pair has fewer" if len(shared) == 1 else fewer
            return (
                f"a test by ranks or signs takes {least} data sets to decide a pair at 5 %{by}, and"
                f" {fewer};"
                f" verdicts rely on {result._leans_on}."
            )
    return None


def _fits(result: Comparison, fitting: Mapping[str, object]) -> bool:
    """Return whether the comparison was made by the recommended analysis."""
    made = result.provenance
    arguments = {**made.arguments, "target": result.target, "analysis": made.analysis}
    recommended = {**fitting, "analysis": f"compare_{fitting['analysis']}"}
    return all(arguments.get(name) == value for name, value in recommended.items())
