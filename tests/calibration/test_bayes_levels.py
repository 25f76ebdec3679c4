"""Coverage of the intervals of levels in the hierarchical model: `make calibrate`.

Each chain of the Gibbs sampler has a table of its own, of one score per data set and algorithm.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from benchinfer.analyses.bayes.fit import modelled
from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.dataset_levels import CompiledMeans, draw_dataset_levels
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import design

TABLES, WARM_UP, DRAWS, LEVEL = 200, 300, 200, 0.95
# Standard deviation of the data sets' levels, and those of the algorithms' interactions.
KINDS = {"levels": (5.0, 1.0, 1.0), "alike": (1.0, 1.0, 1.0), "unequal": (1.0, 0.2, 3.0)}


def simulated(kind, interactions, d, k, rng):
    """Return (tables, D, K) scores, and the (tables, K) levels of their algorithms."""
    spread, first, last = KINDS[kind]
    effect = 0.5 * rng.standard_normal((TABLES, 1, k))
    own = np.geomspace(first, last, k) * rng.standard_normal((TABLES, d, k))
    rest = own + spread * rng.standard_normal((TABLES, d, 1))
    if interactions == "t":
        rest = rest * np.sqrt(3 / rng.chisquare(3, (TABLES, d, 1)))
    return effect + rest, effect[:, 0]


def coverage(kind, interactions, d, k, seed=1):
    """Return (K,) shares of tables whose interval of the level holds it."""
    rng = np.random.default_rng([seed, d, k])
    scores, wanted = simulated(kind, interactions, d, k, rng)
    h, data = helmert(k), design("single", d, k)
    z, level = scores @ h.T, scores.mean(axis=2)
    size = np.sqrt((z**2).mean(axis=(1, 2), keepdims=True))
    model = modelled(replace(data, z=z / size), interactions, "auto", Priors())
    state = gibbs.start(model, TABLES, rng)
    # Tables of one spread: levels and effects of each are divided by that of its levels.
    centre, unit = level.mean(axis=1, keepdims=True), level.std(axis=1, keepdims=True)
    nothing, known = np.empty(0), gibbs.compiled(model)
    over = ((level - centre) / unit)[:, None]
    means = CompiledMeans(over, np.zeros((d, k - 1)), 1.0, nothing, nothing)
    variance, drawn = np.zeros((TABLES, 3)), []
    for sweep in range(WARM_UP + DRAWS):
        state = gibbs.sweep(model, state, rng)
        factor = (size[:, 0] / unit)[:, :, None]
        effects = state._replace(interaction=factor * state.interaction)
        states = type(effects)(*(x[:, None] for x in effects))
        coefficients, _, variances = draw_dataset_levels(means, known, states, variance, rng)
        variance = variances[:, 0]
        if sweep >= WARM_UP:
            average = size[:, 0] * state.average @ h
            drawn.append(centre + unit * coefficients[:, 0, :1] + average)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return ((low <= wanted) & (wanted <= high)).mean(axis=0)


@pytest.mark.calibration
@pytest.mark.parametrize("interactions", ["normal", "t"])
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize(("d", "k"), [(3, 2), (5, 4), (12, 2), (12, 4), (12, 10), (30, 4)])
def test_levels_are_covered(d, k, kind, interactions, record_property):
    found = coverage(kind, interactions, d, k)
    record_property(f"{kind} {interactions} {d} {k}", found.tolist())
    assert found.min() >= binom.ppf(1e-4, TABLES, 0.9) / TABLES
