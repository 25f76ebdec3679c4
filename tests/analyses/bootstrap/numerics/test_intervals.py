"""Aggregates, draws and intervals against scipy, brute force and closed forms."""

import itertools

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bootstrap.numerics import aggregates, intervals, profiles, resampling
from benchinfer.analyses.bootstrap.numerics.aggregates import Statistic

IQM, MEAN, MEDIAN = Statistic("iqm"), Statistic("mean"), Statistic("quantile", 0.5)
WORST, UPPER = Statistic("quantile", 0.0), Statistic("quantile", 0.8)


def whole(values):
    """Lay out (data sets, replications, algorithms) scores, replications shared."""
    d, b, k = values.shape
    there = np.ones((d * b, k), dtype=bool)
    return resampling.lay_out(values.reshape(-1, k), there, np.repeat(np.arange(d), b))


def unshared(values):
    """Lay out the same scores with each score a block of its own."""
    d, b, k = values.shape
    there = np.tile(np.eye(k, dtype=bool), (d * b, 1))
    spread = np.where(there, values.ravel()[:, None], 0.0)
    return resampling.lay_out(spread, there, np.repeat(np.arange(d), b * k))


def scores(seed, shape=(6, 8, 3)):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("shape", [(6, 8, 3), (5, 7, 2), (1, 10, 2), (3, 1, 4)])
@pytest.mark.parametrize("lay", [whole, unshared])
def test_points(shape, lay):
    x = scores(1, shape)
    sample, k = lay(x), shape[2]
    flat, means = x.reshape(-1, k), x.mean(axis=1)
    units = flat if shape[0] == 1 else means
    expected = {
        IQM: stats.trim_mean(flat, 0.25),
        MEAN: means.mean(axis=0),
        MEDIAN: np.median(units, axis=0),
        WORST: units.min(axis=0),
        UPPER: np.quantile(units, 0.8, axis=0),
    }
    for statistic, value in expected.items():
        np.testing.assert_allclose(aggregates.point(sample, statistic), value, rtol=1e-12)


def test_data_sets_have_equal_weight_whatever_their_replications():
    # Twice the scores on one data set, each twice: nothing changes.
    x = scores(2, (2, 8, 2))
    rows = np.concatenate([x[0], x[0], x[1]])
    there = np.ones(rows.shape, dtype=bool)
    uneven = resampling.lay_out(rows, there, np.repeat([0, 1], [16, 8]))
    for statistic in (IQM, MEAN, MEDIAN):
        expected = aggregates.point(whole(x), statistic)
        np.testing.assert_allclose(aggregates.point(uneven, statistic), expected, rtol=1e-12)


def test_strata_keep_the_number_of_scores_of_each_cell():
    x, there = scores(3, (12, 1, 3))[:, 0], np.ones((12, 3), dtype=bool)
    there[[1, 4], 0] = there[5, 2] = False
    sample = resampling.lay_out(x, there, np.repeat([0, 1], 6))
    assert sample.n.tolist() == [[4, 6, 5], [6, 6, 6]]
    assert len(sample.strata) - 1 == 4
    where = sample.with_values(np.ones_like(x))
    drawn = aggregates.draws(where, MEAN, "both", 200, 1)
    np.testing.assert_allclose(drawn, 1.0, rtol=1e-12)


@pytest.mark.parametrize("resample", ["replications", "datasets", "both"])
@pytest.mark.parametrize("statistic", [IQM, MEAN, MEDIAN])
def test_chunks_change_nothing(resample, statistic):
    sample = whole(scores(4))
    every = aggregates.draws(sample, statistic, resample, 100, 7)
    for chunk in (1, 7, 99):
        again = aggregates.draws(sample, statistic, resample, 100, 7, chunk=chunk)
        np.testing.assert_array_equal(again, every)
    np.testing.assert_array_equal(aggregates.draws(sample, statistic, resample, 10, 7), every[:10])
    assert not np.array_equal(aggregates.draws(sample, statistic, resample, 100, 8), every)


@pytest.mark.parametrize("lay", [whole, unshared])
def test_moments_of_a_bootstrapped_mean(lay):
    x = scores(5)
    n, within = x.shape[1], x.var(axis=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0)
    expected = {
        "replications": within / n / 6,
        "datasets": between / 6,
        "both": (between + within / n) / 6,
    }
    for resample, variance in expected.items():
        drawn = aggregates.draws(lay(x), MEAN, resample, 20_000, 1)
        np.testing.assert_allclose(drawn.mean(axis=0), x.mean(axis=(0, 1)), atol=0.01)
        np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.05)


def test_shared_replications_are_drawn_together():
    x = scores(6)
    x[:, :, 1] = x[:, :, 0] + 1
    together = aggregates.draws(whole(x), IQM, "replications", 300, 1)
    apart = aggregates.draws(unshared(x), IQM, "replications", 300, 1)
    np.testing.assert_allclose(together[:, 1] - together[:, 0], 1, atol=1e-12)
    assert np.std(apart[:, 1] - apart[:, 0]) > 0.05


