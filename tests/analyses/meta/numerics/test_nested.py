"""Three levels against metafor's rma.mv."""

import numpy as np
import pytest

from benchinfer.analyses.meta.numerics import nested as module
from benchinfer.analyses.meta.numerics.effects import rows_of
from benchinfer.analyses.meta.numerics.nested import nested
from benchinfer.core.errors import FitError

from .golden import VALUES, blocks, pair, part


def test_one_pair():
    known, (_, _, _, study) = VALUES["three"], pair()
    one = part()
    found = nested(one, np.array([[-1.0, 1.0]] * len(one.y)), study.astype(int) - 1)
    assert found.between == pytest.approx(known["between"], rel=1e-5)
    assert found.within == pytest.approx(known["within"], rel=1e-5)
    assert found.beta[0] == pytest.approx(known["beta"], rel=1e-6)
    assert np.sqrt(found.cov[0, 0]) == pytest.approx(known["std_error"], rel=1e-6)
    assert found.log_likelihood == pytest.approx(known["log_likelihood"], rel=1e-8)
    assert found.groups == 8


def test_a_network():
    known, rows = VALUES["nest"], rows_of(blocks(), 5)
    study = np.array(VALUES["network"]["study"])[rows.dataset] - 1
    found = nested(rows.part(), rows.x, study)
    assert found.between == pytest.approx(known["between"], rel=1e-3)
    assert found.within == pytest.approx(known["within"], rel=2e-3)
    np.testing.assert_allclose(found.beta, known["beta"], rtol=1e-4)
    np.testing.assert_allclose(found.cov, known["cov"], rtol=1e-3)


def test_variances_that_are_at_no_optimum_are_refused(monkeypatch):
    (_, _, _, study), one = pair(), part()
    monkeypatch.setattr(module, "_polished", lambda _, theta: 2 * theta + 0.1)
    with pytest.raises(FitError, match="three levels did not converge"):
        nested(one, np.array([[-1.0, 1.0]] * len(one.y)), study.astype(int) - 1)
