"""What must hold of every consensus, and ensembles made to be difficult."""

import time
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import benchinfer as bi
from benchinfer.relations.consensus.numerics.costs import FAMILIES, METHODS

WORDS = ["first", "second", "equivalent", "undecided", "missing"]
NAMES = "abcd"


def ensembles(names: str = NAMES) -> st.SearchStrategy[bi.Ensemble]:
    """Return a strategy for ensembles of any relations, with whole weights."""
    pairs = list(combinations(names, 2))
    words = st.lists(st.sampled_from(WORDS), min_size=len(pairs), max_size=len(pairs))
    relation = words.map(
        lambda given: bi.Relation.from_pairs(names, dict(zip(pairs, given, strict=True)))
    )
    weighted = st.lists(st.tuples(relation, st.integers(1, 4)), min_size=1, max_size=5)
    return weighted.map(
        lambda found: bi.Ensemble(
            {f"d{i}": relation for i, (relation, _) in enumerate(found)}, [w for _, w in found]
        )
    )


asked = st.tuples(st.sampled_from(METHODS), st.sampled_from(sorted(FAMILIES)))


def agree(ensemble: bi.Ensemble, asked: tuple[Any, Any], **options: Any) -> bi.typing.Consensus:
    """Return the consensus by a method and family."""
    method, family = asked
    return bi.consensus(ensemble, method=method, family=family, **options)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(ensembles(), asked)
def test_turning_all_relations_round_turns_the_consensus_round(
    ensemble: bi.Ensemble, asked: tuple[str, str]
) -> None:
    turned = bi.Ensemble({n: r.converse() for n, r in ensemble.items()}, ensemble.weights)
    one, other = agree(ensemble, asked), agree(turned, asked)
    assert (one.cost, one.count) == (other.cost, other.count)
    assert one.relation() == other.relation().converse()


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(ensembles(), asked, st.permutations(NAMES))
def test_the_order_of_algorithms_does_not_matter(
    ensemble: bi.Ensemble, asked: tuple[str, str], names: list[str]
) -> None:
    at = [NAMES.index(name) for name in names]
    moved = {n: bi.Relation(tuple(names), r.states[np.ix_(at, at)]) for n, r in ensemble.items()}
    one, other = agree(ensemble, asked), agree(bi.Ensemble(moved, ensemble.weights), asked)
    assert (one.cost, one.count) == (other.cost, other.count)
    np.testing.assert_array_equal(one.common[np.ix_(at, at)], other.common)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(ensembles(), asked)
def test_weights_scale_the_cost_and_optima_have_it(
    ensemble: bi.Ensemble, asked: tuple[str, str]
) -> None:
    one = agree(ensemble, asked)
    thrice = agree(ensemble.weighted(3 * ensemble.weights), asked)
    assert thrice.cost == pytest.approx(3 * (one.cost or 0))
    assert thrice.relations() == one.relations()
    for relation in one.relations():
        far = [relation.distance(r, asked[0]) for r in ensemble.values()]  # pyright: ignore[reportArgumentType]
        assert ensemble.weights @ far == pytest.approx(one.cost)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_one_relation_that_is_of_the_family_is_its_own_consensus(family: Any) -> None:
    text = {"linear": "a > b > c", "equivalence": "a ~ b", "partial": "a ? b > c"}.get(
        family, "a ~ b > c"
    )
    relation = bi.Relation.from_text(text)
    found = bi.consensus({"only": relation}, family=family)
    assert (found.cost, found.count, found.relation()) == (0, 1, relation)


@pytest.mark.parametrize("n", [3, 8, 12])
def test_orders_that_rotate_leave_all_rotations(n: int) -> None:
    names = [f"a{i}" for i in range(n)]
    orders = [" > ".join(names[k:] + names[:k]) for k in range(n)]
    ensemble = bi.Ensemble({o: bi.Relation.from_text(o, names) for o in orders})
    found = bi.consensus(ensemble, family="linear", solutions="all")
    assert (found.count, found.count_exact) == (n, True)
    assert sorted(map(str, found.relations())) == sorted(orders)
    assert not found.decided
    assert (found.ranks == [1, n]).all()


def test_weights_that_contradict_each_other_leave_everything_open() -> None:
    orders = ["a > b > c", "c > b > a"]
    found = bi.consensus({o: bi.Relation.from_text(o) for o in orders}, family="linear")
    assert found.count == 6
    assert "nothing in common" in str(found)
    lean = bi.Ensemble({o: bi.Relation.from_text(o, "abc") for o in orders}, [1, 1 + 1e-6])
    assert str(bi.consensus(lean, family="linear")) == "c > b > a"


def test_names_may_hold_any_characters() -> None:
    names = ("a > b", "<b>x</b>", "\n", "é ~ ?")
    relation = bi.Relation(names, bi.Relation.from_text("a > b > c > d").states)
    found = bi.consensus({"d": relation}, family="linear")
    assert found.relation().ranking() == [[name] for name in names]
    assert found.summary()["algorithm"].tolist() == list(names)


@pytest.mark.parametrize("family", ["linear", "weak"])
def test_500_algorithms_end_in_time_with_a_bound(family: Any) -> None:
    rng = np.random.default_rng(0)
    names = tuple(f"a{i}" for i in range(500))
    x = rng.normal(size=(3, 500))
    states = np.where(x[:, :, None] > x[:, None, :], 3, 4).astype(np.int8)
    states[:, np.arange(500), np.arange(500)] = 2
    begun = time.perf_counter()
    found = bi.consensus(
        {str(b): bi.Relation(names, s) for b, s in enumerate(states)}, family=family
    )
    assert time.perf_counter() - begun < 20
    assert not found.optimal
    assert found.lower_bound is not None
    assert found.cost is not None
    assert 0 < found.lower_bound < found.cost
    assert "not proved to be the best" in str(found)
