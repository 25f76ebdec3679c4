"""Slopes of a hierarchical model along covariates of the data sets."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import fit
from benchinfer.comparison.posterior import Convergence

M, K, B = 16, 3, 4


def table(**columns):
    """Return a long frame in which the second algorithm gains with log_n, the third loses."""
    rng = np.random.default_rng(1)
    m, k, b = (x.ravel() for x in np.indices((M, K, B)))
    log_n = rng.normal(3, 1.2, M)
    effect = 0.2 * rng.standard_normal((M, K)) + np.outer(log_n - 3, [0, 0.5, -0.2])
    value = effect[m, k] + 0.1 * rng.standard_normal(m.size)
    names = {"dataset": [f"d{i:02}" for i in m], "algorithm": [f"a{i}" for i in k]}
    numbers = {"replication": b, "measure": "score", "value": value, "log_n": log_n[m]}
    return pd.DataFrame({**names, **numbers, **{n: f(m, b) for n, f in columns.items()}})


def read(frame, covariates=("log_n",), **options):
    measures = [bi.Measure("score", "higher", tolerance=0.05)]
    return bi.read_scores(
        frame, measures=measures, covariates=list(covariates), paired=True, **options
    )


@pytest.fixture(scope="module")
def scores():
    return read(table(flat=lambda m, _: 0 * m, run=lambda _, b: b), ("log_n", "flat", "run"))


@pytest.fixture(scope="module")
def result(scores):
    return bi.compare_bayes(scores, covariates="log_n", interactions="normal", draws=500, seed=1)


def test_slopes_are_near_those_of_the_mixed_model(result, scores):
    rows = result.slopes()
    wanted = bi.compare_mixed(scores, covariates="log_n").slopes()
    error = (wanted["conf_high"] - wanted["conf_low"]) / 6
    assert (abs(rows["estimate"] - wanted["estimate"]) < error).all()
    assert rows["covariate"].tolist() == ["log_n"] * 3
    assert rows["verdict"].tolist()[0] == "second"
    assert "prob_equivalent" not in rows


@pytest.mark.slow
def test_slopes_are_per_unit_of_the_covariate(result, scores):
    frame = scores.to_frame()
    other = read(frame.assign(log_n=10 * frame["log_n"] + 7))
    again = bi.compare_bayes(other, covariates="log_n", interactions="normal", draws=500, seed=1)
    np.testing.assert_allclose(10 * again.slopes()["estimate"], result.slopes()["estimate"])
    at = result.at(log_n=4).contrasts(all=True)["estimate"]
    np.testing.assert_allclose(again.at(log_n=47).contrasts(all=True)["estimate"], at)


def test_elsewhere(result):
    """From mean to mean plus one every difference moves by the difference of slopes."""
    mean = float(result.along.centre[0])
    there = result.at(log_n=mean + 1)
    moved = there.contrasts(all=True)["estimate"] - result.contrasts(all=True)["estimate"]
    np.testing.assert_allclose(moved, result.slopes()["estimate"])
    here = result.at(log_n=mean)
    for kind in ("average", "next"):
        one, two = result.contrasts(kind, all=True), here.contrasts(kind, all=True)
        np.testing.assert_allclose(one["estimate"], two["estimate"])
        np.testing.assert_allclose(one["prob_first"], two["prob_first"], atol=0.025)
    assert there.at(log_n=mean).contrasts(all=True).equals(here.contrasts(all=True))


def test_words(result):
    assert result.formula.count("algorithm:log_n") == 1
    assert "slopes along log_n" in result.method
    assert result.scope().endswith("data sets like these 16, with log_n at its mean")
    assert result.at(log_n=5).of("next").scope().endswith("like these 16, at log_n = 5")


def test_posterior_has_slopes(result):
    values = result.posterior
    slope = values["posterior"]["slope"]
    assert slope.dims == ("chain", "draw", "covariate", "algorithm")
    np.testing.assert_allclose(slope.sum("algorithm"), 0, atol=1e-12)
    differences = slope.mean(("chain", "draw"))[0].to_numpy()
    np.testing.assert_allclose(
        differences[0] - differences[1], result.slopes()["estimate"][0], atol=1e-12
    )
    prior = values["prior"]["slope"] * result.along.spread[0] / result.data.scale
    assert float(prior.std()) == pytest.approx(np.sqrt(2 / 3), rel=0.1)
    assert list(result.model().coords["covariate"]) == ["log_n"]


def test_survives_saving(result, tmp_path):
    again = bi.load(result.save(tmp_path / "result.json"))
    assert again.at(log_n=5).contrasts(all=True).equals(result.at(log_n=5).contrasts(all=True))


@pytest.fixture
def brief(monkeypatch):
    monkeypatch.setattr(fit, "WARM_UP", 50)
    monkeypatch.setattr(Convergence, "passed", property(lambda _: True))
    monkeypatch.setattr(Convergence, "settled", property(lambda _: True))


@pytest.mark.usefixtures("brief")
def test_domains_and_these_data_sets():
    scores = read(table(domain=lambda m, _: [f"g{i % 4}" for i in m]))
    options = {"covariates": ["log_n"], "draws": 100, "chains": 4, "seed": 1}
    result = bi.compare_bayes(scores, domains="random", **options)
    assert list(result.by_domain())[-1] == "new domain"
    assert result.slopes()["verdict"][0] == "second"
    fixed = bi.compare_bayes(scores, target="datasets", **options)
    with pytest.raises(bi.DesignError, match="whose covariates are what they are"):
        fixed.at(log_n=3)
    assert len(result.sensitivity(draws=100)) == 4 * K


@pytest.mark.usefixtures("brief")
def test_two_covariates():
    scores = read(table(size=lambda m, _: (m * 7) % 5), ("log_n", "size"))
    result = bi.compare_bayes(scores, covariates=["log_n", "size"], draws=100, chains=4, seed=1)
    assert result.slopes()["covariate"].tolist() == ["log_n"] * 3 + ["size"] * 3
    assert result.at(size=2).scope().endswith("at size = 2 and with log_n at its mean")
    assert result.scope().endswith("with log_n and size at their means")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none", "none"),
        ("flat", "flat has the same value on every data set"),
        ("run", "'run' varies within 16 data sets"),
    ],
)
def test_wrong_covariates(scores, name, words):
    with pytest.raises(bi.DesignError, match=words):
        bi.compare_bayes(scores, covariates=name)


def test_too_few_data_sets(scores):
    few = scores.subset(datasets=["d00", "d01", "d02"])
    with pytest.raises(bi.DesignError, match="3 data sets are too few for 1 covariate"):
        bi.compare_bayes(few, covariates="log_n")


@pytest.mark.usefixtures("brief")
def test_nowhere(result, scores):
    with pytest.raises(bi.DesignError, match="no covariate is given"):
        result.at()
    with pytest.raises(bi.DesignError, match="size"):
        result.at(size=1)
    with pytest.raises(bi.DesignError, match="a finite number"):
        result.at(log_n=np.nan)
    plain = bi.compare_bayes(scores, draws=100, chains=4, seed=1)
    with pytest.raises(bi.DesignError, match="the model has no covariates"):
        plain.slopes()


@pytest.mark.slow
@pytest.mark.usefixtures("brief")
def test_other_models_have_the_covariates_too(tmp_path):
    scores = read(table(domain=lambda m, _: [f"g{i % 4}" for i in m]))
    options = {"covariates": ["log_n"], "draws": 200, "chains": 4, "seed": 1}
    result = bi.compare_bayes(scores, domains="random", sensitivity="quick", **options)
    plain = bi.compare_bayes(
        scores, domains="random", interactions="normal", **{**options, "draws": 800}
    )
    error = np.hypot(result.other_models.error[0], plain.ranks.error.max())
    np.testing.assert_allclose(result.other_models.best[0], plain.ranks.best, atol=4 * error)
    # They are asked at the mean: what is said elsewhere, or in one domain, has none beside it.
    again = bi.load(result.save(tmp_path / "result.json"))
    assert again.other_models.variants == result.other_models.variants
    rows = len(result.diagnostics())
    for other in (again.at(log_n=9), again.by_domain()["g1"]):
        assert other.other_models is None
        assert len(other.diagnostics()) == rows - 2  # nor what plain means say


@pytest.mark.usefixtures("brief")
def test_elsewhere_in_a_domain():
    scores = read(table(domain=lambda m, _: [f"g{i % 4}" for i in m]))
    options = {"covariates": ["log_n"], "draws": 100, "chains": 4, "seed": 1}
    result = bi.compare_bayes(scores, domains="random", **options)
    mean = float(result.along.centre[0])
    here, there = result.by_domain()["g1"], result.at(log_n=mean + 1).by_domain()["g1"]
    moved = there.contrasts(all=True)["estimate"] - here.contrasts(all=True)["estimate"]
    np.testing.assert_allclose(moved, result.slopes()["estimate"])
    with pytest.raises(bi.DesignError, match="is in the domain g1 already"):
        here.at(log_n=3)
    with pytest.raises(bi.DesignError, match="is in the domain g1"):
        here.sensitivity()


@pytest.mark.usefixtures("brief")
def test_other_models_are_asked_where_the_comparison_is(result):
    """Far along the covariate a1 leads by any model, far down it a2 does."""
    for value, top in ((9, "a1"), (-4, "a2")):
        rows = result.at(log_n=value).sensitivity(draws=100)
        best = rows.loc[rows.groupby("variant")["prob_best"].idxmax(), "algorithm"]
        assert set(best) == {top}


def test_priors_move_slopes_too(result):
    values = result.prior_sensitivity().set_index("parameter")
    assert values.loc["slope of a1 along log_n", "diagnosis"] == "the scores decide"
