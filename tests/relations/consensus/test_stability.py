"""The bootstrap of a consensus: what its record says, and what it refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.relations.consensus.stability import Order, Stability, bootstrap_consensus


def votes() -> bi.Ensemble:
    """Three for one order, one for another, with a tie and an algorithm that one relation lacks."""
    return bi.Ensemble(
        {
            "d1": bi.Relation.from_text("a > b > c > d"),
            "d2": bi.Relation.from_text("a > b ~ c > d"),
            "d3": bi.Relation.from_text("a > b > c"),
            "d4": bi.Relation.from_text("c > b > a > d"),
        }
    )


@pytest.mark.slow
def test_shares_of_a_pair_are_binomial() -> None:
    # With one pair and no ties, a is above b if more draws say so: exact by the binomial.
    order = bi.Relation.from_text
    two = bi.Ensemble({"d1": order("a > b"), "d2": order("a > b"), "d3": order("b > a")})
    found = bootstrap_consensus(two, family="linear", resamples=1000, seed=1)
    exact = (2 / 3) ** 3 + 3 * (2 / 3) ** 2 / 3
    assert found.above[0, 0, 1] == pytest.approx(exact, abs=4 * found.above[1, 0, 1])
    assert found.above[1, 0, 1] == pytest.approx(np.sqrt(exact * (1 - exact) / 1000), rel=0.05)
    assert found.unique == 1000
    table = found.orders()
    assert table["order"].tolist() == ["a > b", "b > a"]
    assert table["share"].tolist() == [found.above[0, 0, 1], found.above[0, 1, 0]]


@pytest.mark.slow
@pytest.mark.parametrize("family", ["linear", "weak"])
def test_tables_agree_with_each_other(family: Order) -> None:
    found = bootstrap_consensus(votes(), family=family, resamples=300, seed=2)
    places, pairs, summary = found.positions(), found.pairs(), found.summary()
    by = places.groupby("algorithm")["share"]
    np.testing.assert_allclose(by.sum(), 1)
    mean = (places["position"] * places["share"]).groupby(places["algorithm"]).sum()
    np.testing.assert_allclose(summary["position"], mean[summary["algorithm"]])
    assert summary["position"].is_monotonic_increasing
    tied = pairs["share_tied"] if family == "weak" else 0
    assert ("share_tied" in pairs) == (family == "weak")
    np.testing.assert_allclose(pairs["share_above"] + tied + pairs["share_below"], 1)
    assert len(pairs) == 6
    first = places[places["position"] == 1].set_index("algorithm")["share"]
    np.testing.assert_allclose(summary["share_best"], first[summary["algorithm"]])
    if family == "linear":
        # 1 + how many are above, on average.
        above = found.above[0]
        np.testing.assert_allclose(found.mean_position, 1 + above.sum(axis=0))
        assert summary["share_best"].sum() == pytest.approx(1)


@pytest.mark.slow
def test_ranges_hold_the_level() -> None:
    found = bootstrap_consensus(votes(), resamples=200, seed=3)
    for level in (0.5, 0.9):
        table = found.summary(level).set_index("algorithm")
        for i, name in enumerate(found.algorithms):
            low, high = table.loc[name, "position_low"], table.loc[name, "position_high"]
            assert found.position[0, i, low - 1 : high].sum() >= level - 1e-9
            assert found.position[0, i, : low - 1].sum() <= (1 - level) / 2 + 1e-9
            assert found.position[0, i, high:].sum() <= (1 - level) / 2 + 1e-9


def test_same_seed_same_result_and_the_seed_is_kept() -> None:
    one, two = (bootstrap_consensus(votes(), resamples=50, seed=7) for _ in range(2))
    np.testing.assert_array_equal(one.position, two.position)
    assert one.seed == 7
    drawn = bootstrap_consensus(votes(), resamples=20)
    assert drawn.seed is not None
    again = bootstrap_consensus(votes(), resamples=20, seed=drawn.seed)
    np.testing.assert_array_equal(drawn.above, again.above)


def test_unanimous_orders_never_change() -> None:
    order = bi.Relation.from_text("a > b > c")
    found = bootstrap_consensus(bi.Ensemble({f"d{k}": order for k in range(10)}), resamples=20)
    assert str(found) == "a >1.00 ~0.00 b >1.00 ~0.00 c"
    assert found.orders()["share"].tolist() == [1.0]
    assert found.diagnostics()["ok"].all()
    assert found.pairs()["observed"].tolist() == [1.0] * 3
    assert (found.pairs()["share_error"] == 0).all()


@pytest.mark.slow
def test_weights_of_relations_multiply_draws() -> None:
    order = bi.Relation.from_text
    pair = {"d1": order("a > b"), "d2": order("b > a")}
    found = bootstrap_consensus(
        bi.Ensemble(pair, {"d1": 1.5, "d2": 1.0}), family="linear", resamples=2000, seed=1
    )
    # b wins only where d2 is drawn twice.
    assert found.above[0, 1, 0] == pytest.approx(0.25, abs=0.04)


def test_given_ensembles_are_taken_as_they_are() -> None:
    order = bi.Relation.from_text
    whole = bi.Ensemble({"d1": order("a > b > c"), "d2": order("a > b > c")})
    # Names in another order, one algorithm absent.
    given = [bi.Ensemble({"x": order("c > b > a")}), bi.Ensemble({"y": order("b > a")})]
    found = bootstrap_consensus(whole, family="linear", resampled=given, missing_pairs="ignore")
    assert (found.resamples, found.n_relations, found.seed) == (2, 2, None)
    assert found.algorithms == ("a", "b", "c")
    assert found.above[0, 1, 0] == 1
    # In the second, c can stand anywhere: above a in two of three orders.
    assert found.above[0, 2, 0] == pytest.approx((1 + 2 / 3) / 2)
    assert found.above[2, 0, 1] == 1
    assert bootstrap_consensus(whole, resampled=given, resamples=1).resamples == 1
    with pytest.raises(bi.DesignError, match="'z'"):
        bootstrap_consensus(whole, resampled=[bi.Ensemble({"x": order("z > a")})])


def test_progress_has_a_task_and_a_total() -> None:
    told: list[tuple[str, int, int]] = []
    bootstrap_consensus(votes(), resamples=3, seed=1, progress=lambda *now: told.append(now))
    assert told == [("consensus", 1, 3)] * 3
    shown = bootstrap_consensus(votes(), resamples=3, seed=1, progress=True)
    assert shown.orders().equals(bootstrap_consensus(votes(), resamples=3, seed=1).orders())


def test_diagnostics_say_what_is_weak() -> None:
    found = bootstrap_consensus(votes(), resamples=100, seed=1)
    table = found.diagnostics().set_index("check")
    assert not table.loc["relations drawn from", "ok"]
    assert table.loc["share of resamples with several optima", "value"] == pytest.approx(
        1 - found.unique / 100
    )
    assert table.loc["resamples whose optima were not all found", "ok"]


def test_saved_and_loaded(tmp_path: Path) -> None:
    found = bootstrap_consensus(votes(), resamples=30, seed=1)
    again = bi.load(found.save(tmp_path / "stability.json"))
    assert isinstance(again, Stability)
    np.testing.assert_array_equal(again.position, found.position)
    assert again.orders().equals(found.orders())
    assert repr(again) == repr(found)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"method": "borda"}, "unknown method 'borda'"),
        ({"family": "partial"}, "unknown family 'partial'"),
        ({"missing_pairs": "drop"}, "unknown missing_pairs 'drop'"),
        ({"resamples": 0}, "resamples is 0"),
        ({"resampled": []}, "there is no resampled ensemble"),
    ],
)
def test_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(bi.DesignError, match=words):
        bootstrap_consensus(votes(), **arguments)  # pyright: ignore[reportArgumentType]


def test_ensembles_only() -> None:
    relation = bi.Relation.from_text("a > b")
    with pytest.raises(bi.DesignError, match="there is one relation"):
        bootstrap_consensus(bi.Ensemble({"d": relation}))
    with pytest.raises(bi.DesignError, match=r"ensemble is a Relation"):
        bootstrap_consensus(relation)  # pyright: ignore[reportArgumentType]
    with pytest.raises(bi.DesignError, match=r"Hint: an Ensemble"):
        bootstrap_consensus({"d": relation})  # pyright: ignore[reportArgumentType]
    found = bootstrap_consensus(votes(), resamples=3, seed=1)
    with pytest.raises(bi.DesignError, match="level is 2"):
        found.summary(2)


@pytest.mark.parametrize(
    "given", [{"resamples": 10.5}, {"resamples": 0}, {"resamples": "10"}, {"seed": -1}]
)
def test_resamples_and_seed_are_whole(given: dict[str, Any]) -> None:
    with pytest.raises(DesignError, match=r"(resamples|seed) is"):
        bootstrap_consensus(votes(), **given)


def test_what_is_no_ensemble_is_no_resample() -> None:
    with pytest.raises(DesignError, match=r"resampled is \[1\]"):
        bootstrap_consensus(votes(), resampled=[1])  # pyright: ignore[reportArgumentType]


def test_weight_zero_leaves_a_relation_out() -> None:
    weights = {"d1": 1, "d2": 1, "d3": 0, "d4": 2}
    left = bi.Ensemble({k: r for k, r in votes().items() if k != "d3"}, [1, 1, 2])
    one = bootstrap_consensus(votes().weighted(weights), resamples=50, seed=1)
    two = bootstrap_consensus(left, resamples=50, seed=1)
    assert (one.above == two.above).all()
    assert one.n_relations == 3
    with pytest.raises(DesignError, match="one relation"):
        bootstrap_consensus(votes().weighted([1, 0, 0, 0]), resamples=5)
