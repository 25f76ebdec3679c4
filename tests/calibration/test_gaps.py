"""Level of the closed tests of all pairs of tables with gaps.

`make calibrate ARGS="tests/calibration/test_gaps.py"`, about four minutes of one core. Five
algorithms without any difference, and two groups of them far apart, of which pairs within a group
are equal; some cells of one algorithm, or a tenth of all, are missing at random.
"""

import numpy as np
import pytest

from benchinfer.analyses.mixed.numerics.shared import SharedMeans
from benchinfer.numerics import rotations, signs
from benchinfer.numerics.covariance import all_pairs
from benchinfer.numerics.max_t import raw_p
from tests.calibration.tables import limit

K, ALPHA, TABLES, DIRECTIONS = 5, 0.05, 400, 999
SPREADS = {"equal": np.ones(K), "unequal": np.array([0.3, 0.5, 1.0, 1.0, 3.0])}
CELLS = [
    (d, lack, spread) for d in (20, 25, 50) for lack in ("1", "2", "10 %") for spread in SPREADS
]
PAIRS, MATRIX = all_pairs(K)
GROUP = np.arange(K) >= 3
WITHIN = GROUP[PAIRS[:, 0]] == GROUP[PAIRS[:, 1]]


def without(rng, scores, lack):
    """Leave out cells of the last algorithm, or a tenth of all."""
    scores = scores.copy()
    if lack == "10 %":
        scores[rng.random(scores.shape) < 0.1] = np.nan
    else:
        scores[rng.choice(len(scores), int(lack), replace=False), -1] = np.nan
    return scores


def decided(scores, seed):
    """Return (P,) decisions of `compare_mixed` on shared data sets and `compare_permutation`."""
    means = SharedMeans(scores)
    tests = means.estimates(MATRIX).first(len(MATRIX))
    p = raw_p(tests.estimate / tests.std_error, tests.df)
    rotated = rotations.closed_pairs(scores, p, ALPHA, directions=DIRECTIONS, seed=seed)
    terms = signs.signed_ranks(means.differences(MATRIX), 1e-12)
    alone = signs.sign_tests(terms, two_sided=np.ones(len(MATRIX), np.bool_), null="exact")
    silent = np.zeros(len(MATRIX), np.bool_)
    flipped = rotations.closed_flips(
        terms, alone.p_value, K, ALPHA, silent=silent, directions=DIRECTIONS, seed=seed
    )
    return rotated.p_value <= ALPHA, flipped.p_value <= ALPHA


@pytest.mark.calibration
@pytest.mark.parametrize(("d", "lack", "spread"), CELLS)
def test_closed_tests_hold_their_level_with_gaps(d, lack, spread, record_property, monkeypatch):
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)
    rng = np.random.default_rng(CELLS.index((d, lack, spread)))
    false = np.zeros((TABLES, 2, 2))
    for table in false:
        seed = int(rng.integers(2**32))
        scores = 2 * rng.normal(size=(d, 1)) + SPREADS[spread] * rng.normal(size=(d, K))
        for column, (apart, equal) in enumerate(((0.0, np.ones_like(WITHIN)), (1e3, WITHIN))):
            gappy = without(np.random.default_rng(seed), scores + apart * GROUP, lack)
            table[:, column] = [rows[equal].any() for rows in decided(gappy, seed)]
    shares = false.mean(axis=0)
    line = " | ".join(f"{s:.3f}" for s in shares.ravel())
    print(f"| {d} | {lack} | {spread} | {line} |")  # noqa: T201 (for the docs)
    record_property(f"{d}, {lack}, {spread}", shares.ravel().tolist())
    assert (shares <= limit(TABLES)).all()
