"""Write the column glossary, and the documents in JSON with their schema, from the code.

Run as ``python docs/make_pages.py`` when a column or a key is added.
"""

import json
from pathlib import Path

from benchinfer.core.frames import GLOSSARY
from benchinfer.reports.documents import COMPARISON
from benchinfer.reports.schema import COMMANDS, keys, schema

DOCS = Path(__file__).parent

GLOSSARY_HEAD = """\
# Column glossary

Every table that the package gives out is a pandas frame whose columns are among these, spelled so
and meaning so everywhere; `--json` uses the same names as keys. Names do not change. A column is
there or not, never all missing; cells hold numbers, never formatted text; the level is never part
of a name. This page is generated from `benchinfer/core/frames.py` by `docs/make_pages.py`.

| column | is |
|---|---|
"""


JSON_HEAD = """\
# Documents in JSON

`--json` prints one document. [documents.schema.json](documents.schema.json) is its JSON Schema,
with a definition for each command; a program can check by it what it reads. Tables are lists of
records, one per row, with the columns of the [glossary](../glossary.md), in full precision. NaN and
the open end of an interval are `null`, other infinities `"inf"` and `"-inf"`. Sentences, tables and
numbers are those of the terminal and the report. This page is generated from the code by
`docs/make_pages.py`.

`monitor` prints a comparison, and of several measures their `decision`, `measures` (a comparison
each) and `next_cells`; `describe` a table for each measure; `report` the name of the file
(`report`), the comparisons (`results`) and what the table could not answer (`refused`).
"""


def documents() -> str:
    """Return the text of ``reference/json.md``."""
    parts = [JSON_HEAD]
    for command, document in COMMANDS.items():
        rows = [
            (name, f"{text[:1].lower()}{text[1:]}".removesuffix("."))
            for name, (_, text) in document.keys.items()
        ]
        parts.append(f"## `{command}`\n\n{document.title}\n\n{_table(rows)}")
        if document is COMPARISON:
            more = [(name, text) for name, (_, text) in keys().items()]
            parts.append(f"Besides, as far as an analysis has them:\n\n{_table(more)}")
    return "\n".join(parts)


def _table(rows: list[tuple[str, str]]) -> str:
    lines = [f"| `{name}` | {text} |" for name, text in rows]
    return "\n".join(["| key | is |", "|---|---|", *lines]) + "\n"


def definitions() -> str:
    """Return the text of ``reference/documents.schema.json``."""
    return json.dumps(schema(), indent=1) + "\n"


def glossary() -> str:
    """Return the text of ``glossary.md``."""
    rows = [f"| `{name}` | {text} |" for name, text in GLOSSARY.items()]
    return GLOSSARY_HEAD + "\n".join(rows) + "\n"


PAGES = {
    "glossary.md": glossary,
    "reference/json.md": documents,
    "reference/documents.schema.json": definitions,
}


def main() -> None:
    """Write the pages."""
    for path, write in PAGES.items():
        (DOCS / path).write_text(write(), encoding="utf-8")


if __name__ == "__main__":
    main()
