import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.figures import ranking
from benchinfer.core.verdict import Verdict
from benchinfer.plots.draw import kinds
from benchinfer.relations.ranks import rank_intervals


def scores_of(levels, *, noise=0.05, better="higher", datasets=12, seed=1):
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{d}", name, level + rng.normal(0, noise))
        for d in range(datasets)
        for name, level in levels.items()
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "acc"])
    return bi.read_scores(frame, measures={"acc": better})


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_rows_are_differences_from_the_best(better):
    found = bi.compare_mixed(scores_of({"a": 0.2, "b": 0.5, "c": 0.21, "d": 0.4}, better=better))
    laid = ranking.layout(found)
    best = found.ranking()[0]
    assert [row.name for row in laid.rows] == list(found.ranking())
    assert laid.rows[laid.reference].name == best
    table = found.contrasts(all=True).set_index(["first", "second"])
    for row in laid.rows[1:]:
        if (row.name, best) in table.index:
            own, sign, ends = table.loc[(row.name, best)], 1, ("conf_low", "conf_high")
        else:
            own, sign, ends = table.loc[(best, row.name)], -1, ("conf_high", "conf_low")
        expected = sign * own["estimate"], *(sign * own[end] for end in ends)
        assert (row.estimate, row.low, row.high) == pytest.approx(expected)
        assert (row.verdict == Verdict.SECOND) == (own["winner"] == best)
    # What is worse than the best lies on the side that the axis calls worse.
    side = 1 if better == "lower" else -1
    assert all(side * row.estimate > 0 for row in laid.rows[1:])
    assert laid.left == (Verdict.FIRST if better == "lower" else Verdict.SECOND)


def test_letters_and_bars_agree_with_the_verdicts():
    for seed in range(4):
        found = bi.compare_mixed(
            scores_of(dict(zip("abcdef", np.linspace(0, 0.2, 6), strict=True)), seed=seed)
        )
        laid, relation = ranking.layout(found), found.relation()
        names = [row.name for row in laid.rows]
        for i, one in enumerate(names):
            for j, other in enumerate(names[:i]):
                a, b = relation.algorithms.index(one), relation.algorithms.index(other)
                if laid.groups or not any(row.marks for row in laid.rows):
                    joined = any({i, j} <= set(group) for group in laid.groups)
                else:
                    joined = bool(set(laid.rows[i].marks) & set(laid.rows[j].marks))
                decided = relation.states[a, b] in (Verdict.FIRST, Verdict.SECOND)
                assert joined == (not decided)


def test_ranks_are_those_that_the_verdicts_leave_open():
    relation = bi.Relation.from_pairs(
        "abcd",
        {("a", "b"): "first", ("a", "c"): "undecided", ("b", "c"): "equivalent",
         ("a", "d"): "first", ("b", "d"): "undecided"},
    )  # fmt: skip
    found = rank_intervals(relation)
    assert found == {"a": (1, 2), "b": (2, 4), "c": (1, 4), "d": (2, 4)}


def test_of_many_algorithms_ranks_stand_in_place_of_letters():
    levels = {f"a{k:02d}": k / 20 for k in range(14)}
    laid = ranking.layout(bi.compare_mixed(scores_of(levels)))
    assert laid.heads[0] == "ranks"
    assert laid.rows[-1].marks == "14"
    assert not laid.groups


def test_a_control_is_the_reference():
    found = bi.compare_mixed(scores_of({"a": 0.2, "b": 0.5, "c": 0.8}), control="b")
    laid = ranking.layout(found)
    assert [row.name for row in laid.rows] == ["c", "b", "a"]
    assert laid.rows[laid.reference].name == "b"
    assert [row.verdict for row in laid.rows] == [Verdict.FIRST, Verdict.MISSING, Verdict.SECOND]
    assert "from b (control)" in laid.axis


def test_one_sided_tests_are_drawn_from_the_side_of_the_row():
    found = bi.compare_mixed(scores_of({"a": 0.2, "b": 0.5, "c": 0.8}), alternative="better")
    laid = ranking.layout(found)
    assert all(row.estimate < 0 for row in laid.rows[1:])
    assert all(np.isinf([row.low, row.high]).sum() == 1 for row in laid.rows[1:])


def test_the_forest_is_the_default_where_nothing_was_compared_with_all():
    scores = scores_of({"a": 0.2, "b": 0.5, "c": 0.8, "d": 0.1})
    steps = bi.compare_mixed(scores, contrasts="sequential")
    with pytest.raises(bi.DesignError):
        steps.plot("ranking")
    assert "Forest" in steps.plot().get_label()
    assert "Ranking" in bi.compare_mixed(scores).plot().get_label()


def test_chosen_rows_have_a_reference_of_their_own(mixed):
    _, *others = mixed.ranking()
    laid = ranking.layout(mixed, algorithms=others)
    assert laid.rows[laid.reference].name == others[0]
    assert "3 of 4 algorithms" in laid.notes[-1]
    assert len(ranking.layout(mixed, top=2).rows) == 2


def test_every_comparison_has_the_figure(mixed, permuted, points):
    assert all("ranking" in kinds(result) for result in (mixed, permuted, points))
    assert "no inference" in ranking.layout(points).notes[0]
