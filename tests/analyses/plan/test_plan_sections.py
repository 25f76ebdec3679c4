"""What a report says about a plan."""

import pytest

import benchinfer as bi
from benchinfer.analyses.plan import sections


@pytest.fixture(scope="module")
def pilot():
    return bi.load_example("simulated/balanced")


def test_a_reader_learns_the_design_and_what_it_rests_on(written, pilot):
    plan = bi.plan(pilot, 0.02, costs=(5, 1))
    page = written(plan)
    assert page.headings()[:3] == [
        "Planned experiment",
        "A plan to show a difference",
        "What the plan rests on",
    ]
    for sentence in str(plan).split("\n"):
        assert sentence in page.text
    assert "Plan of an experiment" in page.text
    assert "10 data sets, 4 algorithms and 8 replications each" in page.text
    assert "5 per data set, 1 per replication on it" in page.text
    assert "https://doi.org/10.1002/sim.3095" in page.text
    cells = page.cells()
    for n in plan.designs()["n_datasets"]:
        assert str(n) in cells


@pytest.mark.slow
def test_plans_beside_a_comparison(written, pilot):
    plans = [bi.plan(pilot, 0.02), bi.plan(pilot, 0.01, target="datasets", aim="equivalence")]
    page = written([bi.compare_points(pilot), *plans])
    for title in ("Planned experiment 1", "Planned experiment 2", "A plan to show equivalence"):
        assert title in page.headings()
    targets = [value for tag, name, value in page.attributes if (tag, name) == ("article", "id")]
    assert targets == ["measure-1", "plan-1", "plan-2", "sources"]


def test_known_variances_and_given_data_sets(pilot):
    known = bi.plan(bi.Components(4e-4, 6e-4), 0.01, n_replications=10)
    _, rests = sections.plan_sections(known)
    facts = dict(rests.facts)
    assert facts["Pilot"] == "variances that are taken as known"
    assert facts["Noise of a score"] == "variance 0.000600, standard deviation 0.0245"
    given = bi.plan(pilot, 0.01, target="datasets")
    first, rests = sections.plan_sections(given)
    assert first.tables == ()
    assert "does not count" in dict(rests.facts)["Between data sets"]
    assert "2 e / (D R)" in rests.text[0]


def test_a_number_that_may_not_exist_is_infinite(pilot):
    plan = bi.plan(pilot.subset(datasets=list(pilot.datasets)[:3]), 0.01)
    table = sections.designs(plan)
    texts = {cell.text for row in table.rows for cell in row}
    assert texts
    ends = {end for text in texts for end in text.split(" to ")}
    assert all(end.replace(",", "").isdigit() or end == "∞" for end in ends)


def test_budgets(pilot):
    plan = bi.plan(pilot, 0.02, costs=(5, 1), budget=100)
    _, rests = sections.plan_sections(plan)
    assert dict(rests.facts)["Costs"].endswith("; a budget of 100")
