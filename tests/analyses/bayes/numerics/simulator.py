"""The hierarchical model as a simulator, from its formulas: parameters, then tables."""

from dataclasses import replace

import numpy as np
from scipy import stats

from benchinfer.analyses.bayes.numerics.chains import GibbsState
from benchinfer.analyses.bayes.numerics.contrasts import reduce_contrasts


def design(kind, d=5, k=3):
    """Return the statistics of a design of D data sets with up to four replications."""
    rng = np.random.default_rng(1)
    dataset = np.repeat(np.arange(d), 4)
    count = np.ones((4 * d, k), int)
    if kind == "missing":
        count[rng.random(count.shape) < 0.3] = 0
        count[:4, 1] = 0
        count[4, :] = 2
    if kind == "unpaired":
        dataset, count = np.arange(d), rng.integers(1, 6, (d, k))
    if kind.startswith("single"):
        dataset, count = np.arange(d), np.ones((d, k), int)
    if kind == "single-missing":
        count[1, 2] = count[2, 0] = 0
    data = reduce_contrasts(dataset, count, rng.standard_normal(count.shape), np.full(d, 0.1), 0.1)
    noisy = not kind.startswith("single")
    return replace(data, log_sd=0.0, noisy=noisy, df=data.df if noisy else 0 * data.df)


def check_moments(draws, data, dense, prior, noise, atol):
    """Compare (C, p) draws with the normal distribution that a linear map of p numbers leaves."""
    held = (np.arange(data.z.shape[1]) < data.rank[:, None]).ravel()
    error = np.diag((noise[:, None] * data.variance).ravel()[held])
    x = dense[held]
    gain = prior @ x.T @ np.linalg.inv(x @ prior @ x.T + error)
    mean, cov = gain @ data.z.ravel()[held], prior - gain @ x @ prior
    sd = np.sqrt(np.maximum(np.diag(cov), 1e-12))
    np.testing.assert_array_less(np.abs(draws.mean(axis=0) - mean), 5 * sd / np.sqrt(len(draws)))
    np.testing.assert_allclose(np.cov(draws.T), cov, atol=atol * sd.max() ** 2)


def prior(model, chains, rng):
    p, (m, j) = model.priors, model.data.z.shape[-2:]
    scale = p.interaction_scale * np.abs(rng.standard_t(3, chains))
    effect_sd = np.full(chains, p.effect_sd or 0.0)
    if p.effect_sd is None:
        effect_sd = scale * p.effect_scale * np.abs(rng.standard_t(3, chains))
    sigma = scale[:, None, None] ** 2 * np.eye(j)
    kappa = np.full(chains, np.inf)
    if model.structure == "unstructured":
        kappa = j * np.exp(p.shrinkage_sd * rng.standard_normal(chains))
        sigma = np.stack(
            [
                stats.invwishart(j + 2 + k, (1 + k) * s).rvs(random_state=rng)
                for k, s in zip(kappa, sigma, strict=True)
            ]
        ).reshape(chains, j, j)
    nu = np.full(chains, np.inf)
    if model.interactions == "t":
        nu = 1 + rng.gamma(p.tail_shape, 1 / p.tail_rate, chains)
        mixing = nu[:, None] / rng.chisquare(nu[:, None], (chains, m))
    else:
        mixing = np.ones((chains, m))
    root = np.linalg.cholesky(sigma)
    w = (root[:, None] @ rng.standard_normal((chains, m, j, 1)))[..., 0]
    values, vectors = np.linalg.eigh(sigma)
    centre = p.residual_sd * rng.standard_normal(chains)
    spread = p.residual_spread * np.abs(rng.standard_t(3, chains))
    log = centre[:, None] + spread[:, None] * rng.standard_normal((chains, m))
    g = 0 if model.domain is None else model.domain.max() + 1
    s_g = p.domain_scale * np.abs(rng.standard_t(3, chains))
    q = 0 if model.covariates is None else model.covariates.shape[1]
    return GibbsState(
        average=effect_sd[:, None] * rng.standard_normal((chains, j)),
        effect_sd=effect_sd,
        interaction=np.sqrt(mixing)[:, :, None] * w,
        domains=s_g[:, None, None] * rng.standard_normal((chains, g, j)),
        domain_scale=s_g,
        slopes=p.slope_sd * rng.standard_normal((chains, q, j)),
        log_sd=log,
        centre=centre,
        spread=spread,
        vectors=vectors,
        values=values,
        scale=scale,
        shrinkage=kappa,
        mixing=mixing,
        df=nu,
    )


def with_tables(model, state, rng):
    data = model.data
    sd = np.exp(state.log_sd) * (1.0 if data.noisy else 0.0)
    theta = state.average[:, None, :] + state.interaction
    if model.domain is not None:
        theta = theta + state.domains[:, model.domain]
    if model.covariates is not None:
        theta = theta + np.einsum("mq,cqj->cmj", model.covariates, state.slopes)
    noise = sd[:, :, None] * np.sqrt(data.variance) * rng.standard_normal(theta.shape)
    z = (data.design @ theta[..., None])[..., 0] + noise
    rss = sd**2 * rng.chisquare(np.maximum(data.df, 1e-9), sd.shape)
    return replace(model, data=replace(data, z=z, rss=rss))


def numbers(state):
    values = {
        "slope": state.slopes[:, 0, 0] if state.slopes.shape[1] else None,
        "domain": state.domains[:, 1, 0] if state.domains.shape[1] else None,
        "domain_scale": state.domain_scale if state.domains.shape[1] else None,
        "average": state.average[:, 0],
        "effect_sd": state.effect_sd,
        "interaction": state.interaction[:, 1, -1],
        "length": (state.interaction**2).sum(axis=(1, 2)),
        "sigma": state.log_sd[:, 0],
        "centre": state.centre,
        "spread": state.spread,
        "scale": state.scale,
        "variance": state.covariance[:, 0, 0],
        "covariance": state.covariance[:, 0, -1],
        "mixing": state.mixing[:, 2],
        "nu": state.df,
        "kappa": state.shrinkage,
    }
    return {name: x for name, x in values.items() if x is not None and np.isfinite(x).all()}
