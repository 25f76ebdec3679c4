import itertools
from itertools import pairwise

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.core.verdict import Verdict
from benchinfer.relations.figures import hasse
from benchinfer.relations.figures.hasse import chains, isolated, label, layout_undecided, place
from tests.plots.test_draw_boxes import LONG, faults

NAMES = tuple(f"a{i:02d}" for i in range(10))


def relation(names, **verdicts):
    """Name pairs as ab="first"."""
    return bi.Relation.from_pairs(list(names), {tuple(k): v for k, v in verdicts.items()})


def rows(laid):
    places = sorted({node.y for node in laid.nodes})
    return {name: places.index(node.y) for node in laid.nodes for name in node.names}


def lines(laid, verdict=Verdict.FIRST):
    found = [link for link in laid.links if link.verdict == verdict]
    return {(laid.nodes[link.a].names[0], laid.nodes[link.b].names[0]) for link in found}


def test_a_chain_shows_cover_pairs_only():
    laid = hasse.layout(relation("abc", ab="first", ac="first", bc="first"))
    assert rows(laid) == {"a": 0, "b": 1, "c": 2}
    assert lines(laid) == {("a", "b"), ("b", "c")}
    assert not laid.arrows


def test_what_is_comparable_with_none_stands_apart_under_a_heading():
    laid = hasse.layout(relation("abc", ab="first", ac="undecided", bc="undecided"))
    a, b, c = laid.nodes
    assert [node.names for node in laid.nodes] == [("a",), ("b",), ("c",)]
    assert c.x - c.half > max(node.x + node.half for node in (a, b))
    assert laid.apart is not None
    assert laid.apart[1] < c.y
    assert lines(laid) == {("a", "b")}


def test_where_nothing_is_told_apart_there_is_no_heading():
    laid = hasse.layout(relation("abc", ab="undecided", ac="undecided", bc="missing"))
    assert laid.apart is None
    assert len(laid.nodes) == 3


def test_every_line_leads_down(mixed, seconds):
    for comparison in (mixed, seconds):
        laid = hasse.layout(comparison.relation())
        assert lines(laid) == set(comparison.relation().covers())
        y = rows(laid)
        assert all(y[a] < y[b] for a, b in lines(laid))


def test_no_line_runs_behind_a_name():
    # a is preferred to d alone, with b > c > e beside it: the line a-d passes the rows of others.
    verdicts = dict.fromkeys(("ad", "bc", "ce", "be", "bd", "cd"), "first")
    laid = hasse.layout(relation("abcde", **verdicts))
    for link in laid.links:
        for (x0, y0), (x1, y1) in zip(link.path, link.path[1:], strict=False):
            for node in laid.nodes:
                if min(y0, y1) < node.y < max(y0, y1):
                    at = x0 + (x1 - x0) * (node.y - y0) / (y1 - y0)
                    assert abs(at - node.x) > node.half


def test_names_of_a_row_do_not_overlap(nasty):
    laid = hasse.layout(nasty.relation(), 3.3)
    for a in laid.nodes:
        for b in laid.nodes:
            if a.names < b.names and a.y == b.y:
                assert abs(a.x - b.x) >= a.half + b.half


def test_ties_share_a_box():
    whole = hasse.layout(relation("abcd", ab="equivalent", ad="first", bd="first", cd="first"))
    assert sorted(node.names for node in whole.nodes) == [("a", "b"), ("c",), ("d",)]
    assert "a ~ b" in {line for node in whole.nodes for line in node.lines}


def test_equivalence_in_part_has_lines_one_of_them_bent():
    part = hasse.layout(relation("abc", ab="equivalent", ac="undecided", bc="equivalent"))
    assert sorted(link.bend > 0 for link in part.links) == [False, True]
    assert "dashed: equivalent" in part.notes[1]


def test_a_circle_has_arrows():
    laid = hasse.layout(relation("abc", ab="first", bc="first", ac="second"))
    assert laid.arrows
    assert len(lines(laid)) == 3
    assert "circle" in laid.notes[0]


def test_chains_of_an_intransitive_relation_imply_nothing():
    laid = hasse.layout(relation("abc", ab="first", bc="first", ac="undecided"))
    assert "chains imply nothing" in laid.notes[0]
    assert lines(laid) == {("a", "b"), ("b", "c")}


def test_what_stands_alike_shares_a_box_where_a_row_is_too_wide():
    names = [f"algorithm_{i}" for i in range(12)]
    pairs = {("best", name): "first" for name in names}
    laid = hasse.layout(bi.Relation.from_pairs(["best", *names], pairs), 3.3)
    assert [node.names for node in laid.nodes] == [("best",), tuple(names)]
    assert laid.columns <= 44
    assert len(laid.links) == 1
    assert " ? ".join(names[:2]) in laid.nodes[1].lines[0]
    assert "within a box" in laid.notes[-1]


