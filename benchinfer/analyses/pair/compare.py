"""The function `compare_pair`."""

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from benchinfer.analyses.pair import diagnostics, rules
from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.analyses.pair.diagnostics import normality
from benchinfer.analyses.pair.numerics import t_tests
from benchinfer.analyses.pair.rules import Test
from benchinfer.analyses.pair.scores import Clusters, Pair, PairedScores, paired_scores
from benchinfer.analyses.pair.tests import PairOptions, beside, located, tested
from benchinfer.comparison import stepwise
from benchinfer.comparison import stepwise as comparison_stepwise
from benchinfer.comparison.adjustment import check_alternative, sidak
from benchinfer.comparison.checks import check_missing
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import ContrastFamily, check_number, family_of
from benchinfer.comparison.evidence import (
    Array,
    Evidence,
    Level,
    Provenance,
    Setting,
    alpha_of,
    decide,
)
from benchinfer.core import version
from benchinfer.core.arguments import seed_of
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.hints import Given, Option
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

    def question(self, n: int, margin: float) -> PairOptions:
        """Return the options of each of n pairs."""
        side = _SIDES[self.alternative]
        n = 1 if self.adjust == "none" or self.test == "bayes-t" else n
        tail = self.alpha / n if side else sidak(self.alpha, n) / 2
        return PairOptions(side, margin, tail, self.n_parts, self.seed)


def compared(
    setting: Setting,
    data: PairedScores,
    levels: Array,
    family: ContrastFamily,
    chosen: Chosen,
    arguments: dict[str, Any],
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
    mine = _of_wanted(evidence, shown)
    probabilities = None if probabilities is None else probabilities[shown]
    side = asked.side
    stepwise = comparison_stepwise.stepwise(chosen.adjust, len(pairs))
    return PairComparison(
        setting=setting,
        pairs=family.pairs[shown],
        codes=_codes(test, mine, probabilities, chosen.alpha),
        level=arguments["level"],
        target="datasets",
        levels=Level(levels),
        checks=(
            *diagnostics.checks(setting, data, test, mine, looks, chosen.alpha),
            *diagnostics.decisions(test, wanted, named, mine, chosen.alpha, stepwise=stepwise),
        ),
        provenance=Provenance(
            analysis="compare_pair",
            version=version.__version__,
            arguments=arguments,
            adjustment=rules.adjustment(test, chosen.adjust, family.words, len(pairs), side=side),
            digest=setting.digest,
            seed=chosen.seed if test in _RANDOM else None,
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


def _of_wanted(e: Evidence, shown: slice) -> Evidence:
    given: dict[str, Array | None] = {f.name: getattr(e, f.name) for f in fields(Evidence)}
    kept: dict[str, Any] = {n: v if v is None else v[shown] for n, v in given.items()}
    return Evidence(**kept)


def _evidence(
    pairs: list[Pair], data: PairedScores, asked: PairOptions, chosen: Chosen
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


def _look(test: str, asked: PairOptions) -> Any:
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
    adjust: stepwise.Adjust = "holm",
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
    chosen, reason = rules.resolve(test, data)
    _check_sides(chosen, alternative, margin)
    if parts is not None and chosen != "parts-t":
        raise DesignError(
            message(f"parts is {parts}.", hint=f"it goes with {Option('test', 'parts-t')}.")
        )
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
    if adjust not in stepwise.STEPS:
        raise DesignError(unknown("adjust", adjust, list(stepwise.STEPS)))


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
                hint=f"{Option('test', '5x2cv-t')} or {Option('test', 'corrected-t')} have.",
            )
        )
    if test == "bayes-t" and alternative != "two-sided":
        raise DesignError(
            message(
                f"{Given('alternative', alternative)} does not go with"
                f" {Option('test', 'bayes-t')}.",
                hint="its three posterior probabilities answer both sides at once.",
            )
        )


def _family(
    algorithms: tuple[str, ...],
    pair: tuple[str, str] | None,
    control: str | None,
    levels: Array,
    alternative: Alternative,
) -> ContrastFamily:
    if pair is not None:
        index = np.array([[algorithms.index(name) for name in pair]], np.int64)
        matrix = np.eye(2)[index[:, 0]] - np.eye(2)[index[:, 1]]
        return ContrastFamily(index, matrix, "the one pair")
    contrasts = "tukey" if control is None else "dunnett"
    directed = alternative != "two-sided"
    return family_of(algorithms, contrasts, control, levels, directed=directed)
