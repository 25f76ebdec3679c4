"""Least variances by the sampling of items: single pairs, and what they do to verdicts."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import benchinfer as bi
from benchinfer.analyses.mixed.numerics import sampling


def draw(d, k, n, seed=1, *, gaps=False):
    rng = np.random.default_rng(seed)
    value = (rng.random((d * n, k)) < rng.uniform(0.2, 0.9, k)).astype(float)
    present = rng.random(value.shape) < 0.8 if gaps else np.ones(value.shape, np.bool_)
    return np.repeat(np.arange(d), n), present, np.where(present, value, np.nan)


@pytest.mark.parametrize("gaps", [False, True])
def test_pairs_that_share_items_have_the_variance_of_their_differences(gaps):
    dataset, present, value = draw(4, 3, 12, gaps=gaps)
    found = sampling.of_items(dataset, present, value)
    for i, j in ((0, 1), (2, 0)):
        each = []
        for d in range(4):
            gap = (value[:, i] - value[:, j])[dataset == d]
            gap = gap[np.isfinite(gap)]
            each.append(gap.var(ddof=1) / len(gap))
        assert found[i, j] == pytest.approx(sum(each) / 16)
    column = [value[dataset == d, 0] for d in range(4)]
    alone = [np.nanvar(c, ddof=1) / np.isfinite(c).sum() for c in column]
    assert found[0, 0] == pytest.approx(sum(alone) / 16)


def test_items_of_each_own_have_those_of_both_rates():
    dataset, _, value = draw(3, 2, 9)
    cells = np.array([value[dataset == d].mean(axis=0) for d in range(3)])
    found = sampling.of_cells(np.full((3, 2), 9), 9 * cells * (1 - cells))
    assert found[0, 1] == pytest.approx((cells * (1 - cells) / 8).sum() / 9)
    # An item of each own leaves the paired form without pairs.
    apart = np.full((len(value) * 2, 2), np.nan)
    apart[: len(value), 0], apart[len(value) :, 1] = value.T
    assert sampling.of_items(np.tile(dataset, 2), np.isfinite(apart), apart) == pytest.approx(found)


def test_data_sets_of_a_pair_alone_count():
    n, squares = np.array([[8, 8], [8, 0], [0, 8], [1, 8]]), np.full((4, 2), 2.0)
    squares[3, 0] = 0.0
    found = sampling.of_cells(n, squares)
    assert found[0, 1] == pytest.approx((2 * 2 / 56 + 2 / 56) / 4)


def test_contrasts_of_several_are_those_of_their_mean():
    dataset, present, value = draw(5, 3, 20)
    found = sampling.least_errors(
        sampling.of_items(dataset, present, value), np.array([[1.0, -0.5, -0.5]])
    )
    gap = value[:, 0] - value[:, 1:].mean(axis=1)
    each = [gap[dataset == d].var(ddof=1) / 20 for d in range(5)]
    assert found[0] ** 2 == pytest.approx(sum(each) / 25)


def rates(cells, n=40, *, paired=True):
    """Return items of D x K rates, right ones first."""
    rows = [
        (f"d{d}", f"a{k}", f"{i}" if paired else f"{k}-{i}", float(i < round(rate * n)))
        for d, row in enumerate(cells)
        for k, rate in enumerate(row)
        for i in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    return bi.read_scores(frame, measures="acc:higher", resampling="items", paired=paired)


@pytest.mark.parametrize("paired", [True, False])
def test_rates_that_agree_by_chance_are_not_certain(paired):
    """Differences of 1 of 40 items on each of three data sets: without the floor p is 0."""
    scores = rates([[0.9, 0.875], [0.8, 0.775], [0.95, 0.925]], paired=paired)
    found = bi.compare(scores)["acc"]
    assert found.provenance.analysis == "compare_mixed"
    row = found.contrasts(all=True).iloc[0]
    assert row["verdict"] == "undecided"
    assert row["p_value"] > 0.1
    assert row["conf_low"] < 0 < row["conf_high"]
    error = np.sqrt(
        sum(
            0.025 * 0.975 / 39 if paired else (a * (1 - a) + b * (1 - b)) / 39
            for a, b in [(0.9, 0.875), (0.8, 0.775), (0.95, 0.925)]
        )
    )
    assert row["std_error"] == pytest.approx(error / 3)


def test_a_spread_above_that_of_sampling_is_left_as_it_is():
    cells = [[0.9, 0.3], [0.8, 0.6], [0.95, 0.2], [0.5, 0.45]]
    found = bi.compare_mixed(rates(cells)).contrasts(all=True).iloc[0]
    gap = np.subtract(*np.transpose(cells))
    assert found["std_error"] == pytest.approx(gap.std(ddof=1) / 2)


@pytest.mark.parametrize(("d", "highest"), [(2, 0.01), (3, 0.015), (6, 0.03), (20, 0.055)])
def test_false_claims_of_equal_rates(d, highest):
    """Without it three rates of .95 to .98 differ for certain in 2 % of tables of equal ones."""
    rng, false, n = np.random.default_rng(d), 0, 1_000
    for _ in range(n):
        level = rng.uniform(0.9, 0.98, (d, 1))
        rate = rng.binomial(40, np.repeat(level, 2, axis=1)) / 40
        least = sampling.least_errors(
            sampling.of_cells(np.full((d, 2), 40), 40 * rate * (1 - rate)), np.array([[1.0, -1.0]])
        )[0]
        gap = rate[:, 0] - rate[:, 1]
        error = max(gap.std(ddof=1) / np.sqrt(d), least)
        false += abs(gap.mean()) > t.isf(0.025, d - 1) * error
    assert false / n <= highest