def test_equivalent_ones_share_a_box_as_such():
    names = [f"algorithm_{i}" for i in range(6)]
    pairs = {(a, b): "equivalent" for i, a in enumerate(names) for b in names[i + 1 :]}
    laid = hasse.layout(bi.Relation.from_pairs(names, pairs), 3.3)
    assert " ~ ".join(names[:2]) in laid.nodes[0].lines[0]


def test_rows_of_unlike_algorithms_are_broken_and_lines_still_lead_down():
    good, bad = [f"algorithm_{i}" for i in range(6)], [f"other_{i}" for i in range(6)]
    pairs = {(a, b): "first" for i, a in enumerate(good) for b in bad[: i + 1]}
    relation = bi.Relation.from_pairs([*good, *bad], pairs)
    laid = hasse.layout(relation, 3.3)
    y = rows(laid)
    assert len(set(y.values())) > 2
    assert all(y[a] < y[b] for a, b in lines(laid))
    assert lines(laid) == set(relation.covers())


def test_alt_text_is_the_order(mixed):
    assert str(mixed.relation()) in hasse.layout(mixed.relation()).alt


@pytest.mark.parametrize("seed", range(5))
def test_places_keep_their_distance(seed):
    rng = np.random.default_rng(seed)
    layers = [[0, 1, 2], [3, 4], [5, 6, 7, 8], [9]]
    lines = [(a, b) for a in range(9) for b in range(a + 1, 10) if rng.random() < 0.3]
    of = {m: y for y, row in enumerate(layers) for m in row}
    lines = [(a, b) for a, b in lines if of[a] < of[b]]
    half = rng.uniform(1, 5, 10).tolist()
    x, paths = place(layers, lines, half, np.eye(10, dtype=bool), 60.0)
    for row in layers:
        ordered = sorted(row, key=lambda m: x[m])
        for a, b in itertools.pairwise(ordered):
            assert x[b] - x[a] >= half[a] + half[b] + 3.0 - 1e-9
    assert set(paths) == set(lines)


def test_places_are_at_the_mean_of_what_they_are_linked_to():
    layers = [[0, 1, 2], [3, 4, 5], [6, 7], [8, 9, 10]]
    lines = [(0, 4), (1, 3), (2, 5), (0, 6), (1, 9), (2, 8), (3, 10), (5, 7), (0, 10)]
    together = np.eye(11, dtype=bool)
    together[8, 10] = together[10, 8] = True
    x, paths = place(layers, lines, [2.0] * 11, together, 40.0)
    tops, middle = [-9.642743, 2.539481, 9.539481], [0.49059, -6.50941, 11.588372]
    low = [-11.709416, 11.709416, 2.886008, 9.886008, -4.70494]
    assert x == pytest.approx([*tops, *middle, *low], abs=1e-6)
    bends = [at for at, _ in paths[0, 10]]
    assert bends == pytest.approx([-9.6427, -10.6094, -7.6072, -4.7049], abs=1e-4)


def sparse(k):
    """Return an order of algorithms with long names in which some are comparable with none."""
    strict = np.triu(np.random.default_rng(k).random((k, k)) < 1.5 / k, 1)
    for _ in range(k):
        strict |= strict @ strict
    states = np.full((k, k), Verdict.UNDECIDED, dtype=np.int8)
    states[strict], states[strict.T] = Verdict.FIRST, Verdict.SECOND
    np.fill_diagonal(states, Verdict.EQUIVALENT)
    return bi.Relation(tuple(map(LONG, range(k))), states)


@pytest.mark.slow
@pytest.mark.parametrize("width", [3.3, 6.9])
@pytest.mark.parametrize("k", [12, 30])
def test_no_diagram_is_wider_than_asked_for(k, width):
    laid = hasse.layout(sparse(k), width)
    assert laid.apart is not None
    figure = bi.plot(sparse(k), "hasse", width=width)
    assert figure.get_size_inches()[0] == pytest.approx(width)
    assert faults(figure) == ([], [])
    assert all(2 * (abs(node.x) + node.half) * 0.085 + 0.3 <= width + 1e-9 for node in laid.nodes)


@pytest.mark.slow
def test_a_diagram_that_does_not_fit_names_another_figure():
    with pytest.raises(bi.DesignError, match=r"does not fit.\nHint: .*the kind matrix"):
        bi.plot(sparse(60), "hasse", width="column")