@pytest.mark.parametrize("resample", ["replications", "datasets", "both"])
def test_draws_of_the_interquartile_mean_are_those_of_resamples(resample):
    """Rebuild each resample by name from the draws of indicators."""
    d, b = 3, 4
    x = scores(7, (d, b, 1))
    # The mean of an indicator of one score is how often it was drawn, over the number of scores.
    indicators = whole(np.eye(d * b).reshape(d, b, d * b))
    times = np.rint(aggregates.draws(indicators, MEAN, resample, 50, 3) * d * b).astype(int)
    assert (times.sum(axis=1) == d * b).all()
    drawn = aggregates.draws(whole(x), IQM, resample, 50, 3)[:, 0]
    expected = [stats.trim_mean(np.repeat(x.ravel(), t), 0.25) for t in times]
    np.testing.assert_allclose(drawn, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("statistic", "function"),
    [
        (IQM, lambda x, axis: stats.trim_mean(x, 0.25, axis=axis)),
        (MEAN, np.mean),
        (UPPER, lambda x, axis: np.quantile(x, 0.8, axis=axis)),
    ],
)
def test_intervals_on_one_data_set_are_those_of_scipy(statistic, function):
    x = np.random.default_rng(8).exponential(size=30)
    n = 40_000
    theirs = stats.bootstrap((x,), function, n_resamples=n, method="percentile", rng=1)
    sample = whole(x[None, :, None])
    ours = intervals.gather(
        aggregates.point(sample, statistic),
        aggregates.draws(sample, statistic, "replications", n, 1),
        1.0,
    )
    low, high = theirs.confidence_interval
    np.testing.assert_allclose(ours.sd, theirs.standard_error, rtol=0.02)
    np.testing.assert_allclose(intervals.lower(ours, 0.025), low, atol=0.03)
    np.testing.assert_allclose(intervals.upper(ours, 0.025), high, atol=0.03)


@pytest.mark.parametrize("units", [None, (9.0, 0.9), (4.0, 0.8)])
def test_p_values_and_bounds_say_the_same(units):
    rng = np.random.default_rng(11)
    values = np.round(rng.normal(size=(999, 60)) + rng.normal(size=60), 1)
    draws = intervals.gather(values.mean(axis=0) + 0.1, values, 1.0, units)
    for alpha in (0.001, 0.01, 0.025, 0.2):
        for x in (-0.5, 0.0, 0.3):
            above = intervals.lower(draws, alpha) > x + 1e-9
            np.testing.assert_array_equal(intervals.p_at_most(draws, x) <= alpha + 1e-12, above)
            below = intervals.upper(draws, alpha) < x - 1e-9
            np.testing.assert_array_equal(intervals.p_at_least(draws, x) <= alpha + 1e-12, below)


def test_expanded_percentiles_of_a_mean_are_those_of_the_t_test():
    # Of normal draws alone the expansion is exact.
    x = np.random.default_rng(12).normal(size=(1, 12, 1))
    units = whole(x).units("replications")
    assert units == (11, 11 / 12)
    rng = np.random.default_rng(13)
    values = rng.normal(x.mean(), x.std() / np.sqrt(12), size=(200_000, 1))
    found = intervals.gather(x.mean(axis=(0, 1)), values, 1.0, units=units)
    low, high = stats.ttest_1samp(x.ravel(), 0).confidence_interval(0.95)
    np.testing.assert_allclose(intervals.lower(found, 0.025), low, atol=0.01)
    np.testing.assert_allclose(intervals.upper(found, 0.025), high, atol=0.01)
    p = 2 * intervals.p_at_least(found, x.mean() + 0.3)
    expected = stats.ttest_1samp(x.ravel(), x.mean() + 0.3).pvalue
    np.testing.assert_allclose(p, expected, rtol=0.03)


def test_p_values_count_ties_against_the_claim_and_are_never_zero():
    draws = intervals.gather(np.array([1.0]), np.array([[0.0], [0.0], [1.0], [2.0]]), 1.0)
    assert intervals.p_at_most(draws, 0.0).item() == 3 / 5
    assert intervals.p_at_least(draws, 0.0).item() == 1
    assert intervals.p_at_most(draws, -1.0).item() == 1 / 5
    assert intervals.lower(draws, 0.1).item() == -np.inf


def brute_improvement(x, i, j):
    one, other = x[:, :, None, i], x[:, None, :, j]
    return ((one > other) + 0.5 * (one == other)).mean()


