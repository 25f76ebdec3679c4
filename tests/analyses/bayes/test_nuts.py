"""Both engines on one table. Compiling takes most of a minute: one test here, others calibrate."""

import numpy as np
import pytest

from benchinfer.analyses.bayes.fit import fit
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from tests.analyses.bayes.numerics.simulator import design
from tests.comparison.engines import largest_gap


@pytest.mark.filterwarnings("default")  # of compilers
def test_both_engines_agree(capfd):
    model = GibbsModel(design("whole", 8, 3), "t", "common", Priors())
    told = []
    nuts = fit(
        model,
        (4, 1000),
        np.random.default_rng(1),
        lambda *progress: told.append(progress),
        "nuts",
    )
    assert told[0] == ("compiling the model, about a minute the first time", 0, 1)
    assert sum(done for task, done, _ in told if task == "draws") <= 2000
    assert nuts.convergence.divergences == nuts.draws.statistics["diverging"].sum()
    assert "acceptance_rate" in nuts.draws.statistics
    rows = {row.check for row in nuts.convergence.checks("draws")}
    assert "divergent transitions" in rows
    gibbs = fit(model, (8, 2000), np.random.default_rng(2), None)
    name, gap = largest_gap(gibbs.draws, nuts.draws)
    assert gap < 4, name
    assert "compiling the model" not in capfd.readouterr().err  # the callback was told
