"""Blocks of data sets, and tests of where scores are missing."""

import numpy as np
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.scores.checks.gaps import _tests, dataset_levels, groups, rank_sum
from tests.scores.tables import additive, found


def by_design(d=12, k=4):
    held = np.ones((d, k), bool)
    held[: d // 3, 0] = False
    held[-d // 4 :, 1:3] = False
    return held


def test_blocks_are_counted():
    rng = np.random.default_rng(1)
    finding = found(additive(rng, 12, 4), held=by_design())["blocks"]
    assert finding.where == (
        ("data sets", "algorithms", "which"),
        ("5", "4 of 4", "all"),
        ("4", "3 of 4", "all but a00"),
        ("3", "2 of 4", "a00, a03"),
    )
    assert "6 of 6 pairs share fewer than the 12 data sets." in finding.what


def test_pairs_without_a_data_set_are_counted():
    held = np.ones((8, 3), bool)
    held[:4, 0] = held[4:, 1] = False
    finding = found(additive(np.random.default_rng(2), 8, 3), held=held)["blocks"]
    assert finding.what.endswith("the 8 data sets, and 1 shares none (a00 and a01).")


def test_a_whole_table_is_one_block():
    assert "blocks" not in found(additive(np.random.default_rng(3), 6, 4))


def test_levels_of_data_sets_are_those_of_the_additive_model():
    rng = np.random.default_rng(4)
    held = rng.random((9, 5)) < 0.8
    held[0] = True
    exact = rng.normal(size=(9, 1)) + rng.normal(size=(1, 5))
    level, without = dataset_levels(np.where(held, exact, np.nan))
    assert np.allclose(without, level[:, None], atol=1e-3)
    known = np.isfinite(level)
    expected = exact.mean(axis=1)
    assert np.allclose((level - level[0])[known], (expected - expected[0])[known], atol=1e-3)


def test_rank_sum_is_the_published_test():
    rng = np.random.default_rng(8)
    for ties in (False, True):
        level = rng.integers(0, 6, 20) / 5 if ties else rng.random(20)
        missing = np.arange(20) < 7
        share, p = rank_sum(missing, level)
        known = stats.mannwhitneyu(level[:7], level[7:], method="asymptotic")
        assert share == pytest.approx(known.statistic / 91)
        assert p == pytest.approx(known.pvalue)


def test_few_data_sets_are_on_the_safe_side():
    for n, m in ((1, 5), (2, 5), (3, 4), (4, 6), (5, 9)):
        level = np.arange(n + m, dtype=float)
        exact = stats.mannwhitneyu(level[:n], level[n:], method="exact").pvalue
        share, p = rank_sum(level < n, level)
        assert share == 0.0
        assert p > exact or p > 0.05


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (np.eye(3), 3),
        ([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]], 2),
        ([[1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0]], 1),
    ],
)
def test_groups_without_a_chain(held, expected):
    assert groups(np.array(held, bool)) == expected


def test_scores_missing_where_data_sets_are_hard_are_found():
    rng = np.random.default_rng(5)
    values = additive(rng, 24, 4)
    hard = values.mean(axis=1) < np.quantile(values.mean(axis=1), 0.3)
    held = np.ones(values.shape, bool)
    held[hard, 0] = False
    finding = found(values, held=held)["missing where hard"]
    assert finding.severity == "warning"
    assert finding.where[1][:3] == ("a00", "acc", "worse")
    turned = found(-values, "loss:lower", held=held)["missing where hard"]
    assert turned.where == tuple(
        row if i == 0 else (row[0], "loss", *row[2:]) for i, row in enumerate(finding.where)
    )


def test_many_algorithms_missing_a_little_where_hard_are_found_together():
    rng = np.random.default_rng(6)
    values = additive(rng, 40, 8)
    level = values.mean(axis=1)
    held = rng.random(values.shape) > 0.6 * (level < np.median(level))[:, None]
    held[:, 0] = True
    assert found(values, held=held)["missing where hard"].where[1][0] == "all together"


def test_scores_missing_at_random_are_no_finding():
    rng = np.random.default_rng(7)
    rare = 0
    for _ in range(150):
        d, k = int(rng.integers(6, 25)), int(rng.integers(3, 8))
        levels = additive(rng, d, k)
        held = rng.random((d, k)) > 0.2
        if rng.random() < 0.5:  # by design: the same data sets for half of the algorithms
            held[:, : k // 2] = rng.random((d, 1)) > 0.3
        levels = np.where(held, levels, np.nan)[held.any(axis=1)]
        tests = _tests(levels, tuple(map(str, range(k))))
        rare += any(p <= 0.01 for *_, p in tests)
    assert rare <= 5  # of 150 at 1 %


def test_a_bundled_table_with_gaps_is_no_finding():
    rules = {f.rule for f in bi.load_example("simulated/unbalanced").finding_records}
    assert "blocks" in rules
    assert "missing where hard" not in rules
