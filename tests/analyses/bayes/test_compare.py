import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray
from scipy import stats
from scipy.special import ndtr

import benchinfer as bi
from benchinfer.analyses.bayes import fit as bayes_fit
from benchinfer.analyses.bayes.fit import fit, modelled, reduced
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.comparison import posterior
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.posterior import Convergence, codes_of
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.posterior.outcome_probabilities import Outcomes, average_outcomes

GOLDEN = Path(__file__).parents[2] / "golden" / "bayes"


def read(frame, tolerance=0.0, **options):
    rows = frame.assign(measure="score").rename(columns={"score": "value"})
    return bi.read_scores(
        rows, measures=[bi.Measure("score", "higher", tolerance=tolerance)], **options
    )


def simulated(d=8, k=3, b=4, seed=1):
    """Return a long frame: the last algorithm is best by far."""
    rng = np.random.default_rng(seed)
    m, r, a = (x.ravel() for x in np.indices((d, b, k)))
    effect = 0.4 * rng.standard_normal((d, k)) + np.arange(k)
    value = effect[m, a] + rng.standard_normal((d, b))[m, r] + 0.3 * rng.standard_normal(m.size)
    names = np.array([f"a{i}" for i in range(k)])
    return pd.DataFrame(
        {"dataset": [f"d{i}" for i in m], "replication": r, "algorithm": names[a], "value": value}
    )


@pytest.fixture
def quick(monkeypatch):
    """Warm up briefly, where the numbers do not matter."""
    monkeypatch.setattr(bayes_fit, "WARM_UP", 50)


@pytest.fixture
def brief(monkeypatch):
    """Warm up briefly, and take the first draws, however few."""
    monkeypatch.setattr(bayes_fit, "WARM_UP", 50)
    monkeypatch.setattr(Convergence, "passed", property(lambda _: True))
    monkeypatch.setattr(Convergence, "settled", property(lambda _: True))


@pytest.fixture(scope="module")
def result():
    return bi.compare_bayes(read(simulated(), tolerance=0.1), draws=500, seed=1)


@pytest.mark.slow
def test_posterior_is_that_of_the_rows_by_another_sampler():
    golden = json.loads((GOLDEN / "posterior.json").read_text(encoding="utf-8"))
    scores = read(pd.read_csv(GOLDEN / "table.csv"), paired=True)
    result = bi.compare_bayes(scores, draws=1200, seed=2)
    np.testing.assert_allclose(result.data.scale, golden["scale"], rtol=1e-9)
    np.testing.assert_allclose(
        np.exp(2 * result.data.log_sd) * golden["scale"] ** 2, golden["pooled"], rtol=1e-9
    )
    scale, parameters = golden["scale"], result.draws.parameters
    values = {f"mu[{i}]": result.draws.effects[..., i] / scale for i in range(3)}
    values |= {
        "s_eff": parameters["interaction_scale"] / scale,
        "effect_scale": parameters["effect_scale"] / scale,
        "nu": parameters["degrees_of_freedom"],
        "kappa": parameters["shrinkage"],
        "centre": parameters["residual_centre"] - result.data.log_sd - np.log(scale),
        "spread": parameters["residual_spread"],
    }
    for name, draws in values.items():
        wanted = golden["values"][name]
        error = np.hypot(wanted["mcse"], draws.mean(axis=1).std(ddof=1) / np.sqrt(len(draws)))
        assert abs(draws.mean() - wanted["mean"]) < 4.5 * error, name
        if name in ("mu[0]", "mu[1]", "mu[2]", "centre"):
            assert draws.std() == pytest.approx(wanted["sd"], rel=0.05), name
    effects = result.draws.dataset_mean @ helmert(3) / scale
    for name, wanted in golden["values"].items():
        if name.startswith("effects"):
            m, i = map(int, name[8:-1].split(","))
            assert effects[m, i] == pytest.approx(wanted["mean"], abs=0.05 * wanted["sd"]), name


