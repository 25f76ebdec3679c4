"""Pairs compared on the data sets that they share: paired t-tests, closed tests, refusals."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

import benchinfer as bi
from benchinfer.analyses.mixed.evidence import Adjustment
from benchinfer.analyses.mixed.numerics.shared import SharedMeans
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.numerics import closed_testing, multiplicity
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.multiplicity import SPENT
from benchinfer.numerics.rotations import closed_pairs
from tests.analyses.mixed.test_compare import simulated, table

NAMES = "abcdefghijklmnopqrstuvwxyz"
COLUMNS = ["estimate", "std_error", "df", "p_raw", "conf_low", "conf_high"]


def shared(values, **options):
    return bi.compare_mixed(table(values, NAMES), missing="shared", **options)


def gappy(seed=31, shape=(12, 3, 4), cells=((2, 0), (5, 1), (9, 1)), effect=0.2):
    values = simulated(seed, shape, effect=effect)
    for d, k in cells:
        values[d, :, k] = np.nan
    return values


def means_of(values):
    return np.array(values).mean(axis=1)


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((12, 3, 4), {}),
        ((12, 1, 5), {}),
        ((8, 2, 2), {}),
        ((2, 3, 3), {}),
        ((9, 2, 10), {}),
        ((9, 1, 17), {}),
        ((12, 3, 4), {"control": "b"}),
        ((12, 3, 4), {"control": "b", "alternative": "worse"}),
        ((12, 3, 4), {"control": "best"}),
        ((12, 3, 4), {"contrasts": "mean"}),
        ((12, 3, 4), {"contrasts": {"ab - cd": {"a": 0.5, "b": 0.5, "c": -0.5, "d": -0.5}}}),
        ((12, 3, 4), {"reference": "flips"}),
        ((12, 3, 4), {"df": "asymptotic"}),
        ((12, 3, 4), {"adjust": "holm"}),
    ],
)
def test_without_gaps_it_is_the_pairwise_comparison_to_the_bit(shape, options):
    values = simulated(7, shape, effect=0.3)
    one, other = bi.compare_mixed(table(values, NAMES), **options), shared(values, **options)
    assert one.contrasts(all=True).equals(other.contrasts(all=True))
    assert one.summary().equals(other.summary())
    assert one._family()[1] == other._family()[1]
    if shape[0] > 2 and options.get("control") != "best":
        assert one.influence().equals(other.influence())


@pytest.mark.parametrize("values", [gappy(), gappy(shape=(12, 1, 6)), gappy(shape=(50, 1, 10))])
def test_each_pair_has_the_paired_t_test_of_the_data_sets_it_shares(values):
    mixed, means = shared(values, interval="simultaneous"), means_of(values)
    n = values.shape[2] * (values.shape[2] - 1) // 2
    for row in mixed.contrasts(all=True).itertuples():
        x, y = (means[:, NAMES.index(name)] for name in (row.first, row.second))
        both = np.isfinite(x + y)
        test = ttest_rel(x[both], y[both])
        assert row.estimate == pytest.approx((x - y)[both].mean())
        assert row.std_error == pytest.approx((x - y)[both].std(ddof=1) / np.sqrt(both.sum()))
        assert row.df == both.sum() - 1
        assert row.p_raw == pytest.approx(test.pvalue)
        half = critical_t(np.array([row.df]), -np.expm1(np.log(0.95) / n))[0] * row.std_error
        assert row.conf_low == pytest.approx(row.estimate - half)
        assert row.conf_high == pytest.approx(row.estimate + half)


def test_unequal_numbers_of_replications_weigh_data_sets_alike():
    values = simulated(8, (10, 4, 3), effect=0.3)
    values[3, 1:, 0] = values[6, 2:, 2] = np.nan
    used = bi.compare_mixed(table(values))
    assert used._family()[1].because == "as cells hold unequal numbers of scores"
    mixed = shared(values)
    assert mixed._family()[1] == Adjustment("rotation")
    means = np.nanmean(values, axis=1)
    rows = mixed.contrasts(all=True)
    first, second = np.triu_indices(3, 1)
    np.testing.assert_allclose(rows["estimate"], (means[:, first] - means[:, second]).mean(axis=0))
    np.testing.assert_allclose(
        rows["p_raw"], ttest_rel(means[:, first], means[:, second]).pvalue, rtol=1e-9
    )
    expected = closed_pairs(means, rows["p_raw"].to_numpy(), 0.05, spent=SPENT)
    np.testing.assert_allclose(rows["p_value"], expected.p_value, rtol=1e-9)
    np.testing.assert_allclose(mixed.levels.estimate, means.mean(axis=0))
    row = mixed.diagnostics().set_index("check").loc["thin cells"]
    assert row["remedy"] == "Each pair uses those that are there."


def test_tests_are_closed_by_rotations_with_gaps_too():
    values = gappy()
    mixed, rows = shared(values), shared(values).contrasts(all=True)
    expected = closed_pairs(means_of(values), rows["p_raw"].to_numpy(), 0.05, spent=SPENT)
    np.testing.assert_allclose(rows["p_value"], expected.p_value, rtol=1e-9)
    np.testing.assert_allclose(rows["p_error"].fillna(0), expected.error, rtol=1e-9)
    assert mixed._family()[1] == Adjustment("rotation")
    used = bi.compare_mixed(table(values))
    assert used._family()[1] == Adjustment("bergmann-hommel", "as 3 cells are empty")
    flipped = shared(values, reference="flips").contrasts(all=True)
    expected = closed_pairs(
        means_of(values), rows["p_raw"].to_numpy(), 0.05, reference="flips", spent=SPENT
    )
    np.testing.assert_allclose(flipped["p_value"], expected.p_value, rtol=1e-9)
    one_sided = shared(values, control="b", alternative="better").contrasts(all=True)
    p = np.ones(6)
    p[[0, 3, 4]] = one_sided["p_raw"]
    expected = closed_pairs(means_of(values), p, 0.05, control=1, side=1, spent=SPENT)
    np.testing.assert_allclose(one_sided["p_value"], expected.p_value[[0, 3, 4]], rtol=1e-9)


@pytest.mark.parametrize(
    ("k", "method", "adjust"),
    [(9, "bergmann-hommel", closed_testing.bergmann_hommel), (16, "holm", multiplicity.holm)],
)
def test_more_algorithms_take_steps_on_their_p_values(k, method, adjust):
    mixed = shared(gappy(shape=(12, 1, k)))
    assert mixed._family()[1] == Adjustment(method, f"as there are {k} algorithms, more than 8")
    rows = mixed.contrasts(all=True)
    raw = rows["p_raw"].to_numpy()
    expected = adjust(raw, k, SPENT) if method == "bergmann-hommel" else adjust(raw, SPENT)
    np.testing.assert_allclose(rows["p_value"], expected)


def test_contrasts_of_several_take_the_data_sets_that_hold_all():
    values = gappy()
    means = means_of(values)
    mixed = shared(values, contrasts={"ab - c": {"a": 0.5, "b": 0.5, "c": -1.0}})
    row = mixed.contrasts(all=True).iloc[0]
    difference = (means[:, 0] + means[:, 1]) / 2 - means[:, 2]
    difference = difference[np.isfinite(difference)]
    assert len(difference) == 9
    assert row["estimate"] == pytest.approx(difference.mean())
    assert row["std_error"] == pytest.approx(difference.std(ddof=1) / 3)
    assert row["df"] == 8


def least_squares(means):
    """Levels of the fit of data sets and algorithms, told by all cells at once."""
    d, k = np.nonzero(np.isfinite(means))
    n, m = means.shape
    x = np.zeros((len(d), n + m))
    x[range(len(d)), d] = x[range(len(d)), n + k] = 1
    b = np.linalg.lstsq(x, means[d, k], rcond=None)[0]
    return b[n:] + b[:n].mean()


def test_levels_are_those_of_the_additive_fit_with_errors_between_data_sets():
    values = gappy()
    means, mixed = means_of(values), shared(values)
    np.testing.assert_allclose(mixed.levels.estimate, least_squares(means))
    assert (mixed.levels.low < mixed.levels.estimate).all()
    complete = simulated(31, (12, 3, 4), effect=0.2)
    levels = shared(complete).levels
    error = means_of(complete).std(axis=0, ddof=1) / np.sqrt(12)
    half = critical_t(np.full(4, 11.0), 0.05) * error
    np.testing.assert_allclose(levels.high - levels.estimate, half)


def test_pairs_that_share_too_few_data_sets_are_undecided_and_named():
    values = simulated(3, (9, 2, 4), effect=2.0)
    values[:5, :, 0], values[7:, :, 1], values[7:, :, 0] = np.nan, np.nan, np.nan
    values[:, :, 3][[5, 6], :] = np.nan  # a and b share 2 data sets, a and d none
    mixed = shared(values)
    rows = mixed.contrasts(all=True).set_index(["first", "second"])
    for pair in (("a", "b"), ("a", "c"), ("a", "d")):
        row = rows.loc[pair]
        assert (row["p_raw"], row["p_value"], row["verdict"]) == (1, 1, "undecided")
        assert (row["conf_low"], row["conf_high"]) == (-np.inf, np.inf)
    means, level = means_of(values), mixed.levels.estimate
    assert rows.loc[("a", "b"), "estimate"] == pytest.approx(np.nanmean(means[:, 0] - means[:, 1]))
    assert rows.loc[("a", "d"), "estimate"] == pytest.approx(level[0] - level[3])
    assert rows.loc[("b", "c"), "p_value"] < 0.05
    check = mixed.diagnostics().set_index("check").loc["pairs that share fewer than 3 data sets"]
    assert (check["value"], check["ok"]) == (3, False)
    named = check["sentence"].rpartition("(")[2].removesuffix(").")
    assert [one for one in "bcd" if f"{one} and a" in named or f"a and {one}" in named] == [*"bcd"]


def test_a_pair_with_one_difference_is_named_where_it_has_enough_data_sets():
    values = gappy()
    values[:, :, 3] = values[:, :, 2] + 0.5
    checks = shared(values).diagnostics().set_index("check")
    assert checks.loc["pairs with the same difference on every data set", "value"] == 1
    assert checks.loc["pairs that share fewer than 3 data sets", "value"] == 0
    rows = shared(values).contrasts(all=True).set_index(["first", "second"])
    assert rows.loc[("c", "d"), "p_value"] == 1


def test_influence_leaves_data_sets_and_algorithms_out_of_shared_means():
    values = gappy(effect=0.4)
    mixed = shared(values)
    found = mixed.influence()
    for d in (0, 2, 9):
        rest = [i for i in range(12) if i != d]
        without = shared(values[rest])
        changed = int((without.pairs.codes != mixed.pairs.codes).sum())
        assert found["n_changed"][d] == changed
        moved = (mixed.evidence.estimate - without.evidence.estimate) / mixed.evidence.std_error
        assert found["shift"][d] == pytest.approx(moved[np.abs(moved).argmax()], rel=1e-6)
    means = SharedMeans(means_of(values))
    pairs = np.eye(4)[[0, 0]] - np.eye(4)[[1, 2]]
    full = means.estimates(pairs).estimate[:2]
    without = SharedMeans(np.delete(means.mean, 4, axis=0)).estimates(pairs).estimate[:2]
    np.testing.assert_allclose(means.deletion(pairs)[4], full - without)
    assert means.deletion(pairs)[2].tolist() == [0, 0]
    algorithms = mixed.influence("algorithm", scores=table(values, NAMES))
    assert algorithms["n_changed"].notna().all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"structure": "common"}, "without structure='common'"),
        ({"residual": "algorithm"}, "without residual='algorithm'"),
        ({"domains": "random"}, "without domains='random'"),
        ({"covariates": ["size"]}, "without covariates"),
        ({"target": "datasets"}, 'without target="datasets"'),
    ],
)
def test_models_that_borrow_are_refused(options, words):
    with pytest.raises(ArgumentError, match=words):
        shared(gappy(), **options)


def test_one_data_set_shares_none():
    with pytest.raises(DesignError, match="by the data sets that they share, and there is one"):
        shared(simulated(1, (1, 6, 3)))


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        (gappy(), {}, "take the data sets that hold all their algorithms, or where these are too"),
        (gappy(shape=(50, 1, 4), cells=((2, 0),)), {}, "take gaps as filled by the additive fit"),
        (gappy(), {"reference": "flips"}, "flip the differences that each pair has"),
    ],
)
def test_the_method_says_how_gaps_enter_the_closed_test(values, options, words):
    mixed = shared(values, **options)
    assert "were compared by the paired t-test of each pair on the means of the" in mixed.method
    assert f" Tests of several pairs together {words}" in mixed.method
    assert mixed.formula.endswith(", each pair by the paired t-test")
    assert "student1908" in mixed.citations()
    assert "several pairs together" not in shared(values, adjust="holm").method
    assert "several pairs together" not in shared(simulated(1, (8, 2, 3))).method


@pytest.mark.slow
def test_it_is_saved_with_its_means(tmp_path):
    mixed = shared(gappy())
    mixed.save(tmp_path / "mixed.json")
    again = bi.load(tmp_path / "mixed.json")
    assert again.contrasts(all=True).equals(mixed.contrasts(all=True))
    assert again.influence().equals(mixed.influence())
    assert again.options.missing == "shared"


def test_ranks_agree_with_the_pairs():
    for values in (gappy(effect=1.0), gappy(shape=(50, 1, 4), cells=((2, 0),), effect=0.3)):
        rows, summary = shared(values).contrasts(all=True), shared(values).summary()
        better = rows["winner"].value_counts()
        worst = summary.set_index("algorithm")["rank_high"]
        for name, number in better.items():
            if name:
                assert worst[name] == 4 - number
