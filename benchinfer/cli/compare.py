"""The commands below `compare`: one for each analysis, with its arguments as options."""

import inspect
import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchinfer.analyses import ANALYSES
from benchinfer.cli.answer import RowName, Showing, TableForm, answer, answers
from benchinfer.cli.groups import OUTPUT, HelpEnd, LazyGroup, command, names_table
from benchinfer.cli.options.arguments import Argument, argument, in_words
from benchinfer.cli.options.common import wrong
from benchinfer.cli.options.measures import MeasureText
from benchinfer.cli.options.signatures import descriptions, signature, summary
from benchinfer.cli.options.source import (
    READERS,
    AsJson,
    SourceArguments,
    reads_scores,
)
from benchinfer.core.arguments import members

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

CODES = (
    "0 an algorithm is better than or equivalent to each of the others; 1 the table has faults;"
    " 2 wrong usage; 3 there is no such algorithm; 4 the table cannot answer. They are no gate for"
    " a candidate, as the algorithm may be the baseline: benchinfer gate is one."
)
PerDataset = Annotated[bool, typer.Option("--per-dataset", help="Each data set by itself.")]
Details = Annotated[
    bool,
    typer.Option(
        "--details", rich_help_panel=OUTPUT, help="Print further tables of the analysis, too."
    ),
]
TableAs = Annotated[
    TableForm | None,
    typer.Option(
        "--table",
        rich_help_panel=OUTPUT,
        metavar="FORM",
        help="Print only the table for a paper, as LaTeX (tex), Markdown (md) or html.",
        show_default=False,
    ),
]
RowsOfTable = Annotated[
    RowName | None,
    typer.Option(
        "--rows",
        rich_help_panel=OUTPUT,
        metavar="NAME",
        help="Rows of --table: algorithms, pairs or datasets.",
        show_default=False,
    ),
]
# The analysis that fits the table, which is taken where none is named.
AUTO = "auto"
_FUNCTIONS = {
    AUTO: ("benchinfer.analyses.choice.compare", "compare"),
    **{name: (home, f"compare_{name}") for name, home in ANALYSES.items()},
}
# Not options, or options of every command that reads scores.
_ELSEWHERE = {"scores", "source", "measure", "columns", "name", "progress"}
_OF_SOURCE = set(inspect.signature(SourceArguments).parameters) - {"covariates"}


