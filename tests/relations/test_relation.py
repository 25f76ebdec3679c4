from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.core.errors import DesignError, NotAWeakOrder
from benchinfer.core.verdict import Verdict
from benchinfer.relations.numerics import posets
from benchinfer.relations.relation import Relation, agreements, between, stacked


def relation(names, **pairs):
    """Build a relation from ``ab="first"`` with one-letter names; the rest is undecided."""
    words = {(a, b): "undecided" for i, a in enumerate(names) for b in names[i + 1 :]}
    return Relation.from_pairs(list(names), words | {tuple(k): v for k, v in pairs.items()})


def random_relations(size=5):
    return st.lists(
        st.sampled_from(["first", "second", "equivalent", "undecided", "missing"]),
        min_size=size * (size - 1) // 2,
        max_size=size * (size - 1) // 2,
    ).map(
        lambda words: Relation.from_pairs(
            names := list("abcdefgh"[:size]),
            dict(
                zip(
                    [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]],
                    words,
                    strict=True,
                )
            ),
        )
    )


def test_order_is_written_best_first():
    r = relation("abcd", ac="first", ad="first", bc="first", bd="first", cd="equivalent")
    assert str(r) == "a ? b > c ~ d"
    assert r.ranking() == [["a", "b"], ["c", "d"]]
    assert r.properties() == {
        "complete": False,
        "acyclic": True,
        "transitive": True,
        "weak order": True,
        "linear order": False,
        "equivalence transitive": True,
    }
    assert r.violations() == []


def test_a_run_of_equivalents_claims_only_what_holds():
    # a ~ b and b ~ c do not make a ~ c.
    r = relation("abc", ab="equivalent", bc="equivalent")
    assert str(r) == "a ~ b ? c"
    assert ("intransitive equivalence", "a", "b", "c") in r.violations()
    assert not r.properties()["equivalence transitive"]


def test_an_intransitive_tie_is_named():
    r = relation("abc", ac="first")
    assert not r.is_weak_order()
    assert r.violations() == [("intransitive tie", "a", "b", "c")]
    assert str(r) == "a > c; undecided: a ? b, b ? c"
    with pytest.raises(NotAWeakOrder, match="not a ranking: 1 triple"):
        r.ranking()


def test_a_circle_has_no_ranking():
    r = relation("abc", ab="first", bc="first", ac="second")
    assert not r.properties()["acyclic"]
    assert len(r.violations()) == 3
    assert str(r) == "a > b, b > c, c > a"


def test_covers_leave_out_what_follows():
    r = relation("abc", ab="first", bc="first", ac="first")
    assert r.covers() == [("a", "b"), ("b", "c")]
    assert r.properties()["linear order"]
    assert repr(r) == "<Relation of 3 algorithms: a > b > c>"


def test_frames():
    r = relation("abc", ab="second", ac="equivalent")
    table = r.to_frame()
    assert table.to_dict("list") == {
        "first": ["a", "a", "b"],
        "second": ["b", "c", "c"],
        "verdict": ["second", "equivalent", "undecided"],
        "winner": ["b", "", ""],
    }
    assert r.incidence().loc["b", "a"] == "first"


def test_what_is_no_relation_is_refused():
    with pytest.raises(DesignError, match="2 entries do not mirror each other"):
        Relation(("a", "b"), np.array([[2, 3], [3, 2]], dtype=np.int8))
    with pytest.raises(DesignError, match="3 algorithms need a 3 x 3 matrix"):
        Relation(("a", "b", "c"), np.full((2, 2), 2, dtype=np.int8))
    with pytest.raises(DesignError, match="named twice"):
        Relation(("a", "a"), np.array([[2, 1], [1, 2]], dtype=np.int8))
    with pytest.raises(DesignError, match="unknown algorithms: z"):
        Relation.from_pairs(["a", "b"], {("a", "z"): "first"})
    with pytest.raises(DesignError, match="0 to 4"):
        Relation(("a",), np.array([[7]], dtype=np.int8))


