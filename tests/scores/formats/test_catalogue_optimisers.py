"""Traces of optimisers, in the layouts of COCO and of IOHprofiler."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer import ScoreTableError, read_scores, read_traces
from tests.scores.formats.traces import benchopt_results, write_coco, write_ioh, write_ioh_info


def check_times(scores, held, target, limit, sign=1):
    """Compare times to a target with those of the runs that were written."""
    table = scores.to_frame().set_index(["dataset", "algorithm", "replication"])["value"]
    assert len(table) == len(held)
    for place, (trace, _) in held.items():
        hits = [e for e, y in trace if sign * float(f"{y:+.9e}") <= sign * target and e <= limit]
        assert table[place] == pytest.approx(hits[0] if hits else limit, rel=1e-12)


def test_coco_folders_are_traces_of_errors(tmp_path):
    held = write_coco(tmp_path)
    scores = read_traces(tmp_path, [0.01])
    assert scores.algorithms == ("bfgs", "cma")
    assert scores.datasets == ("f1, 2D", "f1, 5D", "f8, 2D", "f8, 5D")
    limit = scores.measure().limit
    assert limit == min(b for t, b in held.values() if t[-1][1] > 0.01)
    check_times(scores, held, 0.01, limit)
    for row in scores.runs().running_times().itertuples():
        runs = [h for place, h in held.items() if place[:2] == (row.dataset, row.algorithm)]
        first = [next((e for e, y in t if y <= 0.01), budget) for t, budget in runs]
        assert row.total_time == sum(first)
        assert row.solved == sum(t[-1][1] <= 0.01 for t, _ in runs)


def test_coco_values_at_one_budget(tmp_path):
    held = write_coco(tmp_path)
    scores = read_scores(tmp_path, take="last:evaluations")
    assert (scores.measure().name, scores.measure().better) == ("best", "lower")
    table = scores.to_frame().set_index(["dataset", "algorithm", "replication"])["value"]
    for place, (trace, _) in held.items():
        assert table[place] == pytest.approx(trace[-1][1], rel=1e-8)


def test_points_by_evaluations_add_to_those_by_targets(tmp_path):
    write_coco(tmp_path, algorithms=("cma",), functions=(1,), dimensions=(2,), n=2)
    data = tmp_path / "cma" / "data_f1" / "bbobexp_f1_DIM2.dat"
    head = data.read_text().splitlines()[0]
    row = "{} 1e9 {} 0 0 0 0"
    rows = [head, row.format(1, 50.0), head, row.format(1, 40.0), row.format(3, 1e-9)]
    data.with_suffix(".tdat").write_text("\n".join(rows))
    scores = read_traces(tmp_path / "cma", [1e-8])
    times = scores.to_frame().set_index("replication")["value"]
    assert times["2"] == 3.0
    assert times["1"] == scores.measure().limit


@pytest.mark.parametrize("maximization", [True, False])
def test_iohprofiler_folders_say_the_direction(tmp_path, maximization):
    held = write_ioh(tmp_path, maximization=maximization)
    target, sign = (99.5, -1) if maximization else (0.5, 1)
    scores = read_traces(tmp_path, [target])
    limit = scores.measure().limit
    check_times(scores, held, target, limit, sign)
    assert np.isfinite(scores.runs().running_times()["running_time"]).any()


def test_the_first_versions_of_iohprofiler(tmp_path):
    write_ioh_info(tmp_path / "ea")
    scores = read_traces(tmp_path / "ea", [99.0, 100.0])
    table = scores.runs().running_times().set_index("target")
    assert table["algorithm"].unique().tolist() == ["(1+1) EA"]
    assert table["total_time"].to_dict() == {99.0: 97.0, 100.0: 507.0}
    assert table["solved"].to_dict() == {99.0: 2, 100.0: 1}


def test_a_grid_compares_algorithms_of_a_folder(tmp_path):
    write_coco(tmp_path, functions=tuple(range(1, 9)))
    scores = read_traces(tmp_path, 51)
    result = bi.compare_mixed(scores, "targets reached")
    assert "bfgs" in result.headline()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("% function", "# function", "a line '# function"),
        ("% function", "% function evaluation\n% function", "holds [46] runs, and its .info lists"),
        ("+1.0 -2.0\n", "\nx y z\n", "holds a line 'x y z'"),
    ],
)
def test_damaged_files_are_named(tmp_path, old, new, said):
    write_coco(tmp_path)
    data = tmp_path / "cma" / "data_f8" / "bbobexp_f8_DIM5.dat"
    data.write_text(data.read_text().replace(old, new))
    with pytest.raises(ScoreTableError, match=rf"data_f8/bbobexp_f8_DIM5.dat' {said}|{said}"):
        read_traces(tmp_path, [1.0])


def test_coco_runs_without_points_are_no_traces(tmp_path):
    write_coco(tmp_path)
    for data in [*tmp_path.rglob("*.dat"), *tmp_path.rglob("*.tdat")]:
        heads = [line for line in data.read_text().splitlines() if line.startswith("%")]
        data.write_text("\n".join(heads))
    with pytest.raises(ScoreTableError):
        read_traces(tmp_path, [1.0])


def test_data_files_that_are_not_there(tmp_path):
    write_coco(tmp_path)
    (tmp_path / "cma" / "data_f8" / "bbobexp_f8_DIM5.dat").unlink()
    named = r"^traces of an optimiser: 'cma/\S+\.info' names '\S+_f8_DIM5.dat', which is no file of"
    with pytest.raises(ScoreTableError, match=named):
        read_traces(tmp_path, [1.0])


@pytest.mark.parametrize("write", [write_coco, write_ioh, write_ioh_info])
@pytest.mark.parametrize("way", ["{up}", "{beyond}", "data/../{up}"])
def test_data_files_lie_in_the_folder(tmp_path, write, way):
    folder, beyond = tmp_path / "runs", tmp_path / "beyond.dat"
    write(folder)
    data = next(folder.rglob("*.dat"))
    beyond.write_text(data.read_text())
    for listing in [*folder.rglob("*.info"), *folder.rglob("IOHprofiler_*.json")]:
        up = beyond.relative_to(listing.parent, walk_up=True).as_posix()
        named = data.relative_to(listing.parent, walk_up=True).as_posix()
        text = listing.read_text()
        listing.write_text(text.replace(named, way.format(up=up, beyond=beyond)))
    with pytest.raises(ScoreTableError, match=r"beyond\.dat', which is no file of the folder"):
        read_traces(folder, [1.0])


def test_benchopt_results_are_curves_of_stopping_values(tmp_path):
    frame = benchopt_results()
    frame.to_parquet(tmp_path / "results.parquet")
    with pytest.raises(ScoreTableError, match="take='last:stop_val'"):
        read_scores(tmp_path / "results.parquet")
    last = read_scores(tmp_path / "results.parquet", take="last:stop_val")
    assert [(m.name, m.better) for m in last.measures] == [
        ("objective_value", "lower"),
        ("time", "lower"),
    ]
    scores = read_traces(tmp_path / "results.parquet", [1.01])
    assert scores.measure().name == "time to 1.01"
    assert scores.measure().unit == "s"
    for row in scores.runs().running_times().itertuples():
        data, objective = row.dataset.split("/")
        runs = frame[(frame["dataset_name"] == data) & (frame["solver_name"] == row.algorithm)]
        assert objective == "Lasso[lmbd=0.1]"
        hits = runs[runs["objective_value"] <= 1.01].groupby("idx_rep")["time"].min()
        total = hits.reindex([0, 1]).fillna(runs.groupby("idx_rep")["time"].max()).sum()
        assert row.solved == len(hits)
        assert row.total_time == pytest.approx(total)


def entry(folder):
    """Write two algorithms of COCO; return the list of one, and its traces."""
    write_coco(folder, functions=(1,), dimensions=(2,))
    return folder / "cma" / "bbobexp_f1.info", folder / "cma" / "data_f1" / "bbobexp_f1_DIM2.dat"


def test_a_run_that_ended_before_its_first_point_is_a_failure(tmp_path):
    _, data = entry(tmp_path)
    text = data.read_text()
    data.write_text(text[: text.rindex(text.splitlines()[0])] + text.splitlines()[0] + "\n")
    scores = read_scores(tmp_path, take="last:evaluations")
    assert (scores.n_rows, len(scores.failures())) == (5, 1)
    assert scores.failures()["replication"].tolist() == ["3"]
    assert read_traces(tmp_path, [1e-9]).n_rows == 6  # it reached no target


@pytest.mark.parametrize("lost", ["algId", "DIM", "funcId"])
def test_an_entry_without_a_name_is_refused(tmp_path, lost):
    info, _ = entry(tmp_path)
    info.write_text(info.read_text().replace(lost, "other"))
    with pytest.raises(ScoreTableError, match=rf"lists an entry of .* without {lost}\.\nHint: "):
        read_traces(tmp_path, [1e-8])


@pytest.mark.parametrize("place", [0, -1])
def test_an_entry_without_traces_is_refused(tmp_path, place):
    info, _ = entry(tmp_path)
    lines = info.read_text().splitlines()
    lines[0 if place == 0 else len(lines) :] = [lines[0]] * 2 if place == 0 else [lines[0]]
    info.write_text("\n".join(lines))
    with pytest.raises(ScoreTableError, match="lists an entry of f1 without a file of traces"):
        read_traces(tmp_path, [1e-8])
