"""Gate on times of programs: the run is the unit."""

import itertools
import json

import numpy as np
import pytest
from scipy.stats import ttest_ind

import benchinfer as bi
from benchinfer.analyses.gate.needs import runs_needed
from benchinfer.core.errors import DesignError

MEASURE = "real_time:lower:0.05:log"


def run(path, speed, context, rng, cases=8, noise=0.01):
    """Write a run of Google Benchmark whose cases share a speed of the machine."""
    times = [10.0 * 4**i * speed * np.exp(noise * rng.normal()) for i in range(cases)]
    names = [f"BM_k/{2**i}" for i in range(cases)]
    shared = {"run_type": "iteration", "time_unit": "ns", "iterations": 9}
    document = {
        "context": {"host_name": "h1", "mhz_per_cpu": 3000, "load_avg": [0.1, 0.1, 0.2], **context},
        "benchmarks": [
            {"name": name, "run_name": name, "real_time": t, "cpu_time": t, **shared}
            for name, t in zip(names, times, strict=True)
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def sides(folder, old, new, contexts=({}, {}), seed=1):
    """Write the runs of both sides with these speeds; return their folders."""
    rng = np.random.default_rng(seed)
    for name, speeds, context in zip(("old", "new"), (old, new), contexts, strict=True):
        for i, speed in enumerate(speeds):
            run(folder / name / f"run_{i}.json", speed, context, rng)
    return [folder / "old", folder / "new"]


def ask(paths, **options):
    scores = bi.read_scores(paths, measures=MEASURE)
    return bi.gate(scores, baseline="old", candidate="new", **options)


def test_the_run_is_the_unit(tmp_path):
    """The t test is that of the means of runs, Welch's, however many cases a run has."""
    old, new = [1.0, 1.02, 0.99], [1.12, 1.10, 1.15, 1.11]
    paths = sides(tmp_path, old, new)
    row = ask(paths)["real_time"]
    logs = [
        [
            np.log([b["real_time"] for b in json.loads(file.read_text())["benchmarks"]]).mean()
            for file in sorted(path.glob("*.json"))
        ]
        for path in paths
    ]
    found = ttest_ind(logs[1], np.array(logs[0]) + np.log(1.05), equal_var=False)
    p = found.pvalue / 2 if found.statistic > 0 else 1 - found.pvalue / 2
    assert row.p_fail == pytest.approx(p, rel=1e-9)
    assert row.runs == (3, 4)
    assert row.verdict == "fail"
    assert "on 8 of 8 cases" in ask(paths).headline()


def test_one_run_each_decides_nothing(tmp_path):
    contexts = ({"host_name": "h1", "mhz_per_cpu": 3492}, {"host_name": "h2", "mhz_per_cpu": 2871})
    paths = sides(tmp_path, [1.0], [1.2], contexts)
    files = [next(path.glob("*.json")).rename(path.parent / f"{path.name}.json") for path in paths]
    found = ask(files)
    assert found.verdict == "undecided"
    assert "one run each: the ratio 1.2" in str(found)
    assert "over 8 cases" in str(found)
    notes = " ".join(found.notes)
    assert "mhz_per_cpu is 3492 in old, 2871 in new" in notes
    assert "host_name is h1 in old, h2 in new" in notes
    assert "load_avg" not in notes
    row = found["real_time"]
    assert row.need.replications == runs_needed(0.5, 0.05, 0.8) - 1
    assert np.exp(-row.estimate) == pytest.approx(1.2, rel=0.02)
    of_cases = ask(files, unit="case")
    assert of_cases.verdict == "fail"
    assert of_cases["real_time"].comparison.provenance.analysis == "compare_mixed"


def test_a_single_run_of_one_side_decides_nothing_either(tmp_path):
    found = ask(sides(tmp_path, [1.0, 1.01, 0.99], [1.3]))
    assert found.verdict == "undecided"
    assert "1 against 3 runs" in str(found)


def test_hosts_that_change_with_each_run_are_no_difference_of_sides(tmp_path):
    rng = np.random.default_rng(1)
    for name in ("old", "new"):
        for i in range(3):
            run(tmp_path / name / f"r{i}.json", 1.0, {"host_name": f"{name}{i}"}, rng)
    found = ask([tmp_path / "old", tmp_path / "new"])
    assert not any("runs differ" in note for note in found.notes)


@pytest.mark.parametrize("kind", ["folder", "folders", "globs"])
def test_runs_are_read_from_folders_and_patterns(tmp_path, kind):
    paths = sides(tmp_path, [1.0, 1.1], [1.0, 1.2, 1.3])
    source = {"folder": tmp_path, "folders": paths, "globs": [f"{p}/*.json" for p in paths]}[kind]
    scores = bi.read_scores(source, measures=MEASURE)
    assert set(scores.algorithms) == {"old", "new"}
    assert scores.resampling.kind == "runs"
    counts = scores.coverage("real_time")
    assert set(map(tuple, counts.counts)) == {tuple(2 + (a == "new") for a in counts.algorithms)}
    compared = bi.compare(scores)
    assert "runs are the units" in str(compared.choices["real_time"].reason)
    assert compared["real_time"].provenance.analysis == "compare_pair"
    assert not any("domains" in check.check for check in compared["real_time"]._checks)


@pytest.mark.parametrize("by", ["pair", "mixed"])
def test_an_analysis_that_is_asked_for_has_runs_as_units_too(tmp_path, by):
    row = ask(sides(tmp_path, [1.0, 1.3, 0.8], [1.3, 1.1, 1.6]), by=by)["real_time"]
    assert row.p_fail > 0.05
    with pytest.raises(DesignError):
        ask(sides(tmp_path / "x", [1.0, 1.3], [1.3, 1.1]), by="permutation")


def test_runs_needed_have_that_power():
    rng = np.random.default_rng(1)
    for variation in (0.5, 1.0):
        n = runs_needed(variation, 0.05, 0.8)
        old, new = rng.normal(0, variation, (2, 2000, n))
        passed = ttest_ind(new + 1, old, axis=1, alternative="greater").pvalue <= 0.05
        assert 0.78 < passed.mean() < 0.88


def drifting(rng, n=60):
    """Return speeds of consecutive runs: a machine that drifts, and two states of its clock."""
    walk = np.cumsum(rng.normal(0, 0.01, n))
    return np.exp(walk - walk.mean() + 0.1 * (rng.random(n) < 0.3))


@pytest.mark.parametrize("seed", [1])
def test_consecutive_runs_of_one_program_never_fail(tmp_path, seed):
    speeds = drifting(np.random.default_rng(seed))[:4]
    paths = sides(tmp_path, speeds, [], seed=seed)
    files = sorted(paths[0].glob("*.json"))
    for first, second in itertools.pairwise(files):
        scores = bi.read_scores([first, second], measures=MEASURE)
        found = bi.gate(scores, baseline=first.stem, candidate=second.stem)
        assert found.verdict == "undecided"


@pytest.mark.parametrize("cases", [1, 2])
@pytest.mark.parametrize("scale", ["identity", "log"])
def test_the_ratio_of_one_run_each_has_its_range_over_cases(tmp_path, cases, scale):
    for name, speed in (("old", 1.0), ("new", 0.8)):
        run(tmp_path / f"{name}.json", speed, {}, np.random.default_rng(1), cases, noise=0)
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    scores = bi.read_scores(paths, measures=f"real_time:lower:0.05:{scale}")
    said = str(bi.gate(scores, baseline="old", candidate="new"))
    if cases == 1:
        wanted = {"log": "the ratio 0.80 is of", "identity": "the difference -2.0 is of"}[scale]
    else:
        wanted = {"log": "(from 0.80 to 0.80", "identity": "(from -8.0 to -2.0"}[scale]
    assert wanted in said
