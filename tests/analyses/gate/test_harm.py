"""A gate stops what is worse on average, whatever it is on a typical data set."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from tests.analyses.gate.worse import verdict


def table(differences, measure="acc:higher:0.03", sign=1):
    """Return one score a data set of old, and of new with these differences."""
    d = len(differences)
    base = np.random.default_rng(0).uniform(0.7, 0.9, d)
    names = [f"d{i:02}" for i in range(d)]
    frame = pd.DataFrame(
        {
            "dataset": names * 2,
            "algorithm": ["old"] * d + ["new"] * d,
            "value": np.r_[base, base + sign * differences],
        }
    )
    return bi.read_scores(frame, measures=measure)


def ask(scores, **options):
    return bi.gate(scores, baseline="old", candidate="new", **options)


def collapse(n=20, on=3, by=0.5):
    differences = np.random.default_rng(1).normal(0, 0.004, n)
    differences[:on] = -by
    return differences


@pytest.mark.parametrize("by", ["auto", "mixed", "permutation"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_collapse_on_a_few_data_sets_is_no_pass(by, sign):
    measure = f"acc:{'higher' if sign > 0 else 'lower'}:0.03"
    found = ask(table(collapse(), measure, sign), by=by)
    assert found.verdict == "undecided"
    assert "are on different sides of the tolerance" in str(found)
    assert "Beyond the tolerance on 3 of 20 data sets: d0" in str(found)
    row = found["acc"]
    assert row.split
    assert set(row.harm.beyond) == {"d00", "d01", "d02"}
    assert "data sets that make the mean" in row.need.text


def test_the_default_is_the_test_of_the_mean_whatever_the_tails():
    rng = np.random.default_rng(3)
    found = ask(table(0.02 + 0.01 * rng.standard_t(2, 20)))
    row = found["acc"]
    assert row.comparison.provenance.analysis == "compare_mixed"
    assert row.estimate == pytest.approx(row.harm.mean)
    assert np.isfinite([row.low, row.high]).all()


def test_a_gain_on_a_few_data_sets_does_not_pay_for_a_loss_on_the_others():
    found = ask(table(collapse(20, 3, -2.0) - 0.05))
    assert found["acc"].harm.mean > 0 > found["acc"].harm.typical
    assert found.verdict == "undecided"


@pytest.mark.parametrize("seed", range(24))
def test_what_is_worse_by_twice_the_tolerance_does_not_pass(seed, tmp_path):
    """Whatever the shape, units, limits, crashes and files: the mean that is observed decides."""
    assert verdict(seed, tmp_path) != "pass"


@pytest.mark.parametrize("sets", [1, 6])
def test_signed_ranks_are_refused_where_they_do_not_test_what_is_shown(sets):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        [
            (f"d{i}", j, name, int(rng.random() < 0.7))
            for i in range(sets)
            for j in range(40)
            for name in ("old", "new")
        ],
        columns=["dataset", "item", "algorithm", "acc"],
    )
    scores = bi.read_scores(
        frame, measures="acc:higher:0.1", columns={"item": "replication"}, resampling="items"
    )
    with pytest.raises(DesignError, match="0 or 1, and signed ranks would test another"):
        ask(scores, by="permutation")
    seconds = table(np.zeros(9), "seconds:lower:0.1:identity:limit=1.2")
    with pytest.raises(DesignError, match="have a limit"):
        ask(seconds, by="permutation")


@pytest.mark.parametrize("failed", ["missing", 0.5, "worst", "old"])
def test_undecided_is_no_pass_of_a_candidate_that_lacks_scores(failed):
    frame = table(np.random.default_rng(1).normal(0, 0.2, 12)).to_frame()
    lacking = (frame["algorithm"] == "new") & frame["dataset"].isin(["d01", "d02"])
    scores = bi.read_scores(frame[~lacking], measures="acc:higher:0.03")
    found = ask(scores, failed=failed, on_undecided="pass")
    assert (found.verdict, found.outcome) == ("undecided", "undecided")
    assert "counts as a pass" not in str(found)
    assert ask(scores, failed=failed, on_undecided="fail").outcome == "fail"


@pytest.mark.parametrize("declared", [None, True, False])
def test_pairing_by_label_that_decides_is_said(declared):
    """Runs 1 to 8 of each algorithm's own look like shared ones."""
    rng = np.random.default_rng(2)
    easy = rng.normal(0.8, 0.05, 8)
    frame = pd.DataFrame(
        {
            "dataset": "d",
            "run": [*range(8)] * 2,
            "algorithm": ["old"] * 8 + ["new"] * 8,
            "value": [*easy, *easy + rng.normal(0, 0.002, 8)],
        }
    )
    scores = bi.read_scores(
        frame, measures="acc:higher:0.01", columns={"run": "replication"}, paired=declared
    )
    found = ask(scores)
    assert found.verdict == ("undecided" if declared is False else "pass")
    said = (
        "taken as paired, as their labels agree; if each algorithm had its own, this is undecided"
    )
    assert (said in str(found)) == (declared is None)
