"""Consensus as a record: what it says of ensembles whose answer is known."""

import time
from itertools import count

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.relations.consensus.consensus import Consensus, consensus
from benchinfer.relations.consensus.numerics import costs
from benchinfer.relations.relation import Relation


def votes(*orders: str, weights: tuple[float, ...] | None = None) -> bi.Ensemble:
    """Return an ensemble of orders such as ``"a > b ~ c"``; what an order lacks is missing."""
    names = sorted({name for order in orders for name in order.split() if name not in ">~"})
    return bi.Ensemble(
        {f"d{b}": Relation.from_text(order, names) for b, order in enumerate(orders)}, weights
    )


CYCLE = votes("a > b > c > d", "b > c > a > d", "c > a > b > d")


def test_unanimous_orders_are_their_own_consensus() -> None:
    found = consensus(votes("b > a ~ c > d", "b > a ~ c > d"))
    assert str(found) == "b > a ~ c > d"
    assert (found.cost, found.count, found.optimal) == (0, 1, True)
    assert found.diagnostics()["ok"].all()
    assert found.summary().to_numpy().tolist() == [
        ["b", 1, 1],
        ["a", 2, 3],
        ["c", 2, 3],
        ["d", 4, 4],
    ]


def test_of_a_cycle_only_what_all_optima_share_is_told() -> None:
    found = consensus(CYCLE, family="linear")
    assert (
        str(found) == "{a, b, c} > d (common to 3 linear orders that fit equally well)"
        or str(found) == "a ? b ? c > d (common to 3 linear orders that fit equally well)"
    )
    assert sorted(map(str, found.relations())) == [
        "a > b > c > d",
        "b > c > a > d",
        "c > a > b > d",
    ]
    assert found.relation().ranking() == [["a", "b", "c"], ["d"]]
    assert found.ranks.tolist() == [[1, 3], [1, 3], [1, 3], [4, 4]]
    checks = found.diagnostics().set_index("check")
    assert not checks.loc["relations that fit equally well", "ok"]
    assert "3 of 6 pairs are open" in checks.loc["relations that fit equally well", "sentence"]
    pairs = found.support().set_index(["first", "second"])
    assert pairs.loc[("a", "d"), "support"] == 1
    assert np.isnan(pairs.loc[("a", "b"), "support"])
    assert pairs["regret"].tolist() == [0, 0, 6, 0, 6, 6]
    assert pairs["regret_exact"].all()


def test_weights_decide() -> None:
    assert str(consensus(votes("a > b", "b > a", weights=(2, 1)))) == "a > b"
    assert consensus(votes("a > b", "b > a")).count == 3


def test_ties_of_rounded_weights_are_not_counted_for_certain() -> None:
    found = consensus(votes("a > b", "b > a", weights=(np.pi, np.pi)))
    assert (found.count, found.count_exact) == (3, False)
    assert consensus(votes("a > b", "b > a", weights=(1 / 21, 1 / 21))).count_exact


def test_missing_pairs_cost_nothing_or_count_as_undecided() -> None:
    some = votes("a > b", "a > c", "b > c")
    ignored = consensus(some)
    assert (ignored.cost, str(ignored)) == (0, "a > b > c")
    # Two relations of three lack each pair: 1 each from first to undecided.
    assert consensus(some, missing_pairs="undecided").cost == 6
    assert not ignored.diagnostics().set_index("check")["ok"][
        "share of pairs that were not compared"
    ]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("borda", "a ~ b ~ c > d"),
        ("copeland", "a ~ b ~ c > d"),
        ("condorcet", "a ? b ? c > d"),
    ],
)
def test_scores_rank(method: str, expected: str) -> None:
    found = consensus(CYCLE, method=method)  # pyright: ignore[reportArgumentType]
    assert str(found) == expected
    assert found.cost is None
    assert ("score" in found.summary()) == (method != "condorcet")


def test_places_by_cook_and_seiford() -> None:
    found = consensus(
        votes("a > b > c", "a > c > b", "a > b > c"), method="cook-seiford", family="linear"
    )
    assert (str(found), found.cost) == ("a > b > c", 2)


def without_truth(datasets: int, n: int) -> bi.Ensemble:
    """Return orders of n algorithms that have nothing in common."""
    rng = np.random.default_rng(0)
    names = [str(i) for i in range(n)]
    return bi.Ensemble(
        {
            str(b): Relation.from_scores(dict(zip(names, x, strict=True)), better="lower")
            for b, x in enumerate(rng.normal(size=(datasets, n)).tolist())
        }
    )


def test_time_that_is_up_leaves_a_bound() -> None:
    found = consensus(without_truth(5, 40), time_limit=1e-6)
    assert not found.optimal
    assert found.lower_bound is not None
    assert found.cost is not None
    assert found.lower_bound < found.cost
    assert str(found).endswith("(best found, not proved to be the best)")
    assert not found.diagnostics()["ok"][0]


