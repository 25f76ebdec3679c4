"""Simulation-based calibration of the hierarchical model: `make calibrate`.

Talts, Betancourt, Simpson, Vehtari & Gelman (2018), https://doi.org/10.48550/arXiv.1804.06788: the
rank of the true parameter among draws of its posterior is uniform over tables that come from the
prior. The tables are the chains of one run.
"""

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from benchinfer.analyses.bayes.fit import fit
from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import design, numbers, prior, with_tables
from tests.analyses.bayes.oracle import by_nuts, largest_gap

TABLES, DRAWS, THIN, WARM_UP, BINS = 400, 99, 20, 500, 10
# The defaults but for tails of noise that would overflow in tables from the prior.
PRIORS = Priors(residual_sd=0.7, residual_spread=0.3)
# Of 12 data sets: one that is spread out, one that sets half of them apart.
COVARIATES = np.column_stack([np.linspace(-1.6, 1.6, 12), np.repeat([1.0, -1.0], 6)])


def calibrated(kind, interactions, structure, seed, domains=0, covariates=None):
    """Return (tables,) ranks of the truth among the draws, by parameter."""
    rng = np.random.default_rng(seed)
    code = np.arange(12) % domains if domains else None
    data = design(kind, 12, 4)
    model = GibbsModel(data, interactions, structure, PRIORS, code, covariates)
    tables = TABLES
    truth = prior(model, tables, rng)
    model = with_tables(model, truth, rng)
    state = gibbs.start(model, tables, rng)
    state = gibbs.sweep(model, state, rng, WARM_UP)
    wanted = numbers(truth)
    ranks = {name: np.zeros(tables, int) for name in wanted}
    for _ in range(DRAWS):
        state = gibbs.sweep(model, state, rng, THIN)
        for name, x in numbers(state).items():
            ranks[name] += x < wanted[name]
    unknown = {"mixing"} if interactions == "normal" else set()
    unknown |= {"covariance"} if structure == "common" else set()
    unknown |= set() if model.data.noisy else {"sigma", "centre", "spread"}
    return {name: rank for name, rank in ranks.items() if name not in unknown}


@pytest.mark.calibration
@pytest.mark.parametrize("interactions", ["t", "normal"])
@pytest.mark.parametrize("structure", ["common", "unstructured"])
@pytest.mark.parametrize("kind", ["whole", "missing", "unpaired", "single"])
def test_ranks_are_uniform_and_intervals_cover(kind, structure, interactions, record_property):
    found = calibrated(kind, interactions, structure, seed=101)
    check(found, f"{kind} {interactions} {structure}", record_property)


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("kind", "interactions", "structure"),
    [
        ("whole", "t", "unstructured"),
        ("missing", "normal", "unstructured"),
        ("whole", "t", "common"),
    ],
)
def test_domains(kind, interactions, structure, record_property):
    found = calibrated(kind, interactions, structure, seed=102, domains=4)
    assert {"domain", "domain_scale"} <= set(found)
    check(found, f"{kind} {interactions} {structure} in domains", record_property)


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("kind", "interactions", "structure", "domains"),
    [
        ("whole", "t", "unstructured", 0),
        ("missing", "t", "common", 0),
        ("missing", "normal", "unstructured", 4),
    ],
)
def test_covariates(kind, interactions, structure, domains, record_property):
    found = calibrated(kind, interactions, structure, 103, domains, COVARIATES)
    assert "slope" in found
    check(found, f"{kind} {interactions} {structure} {domains} along", record_property)


@pytest.mark.calibration
@pytest.mark.filterwarnings("default")  # of compilers
@pytest.mark.parametrize(
    ("kind", "interactions", "structure", "domains", "covariates"),
    [
        ("whole", "t", "unstructured", 0, None),
        ("missing", "t", "unstructured", 3, None),
        ("unpaired", "normal", "common", 0, None),
        ("single", "t", "unstructured", 0, None),
        ("missing", "t", "unstructured", 3, COVARIATES),
    ],
)
def test_nuts_agrees(kind, interactions, structure, domains, covariates, record_property):
    code = np.arange(12) % domains if domains else None
    model = GibbsModel(design(kind, 12, 4), interactions, structure, Priors(), code, covariates)
    nuts, statistics = by_nuts(model, 4, 2000)
    fitted = fit(model, (8, 4000), np.random.default_rng(2), None)
    name, gap = largest_gap(fitted.draws, nuts)
    about = f"{kind} {interactions} {structure} {domains} {covariates is not None}"
    record_property(about, [name, gap])
    assert not statistics["diverging"].any()
    assert gap < 4, name


def check(found, about, record_property):
    """Hold ranks against uniform ones, and coverage against the level."""
    low, high = binom.interval(0.9999, TABLES, 0.9)
    for name, ranks in found.items():
        counts = np.bincount(ranks * BINS // (DRAWS + 1), minlength=BINS)
        p = chisquare(counts).pvalue
        covered = int(((ranks >= 5) & (ranks < 95)).sum())
        record_property(f"{about} {name}", [p, covered / TABLES])
        assert p > 1e-4, (name, counts)
        assert low <= covered <= high, (name, covered)
