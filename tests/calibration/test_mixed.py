"""Error rates of all pairs by simulation: `make calibrate`, about half an hour of one core.

Two tests of each table: without any difference, and with two groups of algorithms far apart, in
which only claims about pairs within a group are false. Estimates minus true levels, and errors, do
not depend on the true levels: one fit serves both, and coverage, too.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.analyses.mixed.numerics.moments import from_blocks
from benchinfer.numerics import covariance
from tests.calibration import tables
from tests.calibration.tables import ALPHA, Case, fitted, limit, outcome, report, single_step

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
        stats = from_blocks(dataset, count, mean, np.zeros(dataset[-1] + 1))
        done = fitted(stats, case.terms, rows)
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


# Why a fifth of some algorithms' scores is missing: on hard data sets, where the score is low, and
# where it is low for the algorithm; and of how many of five algorithms.
LOST = list(product((10, 20, 50), (("hard", 1), ("score", 1), ("score", 5), ("effect", 1))))
TABLES_LOST, SHARE_LOST = 100, 0.2
# Measured shares of tables with a false decision; elsewhere the level is held.
BIASED = {(20, "effect", 1): 0.13, (50, "effect", 1): 0.37, (50, "score", 1): 0.10}


def lossy(rng, d, why, losers, k=5):
    """Return a table without any difference, of which scores are missing for a reason."""
    effect = rng.standard_normal((d, k))
    dataset = 2 * rng.standard_normal((d, 1))
    reason = {"hard": dataset + 0 * effect, "score": dataset + effect, "effect": effect}[why]
    missing = reason <= np.quantile(reason, SHARE_LOST, axis=0)
    at, label = np.nonzero(~missing | (np.arange(k) >= losers))
    rows = {
        "dataset": [f"d{i:02}" for i in at],
        "algorithm": [f"a{i}" for i in label],
        "score": (dataset + effect)[at, label],
    }
    return bi.read_scores(pd.DataFrame(rows), measures={"score": "higher"})


@pytest.mark.calibration
@pytest.mark.parametrize(("d", "loss"), LOST)
def test_scores_missing_where_bad(d, loss, record_property):
    why, losers = loss
    rng = np.random.default_rng([d, losers, len(why)])
    rows = []
    for _ in range(TABLES_LOST):
        found = bi.compare_mixed(lossy(rng, d, why, losers))
        checks = found.diagnostics().set_index("check")
        told = "missing where hard" in checks.index
        rows.append((found.contrasts(all=True)["p_value"].min() <= ALPHA, told))
    shares = report(f"D={d} {why}, {losers} of 5", {"lost": rows}, record_property)["lost"]
    expected = BIASED.get((d, why, losers), ALPHA)
    assert shares[0] <= expected + 4 * np.sqrt(expected * (1 - expected) / TABLES_LOST)
