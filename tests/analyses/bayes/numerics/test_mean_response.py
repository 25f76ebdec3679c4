import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from benchinfer.analyses.bayes.numerics.responses import mean_response, population_response


@pytest.mark.parametrize(("location", "variance"), [(0.3, 0.0), (1.0, 4.0), (2.0, 25.0)])
def test_mean_by_quadrature(location, variance):
    def density(z):
        return stats.norm.pdf(z) * expit(location + np.sqrt(variance) * z)

    wanted = integrate.quad(density, -12, 12)[0]
    found = mean_response(np.array([location]), np.array([variance]))
    np.testing.assert_allclose(found, wanted, atol=2e-5)


def test_population_by_simulation():
    rng = np.random.default_rng(1)
    t = stats.t(1.5).rvs(400_000, random_state=rng) * np.sqrt(0.7)
    wanted = expit(1 + t + np.sqrt(0.5) * rng.standard_normal(t.size))
    one = np.ones((1, 1, 1))
    found = population_response(one, 0.5 * one, 0.7 * one, np.full((1, 1), 1.5))
    assert found.item() == pytest.approx(wanted.mean(), abs=4 * wanted.std() / np.sqrt(t.size))
    normal = population_response(one, 0.5 * one, 0.7 * one)
    np.testing.assert_allclose(normal, mean_response(one, 1.2 * one))
