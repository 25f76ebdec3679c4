"""The paper on the project: the form of the Journal of Open Source Software, and its citations."""

import csv
import re
from pathlib import Path

import pytest
import yaml
from pybtex.database import BibliographyData, parse_string

from benchinfer.reproductions import atlas
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


def test_the_studies_are_counted() -> None:
    (number,) = re.findall(r"published numbers of (\d+)\s+studies", BODY)
    assert int(number) == len(atlas.NAMES)


def measured(name: str, start: tuple[str, ...]) -> dict[str, str]:
    """Return the row of a table of measurements whose cells begin so."""
    text = (FOLDER.parent / "benchmarks" / "results" / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    rows = [row for row in csv.DictReader(lines) if (*row.values(),)[: len(start)] == start]
    assert len(rows) == 1, start
    return rows[0]


def test_the_table_has_what_was_measured() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+) \|$", BODY, flags=re.MULTILINE)
    shown = {(tool, what.split(",")[0]): result for tool, what, result in rows}

    def share(row: dict[str, str]) -> str:
        theirs, ours = float(row["autorank"]), float(row["default"])
        return f"{100 * theirs:.0f} %; `benchinfer` {100 * ours:.0f} %"

    errors = measured("mixed-models/procedures.csv", ("all", ""))
    power = measured("mixed-models/procedures-power.csv", ("12 x 4", "equal", "normal"))
    theirs = measured("bayesian/baycomp.csv", ("baycomp, hierarchical test, one pair",))
    ours = measured("bayesian/baycomp.csv", ('"corani2017", one pair',))
    bootstrap = measured("bootstrap/rliable.csv", ("interquartile mean, 50,000 resamples",))
    assert shown["autorank 1.3.0", "largest share of tables with a false decision"] == share(errors)
    assert shown["autorank 1.3.0", "pairs decided"] == share(power)
    seconds = (float(theirs["CPU s"]), float(ours["CPU s"]))
    assert shown["baycomp 1.0.3", "hierarchical test of one pair"] == (
        f"{seconds[0]:.0f} CPU s; `benchinfer` {seconds[1]:.0f} CPU s"
    )
    seconds = (float(bootstrap["rliable 1.2.0 s"]), float(bootstrap["benchinfer s"]))
    assert shown["rliable 1.2.0", "interquartile mean"] == (
        f"{seconds[0]:.0f} s; `benchinfer` {seconds[1]:.1f} s"
    )
    for tool, what in (
        ("lme4 1.1-31", "lme4 1.1-31: fixed effects, covariance"),
        ("pbkrtest 0.5.2", "pbkrtest 0.5.2: Kenward-Roger covariance, degrees of freedom"),
    ):
        (result,) = [text for (name, _), text in shown.items() if name == tool]
        assert result == measured("agreement/programs.csv", (what,))["largest difference"]
