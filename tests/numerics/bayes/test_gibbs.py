"""Getting it right (Geweke 2004): draws of parameters and data in turn keep to the prior.

Each chain has a table of its own: parameters come from the prior, a table from the parameters, and
then sweeps of the sampler and new tables alternate. If every step is right, parameters are
distributed as the prior after any number of rounds. The prior is simulated here, from its formulas.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchinfer.numerics.bayes import gibbs
from benchinfer.numerics.bayes.covariance import Covariance
from benchinfer.numerics.bayes.effects import Effects
from benchinfer.numerics.bayes.gibbs import Model, State
from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.reduction import helmert, reduce_contrasts
from benchinfer.numerics.bayes.residual_scales import ResidualScales

CHAINS, ROUNDS = 2000, 30
PRIORS = Priors(
    effect_sd=0.8, interaction_scale=0.5, tail_rate=0.4, residual_sd=0.5, residual_spread=0.2
)


def design(kind):
    """Return the statistics of a design: five data sets, three algorithms, two to four blocks."""
    rng = np.random.default_rng(1)
    dataset = np.repeat(np.arange(5), 4)
    count = np.ones((20, 3), int)
    if kind == "missing":
        count[rng.random(count.shape) < 0.3] = 0
        count[:4, 1] = 0
        count[4, :] = 2
    if kind == "single":
        dataset, count = np.arange(5), np.ones((5, 3), int)
    if kind == "single-missing":
        dataset, count = np.arange(5), np.ones((5, 3), int)
        count[1, 2] = count[3, 0] = 0
    data = reduce_contrasts(dataset, count, rng.standard_normal(count.shape), np.full(5, 0.1), 0.1)
    noisy = not kind.startswith("single")
    return replace(data, log_sd=0.0, noisy=noisy, df=data.df if noisy else 0 * data.df)


def prior(model, rng):
    p, (m, j) = model.priors, model.data.z.shape[-2:]
    scale = p.interaction_scale * np.abs(rng.standard_t(3, CHAINS))
    sigma = scale[:, None, None] ** 2 * np.eye(j)
    kappa = np.full(CHAINS, np.inf)
    if model.structure == "unstructured":
        kappa = j * np.exp(p.shrinkage_sd * rng.standard_normal(CHAINS))
        sigma = np.stack(
            [
                stats.invwishart(j + 2 + k, (1 + k) * s).rvs(random_state=rng)
                for k, s in zip(kappa, sigma, strict=True)
            ]
        ).reshape(CHAINS, j, j)
    nu = mixing = None
    if model.interactions == "t":
        nu = 1 + rng.gamma(p.tail_shape, 1 / p.tail_rate, CHAINS)
        mixing = nu[:, None] / rng.chisquare(nu[:, None], (CHAINS, m))
    else:
        mixing = np.ones((CHAINS, m))
    root = np.linalg.cholesky(sigma)
    w = (root[:, None] @ rng.standard_normal((CHAINS, m, j, 1)))[..., 0]
    values, vectors = np.linalg.eigh(sigma)
    centre = p.residual_sd * rng.standard_normal(CHAINS)
    spread = p.residual_spread * np.abs(rng.standard_t(3, CHAINS))
    log = centre[:, None] + spread[:, None] * rng.standard_normal((CHAINS, m))
    return State(
        effects=Effects(
            p.effect_sd * rng.standard_normal((CHAINS, j)), np.sqrt(mixing)[:, :, None] * w
        ),
        scales=ResidualScales(log, centre, spread),
        sigma=Covariance(vectors, values, scale, kappa),
        mixing=mixing,
        nu=nu,
    )


def with_table(model, state, rng):
    data = model.data
    sd = np.exp(state.scales.log) * (1.0 if data.noisy else 0.0)
    theta = state.effects.average[:, None, :] + state.effects.interaction
    noise = sd[:, :, None] * np.sqrt(data.variance) * rng.standard_normal(theta.shape)
    z = (data.design @ theta[..., None])[..., 0] + noise
    rss = sd**2 * rng.chisquare(np.maximum(data.df, 1e-9), sd.shape)
    return replace(model, data=replace(data, z=z, rss=rss))


def numbers(state):
    found = {
        "average": state.effects.average[:, 0],
        "interaction": state.effects.interaction[:, 1, -1],
        "length": (state.effects.interaction**2).sum(axis=(1, 2)),
        "sigma": state.scales.log[:, 0],
        "centre": state.scales.centre,
        "spread": state.scales.spread,
        "scale": state.sigma.scale,
        "variance": state.sigma.matrix[:, 0, 0],
        "covariance": state.sigma.matrix[:, 0, -1],
        "mixing": state.mixing[:, 2],
        "nu": state.nu,
        "kappa": state.sigma.shrinkage,
    }
    return {name: x for name, x in found.items() if x is not None and np.isfinite(x).all()}


@pytest.mark.parametrize(
    ("kind", "interactions", "structure"),
    [
        ("whole", "t", "common"),
        ("whole", "t", "unstructured"),
        ("whole", "normal", "unstructured"),
        ("missing", "t", "unstructured"),
        ("missing", "normal", "common"),
        ("single", "t", "unstructured"),
        ("single-missing", "t", "common"),
    ],
)
def test_draws_keep_to_the_prior(kind, interactions, structure):
    rng = np.random.default_rng(7)
    model = Model(design(kind), interactions, structure, PRIORS)
    expected = numbers(prior(model, rng))
    state = prior(model, rng)
    for _ in range(ROUNDS):
        state = gibbs.sweep(with_table(model, state, rng), state, rng)
    for name, found in numbers(state).items():
        if name == "mixing" and interactions == "normal":
            continue
        if name in ("sigma", "centre", "spread") and not model.data.noisy:
            continue
        p = stats.ks_2samp(found, expected[name]).pvalue
        assert p > 1e-4, (name, p)


def test_the_same_seed_gives_the_same_draws():
    model = Model(design("missing"), "t", "unstructured", Priors())

    def run(seed):
        rng = np.random.default_rng(seed)
        draws, _ = gibbs.sample(model, gibbs.start(model, 4, rng), 20, rng)
        return draws

    one, two, other = run(1), run(1), run(2)
    np.testing.assert_array_equal(one.average, two.average)
    np.testing.assert_array_equal(one.covariance, two.covariance)
    assert not np.array_equal(one.average, other.average)


def test_segments_hold_the_moments_of_the_data_sets_effects():
    model = Model(design("whole"), "normal", "common", Priors())
    rng = np.random.default_rng(1)
    now = gibbs.start(model, 3, rng)
    draws, _ = gibbs.sample(model, now, 10, np.random.default_rng(5))
    again, rng = now, np.random.default_rng(5)
    theta = []
    for _ in range(10):
        again = gibbs.sweep(model, again, rng)
        theta.append(again.effects.average[:, None] + again.effects.interaction)
    theta = np.array(theta)
    np.testing.assert_allclose(draws.mean[1], theta[5:].mean(axis=0))
    np.testing.assert_allclose(draws.square[0], 5 * theta[:5].var(axis=0))
    np.testing.assert_allclose(draws.these[:, -1], theta[-1].mean(axis=1))


def test_helmert_is_the_basis_of_the_average():
    assert helmert(3).shape == (2, 3)
