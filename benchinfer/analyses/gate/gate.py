"""The function `gate`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchinfer.analyses.choice.choice import choose
from benchinfer.analyses.gate.bar import against_bar
from benchinfer.analyses.gate.harm import Harm, harm
from benchinfer.analyses.gate.levels import of_levels
from benchinfer.analyses.gate.missing import FAILED_WORDS, Missing, filled, missing, scored
from benchinfer.analyses.gate.needs import LOOK, need_of, need_of_runs
from benchinfer.analyses.gate.one_sided import (
    ANALYSES,
    Analysis,
    GateQuestion,
    OneSided,
    untested,
)
from benchinfer.analyses.gate.result import Gate, GatedMeasure, Need, Want
from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.comparison.checks.run_means import of_runs, run_means
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import alpha_of, as_table
from benchinfer.core.arguments import ArgumentError, checked, names_of
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import sentence
from benchinfer.numerics import multiplicity
from benchinfer.scores.checks.facts import least_flips
from benchinfer.scores.checks.kinds import zero_one
from benchinfer.scores.declaration import Failed, check_failed, stand_in
from benchinfer.scores.read import LEFT_OUT
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.sources.runs import CONTEXTS
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    from benchinfer.analyses.gate.result import Outcome

type By = Literal["auto", "mixed", "pair", "permutation"]
# Signed ranks are blind to how much rates differ.
_RATES = "scores are 0 or 1 on several data sets, whose rates are compared"
_CONSTANT = "the difference is the same on all data sets, so that signs tell"
_MEAN = "a gate is about harm on average"


@checked
def gate(
    scores: ScoreTable,
    measure: str | Sequence[str] | None = None,
    *,
    baseline: str | float,
    candidate: str,
    want: Want = "noninferior",
    by_more_than: float = 0.0,
    by: By = "auto",
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    unit: Literal["run", "case"] = "run",
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
        Algorithm that is in place. Of a table with factors it may be a level, as in ``"aug=none"``,
        on average over all cells of the other factors.

        A number is a bar: the scores of the candidate on one data set are one sample that is
        compared with it, by the t test, of right and wrong answers by the exact binomial test, or
        with ``by="permutation"`` by signed ranks.
    candidate
        Algorithm that is to take its place, or another level of the same factor.
    want
        Aim on each measure: that the candidate is not worse by the tolerance or more
        (``"noninferior"``), or that it is better (``"superior"``).

        The tolerance is that of the measure. Without one, not worse means better.
    by_more_than
        Difference in the unit of the measure, of a ratio as a share, that a candidate which is to
        be better has to exceed: with 0.005 the difference must be shown to be larger than that. It
        needs ``want="superior"`` and one measure.
    by
        Analysis of the two algorithms: ``"mixed"``, ``"pair"`` (one data set), ``"permutation"``
        (signed ranks; of units of unequal size signs of their sums), or ``"auto"``: the one that
        fits the table.

        With ``"auto"`` it is a test of the mean, which a few data sets that the candidate fails on
        move, whatever the ties and tails. Signed ranks test a typical difference; of scores that
        are 0 or 1, or have a limit, this is not the difference that is shown, and they are refused.
    target
        As in `compare_mixed`.

        A pair is compared on one data set, and claims are about that one.
    level
        Confidence level of the gate, above 0.5.
    unit
        Of tools that time programs, what claims are drawn from: ``"run"``, as the cases of a run
        share the state of a machine, so that one run of each side decides nothing; or ``"case"``,
        where the cases are a sample of programs on machines that do not differ.
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

    Neither is said where the mean and the typical difference of the data sets (the median of the
    means of all pairs of them) lie on different sides of the tolerance: a few data sets then make
    the mean, and `Gate.headline` names them. A pass also needs a bound that excludes what it
    excludes.

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
    >>> checked = gate(scores, baseline="alg1", candidate="alg2")
    >>> checked.verdict, round(checked["score"].p_pass, 4)
    ('pass', 0.0309)
    """
    if not 0.5 < level < 1:
        raise ArgumentError(f"level is {level!r}.", hint="between 0.5 and 1, as in 0.95.")
    scores = _of_cases(as_table(scores)) if unit == "case" else as_table(scores)
    names = _measures(scores, measure)
    _check_margin(by_more_than, want, names)
    bar = None if isinstance(baseline, str) else baseline
    if not isinstance(baseline, str):
        _check_by(by)
        scores, baseline = against_bar(scores, names, candidate, baseline)
    scores = of_levels(scores, baseline, candidate, names) if scores.factors else scores
    _check_sides(scores, baseline, candidate)
    check_failed(failed, words=FAILED_WORDS)
    failed = stand_in(failed, scores.algorithms, words=FAILED_WORDS)
    pairs = [_pair(scores, scores.measure(name), (baseline, candidate), failed) for name in names]
    questions = [
        GateQuestion(
            pair.scores,
            name,
            baseline,
            candidate,
            target,
            level,
            ahead=replace(pair.scores.measure(name), tolerance=by_more_than).margin,
            bar=bar,
        )
        for name, pair in zip(names, pairs, strict=True)
    ]
    for q in questions:
        _check_shown(q, by)
    tested = [
        _tested(q, by, pair, single=len(names) == 1)
        for q, pair in zip(questions, pairs, strict=True)
    ]
    shares, notes = _shares_solved(questions, by, pairs)
    notes += _notes(scores, names)
    result = Gate(
        baseline=baseline,
        candidate=candidate,
        want=want,
        level=level,
        on_undecided=on_undecided,
        measures=_judged(questions, pairs, tested, shares, want, alpha_of(level)),
        notes=tuple(notes),
        by_more_than=by_more_than,
    )
    if not _paired_by_label(scores):
        return result
    apart = replace(scores, paired=False)
    return _beside_unpaired(result, apart, names, by=by, target=target, failed=failed)


