"""Error rate and coverage of effects of factors."""

from itertools import product

import numpy as np
import pytest

from benchinfer.analyses.factors.effects import CellEffects, interaction, tested
from benchinfer.analyses.factors.numerics.grid import Grid, level_pairs
from benchinfer.analyses.factors.numerics.tests import ContrastEstimates
from benchinfer.analyses.factors.options import FactorsOptions

pytestmark = pytest.mark.calibration
TABLES = 1000
OPTIONS = FactorsOptions(measure="score", control={}, family="all", level=0.95, seed=1)


def crossed(sizes):
    """A crossover of the first two factors, of two levels each: no main effect."""
    truth = np.zeros(sizes)
    truth[0, 0], truth[1, 1] = 2.0, 2.0
    return truth


def main(sizes):
    """Main effects of all factors, and no interaction."""
    return sum(np.ix_(*(2.0 * np.arange(size) for size in sizes)))


def null(sizes):
    return np.zeros(sizes)


def normal(rng, shape):
    return rng.normal(size=shape)


def heavy(rng, shape):
    return rng.standard_t(3, size=shape)


def unequal(rng, shape):
    """Data sets with spreads of a log standard deviation of 1."""
    spread = np.exp(rng.normal(size=shape[0])).reshape(-1, *(1 for _ in shape[1:]))
    return spread * rng.normal(size=shape)


def differing(rng, shape):
    """Effects of the first factor that differ between data sets, much more than cells do."""
    return 3 * rng.normal(size=(*shape[:2], *(1 for _ in shape[2:]))) + rng.normal(size=shape)


def with_gaps(draw, share=0.25):
    """Noise with cells that are missing at random, more than half of the data sets having some."""

    def noise(rng, shape):
        values = draw(rng, shape)
        values[rng.uniform(size=shape) < share] = np.nan
        return values

    return noise


CELLS = {
    "null, normal": (null, normal, 10, (2, 2, 2)),
    "null, t with 3 df": (null, heavy, 10, (2, 2, 2)),
    "null, unequal data sets": (null, unequal, 10, (2, 2, 2)),
    "null, 6 data sets, unequal": (null, unequal, 6, (2, 2)),
    "null, 3 x 2 x 2": (null, heavy, 12, (3, 2, 2)),
    "null, 6 x 4, 20 data sets": (null, unequal, 20, (6, 4)),
    "crossover, normal": (crossed, normal, 10, (2, 2, 2)),
    "crossover, t with 3 df": (crossed, heavy, 12, (2, 2, 3)),
    "main effects, unequal": (main, unequal, 10, (3, 2, 2)),
    "main effects that differ": (main, differing, 10, (2, 2, 2)),
    "gaps: null, normal": (null, with_gaps(normal), 10, (2, 2, 2)),
    "gaps: null, unequal data sets": (null, with_gaps(unequal), 10, (2, 2, 2)),
    "gaps: crossover, t with 3 df": (crossed, with_gaps(heavy), 12, (2, 2, 3)),
    "gaps: main effects that differ": (main, with_gaps(differing), 20, (3, 2, 2)),
}


def simulate(name, tables, seed=59):
    """Return the shares of tables with a false claim, and with all intervals covering."""
    truth_of, noise, n, sizes = CELLS[name]
    truth, rng = truth_of(sizes), np.random.default_rng(seed)
    codes = np.array([*product(*map(range, sizes))])
    pairs = [level_pairs(size, None) for size in sizes]

    def grid_of(array):
        return Grid(array.reshape(len(array), -1), codes, sizes)

    exact = grid_of(truth[None])
    mains = [exact.main(f, p)[0] for f, p in enumerate(pairs)]
    doubles = [exact.double(f, g, pairs[f], pairs[g])[0] for f, g in exact.pairs]
    true = np.concatenate([*mains, *doubles])
    weight, of_pair = OPTIONS.weights(len(exact.pairs))
    false = covered = 0
    for _ in range(tables):
        effects = CellEffects.of(grid_of(truth + noise(rng, (n, *sizes))), pairs)
        main_effects, values = zip(*(effects.main(f, p) for f, p in enumerate(pairs)), strict=True)
        by_dataset = None if effects.model else np.concatenate(values, axis=1)
        estimates = ContrastEstimates.join(main_effects)
        parts = [tested(estimates, by_dataset, weight, 0.0, OPTIONS)[0]]
        parts += [interaction(effects, fg, pairs, of_pair, OPTIONS) for fg in exact.pairs]
        p, low, high = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("p_value", "low", "high")
        )
        false += bool((p[np.abs(true) < 1e-9] <= OPTIONS.alpha).any())
        covered += bool(((low <= true + 1e-12) & (true - 1e-12 <= high)).all())
    return false / tables, covered / tables


@pytest.mark.parametrize("name", CELLS)
def test_false_claims_and_intervals_keep_the_level(name):
    false, covered = simulate(name, TABLES)
    error = 3 * np.sqrt(0.05 * 0.95 / TABLES)
    assert false <= 0.05 + error
    assert covered >= 0.95 - error
