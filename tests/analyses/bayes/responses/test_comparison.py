"""What is made of draws of row-level models; the draws are made up, so that nothing compiles."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import benchinfer as bi
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.responses import mean_response
from benchinfer.analyses.bayes.responses import comparison as responses
from benchinfer.analyses.bayes.responses.comparison import ResponseComparison
from benchinfer.analyses.bayes.responses.fit import ResponseFit, logit_draws, response_convergence

M, K, N = 6, 3, 40
LOGITS = np.array([0.2, 0.9, 1.0])
SIZE = (4, 400)


def table(better="higher", **columns):
    rng = np.random.default_rng(1)
    m, n, k = (x.ravel() for x in np.indices((M, N, K)))
    p = expit(LOGITS[k] + 0.5 * rng.standard_normal((M, N))[m, n])
    value = (rng.random(p.size) < p).astype(float)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in m],
            "algorithm": [f"a{i}" for i in k],
            "replication": n,
            "measure": "score",
            "value": value,
            **{name: of(m) for name, of in columns.items()},
        }
    )
    return bi.read_scores(
        frame, measures=[bi.Measure("score", better, tolerance=0.05)], resampling="items"
    )


def made_up(model, size, scale):
    """Return draws about known logits, with scales that are known."""
    rng = np.random.default_rng(2)
    mu = LOGITS - LOGITS.mean()
    contrasts = mu @ helmert(K).T + 0.02 * rng.standard_normal((*size, K - 1))
    level = LOGITS.mean() + 0.02 * rng.standard_normal(size)
    theta = level[..., None, None] + (contrasts @ helmert(K))[:, :, None]
    noise = scale * rng.standard_normal((*size, M, K))
    one = np.ones(size) + 0.01 * rng.standard_normal(size)
    values = {
        "level": level,
        "dataset_scale": scale * one,
        "contrasts": contrasts,
        "scale": scale * one,
        "logit": theta + noise,
        "item_scale": 0.5 * one,
    }
    if model.domain is not None:
        values["domain_scale"] = scale * one
        values["domain_unit"] = rng.standard_normal((*size, model.domain.max() + 1, K - 1))
    draws = logit_draws(model, values)
    convergence = response_convergence(draws, values, 0)
    return ResponseFit(values, draws, {}, convergence, extended=False)


@pytest.fixture
def sampled(monkeypatch):
    def use(scale=0.3):
        def fake(model, _responses, size, *_):
            return made_up(model, size, scale)

        monkeypatch.setattr(responses, "sample_responses", fake)

    use()
    return use


def compare(scores, likelihood="binomial", **options):
    options = {"interactions": "normal", "structure": "common", "seed": 1} | options
    chains, draws = SIZE
    return bi.compare_bayes(scores, likelihood=likelihood, draws=draws, chains=chains, **options)


def test_effects_are_mean_scores(sampled):
    sampled(1e-4)
    result = compare(table())
    assert isinstance(result, ResponseComparison)
    wanted = mean_response(LOGITS, np.array(0.25))
    rows = result.summary()
    np.testing.assert_allclose(rows["estimate"], wanted, atol=0.002)
    np.testing.assert_allclose(
        result.contrasts(all=True)["estimate"], wanted[[0, 0, 1]] - wanted[[1, 2, 2]], atol=0.002
    )
    assert result.contrasts(all=True)["verdict"].tolist() == ["second", "second", "equivalent"]
    # Without variation between data sets, the next one is like the average.
    np.testing.assert_allclose(result.draws.following, result.draws.effects, atol=1e-3)
    np.testing.assert_allclose(result.draws.these, result.draws.effects, atol=1e-3)


def test_observed_rates_stand_beside_modelled_levels(sampled):
    del sampled
    scores = table()
    rows = scores.to_frame().groupby(["algorithm", "dataset"])["value"].mean()
    observed = rows.groupby("algorithm").mean()
    for likelihood in ("binomial", "normal"):
        result = compare(scores, likelihood)
        assert result.level_name == f"modelled {result.measure.name}"
        shown = result.summary().set_index("algorithm")["mean"]
        pd.testing.assert_series_equal(shown, observed[shown.index], check_names=False)
    assert 'likelihood="binomial"' not in " ".join(compare(scores).diagnostics()["remedy"])


def test_average_is_over_data_sets_that_there_could_be(sampled):
    sampled(0.8)
    result = compare(table())
    rng = np.random.default_rng(3)
    variance = 0.25 + 0.64 + 0.64 * (1 - 1 / K)
    wanted = expit(LOGITS + np.sqrt(variance) * rng.standard_normal((200_000, 1))).mean(axis=0)
    np.testing.assert_allclose(result.summary()["estimate"], wanted, atol=0.005)
    spread = result.draws.following.std(axis=(0, 1))
    simulated = expit(
        LOGITS
        + 0.8 * rng.standard_normal((200_000, 1))
        + 0.8 * (rng.standard_normal((200_000, K - 1)) @ helmert(K))
    )
    np.testing.assert_allclose(spread, simulated.std(axis=0), rtol=0.15)
    following = result.contrasts("next", all=True)
    assert (following["prob_second"] < result.contrasts(all=True)["prob_second"]).iloc[0]
    np.testing.assert_allclose(following["estimate"], result.contrasts(all=True)["estimate"])


@pytest.mark.usefixtures("sampled")
def test_lower_is_better():
    high, low = compare(table()), compare(table(better="lower"))
    one, two = high.summary(), low.summary()
    np.testing.assert_allclose(one["estimate"], two["estimate"])
    np.testing.assert_allclose(one["conf_low"], two["conf_low"])
    np.testing.assert_allclose(one["rank"], 4 - two["rank"])


@pytest.mark.usefixtures("sampled")
def test_words_and_records(tmp_path):
    result = compare(table())
    assert result.formula.startswith("score ~ binomial; logit = data set + algorithm + interaction")
    assert "Algorithms share items" in result.method
    assert "was sampled by NUTS (nutpie)" in result.method
    assert "residual variance of each data set" not in result.method
    assert result.unused_priors >= {"residual_sd", "slope_sd", "tail_rate", "shrinkage_sd"}
    assert "item_scale" not in result.unused_priors
    assert "bock1981" in result.citations()
    assert result.diagnostics()["ok"].iloc[:2].all()
    again = bi.load(result.save(tmp_path / "result.json"))
    assert again.contrasts(all=True).equals(result.contrasts(all=True))
    assert again.responses.items.count.tolist() == result.responses.items.count.tolist()
    tree = again.posterior
    assert set(tree.children) == {"posterior"}
    assert {"logit", "effect", "item_scale"} <= set(tree["posterior"].data_vars)
    assert list(result.model().coords["dataset"]) == [f"d{i}" for i in range(M)]
    assert result.of("next").relation() is not None


@pytest.mark.usefixtures("sampled")
def test_domains():
    result = compare(table(domain=lambda m: [f"g{i % 3}" for i in m]), domains="random")
    parts = result.by_domain()
    assert list(parts) == ["g0", "g1", "g2", "new domain"]
    assert "3 domains" in result.method
    assert parts["new domain"].summary()["estimate"].between(0.4, 0.9).all()


@pytest.mark.usefixtures("sampled")
def test_these_data_sets():
    result = compare(table(), target="datasets")
    assert result.following is None
    np.testing.assert_allclose(result.levels.estimate, result.draws.these.mean(axis=(0, 1)))


@pytest.mark.usefixtures("sampled")
def test_refusals():
    result = compare(table())
    with pytest.raises(bi.DesignError, match="each takes as long as the comparison"):
        result.sensitivity()
    with pytest.raises(bi.DesignError, match="of rows, not of contrasts"):
        _ = result.sampled
    with pytest.raises(bi.DesignError, match="the model has no covariates"):
        result.slopes()
    with pytest.raises(bi.DesignError, match="does not go with likelihood='binomial'"):
        compare(table(), covariates="size")
    with pytest.raises(bi.DesignError, match="likelihood"):
        compare(table(), "poisson")
    with pytest.raises(bi.DesignError, match="does not go with likelihood='normal'"):
        compare(table(), "normal", trials="n")
