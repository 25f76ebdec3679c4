"""Row-level model by NUTS, which compiles for a minute each: `make calibrate`."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import benchinfer as bi

LOGITS = np.array([0.5, 0.6, 1.0, 1.05])
M, N = 12, 300


def simulated(seed=5):
    """Return scores, and the mean scores over all data sets that there could be."""
    rng = np.random.default_rng(seed)
    between = 0.25 * rng.standard_normal((M, 4))
    theta = 0.6 * rng.standard_normal((M, 1)) + LOGITS + between
    eta = theta[:, None] + rng.standard_normal((M, N, 1))
    value = (rng.random(eta.shape) < expit(eta)).astype(float)
    m, i, k = (x.ravel() for x in np.indices(eta.shape))
    frame = pd.DataFrame(
        {
            "dataset": [f"d{x:02}" for x in m],
            "algorithm": [f"a{x}" for x in k],
            "replication": i,
            "measure": "score",
            "value": value.ravel(),
        }
    )
    scores = bi.read_scores(frame, measures="score:higher:0.02", resampling="items")
    spread = np.sqrt(0.36 + 0.0625 + 1)
    mean = expit(LOGITS + spread * rng.standard_normal((400_000, 1))).mean(axis=0)
    return scores, mean


@pytest.mark.calibration
@pytest.mark.filterwarnings("default")  # of compilers
def test_what_was_simulated_is_found(record_property):
    scores, mean = simulated()
    found = bi.compare_bayes(
        scores, likelihood="binomial", interactions="normal", structure="common", chains=4, seed=1
    )
    assert found.convergence.passed
    rows = found.summary()
    record_property("binomial", [rows["estimate"].tolist(), mean.tolist()])
    sd = (rows["conf_high"] - rows["conf_low"]) / 4
    assert (abs(rows["estimate"] - mean) < 4 * sd).all()
    differences = found.contrasts(all=True)
    pairs = found.pairs
    off = differences["estimate"] - (mean[pairs[:, 0]] - mean[pairs[:, 1]])
    assert (abs(off) < 4 * (differences["conf_high"] - differences["conf_low"]) / 4).all()
    items = found.draws.parameters["item_scale"]
    assert abs(items.mean() - 1) < 4 * items.std()
    # Maximum likelihood by glmer (Laplace) of lme4 on this table, dataset:algorithm random.
    wanted = np.array([0.2545, 0.4615, 0.4906])
    logits = found.logits[..., 1:] - found.logits[..., :1]
    assert (abs(logits.mean(axis=(0, 1)) - wanted) < 0.5 * logits.std(axis=(0, 1))).all()
