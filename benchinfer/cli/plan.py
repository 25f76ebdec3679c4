"""The commands `plan` and `allocate`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.groups import HelpEnd
from benchinfer.cli.guard import Exit
from benchinfer.cli.options.arguments import Level, MeasureText, Target
from benchinfer.cli.options.source import (
    AsJson,
    ReportTo,
    SourceArguments,
    reads_scores,
)
from benchinfer.cli.output.documents import write_document
from benchinfer.core.errors import message

if TYPE_CHECKING:
    from benchinfer.analyses.plan.allocation import Allocation
    from benchinfer.analyses.plan.result import Plan


ENDS = {
    "plan": HelpEnd(
        "plan example:sklearn_bootstrap -m error --difference 0.02",
        "0 planned; 2 wrong usage; 3 the given design, or the"
        " best one of the budget, has less than the power wanted; 4 no design can show it, or the"
        " pilot has faults or cannot answer.",
    ),
    "allocate": HelpEnd(
        "allocate answers.csv --units item,epoch --std-error 0.01 \\\n    --costs 1,0.1",
        "0 allocated; 2 wrong usage; 4 no design has the error, or the pilot has faults or cannot"
        " answer.",
    ),
}
Difference = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="The difference that is to be shown, or the margin, in the unit of contrasts.",
        show_default=False,
    ),
]
StdError = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="The standard error of a difference that is wanted, by more units, items or answers.",
    ),
]
Fixed = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL=N,...",
        help="Numbers of units that are fixed beforehand, with --costs.",
    ),
]
Power = Annotated[
    float, typer.Option(metavar="NUMBER", help="The probability wanted to show it, for each pair.")
]
Aim = Annotated[
    Literal["difference", "equivalence", "non-inferiority"],
    typer.Option(help="Aim: to show a difference, or less than it, or not worse by it."),
]
Contrasts = Annotated[
    Literal["tukey", "dunnett", "one"],
    typer.Option(help="All pairs, each with a control, or one pair named beforehand."),
]
Adjust = Annotated[
    Literal["auto", "single-step", "holm", "none"],
    typer.Option(help="Adjustment for many contrasts: as compare mixed has it."),
]
Algorithms = Annotated[
    int | None,
    typer.Option("--algorithms", metavar="NUMBER", help="If not as many as in the pilot.", min=2),
]
Datasets = Annotated[
    int | None, typer.Option(metavar="NUMBER", help="Data sets, if fixed beforehand.", min=1)
]
Replications = Annotated[
    int | None, typer.Option(metavar="NUMBER", help="Replications, if fixed beforehand.", min=1)
]
Costs = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="Cost of a data set, and of one replication of all algorithms on it.",
    ),
]
UnitCosts = Annotated[
    str | None,
    typer.Option(
        "--costs", metavar="A,B,...", help="Cost of one unit of each level, the outermost first."
    ),
]
Budget = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="Sum to be spent, in the unit of --costs.")
]


@dataclass(frozen=True, slots=True)
class PlanArguments:
    """Options of `plan`, as typed."""

    difference: Difference = None
    power: Power = 0.8
    aim: Aim = "difference"
    level: Level = 0.95
    contrasts: Contrasts = "tukey"
    adjust: Adjust = "auto"
    k: Algorithms = None
    target: Target = "auto"
    n_datasets: Datasets = None
    n_replications: Replications = None
    costs: Costs = None
    budget: Budget = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `benchinfer.plan`."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        given["contrasts"] = None if self.contrasts == "one" else self.contrasts
        given["costs"] = None if self.costs is None else _costs(self.costs)
        return given


@dataclass(frozen=True, slots=True)
class AllocateArguments:
    """Options of `allocate`, as typed."""

    std_error: StdError = None
    costs: UnitCosts = None
    fixed: Fixed = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `benchinfer.allocate`."""
        return {
            "std_error": self.std_error,
            "costs": None if self.costs is None else _costs(self.costs),
            "fixed": None if self.fixed is None else _numbers(self.fixed),
        }


def _costs(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter("numbers, separated by commas.", param_hint="'--costs'") from None


def _numbers(text: str) -> dict[str, int]:
    try:
        return {
            name.strip(): int(number)
            for name, _, number in (part.rpartition("=") for part in text.split(","))
        }
    except ValueError:
        raise typer.BadParameter(
            "levels with whole numbers, as in question=198.", param_hint="'--fixed'"
        ) from None


@reads_scores
def plan(
    source: SourceArguments,
    design: PlanArguments,
    *,
    measure: MeasureText = None,
    report: ReportTo = None,
    as_json: AsJson = False,
) -> None:
    """Compute the numbers of data sets and replications that an experiment needs, from a pilot."""
    import benchinfer as bi
    from benchinfer.scores.rows.nesting import nested_items

    scores = source.read()
    name = source.measure(scores, measure)
    if design.difference is None:
        nested = scores.units is not None or nested_items(scores.notes)
        hint = "benchinfer allocate is for levels of units." if nested else "--difference 0.01"
        said = message("the size that matters is missing.", hint=hint)
        raise typer.BadParameter(said, param_hint="'--difference'")
    result = bi.plan(scores, measure=name, **design.arguments())
    _answer(result, report, as_json=as_json)
    raise typer.Exit(Exit.DECIDED if result.power >= design.power else Exit.UNDECIDED)


@reads_scores
def allocate(
    source: SourceArguments,
    design: AllocateArguments,
    *,
    measure: MeasureText = None,
    report: ReportTo = None,
    as_json: AsJson = False,
) -> None:
    """Compute what more items or more answers do to the error of a difference, from a pilot."""
    import benchinfer as bi

    scores = source.read()
    name = source.measure(scores, measure)
    _answer(bi.allocate(scores, name, **design.arguments()), report, as_json=as_json)


def _answer(result: Plan | Allocation, report: str | None, *, as_json: bool) -> None:
    """Print the plan or the allocation, and write its report."""
    from benchinfer.cli.report import write
    from benchinfer.reports import documents

    if report is not None:
        write([result], report)
    if as_json:
        write_document(documents.plan(result))
    else:
        show(result, report)


def show(result: Plan | Allocation, report: str | None = None) -> None:
    """Print the plan, the table of other designs, and the report."""
    from benchinfer.analyses.plan.sections import SECTIONS
    from benchinfer.cli.output.sections import write
    from benchinfer.cli.output.terminal import Terminal

    with Terminal() as out:
        write(out, SECTIONS[type(result)](result, {})[:1])
        if report is not None:
            out.line()
            out.prose(f"Report: {report}", style="dim")
