"""Times until runs of optimisers reach targets, one run and one target at a time."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer import ScoreTableError, read_traces

PLACE = ["dataset", "algorithm", "replication"]


def traces(budgets=(400,), *, sign=1, best=None, seed=3):
    """Return values of three problems, two algorithms and four runs, rows in no order."""
    rng = np.random.default_rng(seed)
    rows = []
    for p, a, r in np.ndindex(3, 2, 4):
        budget = budgets[(p + a + r) % len(budgets)]
        value = 10 ** rng.normal(2, 0.2)
        for e in range(1, budget + 1, 7):
            value *= 10 ** (-0.12 * (a + 1) * rng.random())
            seen = value * rng.uniform(1, 1.3)  # a value of its own, worse than the best so far
            rows.append((f"p{p}", "xy"[a], r, e, sign * (seen if best is None else best(value))))
        rows.append((f"p{p}", "xy"[a], r, budget, rows[-1][-1]))
    columns = [*PLACE, "evaluations", "loss"]
    return pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=seed)


def hits(frame, target, limit=np.inf, sign=1):
    """Return the first evaluation of each run that reaches the target, and how long it ran."""
    found = {}
    for key, run in frame.groupby(PLACE):
        there = run[(sign * run["loss"] <= sign * target) & (run["evaluations"] <= limit)]
        first = there["evaluations"].min() if len(there) else np.inf
        found[(key[0], key[1], str(key[2]))] = first, min(run["evaluations"].max(), limit)
    return found


def times(scores, measure):
    table = scores.to_frame(measure)
    return {tuple(row[:3]): row[3] for row in table[[*PLACE, "value"]].itertuples(index=False)}


@pytest.mark.parametrize("sign", [1, -1])
def test_each_target_of_a_list_is_a_measure_with_a_limit(sign):
    frame = traces(sign=sign)
    measure = "loss:lower" if sign > 0 else "loss:higher"
    scores = read_traces(frame, [sign * 1.0, sign * 1e-4], measures=measure)
    for m, target in zip(scores.measures, (1.0, 1e-4), strict=True):
        assert (m.name, m.limit) == (f"evaluations to {sign * target:g}", 400)
        reached = hits(frame, sign * target, sign=sign)
        expected = {key: min(first, 400.0) for key, (first, _) in reached.items()}
        assert times(scores, m.name) == pytest.approx(expected)
        solved = pd.Series({key: np.isfinite(first) for key, (first, _) in reached.items()})
        share = scores.runs(m.name).summary().set_index("algorithm")["solved_share"]
        assert share.to_dict() == pytest.approx(solved.groupby(level=1).mean().to_dict())
    assert 0 < scores.solved(m.name).cells().mean.mean() < 1


@pytest.mark.slow
@pytest.mark.parametrize(("targets", "n"), [([1.0, 1e-9], 2), ("1e2:1e-6:9", 9), (7, 7)])
def test_running_times_are_sums_over_whole_runs(targets, n):
    frame = traces((150, 250, 400))
    scores = read_traces(frame, targets, measures="loss:lower")
    table = scores.runs().running_times()
    assert len(table) == 6 * n
    for row in table.itertuples():
        runs = [h for k, h in hits(frame, row.target).items() if k[:2] == row[1:3]]
        total = sum(first if np.isfinite(first) else budget for first, budget in runs)
        solved = sum(np.isfinite(first) for first, _ in runs)
        assert (row.n, row.solved, row.total_time) == (4, solved, total)
        assert row.running_time == (total / solved if solved else np.inf)
        assert row.running_time_shown.startswith("> ") == (solved == 0)


def test_no_verdict_rests_on_a_problem_without_a_success():
    scores = read_traces(traces(), [1e-30], measures="loss:lower")
    assert np.isinf(scores.runs().running_times()["running_time"]).all()
    result = bi.compare_points(scores)
    assert not result.contrasts()["winner"].any()
    assert not np.isinf(scores.to_frame()["value"]).any()


def test_targets_of_each_problem_are_between_the_worst_first_and_the_best_last_value():
    frame = traces()
    held = read_traces(frame, 51, measures="loss:lower").runs().running_times()
    for name, rows in frame.groupby("dataset"):
        runs = rows.sort_values("evaluations").groupby(["algorithm", "replication"])["loss"]
        ends = np.log([runs.first().max(), rows["loss"].min()])
        there = held.loc[
            (held["dataset"] == name) & (held["algorithm"] == "y"), "target"
        ].to_numpy()
        assert np.log(there) == pytest.approx(np.linspace(*ends, 51), abs=1e-9)
        reached = held[(held["dataset"] == name)].groupby("target")["solved"].sum()
        assert reached.iloc[-1] == 8, "the first target is reached by all runs"
        assert reached.iloc[0] == 1, "the last one by the run that has it"


@pytest.mark.parametrize(("scale", "par"), [("identity", 1), ("log", 1), ("identity", 3)])
def test_targets_of_a_grid_are_averaged_over_for_each_run(scale, par):
    frame = traces()
    cost = f"evaluations:lower:0:{scale}:limit=300:par={par}"
    scores = read_traces(frame, "10:1e-5:6", measures=["loss:lower", cost])
    grid = np.geomspace(10, 1e-5, 6)
    first = {t: hits(frame, t, 300) for t in grid}
    for key, value in times(scores, "evaluations").items():
        each = np.array([h if np.isfinite(h := first[t][key][0]) else par * 300 for t in grid])
        expected = each.mean() if scale == "identity" else np.exp(np.log(each).mean())
        assert value == pytest.approx(expected)
    for key, value in times(scores, "targets reached").items():
        assert value == pytest.approx(np.mean([np.isfinite(first[t][key][0]) for t in grid]))


def test_budgets_that_differ_are_compared_up_to_the_least():
    frame = traces((150, 400))
    scores = read_traces(frame, [1e-4], measures="loss:lower")
    assert scores.measure().limit == 150
    (finding,) = [f for f in scores.finding_records if f.rule == "runs of unequal budgets"]
    assert "150 to 400 evaluations" in finding.what
    expected = {key: min(h, 150.0) for key, (h, _) in hits(frame, 1e-4).items()}
    assert times(scores, None) == pytest.approx(expected)
    given = ["loss:lower", "evaluations:lower:limit=400"]
    later = read_traces(frame, [1e-4], measures=given)
    expected = {key: min(h, 400.0) for key, (h, _) in hits(frame, 1e-4).items()}
    assert times(later, None) == pytest.approx(expected)
    (finding,) = [f for f in later.finding_records if f.rule == "runs that ended early"]
    ended = [h for h in hits(frame, 1e-4).values() if np.isinf(h[0]) and h[1] == 150]
    assert finding.count == len(ended) > 0


def test_batches_that_end_apart_are_of_one_budget():
    scores = read_traces(traces((396, 400)), [1e-4], measures="loss:lower")
    assert "runs of unequal budgets" not in {f.rule for f in scores.finding_records}
    assert scores.measure().limit == 396


def test_parts_of_a_table_keep_their_running_times():
    frame = traces((150, 400))
    scores = read_traces(frame, [1.0, 1e-4], measures="loss:lower")
    part = scores.subset(algorithms=["y"], datasets=["p0", "p2"]).runs().running_times()
    held = scores.runs().running_times()
    same = held[(held["algorithm"] == "y") & (held["dataset"] != "p1")].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, same)
    lower = scores.declare(bi.Measure("evaluations to 1", "lower", limit=60.0))
    for row in lower.runs("evaluations to 1").running_times().itertuples():
        runs = [h for k, h in hits(frame, 1.0, 60).items() if k[:2] == row[1:3]]
        assert row.total_time == sum(h if np.isfinite(h) else b for h, b in runs)


def test_values_that_reach_zero_or_pass_it():
    zero = traces(best=lambda v: v if v > 1e-3 else 0.0)
    held = read_traces(zero, 5, measures="loss:lower").runs().running_times()
    for name, rows in held[held["algorithm"] == "x"].groupby("dataset"):
        of = zero[zero["dataset"] == name]["loss"]
        assert rows["target"].iloc[-2:].tolist() == pytest.approx([of[of > 0].min(), 0.0])
    negative = traces(best=np.log10)
    held = read_traces(negative, 5, measures="loss:lower").runs().running_times()
    steps = held[held["algorithm"] == "x"].groupby("dataset")["target"].apply(np.diff)
    assert all(np.ptp(step) < 1e-9 for step in steps)


def test_names_of_columns_and_new_names():
    frame = traces().rename(columns={"algorithm": "optimizer", "evaluations": "calls"})
    given = {
        "measures": ["loss:lower", "calls:lower"],
        "columns": {"optimizer": "algorithm"},
        "names": {"x": "ours", "p0": "sphere"},
    }
    scores = read_traces(frame, [0.01], **given)
    assert scores.measure().name == "calls to 0.01"
    table = scores.runs().running_times()
    assert set(table["algorithm"]) == {"ours", "y"}
    assert set(table["dataset"]) == {"sphere", "p1", "p2"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"targets": 1}, "is not understood"),
        ({"targets": []}, "is not understood"),
        ({"targets": [1.0, 1.0]}, "is not understood"),
        ({"targets": "1e2:1e-8"}, "is not understood"),
        ({"targets": "a,b"}, "is not understood"),
        ({"targets": "1:-1:5"}, "equally spaced in logarithms"),
        ({"measures": None}, "which values reach a target"),
        ({"measures": ["loss:lower", "calls:lower"]}, "no column 'calls'"),
        ({"measures": ["loss:lower", "evaluations:higher"]}, "of which lower is better"),
        ({"measures": ["loss:lower", "evaluations:lower", "x:lower"]}, "3 measures are declared"),
        ({"take": "last:evaluations"}, "go without take"),
        ({"units": ["replication"]}, "go without units"),
    ],
)
def test_mistakes_are_named(change, said):
    declared = {"measures": "loss:lower", "targets": [1.0]} | change
    targets = declared.pop("targets")
    with pytest.raises(ScoreTableError, match=said):
        read_traces(traces(), targets, measures=bi.Declaration(**declared))


def test_data_sets_without_any_value_are_named():
    frame = traces()
    frame.loc[frame[PLACE[0]] == "p1", "loss"] = np.nan
    with pytest.raises(ScoreTableError, match=r"finite value of loss on 1 data set: p1\."):
        read_traces(frame, 5, measures="loss:lower")


def test_runs_that_are_not_told_apart_are_refused():
    frame = traces().drop(columns="replication")
    with pytest.raises(ScoreTableError, match=r"several runs have the same labels[^$]*replication"):
        read_traces(frame, [1.0], measures="loss:lower")


def test_costs_and_values_that_are_no_numbers():
    frame = traces().astype({"evaluations": object, "loss": object})
    frame.iloc[0, 3] = -1
    with pytest.raises(ScoreTableError, match="1 of 1,416 rows have no number of 0 or more"):
        read_traces(frame, [1.0], measures="loss:lower")
    frame.iloc[0, 3], frame.iloc[1, 4] = 1, "bad"
    with pytest.raises(ScoreTableError, match="1 of 1,416 rows of 'loss' are no numbers"):
        read_traces(frame, [1.0], measures="loss:lower")


def test_runs_that_diverged_reach_nothing_more():
    frame = traces()
    late = (frame["dataset"] == "p0") & (frame["algorithm"] == "x") & (frame["evaluations"] > 30)
    frame.loc[late, "loss"] = np.nan
    scores = read_traces(frame, [1e-3], measures="loss:lower")
    row = scores.runs().running_times().set_index(["dataset", "algorithm"]).loc[("p0", "x")]
    assert (row["solved"], row["total_time"]) == (0, 4 * 400)
