"""The command `init`."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchinfer.cli.groups import HelpEnd
from benchinfer.cli.guard import FAULTS
from benchinfer.cli.hints import as_options
from benchinfer.cli.options.arguments import AllMeasures, wrong
from benchinfer.cli.options.configuration import FILE, OPEN
from benchinfer.cli.options.source import SourceArguments, reads_scores, undirected
from benchinfer.cli.output.terminal import Terminal
from benchinfer.core.errors import ScoreTableError, message
from benchinfer.core.numbers import safe
from benchinfer.core.saving import write_atomically

if TYPE_CHECKING:
    from benchinfer.scores.columns.roles import Roles
    from benchinfer.scores.table import ScoreTable

ENDS = {
    "init": HelpEnd(
        "init scores.csv",
        f"0 the file is written; 2 wrong usage, or the file is there; {FAULTS}",
    )
}
# The name of a column of replications to the resampling that it may come from.
_KINDS = {"fold": "cv", "seed": "seeds", "item": "items", "question": "items", "doc": "items"}
# Findings that say what a table was taken for.
_READ = ("tool recognised", "declared beside", "measures left out")
_WIDTH = 98  # of comments


@reads_scores
def init(
    source: SourceArguments,
    *,
    measure: AllMeasures = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the file.")] = False,
) -> None:
    """Write benchinfer.toml, with which the next commands need no options.

    It holds the options that are typed here, and what reading the table finds: its columns and
    layout, its measures with their directions or places to fill them in, and, as comments, the
    resampling and names. Commands that run in this folder read it.
    """
    from benchinfer.cli.output import tables

    if FILE.exists() and not force:
        said = message(f"there is a {FILE} already.", hint="--force writes over it.")
        raise typer.BadParameter(said)
    if FILE.is_symlink():
        what = f"{FILE} is a link, through which nothing is written."
        raise typer.BadParameter(message(what, hint="remove it."))
    if measure is not None and source.measures is None:
        raise wrong("--measure", f"say which direction of {measure[0]} is better: NAME:BETTER.")
    scores, directions = _read(source)
    source = _with_structure(source, scores)
    write_atomically(FILE, _text(source, scores, directions))
    with Terminal() as out:
        tables.size(out, scores, measures=not directions)
        for name, better in directions.items():
            if better == OPEN:
                said = f"say in {FILE} whether higher or lower is better."
            else:
                said = f"{better} is better, judging by its name: see that it is so."
            out.prose(f"{name}: {said}", indent="  ", hanging="  ")
        then = "Fill in the directions" if OPEN in directions.values() else "It may be edited"
        out.line()
        out.line(f"{FILE} is written. {then}; the next command is")
        out.line(f"  benchinfer {shlex.join([source.scores, *(source.others or ())])}")


def _with_structure(source: SourceArguments, scores: ScoreTable) -> SourceArguments:
    """Return the options with those that stand for a reading by structure, if it was one."""
    from benchinfer.scores.roles.readings import STRUCTURE

    ways = next((dict(note.proposes) for note in scores.notes if note.rule == STRUCTURE), None)
    if ways is None:
        return source
    column = [*(source.column or ()), *ways["columns"]]
    return replace(
        source,
        column=column or None,
        measures=source.measures or [*ways["measures"]] or None,
        layout=source.layout if source.layout != "auto" else str(ways["layout"]),
    )


def _read(source: SourceArguments) -> tuple[ScoreTable, dict[str, str]]:
    """Return the table, with guessed directions for measures that have none declared."""
    from benchinfer.scores.formats.format import directed

    try:
        return source.read(), {}
    except ScoreTableError as error:
        names = undirected(error)
        if not names:
            raise
    # The direction stands in for one that is not known, and is not written.
    scores = replace(source, measures=[f"{name}:higher" for name in names]).read()
    directions = dict.fromkeys((m.name for m in scores.measures), OPEN)
    for known in directed(directions):
        lowest = scores.summary.of(known.name).minimum
        # A loss below zero is one whose sign was turned.
        if known.better == "higher" or not (lowest < 0).any():
            directions[known.name] = known.better
    return scores, directions


def _text(source: SourceArguments, scores: ScoreTable, directions: Mapping[str, str]) -> str:
    """Return the file."""
    roles = source.roles([m.name for m in scores.measures])
    options, mappings = _typed(source)
    if not any(f.rule == "tool recognised" for f in scores.notes):
        if roles.layout != "long":
            options.setdefault("layout", roles.layout)
        # A column that is named as its measure must not hold the scores of another one, too.
        measures = {m.name for m in scores.measures}
        units = roles.units  # which their option names
        by_name = {
            n: role for role, of in roles.of.items() for n in of if n not in {*measures, *units}
        }
        mappings.setdefault("columns", by_name)
    lines = [
        *_comment(
            f"Options of benchinfer for {source.scores}. Keys are options without their dashes: at"
            " the top for all commands, in a table such as [gate] for one. What is typed goes"
            " before them."
        ),
        "",
        *_measures(scores, directions, options.pop("measures", None)),
        "",
        *_resampling(scores, roles, options.pop("resampling", None)),
        *(f"{key.replace('_', '-')} = {_value(value)}" for key, value in options.items()),
        "",
        *_comment("The algorithm with which each other one is compared, in place of all pairs:"),
        f"# control = {_value(scores.algorithms[0])}",
    ]
    if columns := mappings.get("columns"):
        lines += ["", *_table("columns", columns)]
    lines += ["", *_comment("Names in all output, of algorithms, data sets and measures.")]
    unchanged = {name: name for name in (*scores.algorithms, *(m.name for m in scores.measures))}
    names = _table("names", mappings.get("names", unchanged))
    lines += names if "names" in mappings else [f"# {line}" for line in names]
    return "\n".join(lines) + "\n"


def _typed(source: SourceArguments) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """Return the options that are typed, and those that are mappings."""
    options = {
        field.name: getattr(source, field.name)
        for field in fields(source)[2:]
        if getattr(source, field.name) not in (field.default, None)
    }
    mappings: dict[str, dict[str, str]] = {}
    if options.pop("column", None):
        mappings["columns"] = dict(source.columns or {})
    if names := options.pop("names", None):
        mappings["names"] = dict(names)
    return options, mappings


def _measures(
    scores: ScoreTable, directions: Mapping[str, str], typed: Sequence[str] | None
) -> list[str]:
    """Return the lines on measures; those that a tool or another file declares are a comment."""
    lines = _comment(
        "NAME:BETTER[:TOLERANCE[:SCALE]]; the tolerance is the difference that does not matter, as"
        " in accuracy:higher:0.01."
    )
    for finding in scores.notes:
        if finding.rule in _READ:
            lines += _comment(as_options(finding.what))
    texts = typed or [f"{m.name}:{m.better}" for m in scores.measures]
    if directions:
        texts = [f"{name}:{better}" for name, better in directions.items()]
        if OPEN in directions.values():
            lines += _comment(f"Write higher or lower in place of each {OPEN}.")
        if set(directions.values()) != {OPEN}:
            lines += _comment("What is better is judged by names alone: see that it is so.")
    shown = ["measures = [", *(f"    {_value(text)}," for text in texts), "]"]
    return lines + (shown if directions or typed else [f"# {line}" for line in shown])


def _resampling(scores: ScoreTable, roles: Roles, typed: str | None) -> list[str]:
    """Return the lines on the origin of replications, which is a comment if it is not typed."""
    kinds = "independent, bootstrap, holdout:FRACTION, cv:FOLDS, seeds or items"
    if typed is not None:
        return [*_comment(kinds), f"resampling = {_value(typed)}"]
    lines: list[str] = []
    for finding in scores.notes:
        if finding.rule in ("pairing", "no replication column"):
            lines += _comment(as_options(finding.what))
    names = [name.casefold() for name in roles.of.get("replication", ())]
    kind = next((_KINDS[part] for name in names for part in _KINDS if part in name), "independent")
    if scores.resampling is not None:
        kind = scores.resampling.kind
    elif kind == "cv" and (most := int(scores.summary.replications.max())) > 1:
        kind = f"cv:{most}"
    return [*lines, *_comment(kinds), f"# resampling = {_value(kind)}"]


def _table(name: str, mapping: Mapping[str, str]) -> list[str]:
    """Return a table, with names in quotes where they are no bare keys."""
    keys = [key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key) for key in mapping]
    values = map(_value, mapping.values())
    return [f"[{name}]", *(f"{key} = {value}" for key, value in zip(keys, values, strict=True))]


def _comment(text: str) -> list[str]:
    """Return the lines of a comment, with unprintable characters escaped."""
    return textwrap.wrap(safe(text), _WIDTH, initial_indent="# ", subsequent_indent="# ")


def _value(value: object) -> str:
    """Write a value as TOML does, which has the escapes of JSON but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
