"""The commands `check`, `describe`, `consensus`, `report` and `reproduce`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import typer

from benchinfer.cli.groups import HelpEnd
from benchinfer.cli.guard import CODES, FAULTS, Exit, guarded
from benchinfer.cli.options.arguments import (
    AllMeasures,
    Level,
    Seed,
    listed,
    named,
    open_unit,
    wrong,
)
from benchinfer.cli.options.configuration import FROM_FILE
from benchinfer.cli.options.consensus import ConsensusQuestion
from benchinfer.cli.options.source import AsJson, Quiet, SourceArguments, reads_scores
from benchinfer.cli.output.documents import write_document
from benchinfer.cli.output.terminal import QUIET
from benchinfer.core.errors import ScoreTableError

ENDS = {
    "check": HelpEnd(
        "check scores.csv -m error:lower:0.01",
        "0 no findings, or notes only; 1 warnings; 2 wrong usage; 4 the table has faults.",
    ),
    "describe": HelpEnd("describe example:sklearn_bootstrap -m error", CODES),
    "consensus": HelpEnd(
        "consensus example:sklearn_bootstrap -m error -m seconds \\\n    --weights 1,0.2",
        "0 one order fits best, and is proved to; 2 wrong usage; 3 several fit equally well, or"
        f" none is proved to be the best; {FAULTS}",
    ),
    "report": HelpEnd("report scores.csv -o report.html", CODES),
    "reproduce": HelpEnd(
        "reproduce demsar2006",
        "0 all published numbers agree, or it is said where the files are; 1 some differ; 2 wrong"
        " usage; 4 files are missing or others.",
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
_METHODS = (
    *("factors", "mixed", "permutation", "bayes", "bootstrap", "points", "per-dataset"),
    "subgroups",
)


@dataclass(frozen=True, slots=True)
class ReportArguments:
    """Options of `report` about what it holds, as typed."""

    methods: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Of factors (where there are some), mixed, permutation, bayes, bootstrap, points,"
            " per-dataset and subgroups (with --features), separated by commas; mixed is an exact"
            " test where scores of one data set are 0 or 1.",
        ),
    ] = ",".join(_METHODS)
    bayes: Annotated[
        bool,
        typer.Option("--bayes/--no-bayes", help="The Bayesian model, which takes the most time."),
    ] = True
    level: Level = 0.95
    seed: Seed = 1
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Heading of the page.")] = None

    def named(self) -> tuple[Any, ...]:
        """Return the methods to run; raise a usage error for an unknown one."""
        methods = listed(self.methods)
        if strange := [name for name in methods if name not in _METHODS]:
            raise wrong("--methods", f"{strange[0]!r} is none of {', '.join(_METHODS)}.")
        return tuple(name for name in methods if self.bayes or name != "bayes")


@reads_scores
def check(source: SourceArguments, *, measure: AllMeasures = None, as_json: AsJson = False) -> None:
    """Check a table, and list its errors, warnings and notes.

    Errors (the table cannot be read) go to stderr, all of them at once.
    """
    from benchinfer.cli.output import tables

    try:
        scores = source.read_measures(measure)
    except ScoreTableError as error:
        if as_json and error.findings:
            from benchinfer.reports import documents

            write_document({"findings": documents.findings(cast("Any", error.findings))})
            raise typer.Exit(Exit.UNDECIDABLE) from None
        raise
    if as_json:
        from benchinfer.reports import documents

        write_document(documents.table(scores))
    else:
        tables.check(scores)
    clean = all(finding.severity == "note" for finding in scores.finding_records)
    raise typer.Exit(Exit.DECIDED if clean else Exit.FAULTY)


@reads_scores
def describe(
    source: SourceArguments,
    *,
    measure: AllMeasures = None,
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

    typed = {"--sides": sides != "2", "--level": level != 0.95 and "level" not in FROM_FILE.get()}
    if interval is None and any(typed.values()):
        raise wrong(next(name for name in typed if typed[name]), "goes with --interval NAME.")
    options: dict[str, Any] = {"interval": interval, "sides": int(sides), "level": level}
    scores = source.read()
    names = [m.name for m in scores.measures]
    if measure is not None:
        names = named(source, scores, measure)
    if as_json:
        write_document({name: documents.rows(scores.describe(name, **options)) for name in names})
    else:
        statistics = {name: scores.describe(name, **options) for name in names}
        tables.describe(scores, statistics, int(sides), level)


@reads_scores
def consensus(
    source: SourceArguments, question: ConsensusQuestion, *, as_json: AsJson = False
) -> None:
    """Find the order of algorithms that disagrees least with the relations of all data sets.

    Algorithms are compared on each data set by itself. What holds in all best orders is printed,
    with its support.
    """
    import benchinfer as bi
    from benchinfer.relations.ensemble import Ensemble

    options = question.arguments()
    scores = source.read()
    weights = question.weighted(source, scores)
    local = {name: question.compared(scores, name) for name in weights}
    each = {name: results.relations(question.rule) for name, results in local.items()}
    ensemble = next(iter(each.values())) if len(each) == 1 else Ensemble.joined(each, weights)
    result = bi.consensus(ensemble, **options)
    if as_json:
        from benchinfer.reports import documents

        refused = {name: each.refused for name, each in local.items()}
        write_document(documents.consensus(result, ensemble, weights, refused))
    else:
        from benchinfer.cli.output import results

        results.consensus(result, ensemble, local, weights)
    raise typer.Exit(Exit.DECIDED if result.decided else Exit.UNDECIDED)


@reads_scores
def report(
    source: SourceArguments,
    wanted: ReportArguments,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")
    ] = "report.html",
    kind: Annotated[
        Literal["html", "json", "md"] | None,
        typer.Option(
            "--format",
            help="html, json or md; by default that of the file's suffix, else html.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    prints: Annotated[
        Literal["short", "full"],
        typer.Option(
            "--print",
            help="Print of the HTML: short, the answers, methods and provenance, and what a"
            " reader has opened; full, all of it.",
            metavar="NAME",
        ),
    ] = "short",
    measure: AllMeasures = None,
    as_json: AsJson = False,
) -> None:
    """Run what the table supports and write one HTML file, or JSON or Markdown.

    The HTML file holds data, figures, verdicts, methods and citations, and needs nothing else.
    Whatever the verdicts, the exit code is 0 when it is written.
    """
    from benchinfer.cli.report import analyse, show, stages, write
    from benchinfer.core.saving import check_target
    from benchinfer.reports.page import document, format_of

    methods = wanted.named()
    format_of(output, kind)  # before the work
    scores = source.read_measures(measure)
    check_target(output)
    with stages() as progress:
        results = analyse(
            scores, methods=methods, level=wanted.level, seed=wanted.seed, progress=progress
        )
        progress(f"Writing {output}", 0, 0)
        page = write(results, output, title=wanted.title, kind=kind, prints=prints)
    if as_json:
        write_document(document(page, results, output))
    else:
        show(results, scores, output)


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A study; without one all are listed."),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Its files, or a folder that holds them."),
    ] = None,
    *,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compute the published numbers of a study anew, from its own scores.

    Nothing is fetched: without files it says where they are to be had.
    """
    from benchinfer.cli.output import reproductions
    from benchinfer.core.arguments import unknown
    from benchinfer.reproductions.atlas import NAMES, entry

    QUIET.set(quiet)
    if name is None:
        reproductions.listed([entry(one) for one in NAMES])
        return
    if name not in NAMES:
        raise typer.BadParameter(unknown("name", name, NAMES))
    study = entry(name)
    if study.files and not files:
        reproductions.where(study)
        return
    with guarded():
        numbers = study.reproduce(*files or ())
    if as_json:
        from benchinfer.reports import documents

        write_document({"name": name, "numbers": documents.rows(numbers)})
    else:
        reproductions.numbers(study, numbers)
    raise typer.Exit(Exit.DECIDED if numbers["agrees"].all() else Exit.FAULTY)
