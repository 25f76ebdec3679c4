"""Results as HTML in a notebook."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from benchinfer.comparison.checks.caveats import caveats
from benchinfer.comparison.comparison import Comparison
from benchinfer.core.measure import printable
from benchinfer.core.numbers import brief, count, sentence
from benchinfer.core.result import registered
from benchinfer.core.sections import Check, Column, Request, Section, Table, number

if TYPE_CHECKING:
    import pandas as pd

# Rows of a table that are shown, of one with more than a few; characters of a line.
_ROWS, _FEW, _LONG = 10, 15, 400
_FRAMES = ("summary", "to_frame", "table")  # methods by which results give their table
# Names of tables that are those of a method of the result.
_METHODS = {"contrasts", "summary", "support"}


def html(result: object) -> str:
    """Return the verdict, the order, the first rows and the warnings of a result as HTML.

    Text has the colour of the notebook around it, whatever its theme, and nothing comes from
    elsewhere; every text is escaped.
    """
    import jinja2

    first, *more = sections(result)
    source = files("benchinfer.reports") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (source / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = environment.filters
    filters |= {
        "excerpt": excerpt,
        "short": lambda text: text if len(text) <= _LONG else f"{text[:_LONG]} ...",
    }
    template = environment.get_template("notebook.html")
    before = caveats(result) if isinstance(result, Comparison) else {}
    rest = [one for one in remarks([first, *more]) if one.check not in before]
    text = template.render(first=first, more=more, caveats=before, remarks=rest)
    return printable(text)


def sections(result: object) -> tuple[Section, ...]:
    """Return the brief sections of a result, or its description and table if it has none.

    Of a result that has no sections: what it prints, and its table.
    """
    write = registered(type(result), "sections", "SECTIONS")
    if write is not None:
        return write(result, Request(details=False))
    return (_summed_up(result),)


def _summed_up(result: Any) -> Section:
    """Return a section with the description of a result, without its class name, and its table."""
    name = type(result).__name__
    lead = re.sub(rf"^<?({name}(: |\())?|[)>]$", "", result.description())
    ways = [way for way in _FRAMES if callable(getattr(result, way, None))]
    return Section(
        title="" if lead.startswith(name) else re.sub(r"(?<!^)([A-Z])", r" \1", name).capitalize(),
        lead=f"{sentence(lead).removesuffix('.')}.",
        tables=tuple(_table(getattr(result, way)()) for way in ways[:1]),
    )


def _table(frame: pd.DataFrame) -> Table:
    columns = (_column(name, frame[name].dtype.kind) for name in map(str, frame.columns))
    return Table(name="", caption="", frame=frame, columns=tuple(columns))


def _column(name: str, kind: str) -> Column:
    head = name.replace("_", " ")
    if kind in "iuf":
        return number(name, head, brief)
    return Column(name, head, (lambda value: "yes" if value else "no") if kind == "b" else str)


def excerpt(table: Table) -> tuple[Table, str] | None:
    """Return the first rows of the brief columns, and a note on the number of further rows."""
    columns = sorted((c for c in table.columns if c.brief), key=lambda c: c.role == "verdict")
    if not columns or table.frame.empty:
        return None
    rows = len(table.frame)
    if rows <= _FEW:
        return replace(table, columns=tuple(columns)), ""
    all_of_them = f"; {table.name}() has all" if table.name in _METHODS else ""
    shown = replace(table, frame=table.frame.head(_ROWS), columns=tuple(columns))
    return shown, f"... and {count(rows - _ROWS, 'more row')}{all_of_them}"


def remarks(shown: list[Section]) -> list[Check]:
    """Return the checks that have something to say, failed ones first."""
    checks = [one for section in shown for one in section.checks if one.sentence]
    return sorted(checks, key=lambda one: one.ok)