class Analyses(LazyGroup):
    """One command for each analysis."""

    def homes(self) -> "Mapping[str, Any]":
        """Return the names of the analyses, each with its module and function."""
        return _FUNCTIONS

    def title(self, name: str) -> str:
        """Return what an analysis does, in one sentence."""
        return summary(*_FUNCTIONS[name])[0]

    def made(self, name: str) -> Any:
        """Return the command of an analysis."""
        one = " --dataset wine" if name == "pair" else ""
        example = f"compare {name} example:sklearn_bootstrap -m error{one}"
        return command(analysis_command(name), name, HelpEnd(example, CODES))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; those that begin with a table are of the analysis that fits."""
        return super().parse_args(ctx, [AUTO, *args] if _of_table(args) else args)


group = typer.Typer(
    cls=Analyses,
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=f"Exit codes: {CODES}",
    add_completion=False,
)


@group.callback()
def compare() -> None:
    """Compare the algorithms, all pairs of them."""


@dataclass(frozen=True, slots=True)
class Reader:
    """How published results of a kind are read.

    Attributes
    ----------
    kind
        Name of their class.
    own
        Arguments of the reader that are options, beside those of every source.
    shared
        Names of the arguments that the reader has in common with the analysis.
    """

    kind: str
    own: tuple[Argument, ...]
    shared: tuple[str, ...]


def analysis_command(name: str) -> "Callable[..., None]":
    """Return the command of an analysis, with the options that its function has arguments for."""
    home, function = _FUNCTIONS[name]
    asked = signature(home, function).parameters
    arguments = arguments_of(home, function)
    kinds = [kind.__name__ for kind in members(asked["scores"].annotation)]
    readers = [_reader(kind, set(asked)) for kind in kinds if kind in READERS]

    def run(
        source: SourceArguments,
        *,
        measure: str | None,
        per_dataset: bool,
        details: bool,
        as_json: bool,
        table: TableForm | None,
        rows: RowName | None,
        **given: Any,
    ) -> None:
        show = Showing(
            per_dataset=per_dataset, details=details, as_json=as_json, table=table, rows=rows
        )
        show.check()
        analysis = getattr(import_module(home), function)
        options = {each.name: each.value(given, analysis) for each in arguments}
        typed = {each.name: each.value(given, analysis) for r in readers for each in r.own}
        scores = _read(source, measure, readers, {**options, **typed})
        if per_dataset and not hasattr(scores, "by_dataset"):
            raise wrong("--per-dataset", "goes with scores, and the table holds published results.")
        if "progress" in asked:
            options["progress"] = True
        if name == AUTO:
            show.refuse_per_dataset()
            answers(analysis(scores, measure, **options), scores, show)
        answer(analysis, scores, source.measure(scores, measure), options, show)

    every = [*arguments, *(each for reader in readers for each in reader.own)]
    run.__signature__ = _signature(every)  # pyright: ignore[reportFunctionMemberAccess]
    run.__name__ = name
    run.__doc__ = "\n\n".join(in_words(part) for part in summary(home, function)[:2])
    return reads_scores(run)


def _of_table(args: list[str]) -> bool:
    """Return whether arguments begin with a table, or with options of reading one."""
    if not args or args[0] in _FUNCTIONS or args[0] == "--help":
        return False
    return args[0].startswith("-") or names_table(args[0])


def _reader(kind: str, asked: set[str]) -> Reader:
    """Return how published results are read for an analysis with these arguments."""
    known = set(signature(*READERS[kind]).parameters)
    own = tuple(each for each in arguments_of(*READERS[kind]) if each.name not in asked)
    return Reader(kind, own, tuple(known & asked - _OF_SOURCE - {"covariates"}))


def _read(
    source: SourceArguments, measure: str | None, readers: list[Reader], given: "dict[str, Any]"
) -> Any:
    """Return scores, or published results of a kind that the analysis takes."""
    for reader in readers:
        own = [each.name for each in reader.own if given[each.name] is not None]
        if source.holds(reader.kind):
            names = [*own, *(name for name in reader.shared if given[name] is not None)]
            found = source.published(reader.kind, measure, **{name: given[name] for name in names})
            for note in found.notes:
                typer.echo(f"note  {note.rule}: {note.what}", err=True)
            return found
        if own:
            raise wrong(f"--{own[0]}", f"goes with a table of published {reader.kind.lower()}.")
    return source.read()


def _signature(arguments: list[Argument]) -> inspect.Signature:
    """Return the parameters of a command: those of every comparison, and its own."""
    word = inspect.Parameter.KEYWORD_ONLY
    shared = {
        "per_dataset": (PerDataset, False),
        "details": (Details, False),
        "table": (TableAs, None),
        "rows": (RowsOfTable, None),
        "as_json": (AsJson, False),
    }
    return inspect.Signature(
        [
            inspect.Parameter("measure", word, annotation=MeasureText, default=None),
            *(option for each in arguments for option in each.options),
            *(
                inspect.Parameter(name, word, annotation=kind, default=default)
                for name, (kind, default) in shared.items()
            ),
            inspect.Parameter("source", word, annotation=SourceArguments),
        ]
    )


def arguments_of(home: str, function: str) -> list[Argument]:
    """Return the arguments of a function that are options, with what its docstring says of them."""
    asked, told = signature(home, function).parameters, descriptions(home, function)
    return [
        argument(parameter, in_words(_told(told[name], name), list(asked)))
        for name, parameter in asked.items()
        if name not in _ELSEWHERE | _OF_SOURCE
    ]


def with_arguments(command: Any, arguments: "Sequence[Argument]") -> Any:
    """Give a command the options of arguments in place of its last parameter."""
    own = [*inspect.signature(command, eval_str=True).parameters.values()][:-1]
    options = [option for each in arguments for option in each.options]
    command.__signature__ = inspect.Signature([own[0], *options, *own[1:]])
    return command


def _told(text: str, name: str) -> str:
    """Return what is said of an argument, where it is said of that of another analysis."""
    found = re.match(r"As in `compare_(\w+)`", text)
    if found is None:
        return text
    return _told(descriptions(ANALYSES[found[1]], f"compare_{found[1]}")[name], name)
