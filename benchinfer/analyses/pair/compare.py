"""The function `compare_pair`."""

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from benchinfer.analyses.pair import diagnostics, rules
from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.analyses.pair.diagnostics import normality
from benchinfer.analyses.pair.numerics import t_tests
from benchinfer.analyses.pair.options import Adjust, PairOptions
from benchinfer.analyses.pair.rules import Test
from benchinfer.analyses.pair.scores import Clusters, Pair, PairedScores, paired_scores
from benchinfer.analyses.pair.tests import PairProcedure, beside, located, tested
from benchinfer.comparison import stepwise
from benchinfer.comparison import stepwise as comparison_stepwise
from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.checks import check_missing, informed
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import (
    Array,
    Evidence,
    Level,
    Setting,
    decide,
)
from benchinfer.core.arguments import ArgumentError, seed_of
from benchinfer.core.errors import unknown
from benchinfer.core.verdict import Verdict
from benchinfer.scores.table import ScoreTable

_SIDES: dict[Alternative, int] = {"two-sided": 0, "better": 1, "worse": -1}
_RANDOM = ("wilcoxon", "sign", "sign-flip", "parts-t")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Options that are resolved before scores are looked at.

    Attributes
    ----------
    test, reason
        The test, and why it was taken.
    adjust, alternative, alpha
        As in `compare_pair`; alpha is one minus the level.
    n_parts, seed
        Of the split of items, and of random numbers.
    """

    test: Test
    reason: str
    adjust: str
    alternative: Alternative
    alpha: float
    n_parts: int | None
    seed: int

    def question(self, n: int, margin: float) -> PairProcedure:
        """Return the options of each of n pairs."""
        side = _SIDES[self.alternative]
        n = 1 if self.adjust == "none" or self.test == "bayes-t" else n
        tail = self.alpha / n if side else sidak(self.alpha, n) / 2
        return PairProcedure(side, margin, tail, self.n_parts, self.seed)


def compared(
    setting: Setting,
    data: PairedScores,
    means: Array,
    family: ContrastFamily,
    chosen: Chosen,
    options: PairOptions,
) -> PairComparison:
    """Turn the scores of each pair into verdicts."""
    shown = family.wanted
    pairs = [data.of(int(i), int(j)) for i, j in family.pairs]
    asked = chosen.question(len(pairs), setting.measure.margin)
    test = chosen.test
    evidence, probabilities = _evidence(pairs, data, asked, chosen)
    wanted = pairs[shown]
    looks = tuple(map(_look(test, asked), wanted)) if data.paired else ()
    named = family.named_sides(setting.algorithms)[shown]
    levels = Level.of_pairs(means, family.pairs, evidence.estimate, rules.LEVELS.get(test, ""))
    sides = family.read_sides(setting.algorithms, levels.estimate, chosen.alternative)
    mine = _of_wanted(evidence, shown)
    probabilities = None if probabilities is None else probabilities[shown]
    side = asked.side
    stepwise = comparison_stepwise.stepwise(chosen.adjust, len(pairs))
    result = PairComparison(
        setting=setting,
        pairs=family.pairs[shown],
        codes=_codes(test, mine, probabilities, chosen.alpha),
        level=options.level,
        target="datasets",
        levels=levels,
        stored_checks=(
            *diagnostics.checks(setting, data, test, mine, looks, chosen.alpha),
            *diagnostics.decisions(test, wanted, sides, mine, chosen.alpha, stepwise=stepwise),
        ),
        provenance=options.provenance(
            setting.digest,
            rules.adjustment(test, chosen.adjust, family.words, len(pairs), side=side),
            chosen.seed if test in _RANDOM else None,
        ),
        evidence=mine,
        test=test,
        reason=chosen.reason,
        n=np.array([len(pair.first) for pair in wanted], np.float64),
        zeros=diagnostics.left_out(test, wanted),
        clusters=0 if data.cluster is None else len(np.unique(data.cluster)),
        probabilities=probabilities,
        looks=looks,
        others=beside(
            [(*name, pair) for name, pair in zip(named, wanted, strict=True)], data, asked, test
        ),
    )
    return informed(result) if result.bayesian else result


def _of_wanted(e: Evidence, shown: slice) -> Evidence:
    given: dict[str, Array | None] = {f.name: getattr(e, f.name) for f in fields(Evidence)}
    kept: dict[str, Any] = {n: v if v is None else v[shown] for n, v in given.items()}
    return Evidence(**kept)


def _evidence(
    pairs: list[Pair], data: PairedScores, asked: PairProcedure, chosen: Chosen
) -> tuple[Evidence, Array | None]:
    """Return the adjusted evidence of all pairs, and posterior probabilities where it is these."""
    test, probabilities = chosen.test, None
    if test == "bayes-t":
        found = [located(test, pair, data, asked) for pair in pairs]
        rows = [t_tests.tested(one, 0, asked.margin, asked.tail) for one in found]
        probabilities = np.array([t_tests.posterior(one, asked.margin) for one in found])
    else:
        rows = [tested(test, pair, data, asked) for pair in pairs]
    column = {
        f.name: np.array([getattr(row, f.name) for row in rows], np.float64)
        for f in fields(t_tests.DifferenceTest)
    }
    not_worse = stepwise.adjusted(chosen.adjust, column["noninferiority"])
    return Evidence(
        estimate=column["estimate"],
        std_error=column["std_error"],
        df=column["df"],
        statistic=column["statistic"],
        p_value=np.minimum(stepwise.adjusted(chosen.adjust, column["p"]), 1.0),
        p_raw=column["p"],
        p_equivalence=stepwise.adjusted(chosen.adjust, column["equivalence"]),
        low=column["low"],
        high=column["high"],
        p_noninferiority=not_worse if asked.side and asked.margin else None,
    ), probabilities


def _codes(test: str, e: Evidence, probabilities: Array | None, alpha: float) -> Any:
    """Return the verdicts."""
    if probabilities is not None:
        # Without a spread there is no error to judge by.
        shown = (probabilities >= 1 - alpha) & (e.std_error > 0)[:, None]
        kinds = [Verdict.FIRST, Verdict.EQUIVALENT, Verdict.SECOND]
        return np.select(list(shown.T), kinds, Verdict.UNDECIDED).astype(np.int8)
    # F has no direction; of ranks the statistic has, which need not be that of the means.
    direction = e.estimate if test == "5x2cv-f" else e.statistic
    return decide(direction, e.p_value, e.p_equivalence, alpha)


def _look(test: str, asked: PairProcedure) -> Any:
    def look(pair: Pair) -> Any:
        d = pair.differences
        if test == "parts-t":
            d = t_tests.split(d, asked.n_parts, asked.seed).means
        elif pair.cluster is not None:
            # Errors come from the clusters: it is their sums that may be normal or not.
            d = t_tests.sums(d, pair.cluster)
        return normality(d)

    return look


def compare_pair(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    test: Literal["auto"] | Test = "auto",
    dataset: str | None = None,
    pair: tuple[str, str] | None = None,
    control: str | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "holm",
    level: float = 0.95,
    clusters: Clusters | None = None,
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
        ``"independent-rates"`` or ``"parts-t"``. ``"auto"``: by how scores came about.

        ``"auto"`` is the corrected t-test for folds and hold-out, McNemar's exact test for outcomes
        that are 0 or 1 on shared items, Welch's test where algorithms do not share replications,
        else the paired t-test. ``"corrected-t"`` is Nadeau and Bengio's, ``"5x2cv-t"``
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
    margin
        Difference that does not matter, for equivalence and non-inferiority; by default the
        measure's tolerance.

        It is fixed before the scores are seen. Equivalence is shown by two one-sided tests,
        non-inferiority with a one-sided alternative. Where the tolerance is 0, too, neither is
        tested.
    alternative
        As in `compare_mixed`.
    adjust
        Adjustment for several pairs: ``"holm"``, ``"bonferroni"``, ``"hochberg"``, ``"hommel"``
        or ``"none"``.

        Intervals are Sidak's (one-sided: Bonferroni's).
    level
        Confidence of the family of pairs, or posterior probability that decides a pair.
    clusters
        Covariate that says which items belong together, as questions on one document; errors are
        then robust to that.

        Or a mapping from replication to cluster. Of outcomes that are 0 or 1 it is the difference
        of rates with an error robust to clusters; ``"sign-flip"`` swaps the labels of whole
        clusters, exact for few of them, too.
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
    options = PairOptions(
        measure=measure,
        test=test,
        dataset=dataset,
        pair=pair,
        control=control,
        margin=margin,
        alternative=alternative,
        adjust=adjust,
        level=level,
        clusters=clusters,
        parts=parts,
        missing=missing,
        seed=seed,
    )
    drawn = seed_of(seed)
    if dataset is not None:
        scores = scores.subset(datasets=dataset)
    if pair is not None:
        scores = _narrowed(scores, pair)
    setting, scores = Setting.of(scores, measure)
    options = replace(options, measure=setting.measure.name)
    options.check_family(setting.algorithms)
    check_missing(setting, missing)
    if margin is not None:
        setting = replace(setting, measure=replace(setting.measure, tolerance=margin))
    data = paired_scores(scores, setting, clusters)
    chosen, reason = rules.resolve(test, data)
    means = scores.cells(setting.measure.name).mean[0]
    asked = Chosen(chosen, reason, adjust, alternative, options.alpha, parts, drawn)

    def compare(family: ContrastFamily) -> PairComparison:
        return compared(setting, data, means, family, asked, options)

    if options.pair is not None:
        return compare(_one_pair(setting.algorithms, options.pair))
    return options.compared(setting.algorithms, means, compare)


def _narrowed(scores: ScoreTable, pair: tuple[str, str]) -> ScoreTable:
    """Keep the two algorithms."""
    if strange := [name for name in pair if name not in scores.algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], scores.algorithms))
    return scores.subset(algorithms=list(pair))


def _one_pair(algorithms: tuple[str, ...], pair: tuple[str, str]) -> ContrastFamily:
    index = np.array([[algorithms.index(name) for name in pair]], np.int64)
    matrix = np.eye(2)[index[:, 0]] - np.eye(2)[index[:, 1]]
    return ContrastFamily(index, matrix, "the one pair")
