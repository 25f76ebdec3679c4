import numpy as np
import pytest

import benchinfer as bi
from benchinfer.errors import DesignError
from tests.compare.test_mixed import simulated, table


@pytest.mark.parametrize(
    ("statistic", "reduce"), [("mean", np.mean), ("median", np.median), ("worst", np.min)]
)
def test_statistic_of_each_data_set_with_equal_weight(statistic, reduce):
    values = simulated(1)
    points = bi.compare_points(table(values), statistic=statistic)
    expected = reduce(values, axis=1).mean(axis=0)
    np.testing.assert_allclose(points.summary()["estimate"], expected)
    assert list(points.contrasts().columns) == [
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
    assert str(bi.compare_points(table(values), tolerance=0.2).relation()) == "a ~ b ~ c ~ d"
    assert not bare.diagnostics()["ok"].any()


def test_an_empty_cell_or_a_wrong_statistic_is_refused():
    values = simulated(3)
    values[1, :, 2] = np.nan
    with pytest.raises(DesignError, match="1 of 32 cells have no score"):
        bi.compare_points(table(values))
    with pytest.raises(DesignError, match="unknown statistic 'mode'"):
        bi.compare_points(table(simulated(3)), statistic="mode")


def test_words_follow_the_scale_and_the_tolerance():
    log = bi.Measure("seconds", "lower", scale="log", tolerance=0.1)
    points = bi.compare_points(table(np.exp(simulated(4)), measures=log))
    assert "the geometric mean of the data sets' geometric means" in points.headline()
    assert "by at most a factor of 1.1" in points.rule
    bare = bi.compare_points(table(simulated(4), measures={"score": "higher"}))
    assert "equivalent" not in bare.rule
    assert "equal values are undecided" in bare.rule
