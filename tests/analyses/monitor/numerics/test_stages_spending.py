"""Group sequential boundaries against printed constants, closed forms and simulated looks."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from benchinfer.analyses.monitor.numerics import stages

LOOKS = np.arange(1, 6) / 5
LEVELS = stages.spent("obrien-fleming", LOOKS, 0.025)


def simulated(drift, n=400_000):
    """Return Z at five looks of n experiments."""
    steps = np.random.default_rng(1).normal(drift / 5, np.sqrt(0.2), size=(n, 5))
    return np.cumsum(steps, axis=1) / np.sqrt(LOOKS)


@pytest.mark.parametrize(
    ("looks", "pocock", "obrien_fleming"),
    [
        (2, 2.178, 1.977),
        (3, 2.289, 2.004),
        (4, 2.361, 2.024),
        (5, 2.413, 2.040),
        (10, 2.555, 2.087),
    ],
)
def test_constants_of_the_classical_designs(looks, pocock, obrien_fleming):
    """Jennison & Turnbull 2000, tables 2.1 and 2.3, two-sided .05; printed to three digits."""
    information = np.arange(1, looks + 1)
    for shape, printed in ((0.0, pocock), (0.5, obrien_fleming)):
        # The boundary falls with a power of the information; a printed digit is worth 1e-4.
        upper = printed * (looks / information) ** shape
        above, below = stages.crossing(information.tolist(), -upper, upper, 0.0)
        assert above.sum() + below.sum() == pytest.approx(0.05, abs=1e-4)


def test_two_looks_are_a_bivariate_normal():
    """The first boundary is a quantile; the second leaves 1 - alpha in a rectangle."""
    first, second = stages.boundaries([1, 2], LEVELS[[1, 4]], sides=1)
    assert first == pytest.approx(norm.isf(LEVELS[1]), abs=1e-10)
    covariance = [[1, np.sqrt(0.5)], [np.sqrt(0.5), 1]]
    inside = multivariate_normal(cov=covariance).cdf([first, second])
    assert inside == pytest.approx(0.975, abs=1e-6)


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("kind", ["pocock", "obrien-fleming"])
def test_looks_spend_what_was_planned(sides, kind):
    """Crossing probabilities under no effect are the increments of the spending function."""
    levels = sides * stages.spent(kind, LOOKS, 0.05 / sides)
    upper = stages.boundaries(LOOKS, levels, sides=sides)
    lower = -upper if sides == 2 else np.full(5, -np.inf)
    above, below = stages.crossing(LOOKS, lower, upper, 0.0)
    np.testing.assert_allclose(np.cumsum(above + below), levels, atol=1e-10)
    assert levels[-1] == pytest.approx(0.05, abs=1e-12)


def test_a_hundred_looks_spend_the_level():
    looks = np.arange(1, 101) / 100
    upper = stages.boundaries(looks, stages.spent("pocock", looks, 0.05), sides=1)
    above, below = stages.crossing(looks, np.full(100, -np.inf), upper, 0.0)
    assert above.sum() + below.sum() == pytest.approx(0.05, abs=1e-10)


def test_crossing_under_an_effect():
    """Against simulated experiments, within four standard errors of the shares."""
    upper = stages.boundaries(LOOKS, 2 * LEVELS, sides=2)
    above, below = stages.crossing(LOOKS, -upper, upper, 3.0)
    z = simulated(3.0)
    first = np.argmax(np.abs(z) > upper, axis=1)
    shares = np.array([((first == k) & (z[:, k] > upper[k])).mean() for k in range(5)])
    assert (np.abs(shares - above) < 4 * np.sqrt(above / len(z))).all()
    assert below.sum() < 1e-6


def test_the_conditional_level_is_the_chance_to_reject_later():
    """Under no effect, given Z at a look: simulated, and in closed form before the last look."""
    upper = stages.boundaries(LOOKS, LEVELS, sides=1)
    rng = np.random.default_rng(2)
    steps = np.cumsum(rng.normal(0, np.sqrt(0.2), size=(400_000, 3)), axis=1)
    later = (1.5 * np.sqrt(0.4) + steps) / np.sqrt(LOOKS[2:])
    share = (later > upper[2:]).any(axis=1).mean()
    found = stages.conditional_level(LOOKS, upper, 2, 1.5)
    assert found == pytest.approx(share, abs=4 * np.sqrt(found / 400_000))
    last = norm.sf((upper[4] - 1.5 * np.sqrt(0.8)) / np.sqrt(0.2))
    assert stages.conditional_level(LOOKS, upper, 4, 1.5) == pytest.approx(last, abs=1e-12)


def test_conditional_levels_average_to_what_is_left():
    """Over Z at the first look, not yet rejected, they integrate to the level still to be spent."""
    upper = stages.boundaries(LOOKS, LEVELS, sides=1)
    x, w = np.polynomial.hermite_e.hermegauss(80)
    inside = x < upper[0]
    conditional = [stages.conditional_level(LOOKS, upper, 1, z) for z in x[inside]]
    average = (w[inside] @ conditional) / np.sqrt(2 * np.pi)
    assert average == pytest.approx(0.025 - LEVELS[0], abs=1e-5)


@pytest.mark.parametrize("level", [1e-30, 1e-12, 0.9, 0.999999, 1 - 1e-14])
@pytest.mark.parametrize("shape", ["obrien-fleming", "pocock"])
def test_levels_near_nothing_and_near_all(level, shape):
    """A rest that is designed anew has whatever level is left."""
    t = [0.2, 0.4, 0.6, 0.8, 1.0]
    bounds = stages.boundaries(t, stages.spent(shape, t, level), sides=1)
    above, _ = stages.crossing(t, np.full(5, -np.inf), bounds, 0.0)
    assert above.sum() <= level + 1e-9
    assert above.sum() == pytest.approx(level, abs=1e-8)