def _check_by(by: By) -> None:
    """Raise an ArgumentError for an analysis that takes no number as the baseline."""
    if by == "mixed":
        raise ArgumentError(
            "a mixed model takes no number as the baseline.", hint='by="pair" is the t test.'
        )


def _beside_unpaired(result: Gate, apart: ScoreTable, names: Sequence[str], **options: Any) -> Gate:
    """Return a gate with the verdict on scores that are not paired, where there is one."""
    try:
        other = gate(
            apart,
            names,
            baseline=result.baseline,
            candidate=result.candidate,
            want=result.want,
            by_more_than=result.by_more_than,
            level=result.level,
            **options,
        )
    except DesignError:
        return result
    return replace(result, unpaired=other.verdict)


def _measures(scores: ScoreTable, measure: str | Sequence[str] | None) -> list[str]:
    """Return the names of the measures that are judged, each once."""
    names = [m.name for m in scores.measures] if measure is None else list(names_of(measure))
    if len(set(names)) < len(names) or not names:
        raise ArgumentError(f"measures are {', '.join(names) or 'none'}.", hint="name each once.")
    return names


def _check_margin(by_more_than: float, want: Want, names: Sequence[str]) -> None:
    """Raise an ArgumentError for a difference to exceed that is none, or of several measures."""
    if not 0 <= by_more_than < math.inf:
        raise ArgumentError(
            f"by_more_than is {by_more_than!r}.", hint="a difference of 0 or more, as in 0.005."
        )
    if by_more_than and want != "superior":
        raise ArgumentError(
            f"by_more_than={by_more_than!r} is about a candidate that is to be better.",
            hint='it goes with want="superior".',
        )
    if by_more_than and len(names) > 1:
        raise ArgumentError(
            f"by_more_than={by_more_than!r} has one unit, and measures are {', '.join(names)}.",
            hint=f"judge one of them, as in measure={names[0]!r}.",
        )


def _check_sides(scores: ScoreTable, baseline: str, candidate: str) -> None:
    """Raise an ArgumentError unless both sides are algorithms of the table, and not the same."""
    for role, name in (("baseline", baseline), ("candidate", candidate)):
        if name not in {*scores.algorithms, *scores.failures()["algorithm"]}:
            raise ArgumentError(unknown(role, name, scores.algorithms))
    if baseline == candidate:
        raise ArgumentError(
            f"{baseline!r} is baseline and candidate.", hint="name two different algorithms."
        )


def _of_cases(scores: ScoreTable) -> ScoreTable:
    """Return the table whose cases are a sample, not of runs that share the state of a machine."""
    if not of_runs(scores):
        return scores
    return replace(scores, resampling=Resampling("independent", paired=False))


def _paired_by_label(scores: ScoreTable) -> bool:
    """Return whether replications of one data set are paired as their labels agree, undeclared."""
    if len(scores.datasets) > 1 or not scores.paired:
        return False
    return any(finding.rule == "pairing" and finding.hint for finding in scores.finding_records)


