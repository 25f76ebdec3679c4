"""Error rates of all pairs by simulation: `make calibrate`, about half an hour of one core.

Two tests of each table: without any difference, and with two groups of algorithms far apart, in
which only claims about pairs within a group are false. Estimates minus true levels, and errors, do
not depend on the true levels: one fit serves both, and coverage, too.
"""

from itertools import product

import numpy as np
import pytest

from benchinfer.analyses.mixed.fit import ReducedModel
from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.analyses.mixed.numerics.moments import from_blocks
from benchinfer.numerics import covariance
from tests.calibration import tables
from tests.calibration.tables import Case, fitted, limit, outcome, report, single_step

TABLES = 2000
# Tables with missing scores need a fit each, which takes longest where there are many data sets.
LARGE, TABLES_LARGE = 50, 1000
TABLES_COMMON = 400
BATCH = 200

CASES = [
    Case(d, b, k, unequal, heavy, missing)
    for d, b, k in product((5, 10, 20, 50), (1, 5, 25), (2, 5, 10))
    for unequal, heavy, missing in product((False, True), (False, True), (0.0, 0.2))
]


def simulated(rng, case, n):
    left = n
    while left:
        yield from tables.scores(rng, case, min(BATCH, left))
        left -= min(BATCH, left)


def paired(case, value):
    """Return levels and errors of a complete table: the paired t-test on data set means."""
    cells = value.mean(axis=1)
    cov = np.atleast_2d(np.cov(cells.T)) / case.d
    return cells.mean(axis=0), covariance.Adjusted(
        cov, np.full(len(case.family.pairs), case.d - 1.0)
    )


@pytest.mark.calibration
@pytest.mark.parametrize("case", CASES, ids=str)
def test_default_holds_its_level(case, record_property):
    rng = np.random.default_rng(CASES.index(case))
    n = TABLES_LARGE if case.missing and case.d >= LARGE else TABLES
    rows = case.family.matrix
    found = {
        name: []
        for name in ("default", *(f"common, {df}" for df in degrees.METHODS), "refused", "singular")
    }
    for i, value in enumerate(simulated(rng, case, n)):
        if not case.missing:
            levels, own = paired(case, value)
            found["default"].append(outcome(case, levels, own))
            if i >= TABLES_COMMON:
                continue
        dataset, count, mean = tables.ragged(rng, case, value)
        problem = ReducedModel(
            from_blocks(dataset, count, mean, np.zeros(dataset[-1] + 1)), case.terms
        )
        done = fitted(problem, rows)
        found["refused"].append([done is None])
        if done is None:
            continue
        solved, own = done
        model = solved.model
        if case.missing:
            found["default"].append(outcome(case, model.beta, own))
        else:
            check_same(case, value, model, own)
        if i < TABLES_COMMON:
            # The joint distribution takes long where standard errors differ: Holm there.
            claims = outcome if case.missing else single_step
            for df in degrees.METHODS:
                errors = solved.errors(rows, df)
                found[f"common, {df}"].append(claims(case, model.beta, errors))
            found["singular"].append([bool(model.singular)])
    shares = report(case, found, record_property)
    assert (shares["default"] <= limit(len(found["default"]))).all()


def check_same(case, value, model, own):
    rows = case.family.matrix
    levels, plain = paired(case, value)
    np.testing.assert_allclose(rows @ model.beta, rows @ levels, rtol=1e-6, atol=1e-9)
    covs = (rows @ errors.cov @ rows.T for errors in (own, plain))
    np.testing.assert_allclose(*covs, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(own.df, plain.df, rtol=1e-6)
