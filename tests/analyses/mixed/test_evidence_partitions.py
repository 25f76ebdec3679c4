"""P-values and intervals as `compare_mixed` prints them, by brute force over all partitions."""

import numpy as np
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.multiplicity import SPENT
from tests.numerics.test_multiplicity_shares import factor, sets_of
from tests.numerics.test_rotations import largest_of_partitions, signs, whole_closure
from tests.scores.tables import table


def drawn(seed, k, d=8):
    rng = np.random.default_rng([seed, k])
    return rng.normal(size=(d, k)) * rng.uniform(0.5, 2, k) + rng.choice([0.0, 1.5, 3.0], k)


def own_tests(x):
    """Return the p-values of paired t-tests, estimates and errors of all pairs."""
    i, j = np.triu_indices(x.shape[1], 1)
    pairs = x[:, i] - x[:, j]
    return stats.ttest_1samp(pairs, 0).pvalue, pairs.mean(axis=0), stats.sem(pairs)


def shaffers(p, k, spent):
    adjusted, sets = np.zeros(len(p)), sets_of(k)
    for i, one in enumerate(p):
        for earlier in np.flatnonzero(p <= one):
            left = [s for s in sets if earlier in s and p[s].min() >= p[earlier]]
            most = factor(max(map(len, left)), len(p), spent)
            adjusted[i] = max(adjusted[i], most * p[earlier])
    return np.minimum(adjusted, 1.0)


def holms(p, spent):
    left = [factor((p >= one).sum(), len(p), spent) * one for one in p]
    return np.array([min(max(np.array(left)[p <= one]), 1.0) for one in p])


def by_brute_force(x, adjust, spent):
    p, k = own_tests(x)[0], x.shape[1]
    if adjust == "flips":
        return whole_closure(x, signs(len(x)), spent=spent)
    if adjust == "bergmann-hommel":
        return largest_of_partitions(k, lambda _, inside: inside.sum() * p[inside].min(), spent)
    return shaffers(p, k, spent) if adjust == "shaffer" else holms(p, spent)


@pytest.mark.parametrize("adjust", ["flips", "bergmann-hommel", "shaffer", "holm"])
@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_printed_statements_are_those_of_brute_force(seed, k, adjust):
    x = drawn(seed, k)
    scores = bi.read_scores(table(x), measures=[bi.Measure("score", "higher")])
    how = {"reference": "flips"} if adjust == "flips" else {"adjust": adjust}
    found = bi.compare_mixed(scores, **how)
    evidence, (_, estimate, error) = found.evidence, own_tests(x)
    expected = by_brute_force(x, adjust, SPENT)
    np.testing.assert_allclose(evidence.p_value, expected, rtol=0, atol=1e-12)
    reach = stats.t.isf(SPENT * 0.05 / len(expected) / 2, len(x) - 1) * error
    low, high = estimate - reach, estimate + reach
    for i, p in enumerate(expected):
        ends = (min(low[i], 0), max(high[i], 0))
        if p <= 0.05:
            ends = (max(low[i], 0), high[i]) if estimate[i] > 0 else (low[i], min(high[i], 0))
        np.testing.assert_allclose([evidence.low[i], evidence.high[i]], ends, rtol=0, atol=1e-12)
        direction = Verdict.FIRST if estimate[i] > 0 else Verdict.SECOND
        assert found.pairs.codes[i] == (direction if p <= 0.05 else Verdict.UNDECIDED)
    whole = bi.compare_mixed(scores, interval="simultaneous", **how).evidence.p_value
    np.testing.assert_allclose(whole, by_brute_force(x, adjust, 0.0), rtol=0, atol=1e-12)
