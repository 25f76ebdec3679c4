"""The commands below `compare`: one for each analysis, with its arguments as options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NoReturn

import typer

from benchinfer.analyses import ANALYSES
from benchinfer.cli.groups import HELP, OUTPUT, HelpEnd, LazyGroup, command, names_table
from benchinfer.cli.guard import FAULTS, Exit, decides
from benchinfer.cli.options.arguments import Argument, MeasureText, argument, in_words, wrong
from benchinfer.cli.options.signatures import descriptions, signature, summary
from benchinfer.cli.options.source import (
    READERS,
    AsJson,
    SourceArguments,
    reads_scores,
)
from benchinfer.cli.output.documents import write_document
from benchinfer.cli.output.terminal import QUIET, note
from benchinfer.core.arguments import members

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchinfer.analyses.choice.answer import Answer
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.core.sections import Request
    from benchinfer.papers.styler import PaperTable
    from benchinfer.scores.table import ScoreTable

type TableForm = Literal["tex", "md", "html"]
type RowName = Literal["algorithms", "pairs", "datasets"]
CODES = (
    "0 an algorithm is better than or equivalent to each of the others; 2 wrong usage; 3 there is"
    f" no such algorithm; {FAULTS} They are no gate for a candidate, as the algorithm may be the"
    " baseline: benchinfer gate is one."
)
CODES_OF_FACTORS = (
    "0 a main effect is decided; 1 the table has faults; 2 wrong usage; 3 none is; 4 the table"
    " cannot answer."
)
PerDataset = Annotated[bool, typer.Option("--per-dataset", help="Each data set by itself.")]
Details = Annotated[
    bool,
    typer.Option(
        "--details", rich_help_panel=OUTPUT, help="Print further tables of the analysis, too."
    ),
]
Best = Annotated[
    bool,
    typer.Option(
        "--best",
        rich_help_panel=OUTPUT,
        help="Say which algorithms may be the best by tests of their own, too.",
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
FACTORS = "factors"
_FUNCTIONS = {
    AUTO: ("benchinfer.analyses.choice.compare", "compare"),
    FACTORS: ("benchinfer.analyses.factors.compare", "compare_factors"),
    **{name.replace("_", "-"): (home, f"compare_{name}") for name, home in ANALYSES.items()},
}
# Not options, or options of every command that reads scores.
_ELSEWHERE = {"scores", "source", "measure", "columns", "name", "progress"}
_OF_SOURCE = set(inspect.signature(SourceArguments).parameters) - {"covariates"}


class Analyses(LazyGroup):
    """One command for each analysis."""

    homes: ClassVar[Mapping[str, tuple[str, str]]] = _FUNCTIONS

    def made(self, name: str) -> Any:
        """Return the command of an analysis."""
        if name == FACTORS:
            of_factors = import_module("benchinfer.cli.factors").factors
            example = (
                "compare factors scores.csv -m accuracy --column net=factor --column aug=factor"
            )
            return command(of_factors, name, HelpEnd(example, CODES_OF_FACTORS))
        one = " --dataset wine" if name == "pair" else ""
        example = f"compare {name} example:sklearn_bootstrap -m error{one}"
        return command(analysis_command(name), name, HelpEnd(example, CODES))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; a table in place of an analysis selects the analysis that fits."""
        named = not args or args[0] in _FUNCTIONS or args[0] in HELP
        if not named and (args[0].startswith("-") or names_table(args[0])):
            args = [AUTO, *args]
        return super().parse_args(ctx, args)


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
class Showing:
    """Output options of a comparison."""

    # per_dataset, as_json, details: as typed
    per_dataset: bool
    as_json: bool
    details: bool = False
    best: bool = False  # whether sets of the best are asked for
    # table, rows: form and rows of the table for a paper, which is then all that is printed
    table: TableForm | None = None
    rows: RowName | None = None

    def check(self) -> None:
        """Raise a usage error where options exclude each other."""
        for name in ("details", "best"):
            if getattr(self, name) and self.per_dataset:
                raise wrong(f"--{name}", "goes without --per-dataset.")
        if self.rows and not self.table:
            raise wrong("--rows", "goes with --table.")
        if self.table and (self.details or self.best or self.as_json):
            raise wrong("--table", "goes without --details, --best and --json.")

    @property
    def request(self) -> Request:
        """The sections that are asked for."""
        from benchinfer.core.sections import Request

        return Request(details=self.details, best=self.best)

    def means(self, scores: ScoreTable) -> ScoreTable | None:
        """Return the scores for a table with data sets in rows; None for other tables."""
        return scores if self.rows == "datasets" and hasattr(scores, "cells") else None