def effect_prior(beta, s):
    """Return the mean density of beta given s about each value, the effects' scale integrated."""
    ratio, half = np.exp(np.linspace(-9, 5, 141)), (beta[1] - beta[0]) / 2
    weight = stats.t(3).pdf(ratio) * ratio
    sd = s[..., None] * ratio
    cell = stats.norm.cdf((beta + half)[..., None] / sd) - stats.norm.cdf(
        (beta - half)[..., None] / sd
    )
    return cell @ (weight / weight.sum())


@pytest.mark.slow
@pytest.mark.parametrize("interactions", ["t", "normal"])
def test_two_algorithms_with_single_scores_by_quadrature(interactions):
    """Differences are t or normal about beta: a grid over beta, s and nu is the posterior."""
    rng = np.random.default_rng(3)
    d = 0.5 + rng.standard_t(3, 9)
    frame = pd.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(9)], 2),
            "replication": 0,
            "algorithm": ["a", "b"] * 9,
            "value": np.column_stack([d, np.zeros(9)]).ravel(),
        }
    )
    result = bi.compare_bayes(read(frame), interactions=interactions, draws=1200, seed=4)
    z = d / np.sqrt(2)
    z = z / np.sqrt((z**2).mean())
    beta = np.linspace(-3, 4, 141)[:, None, None]
    u = np.linspace(-5, 3, 81)[None, :, None]
    g = np.linspace(-7, 6, 53)[None, None, :] if interactions == "t" else np.zeros((1, 1, 1))
    log = np.log(effect_prior(beta, np.exp(u))) + stats.t(3).logpdf(np.exp(u)) + u
    if interactions == "t":
        log = log + stats.gamma(2, scale=10).logpdf(np.exp(g)) + g
    for one in z:
        unit = (one - beta) / np.exp(u)
        law = stats.t(1 + np.exp(g)) if interactions == "t" else stats.norm
        log = log + law.logpdf(unit) - u
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    mean = float((weight * beta).sum())
    sd = float(np.sqrt((weight * beta**2).sum() - mean**2))
    effect = result.draws.effects[..., 0] / result.data.scale * np.sqrt(2)
    assert effect.mean() == pytest.approx(mean, abs=5 * sd / np.sqrt(3600))
    assert effect.std() == pytest.approx(sd, rel=0.05)
    contrasts = result.contrasts(all=True)
    of_beta, at = weight.sum(axis=(1, 2)), beta[:, 0, 0]
    wanted = float(of_beta[at > 1e-9].sum() + of_beta[np.abs(at) < 1e-9].sum() / 2)
    assert contrasts["prob_first"][0] == pytest.approx(wanted, abs=0.015)


def test_verdicts_are_the_outcomes_that_reach_the_level(result):
    rows = result.contrasts(all=True)
    shares = rows[["prob_first", "prob_equivalent", "prob_second"]].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    needed = np.array([0.975, 0.95, 0.975])[shares.argmax(axis=1)]
    said = np.where(shares.max(axis=1) > needed, shares.argmax(axis=1), 3)
    names = np.array(["first", "equivalent", "second", "undecided"])
    assert rows["verdict"].tolist() == names[said].tolist()
    assert str(result.relation()) == "a2 > a1 > a0"
    assert rows["quantity"].tolist() == ["average"] * 3


def test_codes():
    p = np.array([0.98, 0.01, 0.01, 0.5, 0.96, 0.02, 0.975])
    q = np.array([0.01, 0.96, 0.01, 0.3, 0.02, 0.02, 0.025])
    nothing = np.zeros(7)
    values = Outcomes(nothing, nothing, nothing, p, q, 1 - p - q, nothing, None)
    assert [Verdict(c).name for c in codes_of(values, 0.95)] == [
        "FIRST",
        "EQUIVALENT",
        "SECOND",
        "UNDECIDED",
        "UNDECIDED",
        "UNDECIDED",
        "UNDECIDED",
    ]


@pytest.mark.parametrize("draws", [997, 1000, 1039, 1040, 4001])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_a_pair_is_decided_where_its_interval_excludes_equality(draws, level):
    rng = np.random.default_rng(draws)
    effects = rng.normal(np.linspace(0, 3, 400), 1, (1, draws, 400))
    values = average_outcomes(effects, np.eye(400), 0.0, level)
    codes, excluded = codes_of(values, level), (values.low > 0) | (values.high < 0)
    np.testing.assert_array_equal(codes != Verdict.UNDECIDED, excluded)
    assert 0 < excluded.sum() < 400


