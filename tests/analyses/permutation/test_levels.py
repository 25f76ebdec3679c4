"""Levels of the statistic that is tested, against ranks and least squares by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.comparison.sections import summary

REST = np.array([0.5, 0.52, 0.55, 0.57, 0.6, 0.63, 0.64, 0.66, 0.7])
RANKED = ("ranks", "aligned-ranks", "normal-scores")


def read(columns, better="higher"):
    frame = pd.DataFrame(columns)
    frame.insert(0, "dataset", [f"d{i:02}" for i in range(len(frame))])
    return bi.read_scores(frame, measures=f"score:{better}", layout="wide-algorithms")


def ten():
    """A is better by 0.01 on nine data sets, B by 0.8 on one."""
    return read({"A": [*(REST + 0.01), 0.1], "B": [*REST, 0.9]})


def many(seed=1, better="higher"):
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 1, (25, 1)) + rng.standard_cauchy((25, 3)) + [1.0, 0.5, 0.0]
    return values, read(dict(zip("CBA", values.T, strict=True)), better)


@pytest.mark.parametrize("pairs", ["pairwise", "pooled"])
@pytest.mark.parametrize("on", RANKED)
def test_one_data_set_does_not_turn_the_order_of_ranks(on, pairs):
    found = bi.compare_permutation(ten(), on=on, pairs=pairs)
    rows = found.summary().set_index("algorithm")
    assert rows["mean"]["A"] < rows["mean"]["B"]
    assert found.ranking() == ("A", "B")
    assert rows["rank"].to_dict() == {"A": 1.0, "B": 2.0}
    assert found.headline().partition(", ")[2].startswith("A ")
    assert found.table().data["algorithm"].tolist() == ["A", "B"]
    assert found.relation().order == ("A", "B")


def test_means_keep_the_order_of_means():
    found = bi.compare_permutation(ten(), on="values")
    assert found.ranking() == ("B", "A")
    assert "B has the higher mean score" in found.headline()
    assert "mean" not in found.summary()


@pytest.mark.slow
def test_levels_beside_typical_differences_are_medians_in_the_order_of_walsh_medians():
    i, j = np.tril_indices(25)
    orders = set()
    for seed in range(12):
        values, scores = many(seed)
        found = bi.compare_permutation(scores, on="ranks", null="asymptotic")
        level = found.summary().set_index("algorithm")["estimate"]
        if found.level_name == "median score":
            np.testing.assert_allclose(level[["C", "B", "A"]], np.median(values, axis=0))
            np.testing.assert_allclose(found.summary()["mean"], values.mean(axis=0)[::-1])

        def shift(a, b, values=values):
            d = values[:, a] - values[:, b]
            return np.median((d[i] + d[j]) / 2)

        shifts = np.array([[shift(a, b) for b in range(3)] for a in range(3)])
        key = list(zip(np.sign(shifts).sum(axis=1), shifts.mean(axis=1), "CBA", strict=True))
        assert found.ranking() == tuple(name for *_, name in sorted(key, reverse=True))
        orders.add(found.ranking())
    assert len(orders) > 1


@pytest.mark.slow
@pytest.mark.parametrize("better", ["higher", "lower"])
def test_pooled_levels_are_mean_ranks_from_one_for_the_best(better):
    values, scores = many(2, better)
    sign = -1 if better == "higher" else 1
    found = bi.compare_permutation(scores, on="ranks", pairs="pooled")
    expected = stats.rankdata(sign * values, axis=1).mean(axis=0)
    level = found.summary().set_index("algorithm")["estimate"]
    np.testing.assert_allclose(level[["C", "B", "A"]], expected)
    assert (found.level_name, found.level_better) == ("mean rank", "lower")
    found = bi.compare_permutation(scores, on="aligned-ranks", pairs="pooled")
    aligned = values - values.mean(axis=1, keepdims=True)
    ranks = stats.rankdata(sign * aligned).reshape(aligned.shape)
    level = found.summary().set_index("algorithm")["estimate"]
    np.testing.assert_allclose(level[["C", "B", "A"]], ranks.mean(axis=0))
    normal = stats.norm.ppf((values.size + 1 - ranks) / (values.size + 1)).mean(axis=0)
    found = bi.compare_permutation(scores, on="normal-scores", pairs="pooled")
    level = found.summary().set_index("algorithm")["estimate"]
    np.testing.assert_allclose(level[["C", "B", "A"]], normal)
    assert (found.level_name, found.level_better) == ("mean normal score", "higher")


def test_the_best_rank_is_bold_and_mean_ranks_stand_once():
    _, scores = many(3)
    found = bi.compare_permutation(scores, on="ranks", pairs="pooled")
    heads = [column.head for column in summary(found).columns]
    assert heads[:3] == ["rank", "algorithm", "mean rank"]
    assert heads.count("mean rank") == 1
    assert "scores" in heads
    table = found.table()
    assert table.paper.bold == {(0, 1)}
    assert table.texts()[0].count("mean rank") == 1
    assert float(table.texts()[1][1]) == pytest.approx(found.summary()["estimate"].min(), abs=0.005)


def test_the_control_that_is_best_is_so_by_what_is_tested():
    found = bi.compare_permutation(ten(), on="ranks", contrasts="dunnett", control="best")
    assert found.contrasts(all=True)["second"].tolist() == ["A"]
    assert bi.compare_permutation(
        ten(), on="values", contrasts="dunnett", control="best"
    ).contrasts(all=True)["second"].tolist() == ["B"]


def replicated(spread_of_one=100.0):
    """On one data set of five, 100 times as wide as the others, B is better, else A."""
    rng = np.random.default_rng(4)
    rows = []
    for d in range(5):
        unit = spread_of_one if d == 4 else 1.0
        for r in range(8):
            level, ahead = rng.normal(), (-1.0 if d == 4 else 1.0) + rng.normal(0, 0.1)
            rows += [(f"d{d}", r, "A", unit * (level + ahead)), (f"d{d}", r, "B", unit * level)]
    frame = pd.DataFrame(rows, columns=["dataset", "resample", "algorithm", "score"])
    return frame, bi.read_scores(frame, measures="score:higher", resampling="independent")


def test_scaled_tests_have_scaled_levels():
    frame, scores = replicated()
    found = bi.compare_permutation(scores, on="values", scale="dataset", target="datasets", seed=1)
    assert found.ranking() == ("A", "B")
    wide = frame.pivot_table(values="score", index=["dataset", "resample"], columns="algorithm")
    off = wide.sub(wide.mean(axis=1), axis=0)
    freedom = 8  # of 16 scores on a data set, in blocks of two
    unit = np.sqrt((off**2).groupby("dataset").sum().sum(axis=1) / freedom)
    expected = off.div(unit, level="dataset", axis=0).mean()
    level = found.summary().set_index("algorithm")
    np.testing.assert_allclose(level["estimate"], expected[level.index], rtol=1e-9)
    np.testing.assert_allclose(level["mean"], wide.mean()[level.index])


def test_levels_of_dispersion_are_spreads():
    _, scores = replicated(1.0)
    found = bi.compare_permutation(scores, on="dispersion", target="datasets", seed=1)
    level = found.summary().set_index("algorithm")["estimate"]
    assert (level > 0).all()
    assert "spread of score" in found.headline()
    difference = found.contrasts(all=True)["estimate"].iloc[0]
    assert level["A"] - level["B"] == pytest.approx(difference)
