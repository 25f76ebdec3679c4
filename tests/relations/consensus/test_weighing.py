"""Weights of parts: where along them the consensus changes."""

from pathlib import Path

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.relations.consensus.numerics.costs import cost_tensor
from benchinfer.relations.consensus.stability import Order
from benchinfer.relations.consensus.weights import WeightSensitivity, consensus_weights
from tests.relations.consensus.numerics.test_resampled import enumerated, orders
from tests.relations.consensus.test_influence import votes


def test_two_opposite_orders_change_in_the_middle() -> None:
    order = bi.Relation.from_text
    parts = {"error": order("a > b"), "seconds": order("b > a")}
    found = consensus_weights(parts, {"error": 1, "seconds": 0.2}, family="linear")
    assert found.regions().to_dict("list") == {
        "part": ["error", "error", "seconds", "seconds"],
        "share_low": [0.0, 0.5, 0.0, 0.5],
        "share_high": [0.5, 1.0, 0.5, 1.0],
        "n_optima": [1, 1, 1, 1],
        "order": ["b > a", "a > b", "a > b", "b > a"],
    }
    table = found.summary().set_index("part")
    ends = ["weight_low", "weight_high"]
    assert table.loc["error", ends].tolist() == pytest.approx([0.2, np.inf])
    assert table.loc["seconds", ends].tolist() == pytest.approx([0, 1])
    assert table.loc["seconds", "share"] == pytest.approx(1 / 6)
    even = consensus_weights(parts, family="linear").summary()
    assert even["weight_low"].tolist() == even["weight_high"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("family", ["linear", "weak"])
@pytest.mark.parametrize("seed", range(3))
def test_margins_are_where_the_optima_change(family: Order, seed: int) -> None:
    parts = {name: votes(10 * seed + k, 3) for k, name in enumerate("xyz")}
    weights = {"x": 1.0, "y": 0.5, "z": 0.3}
    found = consensus_weights(parts, weights, family=family)
    states = orders(tied=family == "weak")

    def shares(**changed: float) -> np.ndarray:
        joined = bi.Ensemble.joined(parts, weights | changed)
        assert joined.algorithms == tuple("abcde")
        costs, _ = cost_tensor(joined.states, joined.weights, "symdiff", missing_as_undecided=False)
        assert costs.dtype == np.int64
        return enumerated(costs.astype(np.int64), states)[1]

    now = shares()
    for row in found.summary().to_dict("records"):
        name, low, high = row["part"], row["weight_low"], row["weight_high"]
        assert low <= row["weight"] <= high
        if low == high:
            continue
        inside = round((low + min(high, 50.0)) / 2, 3)
        np.testing.assert_allclose(shares(**{name: inside}), now)
        if low > 0.02:
            assert not np.allclose(shares(**{name: round(low - 0.01, 3)}), now)
        if high < np.inf:
            assert not np.allclose(shares(**{name: round(high + 0.01, 3)}), now)
    assert sum(len(line) for line in found.breaks) > 6


def test_an_ensemble_is_taken_by_its_relations_and_weights() -> None:
    ensemble = votes(4, 5)
    found = consensus_weights(ensemble)
    assert found.parts == tuple(ensemble)
    assert found.weights.tolist() == ensemble.weights.tolist()
    given = dict(zip(ensemble, ensemble.weights.tolist(), strict=True))
    assert consensus_weights(dict(ensemble), given).breaks == found.breaks


def test_whole_and_other_weights_give_the_same_breaks() -> None:
    parts = {name: votes(k, 3) for k, name in enumerate("xy")}
    whole = consensus_weights(parts, {"x": 1, "y": 2})
    scaled = consensus_weights(parts, {"x": np.pi, "y": 2 * np.pi})
    np.testing.assert_allclose(whole.breaks[0], scaled.breaks[0])
    odd = {n: e.weighted(np.pi * e.weights) for n, e in parts.items()}
    np.testing.assert_allclose(consensus_weights(odd, {"x": 1, "y": 2}).breaks[0], whole.breaks[0])


def test_open_pairs_are_undecided() -> None:
    order = bi.Relation.from_text
    found = consensus_weights({"x": order("a > b > c"), "y": order("a > c")}, family="linear")
    # With no weight on the first, b may stand anywhere; between 0 and 1 there is one order.
    assert [list(counts) for counts in found.counts] == [[1], [1]]
    none = {"x": order("a > b"), "y": order("c > d")}
    (line, _) = consensus_weights(none, family="linear").regions().groupby("part")["order"]
    assert "?" in line[1].iloc[0]


def test_saved_and_loaded(tmp_path: Path) -> None:
    found = consensus_weights({name: votes(k, 3) for k, name in enumerate("xy")})
    again = bi.load(found.save(tmp_path / "weights.json"))
    assert isinstance(again, WeightSensitivity)
    assert again.regions().equals(found.regions())
    assert again.summary().equals(found.summary())


def test_refused() -> None:
    order = bi.Relation.from_text("a > b")
    with pytest.raises(bi.DesignError, match="at least two parts"):
        consensus_weights({"x": order})
    with pytest.raises(bi.DesignError, match="1 of 2 weights are not above 0"):
        consensus_weights({"x": order, "y": order}, {"x": 1, "y": 0})
    with pytest.raises(bi.DesignError, match="names are in the relations or in the weights"):
        consensus_weights({"x": order, "y": order}, {"x": 1})
