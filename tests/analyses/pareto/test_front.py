"""The Pareto front: dominance by definition, what is shown of it, words and refusals."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.pareto.front import dominates
from benchinfer.core.errors import DesignError

MEASURES = {"acc": "higher", "seconds": "lower"}


def _scores(gap: float = 2.0, d: int = 12, measures: object = MEASURES) -> bi.ScoreTable:
    """Return a table in which b is better than a on both measures, and c trades off."""
    rng = np.random.default_rng(4)
    noise = rng.standard_normal((2, d, 3)) * 0.5
    levels = np.array([[0.0, gap, gap + 3], [10.0, 10.0 - gap, 14.0]])
    acc, seconds = levels[:, None] + noise
    rows = [(f"d{i:02d}", "abc"[j], acc[i, j], seconds[i, j]) for i in range(d) for j in range(3)]
    data = pd.DataFrame(rows, columns=["dataset", "algorithm", "acc", "seconds"])
    return bi.read_scores(data, measures=measures)


def test_dominance_by_definition() -> None:
    rng = np.random.default_rng(1)
    for table in rng.integers(0, 3, (40, 6, 3)).astype(float):
        got = dominates(table)
        for i in range(6):
            for j in range(6):
                wanted = all(table[i] >= table[j]) and any(table[i] > table[j])
                assert got[i, j] == wanted


def test_equal_means_do_not_dominate_by_rounding() -> None:
    levels = np.array([[0.1 + 0.2, 1.0], [0.3, 1.0]])
    assert not dominates(levels).any()


def test_one_that_is_shown_to_be_dominated_is_off_the_front() -> None:
    front = bi.pareto(_scores())
    assert front.front() == ["b", "c"]
    table = front.summary().set_index("algorithm")
    assert table["may_be_on_front"].to_dict() == {"a": False, "b": True, "c": True}
    assert table.loc["a", "p_front"] <= 0.05 < table.loc["b", "p_front"]
    shown = front.dominance().query("shown")
    assert shown[["first", "second"]].to_numpy().tolist() == [["b", "a"]]
    assert str(front.relation()).startswith("b > a")
    assert "b and c may be on it (95 %)" in repr(front)
    assert "berger1982" in front.citations()


def test_without_evidence_all_may_be_on_it() -> None:
    front = bi.pareto(_scores(0.1))
    assert front.front() == ["a", "b", "c"]
    assert "any of the 3 may be on it" in repr(front)
    assert not front.dominance()["shown"].any()
    assert front.dominance()["p_value"].between(0.05, 1).all()


def test_tolerance_lets_better_on_one_decide() -> None:
    rng = np.random.default_rng(3)
    d = 20
    same = rng.standard_normal((d, 1)) * 0.1 + rng.standard_normal((d, 2)) * 0.01
    data = pd.DataFrame({"dataset": np.repeat(np.arange(d), 2), "algorithm": ["a", "b"] * d})
    data["acc"], data["seconds"] = same.ravel(), (same + np.array([1.0, 0.0])).ravel()
    exact = bi.pareto(bi.read_scores(data, measures=MEASURES))
    assert exact.front() == ["a", "b"]
    measures = [
        bi.Measure("acc", better="higher", tolerance=0.05),
        bi.Measure("seconds", better="lower", tolerance=0.05),
    ]
    assert bi.pareto(bi.read_scores(data, measures=measures)).front() == ["b"]


def test_direction_turns_with_the_sign() -> None:
    scores = _scores()
    turned = _scores(measures={"acc": "lower", "seconds": "higher"})
    assert bi.pareto(turned).front() == ["a", "c"]
    np.testing.assert_allclose(bi.pareto(turned).p_value, bi.pareto(scores).p_value.T, atol=0.02)


def test_each_by_itself_decides_no_less() -> None:
    front = bi.pareto(bi.load_example("sklearn_bootstrap"))
    assert set(front.front(each=True)) < set(front.front())
    p = [front.summary(each=each).set_index("algorithm")["p_front"] for each in (True, False)]
    assert (p[0] <= p[1][p[0].index]).all()


def test_refusals() -> None:
    with pytest.raises(DesignError, match="there are 2 data sets, and a front over data sets"):
        bi.pareto(_scores(d=2))
    with pytest.raises(DesignError, match="several different measures"):
        bi.pareto(_scores(), ["acc"])
    with pytest.raises(ValueError, match=r"level is 1\.2"):
        bi.pareto(_scores(), level=1.2)
