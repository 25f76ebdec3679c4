"""Curves of runs solved over time, against counting."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.figures import solved
from tests.plots.test_draw_boxes import LONG, faults

LIMIT = 100.0


def table(k=3, d=40, name="a{}".format, replications=1):
    rng = np.random.default_rng(k)
    hard = rng.normal(3, 1.5, (d, 1, 1))
    time = np.exp(hard + 0.05 * np.arange(k) + rng.normal(size=(d, replications, k)))
    i, r, a = (at.ravel() for at in np.indices(time.shape))
    frame = pd.DataFrame(
        {
            "dataset": [f"d{n:03}" for n in i],
            "replication": r,
            "algorithm": [name(n) for n in a],
            "seconds": np.minimum(time, LIMIT).ravel(),
        }
    )
    return bi.read_scores(frame, measures=f"seconds:lower:0:identity:limit={LIMIT}", paired=True)


def places(laid, low, high):
    return low * (high / low) ** laid.across


def ends(values):
    return values.min(), values.max()


@pytest.mark.parametrize("kind", ["solved", "cactus"])
def test_shares_solved_against_counting(kind):
    scores = table()
    frame = scores.to_frame()
    done = frame[frame["value"] < LIMIT]
    laid = solved.layout(kind, scores)
    at = places(laid, done["value"].min(), LIMIT)
    for curve in laid.curves:
        mine = done.loc[done["algorithm"] == curve.label, "value"].to_numpy()
        count = (mine[:, None] <= at[1:-1] * (1 + 1e-9)).sum(axis=0)
        np.testing.assert_allclose(curve.share[1:-1], count / 40, atol=1e-12)
        assert curve.share[-1] == len(mine) / 40
        assert (curve.low <= curve.share).all()
        assert (curve.share <= curve.high).all()
    assert laid.turned == (kind == "cactus")
    assert laid.most == (40 if laid.turned else 1)
    last = [curve.share[-1] for curve in laid.curves]
    assert last == sorted(last, reverse=True)


def test_the_band_is_the_binomial_one_of_resampled_data_sets():
    laid = solved.layout("solved", table(2, 200))
    for curve in laid.curves:
        p = curve.share[-1]
        half = 1.96 * np.sqrt(p * (1 - p) / 200)
        assert curve.low[-1] == pytest.approx(p - half, abs=0.02)
        assert curve.high[-1] == pytest.approx(p + half, abs=0.02)


@pytest.mark.parametrize("replications", [1, 3])
def test_ratios_to_the_best_have_stopped_runs_at_infinity(replications):
    scores = table(3, 40, replications=replications)
    times = scores.runs().times()
    total, done = times.running_times()
    with np.errstate(divide="ignore"):
        time = np.where(done > 0, total / done, np.inf)
    with np.errstate(invalid="ignore"):
        ratio = time / time.min(axis=1, keepdims=True)
    ratio[~np.isfinite(ratio)] = np.inf
    laid = solved.layout("profile", scores)
    at = places(laid, 1.0, ratio[np.isfinite(ratio)].max())
    for curve in laid.curves:
        mine = ratio[:, times.algorithms.index(curve.label)]
        share = (mine[:, None] <= at[1:-1] * (1 + 1e-9)).mean(axis=0)
        np.testing.assert_allclose(curve.share[1:-1], share, atol=1e-12)
        assert curve.share[0] == (mine == 1).mean()
        assert curve.share[-1] == np.isfinite(mine).mean()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["solved", "cactus", "profile"])
@pytest.mark.parametrize(("k", "width"), [(2, "column"), (6, "page"), (30, "page"), (30, "column")])
def test_texts_keep_apart(kind, k, width):
    assert faults(bi.plot(table(k, name=LONG), kind, width=width)) == ([], [])


def test_tables_without_a_limit_or_solved_runs_have_no_such_figure():
    scores = bi.load_example("demsar2006")
    with pytest.raises(bi.DesignError, match="has no limit"):
        bi.plot(scores, "solved")
    frame = table().to_frame().assign(value=LIMIT).rename(columns={"value": "seconds"})
    stopped = bi.read_scores(
        frame.drop(columns="measure", errors="ignore"),
        measures=f"seconds:lower:0:identity:limit={LIMIT}",
    )
    with pytest.raises(bi.DesignError, match="no run was solved"):
        bi.plot(stopped, "cactus")
