"""The command `monitor`."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.groups import HelpEnd
from benchinfer.cli.guard import Exit
from benchinfer.cli.options.arguments import Alternative, Level, TogetherMeasures, listed, wrong
from benchinfer.cli.options.source import AsJson, ReportTo, SourceArguments, file_of, reads_scores
from benchinfer.cli.output.documents import write_document

if TYPE_CHECKING:
    from benchinfer.analyses.monitor.comparison import MonitorComparison
    from benchinfer.analyses.monitor.measures import MonitoredMeasures


ENDS = {
    "monitor": HelpEnd(
        "monitor example:sklearn_bootstrap -m error --stage 50 \\\n    --state none",
        "0 decided: every pair has a verdict; 3 go on: run the next cells; 4"
        " undecidable: no pair goes on and some have no verdict, the table has faults or cannot"
        " answer, or a past stage has changed; 2 wrong usage, or another design than the"
        " state's.",
    ),
}
_CODES = {"decided": Exit.DECIDED, "go on": Exit.UNDECIDED, "undecidable": Exit.UNDECIDABLE}
Method = Annotated[
    Literal["recursive", "anytime", "group-sequential"],
    typer.Option(help="Stage by stage, at any time, or a planned number of looks."),
]
Rule = Annotated[
    Literal["constant", "application", "scenario2", "literal"],
    typer.Option(help="Boundaries of a recursion, given the stages before."),
]
Spending = Annotated[
    Literal["obrien-fleming", "pocock"], typer.Option(help="Of group sequential tests.")
]
Stage = Annotated[
    int, typer.Option(metavar="NUMBER", help="Replications per data set and stage.", min=2)
]
LastStage = Annotated[
    str,
    typer.Option(
        metavar="NUMBER",
        help="The stage declared last; none; or auto: 5, and none with --method anytime.",
    ),
]
Test = Annotated[
    Literal["t", "signed-rank", "sign-flip"], typer.Option(help="Test of the differences.")
]
Null = Annotated[
    Literal["symmetry", "mean"],
    typer.Option(
        help="Hypothesis that --method anytime bets against: symmetry about 0, or a mean of 0."
    ),
]
Pair = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="Watch this one pair; all pairs by default."),
]
Control = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Watch each other algorithm against this one."),
]
State = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="File that remembers past stages; none keeps nothing. By default SCORES.monitor.json"
        " (with --measure SCORES.NAME.monitor.json) beside a table that is one file.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class Watch:
    """Options of `monitor`, as typed."""

    method: Method = "recursive"
    rule: Rule = "constant"
    spending: Spending = "obrien-fleming"
    stage: Stage = 50
    last_stage: LastStage = "auto"
    test: Test = "t"
    null: Null = "symmetry"
    alternative: Alternative = "two-sided"
    level: Level = 0.95
    pair: Pair = None
    control: Control = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `benchinfer.monitor`."""
        if self.pair is not None and self.control is not None:
            raise typer.BadParameter("goes without --control.", param_hint="'--pair'")
        pairs = "all" if self.pair is None else listed(self.pair)
        if self.pair is not None and len(pairs) != 2:
            raise wrong("--pair", "two names, separated by a comma.")
        last = {"auto": "auto", "none": None}.get(self.last_stage, 0)
        if last == 0:
            if not self.last_stage.isdecimal() or int(self.last_stage) < 1:
                raise wrong("--last-stage", "a number from 1, none or auto.")
            last = int(self.last_stage)
        return {
            "pairs": pairs,
            "control": self.control,
            "method": self.method,
            "rule": self.rule,
            "spending": self.spending,
            "stage": self.stage,
            "last_stage": last,
            "test": self.test,
            "null": self.null,
            "alternative": self.alternative,
            "level": self.level,
        }


