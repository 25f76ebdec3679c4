from unittest.mock import patch

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.bootstrap import figures


@pytest.mark.parametrize("name", ["resampled", "resampled_seconds"])
def test_rows_are_the_summary_best_first(name, request):
    result = request.getfixturevalue(name)
    table = result.summary().sort_values("rank")
    laid = figures.layout_aggregates(result)
    columns = ["algorithm", "estimate", "conf_low", "conf_high"]
    rows = [(row.label, row.value, row.low, row.high) for row in laid.rows]
    assert rows == [tuple(row) for row in table[columns].to_numpy()]
    values = [row.value for row in laid.rows]
    assert values == sorted(values, reverse=result.measure.better == "higher")
    assert laid.limits[0] < min(row.low for row in laid.rows)
    assert laid.limits[1] > max(row.high for row in laid.rows)


def test_words(resampled, resampled_seconds):
    laid = figures.layout_aggregates(resampled)
    assert laid.title == "Aggregates: simulated score, higher is better"
    assert laid.axis == "interquartile mean of simulated score"
    assert "The best is alg1 with 0.777." in laid.alt
    assert not laid.log
    assert figures.layout_aggregates(resampled_seconds).log


def test_gaps_say_what_they_are(table):
    result = bi.compare_bootstrap(
        table, statistic="optimality-gap", goal=0.9, seed=1, resamples=200
    )
    laid = figures.layout_aggregates(result)
    assert laid.title == "Aggregates: optimality gap of simulated score, lower is better"
    assert laid.rows[0].label == "alg1"


def test_intervals_without_ends_are_no_lines_and_are_counted(resampled):
    table = resampled.summary()
    low = np.array(table["conf_low"])
    assert np.isfinite(low).all()
    bare = resampled.summary().assign(conf_low=-np.inf, conf_high=np.inf)
    with patch.object(type(resampled), "summary", lambda _: bare):
        laid = figures.layout_aggregates(resampled)
        figure = bi.plot(resampled, "aggregates")
    assert {row.said for row in laid.rows} == {"no ends"}
    assert f"{len(bare)} intervals without ends, which resamples do not reach" in laid.notes
    lines = [line for line in figure.axes[0].lines if line.get_linewidth() == 1.6]
    assert sum(np.isfinite(line.get_xdata()).sum() for line in lines) == 0
