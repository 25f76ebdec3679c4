"""Effects from moments, against metafor's escalc and simulation."""

import numpy as np
import pytest

from benchinfer.analyses.meta.numerics import effects
from benchinfer.core.errors import FitError

from .golden import VALUES

KNOWN = VALUES["effects"]


def independent():
    m = KNOWN["moments"]
    return effects.StudyMoments(
        np.array([m["m2"], m["m1"]]), np.diag([m["s2"] ** 2, m["s1"] ** 2]), np.array([15.0, 12.0])
    )


def shared():
    cov = 0.7 * 0.06 * 0.09
    spread = np.array([[0.09**2, cov], [cov, 0.06**2]])
    return effects.StudyMoments(np.array([0.74, 0.82]), spread, np.array([12.0, 12.0]))


def test_escalc():
    found = independent()
    for got, name in (
        (effects.difference(found), "MD"),
        (effects.log_ratio(found), "ROM"),
        (effects.standardised(found, found.of_means, paired=False), "SMD"),
        (effects.difference(shared()), "MC"),
        (effects.log_ratio(shared()), "ROMC"),
    ):
        y, cov = effects.contrasts(got)
        np.testing.assert_allclose([y[0], cov[0, 0]], KNOWN[name], rtol=1e-9)


def test_variances_that_are_rounding_are_zero():
    # The first two algorithms have the same scores, but for the last digit of a variance.
    cov = np.array([[0.1, 0.1, 0.02], [0.1, np.nextafter(0.1, 1), 0.02], [0.02, 0.02, 0.3]])
    for order in ([0, 1, 2], [2, 0, 1]):
        own = effects.contrasts(effects.Levels(np.ones(3), cov[np.ix_(order, order)]))
        block = effects.Block(np.array(order), *own)
        first, second = effects.direct([block], np.array([[0, 1], [0, 2]]), 3)
        assert first.v == 0
        assert second.v == pytest.approx(0.36)


def test_moments_are_those_of_numpy():
    values = np.random.default_rng(1).normal(size=(20, 3))
    found = effects.moments(values, paired=True)
    np.testing.assert_allclose(found.spread, np.cov(values.T), rtol=1e-12)
    np.testing.assert_allclose(found.of_means, np.cov(values.T) / 20, rtol=1e-12)
    values[3:, 0] = np.nan
    found = effects.moments(values, paired=False)
    np.testing.assert_allclose(found.of_means.diagonal()[0], values[:3, 0].var(ddof=1) / 3)
    assert found.of_means[0, 1] == 0


def test_overlap_is_the_corrected_resampled_t():
    d = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0.04, 0.0, 0.03, 0.01, 0.02])
    values = np.column_stack([np.zeros(10), d])
    y, cov = effects.contrasts(
        effects.difference(effects.moments(values, paired=True, overlap=1 / 9))
    )
    assert y[0] / np.sqrt(cov[0, 0]) == pytest.approx(2.47580594604713, rel=1e-12)


def test_one_variance_is_the_residual_mean_square():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(15, 4)) + rng.normal(size=(15, 1))
    rest = values - values.mean(0) - values.mean(1, keepdims=True) + values.mean()
    found = effects.with_common_variance(effects.moments(values, paired=True), paired=True)
    assert found.spread[0, 0] == pytest.approx((rest**2).sum() / (14 * 3), rel=1e-12)
    found = effects.with_common_variance(effects.moments(values, paired=False), paired=False)
    assert found.spread[0, 0] == pytest.approx(values.var(axis=0, ddof=1).mean(), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("paired", [False, True])
def test_standardised_differences_are_unbiased_with_their_variance(paired):
    rng = np.random.default_rng(8)
    shape = (np.sqrt(0.6), np.sqrt(0.4)) if paired else (0.0, 1.0)
    found = []
    for _ in range(4000):
        values = shape[0] * rng.normal(size=(10, 1)) + shape[1] * rng.normal(size=(10, 2))
        values[:, 1] += 0.8
        moments = effects.moments(values, paired=paired)
        y, cov = effects.contrasts(effects.standardised(moments, moments.of_means, paired=paired))
        found.append((y[0], cov[0, 0]))
    y, v = np.array(found).T
    assert y.mean() == pytest.approx(0.8, abs=4 * y.std() / np.sqrt(len(y)))
    assert v.mean() == pytest.approx(y.var(), rel=0.1)


def test_what_has_no_effect_is_refused():
    with pytest.raises(FitError, match="fewer than two"):
        effects.moments(np.ones((1, 2)), paired=True)
    # The mean of six scores of 0.1 is another number.
    for constant in (np.ones((5, 2)), np.full((6, 2), 0.1)):
        flat = effects.moments(constant, paired=True)
        with pytest.raises(FitError, match="do not vary"):
            effects.standardised(flat, flat.of_means, paired=True)
    with pytest.raises(FitError, match="not positive"):
        effects.log_ratio(effects.moments(-np.ones((5, 2)), paired=True))