@pytest.mark.parametrize(("n", "usual", "proved"), [(20, 3e8, True), (30, 3e6, False)])
def test_the_clock_changes_nothing(
    n: int, usual: float, *, proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "_USUAL", usual)
    hard = without_truth(7, n)
    one = consensus(hard, family="partial")
    readings = count(step=1000)
    monkeypatch.setattr(time, "monotonic", lambda: next(readings))
    two = consensus(hard, family="partial")
    assert one.optimal == proved
    assert (two.cost, two.lower_bound, two.count) == (one.cost, one.lower_bound, one.count)
    assert two.relations() == one.relations()
    assert (two.certain == one.certain).all()
    assert (two.ranks == one.ranks).all()


def test_it_is_saved_whole(tmp_path) -> None:
    found = consensus(CYCLE, family="partial")
    back = bi.load(found.save(tmp_path / "x.json"))
    assert isinstance(back, Consensus)
    assert str(back) == str(found)
    assert back.relations() == found.relations()
    assert back.support().equals(found.support())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"method": "x"}, "unknown method 'x'"),
        ({"family": "x"}, "unknown family 'x'"),
        ({"missing_pairs": "x"}, "unknown missing_pairs 'x'"),
        ({"method": "borda", "family": "linear"}, "'borda' gives weak orders, not linear orders"),
        ({"method": "cook-seiford"}, "gives linear orders, not weak orders"),
        ({"solutions": 0}, "whole number from 1"),
        ({"time_limit": 0}, "number of seconds above 0"),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, object], text: str) -> None:
    with pytest.raises(DesignError, match=text):
        consensus(CYCLE, **arguments)  # pyright: ignore[reportArgumentType]


def test_one_algorithm_and_none() -> None:
    alone = Relation(("<b>x</b>",), np.full((1, 1), 2, dtype=np.int8))
    assert str(consensus({"d1": alone, "d2": alone})) == "<b>x</b>"
    with pytest.raises(DesignError, match="at least one relation"):
        consensus({})


def test_what_gives_relations_is_taken_for_them() -> None:
    local = bi.per_dataset(bi.compare_points, bi.load_example("sklearn_bootstrap"), "error")
    texts = [str(consensus(x)) for x in (local, local.relations(), dict(local.relations()))]  # pyright: ignore[reportArgumentType]
    assert len(set(texts)) == 1
    assert texts[0].startswith("svm > lda")
    with pytest.raises(DesignError, match="ensemble is"):
        consensus(5)  # pyright: ignore[reportArgumentType]


def test_missing_pairs_count_as_undecided_for_points_too() -> None:
    names = ("a", "b", "c")
    some = bi.Ensemble(
        {k: bi.Relation.from_text(t, names) for k, t in {"d1": "a > b > c", "d2": "b"}.items()}
    )
    for method in ("borda", "copeland", "condorcet"):
        taken = bi.consensus(some, method=method, missing_pairs="undecided")
        told = bi.consensus(some.merged(missing="undecided"), method=method)
        assert taken.summary().equals(told.summary())
    ignored = bi.consensus(some, method="borda").summary()
    assert ignored["score"].tolist() == [1.0, 0.5, 0.0]
    assert str(bi.consensus(some, method="condorcet")) == "a > b > c"
    assert str(bi.consensus(some, method="condorcet", missing_pairs="undecided")) == "a ? b ? c"


@pytest.mark.parametrize("times", [1e-9, 1e9, 1e-9 / 3])
def test_only_the_proportions_of_weights_matter(times: float) -> None:
    some = votes("a ~ b > c > d", "b > a > d ~ c", "d > c > b > a", "c > a > d > b")
    weights = np.array([2.0, 1.0, 2.0, 1.0])
    one = bi.consensus(some.weighted(weights), family="semiorder")
    two = bi.consensus(some.weighted(weights * times), family="semiorder")
    assert (two.count, two.optimal) == (one.count, True)
    assert set(two.relations()) == set(one.relations())
    assert two.cost == pytest.approx(None if one.cost is None else one.cost * times)


def test_regrets_of_many_algorithms_take_no_program() -> None:
    rng = np.random.default_rng(0)
    some = {
        f"d{b}": bi.Relation.from_scores(
            {f"a{i}": v for i, v in enumerate(rng.normal(size=210).tolist())}, better="higher"
        )
        for b in range(3)
    }
    found = bi.consensus(some, family="linear")
    regret = found.support()["regret"]
    assert not found.optimal
    assert (regret >= 0).all()
    table = found.diagnostics().set_index("check")
    assert not table.loc["cost above the lower bound", "ok"]
    assert "relations that fit equally well" not in table.index
