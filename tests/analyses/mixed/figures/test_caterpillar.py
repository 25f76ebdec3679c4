import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.mixed import figures


def simulated(d, k, *, spread=0.5, noise=0.1):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(d, 1, 1)) + spread * rng.normal(size=(d, 1, k))
    values = values + noise * rng.normal(size=(d, 3, k))
    row, b, a = np.indices(values.shape).reshape(3, -1)
    columns = {
        "dataset": [f"d{i:03}" for i in row],
        "algorithm": [f"a{i:02}" for i in a],
        "replication": b,
        "value": values.ravel(),
    }
    return bi.read_scores(pd.DataFrame(columns), measures=bi.Measure("m", "lower", 0.1))


@pytest.fixture(scope="module")
def many():
    return bi.compare_mixed(simulated(60, 14))


def effects(mixed):
    """Return the departures by data set and algorithm."""
    table = mixed.departures().query("source == 'dataset:algorithm'")
    return table.set_index(["dataset", "algorithm"])


@pytest.mark.parametrize("name", ["mixed", "seconds"])
def test_marks_are_the_departures(name, request):
    result = request.getfixturevalue(name)
    laid, table = figures.layout_caterpillar(result), effects(result)
    log = np.log if result.measure.scale == "log" else np.asarray
    found, expected = [], []
    for panel in laid.panels:
        for dataset, ends in zip(laid.labels, panel.ends, strict=True):
            row = table.loc[(dataset, panel.label)]
            found.append(ends)
            expected.append(log(row[["conf_low", "estimate", "conf_high"]].to_numpy(float)))
    found, expected = np.array(found), np.array(expected)
    slope, start = np.polyfit(found.ravel(), expected.ravel(), 1)
    np.testing.assert_allclose(start + slope * found, expected, atol=1e-9)
    assert start + slope * laid.neutral == pytest.approx(0, abs=1e-9)
    assert 0 <= found.min() <= found.max() <= 1


@pytest.mark.parametrize("name", ["mixed", "seconds"])
def test_sides_follow_the_direction(name, request):
    result = request.getfixturevalue(name)
    laid, table = figures.layout_caterpillar(result), effects(result)
    neutral, better = result.measure.neutral, result.measure.better
    for panel in laid.panels:
        for dataset, side in zip(laid.labels, panel.side, strict=True):
            row = table.loc[(dataset, panel.label)]
            above, below = row["conf_low"] > neutral, row["conf_high"] < neutral
            good, bad = (above, below) if better == "higher" else (below, above)
            assert side == int(good) - int(bad)
    alt = f"{sum((p.side > 0).sum() for p in laid.panels)} better and"
    assert alt in laid.alt


def test_of_many_those_that_depart_most(many):
    laid, table = figures.layout_caterpillar(many), effects(many)
    assert (len(laid.panels), laid.rows, laid.columns, laid.bands) == (12, 20, 6, 2)
    size = table["estimate"].abs().groupby("dataset").max().sort_values(ascending=False)
    assert list(laid.labels) == size.index[:20].tolist()
    assert laid.notes[-1] == "those that depart most: 20 of 60 data sets, 12 of 14 algorithms"


def test_panels_share_bands_evenly(many):
    laid = figures.layout_caterpillar(bi.compare_mixed(simulated(12, 10)))
    assert (laid.columns, laid.bands, laid.rows) == (5, 2, 12)
    assert len({(panel.left, panel.top) for panel in laid.panels}) == 10
    assert figures.layout_caterpillar(many, 3.3).columns == 2


def test_without_interaction_the_data_sets_stand_alone():
    mixed = bi.compare_mixed(bi.load_example("demsar2006"))
    laid = figures.layout_caterpillar(mixed)
    assert [panel.label for panel in laid.panels] == ["all algorithms"]
    assert laid.rows == 14
    assert "from the average data set" in laid.notes[0]


def test_what_is_departed_from_is_said(mixed, table):
    assert "the algorithm's average and the data set's difficulty" in figures.layout_caterpillar(
        mixed
    ).notes[0]  # fmt: skip
    free = bi.compare_mixed(table, structure="unstructured")
    assert (
        "difference from the algorithm's average, 95 %" in figures.layout_caterpillar(free).notes[0]
    )


def test_models_without_departures(table):
    for result, said in (
        (bi.compare_mixed(table, target="datasets"), "no random effects"),
        (bi.compare_mixed(table.subset(datasets=[table.datasets[0]])), "no random effects"),
        (bi.compare_mixed(table.subset(datasets=list(table.datasets[:2]))), "variance is zero"),
    ):
        with pytest.raises(bi.DesignError, match=said) as caught:
            result.plot("caterpillar")
        assert "Hint: " in str(caught.value)
