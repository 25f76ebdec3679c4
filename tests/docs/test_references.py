"""The bundled bibliography: an entry for every DOI, in the form that is parsed."""

import re

import pytest
from pybtex.database import BibliographyData, parse_string

from benchinfer.core import citations
from tests.trees import FILES, PACKAGE

TEXT = (PACKAGE / "references.bib").read_text(encoding="utf-8")
_DOI = re.compile(r"https://doi\.org/(10\.[^\s`]+?)[.,;]*(?=[\s`]|\)?[.,;:]?\s|$)")


def _balanced(doi: str) -> str:
    """Drop a bracket that closes what was opened before the DOI."""
    return doi if doi.count("(") == doi.count(")") else doi.rstrip(");.,")


@pytest.fixture(scope="module")
def dois() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in FILES)
    return {_balanced(doi) for text in texts for doi in _DOI.findall(text)}


@pytest.fixture(scope="module")
def bibliography() -> BibliographyData:
    return parse_string(TEXT, "bibtex")


def test_docstrings_name_dois(dois: set[str]) -> None:
    assert "10.2307/2533558" in dois
    assert "10.1016/S0167-9473(97)00009-0" in dois


def test_every_doi_has_an_entry(dois: set[str]) -> None:
    assert {doi for doi in dois if doi.lower() not in citations.entries()} == set()


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
