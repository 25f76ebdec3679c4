"""The function `compare_pair`."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Literal

import numpy as np

from benchinfer.analyses.pair import diagnostics, rules
from benchinfer.analyses.pair.bar import name_of, with_bar
from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.analyses.pair.diagnostics import normality
from benchinfer.analyses.pair.numerics import t_tests
from benchinfer.analyses.pair.options import Adjust, PairOptions
from benchinfer.analyses.pair.rules import Test
from benchinfer.analyses.pair.scores import OF_RANKS, Pair, PairedScores, paired_scores
from benchinfer.analyses.pair.tests import (
    PairProcedure,
    estimated,
    other_tests,
    tested,
    without_noise,
    without_spread,
)
from benchinfer.comparison.adjustment import Interval, adjusted, agreeing, level_spent
from benchinfer.comparison.checks.decisions import informed
from benchinfer.comparison.checks.validation import check_missing
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import (
    Evidence,
    Level,
    Setting,
    decide,
    in_agreement,
    tail_of_step,
    with_equivalence,
)
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.arguments import ArgumentError, checked, seed_of
from benchinfer.core.errors import unknown
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes, States
from benchinfer.scores.table import ScoreTable

_RANDOM = ("wilcoxon", "sign", "sign-flip", "parts-t")


def compared(
    setting: Setting,
    data: PairedScores,
    means: Array,
    family: ContrastFamily,
    procedure: PairProcedure,
    options: PairOptions,
    reason: str,
) -> PairComparison:
    """Turn the scores of each pair into verdicts."""
    shown, test = family.wanted, procedure.test
    every_pair = [data.of(int(i), int(j)) for i, j in family.pairs]
    pairs = every_pair[shown]
    of_family, probabilities = _evidence(every_pair, data, procedure, options)
    columns: dict[str, Any] = {f.name: getattr(of_family, f.name) for f in fields(Evidence)}
    selected: dict[str, Any] = {n: v if v is None else v[shown] for n, v in columns.items()}
    evidence = Evidence(**selected)
    probabilities = None if probabilities is None else probabilities[shown]
    zeros = [int((without_noise(pair) == 0).sum()) if test in OF_RANKS else 0 for pair in pairs]
    names = family.named_sides(setting.algorithms)[shown]
    named_pairs = [(*sides, pair) for sides, pair in zip(names, pairs, strict=True)]
    codes = _codes(test, evidence, probabilities, options.alpha)
    level, ranks = data.level(test, means, setting.measure), data.ranks()
    levels = Level.of_pairs(level, family.pairs, of_family.estimate, codes, ranks, units=True)
    result = PairComparison(
        setting=setting,
        pairs=ComparedPairs.of(
            family,
            setting,
            codes,
            levels,
            directed=options.directed,
            undirected=("statistic",) if test == "5x2cv-f" else (),
        ),
        level=options.level,
        target="datasets",
        levels=levels,
        stored_checks=(),
        provenance=options.provenance(
            setting.digest,
            rules.adjustment(test, options, family),
            procedure.seed if test in _RANDOM else None,
        ),
        evidence=evidence,
        test=test,
        reason=reason,
        n=np.array([len(pair.first) for pair in pairs], np.float64),
        zeros=np.array(zeros, np.int64),
        probabilities=probabilities,
        looks=tuple(
            normality(
                # Of what the test takes the mean of.
                t_tests.split(pair.differences, procedure.n_parts, procedure.seed)[0]
                if test == "parts-t"
                else pair.differences
            )
            for pair in pairs
            if data.paired
        ),
        others=other_tests(named_pairs, data, procedure),
    )
    result = replace(result, stored_checks=diagnostics.checks(result, data, family, pairs))
    return informed(result) if result._bayesian else result


def _flat(
    setting: Setting, data: PairedScores, family: ContrastFamily, procedure: PairProcedure
) -> list[tuple[str, str]]:
    """Return the names of the pairs whose test has no error, though they differ."""
    return [
        (setting.algorithms[i], setting.algorithms[j])
        for i, j in family.pairs.tolist()
        if without_spread(data.of(i, j), data, procedure)
    ]


def _evidence(
    pairs: list[Pair], data: PairedScores, procedure: PairProcedure, options: PairOptions
) -> tuple[Evidence, Array | None]:
    """Return the adjusted evidence of all pairs, and posterior probabilities where it is these."""
    margin, probabilities, adjust = procedure.margin, None, options.adjust
    if procedure.test == "bayes-t":
        estimates = [estimated(pair, data, procedure) for pair in pairs]
        rows = [t_tests.t_test(one, 0, margin, procedure.tail) for one in estimates]
        probabilities = np.array([t_tests.posterior(one, margin) for one in estimates])
    else:
        rows = [tested(pair, data, procedure) for pair in pairs]
    column = {
        f.name: np.array([getattr(row, f.name) for row in rows], np.float64)
        for f in fields(t_tests.DifferenceTest)
    }
    not_worse = adjusted(adjust, column["noninferiority"])
    equivalence = adjusted(adjust, column["equivalence"])
    spent = level_spent(adjust, len(pairs), options.interval) if probabilities is None else 0.0
    p, ends = np.minimum(adjusted(adjust, column["p"], spent), 1.0), (column["low"], column["high"])
    if probabilities is None and agreeing(adjust, len(pairs), options.interval):
        sign = _direction(procedure.test, column["estimate"], column["statistic"])
        ends = in_agreement(*ends, sign, p <= options.alpha)

    def within(at: Codes, tails: Array) -> tuple[Array, Array]:
        rows = [
            tested(pairs[i], data, replace(procedure, tail=tail, side=0))
            for i, tail in zip(at.tolist(), tails.tolist(), strict=True)
        ]
        return np.array([row.low for row in rows]), np.array([row.high for row in rows])

    evidence = Evidence(
        estimate=column["estimate"],
        std_error=column["std_error"],
        df=column["df"],
        statistic=column["statistic"],
        p_value=p,
        p_raw=column["p"],
        p_equivalence=equivalence,
        low=ends[0],
        high=ends[1],
        p_noninferiority=not_worse if procedure.side and margin else None,
    )
    if probabilities is not None:  # a posterior has the probability of equivalence
        return evidence, probabilities
    tail = tail_of_step(column["equivalence"], equivalence, options.alpha)
    return with_equivalence(evidence, tail, options.alpha, margin, within), None


def _codes(test: str, evidence: Evidence, probabilities: Array | None, alpha: float) -> States:
    """Return the verdicts."""
    if probabilities is not None:
        # Without a spread there is no error to judge by.
        decided = (probabilities >= 1 - alpha) & (evidence.std_error > 0)[:, None]
        kinds = [Verdict.FIRST, Verdict.EQUIVALENT, Verdict.SECOND]
        return np.select(list(decided.T), kinds, Verdict.UNDECIDED).astype(np.int8)
    direction = _direction(test, evidence.estimate, evidence.statistic)
    return decide(direction, evidence.p_value, evidence.p_equivalence, alpha)


def _direction(test: str, estimate: Array, statistic: Array) -> Array:
    """Return (P,) numbers whose sign is that of the verdicts.

    F has no direction; of ranks the statistic has, which need not be that of the means.
    """
    return estimate if test == "5x2cv-f" else statistic


def _of_pair(scores: ScoreTable, pair: tuple[str, str]) -> ScoreTable:
    """Return the scores of two algorithms; raise an ArgumentError where one has none."""
    if strange := [name for name in pair if name not in scores.algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], scores.algorithms))
    return scores.subset(algorithms=list(pair))


def _with_number(bar: int, k: int) -> ContrastFamily:
    """Return the contrasts of each of the other columns with that of a number."""
    others = np.array([i for i in range(k) if i != bar], np.int64)
    index = np.column_stack([others, np.full(len(others), bar)])
    matrix = np.eye(k)[others] - np.eye(k)[bar]
    return ContrastFamily(index, matrix, "comparisons with the number")


@checked
def compare_pair(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    test: Literal["auto"] | Test = "auto",
    dataset: str | None = None,
    pair: tuple[str, str] | None = None,
    control: str | None = None,
    baseline: float | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "auto",
    interval: Interval = "compatible",
    level: float = 0.95,
    parts: int | None = None,
    missing: Literal["use", "error"] = "use",
    seed: int | None = 1,
) -> PairComparison:
    """Compare two algorithms on one data set by a test that fits how scores came about.

    Parameters
    ----------
    scores
        The table; `per_dataset` compares on each of several data sets.
    measure
        Name of the measure; may be omitted where there is one.
    test
        Test: ``"t"``, ``"welch"``, ``"corrected-t"``, ``"5x2cv-t"``, ``"5x2cv-f"``,
        ``"wilcoxon"``, ``"sign"``, ``"sign-flip"``, ``"bayes-t"``, ``"mcnemar"``,
        ``"mcnemar-midp"``, ``"mcnemar-chi2"``, ``"mcnemar-score"``, ``"paired-rates"``,
        ``"independent-rates"``, ``"parts-t"`` or ``"binomial"``. ``"auto"``: by how scores came
        about.

        ``"auto"`` is the corrected t-test for folds and hold-out, McNemar's exact test for outcomes
        that are 0 or 1 on shared items, an exact test of independent rates where each algorithm has
        items of its own, Welch's test where algorithms do not share other replications, else the
        paired t-test. ``"corrected-t"`` is Nadeau and Bengio's, ``"5x2cv-t"``
        Dietterich's, ``"5x2cv-f"`` Alpaydin's, ``"bayes-t"`` Corani and Benavoli's (verdicts rest
        on posterior probabilities). ``"mcnemar"`` is exact, ``"mcnemar-chi2"``
        continuity-corrected, ``"mcnemar-score"`` not, with Tango's interval. ``"parts-t"`` is the
        paired t-test on means of parts of the test set. A test that does not fit how scores came
        about is refused.
    dataset
        The data set to compare on; may be omitted where there is one.
    pair
        The two algorithms, first and second; by default all pairs.
    control
        Algorithm that each other one is compared with, or ``"best"``: the one with the best
        estimate.
    baseline
        A number that each algorithm is compared with, in place of another algorithm: its scores are
        one sample. By the t test, right and wrong answers by the exact binomial test, or as `test`
        says.
    margin
        Difference that does not matter, for equivalence and non-inferiority; by default the
        measure's tolerance.

        It is fixed before the scores are seen. Equivalence is shown by two one-sided tests,
        non-inferiority with a one-sided alternative. Where the tolerance is 0, too, neither is
        tested.
    alternative
        As in `compare_mixed`.
    adjust
        Adjustment for several pairs: ``"holm"``, as ``"auto"`` is, ``"bonferroni"``,
        ``"hochberg"``, ``"hommel"`` or ``"none"``; with a control also ``"bh"`` or ``"by"``, which
        keep the false discovery rate, as in `compare_mixed`.
    interval
        As in `compare_mixed`.
    level
        Confidence of the family of pairs, or posterior probability that decides a pair.
    parts
        Number of parts for ``test="parts-t"``; by default parts grow until their differences look
        normal.
    missing
        Cells that lack scores: ``"use"`` the replications that both have, or ``"error"``.
    seed
        As in `compare_bootstrap`.

        Of random signs where there are too many to count, and of the split into parts.

    Returns
    -------
    PairComparison
        With `PairComparison.tests`, what other tests give, and `PairComparison.normality`.

    Raises
    ------
    DesignError
        The test does not fit how scores came about; the hint names one that does.

    References
    ----------
    Dietterich (1998), https://doi.org/10.1162/089976698300017197

    Examples
    --------
    >>> import pandas as pd
    >>> import benchinfer as bi
    >>> folds = pd.DataFrame(
    ...     {"svm": [0.82, 0.85, 0.79, 0.84, 0.83], "knn": [0.80, 0.81, 0.78, 0.80, 0.82]}
    ... ).rename_axis("fold").reset_index()
    >>> scores = bi.read_scores(
    ...     folds, measures="accuracy:higher", layout="wide-algorithms",
    ...     resampling=bi.Resampling("cv", folds=5),
    ... )
    >>> found = bi.compare_pair(scores, pair=("svm", "knn"))
    >>> found.test, found.contrasts()["p_value"].round(4).tolist(), str(found.relation())
    ('corrected-t', [0.0777], 'svm ? knn')
    """
    options = PairOptions.from_call(locals(), adjust="holm" if adjust == "auto" else adjust)
    seed = seed_of(seed)
    if dataset is not None:
        scores = scores.subset(datasets=dataset)
    if pair is not None:
        scores = _of_pair(scores, pair)
    if baseline is not None:
        scores = with_bar(scores, measure, baseline)
    setting, scores = Setting.of(scores, measure)
    options = replace(options, measure=setting.measure.name)
    if baseline is None:
        options.check_family(setting.algorithms)
    check_missing(setting, missing)
    if margin is not None:
        setting = replace(setting, measure=replace(setting.measure, tolerance=margin))
    number = None if baseline is None else name_of(baseline)
    data = paired_scores(scores, setting, number)
    resolved, reason = rules.resolve(test, data)
    means = scores.cells(setting.measure.name).mean[0]

    def compare(family: ContrastFamily) -> PairComparison:
        n_pairs = len(family.pairs)
        procedure = PairProcedure.of(resolved, options, setting.measure.margin, n_pairs, seed)
        flat = _flat(setting, data, family, procedure)
        answer, why = rules.without_error(resolved, data)
        if flat and test == "auto" and answer:
            answering = replace(procedure, test=answer)
            return compared(setting, data, means, family, answering, options, why)
        rules.refuse_without_spread(resolved, data, flat)
        return compared(setting, data, means, family, procedure, options, reason)

    if number is not None:
        bar = setting.algorithms.index(number)
        return compare(_with_number(bar, len(setting.algorithms)))
    if options.pair is None:
        return options.compared(setting.algorithms, means, compare)
    index = np.array([[setting.algorithms.index(name) for name in options.pair]], np.int64)
    matrix = np.eye(2)[index[:, 0]] - np.eye(2)[index[:, 1]]
    return compare(ContrastFamily(index, matrix, "the one pair"))
