import numpy as np
import pytest

from benchinfer.scores.numerics.nested import item_scores, unit_sums, variance_components


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    table = []
    for p in range(6):
        passage = 2 * rng.normal()
        for i in range(rng.integers(1, 5)):
            item = rng.normal()
            table += [(p, i, a, passage + item + rng.normal()) for a in range(rng.integers(1, 5))]
    p, i, a, value = map(np.array, zip(*table, strict=True))
    return p, i, a, value + 1e6


def projection(codes):
    z = np.eye(codes.max() + 1)[codes]
    return z @ np.diag(1 / z.sum(axis=0)) @ z.T, z @ z.T


def test_sums_of_squares_are_those_of_projections(rows):
    """Sums of squares y'Py and their expected values tr(P ZZ'), by brute force."""
    p, i, _, value = rows
    n = len(value)
    zeros, ones = np.zeros(n, int), np.ones(n, int)
    items = item_scores([zeros, p, i], zeros, 1, value, ones, np.zeros(n))
    sums = unit_sums(items, answers=True)
    keys = [zeros, p, np.unique(p * 10 + i, return_inverse=True)[1], np.arange(n)]
    parts = [projection(key) for key in keys]
    y = value - value.mean()
    for level in range(3):
        between = parts[level + 1][0] - parts[level][0]
        assert sums.squares[0, 0, level] == pytest.approx(y @ between @ y, rel=1e-9)
        expected = [np.trace(between @ parts[j + 1][1]) for j in range(3)]
        assert sums.coefficients[0, 0, level] == pytest.approx(expected, abs=1e-9)
    assert sums.coefficients[0, 0, :, 2].sum() == pytest.approx(n - 1)


def test_products_within_units(rows):
    p, i, _, value = rows
    n = len(value)
    twice = np.concatenate
    algorithm = np.repeat([0, 1], n)
    other = value**2 / 1e6
    items = item_scores(
        [np.zeros(2 * n, int), twice([p, p]), twice([i, i])],
        algorithm,
        2,
        twice([value, other]),
        np.ones(2 * n, int),
        np.zeros(2 * n),
    )
    within = unit_sums(items, answers=True).products[0, 1]
    expected = np.zeros((2, 2))
    for unit in np.unique(p):
        means = np.array(
            [
                [x[(p == unit) & (i == item)].mean() for x in (value, other)]
                for item in np.unique(i[p == unit])
            ]
        )
        deviations = means - means.mean(axis=0)
        expected += deviations.T @ deviations
    assert within == pytest.approx(expected, rel=1e-6)


def test_components_of_a_balanced_design_have_closed_forms():
    rng = np.random.default_rng(2)
    c, k, a = 7, 4, 3
    value = rng.normal(size=(c, 1, 1)) * 2 + rng.normal(size=(c, k, 1)) + rng.normal(size=(c, k, a))
    p, i, _ = (axis.ravel() for axis in np.indices(value.shape))
    n = value.size
    zeros = np.zeros(n, int)
    items = item_scores([zeros, p, i], zeros, 1, value.ravel(), zeros + 1, np.zeros(n))
    sums = unit_sums(items, answers=True)
    answers = value.var(axis=2, ddof=1).mean()
    between_items = value.mean(axis=2).var(axis=1, ddof=1).mean()
    between_units = value.mean(axis=(1, 2)).var(ddof=1)
    expected = [
        between_units - between_items / k,
        between_items - answers / a,
        answers,
    ]
    assert variance_components(sums.squares[0], sums.coefficients[0]) == pytest.approx(expected)


def test_negative_components_are_zero():
    assert variance_components(
        np.array([0.1, 8.0]), np.array([[4.0, 2.0], [0.0, 4.0]])
    ).tolist() == [
        0.0,
        2.0,
    ]
