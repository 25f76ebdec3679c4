"""Forest of one pair's effects: what stands in it, for two algorithms and for a network."""

import pytest

import benchinfer as bi
from benchinfer.analyses.meta import figures
from benchinfer.analyses.meta.tables import study_intervals


@pytest.fixture(scope="module")
def table():
    return bi.load_example("sklearn_bootstrap")


def test_two_algorithms_have_one_pooled_effect(table):
    meta = bi.compare_meta(table.subset(algorithms=["mlp", "svm"]), "error")
    found = figures.layout_studies(meta)
    row = meta.contrasts(order="result", all=True).iloc[0]
    assert found.network is None
    assert (found.pooled.low, found.pooled.high) == pytest.approx((row.conf_low, row.conf_high))
    assert found.pooled.label == "pooled"


def test_a_network_stands_below_its_direct_evidence(table):
    meta = bi.compare_meta(table, "error")
    found, p = figures.layout_studies(meta), figures.shown_pair(meta)
    own = study_intervals(meta, p)
    # Figures have the better-ranked first, numbers of a pair its stored order.
    contrast, ahead = (
        meta.contrasts(order="result", all=True).loc[p],
        meta.predict().contrasts().iloc[p],
    )
    assert found.network.label == "network"
    assert found.network.estimate == pytest.approx(contrast["estimate"])
    # Of this pair alone: not adjusted for all pairs.
    assert found.network.high - found.network.low < contrast["conf_high"] - contrast["conf_low"]
    assert own.ahead == pytest.approx((ahead["conf_low"], ahead["conf_high"]))
    assert "hollow diamond" in found.notes[0]
    assert figures.size_studies(found)[1] > 0.75 + 0.2 * len(found.rows)


def test_a_network_shows_pairs_that_differ_and_is_refused_where_all_are_alike(table):
    with pytest.raises(bi.DesignError) as caught:
        bi.plot(bi.compare_meta(table, "error"), "network")
    assert str(caught.value) == (
        "a network shows which pairs are compared, and here all are, each on 12 data sets.\n"
        'Hint: kind="forest" shows all pairs, kind="studies" one pair on each data set.'
    )
    rows = table.to_frame()
    rows = rows.query("measure == 'error' and (algorithm != 'mlp' or dataset != 'wine')")
    meta = bi.compare_meta(bi.read_scores(rows, measures=table.measures[:1]))
    drawn = figures.layout_network(meta)
    held = {drawn.nodes[i][0]: n for i, j, n in drawn.edges for i in (i, j)}
    assert held["mlp"] == 11
    assert [n for name, *_, n in drawn.nodes] == [
        11 if name == "mlp" else 12 for name in meta.algorithms
    ]
    assert {n for i, j, n in drawn.edges if meta.algorithms.index("mlp") in (i, j)} == {11}
