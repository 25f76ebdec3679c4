"""Sets of the best and of ranks keep what is true with their level."""

import numpy as np
import pytest
from scipy.stats import binom

from benchinfer.numerics.directions.rank_sets import RowReference, rank_sets

TABLES = 150


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 0.4, 1.5])
def test_sets_hold_the_true_best_and_the_true_ranks(gap):
    rng = np.random.default_rng(11)
    levels = np.array([0.0, 0.0, gap, gap, gap])
    best, ranks = np.zeros(5), 0
    better = levels[:, None] > levels
    true = 1 + better.sum(axis=0)
    for seed in range(TABLES):
        table = levels + rng.standard_normal((8, 5)) * [0.5, 1.0, 1.5, 1.0, 0.7]
        sets = rank_sets(RowReference(table, seed=seed), 0.05)
        best += sets.best
        ranks += bool(((sets.low <= true) & (true <= sets.high)).all())
        assert sets.best.any()
    least = binom.ppf(0.0005, TABLES, 0.95)
    assert (best[levels == levels.max()] >= least).all()
    assert ranks >= least