def test_probability_of_improvement_is_that_of_all_pairs_of_scores():
    x = np.round(scores(12, (5, 6, 4)), 1)
    pairs = np.array(list(itertools.permutations(range(4), 2)))
    expected = [brute_improvement(x, *pair) for pair in pairs]
    for lay in (whole, unshared):
        np.testing.assert_allclose(profiles.point(lay(x), pairs), expected, rtol=1e-12)
    wins = stats.mannwhitneyu(x[0, :, 0], x[0, :, 1]).statistic / 36
    np.testing.assert_allclose(profiles.point(whole(x[:1]), pairs)[0], wins)


@pytest.mark.parametrize("resample", ["replications", "datasets", "both"])
def test_improvement_is_drawn_from_the_same_resamples(resample):
    x = np.round(scores(13, (4, 3, 2)), 0)
    drawn = profiles.draws(whole(x), np.array([[0, 1]]), resample, 40, 5)[:, 0]
    if resample == "datasets":
        each = np.array([[[brute_improvement(x[[d]], 0, 1)]] for d in range(4)])
        expected = aggregates.draws(whole(each), MEAN, "datasets", 40, 5)[:, 0]
        np.testing.assert_allclose(drawn, expected, rtol=1e-12)
    # Of one replication a comparison of means is one of scores.
    single = x[:, :1]
    again = profiles.draws(whole(single), np.array([[0, 1]]), resample, 40, 5)[:, 0]
    sign = 0.5 + 0.5 * np.sign(single[:, :, :1] - single[:, :, 1:])
    np.testing.assert_allclose(again, aggregates.draws(whole(sign), MEAN, resample, 40, 5)[:, 0])


def test_score_distributions():
    x = scores(14)
    grid = profiles.grid(whole(x))
    found = profiles.scores_above(whole(x), grid, "replications", 400, 1, 0.05)
    expected = (x.reshape(-1, 3, 1) > grid).mean(axis=0)
    np.testing.assert_allclose(found.estimate, expected, atol=1e-12)
    assert (found.low <= found.estimate + 1e-12).all()
    assert (found.estimate <= found.high + 1e-12).all()
    assert (found.band_high - found.band_low >= found.high - found.low - 0.1).mean() > 0.9
    # The area under the share above is the mean above the smallest score.
    area = np.trapezoid(found.estimate, grid)
    np.testing.assert_allclose(area + grid[0], x.mean(axis=(0, 1)), atol=0.05)


def test_ratio_profile_is_that_of_dolan_and_more():
    x = np.exp(scores(15))
    means = x.mean(axis=1)
    for lower, ratio in (
        (True, means / means.min(axis=1, keepdims=True)),
        (False, means.max(axis=1, keepdims=True) / means),
    ):
        found = profiles.ratios_within(
            whole(x),
            lambda m, lower=lower: profiles.ratios(m, lower_is_better=lower),
            *("both", 200, 1, 0.05),
        )
        expected = (ratio[:, :, None] <= found.threshold * (1 + 1e-9)).mean(axis=0)
        np.testing.assert_allclose(found.estimate, expected)
        assert found.estimate[:, 0].sum() == pytest.approx(1)
        assert (found.estimate[:, -1] == 1).all()


@pytest.mark.slow
def test_coverage_of_the_intervals():
    """Mean and interquartile mean of many normal scores: 0 in 95 % of the intervals."""
    rng, inside = np.random.default_rng(16), []
    for i in range(400):
        sample = whole(rng.normal(size=(10, 20, 2)))
        for statistic in (MEAN, IQM):
            draws = aggregates.draws(sample, statistic, "replications", 499, i)
            found = intervals.gather(aggregates.point(sample, statistic), draws, 1.0)
            inside.append(
                (intervals.lower(found, 0.025) <= 0) & (intervals.upper(found, 0.025) >= 0)
            )
    # Draws of 20 take 19/20 of the variance: 94.4 % for the mean.
    assert np.mean(inside) == pytest.approx(0.944, abs=0.025)


def test_monte_carlo_error_is_the_spread_over_seeds():
    x = scores(21, (6, 1, 1)) + 0.7
    sample, n = whole(x), 4000
    units, p = sample.units("datasets"), []
    for seed in range(200):
        values = aggregates.draws(sample, MEAN, "datasets", n, seed)
        found = intervals.gather(aggregates.point(sample, MEAN), values, 1.0, units=units)
        p.append(intervals.p_at_most(found, 0.0)[0])
    told = intervals.monte_carlo_error(np.array([np.mean(p)]), found, 1)
    assert told[0] == pytest.approx(np.std(p), rel=0.2)


def test_units_that_all_agree_bear_no_smaller_p_value_than_coins():
    sample = whole(np.abs(scores(22, (5, 1, 1))) + 0.1)
    least = sample.least("datasets")
    assert least == 2**-5
    values = aggregates.draws(sample, MEAN, "datasets", 50_000, 1)
    found = intervals.gather(aggregates.point(sample, MEAN), values, 1.0, least=least)
    p = intervals.p_at_most(found, 0.0)
    assert p[0] == least
    assert intervals.monte_carlo_error(p, found, 1)[0] == 0
    assert intervals.lower(found, least)[0] > 0
    assert intervals.lower(found, 0.99 * least)[0] == -np.inf


