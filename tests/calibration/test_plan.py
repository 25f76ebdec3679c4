"""Power of planned experiments, by simulating them and comparing with `compare_mixed`."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import benchinfer as bi

BETWEEN, RESIDUAL, DIFFERENCE = 4e-4, 6e-4, 0.02
RUNS = 1000

# What is planned, how it is then compared, and how far power may lie above the plan's: later
# steps are less strict than the first of Holm's, which the plan is for.
CASES = {
    "two algorithms": ({"k": 2, "n_replications": 5}, {}, 0.0),
    "unequal level and power": (
        {"k": 2, "n_replications": 2, "level": 0.9, "power": 0.5},
        {"level": 0.9},
        0.0,
    ),
    "all pairs, single step": (
        {"k": 4, "n_replications": 3, "adjust": "single-step"},
        {"structure": "common"},
        0.0,
    ),
    "with a control, single step": (
        {"k": 4, "n_replications": 3, "adjust": "single-step", "contrasts": "dunnett"},
        {"structure": "common", "contrasts": "dunnett", "control": "a1"},
        0.0,
    ),
    "all pairs, Holm": ({"k": 3, "n_replications": 5}, {}, 0.05),
    "given data sets": (
        {"k": 3, "n_datasets": 4, "target": "datasets"},
        {"target": "datasets"},
        0.05,
    ),
    "equivalence": ({"k": 2, "n_replications": 5, "aim": "equivalence"}, {}, 0.0),
    "non-inferiority": (
        {"k": 2, "n_replications": 5, "aim": "non-inferiority"},
        {"alternative": "better"},
        0.0,
    ),
}


def experiment(rng, plan):
    """Simulate the planned experiment; the first algorithm is better than the second if so aimed.

    Others lie between the two, so that no other pair differs as much.
    """
    d, r, q = plan.n_datasets, plan.n_replications, plan.question
    effect = np.zeros(q.k)
    if q.aim == "difference":
        effect[:] = DIFFERENCE / 2
        effect[:2] = DIFFERENCE, 0
    y = 0.7 + effect + 0.1 * rng.normal(size=(d, 1, 1)) + 0.03 * rng.normal(size=(d, r, 1))
    between = rng.normal(size=(d, 1, q.k)) * math.sqrt(BETWEEN)
    if q.target == "datasets":
        between -= between.mean(axis=0)  # these data sets are what the claim is about
    y = y + between + rng.normal(size=(d, r, q.k)) * math.sqrt(RESIDUAL)
    at = np.indices(y.shape).reshape(3, -1)
    table = pd.DataFrame({"dataset": at[0], "replication": at[1], "algorithm": at[2]})
    table["algorithm"] = "a" + table["algorithm"].astype(str)
    measure = bi.Measure("score", "higher", tolerance=0 if q.aim == "difference" else DIFFERENCE)
    resampling = bi.Resampling("independent", paired=True)
    scores = table.assign(score=y.ravel())
    return bi.read_scores(scores, measures=[measure], layout="wide-measures", resampling=resampling)


def shown(result, aim):
    """Whether the pair of the first two algorithms is shown to be what it was planned for."""
    if aim == "non-inferiority":
        return ("a0", "a1") in result.noninferior()
    rows = result.contrasts(all=True)
    row = rows[(rows["first"] == "a0") & (rows["second"] == "a1")].iloc[0]
    p = row["p_value"] if aim == "difference" else row["p_equivalence"]
    return p <= 1 - result.level + 1e-12


@pytest.mark.calibration
@pytest.mark.parametrize("name", CASES)
def test_planned_experiments_have_the_power(name, record_property):
    asked, compared, above = CASES[name]
    plan = bi.plan(bi.Components(BETWEEN, RESIDUAL), DIFFERENCE, **asked)
    rng = np.random.default_rng(sorted(CASES).index(name))
    found = np.mean(
        [
            shown(bi.compare_mixed(experiment(rng, plan), **compared), plan.question.aim)
            for _ in range(RUNS)
        ]
    )
    error = math.sqrt(plan.power * (1 - plan.power) / RUNS)
    record_property("power", (plan.n_datasets, plan.n_replications, plan.power, found))
    assert -3 * error <= found - plan.power <= above + 3 * error


@pytest.mark.calibration
def test_intervals_of_the_required_data_sets_hold():
    """Of pilots with 8 data sets, 5 replications and 3 algorithms: mean squares drawn anew."""
    d, r, k, runs = 8, 5, 3, 400
    truth = bi.plan(bi.Components(BETWEEN, RESIDUAL), DIFFERENCE, k=k, n_replications=r)
    rng = np.random.default_rng(5)
    df, df_residual = (d - 1) * (k - 1), d * (r - 1) * (k - 1)
    below = above = 0
    for _ in range(runs):
        square = (r * BETWEEN + RESIDUAL) * rng.chisquare(df) / df
        residual = RESIDUAL * rng.chisquare(df_residual) / df_residual
        pilot = bi.Components(
            max((square - residual) / r, 0.0),
            residual,
            n_algorithms=k,
            n_datasets=d,
            n_replications=r,
        )
        found = bi.plan(pilot, DIFFERENCE, k=k, n_replications=r)
        below += truth.n_datasets < found.needed_low
        above += truth.n_datasets > found.needed_high
    print(f"| pilot | below {below} | above {above} | of {runs} |")  # noqa: T201
    assert below + above <= binom.ppf(0.9999, runs, 0.05)


# Data sets, replications and algorithms of the pilot, and replications of the plan.
PILOTS = [(5, 3, 2, None), (5, 3, 3, None), (5, 5, 5, None), (8, 5, 3, None), (5, 3, 3, 10)]


@pytest.mark.calibration
@pytest.mark.parametrize(("d", "r", "k", "planned"), PILOTS)
def test_plans_from_pilots_have_the_power_they_promise(d, r, k, planned, record_property):
    """Mean squares of pilots drawn anew: the power at the true variances of what is planned."""
    runs, rng = 300, np.random.default_rng([3, d, r, k])
    free = (d - 1) * (k - 1), d * (r - 1) * (k - 1)
    promised, true, estimated = [], [], []
    for _ in range(runs):
        square = (r * BETWEEN + RESIDUAL) * rng.chisquare(free[0]) / free[0]
        residual = RESIDUAL * rng.chisquare(free[1]) / free[1]
        if square < residual:  # as REML has it
            square = residual = (square * free[0] + residual * free[1]) / sum(free)
        pilot = bi.Components(
            (square - residual) / r, residual, n_algorithms=k, n_datasets=d, n_replications=r
        )
        found = bi.plan(pilot, DIFFERENCE, k=k, n_replications=planned)
        aims, known = found.question, bi.Components(BETWEEN, RESIDUAL, n_algorithms=k)
        fewer = aims.datasets(found.n_replications, aims.spread)
        reached = replace(aims, components=known).reached
        promised.append(found.power)
        true.append(reached(found.n_datasets, found.n_replications))
        estimated.append(reached(fewer, found.n_replications))
    at = [float(np.mean(values)) for values in (promised, true, estimated)]
    record_property("promised, true, true of plans at the estimates", at)
    error = np.std(true) / math.sqrt(runs)
    assert at[0] - 0.02 - 3 * error <= at[1] <= at[0] + 0.06 + 3 * error
