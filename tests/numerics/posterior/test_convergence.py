import numpy as np
import pytest
from arviz_stats.base.array import array_stats

from benchinfer.numerics.posterior.convergence import bulk_ess, r_hat, tail_ess

AXES = {"chain_axis": 0, "draw_axis": 1}


def chains(carried, shape, *, apart=0.0, rounded=False):
    """Return chains of autoregressive draws, with means apart, or with many equal values."""
    rng = np.random.default_rng([shape[0], shape[1], int(1000 * (1 + carried))])
    draws = rng.standard_normal(shape)
    for t in range(1, shape[1]):
        draws[:, t] += carried * draws[:, t - 1]
    draws += apart * rng.standard_normal((shape[0], 1))
    return draws.round() if rounded else draws


CASES = {
    "independent": chains(0.0, (4, 1000)),
    "slow": chains(0.99, (8, 500)),
    "antithetic": chains(-0.9, (4, 300)),
    "apart": chains(0.5, (4, 200), apart=2.0),
    "equal values": chains(0.5, (4, 400), rounded=True),
    "odd": chains(0.7, (3, 101)),
    "few": chains(0.0, (4, 5)),
}


@pytest.mark.parametrize("draws", CASES.values(), ids=CASES)
def test_figures_are_those_of_arviz(draws):
    tail = array_stats.ess(draws, **AXES, method="tail", prob=(0.05, 0.95))
    assert r_hat(draws) == pytest.approx(float(array_stats.rhat(draws, **AXES)), rel=1e-10)
    bulk = array_stats.ess(draws, **AXES, method="bulk")
    assert bulk_ess(draws) == pytest.approx(float(bulk), rel=1e-10)
    assert tail_ess(draws) == pytest.approx(float(tail), rel=1e-10)
