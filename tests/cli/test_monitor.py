"""The command that drives a running experiment."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ARGUMENTS = ("--measures", "acc:higher", "--resampling", "independent", "--paired")


@pytest.fixture
def growing(tmp_path: Path) -> Callable[..., Path]:
    """Write the first n replications of an experiment in which b is better by so much."""

    def write(n: int, better: float = 1.0) -> Path:
        rng = np.random.default_rng(1)
        y = rng.normal(size=(400, 1)) + rng.normal(size=(400, 3)) + [0.0, better, 0.0]
        path = tmp_path / "scores.csv"
        lines = [
            f"d1,{r + 1},{name},acc,{y[r, k]:.6f}" for r in range(n) for k, name in enumerate("abc")
        ]
        head = "dataset,replication,algorithm,measure,value"
        path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
        return path

    return write


def test_the_exit_code_says_whether_to_go_on(run: Callable, growing: Callable) -> None:
    pair = ("--pair", "a,b")
    going = run("monitor", growing(40), *ARGUMENTS, *pair)
    assert going.exit_code == 3, going.output
    assert "Run next" in going.stdout
    assert "d1: a and b, 10 replications (41 to 50)" in going.stdout
    decided = run("monitor", growing(50), *ARGUMENTS, *pair)
    assert decided.exit_code == 0, decided.output
    assert "b better" in decided.stdout


def test_undecidable_is_4(run: Callable, growing: Callable) -> None:
    found = run("monitor", growing(100, 0.0), *ARGUMENTS, "--stage", "20", "--state", "none")
    assert found.exit_code == 4, found.output
    assert "not rejected" in found.stdout


@pytest.mark.slow
def test_a_loop_over_a_growing_file_ends(run: Callable, growing: Callable) -> None:
    path, used = growing(10), 10
    while (found := run("monitor", path, *ARGUMENTS, "--json", "--stage", "25")).exit_code == 3:
        answer = json.loads(found.stdout)
        assert answer["decision"] == "go on"
        numbers = [int(cell["replication"]) for cell in answer["next_cells"]]
        used = max(numbers)
        path = growing(used)
    answer = json.loads(found.stdout)
    assert found.exit_code == 4
    assert used <= 125
    decided = {c["first"] + c["second"]: c["winner"] for c in answer["contrasts"]}
    assert decided == {"ab": "b", "ac": "", "bc": "b"}
    assert {"stages", "next_cells", "diagnostics", "provenance"} <= set(answer)
    names = sorted(p.name for p in path.parent.iterdir())
    assert names == ["scores.csv", "scores.csv.monitor.json", "scores.csv.monitor.json.lock"]


def test_a_changed_past_and_a_changed_design(run: Callable, growing: Callable) -> None:
    assert run("monitor", growing(60, 0.3), *ARGUMENTS).exit_code == 3
    changed = run("monitor", growing(60, 0.4), *ARGUMENTS)
    assert changed.exit_code == 4
    assert "scores changed" in changed.stderr
    other = run("monitor", growing(60, 0.3), *ARGUMENTS, "--stage", "20")
    assert other.exit_code == 2
    assert "begun with another design" in other.stderr


@pytest.mark.parametrize("method", ["recursive", "anytime", "group-sequential"])
def test_every_method_prints(run: Callable, growing: Callable, method: str) -> None:
    found = run("monitor", growing(120), *ARGUMENTS, "--method", method)
    assert found.exit_code == 3, found.output
    assert "b better" in found.stdout
    assert max(map(len, found.stdout.replace(str(growing(1)), "").splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pair", "a"), "two names"),
        (("--pair", "a,b", "--control", "a"), "without --control"),
        (("--last-stage", "0"), "from 1, none or auto"),
        (("--level", "95"), "between 0 and 1"),
    ],
)
def test_wrong_usage(run: Callable, growing: Callable, arguments: tuple, said: str) -> None:
    found = run("monitor", growing(20), *ARGUMENTS, *arguments)
    assert found.exit_code == 2
    assert said in found.stderr


def test_before_the_first_stage_there_is_no_p_value(run: Callable, growing: Callable) -> None:
    found = run("monitor", growing(20), *ARGUMENTS)
    assert "provisional" not in found.stdout
    assert "Nothing is counted before the first stage is whole." in found.stdout


def test_an_interval_that_holds_zero_beside_a_verdict(run: Callable, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=(400, 1)) + rng.normal(size=(400, 3)) + [0.0, 4.0, 4.7]
    for n, holds in ((20, True), (30, False)):
        rows = [f"d,{r},{k},acc,{y[r, i]:.6f}" for r in range(n) for i, k in enumerate("abc")]
        path = tmp_path / "scores.csv"
        head = "dataset,replication,algorithm,measure,value"
        path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
        found = run("monitor", path, *ARGUMENTS, "--method", "anytime", "--state", "none")
        assert found.exit_code == 0, found.output
        assert ("A sequence may hold 0 where a pair is decided" in found.stdout) == holds


def test_several_measures(run: Callable, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=(60, 2, 2)) + np.array([[0.0, 0.0], [2.0, 0.1]])
    lines = [
        f"d1,{r + 1},{name},{measure},{y[r, k, m]:.6f}"
        for r in range(60)
        for k, name in enumerate("ab")
        for m, measure in enumerate(["acc", "sec"])
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["dataset,replication,algorithm,measure,value", *lines]) + "\n")
    arguments = (*ARGUMENTS, "--measures", "sec:lower", "-m", "acc", "-m", "sec")
    found = run("monitor", path, *arguments)
    assert found.exit_code == 3, found.output
    assert "All measures\nGo on: 1 of 2 pairs decided and 1 going on.\n" in found.stdout
    assert found.stdout.count("d1: a and b, 40 replications (61 to 100)") == 1
    assert found.stdout.count("Warnings") <= 1
    answer = json.loads(run("monitor", path, *arguments, "--json").stdout)
    assert answer["decision"] == "go on"
    assert answer["measures"]["acc"]["decision"] == "decided"
    assert len(answer["next_cells"]) == 80
    levels = answer["measures"]["sec"]["conditional_levels"]
    assert [row["side"] for row in levels] == ["a", "b"]
    assert (tmp_path / "scores.csv.acc.sec.monitor.json").exists()


def test_state_report_and_table_are_three_files(
    run: Callable, growing: Callable, tmp_path: Path
) -> None:
    path = growing(60)
    before = path.read_bytes()
    (tmp_path / "soft.json").symlink_to("s.json")
    both = ("--state", tmp_path / "s.json", "--report", tmp_path / "soft.json")
    same = run("monitor", path, *ARGUMENTS, *both)
    assert same.exit_code == 2
    assert "is the file of the state" in same.stderr
    for options in (("--state", path), ("--report", path)):
        found = run("monitor", path, *ARGUMENTS, *options)
        assert found.exit_code == 2
        assert "was read as input and is not overwritten" in found.stderr
    assert path.read_bytes() == before
    # Nothing was decided on before the report was refused.
    assert not path.with_name("scores.csv.acc.monitor.json").exists()
    assert not path.with_name("scores.csv.monitor.json").exists()


def test_a_stream_has_no_place_for_a_state(run, tmp_path):
    (tmp_path / "scores.csv").write_text("dataset,algorithm,acc\nd1,a,1\nd1,b,2\nd2,a,1\nd2,b,2\n")
    with (tmp_path / "scores.csv").open() as file:
        found = run("monitor", f"/dev/fd/{file.fileno()}", "-m", "acc:higher")
    assert found.exit_code == 2
    assert "say which file, or none, where a table has no name" in found.stderr
