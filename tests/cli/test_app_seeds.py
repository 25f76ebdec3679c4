"""One seed for all that draws random numbers."""

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import benchinfer as bi
from benchinfer import stability, typing
from benchinfer.cli.app import app

SCRIPT = """
import sys
import benchinfer as bi
scores = bi.load_example("simulated/balanced")
calls = {
    "bootstrap": lambda: bi.compare_bootstrap(scores, resamples=200),
    "bayes": lambda: bi.compare_bayes_pairs(scores, test="sign"),
    "archetypes": lambda: bi.archetypes(scores, k=2, starts=3),
    "wins": lambda: bi.compare_wins(scores, inference="bayes", draws=100, chains=4),
}
for name, call in calls.items():
    call().save(f"{sys.argv[1]}/{name}.json")
"""


def seeded() -> Iterator[tuple[str, inspect.Parameter]]:
    """Yield the seeds of public functions, and of methods of public classes."""
    for module in (bi, stability, typing):
        for name in module.__all__:
            public: Any = getattr(module, name)
            calls = vars(public).values() if inspect.isclass(public) else [public]
            for call in calls:
                if (
                    inspect.isfunction(call)
                    and call.__name__ != "__init__"
                    and "seed" in inspect.signature(call).parameters
                ):
                    yield f"{name}.{call.__name__}", inspect.signature(call).parameters["seed"]


def test_every_seed_has_the_same_default() -> None:
    defaults = {name: seed.default for name, seed in seeded()}
    assert {name: seed for name, seed in defaults.items() if seed != 1} == {}
    assert len(defaults) > 10


def test_commands_have_that_default() -> None:
    group: Any = get_command(app)
    pending, seeds = [group], 0
    while pending:
        one = pending.pop()
        pending += [one.get_command(None, name) for name in getattr(one, "commands", ())]
        for option in one.params:
            if option.name == "seed":
                assert option.default == 1, one.name
                seeds += 1
    assert seeds > 5


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / name)], check=True)
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert len(names) == 4
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_a_seed_is_drawn_on_request(run) -> None:
    scores = bi.load_example("simulated/balanced")
    drawn = {bi.compare_bootstrap(scores, resamples=100, seed=None).provenance.seed for _ in "ab"}
    assert len(drawn) == 2
    ask = ("compare", "bootstrap", "example:simulated/balanced", "--resamples", "100", "--json")
    seeds = [json.loads(run(*ask, "--seed", "random").stdout)["provenance"]["seed"] for _ in "ab"]
    assert seeds[0] != seeds[1]
    assert run(*ask, "--seed", "often").exit_code == 2
