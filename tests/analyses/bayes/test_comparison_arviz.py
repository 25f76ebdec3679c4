"""ArviZ reads the posterior: each of its plots of a tree, and those that `plot` hands over."""

import inspect

import arviz_plots
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import benchinfer as bi
from benchinfer.core.errors import DesignError

PLOTS = sorted(
    name
    for name in dir(arviz_plots)
    if name.startswith("plot_")
    and inspect.isfunction(found := getattr(arviz_plots, name))
    and next(iter(inspect.signature(found).parameters)) == "dt"
)
# What cannot be drawn of such a posterior: what ArviZ says, and the reason.
REFUSED = {
    "plot_ecdf_pit": "prior_sbc",  # needs simulation-based calibration
    "plot_energy": "energy",  # of NUTS; Gibbs sampling has none
    "plot_lm": "",  # needs a covariate along which predictions are drawn
    "plot_loo_interval": "",  # pointwise likelihoods are of data sets, predictions of cells
    "plot_loo_pava": "",  # the same
    "plot_loo_pit": "",  # the same
    "plot_ppc_pava_residuals": "",  # binary outcomes along a covariate
    "plot_ppc_rootogram": "continuous",  # counts
}
NEEDED = {
    "plot_pair_focus": {"focus_var": "interaction_scale"},
}
SLOW = {"plot_loo_interval"}


@pytest.fixture(scope="module")
def posterior(sampled):
    return sampled.posterior


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.calibration] * (name in SLOW)) for name in PLOTS],
)
@pytest.mark.filterwarnings("default")  # of observations that are not censored, of heavy tails
def test_each_plot_of_arviz_takes_the_posterior(name, posterior):
    plot = getattr(arviz_plots, name)
    known = inspect.signature(plot).parameters
    options = dict(NEEDED.get(name, {}))
    if (
        not options
        and "var_names" in known
        and ("group" not in known or known["group"].default == "posterior")
    ):
        options["var_names"] = "effect"
    try:
        if name in REFUSED:
            with pytest.raises((AttributeError, KeyError, TypeError, ValueError)) as refusal:
                plot(posterior, backend="matplotlib", **options)
            assert REFUSED[name] in str(refusal.value)
        else:
            plot(posterior, backend="matplotlib", **options)
    finally:
        plt.close("all")


def test_predictions_have_the_variables_and_dimensions_of_what_was_observed(nasty_sampled):
    tree = nasty_sampled.posterior
    seen, new = tree["observed_data"], tree["posterior_predictive"]
    assert list(seen.data_vars) == list(new.data_vars) == list(tree["prior_predictive"].data_vars)
    assert new["effect_estimate"].dims == ("chain", "draw", *seen["effect_estimate"].dims)
    # One cell is empty: effects on that data set are those of the other five.
    cells = set(zip(seen["dataset"].values, seen["algorithm"].values, strict=True))
    assert len(cells) == seen.sizes["cell"] == 3 * 6 - 1
    assert ("$d$", "文字") not in cells
    each = seen["effect_estimate"].to_dataset().to_dataframe().groupby("dataset")
    np.testing.assert_allclose(each["effect_estimate"].sum(), 0, atol=1e-12)


def test_observed_effects_are_differences_of_means(sampled, table):
    seen = sampled.posterior["observed_data"]["effect_estimate"].values.reshape(10, 4)
    means = table.cells("score").mean
    np.testing.assert_allclose(seen, means - means.mean(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "panels", "says"),
    [
        ("trace", 4 + 6, "Trace plot"),
        ("trace-rank", 4 + 6, "Rank plot"),
        ("ppc", 1, "Posterior predictive check"),
    ],
)
def test_plot_hands_over_to_arviz(sampled, kind, panels, says):
    figure = sampled.plot(kind, width="column")
    assert figure.get_size_inches()[0] == pytest.approx(3.3)
    assert sum(ax.axison or bool(ax.lines) for ax in figure.axes) == panels
    assert figure.get_label().startswith(says)
    assert figure._repr_png_()[0].startswith(b"\x89PNG")
    assert plt.get_fignums() == []
    with pytest.raises(DesignError, match="axes of its own"):
        sampled.plot(kind, ax=Figure().add_subplot())


@pytest.mark.slow
def test_wins_have_draws_and_no_predictions():
    scores = bi.load_example("demsar2006")
    values = bi.compare_wins(scores, inference="bayes", draws=100, chains=4, seed=1)
    assert "log_worth" in values.plot("trace").get_label()
    with pytest.raises(DesignError, match="unknown kind"):
        values.plot("ppc")
    with pytest.raises(DesignError, match="no posterior"):
        bi.compare_wins(scores).plot("trace")
