"""What a report says about Bayesian tests of each pair."""

from itertools import combinations

import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import sections
from benchinfer.core.sections import Request


@pytest.fixture(scope="module")
def tested():
    return bi.compare_bayes_pairs(bi.load_example("demsar2006"), test="sign", seed=1)


def test_what_papers_print_has_a_table_and_a_figure(tested):
    (section,) = sections.pairwise_sections(tested, Request())[1:]
    assert section.lead == "Each pair has the Bayesian sign test of its own."
    assert len(section.figures) == 1
    (table,) = section.tables
    known = tested.dominance().set_index(["first", "second"])
    ranking = tested.ranking()
    assert [(row[0].text, row[1].text) for row in table.rows] == [*combinations(ranking, 2)]
    for better, worse, *cells in table.rows:
        pair, sides = (better.text, worse.text), ("first", "equivalent", "second")
        if pair not in known.index:
            pair, sides = pair[::-1], sides[::-1]
        values = known.loc[pair]
        assert [cell.text for cell in cells] == [
            *(f"{values[f'dominant_{side}']:.3f}" for side in sides),
            "14",
        ]
