"""Closed and step-down tests of single pairs by sign flips of whole blocks."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.numerics import multiplicity, rotations
from benchinfer.numerics.multiplicity import SPENT, level_share
from benchinfer.numerics.signs import signed_ranks
from benchinfer.scores.checks.facts import least_ends, least_flips
from tests.analyses.mixed.test_compare import simulated, table

VALUES = simulated(31, (9, 1, 4), effect=0.35)


def compared(values=VALUES, **options):
    names = [f"a{i:02d}" for i in range(values.shape[-1])]
    return bi.compare_permutation(table(values, names), **({"seed": 1} | options))


def differences(values=VALUES):
    first, second = np.triu_indices(values.shape[-1], 1)
    means = values.mean(axis=1)
    return means[:, first] - means[:, second]


@pytest.mark.parametrize("on", ["aligned-ranks", "values"])
def test_default_is_closed_by_flips_of_the_blocks(on):
    result = compared(on=on)
    rows = result.contrasts(all=True)
    terms = differences() if on == "values" else signed_ranks(differences(), 1e-12)
    raw = rows["p_raw"].to_numpy()
    found = rotations.closed_flips(terms, raw, 4, 0.05, silent=np.zeros(6, np.bool_), spent=SPENT)
    np.testing.assert_allclose(rows["p_value"], found.p_value, rtol=1e-9)
    assert (rows["p_error"] == 0).all()
    assert (rows["p_value"] >= raw).all()
    assert (rows["p_value"] <= multiplicity.holm(raw, SPENT) + 1e-12).all()
    assert (
        "P-values are of the closed test of all 6 pairs, by sign flips of whole blocks; an interval"
        in result.method
    )
    assert "marcus1976" in result.citations()


@pytest.mark.parametrize(
    ("values", "options", "adjusted"),
    [
        (VALUES, {}, "closed"),
        (VALUES, {"control": "a01"}, "step-down"),
        (VALUES, {"alternative": "better"}, "holm"),
        (simulated(2, (9, 1, 9)), {}, "step-down"),
        (np.where(np.arange(36).reshape(9, 1, 4) == 2, np.nan, VALUES), {}, "closed"),
        (VALUES, {"null": "asymptotic"}, "holm"),
        (simulated(2, (20, 1, 3)), {"null": "exact"}, "holm"),
        (VALUES[..., :2], {}, "holm"),
    ],
)
def test_default_is_the_first_that_goes(values, options, adjusted):
    assert compared(values, **options).adjusted == adjusted


def test_unshared_replications_have_no_blocks_to_flip():
    scores = table(simulated(3, (4, 3, 3)), paired=False)
    options = {"target": "datasets", "seed": 1, "resamples": 199}
    assert bi.compare_permutation(scores, **options).adjusted == "holm"
    with pytest.raises(DesignError, match="flips the signs of blocks, which hold each algorithm"):
        bi.compare_permutation(scores, adjust="closed", **options)


def test_step_down_tests_go_from_the_largest_statistic():
    rows = compared(adjust="step-down").contrasts(all=True)
    terms = signed_ranks(differences(), 1e-12)
    p, _ = rotations.step_down_flips(terms, two_sided=True, alpha=0.05, spent=SPENT)
    np.testing.assert_allclose(rows["p_value"], np.maximum(p, rows["p_raw"]), rtol=1e-9)
    closed = compared().contrasts(all=True)
    assert (closed["p_value"] <= rows["p_value"] + 1e-12).all()


def test_many_blocks_are_flipped_at_random():
    values = simulated(5, (16, 1, 3), effect=0.3)
    result = compared(values)
    rows = result.contrasts(all=True)
    assert result.provenance.seed == 1
    assert result.drawn
    assert set(result.kinds) == {"exact"}
    assert (rows["p_error"] >= 0).all()
    again = compared(values).contrasts(all=True)
    np.testing.assert_array_equal(again["p_value"], rows["p_value"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"adjust": "closed", "pairs": "pooled"}, "goes with tests of each pair alone"),
        ({"adjust": "closed", "alternative": "better"}, "how the equalities of all pairs depend"),
        ({"adjust": "closed", "null": "asymptotic"}, "has no asymptotic form here"),
        ({"adjust": "bergmann-hommel"}, 'adjust="closed" goes through the same hypotheses'),
    ],
)
def test_adjustments_that_do_not_go_are_refused(options, words):
    with pytest.raises(DesignError, match=words):
        compared(**options)


def test_closed_tests_of_too_many_algorithms_are_refused():
    with pytest.raises(DesignError, match="goes with up to 8 algorithms, not 9"):
        compared(simulated(2, (9, 1, 9)), adjust="closed")


def test_the_smallest_attainable_p_value_is_that_of_one_pair():
    name = "smallest attainable adjusted p-value"
    shared = compared(VALUES[:6]).diagnostics().set_index("check").loc[name]
    assert (shared["value"], shared["ok"]) == (2 / 2**6 / level_share(1.0, 6, SPENT), False)
    assert shared["remedy"] == "It takes 7 data sets to decide one."
    assert compared(VALUES[:7]).diagnostics().set_index("check").loc[name, "ok"]
    whole = compared(VALUES[:6], interval="simultaneous").diagnostics().set_index("check").loc[name]
    assert (whole["value"], whole["ok"]) == (2 / 2**6, True)


def test_closed_tests_of_blocks_with_gaps_flip_the_terms_that_pairs_have():
    values = VALUES.copy()
    values[2, 0, 1] = values[6, 0, 3] = np.nan
    result = compared(values)
    terms = signed_ranks(differences(values), 1e-12)
    raw = result.contrasts(all=True)["p_raw"].to_numpy()
    found = rotations.closed_flips(terms, raw, 4, 0.05, silent=np.zeros(6, np.bool_), spent=SPENT)
    np.testing.assert_allclose(result.contrasts(all=True)["p_value"], found.p_value, rtol=1e-9)
    assert result.adjusted == "closed"


def test_pairs_that_share_no_block_are_no_obstacle_to_closed_tests():
    values = VALUES.copy()
    values[:5, 0, 0] = values[5:, 0, 1] = np.nan
    result = compared(values)
    rows = result.contrasts(all=True)
    assert result.adjusted == "closed"
    assert len(rows) == 5
    terms = signed_ranks(differences(values), 1e-12)
    raw = np.r_[1.0, rows["p_raw"]]
    silent = np.arange(6) == 0
    # Five pairs share the level with their ends.
    found = rotations.closed_flips(terms, raw, 4, 0.05, silent=silent, spent=SPENT)
    np.testing.assert_allclose(rows["p_value"], found.p_value[1:], rtol=1e-9)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("on", ["aligned-ranks", "values"])
def test_flips_decide_from_so_many_data_sets_and_have_ends_from_more(k, on):
    """All pairs differ by far on each data set."""
    rng = np.random.default_rng(k)
    for d in range(4, least_ends(k) + 1):
        values = 5.0 * np.arange(k) + rng.uniform(-1, 1, (d, 1, k))
        result = compared(values, on=on)
        assert result.pairs.decided.all() == (d >= least_flips(k))
        assert result.pairs.decided.any() == (d >= least_flips(k))
        if on != "values":
            assert result.endless.all() == result.endless.any() == (d < least_ends(k))
