"""The command `subgroups`."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from benchinfer.cli.compare import arguments_of, with_arguments
from benchinfer.cli.groups import HelpEnd
from benchinfer.cli.guard import FAULTS
from benchinfer.cli.options.arguments import MeasureText
from benchinfer.cli.options.source import (
    AsJson,
    ReportTo,
    SourceArguments,
    reads_scores,
)
from benchinfer.cli.output.documents import write_document

ENDS = {
    "subgroups": HelpEnd(
        "subgroups scores.csv -m accuracy --features features.csv \\\n    --by size --by kind",
        "0 the comparison depends on a characteristic, or is not shown to; 2 wrong usage;"
        f" {FAULTS}",
    ),
}
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="Characteristic of the data sets: a column of --features, or of the scores if it has"
        " one value for each data set. Once for each; all features if not given.",
        show_default=False,
    ),
]
Stability = Annotated[
    int | None,
    typer.Option(
        metavar="INTEGER",
        min=2,
        help="Grow the tree again on so many subsamples of 63 % of the data sets, as in 100, and"
        " say how often each characteristic divides them.",
        show_default=False,
    ),
]
_ARGUMENTS = [
    each
    for each in arguments_of("benchinfer.analyses.subgroups.compare", "compare_subgroups")
    if each.name != "by"
]


def subgroups(
    source: SourceArguments,
    *,
    measure: MeasureText = None,
    by: By = None,
    stability: Stability = None,
    report: ReportTo = None,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Find the groups of data sets on which algorithms compare differently.

    A tree divides the data sets along their characteristics where who is better depends on them,
    and the algorithms are compared in each leaf.
    """
    from benchinfer.analyses.subgroups.compare import compare_subgroups
    from benchinfer.cli.output import results
    from benchinfer.cli.report import write
    from benchinfer.core.saving import check_target
    from benchinfer.reports import documents

    if report is not None:
        check_target(report)
    if by and source.features is None:
        source = replace(source, features=tuple(name for name in by if name != "domain") or None)
    scores = source.read()
    arguments = {each.name: each.value(given, compare_subgroups) for each in _ARGUMENTS}
    groups = compare_subgroups(scores, source.measure(scores, measure), by=by, **arguments)
    resampled = None
    if stability is not None:
        resampled = groups.stability(stability, seed=arguments["seed"])
    if report is not None:
        write([groups] if resampled is None else [groups, resampled], report)
    if as_json:
        write_document(documents.subgroups(groups, resampled))
    else:
        results.subgroups(groups, resampled, report)


subgroups = reads_scores(with_arguments(subgroups, _ARGUMENTS))
