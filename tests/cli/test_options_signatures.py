"""Options of `compare` against the functions that they are read from."""

import importlib
import inspect
import typing
from collections.abc import Callable
from types import NoneType
from typing import Literal, get_args, get_origin

import pytest

from benchinfer.analyses import ANALYSES
from benchinfer.cli.compare import analysis_command
from benchinfer.cli.options.signatures import descriptions, signature
from benchinfer.cli.options.source import READERS
from benchinfer.core.arguments import choices, members

FUNCTIONS = [*((home, f"compare_{name}") for name, home in ANALYSES.items()), *READERS.values()]
SINGULAR = {"covariates": "covariate", "priors": "prior"}


def shape(kind: object) -> tuple[object, ...]:
    """Return what a type is of; classes by name, as those of a source are empty ones."""
    plain = [part for part in members(kind) if get_origin(part) is not Literal]
    return choices(kind), {getattr(get_origin(part) or part, "__name__", part) for part in plain}


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_a_signature_is_that_of_the_imported_function(module: str, name: str) -> None:
    function = getattr(importlib.import_module(module), name)
    real = inspect.signature(function).parameters
    read = signature(module, name).parameters
    assert list(read) == list(real)
    assert {n: p.default for n, p in read.items()} == {n: p.default for n, p in real.items()}
    hints = typing.get_type_hints(function)
    assert {n: shape(p.annotation) for n, p in read.items()} == {n: shape(hints[n]) for n in real}


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_every_parameter_is_described(module: str, name: str) -> None:
    assert list(descriptions(module, name)) == list(signature(module, name).parameters)


@pytest.mark.parametrize("name", ANALYSES)
def test_options_have_the_names_choices_and_defaults_of_the_function(name: str) -> None:
    function = getattr(importlib.import_module(ANALYSES[name]), f"compare_{name}")
    typed = inspect.signature(analysis_command(name.replace("_", "-"))).parameters
    for each, parameter in inspect.signature(function).parameters.items():
        if each in {"scores", "measure", "progress"}:
            continue
        option = typed[SINGULAR.get(each, each)]
        kind = get_args(option.annotation)[0]
        if {get_origin(part) or part for part in members(parameter.annotation)} <= {
            Literal, NoneType,
        }:  # fmt: skip
            assert choices(kind) == choices(parameter.annotation), each
        # A family by name may stand beside an order, which takes its place.
        empty = None if each == "contrasts" or parameter.default == () else parameter.default
        assert option.default == empty, each


@pytest.mark.parametrize("name", ANALYSES)
def test_help_names_the_choices_and_fits_a_terminal(run: Callable, name: str) -> None:
    text = run("compare", name.replace("_", "-"), "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "`" not in text
    assert "As in compare" not in text
    words = text.replace("-\n" + 34 * " ", "-")
    for parameter in signature(ANALYSES[name], f"compare_{name}").parameters.values():
        assert not [c for c in choices(parameter.annotation) if c not in words], parameter.name


def test_help_imports_no_analysis() -> None:
    import subprocess
    import sys

    code = (
        "import sys\n"
        "from benchinfer.cli import main\n"
        "sys.argv = ['benchinfer', 'compare', 'mixed', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*sorted({'pandas', 'numpy', 'scipy', 'numba', 'rich'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[-1] == ""
