"""The bundled bibliography: an entry for every DOI, in the form that is parsed."""

import ast
import re
from pathlib import Path

import pytest
from pybtex.database import BibliographyData, parse_string

from benchinfer.core import citations

PACKAGE = Path(citations.__file__).parents[1]
TEXT = (PACKAGE / "references.bib").read_text(encoding="utf-8")
_DOI = re.compile(r"https://doi\.org/(10\.[^\s`]+?)[.,;]*(?=[\s`]|\)?[.,;:]?\s|$)")


def _docstrings() -> str:
    """Return all docstrings of the package."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, documented)]
    return "\n".join(ast.get_docstring(node) or "" for node in nodes)


def _balanced(doi: str) -> str:
    """Drop a bracket that closes what was opened before the DOI."""
    return doi if doi.count("(") == doi.count(")") else doi.rstrip(");.,")


DOIS = sorted({_balanced(doi) for doi in _DOI.findall(_docstrings())})


@pytest.fixture(scope="module")
def bibliography() -> BibliographyData:
    return parse_string(TEXT, "bibtex")


def test_docstrings_name_dois() -> None:
    assert "10.2307/2533558" in DOIS
    assert "10.1016/S0167-9473(97)00009-0" in DOIS


@pytest.mark.parametrize("doi", DOIS)
def test_every_doi_has_an_entry(doi: str) -> None:
    assert doi.lower() in citations.entries()


def test_entries_are_whole(bibliography: BibliographyData) -> None:
    for key, entry in bibliography.entries.items():
        assert re.fullmatch(r"[a-z]+\d{4}[a-z]*", key), key
        assert entry.persons.get("author"), key
        assert {"title", "year"} <= set(entry.fields), key
        assert ("journal" in entry.fields) or ("booktitle" in entry.fields), key
        if "pages" in entry.fields:
            assert re.fullmatch(r"\d+(--\d+)?", entry.fields["pages"]), key


def test_each_doi_is_there_once(bibliography: BibliographyData) -> None:
    dois = [e.fields["doi"].lower() for e in bibliography.entries.values() if "doi" in e.fields]
    assert len(dois) == len(set(dois)) == len(citations.entries())


def test_layout_is_one_field_per_line(bibliography: BibliographyData) -> None:
    starts = re.findall(r"^@\w+\{\w+,$", TEXT, flags=re.MULTILINE)
    ends = re.findall(r"^\}$", TEXT, flags=re.MULTILINE)
    assert len(starts) == len(ends) == len(bibliography.entries)
    assert all(
        line.startswith("  ") for line in TEXT.splitlines() if line[:1] not in {"", "@", "}"}
    )