@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_no_verdict_turns_into_another_by_other_random_numbers(margin):
    """Of draws that differ by their random numbers some decide, but none otherwise."""
    means, codes, ends = np.linspace(-4, 4, 200), [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        noise = rng.normal(0, 1, (8, 300, 200))
        for t in range(1, 300):  # draws of a chain that forgets slowly
            noise[:, t] = 0.5 * noise[:, t - 1] + np.sqrt(0.75) * noise[:, t]
        values = average_outcomes(means + noise, np.eye(200), margin, 0.95)
        codes.append(codes_of(values, 0.95))
        ends.append((values.low > 0) | (values.high < 0))
    # Of all verdicts on the limit itself at most 0.3 % are decided, by a bound of three errors.
    exact = ndtr(np.abs(means) - margin) < 0.975
    assert (np.array(codes)[:, exact] != Verdict.UNDECIDED).mean() < 0.003
    decided = [{*column} - {Verdict.UNDECIDED} for column in np.array(codes).T]
    assert max(map(len, decided)) == 1
    if margin == 0:
        np.testing.assert_array_equal(np.array(codes) != Verdict.UNDECIDED, ends)


def test_a_probability_within_its_error_of_the_limit_decides_nothing():
    p, q = np.array([0.98, 0.98, 0.0, 0.0]), np.array([0.0, 0.0, 0.96, 0.96])
    nothing, error = np.zeros(4), np.array([0.0016, 0.0018, 0.003, 0.004])
    names = [
        [Verdict(c).name for c in codes_of(Outcomes(*3 * [nothing], *p_q_r, error, None), 0.95)]
        for p_q_r in ((p, q, 1 - p - q), (1 - p - q, q, p))
    ]
    assert names[0] == ["FIRST", "UNDECIDED", "EQUIVALENT", "UNDECIDED"]
    assert names[1] == ["SECOND", "UNDECIDED", "EQUIVALENT", "UNDECIDED"]


def test_the_next_data_set_is_less_certain_than_the_average(result):
    on_next = result.of("next")
    average, following = result.contrasts(all=True), result.contrasts("next", all=True)
    pd.testing.assert_frame_equal(on_next.contrasts(all=True), following)
    assert "p_dominant" in following
    assert "p_dominant" not in average
    assert (following["conf_low"] < average["conf_low"]).all()
    assert (following["prob_second"] < average["prob_second"] + 1e-9).all()
    np.testing.assert_allclose(following["estimate"], average["estimate"])
    assert "on the next data set" in on_next.rule
    assert on_next.scope().startswith("on the next one of data sets like these 8")


def test_summary_ranks(result):
    rows = result.summary()
    assert rows["prob_best"].sum() == pytest.approx(1)
    assert rows["prob_best_next"].sum() == pytest.approx(1)
    assert (rows["prob_near_best"] >= rows["prob_best_next"] - 1e-12).all()
    assert rows["expected_rank"].sum() == pytest.approx(6)
    assert (rows["rank_low"] <= rows["rank_high"]).all()
    cells = simulated().groupby("algorithm")["value"].mean()
    np.testing.assert_allclose(rows["estimate"], cells, atol=0.15)


@pytest.mark.usefixtures("brief")
def test_direction_does_not_matter():
    frame = simulated().assign(measure="score")
    frame["value"] = -frame["value"]
    scores = bi.read_scores(frame, measures=[bi.Measure("score", "lower", tolerance=0.1)])
    turned = bi.compare_bayes(scores, draws=200, seed=1)
    result = bi.compare_bayes(read(simulated(), tolerance=0.1), draws=200, seed=1)
    assert turned.relation() == result.relation()
    np.testing.assert_allclose(
        turned.contrasts(all=True)["estimate"], -result.contrasts(all=True)["estimate"]
    )
    np.testing.assert_allclose(
        turned.contrasts(all=True)["prob_first"], result.contrasts(all=True)["prob_first"]
    )


def test_posterior_is_a_tree_that_arviz_reads(result):
    tree = result.posterior
    assert set(tree.children) == {
        *("posterior", "sample_stats", "log_likelihood", "log_prior", "observed_data"),
        *("prior", "prior_predictive", "posterior_predictive", "constant_data"),
    }
    draws = tree["posterior"]
    assert draws["effect"].dims == ("chain", "draw", "algorithm")
    np.testing.assert_array_equal(draws["chain"], np.arange(8))
    np.testing.assert_allclose(draws["effect"].sum("algorithm"), 0, atol=1e-12)
    from arviz_stats import summary

    assert float(summary(tree, var_names=["effect"], round_to="none")["r_hat"].max()) < 1.01


@pytest.mark.usefixtures("brief")
def test_these_data_sets():
    result = bi.compare_bayes(read(simulated()), target="datasets", draws=200, seed=1)
    assert "prob_best_next" not in result.summary()
    assert result.target == "datasets"
    domain = bi.compare_bayes(read(simulated()), draws=200, seed=1)
    widths = [
        r.contrasts(all=True).eval("conf_high - conf_low").to_numpy() for r in (result, domain)
    ]
    assert (widths[0] < widths[1]).all()
    with pytest.raises(bi.DesignError, match="not about the next data set"):
        result.of("next")


@pytest.mark.usefixtures("brief")
def test_same_seed_same_numbers():
    scores = read(simulated())
    one, two = (bi.compare_bayes(scores, draws=100, seed=5) for _ in range(2))
    pd.testing.assert_frame_equal(
        one.contrasts(all=True), two.contrasts(all=True), check_exact=True
    )
    assert bi.compare_bayes(scores, draws=100).provenance.seed is not None


@pytest.mark.usefixtures("quick")
def test_gates_extend_the_chains_once_and_say_so(monkeypatch):
    monkeypatch.setattr(posterior, "ESS", 10_000)  # beyond what 800 draws can have
    scores = read(simulated())
    setting, scores = Setting.of(scores)
    tasks = []
    result = fit(
        modelled(reduced(scores, setting), "t", "auto", bi.priors.Priors()),
        (4, 100),
        np.random.default_rng(1),
        lambda task, done, total: tasks.append((task, done, total)),
    )
    assert result.extended
    assert result.draws.average.shape == (4, 200, 2)
    assert tasks[-1] == ("more draws", 50, 200)
    assert not result.convergence.passed
    rows = bi.compare_bayes(scores, draws=100, chains=4, seed=2).diagnostics().set_index("check")
    assert not rows.loc["smallest effective sample size, tails", "ok"]
    assert "after one extension" in rows.loc["smallest effective sample size, tails", "sentence"]


@pytest.mark.usefixtures("brief")
def test_diagnostics_of_what_is_missing():
    frame = simulated(d=4)
    frame = frame[~((frame["dataset"] == "d0") & (frame["algorithm"] == "a0"))]
    frame.loc[frame["dataset"] == "d1", "value"] = 1.0
    rows = bi.compare_bayes(read(frame), draws=100, seed=1).diagnostics().set_index("check")
    assert rows.loc["empty cells", "value"] == 1
    assert rows.loc["data sets without residuals", "value"] == 1
    assert not rows.loc["data sets that the model learns from", "ok"]


@pytest.mark.usefixtures("brief")
def test_structures_and_interactions():
    scores = read(simulated(k=2))
    assert bi.compare_bayes(scores, draws=100, seed=1).structure == "common"
    result = bi.compare_bayes(
        read(simulated()), structure="common", interactions="normal", draws=100, seed=1
    )
    assert set(result.draws.parameters) == {
        "effect_scale",
        "interaction_scale",
        "residual_centre",
        "residual_spread",
    }
    assert "one variance of the interactions" in result.method


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"interactions": "cauchy"}, "unknown interactions"),
        ({"structure": "diagonal"}, "unknown structure"),
        ({"quantity": "worst"}, "unknown quantity"),
        ({"target": "all"}, "unknown target"),
        ({"draws": 99}, "draws is 99"),
        ({"chains": 2}, "chains is 2"),
        ({"seed": -1}, "seed is -1"),
        ({"target": "datasets", "quantity": "next"}, "about another"),
    ],
)
def test_arguments_are_checked(arguments, words):
    with pytest.raises(bi.DesignError, match=words):
        bi.compare_bayes(read(simulated()), **arguments)


