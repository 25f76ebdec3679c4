"""The command `compare factors`."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from benchinfer.cli.compare import Details, arguments_of, with_arguments
from benchinfer.cli.guard import Exit
from benchinfer.cli.options.arguments import MeasureText, wrong
from benchinfer.cli.options.source import AsJson, ReportTo, SourceArguments, reads_scores
from benchinfer.cli.output.documents import write_document

Control = Annotated[
    list[str] | None,
    typer.Option(
        "--control",
        metavar="FACTOR=LEVEL",
        help="Level of a factor that each other one is compared with. Once for each factor; all"
        " pairs of levels if not given.",
        show_default=False,
    ),
]
_ARGUMENTS = [
    each
    for each in arguments_of("benchinfer.analyses.factors.compare", "compare_factors")
    if each.name != "control"
]


def factors(
    source: SourceArguments,
    *,
    measure: MeasureText = None,
    control: Control = None,
    report: ReportTo = None,
    details: Details = False,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Compare the levels of factors, of which the algorithms are the cells.

    Columns that are said to be factors, as in --column aug=factor, are compared on average over
    the cells of the others, and interactions of two are tested.
    """
    from benchinfer.analyses.factors.compare import compare_factors
    from benchinfer.cli.output import results
    from benchinfer.cli.report import write
    from benchinfer.core.saving import check_target
    from benchinfer.core.sections import Request
    from benchinfer.reports import documents

    if report is not None:
        check_target(report)
    arguments = {each.name: each.value(given, compare_factors) for each in _ARGUMENTS}
    scores = source.read()
    name = source.measure(scores, measure)
    effects = compare_factors(scores, name, control=_controls(control), **arguments)
    if report is not None:
        write([effects], report)
    if as_json:
        write_document(documents.factors(effects))
    else:
        results.factors(effects, Request(details=details), report)
    decided = any(one.pairs.decided.any() for one in effects.values())
    raise typer.Exit(Exit.DECIDED if decided else Exit.UNDECIDED)


def _controls(texts: list[str] | None) -> Mapping[str, str] | None:
    """Return factor to its control, as typed."""
    if texts is None:
        return None
    pairs = [text.partition("=") for text in texts]
    if odd := [text for text, pair in zip(texts, pairs, strict=True) if not pair[2]]:
        raise wrong("--control", f"{odd[0]!r} is not FACTOR=LEVEL.")
    return {name.strip(): level.strip() for name, _, level in pairs}


factors = reads_scores(with_arguments(factors, _ARGUMENTS))
