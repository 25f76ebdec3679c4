import pytest

import benchinfer as bi
from benchinfer.core.numbers import fixed
from benchinfer.relations.consensus import sections
from benchinfer.relations.consensus.consensus import consensus
from benchinfer.relations.sections import ensemble_section, legend

NASTY = '<script>alert(1)</script> & "x" - y'
EVEN = bi.Ensemble(
    {
        "d1": bi.Relation.from_text(f"'{NASTY}' > b > c"),
        "d2": bi.Relation.from_text(f"b > '{NASTY}' > c"),
        "<i>d3</i>": bi.Relation.from_text("b > c"),
    },
    weights=[1.0, 1.0, 0.5],
)


@pytest.fixture(scope="module")
def found():
    return consensus(EVEN, family="linear")


def facts(section):
    return dict(section.facts)


def test_a_consensus_says_its_cost_and_how_many_fit_as_well(found):
    section = sections.consensus_section(found)
    assert section.order == (str(found),)
    assert facts(section)["Cost"].startswith("2, proved to be the least")
    assert facts(section)["Optima"] == "the 2 best linear orders; they agree on 2 of 3 pairs"
    assert "It is no test" in section.text[0]
    assert [figure.kind for figure in section.figures] == [
        "hasse",
        "support",
        "positions",
    ]


def test_tables_are_those_of_the_consensus(found):
    section = sections.consensus_section(found)
    optima, ranks, _ = section.tables
    assert len(optima.rows) == 2
    rows = [tuple(cell.text for cell in row) for row in ranks.rows]
    assert rows == [(NASTY, "1", "2"), ("b", "1", "2"), ("c", "3", "3")]
    support = section.fold.tables[0]
    table = found.support()
    at = [column.name for column in support.columns].index("support")
    assert [row[at].text for row in support.rows] == [fixed(v, 2) for v in table["support"]]


def test_one_order_needs_no_figure_of_ranks():
    one = consensus(bi.Ensemble({"d": bi.Relation.from_text("a > b")}))
    section = sections.consensus_section(one)
    assert len(section.figures) == 2
    assert facts(section)["Optima"] == "one"


def test_points_have_no_cost():
    section = sections.consensus_section(consensus(EVEN, method="borda"))
    assert "Cost" not in facts(section)
    assert facts(section)["Method"] == "weak orders by borda"
    assert [column.name for column in section.tables[0].columns][-1] == "score"


def test_an_ensemble_says_how_far_its_relations_agree():
    section = ensemble_section(EVEN, "Ensemble 1")
    assert facts(section)["Concordance"].startswith(f"{EVEN.concordance():.2f} ")
    assert facts(section)["Agreement"].startswith(f"{EVEN.agreement():.2f} ")
    assert len(section.figures) == 4
    assert [row[1].text for row in section.tables[0].rows] == ["1", "1", "0.5"]


def test_the_page_has_both_and_escapes_names(written, found):
    page = written([EVEN, found])
    assert page.headings()[:4] == [
        "Ensembles",
        "Ensemble 1",
        "Consensus",
        "Consensus 1: the 2 best linear orders",
    ]
    assert not page.runs_names()
    assert NASTY in page.text
    assert "Hornik" in page.text


@pytest.mark.slow
def test_a_table_has_the_consensus_over_its_data_sets(written, table):
    page = written(table, bayes=False)
    local = bi.per_dataset(bi.compare_mixed, table)
    agreed = consensus(local.relations())
    assert str(agreed) in page.text
    assert "This is another question than that of the answer" in page.text


@pytest.mark.slow
def test_two_data_sets_have_no_consensus(written, table):
    page = written(table.subset(datasets=list(table.datasets)[:2]), bayes=False)
    assert "Consensus over the data sets" not in page.headings()


def test_the_discrete_distance_has_words() -> None:
    found = bi.consensus({"d1": bi.Relation.from_text("a > b")}, method="discrete")
    facts = dict(sections.consensus_section(found).facts)
    assert facts["Method"] == (
        "weak orders with the fewest verdicts that differ from those of the relations"
    )


def test_orders_are_read_on_only_where_one_line_follows_another():
    names = ["a", "b", "c", "d"]
    control = bi.Relation.from_pairs(names, {("a", "b"): "first", ("a", "c"): "undecided"})
    assert len(legend(control)) == 1
    open_ = dict.fromkeys((("a", "d"), ("b", "d"), ("c", "d")), "undecided")
    chained = {("a", "b"): "first", ("b", "c"): "first", ("a", "c"): "first", **open_}
    assert len(legend(bi.Relation.from_pairs(names, chained))) == 2


def test_a_consensus_has_no_verdicts(table):
    """Its signs are of places, whatever its relations come from."""
    for compare in (bi.compare_points, bi.compare_mixed):
        found = consensus(bi.per_dataset(compare, table).relations())
        (signs, *_) = sections.consensus_section(found).legend
        assert signs == "a > b: a comes before b    a ~ b: tied    a ? b: neither"