def test_tables_that_cannot_answer():
    with pytest.raises(bi.DesignError, match="one data set"):
        bi.compare_bayes(read(simulated(d=1)))
    with pytest.raises(bi.DesignError, match="same on every data set"):
        bi.compare_bayes(read(simulated().assign(value=1.0)))
    apart = pd.concat([simulated(d=2), simulated(d=2).assign(dataset="e", algorithm="z")])
    apart = apart.drop_duplicates(["dataset", "replication", "algorithm"])
    with pytest.raises(bi.DesignError, match="connects"):
        bi.compare_bayes(read(apart))
    for name in ("effect_scale", "effect_sd"):
        with pytest.raises(bi.DesignError, match=f"{name} is 0"):
            bi.priors.Priors(**{name: 0})


@pytest.mark.usefixtures("brief")
def test_overlap_of_training_sets_widens():
    frame = simulated(b=5)
    plain = bi.compare_bayes(read(frame), draws=100, seed=1)
    folds = read(frame, resampling=bi.Resampling("cv", folds=5))
    result = bi.compare_bayes(folds, draws=100, seed=1)
    np.testing.assert_allclose(result.data.variance - plain.data.variance, 0.25)
    assert "10.1023/A:1024068626366" in result.citations()


def in_domains(d=12, domains=3, spread=0.0, **options):
    """Return a long frame with a column of domains whose effects are `spread` apart."""
    frame = simulated(d=d, **options)
    number = frame["dataset"].str[1:].astype(int) % domains
    own = spread * np.random.default_rng(9).standard_normal((domains, 3))
    algorithm = frame["algorithm"].str[1:].astype(int)
    frame["value"] += own[number, algorithm]
    return frame.assign(domain="e" + number.astype(str))


