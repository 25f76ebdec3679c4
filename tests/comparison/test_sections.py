import re

import pytest

import benchinfer as bi
from benchinfer.comparison import sections
from benchinfer.core import numbers
from benchinfer.core import sections as core_sections
from benchinfer.reports.texts import reference

MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def seconds():
    scores = bi.load_example("sklearn_bootstrap")
    return bi.compare_permutation(scores, "seconds", on="values", seed=1)


@pytest.fixture(scope="module")
def mixed(table):
    return bi.compare_mixed(table)


def column(found, name):
    at = [c.name for c in found.columns].index(name)
    return [row[at].text for row in found.rows]


@pytest.mark.parametrize("name", ["mixed", "seconds"])
def test_contrasts_are_those_of_the_comparison(name, request):
    result = request.getfixturevalue(name)
    found, frame = sections.contrasts(result), result.contrasts(order="result", all=True)
    assert column(found, "first") == frame["first"].tolist()
    ends = zip(*(text.split(" to ") for text in column(found, "conf_low")), strict=True)
    texts = [column(found, "estimate"), *ends]
    for key, written in zip(("estimate", "conf_low", "conf_high"), texts, strict=True):
        bare = (re.sub("above |below |,", "", text).replace(MINUS, "-") for text in written)
        shown = [float(text) for text in bare]
        assert shown == pytest.approx(frame[key].tolist(), rel=0.006, abs=0.006)
    said = [w or v for v, w in zip(frame["verdict"], frame["winner"], strict=True)]
    assert [v.removesuffix(" better") for v in column(found, "verdict")] == said


def test_no_number_has_an_exponent(seconds):
    for found in (sections.contrasts(seconds), sections.summary(seconds)):
        for row in found.rows:
            for cell in row:
                assert not re.search(r"\de[+-]?\d", cell.text)


def test_every_column_is_in_the_glossary(mixed):
    found = [
        sections.contrasts(mixed),
        sections.summary(mixed),
        core_sections.checks_table(mixed._checks),
    ]
    explained = {name for _, name, _ in sections.explained(found)}
    assert {name for t in found for c in t.columns for name in (c.name, *c.also)} == explained


def test_summary_is_best_first(seconds):
    ranks = column(sections.summary(seconds), "rank")
    assert ranks == sorted(ranks)


def test_failed_checks_come_first(table):
    checks = bi.compare_mixed(table.subset(datasets=list(table.datasets[:3])))._checks
    words = column(core_sections.checks_table(checks), "ok")
    assert words[0] == "attention"
    assert words == sorted(words)


def test_how_to_read_a_contrast():
    assert "below 0" in sections.favours(bi.Measure("m", "lower"))
    assert "above 0" in sections.favours(bi.Measure("m", "higher"))
    assert "ratio above 1" in sections.favours(bi.Measure("m", "higher", scale="log"))
    assert "An odds ratio below 1" in sections.favours(bi.Measure("m", "lower", scale="logit"))


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (numbers.p_value, 0.0, "<0.001"),
        (numbers.p_value, 1.0, ">0.999"),
        (numbers.p_value, float("nan"), "\N{EN DASH}"),
        (numbers.significant, -0.00001234, f"{MINUS}0.0000123"),
        (numbers.significant, 1e7, "10,000,000"),
        (numbers.brief, float("inf"), "∞"),
        (numbers.brief, 2.5, "2.5"),
        (numbers.brief, 0.0, "0"),
    ],
)
def test_numbers(write, value, text):
    assert write(value) == text


def test_decimals_follow_the_uncertainty():
    assert numbers.decimals([0.0356] * 3) == 3
    assert numbers.decimals([12.0]) == 0
    assert numbers.decimals([float("nan"), 0.0]) == 3


def test_references_as_reference():
    entry = (
        '@article{x,\n  author = {M{\\"a}chler, Martin and H{\\o}jsgaard, S{\\o}ren},\n'
        "  title = {On {F}-tests \\& more},\n  journal = {J},\n  year = {2015},\n"
        "  volume = {67},\n  number = {1},\n  pages = {1--48},\n  doi = {10.1/x},\n}"
    )
    found = reference(entry)
    assert found.text == (
        "Mächler, Martin; Højsgaard, Søren (2015). On F-tests & more. J, 67(1), 1\N{EN DASH}48."
    )
    assert found.link == "https://doi.org/10.1/x"
