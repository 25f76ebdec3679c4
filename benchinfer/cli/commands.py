"""The commands `check`, `describe`, `consensus` and `report`."""

from typing import Annotated, Any, Literal, cast

import typer

from benchinfer.cli.guard import Exit
from benchinfer.cli.options.common import open_unit, wrong
from benchinfer.cli.options.consensus import ConsensusQuestion
from benchinfer.cli.options.source import AsJson, MeasureName, SourceArguments, reads_scores
from benchinfer.core.errors import ScoreTableError

EPILOGS = {
    "check": ("Exit codes: 0 no findings, or notes only; 1 warnings or errors; 2 wrong usage."),
    "consensus": (
        "Exit codes: 0 one order fits best, and is proved to; 1 the table has faults; 2 wrong"
        " usage; 3 several fit equally well, or none is proved to be the best; 4 the table cannot"
        " answer the question."
    ),
}
RateInterval = Annotated[
    Literal["wilson", "clopper-pearson", "agresti-coull", "wald"] | None,
    typer.Option(
        metavar="NAME",
        help="An interval of each rate, where scores are 0 or 1: wilson, clopper-pearson,"
        " agresti-coull or wald.",
        show_default=False,
    ),
]


@reads_scores
def check(source: SourceArguments, *, as_json: AsJson = False) -> None:
    """Say what is wrong with a table, or odd.

    Errors (the table cannot be read) go to stderr, all of them at once.
    """
    from benchinfer.cli.output import tables
    from benchinfer.reports import documents

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


@reads_scores
def describe(
    source: SourceArguments,
    *,
    measure: MeasureName = None,
    interval: RateInterval = None,
    sides: Annotated[
        Literal["1", "2"],
        typer.Option(help="Sides of the interval; 1: a bound on the side that is worse."),
    ] = "2",
    level: Annotated[
        float,
        typer.Option(
            metavar="NUMBER", callback=open_unit, help="Confidence of each interval alone."
        ),
    ] = 0.95,
    as_json: AsJson = False,
) -> None:
    """Print the statistics of each algorithm on each data set."""
    from benchinfer.cli.output import tables
    from benchinfer.reports import documents

    if interval is None and (sides, level) != ("2", 0.95):
        raise wrong("--sides" if sides == "1" else "--level", "goes with --interval NAME.")
    asked: dict[str, Any] = {"interval": interval, "sides": int(sides), "level": level}
    scores = source.read()
    names = [m.name for m in scores.measures]
    if measure is not None:
        names = [source.measure(scores, measure)]
    if as_json:
        documents.write({name: documents.rows(scores.describe(name, **asked)) for name in names})
    else:
        found = {name: scores.describe(name, **asked) for name in names}
        tables.describe(scores, found, int(sides), level)


@reads_scores
def consensus(
    source: SourceArguments, question: ConsensusQuestion, *, as_json: AsJson = False
) -> None:
    """Order the algorithms as disagrees least with the relations of all data sets.

    Algorithms are compared on each data set by itself. What holds in all best orders is printed,
    with the weight that speaks for it.
    """
    from benchinfer.relations.consensus.consensus import consensus as agree

    options = question.arguments()
    given = question.declared(source)
    scores = given.read()
    weights = question.weighted(given, scores)
    local = {name: question.compared(scores, name) for name in weights}
    ensemble = question.ensemble(local, weights)
    found = agree(ensemble, **options)
    if as_json:
        from benchinfer.reports import documents

        refused = {name: each.refused for name, each in local.items()}
        documents.write(documents.consensus(found, ensemble, weights, refused))
    else:
        from benchinfer.cli.output import results

        results.consensus(found, ensemble, local, weights)
    raise typer.Exit(Exit.DECIDED if found.decided else Exit.UNDECIDED)


@reads_scores
def report(
    source: SourceArguments,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")
    ] = "report.html",
    kind: Annotated[
        Literal["html", "json", "md", "tex"] | None,
        typer.Option(
            "--format",
            help="html, json, md or tex; by default that of the file's suffix, else html.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    bayes: Annotated[
        bool,
        typer.Option(
            "--bayes/--no-bayes",
            help="Whether to run the hierarchical Bayesian model, which takes the most time.",
        ),
    ] = True,
    measure: MeasureName = None,
    as_json: AsJson = False,
) -> None:
    """Run what the table supports and write one HTML file, or JSON, Markdown or LaTeX.

    The HTML file holds data, figures, verdicts, methods and citations, and needs nothing else.
    Whatever the verdicts, the exit code is 0 when it is written.
    """
    from benchinfer.cli import report as cli_report
    from benchinfer.core.saving import check_target
    from benchinfer.reports import documents

    scores = source.read()
    if measure is not None:
        scores = scores.subset(measures=source.measure(scores, measure))
    check_target(output)  # before the work
    found = cli_report.analyse(scores, bayes=bayes)
    cli_report.write(found, output, kind=kind)
    if as_json:
        documents.write(cli_report.document(found, output))
    else:
        cli_report.show(found, scores, output)