@pytest.fixture
def rng():
    return np.random.default_rng(16)


def far_apart(rng, n=5, k=3, apart=20.0):
    """Return 5 data sets of n shared replications, whose levels lie far apart."""
    values = rng.normal(size=(5, n, k)) + apart * np.arange(5)[:, None, None]
    there = np.ones((5 * n, k), dtype=bool)
    return resampling.lay_out(values.reshape(-1, k), there, np.repeat(np.arange(5), n))


def jackknife(sample, statistic):
    """Return (B, K) aggregates without each of the blocks in turn."""
    values = []
    for i in range(len(sample.dataset)):
        parts = (np.delete(x, i, axis=0) for x in (sample.values, sample.present, sample.dataset))
        values.append(aggregates.point(resampling.lay_out(*parts), statistic))
    return np.array(values)


def test_influence_on_a_mean_is_the_jackknifes_and_gives_its_variance(rng):
    sample, contrast = far_apart(rng), np.array([[1.0, -1.0, 0.0]])
    found = aggregates.influence(sample, MEAN, "replications", 1)
    left = jackknife(sample, MEAN)
    whole = aggregates.point(sample, MEAN)
    np.testing.assert_allclose(found.parts(np.eye(3)), ((whole - left) * 4 / 5) ** 2, atol=1e-12)
    gap = sample.values[:, 0] - sample.values[:, 1]
    variances = gap.reshape(5, 5).var(axis=1, ddof=1) / 5 / 25
    assert found.parts(contrast).sum() * 5 / 4 == pytest.approx(variances.sum())
    bounds = found.bounds(contrast)
    welch = variances.sum() ** 2 / (variances**2 / 6).sum() - 2
    assert bounds.df == pytest.approx(min(welch, 20))
    assert bounds.variance_share == pytest.approx(4 / 5)


def test_degrees_of_freedom_are_right_on_average_where_data_sets_vary_alike(rng):
    values = rng.normal(size=(4000, 4, 6, 1))
    parts = ((values - values.mean(axis=2, keepdims=True)) ** 2).sum(axis=(2, 3)) * 6 / 5
    df = parts.sum(axis=1) ** 2 / (parts**2 / 7).sum(axis=1) - 2
    group = np.repeat(np.arange(4), 6)
    own = [
        aggregates.UnitInfluence(one.reshape(24, 1), group).bounds(np.eye(1)).df[0]
        for one in values[:200]
    ]
    np.testing.assert_allclose(own, df[:200].clip(5, 20))
    # The ratio of the expectations of its parts, not that of the clipped ratio.
    ratio = (parts.sum(axis=1) ** 2).mean() / (parts**2 / 7).sum(axis=1).mean() - 2
    assert ratio == pytest.approx(20, rel=0.02)


@pytest.mark.parametrize("statistic", [MEDIAN, WORST, Statistic("quantile", 0.25)])
def test_a_quantile_of_data_sets_far_apart_rests_on_one(rng, statistic):
    bounds = aggregates.influence(far_apart(rng), statistic, "replications", 1).bounds(np.eye(3))
    np.testing.assert_allclose(bounds.df, 4)
    np.testing.assert_allclose(bounds.least, 0.5**5)
    near = aggregates.influence(far_apart(rng, apart=0.0), MEDIAN, "replications", 1)
    assert (near.bounds(np.eye(3)).df > 5).all()


def test_a_trimmed_mean_of_data_sets_far_apart_rests_on_those_in_the_middle(rng):
    sample = far_apart(rng, n=8)
    found = aggregates.influence(sample, Statistic("iqm"), "replications", 1)
    by_dataset = found.parts(np.eye(3)).reshape(5, 8, 3).sum(axis=1)
    assert (by_dataset[[0, 4]] == 0).all()
    assert (by_dataset[1:4] > 0).all()
    # As the jackknife has it, but for where scores are cut.
    left = jackknife(sample, IQM)
    both = np.corrcoef(left.reshape(5, 8, 3)[2, :, 0], sample.values.reshape(5, 8, 3)[2, :, 0])
    assert both[0, 1] < -0.99


def test_data_sets_drawn_whole_count_alike(rng):
    sample = far_apart(rng)
    bounds = aggregates.influence(sample, MEAN, "datasets", 1).bounds(np.eye(3))
    df, kept = sample.units("datasets")
    np.testing.assert_allclose([bounds.df, bounds.variance_share], [[df] * 3, [kept] * 3])
    np.testing.assert_allclose(bounds.least, sample.least("datasets"))
