"""Shrunk variances: against limma, and at the limits."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchinfer.analyses.meta.numerics.moderation import moderated

GOLDEN = json.loads(
    (Path(__file__).parents[3] / "golden" / "moderation" / "moderated.json").read_text("utf-8")
)


@pytest.mark.parametrize("name", GOLDEN["cases"])
def test_variances_are_limmas(name):
    case = GOLDEN["cases"][name]
    found = moderated(np.array(case["variance"]), np.array(case["df"], float))
    np.testing.assert_allclose(found.variance, case["moderated"], rtol=1e-7)
    assert found.prior == pytest.approx(case["prior"], rel=1e-7)
    assert found.prior_df == pytest.approx(float(case["prior_df"]), rel=1e-6)


def test_units_do_not_matter_and_many_degrees_of_freedom_shrink_nothing():
    rng = np.random.default_rng(3)
    variance, df = rng.gamma(1.0, 2.0, 12), np.full(12, 3.0)
    own, other = moderated(variance, df), moderated(1e6 * variance, df)
    np.testing.assert_allclose(other.variance, 1e6 * own.variance)
    assert other.prior_df == pytest.approx(own.prior_df)
    np.testing.assert_allclose(moderated(variance, 1e7 * df).variance, variance, rtol=1e-5)


def test_what_is_known_of_the_prior_is_found_again():
    rng = np.random.default_rng(4)
    true = 2.0 * 6 / rng.chisquare(6, 20_000)
    found = moderated(true * rng.chisquare(3, 20_000) / 3, np.full(20_000, 3.0))
    assert found.prior == pytest.approx(2.0, rel=0.03)
    assert found.prior_df == pytest.approx(6, rel=0.1)
    # The shrunk variances are nearer to the true ones.
    assert np.corrcoef(np.log(found.variance), np.log(true))[0, 1] > 0.5
