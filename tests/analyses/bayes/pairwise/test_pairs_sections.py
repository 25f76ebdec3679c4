"""What a report says about Bayesian tests of each pair."""

import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import sections
from benchinfer.core.sections import Request


@pytest.fixture(scope="module")
def tested():
    return bi.compare_bayes(bi.load_example("demsar2006"), preset="sign", seed=1)


def test_what_papers_print_has_a_table_and_a_figure(tested):
    (section,) = sections.pairwise_sections(tested, Request())[1:]
    assert section.lead == "Each pair has the Bayesian sign test of its own."
    assert len(section.figures) == 1
    (table,) = section.tables
    row = tested.dominance().iloc[0]
    assert [cell.text for cell in table.rows[0]] == [
        row["first"],
        row["second"],
        *(f"{row[f'dominant_{name}']:.3f}" for name in ("first", "equivalent", "second")),
        "14",
    ]
