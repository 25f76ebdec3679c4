"""Intervals of equivalence: they lie within the tolerance just where a pair is equivalent."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.comparison.sections import contrasts
from tests.scores.tables import table

TOLERANCE = 0.02
LEVELS = np.array([0.7, 0.702, 0.701, 0.65, 0.668])
COMPARED = {
    "mixed": bi.compare_mixed,
    "holm": partial(bi.compare_mixed, adjust="holm"),
    "single step": partial(bi.compare_mixed, structure="common"),
    "unadjusted": partial(bi.compare_mixed, adjust="none"),
    "signed ranks": bi.compare_permutation,
    "hommel": partial(bi.compare_permutation, adjust="hommel"),
    "flips": partial(bi.compare_permutation, on="values"),
    "permutation of data sets": partial(bi.compare_permutation, target="datasets"),
    "bootstrap": partial(bi.compare_bootstrap, resample="datasets"),
    "control": partial(bi.compare_mixed, contrasts="dunnett", control="a01"),
}


def drawn(better="higher", d=14, sd=0.008, **measure):
    rng = np.random.default_rng(5)
    x = LEVELS + rng.normal(0, 0.05, (d, 1)) + rng.normal(0, sd, (d, len(LEVELS)))
    x = x[..., None] + rng.normal(0, sd, (d, len(LEVELS), 3))
    return bi.read_scores(
        table(x), measures=[bi.Measure("score", better, tolerance=TOLERANCE, **measure)]
    )


def within(row, tolerance=TOLERANCE):
    return -tolerance <= row["equivalence_low"] < row["equivalence_high"] <= tolerance


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("name", COMPARED)
def test_equivalent_pairs_have_an_interval_within_the_tolerance(name, better):
    found = COMPARED[name](drawn(better))
    rows = found.contrasts(all=True)
    equal = rows["verdict"] == "equivalent"
    assert 0 < equal.sum() < len(rows)
    for _, row in rows[equal].iterrows():
        assert within(row)
        assert row["equivalence_low"] <= row["estimate"] <= row["equivalence_high"]
    assert rows.loc[~equal, ["equivalence_low", "equivalence_high"]].isna().all(axis=None)
    turned = found.contrasts(order="result", all=True).loc[rows.index[equal]]
    assert turned.apply(within, axis=1).all()
    shown = {column.head: column for column in contrasts(found).columns}
    column = shown["equivalent within"]
    ends = rows[[column.name, *column.also]].to_numpy()
    assert [bool(column.write(*row)) for row in ends] == equal.tolist()


@pytest.mark.parametrize("name", COMPARED)
def test_without_an_equivalent_pair_there_are_no_such_columns(name):
    found = COMPARED[name](drawn(d=6, sd=0.08))
    rows = found.contrasts(all=True)
    assert not (rows["verdict"] == "equivalent").any()
    assert not [column for column in rows if column.startswith("equivalence_")]


def means_of(scores):
    return scores.to_frame().pivot_table("value", "dataset", "algorithm").to_numpy()


def own_tests(scores):
    means = means_of(scores)
    i, j = np.triu_indices(means.shape[1], 1)
    pairs = means[:, i] - means[:, j]
    return pairs.mean(axis=0), stats.sem(pairs), len(means) - 1


def test_intervals_are_of_the_step_at_which_a_pair_is_tested():
    scores = drawn()
    rows = bi.compare_mixed(scores).contrasts(all=True)
    estimate, error, df = own_tests(scores)
    p = stats.t.sf((TOLERANCE - abs(estimate)) / error, df)
    order = np.argsort(p)
    for step, pair in enumerate(order):
        level = 0.05 / (len(p) - step)
        if p[pair] > level:
            break
        # Equal p-values of later steps leave less of the level.
        reach = stats.t.isf(level, df) * error[pair]
        got = rows.loc[pair, ["equivalence_low", "equivalence_high"]].astype(float)
        expected = estimate[pair] - reach, estimate[pair] + reach
        np.testing.assert_allclose(got, expected, rtol=1e-9)
    assert step == (rows["verdict"] == "equivalent").sum() > 1


def test_two_algorithms_have_the_interval_of_twice_the_level():
    two = drawn().subset(algorithms=["a00", "a01"])
    row = bi.compare_mixed(two).contrasts(all=True).iloc[0]
    estimate, error, df = own_tests(two)
    reach = stats.t.isf(0.05, df) * error
    got = row[["equivalence_low", "equivalence_high"]].astype(float)
    np.testing.assert_allclose(got, [estimate[0] - reach[0], estimate[0] + reach[0]], rtol=1e-9)
    ranks = bi.compare_permutation(two).contrasts(all=True).iloc[0]
    first, second = means_of(two).T
    for end, sign in (("equivalence_low", 1), ("equivalence_high", -1)):
        inside, outside = (
            stats.wilcoxon(sign * (first - second - ranks[end]) + e, alternative="greater").pvalue
            for e in (-1e-9, 1e-9)
        )
        assert outside <= 0.05 < inside


def test_one_error_for_all_pairs_has_one_critical_value():
    scores = drawn()
    rows = bi.compare_mixed(scores, structure="common").contrasts(all=True)
    equal = rows["verdict"] == "equivalent"
    half = (rows["equivalence_high"] - rows["equivalence_low"])[equal] / 2
    df = float(rows["df"].iloc[0])
    critical = stats.studentized_range.isf(0.1, len(LEVELS), df) / 2**0.5
    np.testing.assert_allclose(half / rows["std_error"][equal], critical, rtol=1e-3)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign-flip"])
def test_tests_of_a_pair_have_it(test):
    rng = np.random.default_rng(2)
    x = rng.normal(0.7, 0.03, (1, 1, 40)) + rng.normal(0, 0.005, (1, 2, 40))
    scores = bi.read_scores(table(x), measures=["score:higher"])
    row = bi.compare_pair(scores, test=test, margin=0.02).contrasts(all=True).iloc[0]
    assert row["verdict"] == "equivalent"
    assert within(row, 0.02)
    if test == "t":
        pairs = x[0, 0] - x[0, 1]
        low, high = stats.ttest_1samp(pairs, 0).confidence_interval(0.9)
        got = row[["equivalence_low", "equivalence_high"]].astype(float)
        np.testing.assert_allclose(got, [low, high], rtol=1e-9)


def test_ratios_turn_to_their_inverse():
    scores = drawn(scale="log")
    found = bi.compare_mixed(scores)
    rows = found.contrasts(all=True)
    equal = rows["verdict"] == "equivalent"
    assert equal.any()
    assert (rows["equivalence_low"][equal] >= 1 / 1.02 - 1e-12).all()
    assert (rows["equivalence_high"][equal] <= 1.02 + 1e-12).all()
    turned = found.contrasts(order="result", all=True)
    for i, row in turned.loc[rows.index[equal]].iterrows():
        ends = rows.loc[i, ["equivalence_low", "equivalence_high"]].astype(float).tolist()
        same = row["first"] == rows.loc[i, "first"]
        got = [row["equivalence_low"], row["equivalence_high"]]
        np.testing.assert_allclose(got, ends if same else [1 / ends[1], 1 / ends[0]])


@pytest.mark.parametrize("level", [0.5, 0.4])
@pytest.mark.parametrize("compare", [bi.compare_mixed, bi.compare_permutation])
def test_of_half_the_level_the_estimate_is_left(compare, level):
    two = drawn().subset(algorithms=["a00", "a01"])
    row = compare(two, level=level).contrasts(all=True).iloc[0]
    assert row["verdict"] == "equivalent"
    assert row["equivalence_low"] == pytest.approx(row["estimate"], abs=1e-3)
    assert row["equivalence_high"] == pytest.approx(row["estimate"], abs=1e-3)


def test_intervals_are_saved(tmp_path):
    found = bi.compare_mixed(drawn())
    found.save(tmp_path / "found.json")
    again = bi.load(tmp_path / "found.json")
    columns = ["equivalence_low", "equivalence_high"]
    there, here = (f.contrasts(all=True)[columns] for f in (again, found))
    np.testing.assert_array_equal(there, here)
