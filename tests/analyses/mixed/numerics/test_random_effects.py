"""Predicted random effects against lme4 and dense matrices."""

import numpy as np
import pytest

from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import from_blocks
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.analyses.mixed.numerics.random_effects import predicted_effects
from tests.analyses.mixed.numerics.test_degrees_wald import CASES, golden
from tests.analyses.mixed.numerics.test_likelihood import ragged


def by_name(effects, names):
    """Mean and conditional sd under lme4's names."""
    pairs = zip(effects.mean.ravel(), effects.conditional_sd.ravel(), strict=True)
    return dict(zip(names, pairs, strict=True))


@pytest.mark.parametrize(("table", "model"), CASES)
def test_agrees_with_lme4(table, model):
    values, stats, terms, blocks = golden(table, model)
    mine = fit(stats, terms)
    sets, algorithms = blocks.datasets, blocks.algorithms
    units = {"dataset": sets, "dataset:algorithm": [f"{d}:{a}" for d in sets for a in algorithms]}
    effects = predicted_effects(stats, mine)
    found = {name: by_name(effects[name], units[name]) for name in effects}
    for name in values["random_effects"].keys() - {"dataset:replication"}:
        expected = values["random_effects"][name]
        for key, mean in expected["mean"].items():
            mean_found, sd = found[name][key]
            # Predictions inherit the error of lme4's variances.
            assert mean_found == pytest.approx(mean, rel=1e-5, abs=1e-8)
            assert sd == pytest.approx(expected["sd"][key], rel=2e-6, abs=1e-8)


def dense(dataset, count, mean, theta, x):
    """Conditional and prediction standard deviations of all effects, and means, by n x n matrices.

    Repeated scores all equal their mean, which changes no prediction at given variances.
    """
    block, algorithm = np.nonzero(count)
    times = count[block, algorithm]
    block, algorithm = np.repeat(block, times), np.repeat(algorithm, times)
    m, k = dataset[block], count.shape[1]
    y = mean[block, algorithm]
    design = np.eye(k)[algorithm] if x is None else x[m, algorithm]
    d = dataset.max() + 1
    z = [
        np.eye(d)[m],
        np.eye(d * k)[m * k + algorithm],
        np.eye(len(dataset))[block],
    ]
    v = theta[3] * np.eye(len(y)) + sum(t * a @ a.T for t, a in zip(theta[:3], z, strict=True))
    inverse = np.linalg.inv(v)
    phi = np.linalg.inv(design.T @ inverse @ design)
    beta = phi @ design.T @ inverse @ y
    out = []
    for t, a in zip(theta[:2], z[:2], strict=True):
        reach = t * a.T @ inverse
        conditional = t - t * np.einsum("ij,ji->i", reach, a)
        added = np.einsum("ip,pq,iq->i", reach @ design, phi, reach @ design)
        out.append(
            (reach @ (y - design @ beta), np.sqrt(conditional), np.sqrt(conditional + added))
        )
    return out


@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("covariate", [True, False])
def test_equals_the_dense_computation(repeats, covariate):
    rng = np.random.default_rng(7)
    dataset, count, mean = ragged(rng, d=8, repeats=repeats)
    d, k = dataset.max() + 1, count.shape[1]
    x = None
    if covariate:
        slope = rng.normal(size=d)[:, None, None] * np.eye(k)
        x = np.concatenate([np.tile(np.eye(k), (d, 1, 1)), slope], axis=2)
    stats = from_blocks(dataset, count, mean, np.zeros(d))
    model = fit(stats, COMPONENTS[:3], x)
    expected = dense(dataset, count, mean, model.variances, x)
    found = predicted_effects(stats, model, x).values()
    for effects, (means, conditional, prediction) in zip(found, expected, strict=True):
        np.testing.assert_allclose(effects.mean.ravel(), means, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(
            effects.conditional_sd.ravel(), conditional, rtol=1e-7, atol=1e-7
        )
        np.testing.assert_allclose(effects.prediction_sd.ravel(), prediction, rtol=1e-7, atol=1e-7)


def test_a_component_that_is_not_in_the_model_has_no_effects():
    rng = np.random.default_rng(2)
    dataset, count, mean = ragged(rng)
    stats = from_blocks(dataset, count, mean, np.full(5, 0.1))
    model = fit(stats, ("dataset",))
    assert list(predicted_effects(stats, model)) == ["dataset"]


def test_effects_of_a_component_at_zero_are_exactly_zero():
    scores = np.add.outer(np.arange(6.0), [0.0, 1.0, 3.0])[:, None] + np.array([[-1], [1.0]])
    stats = from_blocks(
        np.repeat(np.arange(6), 2), np.ones((12, 3), int), scores.reshape(12, 3), np.full(6, 0.5)
    )
    model = fit(stats, COMPONENTS[:3])
    assert "dataset:algorithm" in model.singular
    effects = predicted_effects(stats, model)["dataset:algorithm"]
    assert not np.any([effects.mean, effects.conditional_sd, effects.prediction_sd])


@pytest.mark.slow
def test_predictions_err_as_much_as_they_say():
    rng = np.random.default_rng(13)
    d, errors = 40, []
    for _ in range(100):
        effect = rng.normal(size=d)
        dataset = np.repeat(np.arange(d), 3)
        mean = effect[dataset][:, None] + rng.normal(size=(3 * d, 3)) + [0.0, 1.0, 2.0]
        stats = from_blocks(dataset, np.ones((3 * d, 3), int), mean, np.zeros(d))
        effects = predicted_effects(stats, fit(stats, ("dataset",)))["dataset"]
        error = effects.mean - effect
        errors.append([error / effects.prediction_sd, error / effects.conditional_sd])
    prediction, conditional = np.square(errors).mean(axis=(0, 2))
    # Own errors 0.1, shared errors of the algorithms' means 0.0225: 0.03 of Monte Carlo error.
    assert prediction == pytest.approx(1, abs=0.1)
    assert conditional == pytest.approx(1.225, abs=0.1)
