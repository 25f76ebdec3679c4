"""The command `gate`."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from benchinfer.cli.compare import arguments_of, with_arguments
from benchinfer.cli.groups import OUTPUT, HelpEnd
from benchinfer.cli.guard import Exit
from benchinfer.cli.options.arguments import AllMeasures, named
from benchinfer.cli.options.common import number_or_name, wrong
from benchinfer.cli.options.source import AsJson, ReportTo, SourceArguments, reads_scores

ENDS = {
    "gate": HelpEnd(
        "gate example:sklearn_bootstrap --baseline svm --candidate rf \\\n    -m error:lower:0.02",
        "0 pass; 1 fail: evidence that the candidate is worse by more than the"
        " tolerance; 2 wrong usage; 3 undecided; 4 the table has faults or cannot answer.",
    ),
}
_CODES = {"pass": Exit.DECIDED, "fail": Exit.FAULTY, "undecided": Exit.UNDECIDED}
AsMarkdown = Annotated[
    bool,
    typer.Option(
        "--markdown",
        rich_help_panel=OUTPUT,
        help="Print a table for the summary of a job, in Markdown.",
    ),
]
# What failures count as is an option of all commands that read scores.
_ARGUMENTS = [
    each for each in arguments_of("benchinfer.analyses.gate.gate", "gate") if each.name != "failed"
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
        scores = replace(source, failed="error" if refused else "missing").read()
        names = None if measure is None else named(source, scores, measure)
        options = {each.name: each.value(given, bi.gate) for each in _ARGUMENTS}
        result = bi.gate(scores, names, failed=failed, **options)
    except Exception as error:
        if as_markdown:
            results.gate_refused(error)
        raise
    if report is not None:
        write([result], report)
    if as_json:
        documents.write(documents.gate(result))
    elif as_markdown:
        results.gate_markdown(result)
    else:
        results.gate(result, report)
    raise typer.Exit(_CODES[result.outcome])


gate = reads_scores(with_arguments(gate, _ARGUMENTS), faulty=Exit.UNDECIDABLE)
