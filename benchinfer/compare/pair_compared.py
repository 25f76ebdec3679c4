"""From the scores of one data set to the comparison that tests of two algorithms give."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from benchinfer import version
from benchinfer.compare import pair_checks, pair_words, steps
from benchinfer.compare.adjust import sidak
from benchinfer.compare.comparison import Alternative
from benchinfer.compare.contrasts import Family
from benchinfer.compare.evidence import Array, Evidence, Level, Provenance, Setting, decide
from benchinfer.compare.normality import normality
from benchinfer.compare.pair_beside import beside
from benchinfer.compare.pair_comparison import PairComparison
from benchinfer.compare.pair_rules import Test
from benchinfer.compare.pair_tests import PairQuestion, located, tested
from benchinfer.compare.paired_scores import Pair, PairedScores
from benchinfer.numerics import paired, parts
from benchinfer.order.relation import Verdict

_SIDES: dict[Alternative, int] = {"two-sided": 0, "better": 1, "worse": -1}
_RANDOM = ("wilcoxon", "sign", "sign-flip", "parts-t")


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is decided before scores are looked at.

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

    def question(self, n: int, margin: float) -> PairQuestion:
        """Return what is asked of each of n pairs."""
        side = _SIDES[self.alternative]
        n = 1 if self.adjust == "none" or self.test == "bayes-t" else n
        tail = self.alpha / n if side else sidak(self.alpha, n) / 2
        return PairQuestion(side, margin, tail, self.n_parts, self.seed)


def compared(
    setting: Setting,
    data: PairedScores,
    levels: Array,
    family: Family,
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
    stepwise = steps.stepwise(chosen.adjust, len(pairs))
    return PairComparison(
        setting=setting,
        pairs=family.pairs[shown],
        codes=_codes(test, mine, probabilities, chosen.alpha),
        level=arguments["level"],
        target="datasets",
        levels=Level(levels),
        checks=(
            *pair_checks.checks(setting, data, test, mine, looks, chosen.alpha),
            *pair_checks.decisions(test, wanted, named, mine, chosen.alpha, stepwise=stepwise),
        ),
        provenance=Provenance(
            analysis="compare_pair",
            version=version.__version__,
            arguments=arguments,
            adjustment=pair_words.adjustment(
                test, chosen.adjust, family.words, len(pairs), side=side
            ),
            digest=setting.digest,
            seed=chosen.seed if test in _RANDOM else None,
        ),
        evidence=mine,
        test=test,
        reason=chosen.reason,
        n=np.array([len(pair.first) for pair in wanted], np.float64),
        zeros=pair_checks.left_out(test, wanted),
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
    pairs: list[Pair], data: PairedScores, asked: PairQuestion, chosen: Chosen
) -> tuple[Evidence, Array | None]:
    """Return the adjusted evidence of all pairs, and posterior probabilities where it is these."""
    test, probabilities = chosen.test, None
    if test == "bayes-t":
        found = [located(test, pair, data, asked) for pair in pairs]
        rows = [paired.tested(one, 0, asked.margin, asked.tail) for one in found]
        probabilities = np.array([paired.posterior(one, asked.margin) for one in found])
    else:
        rows = [tested(test, pair, data, asked) for pair in pairs]
    column = {
        f.name: np.array([getattr(row, f.name) for row in rows], np.float64)
        for f in fields(paired.Tested)
    }
    not_worse = steps.adjusted(chosen.adjust, column["noninferiority"])
    return Evidence(
        estimate=column["estimate"],
        std_error=column["std_error"],
        df=column["df"],
        statistic=column["statistic"],
        p_value=np.minimum(steps.adjusted(chosen.adjust, column["p"]), 1.0),
        p_raw=column["p"],
        p_equivalence=steps.adjusted(chosen.adjust, column["equivalence"]),
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


def _look(test: str, asked: PairQuestion) -> Any:
    def look(pair: Pair) -> Any:
        d = pair.differences
        if test == "parts-t":
            d = parts.split(d, asked.n_parts, asked.seed).means
        elif pair.cluster is not None:
            # Errors come from the clusters: it is their sums that may be normal or not.
            d = paired.sums(d, pair.cluster)
        return normality(d)

    return look
