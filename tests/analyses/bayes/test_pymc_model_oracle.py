"""The Gibbs sampler against NUTS on the same model in PyMC; compiling takes a minute."""

import numpy as np
import pytest

from benchinfer.analyses.bayes.fit import fit
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.numerics.posterior.nuts import WARM_UP, callback_of
from tests.analyses.bayes.numerics.simulator import design
from tests.analyses.bayes.oracle import by_nuts, largest_gap


@pytest.mark.calibration
def test_gibbs_sampler_agrees():
    model = GibbsModel(design("whole", 8, 2), "normal", "common", Priors())
    tasks = []

    def progress(*task):
        tasks.append(task)

    total = 500 + WARM_UP
    nuts, statistics = by_nuts(model, 4, 500, callback_of(progress, "draws", 4, total))
    assert sum(done for task, done, _ in tasks if task == "draws") <= total
    assert set(statistics) >= {"diverging", "energy", "lp", "acceptance_rate"}
    gibbs = fit(model, (8, 1000), np.random.default_rng(2), None)
    name, gap = largest_gap(gibbs.draws, nuts)
    assert gap < 4, name
