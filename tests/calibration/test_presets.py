"""The published hierarchical model of two algorithms, by PyMC from the scores: `make calibrate`."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtr

import benchinfer as bi
from benchinfer.numerics.posterior.outcome_probabilities import monte_carlo_error

ROPE, FOLDS, RUNS, DATASETS = 0.01, 10, 2, 14
RHO = 1 / FOLDS


def simulated():
    """Return a score table and the (M, n) differences of its two algorithms."""
    rng = np.random.default_rng(23)
    n = FOLDS * RUNS
    base = 0.8 + 0.02 * rng.standard_normal((DATASETS, n))
    shift = 0.012 + 0.012 * rng.standard_t(3, (DATASETS, 1))
    noise = rng.uniform(0.01, 0.03, (DATASETS, 1)) * rng.standard_normal((DATASETS, n))
    value = np.stack([base + shift + noise, base], axis=2)
    m, r, k = (x.ravel() for x in np.indices(value.shape))
    frame = pd.DataFrame(
        {
            "dataset": [f"d{x:02}" for x in m],
            "replication": r,
            "algorithm": np.array(["a", "b"])[k],
            "measure": "accuracy",
            "value": value.ravel(),
        }
    )
    scores = bi.read_scores(
        frame,
        measures=[bi.Measure("accuracy", "higher", tolerance=ROPE)],
        resampling=bi.Resampling("cv", folds=FOLDS),
    )
    return scores, value[:, :, 0] - value[:, :, 1]


def by_nuts(x):
    """Sample the model as the paper writes it, from each difference, with all its parameters."""
    import pymc as pm

    n = x.shape[1]
    unit = x.std(axis=1, ddof=1).mean()
    z = x / unit
    root = np.linalg.cholesky((1 - RHO) * np.eye(n) + RHO)
    with pm.Model():
        alpha, beta = pm.Uniform("alpha", 0.5, 5.0), pm.Uniform("beta", 0.05, 0.15)
        nu = pm.Deterministic("nu", 1 + pm.Gamma("nu_minus_1", alpha=alpha, beta=beta))
        top = np.abs(z).max()
        centre = pm.Uniform("delta0", -top, top)
        std = pm.Uniform("std0", 0.0, 1000 * z.mean(axis=1).std(ddof=1))
        delta = pm.StudentT("delta", nu=nu, mu=centre, sigma=std, shape=len(z))
        sigma = pm.Uniform("sigma", 0.0, 1000.0, shape=len(z))
        pm.MvNormal(
            "x",
            mu=delta[:, None] * np.ones(n),
            chol=sigma[:, None, None] * root,
            observed=z,
        )
        trace = pm.sample(
            draws=2000, tune=2000, chains=4, random_seed=3, nuts={"target_accept": 0.95}
        )
    drawn = trace.posterior
    return {
        "delta0": unit * drawn["delta0"].to_numpy(),
        "std0": unit * drawn["std0"].to_numpy(),
        "nu": drawn["nu"].to_numpy(),
        "alpha": drawn["alpha"].to_numpy(),
        "beta": drawn["beta"].to_numpy(),
        "delta": unit * drawn["delta"].to_numpy(),
    }


@pytest.mark.calibration
@pytest.mark.filterwarnings("default")  # of compilers
def test_the_published_model_by_nuts_has_the_same_posterior(record_property):
    scores, x = simulated()
    found = bi.compare_bayes_pairs(scores, test="corani2017", draws=4000, seed=1)
    ours = {k: v.to_numpy()[:, :, 0] for k, v in found.posterior["posterior"].data_vars.items()}
    theirs = by_nuts(x)
    gaps = {}
    for name in ("delta0", "std0", "nu", "alpha", "beta"):
        for power in (1, 2):
            one, other = ours[name] ** power, theirs[name] ** power
            error = np.hypot(*(monte_carlo_error(v[:, :, None])[0] for v in (one, other)))
            gaps[f"{name}^{power}"] = float((one.mean() - other.mean()) / error)
    centre, std, nu = theirs["delta0"], theirs["std0"], theirs["nu"]
    shares = {
        "first": stdtr(nu, (centre - ROPE) / std),
        "second": stdtr(nu, (-centre - ROPE) / std),
    }
    row = found.contrasts(all=True).iloc[0]
    for name, share in shares.items():
        error = np.hypot(monte_carlo_error(share[:, :, None])[0], row["prob_error"])
        gaps[f"prob_{name}"] = float((row[f"prob_{name}"] - share.mean()) / error)
    record_property("gaps", gaps)
    assert max(abs(gap) for gap in gaps.values()) < 4, gaps
    sets = theirs["delta"]
    np.testing.assert_allclose(
        found.draws.effect[0], sets.mean(axis=(0, 1)), atol=0.05 * float(sets.std())
    )
    np.testing.assert_allclose(found.draws.effect_sd[0], sets.std(axis=(0, 1)), rtol=0.1)
