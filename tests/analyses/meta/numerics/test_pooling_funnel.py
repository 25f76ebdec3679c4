"""Egger's test against metafor."""

import numpy as np
import pytest

from benchinfer.analyses.meta.numerics.pooling import egger
from benchinfer.core.errors import FitError

from .golden import VALUES, pair


def test_metafor():
    y, v, _, _ = pair()
    found, known = egger(y, v), VALUES["egger"]
    for name in ("statistic", "df", "p_value", "limit", "slope", "std_error"):
        assert getattr(found, name) == pytest.approx(known[name], rel=1e-9)


def test_a_funnel_needs_different_errors():
    with pytest.raises(FitError, match="three effects"):
        egger(np.arange(5.0), np.ones(5))
    with pytest.raises(FitError, match="three effects"):
        egger(np.arange(2.0), np.array([1.0, 2.0]))
