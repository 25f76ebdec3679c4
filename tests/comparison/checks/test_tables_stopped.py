"""Statements on stopped runs, before verdicts and in reports."""

import re

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.checks.caveats import caveats

LIMIT = 3600.0


def table(k=3, d=30, *, gaps=False, par=1):
    """Return run times of which those of later solvers are longer and vary less."""
    rng = np.random.default_rng(k)
    hard = rng.normal(6.5, 2.5, (d, 1))
    spread = np.linspace(2, 0.5, k)
    time = np.exp(hard + np.linspace(-0.6, 0.8, k) + spread * rng.normal(size=(d, k)))
    i, a = np.indices(time.shape)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{n:02}" for n in i.ravel()],
            "algorithm": [f"s{n}" for n in a.ravel()],
            "seconds": np.minimum(time, LIMIT).ravel(),
        }
    )
    if gaps:  # no data set has runs of all
        frame = frame[(i % k != a).ravel()]
    text = f"seconds:lower:10:identity:limit={LIMIT}:par={par}"
    return frame, bi.read_scores(frame, measures=text)


@pytest.mark.parametrize("par", [1, 10])
@pytest.mark.parametrize("inference", ["likelihood", "bayes"])
def test_wins_do_not_depend_on_the_penalty(par, inference):
    frame, scores = table(par=par)
    result = bi.compare_wins(scores, inference=inference, draws=200, chains=4)
    time = frame.pivot_table(values="seconds", index="dataset", columns="algorithm").to_numpy()
    i, j = np.triu_indices(3, 1)
    apart = time[:, i] - time[:, j]
    # With a penalty a solver that was stopped loses however near the limit the other one was.
    tied = np.abs(apart) <= 10
    if par > 1:
        tied &= (time[:, i] < LIMIT) == (time[:, j] < LIMIT)
    assert result.counted.tally.total.ties.sum() == tied.sum()
    line = str(caveats(result)["stopped runs"])
    n = int((frame["seconds"] == LIMIT).sum())
    assert f"{n} of 90 runs" in line
    assert f"they count as {par * LIMIT:,.0f} in contests: where both were stopped" in line
    assert "penalt" not in line


def test_no_order_of_means_without_common_data_sets():
    _, scores = table(gaps=True)
    line = str(caveats(bi.compare_mixed(scores))["stopped runs"])
    assert "no data set has runs of all algorithms" in line
    assert "nan" not in line


def test_the_order_holds_for_the_penalties_that_are_said():
    _, scores = table(7, 80)
    line = str(caveats(bi.compare_points(scores))["stopped runs"])
    high = float(
        re.search(r"the order of the means holds for penalties from 1 to ([\d.]+)", line)[1]
    )
    order = {
        par: scores.runs().summary(par=par).sort_values("penalised")["algorithm"].tolist()
        for par in (1, 0.99 * high, 1.01 * high)
    }
    assert order[1] == order[0.99 * high] != order[1.01 * high]


@pytest.mark.slow
@pytest.mark.parametrize(("gaps", "each"), [(False, ""), (True, " of ")])
def test_the_report_says_first_how_many_runs_were_solved(tmp_path, gaps, each):
    frame, scores = table(gaps=gaps)
    if gaps:
        frame = frame[(frame["dataset"] != "d00") | (frame["algorithm"] != "s1")]
        frame = frame[(frame["dataset"] != "d01") | (frame["algorithm"] != "s2")]
        scores = bi.read_scores(frame, measures=f"seconds:lower:10:identity:limit={LIMIT}")
    bi.report(bi.compare_mixed(scores), tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text()
    answer = text[text.index("Within") :][:140].replace(" solved", "")
    done = (frame["seconds"] < LIMIT).groupby(frame["algorithm"]).agg(["sum", "size"])
    assert gaps == (done["size"].min() < done["size"].max())
    for name, n, size in done.itertuples():
        assert f"{name} {n}{f'{each}{size}' if gaps else ''}" in answer
    assert ("of 30 runs" in answer) != gaps