def _notes(scores: ScoreTable, names: Sequence[str]) -> list[str]:
    """Return sentences on what is not judged, and on what differs between the runs of the sides."""
    notes: list[str] = []
    for finding in scores.finding_records:
        if finding.rule == CONTEXTS:
            notes.append(f"{finding.what} {sentence(finding.hint)}")
        elif finding.rule in {LEFT_OUT, "unused columns"}:
            notes.append(finding.what)
    if unused := [m.name for m in scores.measures if m.name not in names]:
        notes.append(f"measures not judged: {', '.join(unused)}.")
    return notes


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


@dataclass(frozen=True, slots=True)
class _Tested:
    """Evidence on one measure, why by this analysis, and the harm by data set, if there is one."""

    question: GateQuestion
    evidence: OneSided
    reason: str
    harm: Harm | None = None
    runs: tuple[int, int] | None = None


def _tested(q: GateQuestion, by: By, pair: _Pair, *, single: bool) -> _Tested:
    """Test one measure."""
    try:
        if of_runs(q.scores):
            return _by_runs(q, by)
        if by != "auto":
            return _Tested(q, ANALYSES[by](q), "it was asked for", _harm(q, q.scores))
        return _by_the_mean(q)
    except DesignError as error:
        if pair.lacking:
            with suppress(DesignError):
                described = ANALYSES["mixed"](replace(q, scores=pair.all_scores))
                nothing = OneSided(
                    described.comparison, described.estimate, -math.inf, math.inf, 1.0, 1.0, 1.0
                )
                return _Tested(q, nothing, str(error))
        text = pair.missing.text
        prefix = ("" if single else f"{q.measure}: ") + (f"{text}: " if text else "")
        error.args = ((prefix + error.args[0]),)
        raise


def _check_shown(q: GateQuestion, by: By) -> None:
    """Raise a DesignError for signed ranks of scores whose typical difference says nothing."""
    if by != "permutation" or q.on == "values":
        return
    if zero_one(q.scores.facts(q.measure).summary, 0):
        what = "are 0 or 1"
    elif q.scores.measure(q.measure).limit is not None:
        what = "have a limit"
    else:
        return
    raise DesignError(
        f"the scores of {q.measure} {what}, and signed ranks would test another difference than"
        " that of the means, which is shown.",
        hint='by="auto" tests the means.',
    )


def _harm(q: GateQuestion, table: ScoreTable) -> Harm | None:
    """Return the harm by data set of a table, or by domain where its data sets are domains."""
    unit = "data set" if table is q.scores else "domain"
    return harm(table, q.measure, q.baseline, q.candidate, unit)


def _by_the_mean(q: GateQuestion) -> _Tested:
    """Test the mean: of data sets or domains by the mixed model, on one data set by its test.

    Where all data sets have the same difference there is no error to judge the mean by, and it is
    the typical difference, too: signs tell.
    """
    if q.bar is not None:
        one = ANALYSES["pair"](q)
        reason = one.comparison.reason if isinstance(one.comparison, PairComparison) else ""
        return _Tested(q, one, reason, _harm(q, q.scores))
    choice = choose(q.scores, q.measure, q.target, rescale=False)  # tolerances have a unit
    of_these = choice.options.get("target") == "datasets"
    table = q.scores.domain_means(q.measure) if choice.units == "domains" else q.scores
    domains = "separate" if choice.units == "within domains" else "pooled"
    target = "datasets" if of_these else q.target
    question = replace(q, scores=table, target=target, domains=domains)
    by_dataset = _harm(q, table)
    if by_dataset is not None and by_dataset.constant and by_dataset.n_datasets >= least_flips(2):
        return _Tested(q, ANALYSES["permutation"](question), _CONSTANT, by_dataset)
    rates = choice.rule == "right or wrong"
    analyses: dict[str, tuple[Analysis, str]] = {
        "mixed": ("mixed", choice.reason),
        "pair": ("pair", choice.reason),
        "permutation": ("mixed", _RATES if rates else f"{_MEAN}, though {choice.reason}"),
    }
    if choice.analysis not in analyses:
        raise DesignError(
            f"there is no error to judge a difference in {q.measure} by: {choice.reason}.",
            hint="scores on more data sets, or more replications on each.",
        )
    analysis, reason = analyses[choice.analysis]
    return _Tested(q, ANALYSES[analysis](question), reason, by_dataset)


