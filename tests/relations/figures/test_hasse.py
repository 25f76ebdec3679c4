import itertools

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.core.verdict import Verdict
from benchinfer.relations.figures import hasse
from benchinfer.relations.figures.layers import place
from tests.plots.test_boxes import LONG, faults


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
    placed = place(layers, lines, half, np.eye(10, dtype=bool), 2.0, 60.0)
    for row in layers:
        ordered = sorted(row, key=lambda m: placed.x[m])
        for a, b in itertools.pairwise(ordered):
            assert placed.x[b] - placed.x[a] >= half[a] + half[b] + 2.0 - 1e-9
    assert set(placed.paths) == set(lines)


def sparse(k):
    """Return an order of algorithms with long names in which some are comparable with none."""
    strict = np.triu(np.random.default_rng(k).random((k, k)) < 1.5 / k, 1)
    for _ in range(k):
        strict |= strict @ strict
    states = np.full((k, k), Verdict.UNDECIDED, dtype=np.int8)
    states[strict], states[strict.T] = Verdict.FIRST, Verdict.SECOND
    np.fill_diagonal(states, Verdict.EQUIVALENT)
    return bi.Relation(tuple(map(LONG, range(k))), states)


@pytest.mark.parametrize("width", [3.3, 6.9])
@pytest.mark.parametrize("k", [12, 30])
def test_no_diagram_is_wider_than_asked_for(k, width):
    laid = hasse.layout(sparse(k), width)
    assert laid.apart is not None
    figure = bi.plot(sparse(k), "hasse", width=width)
    assert figure.get_size_inches()[0] == pytest.approx(width)
    assert faults(figure) == ([], [])
    assert all(2 * (abs(node.x) + node.half) * 0.085 + 0.3 <= width + 1e-9 for node in laid.nodes)


def test_a_diagram_that_does_not_fit_names_another_figure():
    with pytest.raises(bi.DesignError, match=r"does not fit.\nHint: .*the kind matrix"):
        bi.plot(sparse(60), "hasse", width="column")
