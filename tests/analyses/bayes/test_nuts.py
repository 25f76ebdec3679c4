"""Engines on one table. Compiling takes seconds: one model here, others calibrate."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import options, pymc_model
from benchinfer.analyses.bayes.fit import fit
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import design
from tests.comparison.engines import largest_gap


@pytest.mark.filterwarnings("default")  # of compilers
def test_both_engines_agree(monkeypatch, capfd):
    monkeypatch.setattr(pymc_model, "WARM_UP", 500)
    model = GibbsModel(design("whole", 8, 3), "t", "common", Priors())
    told = []
    nuts = fit(
        model,
        (4, 500),
        np.random.default_rng(1),
        lambda *progress: told.append(progress),
        "nutpie",
    )
    assert told[0] == ("compiling the model, about a minute the first time", 0, 1)
    assert sum(done for task, done, _ in told if task == "draws") <= 1000
    assert nuts.convergence.divergences == nuts.draws.statistics["diverging"].sum()
    assert "acceptance_rate" in nuts.draws.statistics
    rows = {row.check for row in nuts.convergence.checks("draws")}
    assert "divergent transitions" in rows
    gibbs = fit(model, (8, 2000), np.random.default_rng(2), None)
    name, gap = largest_gap(gibbs.draws, nuts.draws)
    assert gap < 4, name
    assert "compiling the model" not in capfd.readouterr().err  # the callback was told


@pytest.mark.calibration
@pytest.mark.filterwarnings("default")  # of compilers
def test_pymc_samples_where_nutpie_is_not_installed(monkeypatch):
    monkeypatch.setattr(pymc_model, "WARM_UP", 300)
    model, told = GibbsModel(design("whole", 8, 2), "normal", "common", Priors()), []
    nuts = pymc_model.Nuts.of(model, lambda *progress: told.append(progress), "pymc")
    draws = nuts.sample(4, 500, "draws", np.random.default_rng(1))
    assert sum(done for task, done, _ in told if task == "draws") == 800
    assert set(draws.statistics) >= {"diverging", "energy", "lp", "acceptance_rate"}
    gibbs = fit(model, (8, 1000), np.random.default_rng(2), None)
    name, gap = largest_gap(gibbs.draws, draws)
    assert gap < 4, name


@pytest.fixture(scope="module")
def asked():
    found = bi.compare_bayes(bi.load_example("demsar2006"), draws=100, chains=4, seed=1)
    return found.options


@pytest.mark.parametrize(
    ("sampler", "likelihood", "installed", "runs"),
    [
        ("auto", "normal", False, "auto"),
        ("gibbs", "normal", True, "gibbs"),
        ("nuts", "normal", True, "nutpie"),
        ("nuts", "normal", False, "pymc"),
        ("pymc", "normal", True, "pymc"),
        ("auto", "binomial", True, "nutpie"),
        ("auto", "binomial", False, "pymc"),
    ],
)
def test_nuts_is_by_nutpie_where_that_is_installed(
    monkeypatch, asked, sampler, likelihood, installed, runs
):
    monkeypatch.setattr(options, "find_spec", lambda _: object() if installed else None)
    assert replace(asked, sampler=sampler, likelihood=likelihood).completed().sampler == runs


def test_nutpie_on_request_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "nutpie", None)
    model = GibbsModel(design("whole", 8, 2), "normal", "common", Priors())
    with pytest.raises(bi.errors.MissingExtra, match=r"pip install 'benchinfer\[nutpie\]'"):
        pymc_model.Nuts.of(model, lambda *_: None, "nutpie")
