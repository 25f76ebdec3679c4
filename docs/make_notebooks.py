"""Write the tutorials as notebooks.

`make docs` does it for the links at the top of the pages; ``python docs/make_notebooks.py FOLDER``
writes them into a folder. A cell of code ends where the page shows output, as a notebook shows what
ends a cell.
"""

import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterator
from doctest import DocTestParser
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pybtex.database import BibliographyData, parse_file

DOCS = Path(__file__).resolve().parent
PAGES = sorted(set((DOCS / "tutorials").glob("*.md")) - {DOCS / "tutorials" / "index.md"})
FORMAT = {"nbformat": 4, "nbformat_minor": 5}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_code = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def notebook(page: Path) -> dict[str, Any]:
    """Return a page as a notebook in format 4.5, without outputs."""
    cells = [
        {"id": f"{page.stem}-{number}", "metadata": {}, **cell}
        for number, cell in enumerate(_cells(page), start=1)
    ]
    return {"cells": cells, "metadata": {"kernelspec": KERNEL}, **FORMAT}


def _cells(page: Path) -> Iterator[dict[str, Any]]:
    """Yield the cells of a page."""
    bibliography = parse_file(DOCS.parent / "benchinfer" / "references.bib", "bibtex")
    prose, *parts = _code.split(page.read_text(encoding="utf-8"))
    prose += f"\n*A page of the documentation of benchinfer {version('benchinfer')}.*\n"
    yield _text(prose, page, bibliography)
    for code, text in zip(parts[::2], parts[1::2], strict=True):
        for source in sources(code):
            yield {"cell_type": "code", "source": source, "outputs": [], "execution_count": None}
        if text.strip():
            yield _text(text, page, bibliography)


def sources(code: str) -> Iterator[str]:
    """Yield the cells of a block of code: each ends with what shows something."""
    lines = ""
    for example in DocTestParser().get_examples(code):
        lines += example.source
        if example.want:
            yield lines.strip()
            lines = ""
    if lines:
        yield lines.strip()


def _text(prose: str, page: Path, bibliography: BibliographyData) -> dict[str, Any]:
    """Return a cell of text, its pictures inside; it has no links, as other pages are not there."""
    pictures = {
        Path(name).name: {"image/png": b64encode((page.parent / name).read_bytes()).decode()}
        for name in re.findall(r"!\[[^\]]*\]\(([^)]+\.png)\)", prose)
    }
    prose = re.sub(r"(!\[[^\]]*\])\((?:\S*/)?([^/)]+\.png)\)", r"\1(attachment:\2)", prose)
    prose = re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|attachment:)[^)]+\)", r"\1", prose)
    prose = re.sub(r"\{cite:[tp]\}`(\w+)`", lambda key: _cited(bibliography, key[1]), prose)
    attached = {"attachments": pictures} if pictures else {}
    return {"cell_type": "markdown", "source": prose.strip(), **attached}


def _cited(bibliography: BibliographyData, key: str) -> str:
    """Return the authors and the year of a work, linked by its DOI."""
    entry = bibliography.entries[key]
    names = [" ".join(person.last_names) for person in entry.persons["author"]]
    authors = (
        names[0]
        if len(names) == 1
        else " and ".join(names)
        if len(names) == 2
        else f"{names[0]} et al."
    )
    return f"[{authors} ({entry.fields['year']})](https://doi.org/{entry.fields['doi']})"


def write(folder: Path) -> None:
    """Write all of them."""
    for page in PAGES:
        text = json.dumps(notebook(page), ensure_ascii=False, indent=1)
        (folder / f"{page.stem}.ipynb").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
