from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.evidence import positions
from benchinfer.comparison.figures.ranking import layout
from benchinfer.comparison.sections import summary
from benchinfer.comparison.wording import reversals
from benchinfer.core.verdict import Verdict


def table_of(values):
    """One score per data set and algorithm from rows of data sets, NaN for none."""
    frame = pd.DataFrame(values).melt(ignore_index=False, var_name="algorithm", value_name="acc")
    frame = frame.rename_axis("dataset").reset_index().dropna()
    return bi.read_scores(frame.astype({"dataset": str}), measures={"acc": "higher"})


def test_gaps_go_by_the_differences_of_the_pairs():
    """The worst algorithm was run on easy data sets alone: its mean is the highest."""
    rng = np.random.default_rng(1)
    ease = np.r_[np.full(10, 0.3), np.full(10, 0.8)]
    columns = {n: ease + e + rng.normal(0, 0.01, 20) for n, e in (("a", 0.05), ("b", 0.0))}
    columns["c"] = np.where(ease > 0.5, ease - 0.05 + rng.normal(0, 0.01, 20), np.nan)
    scores = table_of(columns)
    for compare in (bi.compare_permutation, bi.compare_mixed):
        found = compare(scores)
        assert found.ranking() == ("a", "b", "c")
        assert found.levels.estimate.argmax() == 0


def test_a_control_has_its_place():
    rng = np.random.default_rng(2)
    scores = table_of({n: rng.normal(m, 0.1, 12) for n, m in zip("abcd", (3, 1, 4, 2))})  # noqa: B905
    found = bi.compare_mixed(scores, control="a")
    assert found.ranking() == ("c", "a", "d", "b")
    rows = found.contrasts(order="result", all=True)
    assert rows[["first", "second"]].to_numpy().tolist() == [["c", "a"], ["a", "d"], ["a", "b"]]
    assert (rows["estimate"] > 0).all()


def test_one_sided_tests_stay_as_they_were_tested():
    rng = np.random.default_rng(2)
    scores = table_of({n: rng.normal(m, 0.1, 12) for n, m in zip("abc", (3, 1, 4))})  # noqa: B905
    found = bi.compare_mixed(scores, control="a", alternative="better")
    rows = found.contrasts(order="result", all=True)
    assert rows["second"].tolist() == ["a", "a"]
    pd.testing.assert_frame_equal(rows.sort_index(), found.contrasts(all=True))


def test_averages_stand_second():
    rng = np.random.default_rng(2)
    scores = table_of({n: rng.normal(m, 0.1, 12) for n, m in zip("abc", (3, 1, 4))})  # noqa: B905
    rows = bi.compare_mixed(scores, contrasts="mean").contrasts(order="result", all=True)
    assert rows["first"].tolist() == ["c", "a", "b"]


def test_ties_go_by_verdicts_then_by_name():
    scores = table_of({"b": [1.0, 2.0], "a": [1.0, 2.0], "c": [3.0, 4.0]})
    assert bi.compare_points(scores).ranking() == ("c", "a", "b")


@pytest.mark.parametrize("order", ["best", 3])
def test_unknown_order(order, points):
    with pytest.raises((bi.DesignError, TypeError)):
        points.contrasts(order=order, all=True)


def test_positions_of_unconnected_algorithms_are_their_levels():
    levels = np.array([0.1, 0.5, np.nan, np.inf])
    pairs = np.array([[0, 1], [0, 2], [1, 3]])
    found = positions(levels, pairs, np.array([0.2, np.nan, -np.inf]))
    np.testing.assert_allclose(found, [0.4, 0.2, np.nan, np.inf])


def test_an_f_statistic_has_no_side():
    rng = np.random.default_rng(3)
    rows = [
        {"dataset": "d", "replication": f"{r}", "algorithm": a, "acc": rng.normal(m, 0.02)}
        for r in range(10)
        for a, m in (("a", 0.7), ("b", 0.8))
    ]
    scores = bi.read_scores(
        pd.DataFrame(rows), measures={"acc": "higher"}, resampling=bi.Resampling("cv", folds=2)
    )
    found = bi.compare_pair(scores, test="5x2cv-f")
    fixed, turned = found.contrasts(all=True), found.contrasts(order="result", all=True)
    assert turned["first"].tolist() == ["b"]
    assert turned["statistic"].tolist() == fixed["statistic"].tolist()
    assert turned["verdict"].tolist() == ["first"]


def decided(found, *codes):
    return replace(found, pairs=replace(found.pairs, codes=np.array(codes, np.int8)))


def reversed_verdict():
    """Levels are a, b, c, and c is better than b."""
    rng = np.random.default_rng(6)
    values = rng.normal(0, 0.3, 12)[:, None] + rng.normal(0, 0.1, (12, 3)) + [0.3, 0.2, 0.1]
    found = bi.compare_mixed(table_of(dict(zip("abc", values.T, strict=True))), adjust="holm")
    assert found.pairs.sides == (("a", "b"), ("a", "c"), ("b", "c"))
    return decided(found, 1, 1, Verdict.SECOND)


def test_a_pair_that_is_decided_against_the_levels_is_marked():
    found = reversed_verdict()
    assert found.ranking() == ("a", "b", "c")
    said = "* Against the order of the levels, c is better than b:"
    section = summary(found)
    assert section.note.startswith(said)
    written = [[cell.text for cell in column.cells(section.frame)] for column in section.columns]
    assert ["*" in text for text in written[2]] == [False, True, True]
    table = found.table()
    assert [row[1][-1] == "*" for row in table.texts()[1:]] == [False, True, True]
    assert said in table.paper.note
    assert "*" in table.to_latex()
    assert said in found.sentence()
    ranking = layout(found)
    assert [row.said[-1] == "*" for row in ranking.rows] == [False, True, True]
    assert any(note.startswith(said) for note in ranking.notes)
    diagram = found.plot("critical-difference")
    assert any("Against the order" in text.get_text() for text in diagram.texts)


def test_a_best_level_that_is_beaten_is_named_with_its_winner():
    found = decided(reversed_verdict(), 1, Verdict.SECOND, 1)
    assert "a has the highest mean acc by its estimate, but c is better than it" in found.headline()
    assert found.relation().order[0] == "a"


def test_nothing_is_marked_where_verdicts_follow_the_levels():
    found = decided(reversed_verdict(), *[Verdict.FIRST] * 3)
    assert reversals(found) == ""
    assert "*" not in "".join(map(str, found.table().texts()))
