"""Which cells come next, in rows and words."""

import benchinfer as bi
from benchinfer.analyses.monitor.feed import said


def test_replications_that_are_no_run_are_listed(draw, table):
    rows = draw(20, {"a": 0.0, "b": 0.0})
    holes = (rows["algorithm"] == "b") & rows["replication"].isin([3, 18])
    cells = bi.monitor(table(rows[~holes]), stage=30).next_cells()
    assert said(cells) == ["d1: b, 2 replications (3 and 18); a and b, 10 replications (21 to 30)"]


def test_the_last_batch_keeps_within_the_budget(draw, table):
    for n, expected in ((20, 50), (70, 30)):
        scores = table(draw(n, {"a": 0.0, "b": 0.0}))
        cells = bi.monitor(scores, method="anytime", last_stage=2).next_cells()
        assert cells["replication"].nunique() == expected
