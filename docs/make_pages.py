"""Write the column glossary from the code.

Run as ``python docs/make_pages.py`` when a column is added.
"""

from pathlib import Path

from benchinfer.core.frames import GLOSSARY

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


def glossary() -> str:
    """Return the text of ``glossary.md``."""
    rows = [f"| `{name}` | {text} |" for name, text in GLOSSARY.items()]
    return GLOSSARY_HEAD + "\n".join(rows) + "\n"


def main() -> None:
    """Write the page."""
    (DOCS / "glossary.md").write_text(glossary(), encoding="utf-8")


if __name__ == "__main__":
    main()
