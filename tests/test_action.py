"""The action around `gate`, its steps run by a script that plays the runner."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def filled(text: str, values: dict[str, str]) -> str:
    """Fill the expressions of a text."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], text)


def ran(folder: Path, inputs: dict[str, str], event: str = "pull_request") -> dict[str, str]:
    """Run the steps in a folder; return what each wrote and the last exit code."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("gh", "pip"):
        (tools / name).write_text(f'#!/bin/sh\necho "$@" >> {folder}/{name}.txt\n')
        (tools / name).chmod(0o755)
    values = {
        "github.token": "t0",
        "github.event_name": event,
        "github.event.pull_request.number": "17",
        "github.repository": "owner/project",
    }
    for name, declared in ACTION["inputs"].items():
        default = filled(declared.get("default", ""), values)
        values[f"inputs.{name}"] = inputs.get(name, default)
    environment = os.environ | {
        "PATH": f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_REPOSITORY": values["github.repository"],
        "RUNNER_TEMP": str(folder),
        **{name: str(folder / f"{name}.txt") for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")},
    }
    said = {"code": "0"}
    for step in ACTION["runs"]["steps"]:
        if "if" in step:
            parts = step["if"].removeprefix("${{ ").removesuffix(" }}").split(" && ")
            pairs = [re.fullmatch(r"(\S+) == '(.*)'", part) for part in parts]
            if not all(values[pair[1]] == pair[2] for pair in pairs):
                continue
        given = {name: filled(text, values) for name, text in step.get("env", {}).items()}
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            shell, env=environment | given, capture_output=True, text=True, check=False, cwd=folder
        )
        said[step["name"]] = done.stdout + done.stderr
        said["code"] = str(done.returncode)
        if done.returncode:
            break
        if "id" in step:
            lines = Path(environment["GITHUB_OUTPUT"]).read_text().splitlines()
            outputs = dict(line.split("=", 1) for line in lines)
            values |= {f"steps.{step['id']}.outputs.{k}": v for k, v in outputs.items()}
    return said


BALANCED = "example:simulated/balanced"


@pytest.mark.parametrize(
    ("tolerance", "code", "words"),
    [("0.02", "0", "Not worse"), ("0.01", "3", "Undecided"), ("x", "2", "No verdict")],
)
def test_the_job_ends_as_the_gate_does(tmp_path, tolerance, code, words):
    arguments = f"--baseline alg1 --candidate 'alg2' -m score:higher:{tolerance}"
    said = ran(tmp_path, {"scores": BALANCED, "arguments": arguments})
    assert said["code"] == code
    assert words in said["Verdict"]
    summary = (tmp_path / "GITHUB_STEP_SUMMARY.txt").read_text()
    assert summary == (tmp_path / "benchinfer-gate.md").read_text()
    comment = (tmp_path / "gh.txt").read_text()
    assert comment.startswith("pr comment 17 --repo owner/project --edit-last --create-if-none")
    assert str(ROOT) in (tmp_path / "pip.txt").read_text()
    if code != "2":
        assert "| score |" in summary


@pytest.mark.parametrize(("comment", "event"), [("false", "pull_request"), ("true", "push")])
def test_no_comment_is_written_where_none_is_wanted_or_possible(tmp_path, comment, event):
    arguments = "--baseline alg1 --candidate alg2 -m score:higher:0.02; touch x"
    said = ran(
        tmp_path, {"scores": BALANCED, "arguments": arguments, "comment": comment}, event=event
    )
    assert not (tmp_path / "gh.txt").exists()
    assert not (tmp_path / "x").exists()  # words are never run
    assert said["code"] not in {"0", "1", "3"}


@pytest.mark.parametrize(("asked", "code"), [(None, "3"), ("true", "0")])
def test_options_of_the_branch_count_where_they_are_asked_for(tmp_path, asked, code):
    """A pull request can write benchinfer.toml, and with it that undecided is a pass."""
    (tmp_path / "benchinfer.toml").write_text('[gate]\non-undecided = "pass"\n')
    arguments = "--baseline alg1 --candidate alg2 -m score:higher:0.01"
    inputs = {"scores": BALANCED, "arguments": arguments}
    said = ran(tmp_path, inputs | ({} if asked is None else {"options-file": asked}))
    assert said["code"] == code
    named = "--on-undecided pass" in (tmp_path / "benchinfer-gate.md").read_text().replace("\\", "")
    assert named == (asked == "true")