def _by_runs(q: GateQuestion, by: By) -> _Tested:
    """Test the means of runs over their cases; a single run of a side leaves no error."""
    cases = harm(q.scores, q.measure, q.baseline, q.candidate, "case")
    means = replace(q, scores=run_means(q.scores, q.measure), target="auto")
    counts = means.scores.coverage(q.measure)
    n = dict(zip(counts.algorithms, counts.counts[0].tolist(), strict=True))
    runs = n[q.baseline], n[q.candidate]
    if min(runs) < 2:
        return _Tested(means, untested(means), "there is one run of a side", cases, runs)
    if by == "auto":
        of_runs = replace(_by_the_mean(means), question=means)
    else:
        of_runs = _Tested(means, ANALYSES[by](means), "it was asked for")
    why = "the cases of a run share the state of a machine, so that runs are the units"
    return replace(of_runs, reason=f"{why}, and {of_runs.reason}", harm=cases, runs=runs)


def _shares_solved(
    questions: Sequence[GateQuestion], by: By, pairs: Sequence[_Pair]
) -> tuple[dict[str, _Tested], list[str]]:
    """Return tests of the shares solved of measures with a limit, and notes on those not tested."""
    tested: dict[str, _Tested] = {}
    notes: list[str] = []
    for q, pair in zip(questions, pairs, strict=True):
        stopped = pair.scores.runs(q.measure).stopped()
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
                one = _tested(question, way, share, single=True)
            except DesignError as error:
                why = str(error).splitlines()[0]
                continue
            if way == "permutation" and exact:
                reason = "signed ranks are exact however few runs are stopped"
                one = replace(one, reason=reason)
            tested[q.measure] = one
            break
        else:
            notes.append(f"the share solved of {q.measure} is not tested: {why}")
    return tested, notes


def _need(one: _Tested, row: GatedMeasure, want: Want) -> Need:
    """Return what would decide an undecided measure."""
    if row.few_runs:
        return need_of_runs(one.question, row)
    return LOOK if row.split else need_of(one.question, row, want)


def _judged(
    questions: Sequence[GateQuestion],
    pairs: Sequence[_Pair],
    tested: Sequence[_Tested],
    shares: Mapping[str, _Tested],
    want: Want,
    alpha: float,
) -> dict[str, GatedMeasure]:
    """Return the verdict on each measure, with p-values of a fail by Holm's steps over all."""
    every = [each.evidence for each in (*tested, *shares.values())]
    adjusted = multiplicity.holm(np.array([evidence.p_worse for evidence in every])).tolist()
    result: dict[str, GatedMeasure] = {}
    for q, pair, one, p_fail in zip(questions, pairs, tested, adjusted, strict=False):
        row = _difference(one, pair, want, p_fail, alpha)
        undecided = row.verdict == "undecided"
        result[q.measure] = replace(row, need=_need(one, row, want)) if undecided else row
    both = {q.measure: pair for q, pair in zip(questions, pairs, strict=True)}
    for (name, one), p_fail in zip(shares.items(), adjusted[len(tested) :], strict=True):
        result[f"solved ({name})"] = _share_solved(one, both[name], p_fail, alpha)
    return result


def _difference(one: _Tested, pair: _Pair, want: Want, p_fail: float, alpha: float) -> GatedMeasure:
    """Return the verdict on the difference of the two algorithms in a measure."""
    evidence, margin = one.evidence, one.evidence.comparison.measure.margin
    limit = one.question.ahead if want == "superior" else -margin
    p_pass = evidence.p_better if want == "superior" else evidence.p_not_worse
    # What is shown decides: no bound that includes the limit goes with a pass.
    shown = p_pass <= alpha and evidence.low >= limit
    split = one.harm is not None and (one.harm.split(limit) or one.harm.split(-margin))
    verdict: Outcome = "undecided"
    if shown and not split and not pair.lacking:
        verdict = "pass"
    elif p_fail <= alpha and not split:
        verdict = "fail"
    return GatedMeasure(
        evidence.comparison,
        one.reason,
        evidence.estimate,
        evidence.low,
        evidence.high,
        p_pass,
        p_fail,
        evidence.p_worse,
        verdict,
        missing=pair.missing,
        counted=pair.counted,
        withheld=shown and not split and pair.lacking,
        split=split,
        harm=one.harm,
        runs=one.runs,
    )


def _share_solved(one: _Tested, pair: _Pair, p_fail: float, alpha: float) -> GatedMeasure:
    """Return the verdict on the share solved, which fails or is undecided."""
    evidence = one.evidence
    return GatedMeasure(
        evidence.comparison,
        one.reason,
        evidence.estimate,
        evidence.low,
        evidence.high,
        1.0,
        p_fail,
        evidence.p_worse,
        "fail" if p_fail <= alpha else "undecided",
        missing=pair.missing,
        counted=pair.counted,
        withheld=False,
        fails_only=True,
    )
