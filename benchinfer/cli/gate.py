"""The command `gate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from benchinfer.cli.compare import arguments_of, with_arguments
from benchinfer.cli.groups import OUTPUT, HelpEnd
from benchinfer.cli.guard import Exit
from benchinfer.cli.options.arguments import AllMeasures, Argument, named, number_or_name, wrong
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
}
_CODES = {"pass": Exit.DECIDED, "fail": Exit.FAULTY, "undecided": Exit.UNDECIDED}
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
