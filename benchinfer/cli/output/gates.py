"""Verdicts of gates on a terminal, in JSON and in Markdown."""

import re
import sys
from typing import TYPE_CHECKING

import typer

from benchinfer.analyses.gate.sections import effect, limits, margin, p_of
from benchinfer.cli.hints import as_options
from benchinfer.cli.output.terminal import Terminal, plain, safe
from benchinfer.comparison.checks import doubts
from benchinfer.core.numbers import level_percent, sentence

if TYPE_CHECKING:
    from benchinfer.analyses.gate.result import Gate, GatedMeasure


_STYLES = {"pass": "bold green", "fail": "bold red", "undecided": "bold yellow"}


def show(found: "Gate", report: str | None = None) -> None:
    """Print the verdict, one line per measure, and what would decide those that are undecided."""
    warn(found)
    with Terminal() as out:
        out.line(plain(found.headline()), _STYLES[found.verdict])
        for name, row in found.items():
            out.line(plain(f"  {name}: {row.verdict}, {_evidence(found, row)}"))
            if row.need is not None:
                out.line(plain(f"    needs: {as_options(row.need.text)}"))
        for text in found.left_out:
            out.line(plain(f"  {text}"))
        if report is not None:
            out.prose(f"Report: {report}", style="dim")


def warn(found: "Gate") -> None:
    """Say on stderr what puts the table in doubt."""
    said: dict[str, None] = {}
    for row in found.values():
        for one in doubts(row.comparison.setting):
            said[f"{one.rule}: {as_options(one.what)} {as_options(one.hint)}".strip()] = None
    for text in said:
        typer.echo(f"warning  {safe(text)}", err=True)


def _evidence(found: "Gate", row: "GatedMeasure") -> str:
    p = p_of(row)
    p = f"p {p}" if p[0] in "<>" else f"p = {p}"
    bounds = f"{level_percent(found.level)} bounds {limits(row)}"
    return f"{effect(row)} ({bounds}), tolerance {margin(row)}, {p}"


def markdown(found: "Gate") -> None:
    """Print a gate as Markdown, for the summary of a job."""
    bounds = f"{level_percent(found.level)} bounds"
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
        for name, row in found.items()
    ]
    lines = [
        f"### {_escaped(found.headline())}",
        "",
        f"| {' | '.join(heads)} |",
        "|" + "---|" * len(heads),
        *(f"| {' | '.join(map(_escaped, cells))} |" for cells in rows),
        *(f"\n{_escaped(sentence(text))}" for text in found.left_out),
    ]
    warn(found)
    sys.stdout.write("\n".join(lines) + "\n")


def refused(error: Exception) -> None:
    """Print in Markdown why there is no verdict."""
    lines = (as_options(str(error)) or type(error).__name__).splitlines()
    sys.stdout.write("\n\n".join(["### No verdict", *map(_escaped, lines)]) + "\n")


def _escaped(text: str) -> str:
    """Escape what Markdown or HTML would read in a name."""
    return re.sub(r"([\\`*_\[\]<>|~&$])", r"\\\1", safe(text))