def test_boxes_of_a_long_chain_keep_apart_or_another_figure_is_named():
    names = [f"a{n:02d}" for n in range(90)]
    pairs = {(a, b): "first" for i, a in enumerate(names) for b in names[i + 1 :]}
    chain = bi.Relation.from_pairs(names, pairs)
    with pytest.raises(bi.DesignError, match=r"does not fit\.\nHint: the kind matrix"):
        bi.plot(chain, "hasse")
    agreed = bi.consensus({"d": chain}, method="borda")
    with pytest.raises(bi.DesignError, match=r"does not fit\.\nHint: the kind positions"):
        bi.plot(agreed, "hasse")
    few = bi.Relation.from_pairs(names[:60], {p: v for p, v in pairs.items() if p[1] < "a60"})
    figure = bi.plot(few, "hasse")
    figure.draw_without_rendering()
    patches = [text.get_bbox_patch() for text in figure.axes[0].texts]
    ends = sorted((box.y0, box.y1) for box in (p.get_window_extent() for p in patches))
    assert all(low[1] < high[0] for low, high in pairwise(ends))


def order(**changes):
    """Order ten algorithms, with pairs such as a02a05="missing" changed."""
    verdicts = {(a, b): "first" for i, a in enumerate(NAMES) for b in NAMES[i + 1 :]}
    verdicts |= {(pair[:3], pair[3:]): verdict for pair, verdict in changes.items()}
    return bi.Relation.from_pairs(NAMES, verdicts)


def test_a_transitive_relation_is_left_alone():
    relation = order()
    found = chains(relation)
    assert found.relation is relation
    assert found.members == tuple((i,) for i in range(10))
    assert found.broken == ()


def test_a_small_relation_keeps_all_its_lines():
    relation = bi.Relation.from_text("a > b > c")
    states = relation.states.copy()
    states[0, 2] = states[2, 0] = 1
    small = bi.Relation(relation.algorithms, states)
    assert chains(small).relation is small


def test_pairs_that_a_chain_joins_wrongly_are_named():
    found = chains(order(a02a05="undecided", a00a09="missing"))
    assert found.broken == ((0, 9), (2, 5))
    assert found.relation.covers() == list(itertools.pairwise(NAMES))


def test_circles_are_one_class():
    found = chains(order(a03a05="second"))
    assert (3, 4, 5) in found.members
    assert len(found.members) == 8
    assert str(found.relation) == "a00 > a01 > a02 > a03 > a06 > a07 > a08 > a09"
    assert found.broken == ()


def test_the_diagram_marks_circles_and_broken_chains():
    laid = hasse.layout(order(a03a05="second", a00a09="missing"))
    circle = next(node for node in laid.nodes if len(node.names) == 3)
    assert circle.names == ("a03", "a04", "a05")
    assert circle.lines[0].endswith("circle")
    dotted = [link for link in laid.links if link.verdict.label == "undecided"]
    ends = [(laid.nodes[link.a].names, laid.nodes[link.b].names) for link in dotted]
    assert ends == [(("a00",), ("a09",))]
    assert "dotted" in laid.notes[1]
    assert "circle" in laid.notes[1]
    assert not laid.arrows


def test_isolated():
    relation = bi.Relation.from_pairs(
        list("abcd"),
        {("a", "b"): "first", ("c", "a"): "equivalent", ("d", "a"): "undecided"},
    )
    assert isolated(relation) == [3]
    assert isolated(bi.Relation(("a", "b"), np.array([[2, 1], [1, 2]], dtype=np.int8))) == []


def test_labels():
    assert label(["a"]) == "a"
    assert label(["a", "b"]).splitlines()[1:] == ["a", "b"]


def dotted(laid):
    """Return the pairs of boxes that are joined by a dotted line."""
    return {
        frozenset((laid.nodes[link.a].names, laid.nodes[link.b].names))
        for link in laid.links
        if link.verdict == Verdict.UNDECIDED
    }


def test_each_undecided_pair_of_boxes_has_a_line():
    relation = bi.Relation.from_pairs(
        ["a", "b", "c", "d"],
        {
            ("a", "b"): "undecided",
            ("a", "c"): "first",
            ("b", "c"): "undecided",
            ("a", "d"): "undecided",
            ("b", "d"): "first",
        },
    )
    plain, laid = hasse.layout(relation), layout_undecided(relation)
    assert laid.nodes == plain.nodes
    assert laid.links[: len(plain.links)] == plain.links
    pairs = [("a", "b"), ("b", "c"), ("a", "d")]  # c and d were not compared
    assert dotted(laid) == {frozenset(((x,), (y,))) for x, y in pairs}
    assert any("dotted: undecided" in text for text in laid.notes)
    assert not any("no line: undecided" in text for text in laid.notes)


def test_a_ranking_has_none():
    relation = bi.Relation.from_text("a ~ b > c > d")
    assert layout_undecided(relation).links == hasse.layout(relation).links


def test_undecided_pairs_are_drawn():
    relation = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error").relation()
    laid = layout_undecided(relation)
    assert len(dotted(laid)) == (relation.to_frame()["verdict"] == "undecided").sum()
    assert bi.plot(relation, "hasse-undecided").get_label() == laid.alt
