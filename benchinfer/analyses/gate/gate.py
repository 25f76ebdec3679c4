"""The function `gate`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.analyses.choice.choice import choose
from benchinfer.analyses.gate.missing import FAILED_WORDS, Missing, filled, missing, scored
from benchinfer.analyses.gate.needs import need_of
from benchinfer.analyses.gate.one_sided import ANALYSES, Analysis, Claims, GateQuestion, OneSided
from benchinfer.analyses.gate.result import Gate, GatedMeasure, Want
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import alpha_of, as_table
from benchinfer.core.arguments import ArgumentError, check_choice, names_of
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.measure import Measure
from benchinfer.numerics import multiplicity
from benchinfer.scores.checks.failures import check_failed, stand_in
from benchinfer.scores.checks.faults import Failed
from benchinfer.scores.read import LEFT_OUT
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    from benchinfer.analyses.gate.result import Outcome

type By = Literal["auto", "mixed", "pair", "permutation"]
# Signed ranks are blind to how much rates differ.
_RATES = "scores are 0 or 1 on several data sets, whose rates are compared"


def gate(
    scores: ScoreTable,
    measure: str | Sequence[str] | None = None,
    *,
    baseline: str,
    candidate: str,
    want: Want = "noninferior",
    by: By = "auto",
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    failed: Failed = "missing",
    on_undecided: Literal["fail", "pass"] | None = None,
) -> Gate:
    """Decide whether a candidate may take the place of a baseline.

    A pass needs evidence, and so does a fail: scores that are too few for either are undecided.
    Of a measure with a limit the share of runs that are solved is tested as well: a candidate that
    is shown to solve fewer fails, whatever its times are.

    Parameters
    ----------
    scores
        The table, of which only the two algorithms are used.
    measure
        Name of a measure, or several names; by default all measures of the table.
    baseline
        Algorithm that is in place.
    candidate
        Algorithm that is to take its place.
    want
        Aim on each measure: that the candidate is not worse by the tolerance or more
        (``"noninferior"``), or that it is better (``"superior"``).

        The tolerance is that of the measure. Without one, not worse means better.
    by
        Analysis of the two algorithms: ``"mixed"``, ``"pair"`` (one data set), ``"permutation"``
        (signed ranks; of units of unequal size signs of their sums), or ``"auto"``: the one that
        fits the table.

        With ``"auto"`` it is chosen by kind of scores, number of data sets, gaps, ties and tails,
        never by which algorithm is better.
    target
        As in `compare_mixed`.

        A pair is compared on one data set, and claims are about that one.
    level
        Confidence level of the gate, above 0.5.
    failed
        Score that stands for one that the candidate or the baseline lacks and the other has:
        ``"worst"``, as in `read_scores`, which of two algorithms is the worst score of the measure
        in the table; a number; or the name of an algorithm, whose scores are taken.

        With ``"missing"`` none does: the verdict rests on the data sets that both have scores on,
        and a candidate that lacks scores cannot pass.
    on_undecided
        Outcome that undecided counts as: ``"fail"``, ``"pass"``, or by default neither. A
        candidate that lacks scores does not pass by it.

    Returns
    -------
    Gate
        With `Gate.verdict`, `Gate.outcome`, `Gate.summary`, and for each measure its evidence and
        what would decide it. The share solved of a measure ``seconds`` is ``"solved (seconds)"``.

    Raises
    ------
    DesignError
        The table cannot answer: one of the algorithms is not in it, or there is no noise to
        estimate.

    Notes
    -----
    With alpha one minus the level, each measure is tested once for a pass and once for a fail, both
    one-sided at alpha. The gate passes if each measure does (an intersection-union test, whose
    level needs no adjustment), and fails if some measure does after Holm's steps over all of them.
    So a candidate that is worse by the tolerance on some measure passes with a probability of at
    most alpha, and one that is worse by no more on any fails with at most alpha. Shares solved are
    tested for a fail only, without a tolerance, and take part in Holm's steps.

    References
    ----------
    Berger, R. L. (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics
    24, 295-300. https://doi.org/10.1080/00401706.1982.10487790

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.read_scores(
    ...     bi.load_example("simulated/balanced").to_frame(), measures="score:higher:0.02"
    ... )
    >>> found = gate(scores, baseline="alg1", candidate="alg2")
    >>> found.verdict, round(found["score"].p_pass, 4)
    ('pass', 0.0309)
    """
    for name, value, kind in (
        ("want", want, Want),
        ("by", by, By),
        ("target", target, Claims),
        ("on_undecided", on_undecided, Literal["fail", "pass"] | None),
    ):
        check_choice(name, value, kind)
    if not 0.5 < level < 1:
        raise ArgumentError(f"level is {level!r}.", hint="between 0.5 and 1, as in 0.95.")
    scores = as_table(scores)
    for role, name in (("baseline", baseline), ("candidate", candidate)):
        if name not in {*scores.algorithms, *scores.failures()["algorithm"]}:
            raise ArgumentError(unknown(role, name, scores.algorithms))
    if baseline == candidate:
        raise ArgumentError(
            f"{baseline!r} is baseline and candidate.", hint="name two different algorithms."
        )
    check_failed(failed, words=FAILED_WORDS)
    failed = stand_in(failed, scores.algorithms, words=FAILED_WORDS)
    names = [m.name for m in scores.measures] if measure is None else list(names_of(measure))
    if len(set(names)) < len(names) or not names:
        raise ArgumentError(f"measures are {', '.join(names) or 'none'}.", hint="name each once.")
    pairs = [_pair(scores, scores.measure(name), (baseline, candidate), failed) for name in names]
    questions = [
        GateQuestion(pair.scores, name, baseline, candidate, target, level)
        for name, pair in zip(names, pairs, strict=True)
    ]
    tested = [
        _tested(q, by, pair, single=len(names) == 1)
        for q, pair in zip(questions, pairs, strict=True)
    ]
    shares, notes = _shares_solved(questions, by, pairs)
    rules = {LEFT_OUT, "unused columns"}
    notes += [finding.what for finding in scores.finding_records if finding.rule in rules]
    if unused := [m.name for m in scores.measures if m.name not in names]:
        notes.append(f"measures not judged: {', '.join(unused)}.")
    return Gate(
        baseline=baseline,
        candidate=candidate,
        want=want,
        level=level,
        on_undecided=on_undecided,
        measures=_judged(questions, pairs, tested, shares, want, alpha_of(level)),
        left_out=tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """Scores of both algorithms: on the data sets that both have scores on, and on all."""

    scores: ScoreTable
    all_scores: ScoreTable
    missing: Missing
    counted: str

    @property
    def lacking(self) -> bool:
        """True if the candidate lacks scores, and none are put in their place."""
        return self.missing.of_candidate and not self.counted


def _pair(scores: ScoreTable, measure: Measure, names: tuple[str, str], failed: Failed) -> _Pair:
    """Keep what both algorithms have scores on, with scores for those that one lacks."""
    lacking, counted = missing(scores, measure.name, *names), ""
    if failed != "missing" and lacking.any:
        scores, counted = filled(scores, measure, names, failed)
    coverage = scores.coverage(measure.name)
    complete = scored(coverage, names[0]) & scored(coverage, names[1])
    if not complete.any():
        raise DesignError(
            f"{measure.name}: no data set has scores of both algorithms: {lacking.text}.",
            hint='failed="worst" counts scores that are missing as the worst one.',
        )
    shared = [coverage.datasets[d] for d in np.flatnonzero(complete)]
    pair = scores.subset(algorithms=names)
    return _Pair(pair.subset(datasets=shared), pair, lacking, counted)


def _tested(q: GateQuestion, by: By, pair: _Pair, *, single: bool) -> tuple[OneSided, str]:
    """Test one measure; return the evidence, and why by this analysis."""
    try:
        if by != "auto":
            return ANALYSES[by](q), "it was asked for"
        fitting, target, reason, table = _fitting(q)
        return ANALYSES[fitting](replace(q, target=target, scores=table)), reason
    except DesignError as error:
        if pair.lacking:
            with suppress(DesignError):
                described = ANALYSES["mixed"](replace(q, scores=pair.all_scores))
                return OneSided(
                    described.comparison, described.estimate, -math.inf, math.inf, 1.0, 1.0, 1.0
                ), str(error)
        text = pair.missing.text
        prefix = ("" if single else f"{q.measure}: ") + (f"{text}: " if text else "")
        error.args = ((prefix + error.args[0]),)
        raise


def _fitting(q: GateQuestion) -> tuple[Analysis, Claims, str, ScoreTable]:
    """Return the analysis that fits the scores of both algorithms, its target, why, and its table.

    Where domains are the units, the table is that of their means.
    """
    choice = choose(q.scores, q.measure, q.target, rescale=False)  # tolerances have a unit
    analysis, reason = choice.analysis, choice.reason
    if choice.rule == "right or wrong" and analysis == "permutation":
        analysis, reason = "mixed", _RATES
    if analysis not in ANALYSES:
        raise DesignError(
            f"there is no error to judge a difference in {q.measure} by: {reason}.",
            hint="scores on more data sets, or more replications on each.",
        )
    of_these = choice.options.get("target") == "datasets"
    table = q.scores.domain_means(q.measure) if choice.units == "domains" else q.scores
    return analysis, "datasets" if of_these else q.target, reason, table


def _shares_solved(
    questions: Sequence[GateQuestion], by: By, pairs: Sequence[_Pair]
) -> tuple[dict[str, tuple[OneSided, str]], list[str]]:
    """Return tests of the shares solved of measures with a limit, and notes on those not tested."""
    tested: dict[str, tuple[OneSided, str]] = {}
    notes: list[str] = []
    for q, pair in zip(questions, pairs, strict=True):
        stopped = pair.scores.stopped_runs(q.measure)
        if stopped is None or not stopped.stopped.any():
            continue
        solved = pair.scores.solved(q.measure)
        share = replace(pair, scores=solved, all_scores=solved)
        question = replace(q, scores=solved, measure="solved")
        if (stopped.cells[:, 0] == stopped.cells[:, 1]).all():
            notes.append(f"{q.measure}: both have the same share solved on each data set.")
            continue
        # Signed ranks are exact however few runs are stopped.
        exact = by == "auto" and len(stopped.n) > 1
        ways: tuple[By, ...] = ("permutation", "auto") if exact else (by,)
        why = ""
        for way in ways:
            try:
                evidence, reason = _tested(question, way, share, single=True)
            except DesignError as error:
                why = str(error).splitlines()[0]
                continue
            if way == "permutation" and exact:
                reason = "signed ranks are exact however few runs are stopped"
            tested[q.measure] = evidence, reason
            break
        else:
            notes.append(f"the share solved of {q.measure} is not tested: {why}")
    return tested, notes


def _judged(
    questions: Sequence[GateQuestion],
    pairs: Sequence[_Pair],
    tested: Sequence[tuple[OneSided, str]],
    shares: Mapping[str, tuple[OneSided, str]],
    want: Want,
    alpha: float,
) -> dict[str, GatedMeasure]:
    """Return the verdict on each measure."""
    every = [evidence for evidence, _ in (*tested, *shares.values())]
    adjusted = multiplicity.holm(np.array([evidence.p_worse for evidence in every])).tolist()
    result: dict[str, GatedMeasure] = {}
    each = zip(questions, pairs, tested, adjusted, strict=False)
    for q, pair, (evidence, reason), p_fail in each:
        p_pass = evidence.p_better if want == "superior" else evidence.p_not_worse
        verdict: Outcome = "undecided"
        withheld = p_pass <= alpha and pair.lacking
        if p_pass <= alpha and not withheld:
            verdict = "pass"
        elif p_fail <= alpha:
            verdict = "fail"
        row = GatedMeasure(
            evidence.comparison,
            reason,
            evidence.estimate,
            evidence.low,
            evidence.high,
            p_pass,
            p_fail,
            evidence.p_worse,
            verdict,
            missing=pair.missing,
            counted=pair.counted,
            withheld=withheld,
        )
        need = need_of(q, row, want) if verdict == "undecided" else None
        result[q.measure] = replace(row, need=need)
    both = {q.measure: pair for q, pair in zip(questions, pairs, strict=True)}
    solved = zip(shares.items(), adjusted[len(tested) :], strict=True)
    for (name, (evidence, reason)), p_fail in solved:
        result[f"solved ({name})"] = GatedMeasure(
            evidence.comparison,
            reason,
            evidence.estimate,
            evidence.low,
            evidence.high,
            1.0,
            p_fail,
            evidence.p_worse,
            "fail" if p_fail <= alpha else "undecided",
            missing=both[name].missing,
            counted=both[name].counted,
            withheld=False,
            fails_only=True,
        )
    return result
