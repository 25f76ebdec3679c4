"""Statistics within blocks against coin, enumeration and analysis of variance."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.permutation.numerics import blocks, friedman, nulls
from benchinfer.analyses.permutation.numerics.blocks import lay_out
from benchinfer.numerics import max_t
from tests.analyses.permutation.numerics.test_blocks import CASES, complete, laid_out

NAMES = {
    "values": ("values", "mean"),
    "ranks": ("ranks", "mean"),
    "aligned_ranks": ("aligned-ranks", "mean"),
    "median_aligned_ranks": ("aligned-ranks", "median"),
    "normal_scores": ("normal-scores", "mean"),
}


def scored(case, name):
    d, layout, values = laid_out(case)
    on, center = NAMES[name]
    return d, layout, blocks.score(values, layout, on, center=center).values


def contrasts_of(d, names):
    """Contrasts from names `a - b`."""
    rows = np.zeros((len(names), len(d["algorithms"])))
    for row, name in zip(rows, names, strict=True):
        first, second = name.split(" - ")
        row[d["algorithms"].index(first)] = 1
        row[d["algorithms"].index(second)] = -1
    return rows


def every_sum(scores, layout):
    """Column sums of every arrangement, by brute force."""
    k = layout.n_labels
    per_block = []
    for first, last in zip(layout.starts[:-1], layout.starts[1:], strict=True):
        rows = [
            np.bincount(layout.labels[first:last], list(p), minlength=k)
            for p in permutations(scores[first:last])
        ]
        per_block.append(np.array(rows))
    return np.array([np.sum(choice, axis=0) for choice in product(*per_block)])


def ragged():
    """Three blocks: complete, one label missing, one label twice."""
    blocks = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    labels = np.array([0, 1, 2, 0, 2, 0, 1, 1, 2])
    layout = lay_out(blocks, labels, 3)
    return np.random.default_rng(5).normal(size=9), layout


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
def test_moments_and_statistics_are_those_of_coin(case, name):
    d, layout, scores = scored(case, name)
    expected = d["tests"][name]
    m = nulls.moments(scores, layout)
    np.testing.assert_allclose(m.total, expected["linear"], rtol=1e-9)
    np.testing.assert_allclose(m.total - m.deviation, expected["expectation"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(m.cov, expected["covariance"], rtol=1e-9)
    test = nulls.quadratic(m)
    assert test.statistic == pytest.approx(expected["quadratic"], rel=1e-9)
    assert test.p_value == pytest.approx(expected["p_quadratic"], rel=1e-8)
    z = nulls.standardized(m, contrasts_of(d, expected["contrasts"]))
    np.testing.assert_allclose(z, expected["z"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", ["demsar", "means"])
def test_classical_tests_are_those_of_r(case):
    d, layout, values = laid_out(case)
    expected = d["classical"]
    b, k = len(layout.sizes), layout.n_labels
    ranks = blocks.score(values, layout, "ranks").values
    ranked = friedman.friedman(ranks, layout)
    assert (ranked.statistic, ranked.p_value) == pytest.approx(expected["friedman"], rel=1e-9)
    quade = friedman.quade(values, ranks, layout)
    assert (quade.statistic, quade.p_value) == pytest.approx(expected["quade"], rel=1e-9)
    weighted = nulls.moments(blocks.quade_scores(values, ranks, layout), layout)
    assert nulls.quadratic(weighted).statistic == pytest.approx(expected["quade_chi2"], rel=1e-9)
    x2 = nulls.quadratic(nulls.moments(values, layout)).statistic
    f = friedman.f_form(x2, b, k)
    assert (f.statistic, f.p_value) == pytest.approx(expected["anova"], rel=1e-8)
    t_star = friedman.t_star(values.reshape(b, k))
    assert b * (b - 1) * t_star == pytest.approx(f.statistic, rel=1e-10)


def test_published_statistics_of_demsar():
    """Demsar (2006): chi2 9.28 and F 3.69 from his rounded ranks, without tie correction."""
    _, layout, values = laid_out("demsar")
    ranks = blocks.score(values, layout, "ranks").values
    corrected = friedman.friedman(ranks, layout)
    plain = friedman.friedman(ranks, layout, corrected=False)
    assert plain.statistic < corrected.statistic
    ranks = np.array([3.143, 2.893, 1.964, 2.000])
    published = 12 * 14 / 20 * ((ranks - 2.5) ** 2).sum()
    assert published == pytest.approx(9.28, abs=0.01)
    assert friedman.f_form(published, 14, 4).statistic == pytest.approx(3.69, abs=0.01)


def test_without_ties_the_correction_does_nothing_and_scipy_agrees():
    table = np.random.default_rng(2).normal(size=(9, 4))
    values, layout = complete(table)
    ranks = blocks.score(values, layout, "ranks").values
    one, two = (friedman.friedman(ranks, layout, corrected=c) for c in (True, False))
    assert one.statistic == pytest.approx(two.statistic, rel=1e-12)
    theirs = stats.friedmanchisquare(*table.T)
    assert (one.statistic, one.p_value) == pytest.approx(tuple(theirs), rel=1e-12)


def test_moments_are_those_of_all_arrangements():
    scores, layout = ragged()
    sums = every_sum(scores, layout)
    m = nulls.moments(scores, layout)
    np.testing.assert_allclose(m.total - m.deviation, sums.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(m.cov, np.cov(sums.T, bias=True), atol=1e-12)


def test_aligned_ranks_have_the_published_form():
    """Hodges and Lehmann's statistic without ties."""
    b, k = 8, 3
    values, layout = complete(np.random.default_rng(4).normal(size=(b, k)))
    ranks = blocks.score(values, layout, "aligned-ranks").values.reshape(b, k)
    n = k * b
    above = (ranks.sum(axis=0) ** 2).sum() - k * b**2 / 4 * (n + 1) ** 2
    below = n * (n + 1) * (2 * n + 1) / 6 - (ranks.sum(axis=1) ** 2).sum() / k
    ours = nulls.quadratic(nulls.moments(ranks.ravel(), layout))
    assert ours.statistic == pytest.approx((k - 1) * above / below, rel=1e-12)


def test_two_algorithms():
    table = np.random.default_rng(6).normal(size=(12, 2))
    m = nulls.moments(*complete(table))
    d = table[:, 0] - table[:, 1]
    z = nulls.standardized(m, max_t.all_pairs(2)[1])
    np.testing.assert_allclose(z, d.sum() / np.sqrt((d**2).sum()), rtol=1e-12)


def test_constant_blocks_and_tables():
    values, layout = complete(np.array([[0.1, 0.1, 0.1], [1.0, 2.0, 4.0]]))
    assert np.linalg.matrix_rank(nulls.moments(values, layout).cov) == 2
    values, layout = complete(np.full((3, 2), 0.1))
    m = nulls.moments(values, layout)
    assert nulls.quadratic(m) == nulls.GlobalTest(0.0, (0,), 1.0)
    assert nulls.standardized(m, max_t.all_pairs(2)[1]).tolist() == [0]
    values, layout = complete(np.array([[1.0, 2.0], [3.0, 4.0]]))
    x2 = nulls.quadratic(nulls.moments(values, layout)).statistic
    assert friedman.f_form(x2, 2, 2) == nulls.GlobalTest(np.inf, (1, 1), 0.0)
    assert friedman.t_star(values.reshape(2, 2)) == np.inf