@pytest.mark.slow
@pytest.mark.usefixtures("brief")
def test_domains_as_a_level():
    scores = read(in_domains(spread=1.5), tolerance=0.1)
    comparison = bi.compare_bayes(scores, domains="random", draws=400, seed=1)
    assert comparison.scope().endswith("its 3 domains taken as a sample of domains")
    assert "domain:algorithm" in comparison.formula
    apart = comparison.by_domain()
    assert list(apart) == ["e0", "e1", "e2", "new domain"]
    cells = in_domains(spread=1.5).groupby(["domain", "algorithm"])["value"].mean()
    for name in ("e0", "e1", "e2"):
        level = apart[name].summary()["estimate"].to_numpy()
        wanted = cells.loc[name].to_numpy()
        np.testing.assert_allclose(level - level.mean(), wanted - wanted.mean(), atol=0.4)
        assert apart[name].scope().endswith(f"in the domain {name}")

    def width(result):
        return result.contrasts(all=True).eval("conf_high - conf_low").to_numpy()

    assert (width(apart["e0"]) < width(comparison)).all()
    assert (width(comparison) < width(apart["new domain"])).all()
    assert (width(apart["new domain"]) < width(comparison.of("next"))).all()
    rows = comparison.diagnostics().set_index("check")
    assert rows.loc["domains that the model learns from", "value"] == 3
    draws = comparison.posterior["posterior"]
    assert draws["effect_domain"].dims == ("chain", "draw", "domain", "algorithm")
    with pytest.raises(bi.DesignError, match="in the domain e0, not about the next"):
        apart["e0"].of("next")
    pooled = bi.compare_bayes(scores, draws=100, seed=1)
    assert not pooled.diagnostics().set_index("check").loc["domains taken as one", "ok"]
    with pytest.raises(bi.DesignError, match="no level of this model"):
        pooled.by_domain()