@given(random_relations())
def test_properties_agree_with_their_definitions(r):
    strict, k = r.strict, range(len(r.algorithms))
    transitive = all(strict[i, m] for i in k for j in k for m in k if strict[i, j] and strict[j, m])
    negatively = all(strict[i, j] or strict[j, m] for i in k for j in k for m in k if strict[i, m])
    found = r.properties()
    assert found["transitive"] == transitive
    missing = (r.states == Verdict.MISSING).any()
    assert found["weak order"] == (transitive and negatively and not missing)
    assert found["acyclic"] == any(
        all(not strict[b, a] for i, a in enumerate(p) for b in p[i + 1 :]) for p in permutations(k)
    )
    broken = [v for v in r.violations() if v[0] != "intransitive equivalence"]
    assert bool(broken) == (not (transitive and negatively))


@given(random_relations())
def test_str_never_raises_and_weak_orders_rank_everyone(r):
    assert isinstance(str(r), str)
    if r.is_weak_order():
        assert sorted(x for level in r.ranking() for x in level) == sorted(r.algorithms)


@given(random_relations())
def test_closure_is_idempotent_and_reduction_undoes_it(r):
    closed = posets.transitive_closure(r.strict)
    assert (posets.transitive_closure(closed) == closed).all()
    if posets.is_irreflexive(closed):
        reduced = posets.transitive_reduction(closed)
        assert (posets.transitive_closure(reduced) == closed).all()


@given(random_relations(), st.permutations(range(5)))
def test_renaming_renames(r, order):
    moved = Relation(
        tuple(r.algorithms[i] for i in order), np.ascontiguousarray(r.states[np.ix_(order, order)])
    )
    assert moved.properties() == r.properties()

    def named(relation):
        # Equivalence has no direction: the ends of such a triple come in the order of the names.
        return {
            (kind, b, frozenset((a, c)) if kind == "intransitive equivalence" else (a, c))
            for kind, a, b, c in relation.violations()
        }

    assert named(moved) == named(r)


@given(random_relations())
def test_closing_twice_is_closing_once(r):
    closed = r.closure()
    assert closed.closure() == closed
    assert closed.properties("weak")["transitive"]
    # What was not implied keeps its state.
    kept = closed.states == r.states
    assert kept[(closed.states == Verdict.UNDECIDED) | (closed.states == Verdict.MISSING)].all()


def test_closure_follows_chains():
    r = relation("abcd", ab="first", bc="equivalent")
    assert str(r.closure()) == ("a > b, a > c; equivalent: b ~ c; undecided: a ? d, d ? b, d ? c")


@given(random_relations())
def test_turning_twice_is_not_turning(r):
    assert r.converse().converse() == r
    assert r.dual().dual() == r
    assert (r.converse().strict == r.strict.T).all()
    if not (r.states == Verdict.MISSING).any():
        off = ~np.eye(len(r.algorithms), dtype=bool)
        assert (r.dual().weak == ~r.weak.T)[off].all()


def test_what_is_merged_is_written_down():
    r = Relation.from_text("a ? b", ["a", "b", "c"])
    both = r.merged(undecided="equivalent", missing="undecided")
    assert str(both) == "a ~ b ~ c"
    assert both.rule == ("as written; missing taken for undecided; undecided taken for equivalent")
    assert r.merged() == r
    assert r.merged().rule == "as written"


def test_names_are_text() -> None:
    with pytest.raises(DesignError, match=r"algorithms is \[1, 2\]"):
        Relation.from_pairs([1, 2], {(1, 2): "first"})  # pyright: ignore[reportArgumentType]


def test_relations_are_matched_by_name():
    a, b = Relation.from_text("a > b > c"), Relation.from_text("c > b > a")
    names, states = stacked([a, b, Relation.from_text("b > z")])
    assert names == ("a", "b", "c", "z")
    assert (states[1, :3, :3] == states[0, :3, :3].T).all()
    assert between(states, "discrete", "undecided", "ignore").tolist() == [
        [0, 3, 0],
        [3, 0, 0],
        [0, 0, 0],
    ]
    found = agreements(states, "tau-x", "undecided", "ignore")
    assert found[0, 1] == -1
    assert np.isnan(found[0, 2])
