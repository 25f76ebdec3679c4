"""What priors say before and after the scores."""

import numpy as np
import pytest

import benchinfer as bi
from tests.analyses.bayes.test_leave_one_out import table


@pytest.mark.slow
def test_prior_check_is_in_the_units_of_the_scores():
    result = bi.compare_bayes(table(), draws=100, chains=4, seed=1)
    values = result.prior_check().set_index("statistic_name")
    row = values.loc["interaction_scale"]
    # Half-t with 3 degrees of freedom of the scale of the data, blurred by the inverse Wishart.
    assert row["predicted"] == pytest.approx(0.76 * result.data.scale, rel=0.35)
    spread = values.loc["spread of the algorithms, all data sets"]
    assert spread["predicted_low"] < 2.5 * spread["estimate"]
    wide = bi.compare_bayes(
        table(), priors=bi.priors.Priors(effect_scale=40.0), draws=100, chains=4, seed=1
    ).prior_check()
    assert wide["predicted"][0] > 8 * values["predicted"].iloc[0]


@pytest.mark.slow
def test_strong_priors_are_said_to_decide():
    weak = bi.compare_bayes(table(d=20), draws=250, chains=4, seed=1).prior_sensitivity()
    strong = bi.compare_bayes(
        table(d=20), priors=bi.priors.Priors(effect_sd=0.1), draws=250, chains=4, seed=1
    ).prior_sensitivity()
    effect = weak["parameter"] == "effect of a2"
    assert weak["diagnosis"][effect].tolist() == ["the scores decide"]
    assert strong["diagnosis"][effect].tolist() == ["priors and scores may disagree"]
    moved = strong["prior_sensitivity"][effect].item()
    assert moved > 5 * weak["prior_sensitivity"][effect].item()
    assert np.isfinite(weak["likelihood_sensitivity"]).all()
