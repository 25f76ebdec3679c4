"""Scores of several units or measures in one column are found, honest ones are not."""

import re

import numpy as np

import benchinfer as bi
from benchinfer.scores.checks import units
from tests.scores.tables import additive, facts, found

UNITS = {
    "stand-ins",
    "per cent and fractions",
    "unequal spread",
}


def of_units(values, measures="acc:higher", **options):
    return {rule: f for rule, f in found(values, measures, **options).items() if rule in UNITS}


def test_minus_one_among_shares():
    values = additive(np.random.default_rng(1), 8, 4)
    values[2, 3] = values[5, 1] = -1
    finding = of_units(values)["stand-ins"]
    assert finding.count == 2
    assert finding.where[1:] == (("d002", "a03", "acc", "-1"), ("d005", "a01", "acc", "-1"))


def test_minus_one_among_replications():
    values = np.random.default_rng(2).uniform(0.4, 0.9, (4, 3, 6))
    values[1, 2, 3:5] = -1
    values[0, 0, 1] = -1
    finding = of_units(values)["stand-ins"]
    assert finding.count == 2
    assert finding.what.startswith("3 scores are -1")


def test_a_large_number_in_place_of_a_time():
    values = np.random.default_rng(3).lognormal(1, 1, (8, 4))
    values[0, 0] = 9999
    finding = of_units(values, [bi.Measure("s", better="lower", scale="log")])["stand-ins"]
    assert finding.where[1] == ("d000", "a00", "s", "9999")


def test_correlations_reach_down_to_minus_one():
    values = np.random.default_rng(4).uniform(-0.5, 0.9, (8, 4))
    values[0, 0] = -1
    assert "stand-ins" not in of_units(values)
    values = np.abs(values)
    values[0, 0] = -1
    assert "stand-ins" not in of_units(values, [bi.Measure("mcc", better="higher", bounds=(-1, 1))])


def test_per_cent_on_some_data_sets():
    values = additive(np.random.default_rng(5), 8, 4)
    values[[1, 6]] *= 100
    finding = of_units(values)["per cent and fractions"]
    assert [row[:2] for row in finding.where[1:]] == [("data set", "d001"), ("data set", "d006")]


def test_per_cent_of_one_algorithm():
    values = additive(np.random.default_rng(6), 8, 4)
    values[:, 2] *= 100
    finding = of_units(values)["per cent and fractions"]
    assert finding.where[1][:2] == ("algorithm", "a02")


def test_times_are_no_per_cent():
    rng = np.random.default_rng(7)
    for spread in (0.5, 1, 2, 3):
        for _ in range(25):
            size = np.exp(rng.normal(0, spread, (8, 1)))
            values = size * np.exp(rng.normal(0, 0.5, (8, 4)))
            assert not units.per_cent_and_fractions(facts(values))


def test_a_data_set_in_another_unit():
    values = additive(np.random.default_rng(13), 8, 4)
    values[4] = 200 + 200 * (values[4] - values[4].mean())
    finding = of_units(values)["unequal spread"]
    assert finding.where[1][:3] == ("d004", "acc", "algorithms")
    assert "d004" in finding.what


def test_large_ratios_are_written_out():
    values = additive(np.random.default_rng(13), 8, 4)
    values[4] *= 1e5
    said = of_units(values)["unequal spread"]
    assert re.search(r"\d,\d{3} times as much", said.what)
    assert "e+" not in said.what


def test_replications_that_vary_far_more():
    rng = np.random.default_rng(14)
    values = additive(rng, 8, 4)[..., None] + rng.normal(0, 0.01, (8, 4, 6))
    values[3] += rng.normal(0, 2.2, (4, 6))
    assert of_units(values)["unequal spread"].where[1][0] == "d003"


def test_spread_within_one_unit_is_no_finding():
    rng = np.random.default_rng(15)
    for _ in range(40):
        sd = 0.02 * np.exp(rng.normal(0, 0.6, (15, 1)))  # up to a fivefold of the median
        assert not units.unequal_spread(facts(0.7 + sd * rng.normal(size=(15, 5))))
    times = np.exp(rng.normal(0, 3, (10, 1)) + rng.normal(0, 0.5, (10, 4)))
    measure = bi.Measure("seconds", better="lower", scale="log")
    assert not units.unequal_spread(facts(times, measure))


def test_bundled_tables_have_one_unit():
    from benchinfer.scores.examples import examples

    for name in examples():
        assert not UNITS & {f.rule for f in bi.load_example(name).finding_records}
