"""Structured covariances against lme4, pbkrtest, lmerTest, nlme and the other engine."""

import json
from pathlib import Path

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.mixed.numerics import degrees, moments
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS, CommonModel
from benchinfer.analyses.mixed.numerics.moments import (
    from_cells,
    structured_from_blocks,
    structured_from_cells,
)
from benchinfer.analyses.mixed.numerics.optimum import fit, minimise
from benchinfer.analyses.mixed.numerics.random_effects import predicted_effects
from benchinfer.analyses.mixed.numerics.structured_likelihood import StructuredModel
from benchinfer.core.errors import FitError
from benchinfer.core.saving import decode, encode
from benchinfer.numerics import max_t

GOLDEN = Path(__file__).parents[3] / "golden" / "structures"
VALUES = {
    path.stem: json.loads(path.read_text())["values"] for path in sorted(GOLDEN.glob("*.json"))
}
RANDOM = COMPONENTS[:3]
# The same model here and there.
MODELS = {
    "lme4_unstructured": {"between": "unstructured"},
    "lme4_diagonal": {"between": "diagonal"},
    "lme4_domain": {"domain": True},
    "lme4_covariate": {"x": True},
    "nlme_intercept": {"terms": ("dataset",)},
    "nlme_nested": {"terms": ("dataset", "dataset:replication")},
    "nlme_common": {},
    "nlme_unstructured": {"between": "unstructured"},
}
LME4 = [(t, m) for t, values in VALUES.items() for m in values if m.startswith("lme4")]
NLME = [(t, m) for t, values in VALUES.items() for m in values if m.startswith("nlme")]


def statistics(table):
    scores = bi.load_example(table.replace("simulated_", "simulated/"))
    blocks, sign = scores.blocks(), scores.measures[0].sign
    shape = (len(blocks.datasets), len(blocks.algorithms))
    return structured_from_blocks(
        blocks.dataset, blocks.count, sign * blocks.mean, np.zeros(shape)
    ), blocks


def fitted(table, model):
    values = VALUES[table][model]
    stats, blocks = statistics(table)
    number = np.arange(len(blocks.datasets)) + 1
    engine, name = model.split("_")[:2]
    options = {"terms": RANDOM, **MODELS[f"{engine}_{name}"]}
    if "domain" in options:
        options["domain"] = number % 4
    if "x" in options:
        unit = np.tile(np.eye(len(blocks.algorithms)), (len(number), 1, 1))
        size = (7 * number) % 11 / 11
        options["x"] = np.concatenate([unit, size[:, None, None] * unit], axis=2)
    return values, fit(
        stats, residual=values.get("groups", "constant"), reml=values["reml"], **options
    )


@pytest.mark.parametrize(("table", "model"), LME4)
def test_agrees_with_lme4(table, model):
    values, mine = fitted(table, model)
    assert mine.optimizer.converged
    # Never a worse optimum; R prints 15 digits of numbers around 1000.
    assert mine.criterion <= values["criterion"] + 1e-8
    assert mine.criterion == pytest.approx(values["criterion"], abs=1e-8)
    assert mine.aic == pytest.approx(values["aic"], abs=1e-8)
    assert mine.bic == pytest.approx(values["bic"], abs=1e-8)
    # lme4's optimum is polished to about 1e-7 in theta, which is what the rest supports.
    np.testing.assert_allclose(mine.beta, values["level"], rtol=1e-6, atol=1e-7)
    atol = 1e-5 * np.abs(values["cov"]).max()
    np.testing.assert_allclose(mine.cov, values["cov"], rtol=1e-5, atol=atol)
    assert mine.residual.item() == pytest.approx(values["residual"], rel=1e-5)
    expected = {name.replace(".", ":"): v for name, v in values["variances"].items()}
    assert mine.replication == pytest.approx(expected["dataset:replication"][0][0], rel=1e-5)
    if "unstructured" in model:
        atol = 1e-5 * np.max(expected["dataset"])
        np.testing.assert_allclose(mine.between, expected["dataset"], rtol=1e-5, atol=atol)
    held = dict(zip(mine.terms, mine.variances, strict=True))
    for name in {"domain", "domain:algorithm", "dataset:algorithm"} & set(held):
        # The criterion is flat where few domains tell of their variance.
        assert held[name] == pytest.approx(expected[name][0][0], rel=5e-5, abs=1e-11)


