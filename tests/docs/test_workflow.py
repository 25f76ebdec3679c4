"""The workflow of the page on gates, run by a shell."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

WORKFLOW = Path(__file__).parents[2] / "docs" / "examples" / "gate.yml"


def evaluated(shift: float, noise: float) -> str:
    """Return the table that a job writes."""
    rng = np.random.default_rng(1)
    lines = ["dataset,algorithm,accuracy,seconds"]
    for d in range(12):
        base, gap = rng.normal(0.8, 0.05), noise * rng.normal()
        lines += [
            f"d{d},main,{base:.4f},{1 + d}",
            f"d{d},branch,{base + gap + shift:.4f},{1.01 + d}",
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "code", "said", "summary"),
    [
        (evaluated(0.0, 0.005), 0, "Not worse", "### Pass"),
        (evaluated(-0.1, 0.005), 1, "::error::The branch is worse", "### Fail"),
        (evaluated(-0.01, 0.03), 3, "::warning::Undecided", "more data sets"),
        ("dataset,algorithm,accuracy\nd1,main,x\n", 4, "::error::No verdict", ""),
    ],
)
def test_each_verdict_ends_the_job_in_its_own_way(
    tmp_path: Path, table: str, code: int, said: str, summary: str
) -> None:
    steps = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
    (tmp_path / "table").write_text(table, encoding="utf-8")
    for name, text in (("evaluate.sh", "cat table"), ("pip", "exit 0")):
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        script.chmod(0o755)
    script = tmp_path / "benchinfer"
    main = "from benchinfer.cli import main; main()"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{main}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    for step in steps:
        done = subprocess.run(
            ["sh", "-e", "-c", step.get("run", "true")],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=False,
            text=True,
        )
    assert done.returncode == code, done.stderr
    assert said in done.stdout
    assert summary in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "Traceback" not in done.stderr
