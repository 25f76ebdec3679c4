"""Samplers that take less time than those of users."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchinfer.analyses.bayes import fit


@contextmanager
def brief_warm_up() -> Iterator[None]:
    """Let Gibbs samplers warm up for a fifth of the usual number of sweeps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit, "WARM_UP", fit.WARM_UP // 5)
        yield
