"""The tests of two algorithms: from the scores of a pair to test, interval and equivalence."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.compare.pair_rules import Test
from benchinfer.compare.paired_scores import Pair, PairedScores
from benchinfer.errors import DesignError, message
from benchinfer.numerics import outcomes, paired, parts, shift, signs, ties
from benchinfer.numerics.outcomes import Fourfold
from benchinfer.numerics.paired import Located, Tested

RESAMPLES = 100_000


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """What is asked of the test of each pair.

    Attributes
    ----------
    side
        0 two-sided, 1 or -1 where first is to be shown better or worse.
    margin
        Difference that does not matter, on the modelling scale.
    tail
        Probability that an interval leaves out on each of its closed sides.
    n_parts
        Number of parts that items are split into, None for as many as look normal.
    seed
        Of random signs and of the split.
    brief
        Whether tests by random signs are to be quick: the normal limit, and no inverted interval.
    """

    side: int
    margin: float
    tail: float
    n_parts: int | None
    seed: int
    brief: bool = False


def tested(test: Test, pair: Pair, data: PairedScores, asked: PairQuestion) -> Tested:
    """Test one pair.

    Raises
    ------
    DesignError
        There are too few scores.
    """
    if test in _LOCATED:
        return paired.tested(located(test, pair, data, asked), asked.side, asked.margin, asked.tail)
    _require_two(pair)
    if test == "5x2cv-f":
        return paired.five_by_two_f(pair.differences.reshape(5, 2), asked.tail)
    if test in _SIGNED:
        return _by_signs(test, pair, data, asked)
    if test == "independent-rates":
        return _independent_rates(pair, asked)
    return _mcnemar(_KINDS[test], fourfold(pair), asked)


def without_noise(pair: Pair) -> Array:
    """Return the differences, 0 where they are the noise of rounding."""
    noise = ties.resolution(np.concatenate([pair.first, pair.second]))
    return np.where(np.abs(pair.differences) <= noise, 0.0, pair.differences)


def located(test: Test, pair: Pair, data: PairedScores, asked: PairQuestion) -> Located:
    """Return estimate and standard error of a test that has them (``"bayes-t"`` among them)."""
    _require_two(pair)
    return _LOCATED[test](pair, data, asked)


def fourfold(pair: Pair) -> Fourfold:
    """Count the items that both, one or none get right."""
    return Fourfold.of(pair.first > 0.5, pair.second > 0.5)


def _require_two(pair: Pair) -> None:
    n = min(len(pair.first), len(pair.second))
    if n < 2:
        raise DesignError(
            message(
                f"a pair of algorithms has {n} {'score' if n == 1 else 'scores'} to compare.",
                hint="a test needs two or more; check the labels of replications.",
            )
        )


def _t(pair: Pair, _: PairedScores, __: PairQuestion) -> Located:
    if pair.cluster is None:
        return paired.paired_t(pair.differences)
    if (g := len(np.unique(pair.cluster))) < 2:
        raise DesignError(
            message(f"there is {g} cluster.", hint="errors between clusters need two or more.")
        )
    return paired.clustered(pair.differences, pair.cluster)


def ratio(data: PairedScores) -> float:
    """Return the size of a test set over that of a training set: ``rho / (1 - rho)``."""
    rho = data.overlap or 0.0
    return rho / (1 - rho)


def _corrected(pair: Pair, data: PairedScores, _: PairQuestion) -> Located:
    return paired.corrected_t(pair.differences, ratio(data))


def _parts(pair: Pair, _: PairedScores, asked: PairQuestion) -> Located:
    return paired.paired_t(parts.split(pair.differences, asked.n_parts, asked.seed).means)


_LOCATED: dict[str, Callable[[Pair, PairedScores, PairQuestion], Located]] = {
    "t": _t,
    "welch": lambda pair, _, __: paired.welch(pair.first, pair.second),
    "corrected-t": _corrected,
    "bayes-t": _corrected,
    "5x2cv-t": lambda pair, _, __: paired.five_by_two_t(pair.differences.reshape(5, 2)),
    "paired-rates": lambda pair, _, __: outcomes.paired_difference(fourfold(pair)),
    "parts-t": _parts,
}
# The tests that leave out differences of zero, and whose claims are about the middle of the others.
OF_RANKS = ("wilcoxon", "sign")
_KINDS: dict[str, outcomes.McNemar] = {
    "mcnemar": "exact",
    "mcnemar-midp": "mid-p",
    "mcnemar-chi2": "chi2",
    "mcnemar-score": "score",
}


_SIGNED: dict[str, Callable[[Array, float], Array]] = {
    "wilcoxon": signs.signed_ranks,
    "sign": lambda d, _: np.sign(d),
    "sign-flip": lambda d, _: d,
}


def _by_signs(test: Test, pair: Pair, data: PairedScores, asked: PairQuestion) -> Tested:
    """Test differences against random signs; equivalence by differences shifted by the margin."""
    d, size = without_noise(pair), np.ones(len(pair.first))
    cluster = pair.cluster if test == "sign-flip" else None
    noise = ties.resolution(np.concatenate([pair.first, pair.second]))
    middle = _t(pair, data, asked) if cluster is not None else paired.paired_t(d)
    if cluster is not None:
        # Labels of a whole cluster are swapped together: signs are those of its sum.
        d, size = paired.sums(d, cluster), paired.sums(size, cluster)
    m = asked.margin
    wide = m * size
    columns = [(asked.side or 1) * d]
    if m > 0:
        columns += [d + wide, wide - d, asked.side * d + wide]
    cleaned = [np.where(np.abs(c) <= noise, 0.0, c)[:, None] for c in columns]
    terms = np.hstack([_SIGNED[test](column, noise) for column in cleaned])
    two_sided = (np.arange(terms.shape[1]) == 0) & (asked.side == 0)
    null: signs.NullKind = "asymptotic" if asked.brief else "auto"
    found = signs.sign_tests(
        terms, two_sided=two_sided, null=null, resamples=RESAMPLES, seed=asked.seed
    )
    p = found.p_value
    level = 1 - 2 * asked.tail
    of_mean = paired.tested(middle, asked.side, m, asked.tail)
    low, high, estimate = of_mean.low, of_mean.high, of_mean.estimate
    if test != "sign-flip" and not asked.brief:
        invert = shift.hodges_lehmann if test == "wilcoxon" else shift.median_shift
        one = invert(d, level)
        estimate = one.estimate
        low = -np.inf if asked.side < 0 else one.low
        high = np.inf if asked.side > 0 else one.high
    return Tested(
        estimate=estimate,
        std_error=np.nan,
        df=np.nan,
        statistic=(asked.side or 1) * float(found.statistic[0]),
        p=float(p[0]),
        equivalence=float(max(p[1], p[2])) if m > 0 else 1.0,
        noninferiority=float(p[3]) if m > 0 and asked.side else 1.0,
        low=low,
        high=high,
    )


def _mcnemar(kind: outcomes.McNemar, table: Fourfold, asked: PairQuestion) -> Tested:
    statistic, p = outcomes.mcnemar(table, asked.side, kind)
    found = outcomes.paired_difference(table)
    interval = outcomes.tango if kind == "score" else outcomes.newcombe_paired
    return _of_rates(found, statistic, p, lambda t: interval(table, t), asked)


def _independent_rates(pair: Pair, asked: PairQuestion) -> Tested:
    first, second = ((int((s > 0.5).sum()), len(s)) for s in (pair.first, pair.second))
    wald = paired.tested(
        outcomes.independent_difference(first, second), asked.side, asked.margin, asked.tail
    )
    found = Located(wald.estimate, wald.std_error, wald.df)

    def interval(tail: float) -> tuple[float, float]:
        return outcomes.newcombe(first, second, tail)

    return _of_rates(found, wald.statistic, wald.p, interval, asked)


def _of_rates(
    found: Located,
    statistic: float,
    p: float,
    interval: Callable[[float], tuple[float, float]],
    asked: PairQuestion,
) -> Tested:
    """Put an interval beside a test; a pair is equivalent where it lies within the margin."""
    low, high = interval(asked.tail)
    m = asked.margin
    above = outcomes.tail_beyond(lambda t: interval(t)[0], -m) if m > 0 else 1.0
    below = outcomes.tail_beyond(lambda t: interval(t)[1], m) if m > 0 else 1.0
    result = Tested(
        found.estimate,
        found.std_error,
        found.df,
        statistic,
        p,
        max(above, below),
        (above if asked.side > 0 else below) if asked.side else 1.0,
        low,
        high,
    )
    if asked.side:
        return replace(
            result,
            low=low if asked.side > 0 else -np.inf,
            high=np.inf if asked.side > 0 else high,
        )
    return result
