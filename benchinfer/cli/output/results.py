"""Comparisons and consensus on a terminal."""

from dataclasses import replace
from typing import TYPE_CHECKING

from benchinfer.cli.hints import as_options
from benchinfer.cli.output import sections
from benchinfer.cli.output.terminal import Terminal
from benchinfer.comparison.checks import caveats
from benchinfer.comparison.sections import each_dataset, sections_of
from benchinfer.core.numbers import count, join, within
from benchinfer.core.sections import Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchinfer.analyses.choice.answer import Answer
    from benchinfer.analyses.subgroups.stability import SubgroupStability
    from benchinfer.analyses.subgroups.subgroups import Subgroups
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.core.sections import Request
    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.ensemble import Ensemble


def comparison(result: "Comparison", request: "Request") -> None:
    """Print a comparison, with details if requested."""
    with Terminal() as out:
        told = sections_of(result, request)
        sections.beforehand(out, result)
        sections.write(out, told, details=request.details)
        before = caveats(result)
        checks = [
            check for section in told for check in section.checks if check.check not in before
        ]
        sections.warnings(out, {result.measure.name: checks}, result.algorithms)


def answer(result: "Answer", request: "Request") -> None:
    """Print an answer on all measures, with details if requested."""
    with Terminal() as out:
        told = sections_of(result, request)
        lines: dict[str, list[str]] = {}
        for name, one in result.items():
            for rule, text in caveats(one).items():
                lines.setdefault(f"{rule}: {as_options(text)}", []).append(name)
        for line, of in lines.items():
            prefix = f"{join(of)}: " if len(of) < len(result) else ""
            out.prose(f"{prefix}{line}", style="yellow", hanging="  ")
        sections.write(out, told, details=request.details)
        checks = {
            name: [check for check in one.checks if check.check not in caveats(one)]
            for name, one in result.items()
        }
        names = {name for one in result.values() for name in one.algorithms}
        sections.warnings(out, checks, tuple(names))


def comparisons(results: "Comparisons") -> None:
    """Print one order per data set."""
    with Terminal() as out:
        sections.write(out, [each_dataset(results)])


def subgroups(found: "Subgroups", again: "SubgroupStability | None", report: str | None) -> None:
    """Print the groups of data sets, the order in each and, if requested, their stability."""
    from benchinfer.analyses.subgroups import sections as subgroups_sections

    with Terminal() as out:
        told = subgroups_sections.sections(found, details=False)
        more = () if again is None else subgroups_sections.stability(again)
        sections.write(out, [*told, *more])
        sections.warnings(out, {"": told[0].checks}, found.setting.algorithms)
        if report is not None:
            out.prose(f"Report: {report}", style="dim")


def consensus(
    found: "Consensus",
    ensemble: "Ensemble",
    local: "Mapping[str, Comparisons]",
    weights: "Mapping[str, float]",
) -> None:
    """Print a consensus of relations per data set, and the relations."""
    from benchinfer.relations import sections as relations_sections
    from benchinfer.relations.consensus import sections as consensus_sections

    with Terminal() as out:
        first = consensus_sections.consensus(found)
        told = [
            replace(first, lead=_of(found, ensemble, local, weights)),
            relations_sections.ensemble(ensemble, "Agreement of the relations"),
        ]
        refused = [
            f"{d} on {m}: {why}" for m, each in local.items() for d, why in each.refused.items()
        ]
        if refused:
            told.append(Section(title="No relation", warnings=tuple(refused)))
        sections.write(out, told)
        sections.warnings(out, {"": first.checks}, found.algorithms)


def _of(
    found: "Consensus",
    ensemble: "Ensemble",
    local: "Mapping[str, Comparisons]",
    weights: "Mapping[str, float]",
) -> str:
    """Say what a consensus is of."""
    named: list[str] = []
    kinds: list[str] = []
    for name, each in local.items():
        first = next(iter(each.values()))
        kinds.append(within(first.title))
        weight = f", weight {weights[name]:g}" if len(set(weights.values())) > 1 else ""
        named.append(f"{name} ({first.measure.better} is better{weight})")
    by = join(list(dict.fromkeys(kinds)))
    many = count(len(ensemble), "relation")
    how = f"{found.method} ({found.family})"
    return f"Consensus by {how} of {many} of data sets, each by {by}: {join(named)}."
