"""Densities of row-level models against brute force, and against those of PyMC."""

import numpy as np
import pytensor
import pytest
from pytensor import tensor as pt
from pytensor.compile.mode import Mode
from scipy import stats
from scipy.special import expit, logsumexp

from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.response_density import Guesses, ResponseDensity
from benchinfer.analyses.bayes.numerics.responses import count_items
from benchinfer.analyses.bayes.pymc_model import InformedNormals
from benchinfer.analyses.bayes.responses.model import item_density, response_model
from benchinfer.analyses.bayes.responses.scores import Answers, guess_logits
from tests.analyses.bayes.numerics.simulator import design


def value(x):
    return pytensor.function([], x, mode=Mode("py", None))()


def answers(m=3, k=3, n=20, seed=1):
    rng = np.random.default_rng(seed)
    dataset = np.repeat(np.arange(m), n)
    trials = (rng.random((m * n, k)) < 0.8).astype(int)
    trials[::7] *= 2
    right = rng.binomial(trials, 0.6)
    return dataset, trials, right


def test_items_by_brute_force():
    dataset, trials, right = answers()
    theta, spread = np.random.default_rng(2).standard_normal((3, 3)), 1.3
    grid = np.linspace(-13, 13, 2001)

    def one(at, n, y):
        p = expit(at + grid[:, None])
        density = stats.norm(0, spread).pdf(grid) * np.prod(p**y * (1 - p) ** (n - y), axis=1)
        return np.log(np.trapezoid(density, grid))

    wanted = sum(one(theta[d], n, y) for d, n, y in zip(dataset, trials, right, strict=True))
    values = item_density(count_items(dataset, trials, right), pt.constant(theta), pt.constant(1.3))
    assert value(values) == pytest.approx(wanted, rel=1e-6)


def test_many_answers_to_an_item():
    """The nodes are close enough where many answers leave an item's effect narrow."""
    rng = np.random.default_rng(3)
    right = rng.integers(0, 2, (5, 40))
    theta = rng.standard_normal((1, 40))
    items = count_items(np.zeros(5, int), np.ones_like(right), right)
    values = value(item_density(items, pt.constant(theta), pt.constant(2.5)))
    u = np.linspace(-20, 20, 40001)
    p = -np.logaddexp(0, -(theta[0] + u[:, None]))
    q = -np.logaddexp(0, theta[0] + u[:, None])
    logs = right @ p.T + (1 - right) @ q.T + stats.norm(0, 2.5).logpdf(u)
    wanted = (logsumexp(logs, axis=1) + np.log(u[1] - u[0])).sum()
    assert values == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("vectors", [False, True])
def test_informed_effects(vectors):
    rng = np.random.default_rng(5)
    transform = InformedNormals(rng.standard_normal((4, 2)), rng.random((4, 2)))
    cov = np.array([[1.0, 0.3], [0.3, 0.5]]) * np.ones((4, 1, 1))
    scale = pt.constant(cov if vectors else np.full((1, 1), 0.8))
    inputs = (pt.constant(rng.standard_normal((4, 2))), scale)
    x = pt.constant(rng.standard_normal((4, 2)))
    back = transform.backward(x, *inputs)
    np.testing.assert_allclose(value(transform.forward(back, *inputs)), x.data)
    step = value(transform.backward(x + 1, *inputs)) - value(back)
    slope = np.log(step).sum(axis=1) if vectors else np.log(step)
    np.testing.assert_allclose(value(transform.log_jac_det(x, *inputs)), slope)


def responses(kind):
    rng = np.random.default_rng(6)
    if kind == "binomial":
        dataset, trials, right = answers()
        cells = [np.stack([x[dataset == m].sum(axis=0) for m in range(3)]) for x in (trials, right)]
        return Answers(*cells, count_items(dataset, trials, right))
    return Answers(np.full((3, 3), 50), rng.integers(10, 40, (3, 3)), None)


@pytest.mark.parametrize("kind", ["binomial", "cells"])
@pytest.mark.parametrize("structure", ["common", "unstructured"])
def test_models_have_what_they_are_said_to_have(kind, structure):
    domain = np.arange(3) if structure == "common" else None
    model = GibbsModel(design("whole", 3, 3), "t", structure, Priors(), domain)
    built = response_model(model, responses(kind))
    names = {x.name for x in (*built.free_RVs, *built.deterministics)}
    wanted = {"level", "dataset_scale", "dataset_level", "dataset_contrasts", "logit", "tail"}
    wanted |= {"contrasts", "effect_ratio", "effect_scale"}
    assert wanted <= names
    assert ("item_scale" in names) == (kind != "cells")
    assert ("domain_scale" in names) == (structure == "common")
    assert ("shrinkage" in names) == (structure == "unstructured")


def test_guesses_are_near_the_cells():
    logits, _ = guess_logits(responses("cells"))
    seen = responses("cells")
    np.testing.assert_allclose(expit(logits), seen.successes / seen.trials, atol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "structure", "interactions", "domains", "effect_sd"),
    [
        ("binomial", "unstructured", "t", True, None),
        ("binomial", "common", "normal", False, 0.7),
        ("cells", "unstructured", "normal", False, None),
        ("cells", "common", "t", True, None),
    ],
)
def test_compiled_density_is_that_of_the_model(kind, structure, interactions, domains, effect_sd):
    """Values up to a constant, gradients and variables are those of PyMC at random points."""
    domain = np.array([0, 1, 0]) if domains else None
    priors = Priors(effect_sd=effect_sd)
    model = GibbsModel(design("whole", 3, 3), interactions, structure, priors, domain)
    seen = responses(kind)
    cells = seen.trials, seen.successes
    guesses = Guesses.of(*guess_logits(seen))
    density = ResponseDensity.of(model, *cells, seen.items, guesses)
    built = response_model(model, seen)
    at = {x.name.removesuffix("_log__").removesuffix("_informed__"): x for x in built.value_vars}
    assert set(at) == set(density.places)
    inputs = [at[name] for name in density.places]
    logp = built.logp()
    slopes = pt.concatenate([x.ravel() for x in pytensor.grad(logp, inputs)])
    names = ["logit", *(["covariance"] if structure == "unstructured" else [])]
    variables = built.replace_rvs_by_values([built[name] for name in names])
    compiled = pytensor.function(inputs, [logp, slopes, *variables], mode=Mode("py", None))
    rng = np.random.default_rng(8)
    gaps = []
    for x in rng.normal(scale=0.6, size=(3, density.size)):
        parts = [x[place].reshape(shape) for place, shape in density.places.values()]
        wanted, slope, *given = compiled(*parts)
        value, gradient = density(x)
        gaps.append(value - wanted)
        np.testing.assert_allclose(gradient, slope, rtol=1e-8, atol=1e-8)
        values = density.values(x[None, None])
        for name, variable in zip(names, given, strict=True):
            np.testing.assert_allclose(values[name][0, 0], variable, rtol=1e-9)
    np.testing.assert_allclose(gaps, gaps[0], rtol=1e-10)
