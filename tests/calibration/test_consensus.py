"""Shares of a bootstrapped consensus where no algorithm is better: `make calibrate`, a minute.

Shares of resamples are no probabilities: how often the largest of them is high without any
difference is recorded here, for the warning that the documentation gives.
"""

import numpy as np
import pytest

import benchinfer as bi
from tests.calibration.tables import report

TABLES, RESAMPLES = 50, 199
HIGH = 0.95
# Data sets x algorithms, and the measured share of tables with a pair and with a best algorithm
# whose share of resamples is HIGH; the test holds them to four Monte Carlo errors.
MEASURED = {(5, 4): (0.5, 0.02), (10, 4): (0.4, 0.02), (20, 4): (0.4, 0.0), (10, 6): (0.56, 0.0)}


def of_scores(x):
    """Return the order of each data set as a relation."""
    orders = (" > ".join(f"a{a}" for a in row) for row in np.argsort(-x))
    return bi.Ensemble({f"d{i:02}": bi.Relation.from_text(o) for i, o in enumerate(orders)})


@pytest.mark.calibration
@pytest.mark.parametrize(("d", "k"), list(MEASURED))
def test_high_shares_without_a_difference(d, k, record_property):
    rng = np.random.default_rng([d, k])
    rows = []
    for i in range(TABLES):
        found = bi.stability.bootstrap_consensus(
            of_scores(rng.standard_normal((d, k))), resamples=RESAMPLES, seed=i
        )
        pairs = found.pairs()[["share_above", "share_below"]].to_numpy()
        best = found.summary()["share_best"].to_numpy()
        rows.append((pairs.max() >= HIGH, best.max() >= HIGH))
    shares = report(f"consensus {d} x {k}", {"high": rows}, record_property)["high"]
    expected = np.array(MEASURED[d, k])
    error = np.sqrt(np.maximum(expected * (1 - expected), 0.01) / TABLES)
    assert (np.abs(shares - expected) <= 4 * error).all()
