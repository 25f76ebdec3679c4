"""Verdicts from resampled replications: what is drawn, and what stays together."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bootstrap.relations import resample_relations
from benchinfer.comparison.comparison import Comparison
from benchinfer.core.verdict import Verdict

SEEN: list[bi.ScoreTable] = []


def watch(scores: bi.ScoreTable, measure: str | None = None) -> Comparison:
    """Take down what is compared."""
    SEEN.append(scores)
    return bi.compare_points(scores, measure)


def scores(*, paired: bool, n: int = 6, kind: str = "independent") -> bi.ScoreTable:
    """Every score is another number: its digits say where it comes from."""
    rows = [
        {"dataset": f"d{d}", "algorithm": a, "replication": r, "error": 100 * d + 10 * k + r}
        for d in range(3)
        for k, a in enumerate("abc")
        for r in range(n)
        if (d, a, r) != (0, "b", 1)
    ]
    return bi.read_scores(
        pd.DataFrame(rows), measures="error:lower", paired=paired, resampling=kind
    )


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("resample", ["both", "replications"])
def test_replications_are_drawn_within_data_sets(*, paired: bool, resample: str) -> None:
    SEEN.clear()
    drawn = list(
        resample_relations(
            watch,
            scores(paired=paired),
            resample=resample,  # pyright: ignore[reportArgumentType]
            resamples=15,
            seed=1,
        )
    )
    assert len(drawn) == 15
    assert len(SEEN) == 45
    together, times = [], Counter[int]()
    for part in SEEN:
        frame = part.to_frame("error")
        source, own = frame["value"] // 100, frame["value"] % 10
        assert source.min() == source.max()
        assert str(frame["dataset"].iloc[0]).startswith(f"d{int(source.iloc[0])}")
        assert (frame["value"] // 10 % 10 == frame["algorithm"].map({"a": 0, "b": 1, "c": 2})).all()
        a, c = (sorted(own[frame["algorithm"] == name]) for name in "ac")
        together.append(a == c and own.groupby(frame["replication"]).nunique().max() == 1)
        sizes = frame.groupby("algorithm").size()
        # The cell that lacks a score: with its replication, or by its own number of scores.
        full = sizes.drop("b")
        assert (full == 6).all()
        if source.iloc[0] > 0:
            assert sizes["b"] == 6
        elif not paired:
            assert sizes["b"] == 5
        else:
            assert sizes["b"] == 6 - (own[frame["algorithm"] == "a"] == 1).sum()
        times.update(own[frame["algorithm"] == "c"].astype(int))
    assert all(together) if paired else sum(together) < 5
    # Each of six with the same probability: 270 draws.
    assert max(abs(times[r] - 45) for r in range(6)) < 4 * np.sqrt(45 * 5 / 6)
    names = [set(ensemble) for ensemble in drawn]
    if resample == "both":
        assert any("d1 (2)" in name for name in names)
        assert any(not {n for n in name if n.startswith("d1")} for name in names)
    else:
        assert names == [{"d0", "d1", "d2"}] * 15


def test_same_seed_same_verdicts_whatever_the_number() -> None:
    table = bi.load_example("simulated/balanced")
    few = list(resample_relations(bi.compare_points, table, resamples=2, seed=4))
    many = list(resample_relations(bi.compare_points, table, resamples=4, seed=4))
    assert few == many[:2]
    assert many[0] != many[1]


def test_arguments_and_seeds_reach_the_analysis() -> None:
    seeds: list[object] = []

    def compare(
        scores: bi.ScoreTable,
        measure: str | None = None,
        *,
        tolerance: float,
        seed: int | None = None,
    ) -> Comparison:
        seeds.append(seed)
        return bi.compare_points(scores, measure, tolerance=tolerance)

    table = scores(paired=True)
    (one,) = resample_relations(compare, table, resamples=1, seed=1, tolerance=1000.0)
    assert {str(relation) for relation in one.values()} == {"a ~ b ~ c"}
    assert len(set(seeds)) == 1
    assert seeds[0] is not None


@pytest.mark.slow
def test_two_alike_are_told_apart_in_one_resample_of_six() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        [
            {"dataset": f"d{d}", "algorithm": a, "replication": r, "error": rng.normal()}
            for d in range(40)
            for a in "ab"
            for r in range(30)
        ]
    )
    table = bi.read_scores(frame, measures="error:lower", paired=True, resampling="independent")
    found = resample_relations(
        bi.compare_mixed, table, resample="replications", resamples=3, seed=1
    )
    verdicts = [relation.states[0, 1] for ensemble in found for relation in ensemble.values()]
    share = 1 - verdicts.count(Verdict.UNDECIDED) / len(verdicts)
    # 2 P(N(0, 2) > 1.96) = 0.166; data sets are alike in their three resamples.
    assert share == pytest.approx(0.166, abs=0.1)


def test_refused() -> None:
    table = scores(paired=True)
    with pytest.raises(bi.DesignError, match="unknown resample 'datasets'"):
        resample_relations(bi.compare_points, table, resample="datasets")  # pyright: ignore[reportArgumentType]
    with pytest.raises(bi.DesignError, match="resamples is 0"):
        resample_relations(bi.compare_points, table, resamples=0)
    with pytest.raises(bi.DesignError, match="there is one data set"):
        resample_relations(bi.compare_points, table.subset(datasets="d1"))
    with pytest.raises(bi.DesignError, match="no data set has several replications"):
        resample_relations(bi.compare_points, table.subset(replications=["1"]))
    with pytest.raises(bi.DesignError, match="training sets overlap"):
        resample_relations(bi.compare_points, scores(paired=True, kind="cv"))