@reads_scores
def monitor(
    source: SourceArguments,
    watch: Watch,
    *,
    measure: TogetherMeasures = None,
    state: State = None,
    report: ReportTo = None,
    as_json: AsJson = False,
) -> None:
    """Decide while an experiment runs; the exit code says whether to go on.

    Call it after each batch of replications, in a loop or from a scheduler.
    """
    import benchinfer as bi
    from benchinfer.analyses.monitor.state import StateFile
    from benchinfer.cli.report import write
    from benchinfer.core.saving import check_target

    options = watch.arguments()
    path = _state_path(source.scores, state, measure)
    if report is not None and path is not None and realpath(report) == realpath(path):
        raise wrong("--report", "is the file of the state.")
    # Locked before the table is read, so that the state is never newer than the table.
    with nullcontext() if path is None else StateFile(path) as file:
        scores = source.read()
        if report is not None:
            check_target(report)  # before a stage is decided on
        names = [source.measure(scores, name) for name in measure or [None]]
        if len(names) == 1:
            result = bi.monitor(scores, names[0], state=file, **options)
        else:
            result = bi.monitor_measures(scores, names, state=file, **options)
    if report is not None:
        write([result], report, scores)
    if as_json:
        write_document(document(result))
    else:
        show(result, path, report)
    raise typer.Exit(_CODES[result.decision])


def _state_path(scores: str, state: str | None, measures: list[str] | None) -> Path | None:
    from benchinfer.core.saving import lies_below

    if state is not None:
        return None if state == "none" else Path(state)
    if scores == "-" or file_of(scores) != scores:
        raise wrong("--state", "say which file, or none, where a table has no name.")
    table = Path(scores)
    if not table.is_file():
        return None
    path = table.with_name(".".join([table.name, *(measures or []), "monitor.json"]))
    if not lies_below(path, table.parent):
        raise wrong("--state", f"{str(path)!r} leads out of its folder: say which file, or none.")
    return path


def document(result: MonitorComparison | MonitoredMeasures) -> dict[str, object]:
    """Return the JSON document of an experiment's state, with one for each of several measures."""
    from benchinfer.analyses.monitor.comparison import MonitorComparison
    from benchinfer.core.sections import Request
    from benchinfer.reports import documents

    if not isinstance(result, MonitorComparison):
        return {
            "decision": result.decision,
            "measures": {name: document(one) for name, one in result.items()},
            "next_cells": result.next_cells(),
        }
    decided = result.decision == "decided"
    comparison = documents.comparison(result, decided=decided, request=Request(details=False))
    return {"decision": result.decision, **comparison}


def show(
    result: MonitorComparison | MonitoredMeasures, path: Path | None, report: str | None
) -> None:
    """Print the state of the experiment, the next runs, and the paths of written files."""
    from benchinfer.analyses.monitor.comparison import MonitorComparison
    from benchinfer.cli.output import sections
    from benchinfer.cli.output.terminal import Terminal
    from benchinfer.comparison.sections import sections_of
    from benchinfer.core.sections import Request

    with Terminal() as out:
        brief = Request(details=False)
        if isinstance(result, MonitorComparison):
            each = {result.measure.name: result}
            sections.write(out, sections_of(result, brief))
        else:
            each = dict(result)
            leading = [(one.measure.title, sections_of(one, brief)[0]) for one in each.values()]
            sections.write(out, [replace(section, title=title) for title, section in leading])
            from benchinfer.analyses.monitor.course import runs
            from benchinfer.analyses.monitor.sections import run_next
            from benchinfer.core.sections import Section

            together = Section(
                title="All measures",
                lead=result.headline(),
                text=(str(runs(*result.values())),),
                facts=run_next(result.next_cells()),
            )
            sections.write(out, [together], first=False)
        checks = {name: one._checks for name, one in each.items()}
        sections.warnings(out, checks, next(iter(each.values())).algorithms)
        if path is not None or report is not None:
            out.line()
        for name, file in (("State", path), ("Report", report)):
            if file is not None:
                out.prose(f"{name}: {file}", style="dim")
