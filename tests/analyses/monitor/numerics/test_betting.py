"""E-processes: martingales by enumeration of signs, updates, and errors at all times."""

from itertools import product

import numpy as np
import pytest

from benchinfer.analyses.monitor.numerics.betting import GRID, MeanBet, SymmetryBet

SIZES = np.array([0.3, 0.0, 1.2, 0.7, 0.1, 2.5, 0.9, 0.4])


def by_definition(d):
    """Return the one-sided capital from its definition, without logarithms."""
    s = np.sqrt(np.cumsum(d**2) / np.arange(1, len(d) + 1))
    return np.mean([np.prod(1 + np.tanh(g * d / s)) for g in GRID])


@pytest.mark.parametrize("side", ["up", "down", "both"])
def test_the_capital_is_1_on_average_over_all_signs(side):
    """Given their sizes, symmetric differences have random signs: the mean capital is 1."""
    signs = np.array(list(product([-1, 1], repeat=len(SIZES))))
    ends = [getattr(SymmetryBet().after(s * SIZES)[1], side)[-1] for s in signs]
    assert np.exp(ends).mean() == pytest.approx(1, abs=1e-12)


def test_the_mean_bet_is_a_martingale():
    """Over all sequences of a two-point distribution with mean 0."""
    low, high = -0.25, 0.75
    chance = {low: 0.75, high: 0.25}
    total = {"up": 0.0, "down": 0.0, "both": 0.0}
    for d in product([low, high], repeat=8):
        _, paths = MeanBet(1.0).after(np.array(d))
        for side in total:
            total[side] += np.prod([chance[x] for x in d]) * np.exp(getattr(paths, side)[-1])
    assert list(total.values()) == pytest.approx([1, 1, 1], abs=1e-12)


def test_the_capital_by_definition():
    d = np.random.default_rng(0).normal(0.3, 1, size=40)
    paths = SymmetryBet().after(d)[1]
    assert np.exp(paths.up[-1]) == pytest.approx(by_definition(d), rel=1e-10)
    assert np.exp(paths.down[-1]) == pytest.approx(by_definition(-d), rel=1e-10)
    both = (by_definition(d) + by_definition(-d)) / 2
    assert np.exp(paths.both[-1]) == pytest.approx(both, rel=1e-10)


@pytest.mark.parametrize("start", [SymmetryBet(), MeanBet(5.0)])
@pytest.mark.parametrize("cut", [0, 1, 17, 60])
def test_an_update_is_the_same_as_a_whole_run(start, cut):
    d = np.random.default_rng(1).normal(0.2, 1, size=60)
    whole, paths = start.after(d)
    first, before = start.after(d[:cut])
    second, after = first.after(d[cut:])
    for side in ("up", "down", "both"):
        pieces = np.append(getattr(before, side), getattr(after, side))
        np.testing.assert_allclose(pieces, getattr(paths, side), atol=1e-11)
    assert second.n == whole.n == 60


def test_zeros_change_nothing():
    d = np.array([0.0, 0.0, 1.0, 0.0, -0.5])
    paths = SymmetryBet().after(d)[1]
    assert paths.up[:2].tolist() == [0, 0]
    assert paths.up[3] == paths.up[2]


def test_large_differences_lose_no_digits():
    """A long run in one direction: the capital against it falls below what a float can hold."""
    paths = SymmetryBet().after(np.full(20_000, 3.0))[1]
    assert np.isfinite(paths.down).all()
    assert paths.up[-1] == pytest.approx(20_000 * np.log1p(np.tanh(1.6)) - np.log(6), rel=1e-12)


@pytest.mark.parametrize("kind", ["symmetry", "mean"])
def test_the_error_at_any_time_is_below_the_level(kind):
    """2,000 null experiments, looked at after each of 300 differences."""
    rng = np.random.default_rng(2)
    crossed = 0
    for _ in range(2000):
        d = rng.uniform(-1, 1, size=300)
        start = SymmetryBet() if kind == "symmetry" else MeanBet(1.0)
        crossed += start.after(d)[1].both.max() >= np.log(20)
    assert crossed / 2000 < 0.05
