"""The model in PyMC against the likelihood of the Gibbs sampler, without compiling it."""

import numpy as np
import pymc as pm
import pytest
from scipy import stats

from benchinfer.analyses.bayes.numerics import draws, gibbs
from benchinfer.analyses.bayes.numerics.chains import GibbsState
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.pymc_model import pymc_model
from tests.analyses.bayes.numerics.simulator import design

INTERPRETED = {"mode": "FAST_COMPILE"}


def at_random(built, rng):
    """Return a point as PyMC wants it, and the values there."""
    point = {k: x + 0.3 * rng.standard_normal(x.shape) for k, x in built.initial_point().items()}
    values = {k.removesuffix("_log__"): np.exp(x) for k, x in point.items() if "_log__" in k}
    names = ("log_sigma", "contrasts", "effect_scale")
    found = [natural(built, point, name) for name in names if name in built.named_vars]
    return point, point | values | {name: x for one in found for name, x in one.items()}


def natural(built, point, name):
    """Return the value of a variable that follows from others."""
    (value,) = built.replace_rvs_by_values([built[name]])
    inputs = built.value_vars
    function = built.compile_fn(value, inputs=inputs, on_unused_input="ignore", **INTERPRETED)
    return {name: function(point)}


def likelihood(built, point):
    """Return the log density of what is observed."""
    return float(built.compile_logp(vars=built.observed_RVs, **INTERPRETED)(point))


def log_likelihood(model, values):
    """Return the log density of contrasts and residuals by the Gibbs sampler's functions."""
    data = model.data
    (m, j), scale = data.z.shape, values["scale"]
    roots, vectors = scale**2 * np.ones(j), np.eye(j)
    if model.structure == "unstructured":
        roots, vectors = np.linalg.eigh(values["covariance"])
    state = {
        "average": values["contrasts"],
        "domains": values.get("domain_scale", 0.0) * values.get("domain_unit", np.zeros((0, j))),
        "slopes": values.get("slopes", np.zeros((0, j))),
        "log_sd": values.get("log_sigma", np.zeros(m)),
        "vectors": vectors,
        "values": roots,
        "mixing": values.get("mixing", np.ones(m)),
    }
    start = gibbs.start(model, 1, np.random.default_rng(1))
    now = start._replace(**{name: np.asarray(x)[None] for name, x in state.items()})
    states = GibbsState(*(np.asarray(x)[:, None] for x in now))
    return draws.log_likelihood(gibbs.compiled(model), states).sum()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "interactions", "structure", "domains", "covariates"),
    [
        ("whole", "t", "common", 0, 0),
        ("whole", "normal", "common", 3, 2),
        ("whole", "t", "unstructured", 3, 0),
        ("missing", "t", "unstructured", 0, 1),
        ("missing", "normal", "common", 3, 0),
        ("single", "t", "unstructured", 0, 0),
    ],
)
def test_likelihood_is_that_of_the_gibbs_sampler(
    kind, interactions, structure, domains, covariates
):
    rng = np.random.default_rng(1)
    data = design(kind, 6, 4)
    code = np.arange(6) % domains if domains else None
    x = rng.standard_normal((6, covariates)) if covariates else None
    model = GibbsModel(data, interactions, structure, Priors(), code, x)
    built = pymc_model(model)
    point, values = at_random(built, rng)
    if structure == "unstructured":
        values |= natural(built, point, "covariance")
    wanted = log_likelihood(model, values)
    # Contrasts that are not identified are 0 in PyMC, with density 1 / sqrt(2 pi) each.
    padding = 0.0
    if not (structure == "common" and data.balanced.all()):
        padding = (data.rank.size * data.z.shape[1] - data.rank.sum()) * np.log(2 * np.pi) / 2
    assert likelihood(built, point) + padding == pytest.approx(wanted, rel=1e-9)


def test_covariance_is_inverse_wishart():
    model = GibbsModel(design("whole", 5, 4), "normal", "unstructured", Priors())
    built = pymc_model(model)
    names = ("covariance", "shrinkage", "scale")
    sigma, kappa, scale = pm.draw(
        [built[name] for name in names], draws=300, random_seed=1, **INTERPRETED
    )
    psi = (1 + kappa) * scale**2
    for i in range(3):
        values = stats.chi2(kappa + 3).cdf(psi / sigma[:, i, i])
        assert stats.kstest(values, "uniform").pvalue > 1e-3
    for i, j in ((0, 1), (0, 2), (1, 2)):
        positive = int((sigma[:, i, j] > 0).sum())
        assert stats.binomtest(positive, len(sigma)).pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("sd", [1.5, None])
def test_priors_are_those_asked_for(sd):
    priors = Priors(
        effect_scale=0.6,
        effect_sd=sd,
        interaction_scale=0.7,
        tail_shape=3.0,
        tail_rate=0.2,
        shrinkage_median=4.0,
        shrinkage_sd=0.9,
        residual_sd=1.1,
        residual_spread=0.6,
        domain_scale=0.8,
        slope_sd=0.4,
    )
    along = np.linspace(-1, 1, 6)[:, None]
    model = GibbsModel(design("whole", 6, 3), "t", "unstructured", priors, np.arange(6) % 3, along)
    built = pymc_model(model)
    point, x = at_random(built, np.random.default_rng(2))
    half_t, normal = stats.t(3), stats.norm
    log, half = np.log(x["shrinkage"]), (1 + x["tail"]) / 2
    wanted = {
        "contrasts": normal(0, sd or x["effect_scale"]).logpdf(x["contrasts"]),
        "scale": np.log(2) + half_t.logpdf(x["scale"] / 0.7) - np.log(0.7),
        "tail": stats.gamma(3, scale=5).logpdf(x["tail"]),
        "shrinkage": normal(np.log(4), 0.9).logpdf(log) - log,
        "residual_centre": normal(0, 1.1).logpdf(x["residual_centre"]),
        "residual_spread": np.log(2) + half_t.logpdf(x["residual_spread"] / 0.6) - np.log(0.6),
        "log_sigma": normal(x["residual_centre"], x["residual_spread"]).logpdf(x["log_sigma"]),
        "domain_scale": np.log(2) + half_t.logpdf(x["domain_scale"] / 0.8) - np.log(0.8),
        "slopes": normal(0, 0.4).logpdf(x["slopes"]),
        "domain_unit": normal.logpdf(x["domain_unit"]),
        "mixing": stats.invgamma(half, scale=half).logpdf(x["mixing"]),
    }
    if sd is None:
        ratio = x["effect_ratio"]
        assert x["effect_scale"] == pytest.approx(ratio * x["scale"])
        wanted["effect_ratio"] = np.log(2) + half_t.logpdf(ratio / 0.6) - np.log(0.6)
    variables = [built[name] for name in wanted]
    values = built.compile_logp(vars=variables, jacobian=False, sum=False, **INTERPRETED)(point)
    for (name, value), one in zip(wanted.items(), values, strict=True):
        np.testing.assert_allclose(one, value, rtol=1e-6, err_msg=name)
