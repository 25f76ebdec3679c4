"""Arguments as command-line options: of functions by type, choices, default and help; measures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_origin

import typer

from benchinfer.cli.hints import as_options
from benchinfer.core.arguments import ArgumentError, choices, members
from benchinfer.core.errors import BenchinferError

if TYPE_CHECKING:
    from benchinfer.cli.options.source import SourceArguments
    from benchinfer.scores.table import ScoreTable


def open_unit(value: float) -> float:
    """Return a number between 0 and 1; raise a usage error for any other."""
    if not 0 < value < 1:
        raise typer.BadParameter("between 0 and 1, as in 0.95.")
    return value


Level = Annotated[
    float,
    typer.Option(
        metavar="NUMBER", callback=open_unit, help="Confidence level of the family of contrasts."
    ),
]
Target = Annotated[
    Literal["auto", "domain", "datasets"],
    typer.Option(help="Claims about the domain of the data sets, or these data sets alone."),
]
Alternative = Annotated[
    Literal["two-sided", "better", "worse"],
    typer.Option(help="Alternative that tests are to show, of the first algorithm of a contrast."),
]


def seed(text: str) -> int | None:
    """Return a seed from its text; None for ``random``, so that one is drawn."""
    if text == "random":
        return None
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither an integer nor random.") from None


Seed = Annotated[
    int | None,
    typer.Option(metavar="INTEGER|random", parser=seed, help="Of the random numbers."),
]


def wrong(option: str, why: str) -> typer.BadParameter:
    """Return a usage error that names an option and the reason."""
    return typer.BadParameter(why, param_hint=f"'{option}'")


@contextmanager
def used(option: str) -> Generator[None]:
    """Convert errors of the library within a context to usage errors of an option."""
    try:
        yield
    except BenchinferError as error:
        raise wrong(option, as_options(str(error))) from None


def listed(text: str) -> tuple[str, ...]:
    """Return the names of a comma-separated list."""
    return tuple(name.strip() for name in text.split(","))


def number_or_name(text: str) -> float | str:
    """Return a text as a number where it is one, else unchanged."""
    try:
        return float(text)
    except ValueError:
        return text


def reference(text: str) -> Any:
    """Return a reference: a number, a name, or the numbers of a TOML file."""
    if not text.endswith(".toml"):
        return number_or_name(text)
    from benchinfer.scores.normalisation import file_of_references

    try:
        numbers = file_of_references(text)
    except ArgumentError as error:
        raise typer.BadParameter(str(error)) from None
    if not all(type(number) in {int, float} for number in numbers.values()):
        raise typer.BadParameter(f"{text!r} does not hold one number per data set.")
    return numbers


_METAVARS = {int: "INTEGER", float: "NUMBER", str: "NAME"}
# Names of columns may hold commas, and priors have a name each: the option is given once for each.
_ONCE_EACH = {"covariates": "covariate", "priors": "prior", "harmonise": "harmonise"}
# How an argument is typed that is neither a name, a number nor a list of names.
_PARSED: dict[str, tuple[str, Callable[[str], Any]]] = {
    "goal": ("REFERENCE", reference),
    "seed": ("INTEGER|random", seed),
}
_LONGEST = 60  # characters of choices beside the name of their option


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function, typed as one option or two."""

    name: str  # of the argument
    options: tuple[inspect.Parameter, ...]  # the options, as parameters of a command
    # Makes the argument of what was typed, by name of option, for a function
    value: Callable[[Mapping[str, Any], Callable[..., Any]], Any]


def argument(parameter: inspect.Parameter, text: str) -> Argument:
    """Return the command-line options of an argument, with their help."""
    name, default = parameter.name, parameter.default
    kinds, known = members(parameter.annotation), choices(parameter.annotation)
    plain = {get_origin(k) or k for k in kinds} - {Literal, NoneType}
    if name == "contrasts":
        return _contrasts(known, default, text)
    if name in _ONCE_EACH:
        return _once_each(parameter, text, records=not plain & {Sequence, Mapping})
    kind, shown = _typed(name, known, plain)
    kind = kind | None if default is None else kind
    # A flag has no other side: `--stop`, and nothing else.
    flag = [f"--{name.replace('_', '-')}"] if kind is bool else []
    option = typer.Option(*flag, help=text, **shown)
    return Argument(name, (_option(name, Annotated[kind, option], default),), lambda g, _: g[name])


