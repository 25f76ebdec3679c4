"""Plans: known designs, pilots, what cannot be, and what is said of it."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtr

import benchinfer as bi
from benchinfer.analyses.plan.numerics.power import power
from benchinfer.analyses.plan.result import Plan
from benchinfer.core.errors import DesignError
from benchinfer.numerics import rotations
from benchinfer.numerics.multiplicity import SPENT

KNOWN = bi.Components(dataset_algorithm=4e-4, residual=6e-4)


@pytest.fixture(scope="module")
def pilot():
    return bi.load_example("simulated/balanced")


@pytest.mark.parametrize(("r", "d"), [(1, 159), (2, 112), (5, 84), (10, 75), (50, 67), (1000, 65)])
def test_known_variances_give_known_designs(r, d):
    found = bi.plan(KNOWN, 0.01, n_replications=r)
    assert (found.n_datasets, found.floor) == (d, 65)
    assert found.power >= 0.8 > bi.plan(KNOWN, 0.01, n_datasets=d - 1, n_replications=r).power


def test_power_and_detectable_difference_of_a_given_design():
    found = bi.plan(KNOWN, 0.01, n_datasets=20, n_replications=10)
    assert found.power == pytest.approx(0.288250153, abs=1e-8)
    assert found.detectable == pytest.approx(0.020032187, abs=1e-8)
    again = bi.plan(KNOWN, found.detectable, n_datasets=20, n_replications=10)
    assert again.power == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize(("d", "r"), [(1, 97), (20, 5)])
def test_given_data_sets_need_replications(d, r):
    found = bi.plan(KNOWN, 0.01, target="datasets", n_datasets=d)
    assert (found.n_replications, found.floor) == (r, None)


def test_the_floor_is_told_where_no_number_suffices():
    with pytest.raises(DesignError, match=r"^64 data sets cannot show 0\.01 .* floor is 65"):
        bi.plan(KNOWN, 0.01, n_datasets=64)
    assert bi.plan(KNOWN, 0.01, n_datasets=65).n_replications < 10**4


def test_overlapping_resamples_set_a_limit_of_their_own():
    folds = bi.Components(None, 6e-4, overlap=1 / 9)
    with pytest.raises(DesignError, match="resamples overlap"):
        bi.plan(folds, 0.01, target="datasets", n_datasets=5)
    undeclared = bi.Components(None, 6e-4, overlap=None)
    with pytest.raises(DesignError, match="by how much is not declared"):
        bi.plan(undeclared, 0.01, n_datasets=5)


def test_the_best_split_costs_least_and_shows_most():
    """Against a search over all designs."""
    found = bi.plan(KNOWN, 0.01, costs=(20, 1))
    costs = {r: bi.plan(KNOWN, 0.01, n_replications=r, costs=(20, 1)).cost for r in range(1, 40)}
    assert found.cost == min(costs.values())
    spent = bi.plan(KNOWN, 0.01, costs=(20, 1), budget=1000)
    assert spent.cost <= 1000
    q = spent.question
    best = max(q.reached(int(1000 / (20 + r)), r) for r in range(1, 480))
    assert spent.power == best


def test_a_budget_that_buys_nothing_is_refused():
    with pytest.raises(DesignError, match="does not buy 2 data sets with 1 replication each"):
        bi.plan(KNOWN, 0.01, costs=(20, 1), budget=30)
    with pytest.raises(DesignError, match="goes with costs"):
        bi.plan(KNOWN, 0.01, budget=30)


def test_variances_of_a_pilot_are_those_of_the_mixed_model(pilot):
    mixed = bi.compare_mixed(pilot)
    table = mixed.variances().set_index("source")["variance"]
    held = bi.plan(pilot, 0.02).question.components
    assert held.dataset_algorithm == table["dataset:algorithm"]
    assert held.residual == table["residual"]
    assert (held.n_datasets, held.n_algorithms, held.n_replications) == (10, 4, 8)
    assert held.pilot.df_between == 9 * 3
    assert held.pilot.df_residual == 10 * 7 * 3
    assert str(bi.plan(mixed, 0.02)) == str(bi.plan(pilot, 0.02))


def test_the_pilots_uncertainty_is_an_interval_of_the_answer(pilot):
    found = bi.plan(pilot, 0.02)
    assert found.needed_low < found.n_datasets < found.needed_high
    assert found.power_low < 0.8 < found.power < found.power_high
    low, high = found.question.bounds
    r = found.n_replications
    assert found.question.reached(found.needed_high, r, high) >= 0.8
    assert found.question.reached(found.needed_high - 1, r, high) < 0.8
    assert found.question.reached(found.needed_low, r, low) >= 0.8


def test_a_pilot_without_replications_says_nothing_of_them(pilot):
    once = bi.read_scores(
        pilot.to_frame().query("replication == '1'"), measures={"score": "higher"}
    )
    found = bi.plan(once, 0.02)
    assert found.n_replications == 1
    assert found.question.components.residual == 0
    assert found.floor == found.n_datasets
    with pytest.raises(DesignError, match="one score per cell"):
        bi.plan(once, 0.02, target="datasets")


def test_one_data_set_says_nothing_of_a_domain(pilot):
    one = pilot.subset(datasets=pilot.datasets[:1])
    found = bi.plan(one, 0.02)
    assert found.question.target == "datasets"
    assert found.n_datasets == 1
    with pytest.raises(DesignError, match="does not tell how algorithms vary"):
        bi.plan(one, 0.02, target="domain")


def test_more_comparisons_need_more(pilot):
    counts = [
        bi.plan(pilot, 0.02, contrasts=None),
        bi.plan(pilot, 0.02, contrasts="dunnett"),
        bi.plan(pilot, 0.02),
        bi.plan(pilot, 0.02, k=8),
    ]
    numbers = [found.n_datasets for found in counts]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[-1]
    joint = bi.plan(pilot, 0.02, adjust="single-step")
    assert joint.n_datasets <= numbers[2]
    assert "single-step" in str(joint)
    alone = bi.plan(pilot, 0.02, adjust="none")
    assert (alone.n_datasets, alone.power) == (counts[0].n_datasets, counts[0].power)
    assert "at 5 % each, not adjusted for their number." in " ".join(str(alone).split())


def test_ratios_are_planned_on_their_scale():
    seconds = bi.Measure("seconds", "lower", scale="log")
    known = bi.Components(4e-4, 6e-4, measure=seconds)
    plain = bi.plan(KNOWN, math.log1p(0.01), n_replications=10)
    found = bi.plan(known, 0.01, n_replications=10)
    assert found.n_datasets == plain.n_datasets
    assert found.detectable == pytest.approx(math.expm1(plain.detectable))
    assert "0.01 (relative) in seconds (lower is better)" in str(found)


@pytest.mark.parametrize("aim", ["difference", "equivalence", "non-inferiority"])
def test_aims_are_said_and_reached(aim):
    found = bi.plan(KNOWN, 0.01, n_replications=10, aim=aim)
    q = found.question
    assert found.power == power(
        q.aimed, q.spread.variance(found.n_datasets, 10), found.n_datasets - 1
    )
    words = {"difference": "which of two", "equivalence": "alike", "non-inferiority": "not worse"}
    assert words[aim] in str(found)


def test_tables_agree_with_the_plan(pilot):
    found = bi.plan(pilot, 0.02, costs=(5, 1))
    designs = found.designs([1, found.n_replications])
    assert designs["n_datasets"].iloc[1] == found.n_datasets
    assert designs["cost"].iloc[1] == found.cost
    curve = found.curve([found.n_datasets], [found.n_replications])
    row = found.summary().iloc[0]
    assert curve["power"].iloc[0] == row["power"]
    assert curve["power_low"].iloc[0] == row["power_low"]
    assert (found.curve()["power"].to_numpy() <= found.curve()["power_high"].to_numpy()).all()
    assert np.isfinite(row.to_numpy(dtype=float)).all()


def test_plans_are_saved(pilot, tmp_path):
    found = bi.plan(pilot, 0.02, costs=(5, 1))
    back = bi.load(found.save(tmp_path / "plan.json"))
    assert isinstance(back, Plan)
    assert str(back) == str(found)
    assert back.summary().equals(found.summary())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"difference": 0.0}, "difference is 0.0"),
        ({"difference": 0.01, "power": 1.0}, "power is 1.0"),
        ({"difference": 0.01, "aim": "x"}, "unknown aim 'x'"),
        ({"difference": 0.01, "k": 1}, "k is 1"),
        ({"difference": 0.01, "n_datasets": 0}, "n_datasets is 0"),
        ({"difference": 0.01, "costs": (1, 0)}, r"costs are \(1, 0\)"),
        ({"difference": 0.01}, "not said how many replications"),
    ],
)
def test_arguments_are_checked(arguments, said):
    with pytest.raises(DesignError, match=said):
        bi.plan(KNOWN, **arguments)


def test_what_is_no_pilot_is_refused(pilot):
    with pytest.raises(DesignError, match="pilot is a"):
        bi.plan(pilot.to_frame(), 0.01)
    with pytest.raises(DesignError, match="residual is -1"):
        bi.Components(1.0, -1.0)


@pytest.mark.slow
def test_a_planned_experiment_has_the_power():
    """Simulated and compared by `compare_mixed`; `make calibrate` does so at length."""
    known, runs = bi.Components(4e-4, 6e-4), 75
    found = bi.plan(known, 0.04, n_replications=2)
    rng, shape = np.random.default_rng(2), (found.n_datasets, 2, 2)
    shown = 0
    for _ in range(runs):
        y = 0.7 + 0.1 * rng.normal(size=(shape[0], 1, 1)) + 0.03 * rng.normal(size=(*shape[:2], 1))
        y = y + 0.02 * rng.normal(size=(shape[0], 1, 2)) + math.sqrt(6e-4) * rng.normal(size=shape)
        y[:, :, 0] += 0.04
        at = np.indices(shape).reshape(3, -1)
        names = ("dataset", "replication", "algorithm", "value")
        rows = dict(zip(names, [*at.astype(str), y.ravel()], strict=True))
        scores = bi.read_scores(pd.DataFrame(rows).assign(measure="y"), measures={"y": "higher"})
        shown += bi.compare_mixed(scores).contrasts(all=True)["winner"].iloc[0] == "0"
    error = math.sqrt(found.power * (1 - found.power) / runs)
    assert shown / runs == pytest.approx(found.power, abs=3 * error)


def test_power_of_many_pairs_is_a_lower_bound_of_the_default():
    """Of pairs that differ so much, the closed test beside compatible intervals decides more."""
    k, d, difference, tables = 3, 12, 1.6, 300
    spread = bi.Components(dataset_algorithm=1.0, residual=1e-12)
    planned = bi.plan(spread, difference, k=k, n_datasets=d, n_replications=1)
    assert "intervals that hold together with the verdicts" in str(planned)
    rng, first, second = np.random.default_rng(1), *np.triu_indices(k, 1)
    decided = {"closed": 0, "first step": 0}
    for _ in range(tables):
        y = rng.normal(size=(d, k)) + np.array([difference, 0.0, 0.0])
        gaps = y[:, first] - y[:, second]
        t = gaps.mean(axis=0) / gaps.std(axis=0, ddof=1) * np.sqrt(d)
        raw = 2 * stdtr(d - 1, -np.abs(t))
        p = rotations.closed_pairs(y, raw, 0.05, spent=SPENT, directions=999).p_value
        decided["closed"] += int(p[0] <= 0.05)
        decided["first step"] += int(raw[0] <= 0.05 / 3)
    error = np.sqrt(planned.power * (1 - planned.power) / tables)
    assert abs(decided["first step"] / tables - planned.power) < 3 * error
    assert decided["closed"] >= decided["first step"]
    single = bi.plan(spread, difference, contrasts=None, n_datasets=d, n_replications=1)
    assert "hold together" not in str(single)