def answers(result: Answer, scores: ScoreTable, show: Showing) -> NoReturn:
    """Print an answer on all measures, and end with the exit code of its verdicts."""
    from benchinfer.cli.output import results
    from benchinfer.reports import documents

    request = show.request
    decided = {name: decides(one) for name, one in result.items()}
    if show.table is not None:
        _print_table(result.table(show.rows, scores=show.means(scores)), show.table)
    elif show.as_json:
        write_document(documents.answer(result, decided, request))
    else:
        results.answer(result, request)
    complete = all(decided.values()) and not result.refused
    raise typer.Exit(Exit.DECIDED if complete else Exit.UNDECIDED)


def answer(
    analysis: Callable[..., Comparison],
    scores: ScoreTable,
    measure: str,
    options: Mapping[str, Any],
    show: Showing,
) -> None:
    """Compare, print, and end with the exit code of the verdict."""
    from benchinfer.cli.output import results
    from benchinfer.comparison.per_dataset import per_dataset
    from benchinfer.reports import documents

    if show.per_dataset:
        local = per_dataset(analysis, scores, measure, **options)
        if show.table is not None:
            _print_table(local.table(show.rows), show.table)
        elif show.as_json:
            decided = {name: decides(one) for name, one in local.items()}
            write_document(documents.comparisons(local, decided))
        else:
            results.comparisons(local)
        complete = not local.refused and all(map(decides, local.values()))
        code = Exit.DECIDED if complete else Exit.UNDECIDED
    else:
        result = analysis(scores, measure, **options)
        code = Exit.DECIDED if decides(result) else Exit.UNDECIDED
        request = show.request
        if show.table is not None:
            _print_table(result.table(show.rows, scores=show.means(scores)), show.table)
        elif show.as_json:
            decided = code == Exit.DECIDED
            write_document(documents.comparison(result, decided=decided, request=request))
        else:
            results.comparison(result, request)
    raise typer.Exit(code)


