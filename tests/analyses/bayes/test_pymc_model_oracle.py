"""The Gibbs sampler against NUTS by PyMC, on one model; compiling takes seconds."""

import numpy as np
import pytest

from benchinfer.analyses.bayes import pymc_model
from benchinfer.analyses.bayes.fit import fit
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.pymc_model import nuts_callback, sampler_name
from tests.analyses.bayes.numerics.simulator import design
from tests.analyses.bayes.oracle import by_nuts, largest_gap


@pytest.mark.filterwarnings("default")  # of compilers
@pytest.mark.parametrize("engine", ["nutpie", pytest.param("pymc", marks=pytest.mark.calibration)])
def test_gibbs_sampler_agrees(engine, monkeypatch, capfd):
    monkeypatch.setattr(pymc_model, "WARM_UP", 300)
    if engine == "pymc":
        monkeypatch.setattr(pymc_model, "find_spec", lambda _: None)
    model = GibbsModel(design("whole", 8, 2), "normal", "common", Priors())
    tasks = []

    def progress(*task):
        tasks.append(task)

    nuts, statistics = by_nuts(model, 4, 500, progress, nuts_callback(progress, "draws", 4, 800))
    assert tasks[0] == ("compiling the model, about a minute the first time", 0, 1)
    assert sum(done for task, done, _ in tasks if task == "draws") <= 800
    assert set(statistics) >= {"diverging", "energy", "lp", "acceptance_rate"}
    gibbs = fit(model, (8, 1000), np.random.default_rng(2), None)
    name, gap = largest_gap(gibbs.draws, nuts)
    assert gap < 4, name
    assert "compiling the model" not in capfd.readouterr().err  # the callback says it


def test_compiling_is_announced_and_the_engine_named(monkeypatch, capfd):
    monkeypatch.setattr(pymc_model, "find_spec", lambda _: None)
    model = GibbsModel(design("whole", 8, 2), "normal", "common", Priors())
    compiled = pymc_model.compile_model(lambda: pymc_model.pymc_model(model), None)
    assert sampler_name(compiled) == "NUTS (PyMC)"
    assert sampler_name(object()) == "NUTS (PyMC, nutpie)"
    assert "compiling the model" in capfd.readouterr().err
