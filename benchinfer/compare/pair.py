"""Tests of two algorithms on one data set: each refuses the scores that it is not made for.

References
----------
Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification
learning algorithms. Neural Computation 10, 1895-1923. https://doi.org/10.1162/089976698300017197
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from benchinfer.compare import pair_rules, steps
from benchinfer.compare.adjust import Alternative, check_alternative
from benchinfer.compare.contrasts import Family, check_number, family_of
from benchinfer.compare.designs import check_missing
from benchinfer.compare.evidence import Array, Setting, alpha_of
from benchinfer.compare.pair_compared import Chosen, compared
from benchinfer.compare.pair_comparison import PairComparison
from benchinfer.compare.pair_rules import Test
from benchinfer.compare.paired_scores import Clusters, paired_scores
from benchinfer.drawn import seed_of
from benchinfer.errors import DesignError, message, unknown
from benchinfer.scores import ScoreTable


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
    adjust: steps.Adjust = "holm",
    level: float = 0.95,
    clusters: Clusters | None = None,
    parts: int | None = None,
    missing: Literal["use", "error"] = "use",
    seed: int | None = None,
) -> PairComparison:
    """Compare two algorithms on one data set by a test that fits how scores came about.

    Parameters
    ----------
    scores
        The table; `per_dataset` compares on each of several data sets.
    measure
        Name of the measure; may be omitted where there is one.
    test
        ``"auto"`` goes by the declared resampling: the corrected t-test for folds and hold-out,
        McNemar's exact test for outcomes that are 0 or 1 on shared items, Welch's test where
        algorithms do not share replications, else the paired t-test. By name: ``"t"``,
        ``"welch"``, ``"corrected-t"`` (Nadeau and Bengio), ``"5x2cv-t"`` (Dietterich),
        ``"5x2cv-f"`` (Alpaydin), ``"wilcoxon"``, ``"sign"``, ``"sign-flip"``, ``"bayes-t"``
        (Corani and Benavoli; verdicts rest on posterior probabilities), ``"mcnemar"`` (exact),
        ``"mcnemar-midp"``, ``"mcnemar-chi2"`` (continuity-corrected), ``"mcnemar-score"`` (without,
        with Tango's interval), ``"paired-rates"``, ``"independent-rates"``, ``"parts-t"`` (paired t
        on means of parts of the test set).
    dataset
        The data set to compare on; may be omitted where there is one.
    pair
        The two algorithms: first and second. By default all pairs of the table's algorithms.
    control
        A base model, which each other algorithm is compared with; ``"best"`` for the best one.
    margin
        The difference that does not matter, for equivalence (two one-sided tests) and with a
        one-sided alternative non-inferiority; fixed before the scores are seen. By default the
        measure's tolerance; where that is 0, too, neither is tested.
    alternative
        ``"two-sided"``, or what one-sided tests are to show of first: ``"better"``, ``"worse"``.
    adjust
        For several pairs: ``"holm"``, ``"bonferroni"``, ``"hochberg"``, ``"hommel"``, ``"rom"``,
        ``"finner"``, ``"li"`` or ``"none"``. Intervals are Sidak's (one-sided: Bonferroni's).
    level
        Confidence of the family of pairs, or posterior probability that decides a pair.
    clusters
        Groups of items that are not independent, as questions on one document: the name of a
        covariate, or a mapping from replication to cluster. Errors of the paired t-test are then
        robust to them (of outcomes that are 0 or 1, the difference of rates with an error robust to
        clusters); ``"sign-flip"`` swaps the labels of whole clusters, exact for few of them, too.
    parts
        Number of parts for ``"parts-t"``; by default parts grow until their differences look
        normal.
    missing
        ``"use"`` the replications that both have, or ``"error"`` where a cell lacks some.
    seed
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
    ('corrected-t', [0.0777], 'knn ? svm')
    """
    alpha = alpha_of(level)
    check_alternative(alternative)
    _check_adjust(adjust)
    if dataset is not None:
        scores = scores.subset(datasets=dataset)
    if pair is not None:
        scores = _narrowed(scores, pair, control)
    setting, scores = Setting.of(scores, measure)
    check_number(setting.algorithms, "tukey", control)
    check_missing(setting, missing)
    if margin is not None:
        setting = replace(setting, measure=replace(setting.measure, tolerance=margin))
    data = paired_scores(scores, setting, clusters)
    chosen, reason = pair_rules.resolve(test, data)
    _check_sides(chosen, alternative, margin)
    if parts is not None and chosen != "parts-t":
        raise DesignError(message(f"parts is {parts}.", hint='it goes with test="parts-t".'))
    levels = scores.cells(setting.measure.name).mean[0]
    arguments = {
        "measure": setting.measure.name,
        "test": test,
        "dataset": dataset,
        "pair": pair,
        "control": control,
        "margin": margin,
        "alternative": alternative,
        "adjust": adjust,
        "level": level,
        "clusters": clusters,
        "parts": parts,
        "missing": missing,
        "seed": seed,
    }
    asked = Chosen(chosen, reason, adjust, alternative, alpha, parts, seed_of(seed))
    family = _family(setting.algorithms, pair, control, levels, alternative)
    return compared(setting, data, levels, family, asked, arguments)


def _check_adjust(adjust: str) -> None:
    if adjust not in steps.STEPS:
        raise DesignError(unknown("adjust", adjust, list(steps.STEPS)))


def _narrowed(scores: ScoreTable, pair: tuple[str, str], control: str | None) -> ScoreTable:
    """Keep the two algorithms."""
    if control is not None or len(pair) != 2 or pair[0] == pair[1]:
        raise DesignError(
            message(
                f"pair is {pair!r}, control is {control!r}.",
                hint="pair names two algorithms; control, a base model for all, goes without it.",
            )
        )
    return scores.subset(algorithms=list(pair))


def _check_sides(test: Test, alternative: Alternative, margin: float | None) -> None:
    if test == "5x2cv-f" and (alternative != "two-sided" or margin is not None):
        raise DesignError(
            message(
                "the F-test of 5x2cv has no sides: it shows neither direction nor equivalence.",
                hint='test="5x2cv-t" or test="corrected-t" have.',
            )
        )
    if test == "bayes-t" and alternative != "two-sided":
        raise DesignError(
            message(
                f'alternative={alternative!r} does not go with test="bayes-t".',
                hint="its three posterior probabilities answer both sides at once.",
            )
        )


def _family(
    algorithms: tuple[str, ...],
    pair: tuple[str, str] | None,
    control: str | None,
    levels: Array,
    alternative: Alternative,
) -> Family:
    if pair is not None:
        index = np.array([[algorithms.index(name) for name in pair]], np.int64)
        matrix = np.eye(2)[index[:, 0]] - np.eye(2)[index[:, 1]]
        return Family(index, matrix, "the one pair")
    contrasts = "tukey" if control is None else "dunnett"
    directed = alternative != "two-sided"
    return family_of(algorithms, contrasts, control, levels, directed=directed)
