"""Diagnostics of chains are those of ArviZ."""

import numpy as np
import pytest
from arviz_stats.base.array import array_stats

from benchinfer.numerics.draws.convergence import mixing
from benchinfer.numerics.types import Array

_AXES = {"chain_axis": 0, "draw_axis": 1}


def chains(c: int, t: int, memory: float, kind: str) -> Array:
    """Return autoregressive chains."""
    draws = np.random.default_rng([c, t]).normal(size=(c, t))
    for i in range(1, t):
        draws[:, i] += memory * draws[:, i - 1]
    return {
        "smooth": draws,
        "tied": draws.round(),
        "apart": draws + np.arange(c)[:, None],
        "binary": (draws > 1).astype(float),
    }[kind]


@pytest.mark.parametrize("kind", ["smooth", "tied", "apart", "binary"])
@pytest.mark.parametrize("memory", [0.0, 0.9, -0.5])
@pytest.mark.parametrize(("c", "t"), [(2, 41), (4, 100), (8, 501)])
def test_same_to_the_last_bit(c: int, t: int, memory: float, kind: str) -> None:
    """Of independent, slow and alternating chains, with ties and with chains apart."""
    x = chains(c, t, memory, kind)
    r_hat, middle, tails = mixing(x)
    assert r_hat == array_stats.rhat(x, **_AXES)
    assert middle == array_stats.ess(x, **_AXES, method="bulk")
    assert tails == array_stats.ess(x, **_AXES, method="tail", prob=(0.05, 0.95))


def test_draws_that_say_nothing() -> None:
    """One chain has no R-hat, few draws or missing ones nothing, constant ones their number."""
    rng = np.random.default_rng(1)
    assert np.isnan(mixing(rng.normal(size=(1, 50)))).tolist() == [True, False, False]
    missing = np.where(np.arange(50) == 3, np.nan, rng.normal(size=(2, 50)))
    for draws in (rng.normal(size=(2, 3)), missing):
        assert np.isnan(mixing(draws)).all()
    with np.errstate(invalid="ignore"):
        assert mixing(np.ones((2, 50)))[1:] == (100, 100)