def test_domains_need_three():
    with pytest.raises(bi.DesignError, match="of 2 domains: e0 and e1"):
        bi.compare_bayes(read(in_domains(domains=2)), domains="random")
    with pytest.raises(bi.DesignError, match="names 0 domains"):
        bi.compare_bayes(read(simulated()), domains="random")


@pytest.mark.slow
@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("engine", ["zarr", "h5netcdf"])
def test_posterior_is_saved_and_read(tmp_path, engine):
    from xarray import open_datatree

    scores = read(in_domains())
    tree = bi.compare_bayes(scores, domains="random", draws=100, seed=1).posterior
    if engine == "zarr":
        if xarray.__version__ < "2025.3":
            pytest.skip("this version of xarray cannot read what zarr 3.4 writes")
        tree.to_zarr(path := tmp_path / "posterior.zarr", consolidated=False)
        again = open_datatree(path, engine="zarr", consolidated=False)
    else:
        tree.to_netcdf(path := tmp_path / "posterior.nc", engine="h5netcdf")
        again = open_datatree(path, engine="h5netcdf")
    np.testing.assert_array_equal(tree["posterior"]["effect"], again["posterior"]["effect"])
    assert again["log_likelihood"]["scores"].dims == ("chain", "draw", "dataset")
    assert set(again["prior"].data_vars) <= set(again["posterior"].data_vars)


OTHER_SIGN = "mean difference of the other sign, decided pairs"


@pytest.fixture(scope="module")
def outweighed():
    """Eleven data sets at +0.01 and one at -0.6: the mean is on the other side of most."""
    gain = np.r_[np.full(11, 0.01) + 1e-5 * np.arange(11), -0.6]
    rows = [
        (f"d{i:02}", name, 0.7 + 0.003 * i + d)
        for i, g in enumerate(gain)
        for name, d in (("new", g), ("old", 0.0))
    ]
    return read(pd.DataFrame(rows, columns=["dataset", "algorithm", "score"]))


def test_the_centre_of_t_interactions_is_that_of_a_typical_data_set(outweighed):
    result = bi.compare_bayes(outweighed, draws=300, seed=1)
    assert result.headline().startswith(
        "On a typical one of data sets like these 12, new is better"
    )
    assert "better on a typical data set is" in result.rule
    named = result.diagnostics().set_index("check").loc[OTHER_SIGN]
    assert (named["value"], named["ok"]) == (1, False)
    assert named["sentence"].endswith("(new and old).")
    means = bi.compare_bayes(outweighed, interactions="normal", draws=300, seed=1)
    assert means.headline().startswith("On average over data sets like these")
    assert means.diagnostics().set_index("check").loc[OTHER_SIGN, "ok"]


def test_the_row_on_mean_differences_goes_with_the_verdicts(outweighed):
    result = bi.compare_bayes_pairs(outweighed, test="signed-rank", quantity="dominant", seed=1)
    assert result.contrasts(all=True)["winner"].tolist() == ["new"]
    assert result.diagnostics().set_index("check").loc[OTHER_SIGN, "value"] == 1
    other = result.of("next")
    assert other.contrasts(all=True)["verdict"].tolist() == ["undecided"]
    assert other.diagnostics().set_index("check").loc[OTHER_SIGN, "value"] == 0


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", [{"r_hat": 1.2}, {"r_hat_effects": 1.2}, {"divergences": 3}])
def test_chains_that_did_not_settle_decide_no_pair(fault, monkeypatch):
    scores, looked = read(simulated()), bayes_fit.converged
    good = {"r_hat": 1.0, "r_hat_effects": 1.0, "bulk": 1e3, "tail": 1e3, "divergences": 0}

    def found(**numbers):
        monkeypatch.setattr(
            bayes_fit, "converged", lambda draws: replace(looked(draws), **good | numbers)
        )
        return bi.compare_bayes(scores, draws=100, seed=5)

    settled, failed = found(), found(**fault)
    assert settled.contrasts(all=True)["verdict"].isin(["first", "second"]).any()
    assert set(failed.contrasts(all=True)["verdict"]) == {"undecided"}
    rows = failed.diagnostics().set_index("check")["ok"]
    assert not rows.filter(regex="R-hat|divergent").all()
