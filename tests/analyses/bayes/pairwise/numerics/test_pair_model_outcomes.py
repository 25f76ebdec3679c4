import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.bayes.pairwise.numerics.pair_model import next_dataset


def test_outcomes_are_means_and_votes_shares_over_draws():
    rng = np.random.default_rng(1)
    centre, std = rng.normal(0.2, 0.5, (4, 300, 2)), rng.uniform(0.2, 1.0, (4, 300, 2))
    nu, margin = rng.uniform(1.5, 20, (4, 300, 2)), np.array([0.1, 0.3])
    values, votes = next_dataset(centre, std, nu, margin, 0.9, rng)
    first = stats.t.sf(margin, nu, centre, std)
    second = stats.t.cdf(-margin, nu, centre, std)
    three = np.stack([first, 1 - first - second, second])
    means = three.mean(axis=(1, 2))
    np.testing.assert_allclose([values.first, values.equivalent, values.second], means)
    ahead = three.argmax(axis=0)
    shares = np.array([(ahead == k).mean(axis=(0, 1)) for k in range(3)])
    np.testing.assert_allclose([votes.first, votes.equivalent, votes.second], shares)
    np.testing.assert_allclose(values.dominant, shares[means.argmax(axis=0), [0, 1]])
    assert (values.low < values.estimate).all()
    assert (values.estimate < values.high).all()


def test_without_margin_nothing_is_equivalent():
    rng = np.random.default_rng(1)
    shape = (2, 50, 1)
    centre, nu = np.full(shape, 0.3), np.full(shape, 5.0)
    values, votes = next_dataset(centre, np.ones(shape), nu, np.zeros(1), 0.9, rng)
    assert values.equivalent[0] == 0
    assert values.first[0] + values.second[0] == pytest.approx(1)
    assert votes.first[0] == 1