@pytest.mark.parametrize(("table", "model"), [case for case in LME4 if case[1].endswith("_reml")])
def test_degrees_of_freedom_agree_with_pbkrtest_and_lmertest(table, model):
    values, mine = fitted(table, model)
    rows = np.array(values["contrasts"])
    adjusted = degrees.kenward_roger(mine, rows)
    atol = 1e-5 * np.abs(values["cov_adjusted"]).max()
    np.testing.assert_allclose(adjusted.cov, values["cov_adjusted"], rtol=1e-5, atol=atol)
    np.testing.assert_allclose(adjusted.df, values["kenward-roger"], rtol=2e-6)
    # lmerTest differentiates numerically; its singular fits hold directions at zero, as ours do.
    fai = degrees.satterthwaite(mine, rows)
    np.testing.assert_allclose(fai.df, values["satterthwaite"], rtol=1e-5)


@pytest.mark.parametrize(("table", "model"), [case for case in LME4 if "unstructured" in case[1]])
def test_predicted_effects_agree_with_lme4(table, model):
    values, mine = fitted(table, model)
    np.testing.assert_allclose(mine.blup, values["blup"], rtol=1e-5, atol=1e-7)
    effects = predicted_effects(statistics(table)[0], mine)["dataset + dataset:algorithm"]
    expected = np.array(values["blup_variance"])
    np.testing.assert_allclose(
        effects.conditional_sd**2, expected, rtol=1e-4, atol=1e-5 * expected.max()
    )


