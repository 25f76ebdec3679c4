"""The commands, one function each: read, ask, print, and say by the exit code how it went."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from benchinfer.cli import monitoring
from benchinfer.cli.guard import EPILOG, Exit, settled, verdict_code
from benchinfer.cli.options import AsJson, MeasureName, Source, reads_scores
from benchinfer.cli.question import Question
from benchinfer.errors import ScoreTableError

if TYPE_CHECKING:
    from benchinfer.compare.comparison import Comparison
    from benchinfer.scores import ScoreTable

app = typer.Typer(
    rich_markup_mode=None,  # plain text, as what is piped should be; and rich takes time to load
    no_args_is_help=True,
    epilog=EPILOG,
    help="Decide from benchmark scores which algorithm is better, with the evidence.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
compare = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=EPILOG,
    help="Compare the algorithms, all pairs of them.",
)
app.add_typer(compare, name="compare")
app.command(epilog=monitoring.EPILOG)(monitoring.monitor)


PerDataset = Annotated[bool, typer.Option("--per-dataset", help="Each data set by itself.")]
Details = Annotated[
    bool,
    typer.Option(
        "--details",
        help="Tests of the whole, verdicts that change without a data set, and what to expect on"
        " a new one.",
    ),
]


def main() -> None:
    """Run the command line."""
    app()


def _version(asked: bool) -> None:  # noqa: FBT001 (typer calls it so)
    if asked:
        from benchinfer.version import __version__

        typer.echo(f"benchinfer {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Decide from benchmark scores which algorithm is better, with the evidence."""


@app.command(
    epilog="Exit codes: 0 no findings, or notes only; 1 warnings or errors; 2 wrong usage."
)
@reads_scores
def check(source: Source, *, as_json: AsJson = False) -> None:
    """Say what is wrong with a table, or odd.

    Errors (the table cannot be read) go to stderr, all of them at once.
    """
    from benchinfer.cli import documents, tables

    try:
        scores = source.read()
    except ScoreTableError as error:
        if as_json and error.findings:
            documents.write({"findings": documents.findings(cast("Any", error.findings))})
            raise typer.Exit(Exit.FAULTY) from None
        raise
    if as_json:
        documents.write(documents.table(scores))
    else:
        tables.check(scores)
    clean = all(finding.severity == "note" for finding in scores.finding_records)
    raise typer.Exit(Exit.DECIDED if clean else Exit.FAULTY)


@app.command(epilog=EPILOG)
@reads_scores
def describe(source: Source, *, measure: MeasureName = None, as_json: AsJson = False) -> None:
    """Print the statistics of each algorithm on each data set."""
    from benchinfer.cli import documents, tables

    scores = source.read()
    names = [m.name for m in scores.measures]
    if measure is not None:
        names = [source.measure(scores, measure)]
    if as_json:
        documents.write({name: documents.rows(scores.describe(name)) for name in names})
    else:
        tables.describe(scores, names)


@app.command(epilog=EPILOG)
@reads_scores
def report(
    source: Source,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write.")
    ] = "report.html",
    measure: MeasureName = None,
    as_json: AsJson = False,
) -> None:
    """Run what the table supports and write one HTML file.

    The file holds data, figures, verdicts, methods and citations, and needs nothing else. Whatever
    the verdicts, the exit code is 0 when it is written.
    """
    from benchinfer.cli import documents, reporting

    scores = source.read()
    if measure is not None:
        scores = scores.subset(measures=source.measure(scores, measure))
    found = reporting.analyse(scores)
    reporting.write(found, output)
    if as_json:
        results = reporting.comparisons(found)
        records = [documents.comparison(r, decided=settled(r.relation())) for r in results]
        documents.write({"report": output, "results": records, "refused": found.refusals})
    else:
        reporting.show(found, scores, output)


@compare.command(epilog=EPILOG)
@reads_scores
def mixed(
    source: Source,
    question: Question,
    *,
    measure: MeasureName = None,
    per_dataset: PerDataset = False,
    details: Details = False,
    as_json: AsJson = False,
) -> None:
    """Compare by a linear mixed-effects model and simultaneous contrasts.

    Exit code 0 says that one algorithm is better than or equivalent to each of the others (with
    --per-dataset: on each data set), 3 that none is.
    """
    from benchinfer.compare.mixed import compare_mixed

    if details and per_dataset:
        raise typer.BadParameter("goes without --per-dataset.", param_hint="'--details'")
    options = question.arguments(each=per_dataset)
    scores = source.read()
    question.check_names(scores)
    show = Showing(per_dataset=per_dataset, details=details, as_json=as_json)
    _compare(compare_mixed, scores, source.measure(scores, measure), options, show)


@compare.command(epilog=EPILOG)
@reads_scores
def points(
    source: Source,
    *,
    measure: MeasureName = None,
    statistic: Annotated[
        Literal["mean", "median", "worst"], typer.Option(help="Of the scores of a data set.")
    ] = "mean",
    tolerance: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER", help="Difference that does not matter, if not the measure's."
        ),
    ] = None,
    per_dataset: PerDataset = False,
    as_json: AsJson = False,
) -> None:
    """Compare by means, medians or worst scores, without inference.

    Exit code 0 says that one algorithm is better than or equivalent to each of the others by the
    rule (with --per-dataset: on each data set), 3 that none is.
    """
    from benchinfer.compare.points import compare_points

    options = {"statistic": statistic, "tolerance": tolerance}
    scores = source.read()
    show = Showing(per_dataset=per_dataset, as_json=as_json)
    _compare(compare_points, scores, source.measure(scores, measure), options, show)


@dataclass(frozen=True, slots=True)
class Showing:
    """What is printed of a comparison, and how."""

    per_dataset: bool
    as_json: bool
    details: bool = False


def _compare(
    analysis: Callable[..., "Comparison"],
    scores: "ScoreTable",
    measure: str,
    options: Mapping[str, Any],
    show: Showing,
) -> None:
    from benchinfer.cli import documents, results
    from benchinfer.compare.local import per_dataset as each

    if show.per_dataset:
        found = each(analysis, scores, measure, **options)
        relations = found.relations()
        if show.as_json:
            decided = {name: settled(relation) for name, relation in relations.items()}
            documents.write(documents.comparisons(found, decided))
        else:
            results.comparisons(found)
        code = Exit.UNDECIDED if found.refused else verdict_code(relations.values())
    else:
        result = analysis(scores, measure, **options)
        code = verdict_code([result.relation()])
        if show.as_json:
            decided = code == Exit.DECIDED
            documents.write(documents.comparison(result, decided=decided, details=show.details))
        else:
            results.comparison(result, details=show.details)
    raise typer.Exit(code)
