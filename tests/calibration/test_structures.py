"""Error rates of structures besides the default, by simulation: `make calibrate`, ten minutes.

Bounds are the nominal level and four Monte Carlo errors.
"""

from itertools import product

import numpy as np
import pytest

from benchinfer.analyses.mixed.design import Design, Fixed
from benchinfer.analyses.mixed.fit import AveragedFit, MixedFit, ScoreReduction
from benchinfer.analyses.mixed.numerics import moments
from benchinfer.analyses.mixed.numerics.moments import from_blocks
from benchinfer.analyses.mixed.numerics.optimum import fit
from tests.calibration import tables
from tests.calibration.tables import Case, fitted, limit, outcome, report

TABLES = 300
TABLES_DOMAINS = 500
TABLES_DATASETS = 1000
METHODS = ("kenward-roger", "satterthwaite")
DESIGNS = ((10, 5, 2), (10, 5, 5), (20, 5, 5), (50, 5, 5))
CONDITIONS = ((False, False, 0.0), (True, False, 0.0), (True, True, 0.0), (True, False, 0.2))

CASES = [
    (between, Case(*design, *condition))
    for between, design, condition in product(("unstructured", "diagonal"), DESIGNS, CONDITIONS)
    # Of two algorithms only the variance of the difference can be told.
    if between == "unstructured" or design[2] > 2
]


def blocks(rng, case, value):
    dataset, count, mean = tables.ragged(rng, case, value)
    within = np.zeros((dataset[-1] + 1, case.k))
    return moments.structured_from_blocks(dataset, count, mean, within)


@pytest.mark.calibration
@pytest.mark.parametrize(("between", "case"), CASES, ids=str)
def test_structures(between, case, record_property):
    rng, rows = np.random.default_rng(CASES.index((between, case))), case.family.matrix
    found = {f"{between}, {df}": [] for df in METHODS} | {"refused": []}
    for value in tables.scores(rng, case, TABLES):
        done = fitted(blocks(rng, case, value), case.terms, rows, structure=between)
        found["refused"].append([done is None])
        if done is None:
            continue
        for df in METHODS:
            errors = done[0].errors(rows, df)
            found[f"{between}, {df}"].append(outcome(case, done[0].model.beta, errors))
    shares = report(case, found, record_property)
    # Without a difference, and in two groups; how often an interval misses is recorded.
    for df in METHODS:
        assert (shares[f"{between}, {df}"][:2] <= limit(TABLES)).all(), df


def grouped(rng, case, n, code):
    """Return (n, G, K) effects of domains for the data sets' codes, as (n, D, 1, K)."""
    domains = Case(int(code.max()) + 1, case.b, case.k, case.unequal, case.heavy)
    effect = tables.interactions(rng, domains, n)
    effect += tables.noise(rng, case, n, domains.d, 1)
    return effect, effect[:, code, None]


# Few domains with several data sets each, and many with few.
DOMAINS = [
    (code, Case(len(code), 5, 5, unequal, heavy=False, missing=missing))
    for code in (np.repeat(np.arange(4), 5), np.repeat(np.arange(10), 3))
    for unequal, missing in ((False, 0.0), (True, 0.0), (True, 0.2))
]


@pytest.mark.calibration
@pytest.mark.parametrize("number", range(len(DOMAINS)), ids=lambda i: f"{DOMAINS[i][1]} domains")
def test_random_domains(number, record_property):
    code, case = DOMAINS[number]
    rng = np.random.default_rng(number)
    names = ("random, default", "random, common, kenward-roger")
    found = {name: [] for name in names} | {"refused": []}
    values = tables.scores(rng, case, TABLES_DOMAINS)
    values += grouped(rng, case, TABLES_DOMAINS, code)[1]
    rows = case.family.matrix
    for value in values:
        done = fitted(blocks(rng, case, value), case.terms, rows, domain=code)
        found["refused"].append([done is None])
        if done is None:
            continue
        solved, own = done
        model, common = solved.model, solved.errors(rows, METHODS[0])
        for name, errors in zip(names, (own, common), strict=True):
            found[name].append(outcome(case, model.beta, errors))
    shares = report(f"{code.max() + 1} domains, {case}", found, record_property)
    assert (shares[names[0]] <= limit(TABLES_DOMAINS)).all()


