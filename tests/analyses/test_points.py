import re
import tracemalloc
from collections import Counter
from string import ascii_lowercase

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.points import PointsComparison
from benchinfer.comparison.figures import forest
from benchinfer.core.errors import DesignError
from benchinfer.papers.sentences import sentence
from tests.analyses.mixed.test_compare import simulated, table


@pytest.mark.parametrize(
    ("statistic", "reduce"), [("mean", np.mean), ("median", np.median), ("worst", np.min)]
)
def test_statistic_of_each_data_set_with_equal_weight(statistic, reduce):
    values = simulated(1)
    points = bi.compare_points(table(values), statistic=statistic)
    expected = reduce(values, axis=1).mean(axis=0)
    np.testing.assert_allclose(points.summary()["estimate"], expected)
    assert list(points.contrasts(all=True).columns) == [
        "measure", "first", "second", "estimate", "verdict", "winner",
    ]  # fmt: skip


def test_worst_score_is_the_largest_error():
    values = simulated(2)
    points = bi.compare_points(table(values, measures={"error": "lower"}), statistic="worst")
    np.testing.assert_allclose(points.summary()["estimate"], values.max(axis=1).mean(axis=0))


def test_tolerance_makes_equivalent_and_a_bare_tie_does_not():
    values = np.broadcast_to(np.array([0.3, 0.3, 0.1 + 0.2, 0.5]), (3, 1, 4))
    bare = bi.compare_points(table(values, measures={"score": "higher"}))
    assert str(bare.relation()) == "d > a ? b ? c"
    assert str(bi.compare_points(table(values), tolerance=0.2).relation()) == "d ~ a ~ b ~ c"
    assert not bare.diagnostics()["ok"].any()


def test_a_wrong_statistic_is_refused():
    with pytest.raises(DesignError, match="unknown statistic 'mode'"):
        bi.compare_points(table(simulated(3)), statistic="mode")


def test_of_a_table_with_an_empty_cell_the_complete_part_is_compared():
    values = simulated(3)
    values[1, :, 2] = np.nan
    scores = table(values, measures={"score": "higher"})
    found = bi.compare_points(scores)
    whole = np.delete(values, 1, axis=0).mean(axis=(0, 1))
    np.testing.assert_allclose(found.summary()["estimate"], whole, rtol=1e-13)
    assert "Over these 7 data sets, leaving out the data set d01 for empty cells, " in str(found)
    row = found.diagnostics().set_index("check").loc["scores left out of the complete part"]
    assert (row["value"], row["ok"]) == (3 * values.shape[1], False)
    assert row["sentence"].endswith("on every data set: data sets d01.")
    with pytest.raises(DesignError, match=r'(?s)1 of 32 cells lack scores.*missing="use"'):
        bi.compare_points(scores, missing="error")
    with pytest.raises(DesignError, match="unknown missing 'complete'"):
        bi.compare_points(scores, missing="complete")


def test_an_algorithm_with_few_data_sets_goes_before_the_data_sets_do():
    values = simulated(3)
    values[2:, :, 0] = values[7, :, 1] = np.nan
    found = bi.compare_points(table(values, measures={"score": "higher"}))
    assert found.algorithms == ("b", "c", "d")
    assert "leaving out the data set d07 and the algorithm a for empty cells" in str(found)
    np.testing.assert_allclose(
        found.summary()["estimate"], values[:7, :, 1:].mean(axis=(0, 1)), rtol=1e-13
    )


def test_whoever_lacks_the_hard_data_sets_is_not_flattered():
    values = np.broadcast_to([0.6, 0.5], (6, 1, 2)) - np.arange(6)[:, None, None] / 10
    values[3:, :, 1] = np.nan
    found = bi.compare_points(table(values, measures={"score": "higher"}))
    assert found.contrasts(all=True)["winner"].tolist() == ["a"]


def test_a_table_without_a_complete_part_is_refused():
    values = simulated(3)[:2, :, :2].copy()
    values[0, :, 0] = values[1, :, 1] = np.nan
    with pytest.raises(DesignError, match=r"2 of 4 cells .* no part of the table is complete"):
        bi.compare_points(table(values))


def test_words_follow_the_scale_and_the_tolerance():
    log = bi.Measure("seconds", "lower", scale="log", tolerance=0.1)
    points = bi.compare_points(table(np.exp(simulated(4)), measures=log))
    assert "has the lowest geometric mean; nothing was tested" in points.headline()
    assert "by at most a factor of 1.1" in points.rule
    bare = bi.compare_points(table(simulated(4), measures={"score": "higher"}))
    assert "equivalent" not in bare.rule
    assert "equal values are undecided" in bare.rule


@pytest.mark.slow
def test_many_algorithms_need_no_matrix_of_contrasts():
    values = np.random.default_rng(1).normal(size=(2, 1, 600))
    long = pd.DataFrame(values[:, 0], columns=[f"a{i:03d}" for i in range(600)])
    rows = long.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm")
    tracemalloc.start()
    found = bi.compare_points(bi.read_scores(rows, measures={"value": "higher"}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e8  # a matrix of 179,700 pairs by 600 algorithms has 8.6e8 bytes
    level = values.mean(axis=(0, 1))
    first, second = found.pairs.index.T
    np.testing.assert_array_equal(
        found.contrasts(all=True)["estimate"], level[first] - level[second]
    )


def test_a_rule_shows_nothing():
    found = bi.compare_points(table(simulated(34)))
    headline = found.headline()
    assert "nothing was tested" in headline
    assert "; nothing was tested (" in headline
    assert f"{found.ranking()[0]} has the highest mean" in headline
    assert "shown" not in headline
    assert "better than" not in headline
    assert not found._tested


DIRECTION = re.compile(r"\b(higher|lower) is better\b")
VERDICT = re.compile(r"\b(better|worse)\b")


def all_said(result, folder):
    """Return what the reports and the sentences of a result say, without explained columns."""
    texts = [result.sentence()] if isinstance(result, PointsComparison) else [sentence(result)]
    for ending in ("md", "html"):
        bi.report(result, folder / f"points.{ending}")
        texts.append((folder / f"points.{ending}").read_text("utf-8"))
    page = texts.pop()
    page = re.sub(
        r"<(style|script)\b.*?</\1>|<dd>.*?</dd>|title=\"[^\"]*\"", "", page, flags=re.DOTALL
    )
    return [DIRECTION.sub("", text) for text in (*texts, page)]


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 20])
@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("statistic", ["mean", "median", "worst"])
def test_nothing_is_called_better_where_nothing_was_tested(k, better, statistic, tmp_path):
    values = np.random.default_rng([k, len(better)]).normal(0, 1, (4, 3, k)).round(3)
    scores = table(values, ascii_lowercase, measures={"score": better})
    points = bi.compare_points(scores, statistic=statistic)
    for result in (points, bi.per_dataset(bi.compare_points, scores, statistic=statistic)):
        assert [text for text in all_said(result, tmp_path) if VERDICT.search(text)] == []
    first = points.ranking()[0]
    said = Counter(row.said for row in forest.layout(points, order="result").rows)
    assert said[f"{first} {better}"] or said[f"first {better}"] >= k - 1