def _print_table(table: PaperTable, form: TableForm) -> None:
    """Print the table for a paper."""
    write = {"tex": table.to_latex, "md": table.to_markdown, "html": table.to_html}[form]
    typer.echo(write(), nl=False)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reader of published results of a kind.

    Attributes
    ----------
    kind
        Name of their class.
    options
        Arguments of the reader that are options, besides those of every source.
    shared
        Names of the arguments that the reader has in common with the analysis.
    """

    kind: str
    options: tuple[Argument, ...]
    shared: tuple[str, ...]


def analysis_command(name: str) -> Callable[..., None]:
    """Return the command of an analysis, with the options that its function has arguments for."""
    home, function = _FUNCTIONS[name]
    parameters = signature(home, function).parameters
    arguments = arguments_of(home, function)
    kinds = [kind.__name__ for kind in members(parameters["scores"].annotation)]
    readers = [_reader(kind, set(parameters)) for kind in kinds if kind in READERS]
    if name == AUTO:  # options of published results go with the analysis that is named
        readers = [replace(reader, options=()) for reader in readers]

    def run(
        source: SourceArguments,
        *,
        measure: str | None,
        per_dataset: bool,
        details: bool,
        best: bool,
        as_json: bool,
        table: TableForm | None,
        rows: RowName | None,
        **given: Any,
    ) -> None:
        show = Showing(
            per_dataset=per_dataset,
            details=details,
            best=best,
            as_json=as_json,
            table=table,
            rows=rows,
        )
        show.check()
        analysis = getattr(import_module(home), function)
        options = {each.name: each.value(given, analysis) for each in arguments}
        typed = {each.name: each.value(given, analysis) for r in readers for each in r.options}
        scores = _read(source, measure, readers, {**options, **typed}, pools=name == "meta")
        if per_dataset and not hasattr(scores, "by_dataset"):
            raise wrong("--per-dataset", "goes with scores, and the table holds published results.")
        if "progress" in parameters:
            options["progress"] = not QUIET.get()
        if name == AUTO and not per_dataset:
            answers(analysis(scores, measure, **options), scores, show)
        answer(analysis, scores, source.measure(scores, measure), options, show)

    every = [*arguments, *(each for reader in readers for each in reader.options)]
    run.__signature__ = _signature(every)  # pyright: ignore[reportFunctionMemberAccess]
    run.__name__ = name
    run.__doc__ = "\n\n".join(in_words(part) for part in summary(home, function)[:2])
    return reads_scores(run)


def _reader(kind: str, parameters: set[str]) -> Reader:
    """Return the reader of published results for an analysis with these parameters."""
    known = set(signature(*READERS[kind]).parameters)
    options = tuple(each for each in arguments_of(*READERS[kind]) if each.name not in parameters)
    return Reader(kind, options, tuple(known & parameters - _OF_SOURCE - {"covariates"}))


def _read(
    source: SourceArguments,
    measure: str | None,
    readers: list[Reader],
    given: dict[str, Any],
    *,
    pools: bool,
) -> Any:
    """Return scores, or published results of a kind that the analysis takes.

    An analysis that pools effects takes scores with published errors; for others it is offered.
    """
    for reader in readers:
        defaults = signature(*READERS[reader.kind]).parameters
        typed = [
            each.name
            for each in reader.options
            if given[each.name] not in (None, defaults[each.name].default)
        ]
        if source.holds(reader.kind) or "n" in typed:  # of a published table
            return _published(source, measure, reader, typed, given)
        if typed:
            raise wrong(f"--{typed[0]}", f"goes with a table of published {reader.kind.lower()}.")
    scores = source.read()
    offer = source.offer(scores)
    if offer and pools:
        return _published(source, measure, readers[0], [], given)
    if offer:
        note(offer)
    return scores


def _published(
    source: SourceArguments,
    measure: str | None,
    reader: Reader,
    typed: list[str],
    options: Mapping[str, Any],
) -> Any:
    """Return published results, and print what was noted on reading them."""
    names = [*typed, *(name for name in reader.shared if options[name] is not None)]
    results = source.published(reader.kind, measure, **{name: options[name] for name in names})
    for one in results.notes:
        note(f"note  {one.rule}: {one.what}")
    return results


def _signature(arguments: list[Argument]) -> inspect.Signature:
    """Return the signature of a command: the analysis's options and those of every comparison."""
    word = inspect.Parameter.KEYWORD_ONLY
    shared = {
        "per_dataset": (PerDataset, False),
        "details": (Details, False),
        "best": (Best, False),
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
    """Return the options for a function's arguments, with help from its docstring."""
    parameters, texts = signature(home, function).parameters, descriptions(home, function)
    return [
        argument(parameter, in_words(_resolved(texts[name], name), list(parameters)))
        for name, parameter in parameters.items()
        if name not in _ELSEWHERE | _OF_SOURCE
    ]


def with_arguments(command: Any, arguments: Sequence[Argument]) -> Any:
    """Return a command with the options of arguments in place of its last parameter."""
    parameters = [*inspect.signature(command, eval_str=True).parameters.values()][:-1]
    options = [option for each in arguments for option in each.options]
    command.__signature__ = inspect.Signature([parameters[0], *options, *parameters[1:]])
    return command


def _resolved(text: str, name: str) -> str:
    """Return the description of an argument, with references to other analyses resolved."""
    reference = re.match(r"As in `compare_(\w+)`", text)
    if reference is None:
        return text
    return _resolved(descriptions(ANALYSES[reference[1]], f"compare_{reference[1]}")[name], name)
