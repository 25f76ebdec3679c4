"""The action around `gate`, its steps run by a script that plays the runner."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def filled(text: str, values: dict[str, str]) -> str:
    """Fill the expressions of a text."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], text)


PYTHON = """#!/bin/sh
case "$*" in *"-m pip "*) echo "$@" >> {folder}/pip.txt ;; *) exec {python} "$@" ;; esac
"""


def ran(
    folder: Path,
    inputs: Mapping[str, str],
    event: str = "pull_request",
    more: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Run the steps in the folder's checkout; return what each wrote and the last exit code."""
    tools, checkout = folder / "tools", folder / "checkout"
    tools.mkdir()
    (folder / "temp").mkdir()
    checkout.mkdir(exist_ok=True)
    (tools / "gh").write_text(f'#!/bin/sh\necho "$@" >> {folder}/gh.txt\n')
    (tools / "python").write_text(PYTHON.format(folder=folder, python=sys.executable))
    for tool in tools.iterdir():
        tool.chmod(0o755)
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
        "RUNNER_TEMP": str(folder / "temp"),
        **(more or {}),
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
            shell,
            env=environment | given,
            capture_output=True,
            text=True,
            check=False,
            cwd=checkout,
            timeout=120,
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


@pytest.mark.slow
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
    assert summary == (tmp_path / "temp" / "benchinfer-gate.md").read_text()
    comment = (tmp_path / "gh.txt").read_text()
    assert comment.startswith("pr comment 17 --repo owner/project --edit-last --create-if-none")
    assert str(ROOT) in (tmp_path / "pip.txt").read_text()
    if code != "2":
        assert "| score |" in summary


@pytest.mark.slow
@pytest.mark.parametrize(("comment", "event"), [("false", "pull_request"), ("true", "push")])
def test_no_comment_is_written_where_none_is_wanted_or_possible(tmp_path, comment, event):
    arguments = "--baseline alg1 --candidate alg2 -m score:higher:0.02; touch x"
    said = ran(
        tmp_path, {"scores": BALANCED, "arguments": arguments, "comment": comment}, event=event
    )
    assert not (tmp_path / "gh.txt").exists()
    assert not (tmp_path / "checkout" / "x").exists()  # words are never run
    assert said["code"] not in {"0", "1", "3"}


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "code"), [(None, "3"), ("true", "0")])
def test_options_of_the_branch_count_where_they_are_asked_for(tmp_path, asked, code):
    """A pull request can write benchinfer.toml, and with it that undecided is a pass."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "benchinfer.toml").write_text('[gate]\non-undecided = "pass"\n')
    arguments = "--baseline alg1 --candidate alg2 -m score:higher:0.01"
    inputs = {"scores": BALANCED, "arguments": arguments}
    said = ran(tmp_path, inputs | ({} if asked is None else {"options-file": asked}))
    assert said["code"] == code
    named = "--on-undecided pass" in (tmp_path / "temp" / "benchinfer-gate.md").read_text().replace(
        "\\", ""
    )
    assert named == (asked == "true")


@dataclass(frozen=True)
class Payload:
    """What a pull request holds, and what it is named.

    OUT is where nothing may appear, and SECRETS a folder of files that may not be read.
    """

    scores: str = "scores.csv"
    candidate: str = "new"
    arguments: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    pipes: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)


AB = tuple(enumerate(("old", "new")))
CANARY = "open('OUT/canary', 'w').close()\n"
RUN = (
    *("scores.csv; touch OUT/canary", "$(touch OUT/canary)", "`touch OUT/canary`"),
    *("scores.csv && touch OUT/canary", "scores.csv | tee OUT/canary", "scores.csv > OUT/canary"),
    *("scores.csv\ntouch OUT/canary", "<(touch OUT/canary)", "'; touch OUT/canary"),
)
OPTIONS = ("--report=OUT/canary scores.csv", "scores.csv --report OUT/canary", "-- scores.csv -x")
BRANCHES = (
    *("$(touch${IFS}OUT/canary)", "`touch${IFS}OUT/canary`", "new;touch${IFS}OUT/canary"),
    *("--report=OUT/canary", "'new'--report=OUT/canary", '"new', "{touch,OUT/canary}"),
)
MODULES = (
    *("shlex.py", "os.py", "secrets.py", "sitecustomize.py", "usercustomize.py", "benchinfer.py"),
    *("benchinfer/__init__.py", "numpy/__init__.py", "typer.py", "json.py", "pip/__main__.py"),
)
KEYS = (
    *('[gate]\nreport = "OUT/canary"\n', '[gate]\nreport = "../outside/canary"\n'),
    *('report = "OUT/canary"\n', '[gate]\nreport = "new/folder/../../../outside/canary"\n'),
    *('[gate]\nreport = "dangling"\n', '[gate]\nreport = "beyond/canary"\n'),
    *(
        '[gate]\nreport = "../outside/../outside/canary"\n',
        "where = \"1 = 1; COPY (SELECT 1) TO 'OUT/canary'\"\n",
    ),
)
NUMBA = ("chrome_trace: OUT/canary\n", "cache_dir: OUT\n")
LINKS = {"dangling": "OUT/canary", "beyond": "OUT", "secret": "SECRETS", "to-temp": "TEMP"}
TYPED = (
    *("--report dangling", "--report beyond/canary", "--report ./new/../dangling"),
    *("--report OUT/canary", "--report=../outside/canary", "--report 'beyond/./canary'"),
    *("--report to-temp/canary", "--report TEMP/../outside/canary"),
)
INPUTS = (
    *('features = "SECRETS/secret.csv"\n', 'features = "secret/secret.csv"\n'),
    *('features = "../secrets/secret.csv"\n', 'features = "secre?/secret.csv"\n'),
    *('features = "secret"\n', 'features = "."\n', 'measures = ["SECRETS/secret.toml"]\n'),
    *('normalise = "SECRETS/secret.toml"\n', '[gate]\nnormalise = "secret/secret.toml"\n'),
    *("query = \"SELECT * FROM read_csv('SECRETS/secret.csv')\"\n", 'features = "pipe.csv"\n'),
    "where = \"accuracy < (SELECT count(*) FROM read_csv('SECRETS/secret.csv'))\"\n",
)
HIDDEN = "canary-of-a-secret"
SHADOWED = Payload(
    files=dict.fromkeys(MODULES, CANARY), more={"PYTHONPATH": ".", "PYTHONSTARTUP": "os.py"}
)
PAYLOADS = [
    *(Payload(text) for text in (*RUN, *OPTIONS)),
    *(Payload(candidate=text) for text in BRANCHES),
    *(Payload(files={name: CANARY}, more={"PYTHONPATH": "."}) for name in MODULES),
    *(Payload(files={"benchinfer.toml": text}, links=LINKS) for text in KEYS),
    *(Payload(files={".numba_config.yaml": text}) for text in NUMBA),
    *(Payload(arguments=text, links=LINKS) for text in TYPED),
    *(
        Payload(files={"benchinfer.toml": text}, links=LINKS, pipes=("pipe.csv",))
        for text in INPUTS
    ),
    Payload(".", pipes=("b.csv", "scores-2.csv", "measures.toml", ".numba_config.yaml")),
    Payload("'*.csv'", pipes=("b.csv", "d.csv")),
    Payload(pipes=("benchinfer.toml",)),
]


def played(folder: Path, payload: Payload) -> dict[str, str]:
    """Play the action on a checkout with a payload; nothing may appear anywhere."""
    outside, checkout, secrets = (folder / name for name in ("outside", "checkout", "secrets"))
    outside.mkdir()
    secrets.mkdir()
    (secrets / "secret.csv").write_text(f"dataset,{HIDDEN}\nd0,{HIDDEN}\n")
    (secrets / "secret.toml").write_text(f'"{HIDDEN}" = "{HIDDEN}"\n')

    def put(text: str) -> str:
        places = {"OUT": outside, "SECRETS": secrets, "TEMP": folder / "temp"}
        return re.sub("OUT|SECRETS|TEMP", lambda match: str(places[match[0]]), text)

    rows = [f"d{d},{a},{0.1 * d + 0.01 * n * (d % 3):.2f}" for d in range(6) for n, a in AB]
    files = {"scores.csv": "\n".join(["dataset,algorithm,accuracy", *rows, ""]), **payload.files}
    for name, text in files.items():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(put(text))
    for name, target in payload.links.items():
        (checkout / name).symlink_to(put(target))
    for name in payload.pipes:
        os.mkfifo(checkout / name)
    before = sorted(checkout.rglob("*"))
    arguments = f"--baseline old --candidate {payload.candidate} -m accuracy:higher:0.05"
    inputs = {"scores": payload.scores, "arguments": f"{arguments} {payload.arguments}"}
    inputs["options-file"] = "true"
    inputs = {name: put(text) for name, text in inputs.items()}
    said = ran(folder, inputs, more=payload.more)
    assert list(outside.iterdir()) == []
    assert [path.name for path in (folder / "temp").iterdir()] == ["benchinfer-gate.md"]
    written = (folder / "GITHUB_STEP_SUMMARY.txt").read_text() + "".join(said.values())
    assert HIDDEN not in written
    assert sorted(checkout.rglob("*")) == before
    return said


@pytest.mark.slow
def test_no_module_of_a_checkout_is_loaded(tmp_path):
    assert played(tmp_path, SHADOWED)["code"] == "0"


@pytest.mark.parametrize("words", ["--help", '"'])
def test_what_holds_no_verdict_is_no_pass(tmp_path, words):
    assert played(tmp_path, Payload(arguments=words))["code"] in {"2", "4"}


@pytest.mark.calibration
@pytest.mark.parametrize("payload", PAYLOADS)
def test_payloads_leave_no_trace(tmp_path, payload):
    assert len(PAYLOADS) >= 40
    played(tmp_path, payload)


@pytest.mark.slow
def test_names_are_no_commands_of_the_runner(tmp_path):
    payload = Payload("missing.csv '::set-output name=code::0' '##[set-output name=code;]0'")
    said = played(tmp_path, payload)["Gate"]
    words = re.match(r"::stop-commands::(\w{64})\n", said)
    assert words
    assert said.rstrip().endswith(f"::{words[1]}::") or f"\n::{words[1]}::\n" in said
