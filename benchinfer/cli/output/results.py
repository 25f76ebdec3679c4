"""Results on a terminal, and gates in Markdown."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from benchinfer.analyses.gate.sections import effect, limits, margin, p_of
from benchinfer.cli.hints import as_options
from benchinfer.cli.output import sections
from benchinfer.cli.output.terminal import Terminal, note, plain
from benchinfer.comparison.checks.caveats import caveats
from benchinfer.comparison.checks.tables import doubts
from benchinfer.comparison.sections import each_dataset, sections_of
from benchinfer.core.numbers import count, join, level_percent, safe, sentence, within
from benchinfer.core.sections import Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchinfer.analyses.board.result import Board
    from benchinfer.analyses.choice.answer import Answer
    from benchinfer.analyses.factors.factors import Factors
    from benchinfer.analyses.gate.result import Gate
    from benchinfer.analyses.subgroups.stability import SubgroupStability
    from benchinfer.analyses.subgroups.subgroups import Subgroups
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.core.sections import Request
    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.ensemble import Ensemble


_STYLES = {"pass": "bold green", "fail": "bold red", "undecided": "bold yellow"}


def comparison(result: Comparison, request: Request) -> None:
    """Print a comparison, with details if requested."""
    with Terminal() as out:
        shown = sections_of(result, request)
        sections.beforehand(out, result)
        sections.write(out, shown, details=request.details)
        before = caveats(result)
        checks = [
            check for section in shown for check in section.checks if check.check not in before
        ]
        sections.warnings(out, {result.measure.name: checks}, result.algorithms)


def answer(result: Answer, request: Request) -> None:
    """Print an answer on all measures, with details if requested."""
    with Terminal() as out:
        measures: dict[str, list[str]] = {}
        for name, one in result._comparisons.items():
            for rule, text in caveats(one).items():
                measures.setdefault(f"{rule}: {as_options(text)}", []).append(name)
        for line, names in measures.items():
            prefix = f"{join(names)}: " if len(names) < len(result) else ""
            out.prose(f"{prefix}{line}", style="yellow", hanging="  ")
        sections.write(out, sections_of(result, request), details=request.details)
        checks = {
            name: [check for check in one._checks if check.check not in caveats(one)]
            for name, one in result._comparisons.items()
        }
        checks |= {name: [*one.checks] for name, one in result._effects.items()}
        algorithms = {name for one in result.values() for name in one.algorithms}
        sections.warnings(out, checks, tuple(algorithms))


def comparisons(results: Comparisons) -> None:
    """Print one order per data set."""
    with Terminal() as out:
        sections.write(out, [each_dataset(results)])


def subgroups(groups: Subgroups, stability: SubgroupStability | None, report: str | None) -> None:
    """Print the groups of data sets, the order in each and, if requested, their stability."""
    from benchinfer.analyses.subgroups.sections import stability_sections, subgroup_sections

    with Terminal() as out:
        shown = subgroup_sections(groups, details=False)
        more = () if stability is None else stability_sections(stability)
        sections.write(out, [*shown, *more])
        sections.warnings(out, {"": shown[0].checks}, groups.setting.algorithms)
        if report is not None:
            out.prose(f"Report: {report}", style="dim")


def factors(effects: Factors, request: Request, report: str | None) -> None:
    """Print effects of factors and interactions."""
    from benchinfer.analyses.factors.sections import factor_sections

    with Terminal() as out:
        shown = factor_sections(effects, request)
        sections.write(out, shown, details=request.details)
        sections.warnings(out, {"": shown[0].checks}, effects.setting.algorithms)
        if report is not None:
            out.prose(f"Report: {report}", style="dim")


def consensus(
    result: Consensus,
    ensemble: Ensemble,
    local: Mapping[str, Comparisons],
    weights: Mapping[str, float],
) -> None:
    """Print a consensus of relations per data set, and the relations."""
    from benchinfer.relations.consensus.sections import consensus_section
    from benchinfer.relations.sections import ensemble_section

    with Terminal() as out:
        first = consensus_section(result)
        named: list[str] = []
        kinds: list[str] = []
        for name, each in local.items():
            one = next(iter(each.values()))
            kinds.append(within(one._title))
            weight = f", weight {weights[name]:g}" if len(set(weights.values())) > 1 else ""
            shown = one.measure.on_scale(name)
            named.append(f"{shown} ({one.measure.better} is better{weight})")
        lead = (
            f"Consensus by {result.method} ({result.family}) of"
            f" {count(len(ensemble), 'relation')} of data sets, each by"
            f" {join(list(dict.fromkeys(kinds)))}: {join(named)}."
        )
        shown = [
            replace(first, lead=lead),
            ensemble_section(ensemble, "Agreement of the relations"),
        ]
        refused = [
            f"{d} on {m}: {why}" for m, each in local.items() for d, why in each.refused.items()
        ]
        if refused:
            shown.append(Section(title="No relation", warnings=tuple(refused)))
        sections.write(out, shown)
        sections.warnings(out, {"": first.checks}, result.algorithms)


def gate(verdict: Gate, report: str | None = None) -> None:
    """Print a gate: its verdict, one line per measure, and the data that undecided ones need."""
    _warn(verdict)
    with Terminal() as out:
        out.prose(plain(verdict.headline()), style=_STYLES[verdict.verdict], hanging="  ")
        for name, row in verdict.items():
            p = p_of(row)
            p = f"p {p[0]} {p[1:]}" if p[0] in "<>" else f"p = {p}"
            bounds = f"{level_percent(verdict.level)} bounds {limits(row)}"
            evidence = f"{effect(row)} ({bounds}), tolerance {margin(row)}, {p}"
            text = f"{name}: {row.verdict}, {evidence}"
            out.prose(plain(text), indent="  ", hanging="  ")
            if row.need is not None:
                needs = f"needs: {as_options(row.need.text)}"
                out.prose(plain(needs), indent="    ", hanging="  ")
        for text in verdict.notes:
            out.prose(plain(text), indent="  ", hanging="  ")
        if report is not None:
            out.prose(f"Report: {report}", style="dim")


def board(result: Board, report: str | None = None) -> None:
    """Print a board: the verdict on the last entry, the records, and the last entries."""
    from benchinfer.analyses.board.sections import board_sections

    with Terminal() as out:
        sections.write(out, board_sections(result))
        if report is not None:
            out.prose(f"Report: {report}", style="dim")


def _warn(verdict: Gate) -> None:
    """Print warnings on stderr about findings that put a gate's scores in doubt."""
    said: dict[str, None] = {}
    for row in verdict.values():
        for one in doubts(row.comparison.setting):
            if any(note.startswith(one.what) for note in verdict.notes):
                continue
            said[f"{one.rule}: {as_options(one.what)} {as_options(one.hint)}".strip()] = None
    for text in said:
        note(f"warning  {text}")