def _typed(name: str, known: tuple[str, ...], plain: set[Any]) -> tuple[Any, dict[str, Any]]:
    """Return the type of an option, with its placeholder and parser."""
    kind = next((kind for kind in _METAVARS if kind in plain), str)
    if name in _PARSED:
        metavar, parser = _PARSED[name]
        return str, {"metavar": metavar, "parser": parser}
    if plain & {Sequence, tuple}:
        return str, {
            "metavar": "LIST",
            "parser": lambda text: (
                text if text in known else () if text == "none" else listed(text)
            ),
        }
    if known and plain:
        return str, {"metavar": f"NAME|{_METAVARS[kind]}", "parser": _number_or(known, kind)}
    if known:
        short = len("|".join(known)) <= _LONGEST
        return Literal[known], {"metavar": None if short else "NAME"}
    if plain == {bool}:
        return bool, {}
    return kind, {"metavar": _METAVARS[kind], "callback": open_unit if name == "level" else None}


def _option(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _contrasts(known: tuple[str, ...], default: str, text: str) -> Argument:
    """Return the argument for contrasts, typed as a named family or as an order of algorithms."""
    family = typer.Option(help=f"{text}  [default: {default}]", show_default=False)
    order = typer.Option(
        metavar="LIST",
        help="Contrasts of each of these algorithms with the one before it; names separated by"
        " commas.",
    )

    def value(given: Mapping[str, Any], _: Callable[..., Any]) -> Any:
        if given["order"] is None:
            return given["contrasts"] or default
        if given["contrasts"] is not None:
            raise wrong("--order", "goes without --contrasts.")
        return listed(given["order"])

    options = (
        _option("contrasts", Annotated[Literal[known] | None, family], None),
        _option("order", Annotated[str | None, order], None),
    )
    return Argument("contrasts", options, value)


def _once_each(parameter: inspect.Parameter, text: str, *, records: bool) -> Argument:
    """Return an argument whose option is repeated, once for each name."""
    name, default = parameter.name, parameter.default
    option = _ONCE_EACH[name]
    metavar = {"harmonise": "NAME=MEASURE:FORMULA"}.get(name, "NAME=NUMBER" if records else "NAME")
    made = typer.Option(
        f"--{option}", metavar=metavar, help=f"{text} Once for each.", show_default=False
    )

    def value(given: Mapping[str, Any], function: Callable[..., Any]) -> Any:
        texts: list[str] | None = given[option]
        if texts is None:
            return None if default is None else ()
        if name == "harmonise":
            return dict(map(_formula, texts))
        if not records:
            return tuple(texts)
        kinds = members(inspect.signature(function, eval_str=True).parameters[name].annotation)
        return _record(f"--{option}", texts, kinds)

    return Argument(name, (_option(option, Annotated[list[str] | None, made], None),), value)


def _number_or(known: tuple[str, ...], kind: type) -> Callable[[Any], Any]:
    """Return a parser of texts that are a number or one of some names."""

    def read(text: str) -> Any:
        if text in known:
            return text
        try:
            return kind(text)
        except ValueError:
            names = ", ".join(map(repr, known))
            raise typer.BadParameter(f"{text!r} is neither a number nor one of {names}.") from None

    return read


def _record(option: str, texts: list[str], kinds: Sequence[Any]) -> Any:
    """Return a record from NAME=NUMBER texts, of the class that has fields of these names."""
    records: list[Any] = [kind for kind in kinds if is_dataclass(kind)]
    given = {name.strip(): value.strip() for name, _, value in (t.partition("=") for t in texts)}
    for record in records:
        types = {field.name: members(field.type) for field in fields(record)}
        if given.keys() <= types.keys():
            return record(
                **{name: _field(option, name, x, types[name]) for name, x in given.items()}
            )
    known = [field.name for record in records for field in fields(record)]
    raise wrong(option, f"{texts[0]!r} is not NAME=NUMBER with one of {', '.join(known)}.")


def _field(option: str, name: str, text: str, kinds: Sequence[Any]) -> float | str:
    value = number_or_name(text)
    if isinstance(value, str) and not any(get_origin(kind) is Literal for kind in kinds):
        raise wrong(option, f"{text!r} in '{name}={text}' is no number.")
    return value


def _formula(text: str) -> tuple[str, tuple[str, str]]:
    """Return the parts of NAME=MEASURE:FORMULA; a name may contain ``=``."""
    declared, colon, formula = text.partition(":")
    name, equals, target = declared.rpartition("=")
    if not (colon and equals):
        raise wrong("--harmonise", f"{text!r} is not NAME=MEASURE:FORMULA.")
    return name.strip(), (target.strip(), formula.strip())


def in_words(text: str, names: Sequence[str] = ()) -> str:
    """Return a sentence of a docstring with options in place of arguments.

    Examples
    --------
    >>> in_words('``"half"`` a win, as ``ties="half"`` has it, goes with `rope`.', ["rope"])
    'half a win, as --ties half has it, goes with --rope.'
    >>> in_words("As in `compare_mixed`.")
    'As in compare mixed.'
    """
    text = re.sub(r'``(\w+)="([^"]*)"``', lambda m: f"--{m[1].replace('_', '-')} {m[2]}", text)
    text = re.sub(r'``"([^"]*)"``', r"\1", text)
    text = re.sub(r"`compare_(\w+)`", lambda m: f"compare {m[1].replace('_', '-')}", text)
    options = "|".join(map(re.escape, names))
    text = (
        re.sub(rf"`({options})`", lambda m: f"--{m[1].replace('_', '-')}", text) if names else text
    )
    return text.replace("`", "")


def _measure_option(several: str, otherwise: str) -> Any:
    text = (
        "A measure of the table, or name:better[:tolerance[:scale]], which declares it, too."
        f" {several}{otherwise}."
    )
    return typer.Option("--measure", "-m", metavar="TEXT", help=text)


_ONLY = "May be omitted where the table has one"
MeasureText = Annotated[str | None, _measure_option("", _ONLY)]
MeasureTexts = Annotated[list[str] | None, _measure_option("Once per measure. ", _ONLY)]
TogetherMeasures = Annotated[
    list[str] | None, _measure_option("Once per measure, decided together. ", _ONLY)
]
AllMeasures = Annotated[
    list[str] | None, _measure_option("Once per measure. ", "All measures of the table by default")
]


def declare(given: dict[str, Any]) -> None:
    """Declare the measures that ``--measure`` gives with a direction, such as error:lower."""
    measure = given.get("measure")
    texts = [measure] if isinstance(measure, str) else list(measure or ())
    if blank := [text for text in texts if not text.partition(":")[0].strip()]:
        raise wrong("--measure", f"{blank[0]!r} names no measure.")
    declared = [text for text in texts if ":" in text]
    if not declared:
        return
    from benchinfer.scores.roles.directions import direction

    if given["measures"] is not None:
        raise wrong("--measure", f"{declared[0]} declares a measure, as --measures does.")
    directed = {text: f"{text}:{direction(text)}" for text in texts if text not in declared}
    if plain := [text for text, way in directed.items() if way.endswith(":")]:
        raise wrong("--measure", f"say which direction of {plain[0]} is better, as in the rest.")
    names = [text.partition(":")[0].strip() for text in texts]
    given["measures"] = [directed.get(text, text) for text in texts]
    given["measure"] = names[0] if isinstance(measure, str) else names
    if given.get("targets") is not None:  # declared of traces, which become times to targets
        given["measure"] = None


def named(source: SourceArguments, scores: ScoreTable, names: Sequence[str] | None) -> list[str]:
    """Return the names of the measures requested, or of the only one where none is."""
    measures = [source.measure(scores, name) for name in names or [None]]
    if len(set(measures)) < len(measures):
        raise wrong("--measure", "names a measure twice.")
    return measures
