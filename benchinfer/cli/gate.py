"""The commands `gate` and `board`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from benchinfer.cli.compare import arguments_of, with_arguments
from benchinfer.cli.groups import OUTPUT, HelpEnd
from benchinfer.cli.guard import Exit
from benchinfer.cli.options.arguments import (
    AllMeasures,
    Argument,
    MeasureText,
    listed,
    named,
    number_or_name,
    wrong,
)
from benchinfer.cli.options.configuration import FILE, FROM_FILE, as_typed
from benchinfer.cli.options.source import AsJson, ReportTo, SourceArguments, reads_scores
from benchinfer.cli.output.documents import write_document

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable

ENDS = {
    "gate": HelpEnd(
        "gate example:sklearn_bootstrap --baseline svm --candidate rf \\\n    -m error:lower:0.02",
        "0 pass; 1 fail: evidence that the candidate is worse by more than the"
        " tolerance; 2 wrong usage; 3 undecided; 4 the table has faults or cannot answer.",
    ),
    "board": HelpEnd(
        "board runs.csv -m loss:lower --sequence date --by-more-than 0.005",
        "0 the last entry is a record; 3 it is none; 2 wrong usage, or other rules than the"
        " state's; 4 the table has faults or cannot answer, or a judged entry has changed.",
    ),
}
_CODES = {"pass": Exit.DECIDED, "fail": Exit.FAULTY, "undecided": Exit.UNDECIDED}
_RECORD_CODES = {"record": Exit.DECIDED, "no record": Exit.UNDECIDED}
# Options that two files may stand for.
_SIDES = ("baseline", "candidate")
AsMarkdown = Annotated[
    bool,
    typer.Option(
        "--markdown",
        rich_help_panel=OUTPUT,
        help="Print a table for the summary of a job, in Markdown.",
    ),
]


def _optional(side: Argument) -> Argument:
    """Return the argument for a side of the gate as optional, since a file can replace it."""
    (option,) = side.options
    _, typed = get_args(option.annotation)
    typed.metavar, typed.parser = "NAME", None  # a number is told from a name by the table
    typed.help = f"{typed.help} Of two files, it is by default that of its file."
    optional = option.replace(default=None, annotation=Annotated[str | None, typed])
    return replace(side, options=(optional,))


def _sides(source: SourceArguments, scores: ScoreTable, given: Mapping[str, Any]) -> dict[str, str]:
    """Return baseline and candidate as typed or, of two files, by file name or only algorithm."""
    sides = {side: given[side] for side in _SIDES if given[side] is not None}
    paths = [source.scores, *(source.others or ())]
    if len(sides) < len(paths) == len(_SIDES):
        from benchinfer.scores.sources.folders import names_apart

        names = names_apart([Path(path) for path in paths])
        if set(names) != set(scores.algorithms):
            tables = [replace(source, scores=path, others=None).read() for path in paths]
            names = [table.algorithms[0] for table in tables if len(table.algorithms) == 1]
        sides = dict(zip(_SIDES, names, strict=False)) | sides
    if missing := [side for side in _SIDES if side not in sides]:
        raise wrong(f"--{missing[0]}", "names an algorithm; two files may stand for both.")
    return sides


def _bar_or_name(scores: ScoreTable, baseline: str) -> str | float:
    """Return the baseline as a number where no algorithm of the table bears this name."""
    there = {*scores.algorithms, *scores.failures()["algorithm"]}
    return baseline if baseline in there else number_or_name(baseline)


def _renamed(source: SourceArguments, scores: ScoreTable, name: str) -> str:
    """Return the new name of an algorithm of the table as it was read; others are as typed."""
    there = {*scores.algorithms, *scores.failures()["algorithm"]}
    return dict(source.names or ()).get(name, name) if name in there else name


def _with_typed_tolerances(source: SourceArguments, scores: ScoreTable) -> ScoreTable:
    """Return the table with the tolerances that are typed, where a file normalises the scores."""
    from benchinfer.core.measure import Measure

    if not {"normalise"} <= FROM_FILE.get() or "measures" in FROM_FILE.get():
        return scores
    for text in source.measures or ():
        if not text.endswith(".toml") and (typed := Measure.parse(text)).tolerance:
            scores = scores.declare(replace(scores.measure(typed.name), tolerance=typed.tolerance))
    return scores


# What failures count as is an option of all commands that read scores.
_ARGUMENTS = [
    _optional(each) if each.name in _SIDES else each
    for each in arguments_of("benchinfer.analyses.gate.gate", "gate")
    if each.name != "failed"
]


def gate(
    source: SourceArguments,
    *,
    measure: AllMeasures = None,
    report: ReportTo = None,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    **given: Any,
) -> None:
    """Decide whether a candidate may take the place of a baseline.

    A pass needs evidence, and so does a fail: scores that are too few for either are undecided.
    """
    from benchinfer.cli.output import results
    from benchinfer.cli.report import write
    from benchinfer.core.saving import check_target
    from benchinfer.reports import documents

    if as_json and as_markdown:
        raise wrong("--markdown", "goes without --json.")
    if report is not None:
        check_target(report)
    try:
        import benchinfer as bi

        refused = source.failed == "error"
        failed = "missing" if refused else number_or_name(source.failed)
        source = replace(source, failed="error" if refused else "missing")
        as_read = replace(source, names=None, normalise=None)
        scores = as_read.read()
        given |= _sides(as_read, scores, given)
        if source.names or source.normalise:
            given |= {side: _renamed(source, scores, given[side]) for side in _SIDES}
            failed = _renamed(source, scores, failed) if isinstance(failed, str) else failed
            scores = _with_typed_tolerances(source, source.read())
        names = None if measure is None else named(source, scores, measure)
        options = {each.name: each.value(given, bi.gate) for each in _ARGUMENTS}
        options["baseline"] = _bar_or_name(scores, options["baseline"])
        result = bi.gate(scores, names, failed=failed, **options)
        if words := list(as_typed()):
            said = f"options of {FILE}: {' '.join(words)}."
            result = replace(result, notes=(said, *result.notes))
    except Exception as error:
        if as_markdown:
            results.gate_refused(error)
        raise
    if report is not None:
        write([result], report)
    if as_json:
        write_document(documents.gate(result))
    elif as_markdown:
        results.gate_markdown(result)
    else:
        results.gate(result, report)
    raise typer.Exit(_CODES[result.outcome])


gate = reads_scores(with_arguments(gate, _ARGUMENTS))


Order = Annotated[
    str,
    typer.Option(
        metavar="COLUMN|LIST",
        help="Order in which the entries came: a column of dates (2026-05-31) or numbers that is"
        " the same for all scores of an entry, or the names of all entries, the first one first,"
        " separated by commas.",
    ),
]
State = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="File that remembers the entries that were judged, made if absent.",
        show_default=False,
    ),
]
_BOARD_ARGUMENTS = [
    each
    for each in arguments_of("benchinfer.analyses.board.board", "board")
    if each.name not in {"sequence", "state"}
]


def board(
    source: SourceArguments,
    *,
    sequence: Order,
    measure: MeasureText = None,
    state: State = None,
    report: ReportTo = None,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Decide for each entry of a board whether it beats the record of its day.

    The exit code is about the last entry.
    """
    import benchinfer as bi
    from benchinfer.analyses.board.state import BoardFile
    from benchinfer.cli.output import results
    from benchinfer.cli.report import write
    from benchinfer.core.saving import check_target
    from benchinfer.reports import documents

    if report is not None:
        check_target(report)
    options = {each.name: each.value(given, bi.board) for each in _BOARD_ARGUMENTS}
    # Locked before the table is read, so that the state is never newer than the table.
    with nullcontext() if state is None else BoardFile(Path(state)) as file:
        dated = _by_column(source, sequence)
        if dated is not None:
            column = [*(source.column or ()), f"{sequence}=ignore"]
            source = replace(source, column=column)
        scores = source.read()
        name = source.measure(scores, measure)
        order, notes = (
            (listed(sequence), ()) if dated is None else _in_order(dated, scores, sequence)
        )
        result = bi.board(scores, name, sequence=order, state=file, **options)
    result = replace(result, notes=(*notes, *result.notes))
    if report is not None:
        write([result], report)
    if as_json:
        write_document(documents.board(result))
    else:
        results.board(result, report)
    raise typer.Exit(_RECORD_CODES[result.verdict])


