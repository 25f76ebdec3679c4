"""Getting it right (Geweke 2004): draws of parameters and data in turn keep to the prior.

Each chain has a table of its own: parameters come from the prior, a table from the parameters, and
then sweeps of the sampler and new tables alternate. If every step is right, parameters are
distributed as the prior after any number of rounds. The prior is simulated here, from its formulas.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.contrasts import reduce_contrasts
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import design, numbers, prior, with_tables

CHAINS, ROUNDS = 2000, 30
PRIORS = Priors(
    effect_scale=0.8,
    interaction_scale=0.5,
    tail_rate=0.4,
    residual_sd=0.5,
    residual_spread=0.2,
    domain_scale=0.4,
)
X = np.column_stack([np.linspace(-1.4, 1.4, 5), [1.0, -1.0, 0.5, 0.5, -1.0]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "interactions", "structure", "more"),
    [
        ("whole", "t", "unstructured", ""),
        ("single-missing", "t", "common", ""),
        ("missing", "normal", "common", 3),
        ("missing", "t", "unstructured", "along in domains"),
        *(
            pytest.param(*case, marks=pytest.mark.calibration)
            for case in [
                ("whole", "t", "common", ""),
                ("whole", "normal", "unstructured", ""),
                ("missing", "t", "unstructured", ""),
                ("missing", "normal", "common", ""),
                ("single", "t", "unstructured", ""),
                ("whole", "t", "unstructured", 3),
                ("missing", "normal", "common", "along"),
                ("whole", "t", "unstructured", "fixed"),
            ]
        ),
    ],
)
def test_draws_keep_to_the_prior(kind, interactions, structure, more):
    rng = np.random.default_rng(8)
    code = np.arange(5) % 3 if more in (3, "along in domains") else None
    priors = replace(PRIORS, effect_sd=0.8) if more == "fixed" else PRIORS
    along = X if "along" in str(more) else None
    model = GibbsModel(design(kind), interactions, structure, priors, code, along)
    expected = numbers(prior(model, CHAINS, rng))
    state = prior(model, CHAINS, rng)
    for _ in range(ROUNDS):
        state = gibbs.sweep(with_tables(model, state, rng), state, rng)
    for name, found in numbers(state).items():
        if name == "mixing" and interactions == "normal":
            continue
        if name in ("sigma", "centre", "spread") and not model.data.noisy:
            continue
        p = stats.ks_2samp(found, expected[name]).pvalue
        assert p > 1e-4, (name, p)


def test_the_same_seed_gives_the_same_draws():
    model = GibbsModel(design("missing"), "t", "unstructured", Priors())

    def run(seed):
        rng = np.random.default_rng(seed)
        draws, _ = gibbs.sample(model, gibbs.start(model, 4, rng), 20, rng)
        return draws

    one, two, other = run(1), run(1), run(2)
    np.testing.assert_array_equal(one.average, two.average)
    np.testing.assert_array_equal(one.covariance, two.covariance)
    assert not np.array_equal(one.average, other.average)


def test_segments_hold_the_moments_of_the_data_sets_effects():
    model = GibbsModel(design("whole"), "normal", "common", Priors())
    rng = np.random.default_rng(1)
    now = gibbs.start(model, 3, rng)
    draws, _ = gibbs.sample(model, now, 10, np.random.default_rng(5))
    again, rng = now, np.random.default_rng(5)
    theta = []
    for _ in range(10):
        again = gibbs.sweep(model, again, rng)
        theta.append(again.average[:, None] + again.interaction)
    theta = np.array(theta)
    np.testing.assert_allclose(draws.mean[1], theta[5:].mean(axis=0))
    np.testing.assert_allclose(draws.square[0], 5 * theta[:5].var(axis=0))
    np.testing.assert_allclose(draws.these[:, -1], theta[-1].mean(axis=1))


@pytest.mark.parametrize("structure", ["common", "unstructured"])
def test_no_interactions_at_all(structure):
    """Halves of chains agree on the log of the scale, which without the step drifts for long."""
    rng = np.random.default_rng(3)
    value = rng.standard_normal((15 * 4, 3)) + np.array([0.0, 0.5, 1.0])
    dataset, count = np.repeat(np.arange(15), 4), np.ones((60, 3), dtype=np.int64)
    data = reduce_contrasts(dataset, count, value, np.zeros(60))
    model = GibbsModel(data, "t", structure, Priors())
    warm = gibbs.sweep(model, gibbs.start(model, 8, rng), rng, 200)
    draws, _ = gibbs.sample(model, warm, 400, rng)
    log = np.log(draws.effective_scale)
    lagged = [np.corrcoef(x[:-20], x[20:])[0, 1] for x in log]
    assert np.mean(lagged) < 0.3
