"""Ensembles: names, weights, comparison of their members."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from benchinfer.relations.consensus.numerics.costs import tally
from benchinfer.relations.ensemble import Clusters, Ensemble, Map
from benchinfer.relations.numerics.distances import linkage
from benchinfer.relations.relation import Relation

TEXTS = {
    "d1": "a > b > c",
    "d2": "a ~ b > c",
    "d3": "c > b ? a",
    "d4": "a > b > c",
}


@pytest.fixture(name="four")
def make_four():
    return Ensemble({name: Relation.from_text(text) for name, text in TEXTS.items()})


def test_an_ensemble_is_a_mapping(four):
    assert list(four) == list(TEXTS)
    assert len(four) == 4
    assert four["d3"] == Relation.from_text("c > b ? a")
    assert four == {name: Relation.from_text(text) for name, text in TEXTS.items()}
    assert four != four.weighted([1, 1, 1, 2])
    assert four.weighted({"d4": 2, "d1": 1, "d2": 1, "d3": 1}).weights.tolist() == [1, 1, 1, 2]
    assert str(four).splitlines()[2] == "d3  c > b ? a"
    assert repr(four) == "<Ensemble of 4 relations on 3 algorithms>"
    assert repr(four.weighted([1, 2, 3, 4])) == (
        "<Ensemble of 4 relations on 3 algorithms, weighted>"
    )


def test_relations_on_other_algorithms_have_missing_pairs():
    both = Ensemble({"x": Relation.from_text("b > a"), "y": Relation.from_text("c > b")})
    assert both.algorithms == ("b", "a", "c")
    assert both.states.tolist() == [
        [[2, 3, 0], [4, 2, 0], [0, 0, 2]],
        [[2, 0, 4], [0, 2, 0], [3, 0, 2]],
    ]
    assert both["x"].algorithms == ("b", "a")
    whole = both.merged(missing="undecided")
    assert str(whole["x"]) == "b > a; undecided: b ? c, c ? a"
    assert both.merged()["x"] == both["x"]


def test_weights_and_relations_must_fit():
    one = Relation.from_text("a > b")
    for wrong in ({}, [one], {"x": "a > b"}, None):
        with pytest.raises(DesignError, match="at least one relation, each with a name"):
            Ensemble(wrong)
    with pytest.raises(DesignError, match="1 relations need 1 weights, not 2"):
        Ensemble({"x": one}, [1, 2])
    with pytest.raises(DesignError, match="1 names are in the relations or in the weights"):
        Ensemble({"x": one, "y": one}, {"x": 1})
    for bad in ([-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0]):
        with pytest.raises(DesignError, match="1 of 2 weights cannot be used"):
            Ensemble({"x": one, "y": one}, bad)
    with pytest.raises(DesignError, match="2 of 2 weights cannot be used"):
        Ensemble({"x": one, "y": one}, [0, 0])
    with pytest.raises(DesignError, match="not all numbers"):
        Ensemble({"x": one}, ["heavy"])


def test_frames_and_files(four, tmp_path):
    table = four.weighted([1, 2, 3, 4]).to_frame()
    assert list(table.columns) == ["relation", "weight", "first", "second", "verdict", "winner"]
    assert table.iloc[3].tolist() == ["d2", 2.0, "a", "b", "equivalent", ""]
    weighted = four.weighted([1, 2, 3, 4])
    assert bi.load(weighted.save(tmp_path / "ensemble.json")) == weighted


def test_subsets_keep_their_weights(four):
    part = four.weighted([1, 2, 3, 4]).subset(["d4", "d2"])
    assert list(part) == ["d4", "d2"]
    assert part.weights.tolist() == [4, 2]
    with pytest.raises(DesignError, match="unknown relation 'd9'"):
        four.subset(["d9"])


def test_distances_are_those_of_the_pairs_of_relations(four):
    for kind in ("symdiff", "cks", "cook-seiford", "spearman"):
        table = four.distances(kind)
        for a, b in combinations(TEXTS, 2):
            assert table.loc[a, b] == table.loc[b, a] == four[a].distance(four[b], kind)
    assert four.distances().loc["d1"].tolist() == [0, 1, 5, 0]
    assert four.distances(undecided="equivalent").loc["d2", "d3"] == 4
    assert four.distances().loc["d2", "d3"] == 6
    with pytest.raises(DesignError, match="unknown kind 'kendall'"):
        four.distances("kendall")


def test_missing_pairs_are_ignored_or_undecided():
    a, b = Relation.from_text("a > b > c"), Relation.from_text("a > b")
    assert a.distance(b) == 0
    assert a.distance(b, missing="undecided") == 2
    assert a.agreement(b) == 1
    assert np.isnan(a.agreement(Relation.from_text("x > y")))


def test_agreement(four):
    assert four["d1"].agreement(Relation.from_text("c > b > a")) == -1
    assert four["d1"].agreement(four["d2"]) == pytest.approx(1 - 1 / 3)
    assert four["d1"].agreement(four["d2"], "symdiff") == pytest.approx(1 - 1 / 6)
    table = four.agreements()
    mean = np.mean([table.loc[a, b] for a, b in combinations(TEXTS, 2)])
    assert four.agreement() == pytest.approx(mean)
    # A relation that weighs twice agrees with itself in the pair that it then makes.
    heavy = four.subset(["d1", "d3"]).weighted([2, 1])
    assert heavy.agreement() == pytest.approx(four["d1"].agreement(four["d3"]))
    assert np.isnan(four.subset(["d1"]).agreement())


def test_concordance():
    same = Ensemble({n: Relation.from_text("a > b > c") for n in "xyz"})
    assert same.concordance() == pytest.approx(1)
    turned = Ensemble({"x": same["x"], "y": same["x"].converse()})
    assert turned.concordance() == pytest.approx(0)


def test_the_tally_adds_up(four):
    table = four.weighted([1, 2, 3, 4]).tally()
    assert list(table.columns) == [
        "first",
        "second",
        "weight_first",
        "weight_equivalent",
        "weight_second",
        "weight_undecided",
        "weight_missing",
    ]
    assert table.iloc[0].tolist() == ["a", "b", 5, 2, 0, 3, 0]
    assert (table.iloc[:, 2:].sum(axis=1) == 10).all()


def test_a_majority_is_more_than_half_of_those_who_compared():
    texts = ["a > b", "a > b", "b > a", "a ~ b"]
    tied = Ensemble({str(i): Relation.from_text(t) for i, t in enumerate(texts)})
    assert str(tied.majority()) == "a ? b"
    assert str(tied.weighted([2, 1, 1, 1]).majority()) == "a > b"
    lost = Ensemble({"x": Relation.from_text("a > b"), "y": Relation.from_text("c > b")})
    assert lost.majority().incidence().loc["a", "c"] == "missing"
    assert lost.majority().incidence().loc["a", "b"] == "first"


def test_majorities_can_run_in_a_circle():
    texts = ["a > b > c", "b > c > a", "c > a > b"]
    circle = Ensemble({t: Relation.from_text(t) for t in texts}).majority()
    assert circle.kind == "cyclic"


def test_clusters_and_map(four):
    found = four.clusters()
    assert found.cut(2) == [["d1", "d2", "d4"], ["d3"]]
    assert found.merges.shape == (3, 4)
    with pytest.raises(DesignError, match="4 relations make 1 to 4 clusters, not 5"):
        found.cut(5)
    with pytest.raises(DesignError, match="unknown method 'ward'"):
        four.clusters(method="ward")
    points = four.map().to_frame()
    assert list(points.columns) == ["relation", "x", "y"]
    at = points.set_index("relation")
    pd.testing.assert_series_equal(at.loc["d1"], at.loc["d4"], check_names=False)
    assert 0.9 < four.map().share <= 1


def test_comparisons_per_data_set_make_an_ensemble():
    scores = bi.load_example("simulated/balanced")
    local = bi.per_dataset(bi.compare_points, scores)
    ensemble = local.relations()
    assert isinstance(ensemble, Ensemble)
    assert all(ensemble[name] == local[name].relation() for name in local)
    assert ensemble.plot().get_label().startswith("Verdicts about 6 pairs of algorithms in 10")


def test_renaming_renames(four):
    new = dict(zip("abc", ("x > y", "p q", "?"), strict=True))
    moved = Ensemble(
        {name: Relation(tuple(new[a] for a in r.algorithms), r.states) for name, r in four.items()}
    )
    assert (moved.distances() == four.distances()).all(axis=None)
    assert moved.concordance() == four.concordance()


def test_ensembles_of_measures_are_joined_with_their_weights():
    one = Ensemble({"d1": Relation.from_text("a > b"), "d2": Relation.from_text("b > a")}, [1, 3])
    two = Ensemble({"d1": Relation.from_text("a ~ b")})
    both = Ensemble.joined({"error": one, "seconds": two}, {"error": 2, "seconds": 0.5})
    assert list(both) == ["error: d1", "error: d2", "seconds: d1"]
    assert both.weights.tolist() == [2, 6, 0.5]
    same = Ensemble({"y: a": two["d1"]}), Ensemble({"a": two["d1"]})
    with pytest.raises(DesignError, match="1 relation would have the name of another"):
        Ensemble.joined({"x": same[0], "x: y": same[1]})
    assert Ensemble.joined({"error": one, "seconds": two}, [2, 0.5]).weights.tolist() == [2, 6, 0.5]


def test_joined_parts_multiply_their_weights() -> None:
    order = Relation.from_text
    error = Ensemble({"d1": order("a > b"), "d2": order("b > a")}, weights={"d1": 2, "d2": 1})
    both = Ensemble.joined(
        {"error": error, "seconds": order("b > c")}, {"error": 3, "seconds": 0.5}
    )
    assert dict(zip(both, both.weights.tolist(), strict=True)) == {
        "error: d1": 6.0,
        "error: d2": 3.0,
        "seconds": 0.5,
    }
    assert both.algorithms == ("a", "b", "c")
    assert Ensemble.joined({"error": error}).weights.tolist() == [2.0, 1.0]
    with pytest.raises(DesignError, match="at least one relation"):
        Ensemble.joined({})
    with pytest.raises(DesignError, match="1 names are in the relations or in the weights"):
        Ensemble.joined({"error": error}, {"error": 1, "seconds": 1})


def test_parts_have_names() -> None:
    with pytest.raises(
        DesignError, match=r"parts is .*\nHint: a mapping of texts to Relations or Ensembles"
    ):
        bi.Ensemble.joined([bi.Relation.from_text("a > b")])  # pyright: ignore[reportArgumentType]


def test_weights_of_verdicts_are_sums_over_relations():
    texts = ["a > b ~ c", "c > a ? b", "b > c > a"]
    many = Ensemble({t: Relation.from_text(t, "abc") for t in texts}, [1, 2, 4])
    found = tally(many.states, many.weights)
    for verdict in Verdict:
        for i in range(3):
            for j in range(3):
                total = (i != j) * sum(
                    w for w, s in zip((1, 2, 4), many.states, strict=True) if s[i, j] == verdict
                )
                assert found[verdict, i, j] == total
    assert np.array_equal(many.majority().states, many["b > c > a"].states)


def test_clusters_have_names():
    at = np.array([0.0, 5.0, 0.1])
    found = Clusters(("x", "y", "z"), linkage(np.abs(at[:, None] - at), "complete"))
    assert found.cut(1) == [["x", "y", "z"]]
    assert found.cut(2) == [["x", "z"], ["y"]]
    assert found.cut(3) == [["x"], ["y"], ["z"]]


def test_a_map_is_a_table():
    table = Map(("x", "y"), np.array([[1.0, 0.0], [-1.0, 0.5]]), 1.0).to_frame()
    assert table.to_dict("list") == {"relation": ["x", "y"], "x": [1.0, -1.0], "y": [0.0, 0.5]}