def _by_column(source: SourceArguments, column: str) -> dict[str, str] | None:
    """Return entry to its value in a column of the table; None where there is no such column.

    Entries are in the order of their first rows.
    """
    from benchinfer.scores.examples import examples
    from benchinfer.scores.sources.files import open_source
    from benchinfer.scores.sources.query import filtered

    place = source.places
    if isinstance(place, str):
        place = examples().get(place.removeprefix("example:"), place)
    origin = open_source(place, source.query, source.name)
    if column not in origin.names:
        return None
    names = replace(source, column=[*(source.column or ()), f"{column}=ignore"]).roles().of
    if not (parts := names.get("algorithm", ())):
        raise wrong("--sequence", f"{column!r} has a value per row, and no column names entries.")
    origin = origin if source.where is None else filtered(origin, source.where)
    table = origin.load([*parts, column], [], [])[0].collect()
    renamed = dict(source.names or ())
    values: dict[str, str] = {}
    for *label, value in table.select(*parts, column).iter_rows():
        name = "/".join(str(part).strip() for part in label)
        seen = values.setdefault(renamed.get(name, name), str(value).strip())
        if seen != str(value).strip():
            raise wrong("--sequence", f"{name!r} has several values of {column!r}.")
    return values


def _in_order(
    dated: dict[str, str], scores: ScoreTable, column: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the entries of a table by their dates or numbers, with notes on the order."""
    from benchinfer.analyses.board.sequence import in_order

    known = {name: value for name, value in dated.items() if name in scores.algorithms}
    if lost := [name for name in scores.algorithms if name not in known]:
        raise wrong("--sequence", f"{lost[0]!r} has no value of {column!r}.")
    each = {name: _moment(column, value) for name, value in known.items()}
    if len({type(value) for value in each.values()}) > 1:
        raise wrong("--sequence", f"{column!r} has dates and numbers.")
    return in_order(each, column, "in the order of the table")


def _moment(column: str, text: str) -> Any:
    """Return a number, or a date with its time, from a text."""
    from benchinfer.core.numbers import number_of

    if (number := number_of(text)) is not None and number == number:  # noqa: PLR0124 (no NaN)
        return number
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        what = f"{column!r} has {text!r}, which is neither a number nor a date such as 2026-05-31."
        raise wrong("--sequence", what) from None


board = reads_scores(with_arguments(board, _BOARD_ARGUMENTS))
