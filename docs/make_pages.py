"""Write what the pages take from the code: the column glossary and the list of modules.

Run as ``python docs/make_pages.py`` when a column or a module is added.
"""

import ast
from pathlib import Path

from benchinfer.core.frames import GLOSSARY

DOCS = Path(__file__).parent
PACKAGE = DOCS.parent / "benchinfer"

GLOSSARY_HEAD = """\
# Column glossary

Every table that the package gives out is a pandas frame whose columns are among these, spelled so
and meaning so everywhere; `--json` uses the same names as keys. Names do not change. A column is
there or not, never all missing; cells hold numbers, never formatted text; the level is never part
of a name. This page is generated from `benchinfer/frames.py` by `docs/make_pages.py`.

| column | is |
|---|---|
"""

MODULES_HEAD = """\
## Modules

Generated from the first line of each module by `docs/make_pages.py`.

"""


def glossary() -> str:
    """Return the text of ``glossary.md``."""
    rows = [f"| `{name}` | {text} |" for name, text in GLOSSARY.items()]
    return GLOSSARY_HEAD + "\n".join(rows) + "\n"


def architecture() -> str:
    """Return the text of ``architecture.md``: what stands there, with the list of modules anew."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("## Modules")[0]
    lines = [
        f"- `{path.relative_to(PACKAGE).as_posix()}`: {_purpose(path)}"
        for path in sorted(PACKAGE.rglob("*.py"))
    ]
    return text + MODULES_HEAD + "\n".join(lines) + "\n"


def _purpose(path: Path) -> str:
    """Return the first line of a module's docstring, as Markdown."""
    words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return words.partition("\n")[0].replace("``", "`")


def main() -> None:
    """Write both pages."""
    for name, page in {"glossary": glossary, "architecture": architecture}.items():
        (DOCS / f"{name}.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
