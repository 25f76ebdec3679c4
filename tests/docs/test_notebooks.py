"""The tutorials as notebooks: they are valid, and their cells show what the pages show."""

import doctest
import importlib.util
import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).parents[2] / "docs"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

spec = importlib.util.spec_from_file_location("make_notebooks", DOCS / "make_notebooks.py")
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)


def printed(cell) -> str:
    """Return what a cell that ran shows as text."""
    texts = [o["text"] for o in cell.outputs if o["output_type"] == "stream"]
    return "".join(texts + [o["data"]["text/plain"] for o in cell.outputs if "data" in o])


@pytest.mark.slow
def test_notebooks_run_and_show_what_the_pages_show(tmp_path):
    make.write(tmp_path)
    books = [nbformat.read(tmp_path / f"{page.stem}.ipynb", as_version=4) for page in make.PAGES]
    for book in books:
        nbformat.validate(book)
    every = nbformat.v4.new_notebook()  # one kernel: starting takes longer than running
    for book in books:
        every.cells += [*book.cells, nbformat.v4.new_code_cell("%reset -f")]
    client = NotebookClient(every, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    checker = doctest.OutputChecker()
    for page, book in zip(make.PAGES, books, strict=True):
        examples = doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))
        cells = [cell for cell in book.cells if cell.cell_type == "code"]
        assert [line for cell in cells for line in cell.source.splitlines()] == [
            line for example in examples for line in example.source.splitlines()
        ]
        wanted = [example.want for example in examples if example.want]
        shown = [text for cell in cells if (text := printed(cell))]
        for want, text in zip(wanted, shown, strict=True):
            assert checker.check_output(want, text.rstrip() + "\n", FLAGS), (page.stem, want, text)


@pytest.mark.parametrize("page", make.PAGES, ids=lambda page: page.stem)
def test_text_of_notebooks_stands_alone(page):
    cells = make.notebook(page)["cells"]
    texts = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
    assert texts[0].startswith("# ")
    targets = [target for text in texts for target in re.findall(r"\]\(([^)]+)\)", text)]
    pictures = {f"attachment:{name}" for cell in cells for name in cell.get("attachments", ())}
    assert [t for t in targets if t not in pictures and not t.startswith("https://")] == []
    assert "{cite" not in json.dumps(cells)
