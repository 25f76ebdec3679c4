"""Single-step inference against the exact range, simulation and multcomp."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, stats

from benchinfer.core.errors import FitError
from benchinfer.numerics import max_t, max_t_exact
from benchinfer.numerics.directions import samples
from benchinfer.numerics.directions.differences import PointDifferences
from tests.analyses.mixed.numerics.test_likelihood import TABLES, golden
from tests.numerics.test_max_t_exact_studentized import survival

SIMULATED = json.loads(
    (Path(__file__).parents[1] / "golden" / "max_t" / "simulated.json").read_text()
)


def test_all_pairs_in_order():
    pairs, contrasts = max_t.all_pairs(3)
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert contrasts.tolist() == [[1, -1, 0], [1, 0, -1], [0, 1, -1]]


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("df", [6.0, np.inf])
def test_equal_errors_are_the_studentized_range(k, df):
    cov = 0.3 * np.eye(k) + 5.0
    family = max_t.max_t(max_t.all_pairs(k)[1], cov, df)
    t = np.array([0.5, 2.0, 9.0])
    p, error = max_t.survival(family, t)
    np.testing.assert_allclose(p, survival(np.sqrt(2) * t, k, df), rtol=1e-9)
    assert (error == 0).all()
    c = max_t.quantile(family, 0.05)
    assert max_t.survival(family, np.array([c]))[0][0] == pytest.approx(0.05, abs=1e-10)


@pytest.mark.parametrize("df", [8.0, np.inf])
def test_unequal_errors_agree_with_simulation(df):
    rng = np.random.default_rng(1)
    root = rng.normal(size=(5, 5)) * np.array([0.2, 1, 1, 2, 3])[:, None]
    cov = root @ root.T
    _, contrasts = max_t.all_pairs(5)
    family = max_t.max_t(contrasts, cov, df)
    n = 200_000
    z = rng.multivariate_normal(np.zeros(5), cov, n) @ contrasts.T
    t = np.abs(z / np.sqrt(np.diag(contrasts @ cov @ contrasts.T))).max(axis=1)
    if np.isfinite(df):
        t /= np.sqrt(rng.chisquare(df, n) / df)
    thresholds = np.array([1.5, 2.5, 3.5])
    p, error = max_t.survival(family, thresholds)
    seen = (t[:, None] > thresholds).mean(axis=0)
    # Four standard errors of the simulation.
    assert (np.abs(p - seen) < 4 * np.sqrt(seen * (1 - seen) / n)).all()
    assert (error < 2e-4).all()


def test_many_thresholds_are_interpolated_within_their_error():
    cov = np.diag(np.linspace(1, 3, 9))
    family = max_t.max_t(max_t.all_pairs(9)[1], cov, 30.0)
    t = np.linspace(0.3, 5, 60)
    p, _ = max_t.survival(family, t)
    one_by_one = np.array([max_t.survival(family, t[[i]])[0][0] for i in range(0, 60, 7)])
    np.testing.assert_allclose(p[::7], one_by_one, rtol=1e-5)


@pytest.mark.parametrize("df", [1.0, 2.0, 8.0, 368.0])
@pytest.mark.parametrize("reach", [3.0, 1000.0])
def test_many_thresholds_of_equal_errors_agree_with_one_by_one(df, reach):
    tail, t = max_t_exact.range_tail(93), reach * np.linspace(0.0, 1.0, 1200) ** 3
    p = max_t_exact.over_chi(tail, t, df)
    np.testing.assert_allclose(
        p[::7], [max_t_exact.over_chi(tail, t[[i]], df)[0] for i in range(0, 1200, 7)], atol=2e-12
    )
    assert (np.diff(p) <= 1e-12).all()


@pytest.mark.parametrize("df", [2.0, 4.0])
def test_few_degrees_of_freedom_of_many_means_are_integrated_in_fine_steps(df):
    # A threshold among large ones is integrated over a shifted grid.
    tail, t = max_t_exact.range_tail(200), np.array([1.0, 2.0, 3.2, 4.0, 6.0])
    both = max_t_exact.over_chi(tail, np.r_[t, 50.0], df)[:-1]
    np.testing.assert_allclose(max_t_exact.over_chi(tail, t, df), both, rtol=1e-10)


def test_one_contrast_is_a_t_test():
    family = max_t.max_t(np.array([[1.0, -1.0]]), np.eye(2), 9.0)
    assert max_t.survival(family, np.array([2.0]))[0][0] == pytest.approx(
        max_t.raw_p(np.array(2.0), 9.0)
    )
    assert max_t.quantile(family, 0.05) == pytest.approx(2.262157, abs=1e-6)


@pytest.mark.parametrize("table", TABLES)
def test_single_step_agrees_with_multcomp(table):
    path = Path(__file__).parents[1] / "golden" / "lmm" / f"{table}.json"
    for model, reference in json.loads(path.read_text())["values"].items():
        if not model.endswith("_reml"):
            continue
        _, mine, _ = golden(table, model)
        expected = reference["single_step"]
        # multcomp has second minus first, in the order of combn: the order of our pairs
        # within each first algorithm.
        names = [pair.split(" - ") for pair in expected["pair"]]
        order = sorted(range(len(names)), key=lambda i: (names[i][1], names[i][0]))
        _, contrasts = max_t.all_pairs(len(mine.beta))
        error = np.sqrt(np.diag(contrasts @ mine.cov @ contrasts.T))
        statistic = -(contrasts @ mine.beta) / error
        family = max_t.max_t(contrasts, mine.cov, np.inf)
        # atol: a difference of zero has a statistic of rounding only.
        np.testing.assert_allclose(
            statistic, np.array(expected["statistic"])[order], rtol=1e-5, atol=1e-8
        )
        p, _ = max_t.survival(family, np.abs(statistic))
        # multcomp's own Monte Carlo error bound, and its cancellation near p = 0.
        bound = max(expected["p_error"], 1e-5)
        np.testing.assert_allclose(p, np.array(expected["p_value"])[order], atol=2 * bound)
        c = max_t.quantile(family, 0.05)
        low = -(contrasts @ mine.beta) - c * error
        # confint's quantile is accurate to about 1e-3 standard errors.
        np.testing.assert_allclose(low, np.array(expected["low"])[order], atol=2e-3 * error.max())


@pytest.mark.parametrize("name", SIMULATED["families"])
def test_odd_families_agree_with_ten_million_draws(name):
    case = SIMULATED["families"][name]
    df = case["df"] or np.inf
    family = max_t.max_t(
        np.array(case["contrasts"], dtype=float), np.array(case["cov"]), df, sides=case["sides"]
    )
    p, error = max_t.survival(family, np.array(SIMULATED["thresholds"]))
    share = np.array(case["share"])
    simulation = np.sqrt(np.maximum(p * (1 - p), 1e-9) / SIMULATED["draws"])
    # Four standard errors: 100 numbers are compared.
    assert (np.abs(p - share) < 4 * np.hypot(simulation, error)).all()
    assert (error <= 1e-3 * p).all()


@pytest.mark.parametrize("df", [12.0, np.inf])
def test_four_unequal_means_agree_with_a_sum_over_the_sphere(df):
    """Over a grid of directions u in space, P(R |A u| > t), R the radius, to 1e-6."""
    root = np.array([[1.0, 0.2, 0, 0], [0, 0.7, 0.3, 0], [0.1, 0, 1.5, 0.4], [0, 0, 0.2, 0.9]])
    cov = root @ root.T
    contrasts = max_t.all_pairs(4)[1]
    half = contrasts @ root / np.sqrt(np.diag(contrasts @ cov @ contrasts.T))[:, None]
    _, _, axes = np.linalg.svd(half)
    rows = half @ axes[:3].T  # differences have three dimensions
    height, weight = np.polynomial.legendre.leggauss(400)
    turn = (np.arange(800) + 0.5) * np.pi / 800
    flat = np.sqrt(1 - height**2)[:, None]
    u = np.stack([flat * np.cos(turn), flat * np.sin(turn), height[:, None] + 0 * turn])
    largest = np.abs(np.einsum("jr,rab->jab", rows, u)).max(axis=0)
    t = np.array([1.5, 2.5, 3.5])
    beyond = [
        stats.chi2.sf((x / largest) ** 2, 3)
        if np.isinf(df)
        else stats.f.sf((x / largest) ** 2 / 3, 3, df)
        for x in t
    ]
    expected = [weight @ one.mean(axis=1) / 2 for one in beyond]
    p, error = max_t.survival(max_t.max_t(contrasts, cov, df), t)
    np.testing.assert_allclose(p, expected, atol=1e-6)
    assert (error <= 1e-6 * p).all()


def by_sampling(family):
    """The same family without its known distribution."""
    tail, error = max_t.sampled(family.statistics, family.sides)
    return dataclasses.replace(family, tail=tail, error=error)


def test_rank_two_by_directions_is_exact():
    # Three equal means by the general path, against the studentized range.
    family = max_t.max_t(max_t.all_pairs(3)[1], np.eye(3), 12.0)
    t = np.array([0.3, 1.0, 2.5, 5.0, 9.0])
    p, error = max_t.survival(by_sampling(family), t)
    np.testing.assert_allclose(p, survival(np.sqrt(2) * t, 3, 12.0), rtol=1e-8)
    assert (error == 0).all()


@pytest.mark.parametrize("df", [3.0, 9.0, np.inf])
@pytest.mark.parametrize("k", [4, 5, 6, 12, 30])
def test_sampling_agrees_with_the_studentized_range_within_its_error(k, df):
    contrasts = max_t.all_pairs(k)[1]
    family = max_t.max_t(contrasts, np.eye(k), df)
    t = max_t.critical_t(df, 1.0) + np.array([0.1, 0.5, 1.5, 2.5, 3.5, 5.0, 7.0, 30.0])
    p, error = max_t.survival(by_sampling(family), t)
    exact, none = max_t.survival(family, t)
    assert (none == 0).all()
    assert (np.abs(p - exact) <= 4 * error).all()
    assert (error < 1.5e-3 * exact).all()


@pytest.mark.slow
@pytest.mark.parametrize("sides", [1, 2])
def test_fifty_algorithms_with_unequal_errors(sides):
    k = 50
    cov = np.diag(np.exp(np.random.default_rng(k).normal(0, 0.7, k)))
    family = max_t.max_t(max_t.all_pairs(k)[1], cov, 30.0, sides=sides)
    t = np.linspace(2.5, 11, 1225)
    p, error = max_t.survival(family, t)
    assert (error < 2e-3 * p).all()
    assert (np.diff(p) < 0).all()
    # Far out few pairs are beyond at once, nearly all of them sharing an algorithm.
    bound = sides / 2 * 1225 * max_t.raw_p(t, 30.0)
    assert (p < bound).all()
    assert p[-1] > 0.6 * bound[-1]


@pytest.mark.slow
def test_a_hundred_algorithms_with_correlated_means():
    root = np.random.default_rng(1).normal(size=(100, 300))
    family = max_t.max_t(max_t.all_pairs(100)[1], root @ root.T, 20.0)
    p, error = max_t.survival(family, np.linspace(2.0, 12.0, 6))
    assert (error < 2e-3 * p).all()


@pytest.mark.slow
@pytest.mark.parametrize("k", [30, 100])
@pytest.mark.parametrize("df", [20.0, np.inf])
def test_errors_hold_where_few_directions_reach_and_between_thresholds(k, df):
    family = max_t.max_t(max_t.all_pairs(k)[1], np.eye(k), df)
    few = np.r_[0.1, 0.5, 1.0, np.arange(1.5, 9.0), 12.0, 17.0, 19.0, 30.0]
    for t in (few, np.sort(np.r_[few, np.linspace(0.01, 1000.0, 60)])):
        p, error = max_t.survival(by_sampling(family), t)
        exact, _ = max_t.survival(family, t)
        assert (np.abs(p - exact) <= 4 * error + 1e-300).all()
        assert (error <= 2e-3 * p).all()


@pytest.mark.slow
@pytest.mark.parametrize("sides", [1, 2])
def test_compiled_components_are_those_of_matrix_products(sides):
    rng = np.random.default_rng(2)
    root = rng.normal(size=(22, 60))
    statistics = max_t.max_t(max_t.all_pairs(22)[1], root @ root.T, 20.0, sides=sides).statistics
    rows = statistics.rows()
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-10)
    ends = max_t_exact.lowest(sides), max_t_exact.HIGHEST
    by_pairs, by_rows = (
        samples.largest([family], ends, 90, sides)[0]
        for family in (statistics, PointDifferences.of_rows(rows))
    )
    np.testing.assert_allclose(by_pairs, by_rows, rtol=2e-5)


def similar_family(k, sides, kind):
    """Return statistics and the family that is their control."""
    rng = np.random.default_rng(k)
    if kind == "control":
        shape = np.eye(k) + 0.3 * rng.uniform(size=(k, k))
        family = max_t.max_t(np.eye(k), shape @ shape.T, np.inf, sides=sides)
        return family.statistics, max_t_exact.similar_product(family.statistics, sides)
    contrasts = max_t.all_pairs(k)[1]
    cov = np.diag(np.exp(rng.normal(0, 1.5 if kind == "wild" else 0.2, k)))
    family = max_t.max_t(contrasts, cov, np.inf, sides=sides)
    basis = linalg.svd(contrasts, full_matrices=False)[2][: k - 1]
    return family.statistics, max_t_exact.Pairs.of(family.statistics).similar(basis)


@pytest.mark.parametrize(
    ("kind", "sides"), [("control", 1), ("control", 2), ("mild", 2), ("wild", 2)]
)
@pytest.mark.parametrize("k", [4, 7, 24])
def test_sums_of_similar_families_agree_with_their_integrals(k, kind, sides):
    _, similar = similar_family(k, sides, kind)
    ends = 0.0, max_t_exact.HIGHEST
    w = max_t_exact.ChebyshevSeries.points(50, ends)
    (sums,) = samples.largest([similar.statistics], ends, 50, sides)
    error = sums.std(axis=0, ddof=1) / 4
    # Thresholds share their directions.
    apart = np.abs(sums.mean(axis=0) - similar.survival(w))
    assert (apart < 5 * error + 1e-6 * similar.survival(w)).all()


@pytest.mark.parametrize("kind", ["mild", "wild"])
def test_each_difference_of_similar_means_is_the_largest_along_itself(kind):
    _, similar = similar_family(24, 2, kind)
    rows = similar.statistics.rows()
    inner = np.abs(rows @ rows.T)
    np.fill_diagonal(inner, 0.0)
    assert (inner.max(axis=1) < (rows**2).sum(axis=1)).all()


@pytest.mark.parametrize(
    ("k", "kind", "bound"), [(4, "mild", 1e-6), (7, "mild", 1e-5), (24, "mild", 1e-4)]
)
def test_a_similar_family_explains_most_of_the_sampling_error(k, kind, bound):
    statistics, similar = similar_family(k, 2, kind)
    tail, error = max_t.sampled(statistics, 2, similar)
    _, alone = max_t.sampled(statistics, 2)
    at = [2.5, 3.5, 5.0]
    controlled, plain = (np.interp(at, *each) for each in (error, alone))
    assert (controlled < bound).all()
    assert k == 4 or (controlled < plain / 4).all()
    assert (tail(np.array(at)) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("k", [6, 12, 23])
def test_stated_errors_are_those_of_other_directions(k, sides, monkeypatch):
    """The spread over ten seeds is that stated, within what ten seeds can tell."""
    cov = np.diag(np.exp(np.random.default_rng(k).normal(0, 0.7, k)))
    found = []
    for seed in range(10):
        monkeypatch.setattr(samples, "_SEED", seed)
        family = max_t.max_t(max_t.all_pairs(k)[1], cov, 20.0, sides=sides)
        found.append(max_t.survival(family, np.array([2.5, 3.5, 6.0])))
    p, error = np.moveaxis(np.array(found), 1, 0)
    ratio = p.std(axis=0, ddof=1) / np.sqrt((error**2).mean(axis=0))
    assert (ratio > 0.3).all()
    assert (ratio < 1.9).all()


def test_the_same_input_gives_the_same_numbers():
    cov = np.diag([1.0, 0.5, 2.0, 4.0, 1.5])
    results = [
        max_t.survival(max_t.max_t(max_t.all_pairs(5)[1], cov, 20.0), np.array([2.0, 6.0]))
        for _ in range(2)
    ]
    np.testing.assert_array_equal(results[0], results[1])


def test_far_tail_is_close_to_pairs_of_statistics():
    # Bonferroni's bound, less the chance of each two beyond: below p, and close to it.
    cov = np.diag([1.0, 0.5, 2.0, 4.0])
    contrasts = max_t.all_pairs(4)[1]
    t = np.array([6.0, 7.0])
    p, error = max_t.survival(max_t.max_t(contrasts, cov, np.inf), t)
    single = max_t.raw_p(t, np.inf)
    both = 0.0
    for i in range(6):
        for j in range(i):
            two = max_t.max_t(contrasts[[i, j]], cov, np.inf)
            both = both + 2 * single - max_t.survival(two, t)[0]
    assert (p < 6 * single + 3 * error).all()
    assert (p > 6 * single - both - 3 * error).all()
    np.testing.assert_allclose(p, 6 * single - both, rtol=2e-3)


@pytest.mark.parametrize(("sides", "t"), [(1, 1.2), (1, -0.4), (2, 2.2)])
def test_two_statistics_agree_with_scipy(sides, t):
    cov = np.array([[2.0, -0.6], [-0.6, 1.0]])
    rho = -0.6 / np.sqrt(2)
    shape = np.array([[1, rho], [rho, 1]])
    box = {"lower_limit": [-t, -t] if sides == 2 else [-np.inf, -np.inf]}
    normal = stats.multivariate_normal.cdf([t, t], cov=shape, **box)
    # The second is quasi-Monte-Carlo.
    student = stats.multivariate_t.cdf(
        [t, t], shape=shape, df=5, maxpts=100_000, random_state=1, **box
    )
    for df, inside, tolerance in ((np.inf, normal, 1e-10), (5.0, student, 5e-6)):
        family = max_t.max_t(np.eye(2), cov, df, sides=sides)
        p, _ = max_t.survival(family, np.array([t]))
        assert p[0] == pytest.approx(1 - inside, abs=tolerance)


def test_one_sided_thresholds_of_either_sign():
    contrasts = max_t.all_pairs(4)[1]
    cov = np.diag([1.0, 0.5, 2.0, 4.0])
    t = np.array([-np.inf, -30.0, -0.5, 0.0, 0.5, 4.0, np.inf])
    p, error = max_t.survival(max_t.max_t(contrasts, cov, 8.0, sides=1), t)
    assert p[0] == 1
    assert p[-1] == 0
    assert (np.diff(p) <= 0).all()
    assert p[3] > 0.9
    assert (error < 1e-3).all()
    two, _ = max_t.survival(max_t.max_t(contrasts, cov, 8.0), t[2:])
    assert (two >= p[2:] - 1e-3).all()
    # Of the largest t and of the largest -t one is beyond.
    back, _ = max_t.survival(max_t.max_t(-contrasts, cov, 8.0, sides=1), t[4:])
    assert (two[2:] <= p[4:] + back + 1e-6).all()


def test_a_contrast_and_its_opposite():
    both = np.array([[1.0, -1.0], [-1.0, 1.0], [2.0, -2.0]])
    t = np.array([-1.0, 0.5, 2.0])
    p, _ = max_t.survival(max_t.max_t(both, np.eye(2), 9.0, sides=1), t)
    assert p.tolist() == pytest.approx([1.0, *max_t.raw_p(t[1:], 9.0)])
    one, _ = max_t.survival(max_t.max_t(both[:1], np.eye(2), 9.0, sides=1), t)
    assert one.tolist() == pytest.approx(stats.t.sf(t, 9.0).tolist())
    assert max_t.quantile(max_t.max_t(both[:1], np.eye(2), 9.0, sides=1), 0.05) == pytest.approx(
        1.833113, abs=1e-6
    )


def test_no_variance_is_refused():
    with pytest.raises(FitError, match="no positive variance"):
        max_t.max_t(np.array([[1.0, -1.0]]), np.zeros((2, 2)), 5.0)


def test_pairs_of_some_of_the_estimates():
    contrasts = np.zeros((3, 5))
    contrasts[:, 1:4] = max_t.all_pairs(3)[1]
    family = max_t.max_t(contrasts, np.eye(5), 7.0)
    assert family.tail is max_t_exact.range_tail(3)
    assert max_t.quantile(family, 0.05) == pytest.approx(
        stats.studentized_range.ppf(0.95, 3, 7) / np.sqrt(2), rel=1e-7
    )


@pytest.mark.slow
def test_quantiles_return_their_level():
    cov = np.diag([1.0, 0.5, 2.0, 4.0, 1.0, 3.0])
    for contrasts in (max_t.all_pairs(6)[1], np.eye(6)[1:] - np.eye(6)[:-1], np.eye(6) - 1 / 6):
        for sides in (1, 2):
            family = max_t.max_t(contrasts, cov, 15.0, sides=sides)
            c = max_t.quantile(family, 0.05)
            assert max_t.survival(family, np.array([c]))[0][0] == pytest.approx(0.05, rel=1e-6)