@pytest.mark.calibration
@pytest.mark.parametrize("number", range(len(DOMAINS)), ids=lambda i: f"{DOMAINS[i][1]} domains")
def test_separate_domains(number, record_property):
    code, case = DOMAINS[number]
    rng = np.random.default_rng(number)
    names = ("separate, default", "separate, common, kenward-roger")
    found = {name: [] for name in names} | {"refused": []}
    values = tables.scores(rng, case, TABLES_DOMAINS)
    effect, spread = grouped(rng, case, TABLES_DOMAINS, code)
    # Algorithms differ within domains and are equal on average over them.
    values += spread - effect.mean(axis=1)[:, None, None]
    k, g = case.k, int(code.max()) + 1
    x = np.einsum("dg,kl->dkgl", np.eye(g)[code], np.eye(k)).reshape(case.d, k, g * k)
    at = np.tile(np.eye(k), g) / g
    rows = case.family.matrix @ at
    for value in values:
        dataset, count, mean = tables.ragged(rng, case, value)
        stats = from_blocks(dataset, count, mean, np.zeros(case.d))
        done = fitted(stats, case.terms, rows, x=x)
        found["refused"].append([done is None])
        if done is None:
            continue
        solved, own = done
        model, common = solved.model, solved.errors(rows, METHODS[0])
        for name, errors in zip(names, (own, common), strict=True):
            levels = type(errors)(at @ errors.cov @ at.T, errors.df)
            found[name].append(outcome(case, at @ model.beta, levels))
    shares = report(f"{g} domains, {case}", found, record_property)
    assert (shares[names[0]] <= limit(TABLES_DOMAINS)).all()


@pytest.mark.calibration
@pytest.mark.parametrize("heavy", [False, True])
def test_given_datasets_from_overlapping_resamples(heavy, record_property):
    """Scores of an algorithm on a data set correlate by the test fraction, as corrected for."""
    case, rho = Case(5, 10, 5, unequal=True, heavy=heavy), 0.1
    rng = np.random.default_rng(int(heavy))
    d, b, k, n = case.d, case.b, case.k, TABLES_DATASETS
    effect = tables.interactions(rng, case, n)
    # These data sets are the subject: on their average the algorithms are equal.
    values = (effect - effect.mean(axis=1, keepdims=True))[:, :, None] + (
        0.3 * tables.noise(rng, case, n, d, b, 1)
        + np.sqrt(rho) * tables.noise(rng, case, n, d, 1, k)
        + np.sqrt(1 - rho) * tables.noise(rng, case, n, d, b, k)
    )
    found = {"corrected": [], "not corrected": []}
    terms = ("dataset:replication",)
    design = Design("score", terms, one_dataset=False, reason="", target="datasets", each=True)
    for value in values:
        count, block = np.ones((b, k), dtype=np.int64), np.zeros(b, dtype=np.int64)
        parts = [ScoreReduction(count, one, np.zeros((1, k)), block) for one in value]
        model = AveragedFit(tuple(fit(part.one_dataset(), ("dataset",)) for part in parts))
        for name, overlap in zip(found, (rho / (1 - rho), 0.0), strict=True):
            solved = MixedFit(design, Fixed(None, np.eye(k)), model, None, overlap=overlap)
            errors = solved.errors(case.family.matrix, METHODS[0])
            found[name].append(tables.single_step(case, model.beta, errors))
    shares = report(f"given data sets, {case}", found, record_property)
    # With heavy tails the size is above the level (0.074): recorded, not asserted.
    assert heavy or (shares["corrected"] <= limit(n)).all()
