"""Settings of the tests of Bayesian models."""

import pytest

from tests.sampling import brief_warm_up


@pytest.fixture(scope="module", autouse=True)
def _brief():
    """Small tables settle within the brief warm-up; the usual one would take most of the time."""
    with brief_warm_up():
        yield