def gate_markdown(verdict: Gate) -> None:
    """Print a gate as Markdown, for the summary of a job."""
    bounds = f"{level_percent(verdict.level)} bounds"
    heads = ("measure", "verdict", "estimate", bounds, "tolerance", "p", "needs")
    rows = [
        (
            name,
            row.verdict,
            effect(row),
            limits(row),
            margin(row),
            p_of(row),
            "" if row.need is None else as_options(row.need.text),
        )
        for name, row in verdict.items()
    ]
    lines = [
        f"### {_escaped(verdict.headline())}",
        "",
        f"| {' | '.join(heads)} |",
        "|" + "---|" * len(heads),
        *(f"| {' | '.join(map(_escaped, cells))} |" for cells in rows),
        *(f"\n{_escaped(sentence(text))}" for text in verdict.notes),
    ]
    _warn(verdict)
    sys.stdout.write("\n".join(lines) + "\n")


def gate_refused(error: Exception) -> None:
    """Print in Markdown the reason why a gate has no verdict."""
    lines = (as_options(str(error)) or type(error).__name__).splitlines()
    sys.stdout.write("\n\n".join(["### No verdict", *map(_escaped, lines)]) + "\n")


def _escaped(text: str) -> str:
    """Return a text that Markdown and a terminal show as it is."""
    from benchinfer.reports.markdown import escaped  # which takes time to load

    return escaped(safe(text))