@pytest.mark.parametrize(("table", "model"), NLME)
def test_agrees_with_nlme(table, model):
    values, mine = fitted(table, model)
    assert mine.optimizer.converged
    # nlme stops within 5e-6 of the optimum; ours must not be worse.
    assert -5e-6 < mine.criterion - values["criterion"] < 1e-8
    np.testing.assert_allclose(mine.beta, values["level"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(mine.residual.ravel(), values["residual"], rtol=1e-4)
    atol = 1e-4 * np.abs(values["cov"]).max()
    np.testing.assert_allclose(mine.cov, values["cov"], rtol=1e-4, atol=atol)


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("terms", [("dataset",), RANDOM[:2], RANDOM[::2], RANDOM])
@pytest.mark.parametrize(
    "table", ["simulated/balanced", "simulated/unbalanced", "simulated/singular"]
)
def test_common_structure_equals_the_other_engine(table, terms, reml):
    stats, blocks = statistics(table)
    mine = fit(stats, terms=terms, reml=reml)
    sign, within = blocks.measure.sign, np.zeros(len(blocks.datasets))
    theirs = fit(
        moments.from_blocks(blocks.dataset, blocks.count, sign * blocks.mean, within),
        terms,
        reml=reml,
    )
    assert mine.criterion == pytest.approx(theirs.criterion, abs=1e-9)
    assert mine.terms == theirs.terms
    assert mine.singular == theirs.singular
    assert mine.n_parameters == theirs.n_parameters
    np.testing.assert_allclose(mine.variances, theirs.variances[theirs.members], rtol=1e-7)
    np.testing.assert_allclose(mine.cov, theirs.cov, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(mine.blup, theirs.blup, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(mine.blup_variance, theirs.blup_variance, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(mine.derivatives.z, theirs.derivatives.z, rtol=1e-6, atol=1e-6)
    rows = max_t.all_pairs(len(mine.beta))[1]
    for method in degrees.METHODS.values():
        mine_df, their_df = method(mine, rows), method(theirs, rows)
        np.testing.assert_allclose(mine_df.df, their_df.df, rtol=1e-7)
        np.testing.assert_allclose(mine_df.cov, their_df.cov, rtol=1e-7, atol=1e-15)


def simulated(rng, d=16, b=8, k=4, *, level=1.0):
    """An incomplete table whose algorithms go together and whose data sets differ in noise."""
    lower = rng.normal(size=(k, k)) + 3 * np.eye(k)
    effect = rng.normal(size=(d, k)) @ lower.T + level * rng.normal(size=(d, 1))
    noise = np.exp(rng.normal(size=(d, 1, 1)) / 2)
    y = effect[:, None] + 0.3 * rng.normal(size=(d, b, 1)) + noise * rng.normal(size=(d, b, k))
    count = (rng.random(y.shape) < 0.9).astype(np.int64).reshape(-1, k)
    count[:, 0] |= count.sum(axis=1) == 0
    return np.repeat(np.arange(d), b), count, y.reshape(-1, k), np.zeros((d, k))


@pytest.mark.parametrize("between", ["common", "diagonal", "unstructured"])
@pytest.mark.parametrize("residual", ["constant", "algorithm", "dataset"])
@pytest.mark.parametrize("domain", [None, np.arange(16) % 5])
def test_the_gradient_is_zero_where_variances_are_free(between, residual, domain):
    stats = structured_from_blocks(*simulated(np.random.default_rng(1)))
    model = fit(stats, between=between, residual=residual, terms=RANDOM, domain=domain)
    assert model.optimizer.converged
    assert "dataset:algorithm" not in model.singular
    score = model.derivatives.score
    error = np.sqrt(2 / np.diag(model.derivatives.expected))
    # In standard errors of the variances, against a criterion of order 1000.
    assert np.abs((score * error)[model.interior]).max() < 1e-6
    assert (score[np.setdiff1d(model.members, model.interior)] >= 0).all()


def test_an_affine_change_of_units_changes_units_only():
    dataset, count, mean, within = simulated(np.random.default_rng(2))
    options = {"between": "unstructured", "residual": "algorithm", "terms": RANDOM}
    one = fit(structured_from_blocks(dataset, count, mean, within), **options)
    other = fit(structured_from_blocks(dataset, count, 1e-3 * mean + 7, within), **options)
    np.testing.assert_allclose(other.beta, 1e-3 * one.beta + 7, rtol=1e-10)
    np.testing.assert_allclose(other.between, 1e-6 * one.between, rtol=1e-6, atol=1e-12)
    n = count.sum() - 4
    assert other.criterion == pytest.approx(one.criterion + 2 * n * np.log(1e-3), abs=1e-7)
    rows = max_t.all_pairs(4)[1]
    for method in (degrees.kenward_roger, degrees.satterthwaite):
        np.testing.assert_allclose(method(one, rows).df, method(other, rows).df, rtol=1e-6)


@pytest.mark.parametrize("level", [1e4, 1e5])
@pytest.mark.parametrize("between", ["common", "diagonal", "unstructured"])
def test_comparisons_do_not_depend_on_how_far_data_sets_are_apart(level, between):
    dataset, count, mean, within = simulated(np.random.default_rng(3), level=0.0)
    rows = max_t.all_pairs(4)[1]
    apart = np.random.default_rng(4).normal(size=(16, 1))[dataset]
    near, far = (
        fit(
            structured_from_blocks(dataset, np.ones_like(count), mean + scale * apart, within),
            between=between,
            terms=RANDOM,
        )
        for scale in (1e3, level)
    )
    assert far.optimizer.converged
    assert far.optimizer.evaluations < 2 * near.optimizer.evaluations
    # What the data sets' level tells of the algorithms' variances fades as its inverse.
    np.testing.assert_allclose(rows @ far.beta, rows @ near.beta, atol=1e-9)
    np.testing.assert_allclose(
        np.diag(rows @ far.cov @ rows.T), np.diag(rows @ near.cov @ rows.T), rtol=1e-3
    )
    for method in (degrees.kenward_roger, degrees.satterthwaite):
        np.testing.assert_allclose(method(far, rows).df, method(near, rows).df, rtol=1e-3)


def test_steps_are_those_that_were_taken():
    y = np.array([[1.0, 2.0], [2.0, 4.0], [5.0, 5.0], [0.0, 3.0]])
    stats = from_cells(np.ones(y.shape, int), y, np.zeros_like(y))
    model = CommonModel(stats, free=np.array([True, False, False, True]))
    first = minimise(model, model.start())
    assert 0 < first.record.steps < first.record.evaluations
    assert minimise(model, first.coordinates).record.steps == 0


def test_moments_of_one_variance_per_source_are_fitted_with_these_only():
    stats = from_cells(np.ones((4, 2), int), np.arange(8.0).reshape(4, 2) ** 2, np.zeros((4, 2)))
    for options in ({"between": "diagonal"}, {"residual": "dataset"}, {"domain": np.arange(4)}):
        with pytest.raises(ValueError, match="Patterns"):
            fit(stats, ("dataset",), **options)


@pytest.mark.parametrize("call", range(2, 6))
def test_a_trial_point_that_cannot_be_evaluated_shortens_the_step(monkeypatch, call):
    dataset, count, mean, within = simulated(np.random.default_rng(3))
    cells = moments.from_blocks(dataset, count, mean, np.zeros(16))
    blocks = structured_from_blocks(dataset, count, mean, within)
    fits = (
        (CommonModel, lambda: fit(cells, RANDOM)),
        (StructuredModel, lambda: fit(blocks, terms=RANDOM)),
    )
    for model, refit in fits:
        expected, evaluate, calls = refit(), model.evaluate, []

        def failing(*args, evaluate=evaluate, calls=calls, **options):
            calls.append(args)
            if len(calls) == call:
                raise FitError("the fixed effects are confounded in this table.")
            return evaluate(*args, **options)

        monkeypatch.setattr(model, "evaluate", failing)
        np.testing.assert_allclose(refit().variances, expected.variances, rtol=1e-6, atol=1e-12)
        assert len(calls) >= call


def test_unstructured_on_a_complete_table_is_the_paired_t_test():
    dataset, count, mean, within = simulated(np.random.default_rng(5))
    stats = structured_from_blocks(dataset, np.ones_like(count), mean, within)
    model = fit(stats, between="unstructured", terms=RANDOM)
    rows = max_t.all_pairs(4)[1]
    cells = mean.reshape(16, 8, 4).mean(axis=1) @ rows.T
    adjusted = degrees.kenward_roger(model, rows)
    np.testing.assert_allclose(rows @ model.beta, cells.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(
        np.diag(rows @ adjusted.cov @ rows.T), cells.var(axis=0, ddof=1) / 16, rtol=1e-8
    )
    np.testing.assert_allclose(adjusted.df, 15, rtol=1e-8)


def test_predicted_effects_of_domains_equal_the_dense_computation():
    dataset, count, mean, within = simulated(np.random.default_rng(6), d=9)
    home = np.arange(9) % 3
    stats = structured_from_blocks(dataset, count, mean, within)
    model = fit(stats, domain=home, residual="algorithm", terms=RANDOM)
    predicted = predicted_effects(stats, model)
    block, algorithm = np.nonzero(count)
    m, y = dataset[block], mean[block, algorithm] - model.beta[algorithm]
    own = model.between[algorithm[:, None], algorithm] * (m[:, None] == m)
    shared = model.domain[algorithm[:, None], algorithm] * (home[m][:, None] == home[m])
    v = own + shared + model.replication * (block[:, None] == block)
    inverse = np.linalg.inv(v + np.diag(model.residual[0, algorithm]))
    for group, effects, cov in (
        (m, predicted["dataset + dataset:algorithm"], model.between),
        (home[m], predicted["domain + domain:algorithm"], model.domain),
    ):
        for unit in range(len(effects.mean)):
            cross = cov[:, algorithm] * (group == unit)
            np.testing.assert_allclose(cross @ inverse @ y, effects.mean[unit], atol=1e-9)
            left = np.diag(cov - cross @ inverse @ cross.T)
            np.testing.assert_allclose(left, effects.conditional_sd[unit] ** 2, atol=1e-9)


def test_cells_and_blocks_give_the_same_fit_without_replications():
    dataset, count, mean, within = simulated(np.random.default_rng(7), d=9)
    block, algorithm = np.nonzero(count)
    n, total, square = np.zeros((3, 9, 4))
    at = (dataset[block], algorithm)
    np.add.at(n, at, 1)
    np.add.at(total, at, mean[block, algorithm])
    centre = total / n
    np.add.at(square, at, (mean[block, algorithm] - centre[at]) ** 2)
    cells = structured_from_cells(n.astype(np.int64), centre, square)
    for residual in ("constant", "algorithm", "dataset"):
        options = {"between": "diagonal", "residual": residual}
        reduced = fit(cells, **options)
        full = fit(structured_from_blocks(dataset, count, mean, within), **options)
        assert reduced.criterion == pytest.approx(full.criterion, abs=1e-8)
        np.testing.assert_allclose(reduced.variances, full.variances, rtol=1e-5, atol=1e-9)
    with pytest.raises(FitError, match="statistics of blocks"):
        fit(cells, terms=RANDOM)


def test_an_algorithm_without_effects_of_its_own_is_no_error():
    dataset, count, mean, within = simulated(np.random.default_rng(8))
    mean[:, 1] = mean[:, 0] + 1e-3 * np.random.default_rng(9).normal(size=len(mean))
    stats = structured_from_blocks(dataset, count, mean, within)
    twins = fit(stats, between="unstructured", residual="constant", terms=RANDOM)
    assert twins.optimizer.converged
    assert np.linalg.eigvalsh(twins.between)[0] > -1e-12
    rows = max_t.all_pairs(4)[1]
    for method in (degrees.kenward_roger, degrees.satterthwaite):
        df = method(twins, rows).df
        assert ((df > 1) & np.isfinite(df)).all()


def test_fits_survive_saving():
    stats = structured_from_blocks(*simulated(np.random.default_rng(10), d=6))
    model = fit(stats, between="unstructured", domain=np.arange(6) % 2, terms=RANDOM)
    again = decode(json.loads(json.dumps(encode(model))))
    rows = max_t.all_pairs(4)[1]
    np.testing.assert_array_equal(
        degrees.kenward_roger(again, rows).df, degrees.kenward_roger(model, rows).df
    )
    assert again.bic == model.bic


def test_what_cannot_be_fitted_is_refused():
    n, ones = np.ones((3, 2), int), np.ones((3, 2))
    with pytest.raises(FitError, match="do not vary"):
        fit(structured_from_cells(n, ones, 0 * ones), terms=("dataset",))
    with pytest.raises(FitError, match="2 scores cannot tell 2 fixed effects"):
        fit(structured_from_cells(n[:1], ones[:1], 0 * ones[:1]), terms=())
    varied = structured_from_cells(n, ones * [1, 2] + np.eye(3, 2), 0 * ones)
    with pytest.raises(FitError, match="means must be among"):
        fit(varied, x=np.ones((3, 2, 1)))
    dataset, count, mean, within = simulated(np.random.default_rng(11))
    # Two algorithms without noise: their difference determines itself.
    mean[:, :2] = np.arange(16.0)[dataset][:, None] * [1, 2]
    with pytest.raises(FitError, match=r"random effects \(residual\[.*repeat each other"):
        fit(
            structured_from_blocks(dataset, np.ones_like(count), mean, within), residual="algorithm"
        )


def test_terms_of_which_only_the_sum_is_known_are_fitted():
    # One score per cell does not tell the interaction from the residual.
    y = np.array([[0, 3, 2, 4], [0, 0, 2, 3], [0, 4, 3, 2], [0, 1, 3, 3]], dtype=float)
    stats = moments.from_cells(np.ones(y.shape, int), y, np.zeros_like(y))
    one, two = fit(stats, ("dataset",)), fit(stats, ("dataset", "dataset:algorithm"))
    assert two.variances[1:].sum() == pytest.approx(one.variances[3], rel=1e-6)
    rows = max_t.all_pairs(y.shape[1])[1]
    for df in (degrees.kenward_roger, degrees.satterthwaite):
        np.testing.assert_allclose(df(two, rows).df, df(one, rows).df, rtol=1e-4)
