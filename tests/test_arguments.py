"""Arguments of one name side by side: the same choices and default wherever they are."""

import ast
import inspect
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import pytest
from typer.main import get_command

import benchinfer as bi
from benchinfer.cli.app import app
from benchinfer.cli.options.signatures import source
from benchinfer.comparison.comparison import Alternative, Target
from benchinfer.core.arguments import choices

# Choices (none: any value of the type) and default.
COMMON = {
    "alternative": (choices(Alternative), "two-sided"),
    "control": ((), None),
    "level": ((), 0.95),
    "measure": ((), None),
    "missing": (("use", "error"), "use"),
    "n_jobs": ((), None),
    "progress": ((), None),
    "seed": ((), 1),
    "target": (("auto", *choices(Target)), "auto"),
}
# Where a name has another default or other choices, and why.
EXCEPTIONS = {
    "monitor": {"target": "stages are about the data sets at hand, which they look at again"},
    "monitor_measures": {"target": "as in monitor"},
    "compare_mixed": {"missing": "each pair may be tested on the data sets that it shares"},
    "regions": {"level": "that of the comparison unless it is named"},
    "typing.MixedComparison.variances": {"level": "intervals by profiles take long: none"},
}
# Methods of relations, where it is a verdict that counts as another one, as `undecided` does.
VERDICT = {"merged", "map"} | {
    *("distance", "distances", "agreement", "agreements", "clusters", "cluster_stability"),
}


def functions() -> Iterator[tuple[str, Any]]:
    """Yield the public functions and methods by name."""
    modules = ("errors", "papers", "priors", "stability", "typing")
    below = (f"{name}.{each}" for name in modules for each in getattr(bi, name).__all__)
    for name in (*bi.__all__, *below):
        thing = attrgetter(name)(bi)
        if inspect.isfunction(thing):
            yield name, thing
        if inspect.isclass(thing):
            ours = [k for k in thing.__mro__ if k.__module__.startswith("benchinfer")]
            methods = {name: method for kind in ours for name, method in vars(kind).items()}
            for each, method in methods.items():
                if inspect.isfunction(method) and not each.startswith("_"):
                    yield f"{name}.{each}", method


def arguments(wanted: str) -> Iterator[tuple[str, inspect.Parameter]]:
    """Yield each function with the argument of a name, where that may be left out."""
    for name, function in functions():
        parameter = inspect.signature(function).parameters.get(wanted)
        verdict = wanted == "missing" and name.rpartition(".")[2] in VERDICT
        if parameter is not None and parameter.default is not parameter.empty and not verdict:
            kind = parameter.annotation
            if isinstance(kind, str):
                tree = ast.parse(kind, mode="eval").body
                kind = source(function.__module__).evaluated(tree)
            yield name, parameter.replace(annotation=kind)


def options(wanted: str) -> Iterator[tuple[str, Any]]:
    """Yield each command with the option of a name."""

    def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
        if not hasattr(command, "list_commands"):
            yield name, command
            return
        for each in command.list_commands(None):
            yield from commands(command.get_command(None, each), f"{name} {each}".strip())

    for name, command in commands(get_command(app), ""):
        for parameter in command.params:
            if parameter.name == wanted:
                yield name, parameter


@pytest.mark.parametrize("name", COMMON)
def test_arguments_have_the_same_choices_and_default(name: str) -> None:
    shapes = {where: (choices(a.annotation), a.default) for where, a in arguments(name)}
    assert len(shapes) >= 4
    odd = {where for where, shape in shapes.items() if shape != COMMON[name]}
    assert odd == {where for where, reasons in EXCEPTIONS.items() if name in reasons}


@pytest.mark.parametrize("name", COMMON)
def test_options_have_the_same_choices_and_default(name: str) -> None:
    expected = {
        where: (*COMMON[name], (f"--{name.replace('_', '-')}",))
        for where, _ in options(name)
        if name not in EXCEPTIONS.get(where.replace(" ", "_"), {})
    }
    shapes = {
        where: (choices(o.type_descriptor.annotation), o.default, tuple(o.opts[:1]))
        for where, o in options(name)
        if where in expected
    }
    assert shapes == expected
    assert shapes or name == "progress"


def test_adjustments_are_automatic_by_default_and_can_be_the_same() -> None:
    shapes = [(where, choices(a.annotation), a.default) for where, a in arguments("adjust")]
    for where, option in options("adjust"):
        shapes.append((where, choices(option.type_descriptor.annotation), option.default))
    assert len(shapes) == 15
    for where, named, default in shapes:
        assert default == "auto", where
        assert {"auto", "holm", "none"} <= set(named), where


@pytest.mark.parametrize(
    ("compare", "arguments"),
    [(bi.compare_bootstrap, {}), (bi.compare_pair, {"dataset": "d01", "test": "t"})],
)
def test_an_automatic_adjustment_is_on_record(compare: Any, arguments: dict[str, str]) -> None:
    scores = bi.load_example("simulated/balanced")
    automatic = compare(scores, **arguments)
    named = compare(scores, **arguments, adjust="holm")
    assert automatic.provenance == named.provenance
    assert automatic.provenance.arguments["adjust"] == "holm"
    assert automatic.contrasts().equals(named.contrasts())
