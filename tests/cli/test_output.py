"""What is printed, and how a command ends whose reader has left."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("describe", "example:sklearn_bootstrap"),
        ("describe", "example:demsar2006"),
        ("describe", "example:sklearn_bootstrap", "--json"),
    ],
)
def test_a_closed_pipe_is_no_finding(arguments: tuple[str, ...]) -> None:
    code = "from benchinfer.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 141
    assert said == b""


def test_one_replication_has_no_resampling(run: Callable) -> None:
    result = run("describe", "example:demsar2006")
    first = result.stdout.splitlines()[0]
    assert first == "demsar2006: 56 scores; 14 data sets x 4 algorithms x 1 replication"


def test_several_replications_have_one(run: Callable, clear: Path) -> None:
    said = " ".join(run("describe", clear, "--measures", "value:lower").stdout.split())
    assert "x 4 replications (resampling: undeclared; shared by the algorithms)" in said


def test_local_results_say_what_is_adjusted(run: Callable, clear: Path) -> None:
    said = "P-values are adjusted within each data set, not over data sets."
    arguments = (clear, "--measures", "value:lower:0.01", "--per-dataset")
    assert said in run("compare", "mixed", *arguments).stdout
    assert "P-values" not in run("compare", "points", *arguments).stdout


def test_singular(run: Callable, table: Callable) -> None:
    path = table([("d1", r, name, 0.1 * r + 0.01 * r**k) for r in (1, 2, 3, 4)
                  for k, name in enumerate("ab")])  # fmt: skip
    arguments = (path, "--measures", "value:lower:0.01", "--per-dataset")
    said = run("compare", "points", *arguments).stdout
    assert "on 1 data set, each by itself." in " ".join(said.split())


@pytest.mark.parametrize(("scale", "border"), [("log", 0), ("logit", 0), ("logit", 1)])
def test_a_score_off_the_scale_does_not_keep_the_report_back(
    run: Callable, table: Callable, tmp_path: Path, scale: str, border: int
) -> None:
    path = table([("d1", r, name, border if (r, name) == (1, "a") else 0.1 * r)
                  for r in (1, 2, 3, 4) for name in "ab"])  # fmt: skip
    target = tmp_path / "report.html"
    result = run("report", path, "--measures", f"value:lower:0.05:{scale}", "-o", target)
    assert result.exit_code == 0, result.output
    assert f"cannot be put on the {scale} scale" in " ".join(result.stdout.split())
    assert "Not answered" in target.read_text("utf-8")


def test_check_fits_a_screen_and_ends_with_what_to_do(run: Callable) -> None:
    lines = run("check", "example:simulated/unbalanced").stdout.splitlines()
    assert len(lines) <= 45
    heads = [line.split(":")[0] for line in lines if re.match(r"(warning|note)  ", line)]
    assert heads[:2] == ["warning  missing cells", "warning  thin cells"]
    assert heads[-2:] == ["note  analysis that fits", "note  what the design decides"]
    assert "  Hint: plan --difference 0.02 says how many it takes for less." in lines
    assert len(run("check", "example:sklearn_bootstrap").stdout.splitlines()) <= 25


def test_check_as_json_has_what_the_design_decides(run: Callable) -> None:
    document = json.loads(run("check", "example:simulated/unbalanced", "--json").stdout)
    (row, _) = next(f for f in document["findings"] if f["rule"] == "what the design decides")[
        "where"
    ]
    assert row["sharing"] == "8 of 8 data sets"
