"""Closed tests that share the level with intervals, against all hypotheses one by one."""

from itertools import combinations

import numpy as np
import pytest

from benchinfer.numerics import closed_testing, multiplicity, rotations
from benchinfer.numerics.multiplicity import SPENT, ends_level, level_share


def pairs_of(k):
    return [tuple(map(int, pair)) for pair in zip(*np.triu_indices(k, 1), strict=True)]


def sets_of(k):
    """Return the sets of pairs that partitions of k algorithms make equal."""
    pairs = pairs_of(k)
    every = [
        [i for i, (a, b) in enumerate(pairs) if labels[a] == labels[b]]
        for labels in closed_testing.partitions(k)
    ]
    return [members for members in every if members]


def closure(p_of, sets, m, spent):
    """Return the largest p-value over its share of the level, of the sets that hold each pair."""
    adjusted = np.zeros(m)
    for members in sets:
        value = p_of(members) / level_share(float(len(members)), m, spent)
        adjusted[members] = np.maximum(adjusted[members], value)
    return np.minimum(adjusted, 1.0)


def p_values(seed, m):
    rng = np.random.default_rng(seed)
    p = rng.random(m) ** rng.integers(1, 7)
    return np.round(p, 3) if seed % 3 == 0 else p


@pytest.mark.parametrize("spent", [0.0, 0.2, SPENT])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(12))
def test_bergmann_and_hommels_is_the_closure_with_bonferronis_inequality(seed, k, spent):
    p = p_values(seed, k * (k - 1) // 2)
    expected = closure(lambda s: len(s) * p[s].min(), sets_of(k), len(p), spent)
    found = closed_testing.bergmann_hommel(p, k, spent)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    second, first = (
        f(p, k, spent) for f in (closed_testing.shaffer, closed_testing.shaffer_static)
    )
    assert (second >= found * (1 - 1e-12)).all()
    assert (first >= second * (1 - 1e-12)).all()
    assert (multiplicity.holm(p, spent) >= first * (1 - 1e-12)).all()


def factor(n, m, spent):
    return n / level_share(float(n), m, spent)


@pytest.mark.parametrize("spent", [0.0, SPENT])
@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("seed", range(12))
def test_shaffers_factors_are_of_sets_that_can_be_equal(seed, k, spent):
    """The second variant knows which pairs came before, the first one how many."""
    p = p_values(seed, k * (k - 1) // 2)
    m, sets = len(p), sets_of(k)
    known, counted = np.zeros(m), np.zeros(m)
    for i, one in enumerate(p):
        for other in p[p <= one]:
            left = [s for s in sets if p[s].min() >= other]
            most = max(len(s) for s in left if other in p[s])
            known[i] = max(known[i], factor(most, m, spent) * other)
            # As many sets of each size as there are, of any pairs.
            most = max(len(s) for s in sets if len(s) <= (p >= other).sum())
            counted[i] = max(counted[i], factor(most, m, spent) * other)
    for name, expected in (("shaffer", known), ("shaffer_static", counted)):
        found = getattr(closed_testing, name)(p, k, spent)
        np.testing.assert_allclose(found, np.minimum(expected, 1.0), rtol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_holms_is_the_closure_of_free_hypotheses(seed):
    p = p_values(seed, 6)
    free = [list(s) for n in range(1, 7) for s in combinations(range(6), n)]
    expected = closure(lambda s: len(s) * p[s].min(), free, 6, SPENT)
    np.testing.assert_allclose(multiplicity.holm(p, SPENT), expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_on_a_line_the_procedures_are_the_same(seed):
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 20, 6)
    first, second = np.triu_indices(6, 1)
    p = np.exp(-np.abs(places[first] - places[second]) / 3.0)
    for name in ("bergmann_hommel", "shaffer"):
        there = getattr(closed_testing, name)(p, 6, SPENT)
        line = getattr(closed_testing, f"{name}_on_line")(p, places, SPENT)
        np.testing.assert_allclose(line, there, rtol=1e-12)


@pytest.mark.parametrize("control", [None, 1])
@pytest.mark.parametrize("reference", ["rotation", "flips"])
def test_closed_tests_go_through_all_hypotheses(reference, control):
    rng, k = np.random.default_rng(5), 4
    table = rng.normal(size=(9, k)) + 0.6 * np.arange(k)
    m = k * (k - 1) // 2
    alone = rng.random(m) / 20
    with_level = {
        spent: rotations.closed_pairs(
            table, alone, 0.05, control=control, reference=reference, spent=spent, directions=499
        ).p_value
        for spent in (0.0, SPENT)
    }
    in_family = np.array([control is None or control in pair for pair in pairs_of(k)])
    n = int(in_family.sum())
    # Each p-value lies between the one that has all of the level and that of a pair alone.
    least, most = with_level[0.0], with_level[0.0] / level_share(1.0, n, SPENT)
    assert (with_level[SPENT] >= least - 1e-12)[in_family].all()
    assert (with_level[SPENT] <= np.minimum(most, 1.0) + 1e-12)[in_family].all()
    if control is None:
        assert (with_level[SPENT] > least)[least < 0.5].any()


def flipped(terms):
    """Return (n, P) absolute standardised sums under all sign vectors, the observed one first."""
    d = len(terms)
    signs = 1 - 2.0 * (np.arange(1 << (d - 1))[:, None] >> np.arange(d) & 1)
    return np.abs(signs @ (terms / np.sqrt((terms**2).sum(axis=0))))


@pytest.mark.parametrize("seed", range(8))
def test_stepping_down_is_never_below_the_closure(seed):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(8, 1)) * rng.choice([0.0, 1.0, 3.0])
    terms = rng.normal(size=(8, 4)) + shared + rng.uniform(0, 1.5, 4)
    sums = flipped(terms)

    def p_of(members):
        largest = sums[:, members].max(axis=1)
        return (largest >= largest[0] * (1 - 1e-9)).mean()

    free = [list(s) for n in range(1, 5) for s in combinations(range(4), n)]
    whole = closure(p_of, free, 4, 0.0)
    found, _ = rotations.step_down_flips(terms, two_sided=True, alpha=0.05)
    np.testing.assert_allclose(found, whole, rtol=1e-9)
    expected = closure(p_of, free, 4, SPENT)
    shared_level, _ = rotations.step_down_flips(terms, two_sided=True, alpha=0.05, spent=SPENT)
    assert (shared_level >= expected - 1e-12).all()


def subsets(m):
    return [list(s) for n in range(1, m + 1) for s in combinations(range(m), n)]


def correlated(seed):
    """Return how many comparisons with a control, and their correlated terms on few data sets."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(1, 7)), int(rng.integers(4, 9))
    shared = rng.normal(size=(d, 1)) * rng.choice([0.0, 1.0, 4.0])
    terms = rng.normal(size=(d, m)) + shared + rng.uniform(0, rng.choice([0.5, 2.0, 4.0]), m)
    return m, np.round(terms, 1) if seed % 2 else terms


def of_largest(sums):
    def p_of(members):
        largest = sums[:, members].max(axis=1)
        return (largest >= largest[0] - 1e-9 * abs(largest[0])).mean()

    return p_of


@pytest.mark.slow
@pytest.mark.parametrize("two_sided", [True, False])
def test_stepping_down_by_flips_is_never_below_the_closure_of_many_tables(two_sided):
    decided = {"stepped": 0, "closed": 0}
    for seed in range(400):
        m, terms = correlated(seed)
        size = np.sqrt((terms**2).sum(axis=0))
        unit = np.divide(terms, size, out=np.zeros_like(terms), where=size > 0)
        signs = 1 - 2.0 * (np.arange(1 << len(unit))[:, None] >> np.arange(len(unit)) & 1)
        sums = np.abs(signs @ unit) if two_sided else signs @ unit
        closed = closure(of_largest(sums), subsets(m), m, SPENT)
        stepped, error = rotations.step_down_flips(
            terms, two_sided=two_sided, alpha=0.05, spent=SPENT
        )
        assert (error == 0).all()
        assert (stepped >= closed - 1e-12).all(), seed
        decided["stepped"] += int((stepped <= 0.05).sum())
        decided["closed"] += int((closed <= 0.05).sum())
    # The shortcut is no bound that decides nothing.
    assert decided["stepped"] >= 0.9 * decided["closed"] > 100


def test_stepping_down_the_largest_is_never_below_the_closure_of_many_tables():
    decided = {"stepped": 0, "closed": 0}
    for seed in range(400):
        rng = np.random.default_rng(seed)
        m, shared = int(rng.integers(1, 7)), rng.choice([0.0, 0.5, 0.95])
        drawn = np.sqrt(shared) * rng.normal(size=(400, 1))
        drawn = np.abs(drawn + np.sqrt(1 - shared) * rng.normal(size=(400, m)))
        # Each statistic has the same distribution.
        drawn = (drawn.argsort(axis=0).argsort(axis=0) + 1.0) / 400
        observed = 1.0025 - rng.random(m) ** rng.integers(1, 9)

        def survival(members, hypothesis, drawn=drawn, observed=observed):
            return (drawn[:, list(members)].max(axis=1) >= observed[hypothesis]).mean()

        def p_of(members, survival=survival, observed=observed):
            return survival(members, members[int(observed[members].argmax())])

        closed = closure(p_of, subsets(m), m, SPENT)
        stepped = closed_testing.step_down_largest(observed, survival, SPENT)
        assert (stepped >= closed - 1e-12).all(), seed
        decided["stepped"] += int((stepped <= 0.05).sum())
        decided["closed"] += int((closed <= 0.05).sum())
    assert decided["stepped"] >= 0.9 * decided["closed"] > 100


@pytest.mark.parametrize("spent", [0.0, SPENT])
@pytest.mark.parametrize("side", [1, -1])
def test_one_sided_families_take_each_contrasts_own_t(side, spent):
    """By all sign flips of all rows, over all sets of the other algorithms."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        k, d, control = 4, 8, int(rng.integers(0, 4))
        # One algorithm varies far more than the others.
        table = rng.normal(size=(d, k)) * np.array([1.0, 1.0, 1.0, 6.0]) + rng.normal(0, 1, k)
        others = [j for j in range(k) if j != control]
        gaps = side * (table[:, others] - table[:, [control]])
        signs = 1 - 2.0 * (np.arange(1 << d)[:, None] >> np.arange(d) & 1)
        mean = signs @ gaps / d
        spread = ((gaps**2).sum(axis=0) - d * mean**2) / (d - 1)
        t = mean / np.sqrt(np.maximum(spread, 1e-300) / d)
        closed = closure(of_largest(t), subsets(k - 1), k - 1, spent)
        alone = np.ones(6)
        found = rotations.closed_pairs(
            table, alone, 0.05, control=control, side=side, reference="flips", spent=spent
        ).p_value
        number = {pair: i for i, pair in enumerate(pairs_of(k))}
        at = [number[tuple(sorted((control, j)))] for j in others]
        np.testing.assert_allclose(found[at], closed, rtol=1e-9)


@pytest.mark.slow
def test_a_verdict_and_an_interval_are_wrong_together_in_five_percent():
    """Equal levels of three of four algorithms, own t-tests of normal differences, closed."""
    rng, wrong, tables = np.random.default_rng(1), 0, 400
    first, second = np.triu_indices(4, 1)
    true = np.array([0.0, 0.0, 0.0, 1.0])
    differences = (np.eye(4)[first] - np.eye(4)[second]) @ true
    from scipy import stats

    limit = stats.t.ppf(1 - ends_level(0.05, 6) / 2, 11)
    for _ in range(tables):
        y = rng.normal(size=(12, 4)) + true
        d = y[:, first] - y[:, second]
        mean, error = d.mean(axis=0), d.std(axis=0, ddof=1) / np.sqrt(12)
        p = closed_testing.bergmann_hommel(2 * stats.t.sf(abs(mean / error), 11), 4, SPENT)
        decided = p <= 0.05
        low, high = mean - limit * error, mean + limit * error
        # Cut at 0 where a pair is decided, stretched to 0 where it is not.
        low = np.where(decided, np.where(mean > 0, np.maximum(low, 0), low), np.minimum(low, 0))
        high = np.where(decided, np.where(mean < 0, np.minimum(high, 0), high), np.maximum(high, 0))
        outside = (differences < low) | (differences > high) | (decided & (differences == 0))
        wrong += outside.any()
    assert wrong / tables <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / tables)


def test_pairs_that_are_not_tested_take_no_part_in_the_shares():
    """Five ends share the level where one of six pairs shares no block."""
    rng, k = np.random.default_rng(3), 4
    terms = rng.normal(size=(10, 6)) + 0.8
    silent = np.arange(6) == 2
    terms[:, silent] = 0.0
    alone = np.ones(6)
    alone[~silent] = (flipped(terms[:, ~silent])[:, :] >= flipped(terms[:, ~silent])[0]).mean(
        axis=0
    )
    sums = np.zeros((512, 6))
    sums[:, ~silent] = flipped(terms[:, ~silent])

    def p_of(members):
        if len(members) == 1:
            return alone[members[0]]
        largest = sums[:, members].max(axis=1)
        return (largest >= largest[0] * (1 - 1e-9)).mean()

    expected = np.zeros(6)
    for members in sets_of(k):
        tested = [i for i in members if not silent[i]]
        if tested:
            value = p_of(tested if len(members) > 1 else members)
            value /= level_share(float(len(tested)), 5, SPENT)
            expected[tested] = np.maximum(expected[tested], value)
    found = rotations.closed_flips(terms, alone, k, 0.05, silent=silent, spent=SPENT).p_value
    np.testing.assert_allclose(found[~silent], np.minimum(expected, 1.0)[~silent], rtol=1e-9)
