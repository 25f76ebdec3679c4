import numpy as np
import pytest
from scipy.optimize import linprog

from benchinfer.analyses.wins.numerics.tally import Tally, count, spread
from benchinfer.numerics.covariance import pairs_of


def test_counts_of_a_table_by_hand():
    values = np.array([[1.0, 2.0, 2.05], [3.0, np.nan, 1.0], [0.0, 0.0, 1e-12]])
    found = count(values, np.array([0, 1, 1]), tie=0.1)
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert found.wins.tolist() == [[0, 0, 0], [0, 1, 0]]
    assert found.ties.tolist() == [[0, 0, 1], [1, 1, 1]]
    assert found.losses.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert found.clusters == 2
    assert found.n.sum() == 7  # two contests are missing with the score


def test_many_pairs_are_counted_as_few():
    values = np.random.default_rng(1).integers(0, 4, (30, 14)).astype(float)
    cluster = np.repeat(np.arange(10), 3)
    found = count(values, cluster, tie=0.0)
    for p, (i, j) in enumerate(found.pairs):
        d = (values[:, i] - values[:, j]).reshape(10, 3)
        assert np.array_equal(found.wins[:, p], (d > 0).sum(axis=1))
        assert np.array_equal(found.ties[:, p], (d == 0).sum(axis=1))


def test_equal_but_for_rounding_is_a_tie():
    found = count(np.array([[0.1 + 0.2, 0.3]]), np.array([0]), tie=0.0)
    assert found.ties.sum() == 1


def test_local_differences_widen_the_tie():
    values = np.array([[0.0, 1.0], [0.0, 1.0]])
    found = count(values, np.array([0, 1]), 0.0, np.array([[0.5], [1.5]]))
    assert found.losses.ravel().tolist() == [1, 0]


def test_spread_is_that_of_differences_within_clusters():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(9, 3))
    values[1, 2] = np.nan
    cluster = np.array([0] * 5 + [1] * 3 + [2])
    found = spread(values, cluster)
    for p, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        for m in (0, 1):
            d = (values[:, i] - values[:, j])[cluster == m]
            assert found[m, p] == pytest.approx(np.std(d[~np.isnan(d)], ddof=1))
    assert (found[2] == 0).all()


@pytest.mark.parametrize(
    ("wins", "ties", "losses", "groups"),
    [
        ([1, 0, 1], [0, 0, 0], [0, 1, 0], [[0, 1, 2]]),  # a circle
        ([1, 1, 1], [0, 0, 0], [0, 0, 0], [[0], [1], [2]]),
        ([1, 1, 1], [0, 0, 1], [0, 0, 0], [[0], [1, 2]]),
        ([0, 0, 1], [0, 0, 0], [1, 1, 1], [[1, 2], [0]]),
    ],
)
def test_groups_that_are_always_beaten(wins, ties, losses, groups):
    counts = [np.array([x], dtype=float) for x in (wins, ties, losses)]
    tally = Tally(np.array([[0, 1], [0, 2], [1, 2]]), *counts)
    assert tally.groups() == groups
    assert tally.parts() == [[0, 1, 2]]


def test_parts_that_never_met():
    pairs = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    some = np.array([[1.0, 0, 0, 0, 0, 1.0]])
    assert Tally(pairs, some, np.zeros((1, 6)), some).parts() == [[0, 1], [2, 3]]


def test_ties_are_halved_or_dropped():
    tally = Tally(np.array([[0, 1]]), np.array([[3.0]]), np.array([[2.0]]), np.array([[1.0]]))
    assert [x.item() for x in (tally.with_ties("half").wins, tally.with_ties("half").losses)] == [
        4,
        2,
    ]
    assert tally.with_ties("drop").n.item() == 4
    assert tally.with_ties("davidson") is tally


def _unbounded(tally):
    """Return whether some direction makes no observed outcome less likely, by a linear program."""
    k, rows = tally.n_algorithms, []
    for p, (i, j) in enumerate(tally.pairs):
        powers = np.zeros((3, k + 1))
        powers[0, [i, j]], powers[2, [i, j]], powers[1, k] = (0.5, -0.5), (-0.5, 0.5), 1.0
        for c, seen in enumerate((tally.wins, tally.ties, tally.losses)):
            rows += [powers[c] - powers[d] for d in range(3) if d != c] if seen[0, p] else []
    gains = np.array(rows)
    found = linprog(
        -gains.sum(axis=0), A_ub=-gains, b_ub=np.zeros(len(gains)), bounds=[(-1, 1)] * (k + 1)
    )
    return -found.fun > 1e-7


def test_ties_have_no_limit_where_a_linear_program_says_so():
    rng, found = np.random.default_rng(1), []
    while len(found) < 60:
        pairs = pairs_of(int(rng.integers(2, 6)))
        shares = rng.choice([0.1, 0.3]), 0.5, rng.choice([0.0, 0.1, 0.3])
        tally = Tally(pairs, *((rng.random((1, len(pairs))) < p).astype(float) for p in shares))
        if tally.ties.any() and (tally.wins + tally.losses).any() and len(tally.groups()) == 1:
            found.append(tally.boundless())
            assert found[-1] == _unbounded(tally)
    assert 10 < sum(found) < 50
