"""Experiments with a hostile label."""

from functools import partial

import pytest

from tests import running as tables


@pytest.fixture(scope="session")
def running():
    """Draw a table of an experiment with shared replications."""
    return partial(tables.running, label="<u>m</u> $m$")
