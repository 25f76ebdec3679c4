"""The paper on the project: the form of the Journal of Open Source Software, and its citations."""

import re
from pathlib import Path

import pytest
import yaml
from pybtex.database import BibliographyData, parse_string

from tests.trees import PACKAGE

FOLDER = Path(__file__).parents[2] / "paper"
_, HEAD, BODY = (FOLDER / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
META = yaml.safe_load(HEAD)
SECTIONS = [
    *("Summary", "Statement of need", "State of the field", "Software design"),
    *("Research impact statement", "AI usage disclosure", "Acknowledgements", "References"),
]


@pytest.fixture(scope="module")
def bibliography() -> BibliographyData:
    return parse_string((FOLDER / META["bibliography"]).read_text(encoding="utf-8"), "bibtex")


def test_the_head_has_what_the_journal_asks_for() -> None:
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} == {*META}
    assert {author["affiliation"] for author in META["authors"]} == {
        place["index"] for place in META["affiliations"]
    }
    assert re.fullmatch(r"\d{1,2} [A-Z][a-z]+ \d{4}", META["date"])


def test_the_sections_are_those_of_the_journal() -> None:
    assert re.findall(r"^# (.+)$", BODY, flags=re.MULTILINE) == SECTIONS


def test_the_paper_has_about_a_thousand_words() -> None:
    assert 900 <= len(BODY.split()) <= 1200  # the journal asks for 750 to 1,750


def test_each_citation_resolves_and_each_entry_is_cited(bibliography: BibliographyData) -> None:
    cited = {*re.findall(r"@([a-z]+\d{4}[a-z]*)", BODY)}
    assert cited == {*bibliography.entries}


def test_entries_are_whole(bibliography: BibliographyData) -> None:
    for key, entry in bibliography.entries.items():
        assert entry.persons.get("author"), key
        assert {"title", "year"} <= set(entry.fields), key
        assert {"journal", "booktitle"} & set(entry.fields), key


def test_entries_are_those_of_the_package(bibliography: BibliographyData) -> None:
    ours = parse_string((PACKAGE / "references.bib").read_text(encoding="utf-8"), "bibtex")
    shared = {*bibliography.entries} & {*ours.entries}
    assert len(shared) >= 10
    for key in shared:
        assert bibliography.entries[key] == ours.entries[key]


def test_labels_of_tables_are_there() -> None:
    labels = {*re.findall(r'label="(\w+)"', BODY)}
    assert {*re.findall(r"\\autoref\{(\w+)\}", BODY)} == labels
