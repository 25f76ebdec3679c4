"""The score model against lme4, against dense matrices, and against closed forms."""

import json
from pathlib import Path

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.mixed.numerics import likelihood
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS, CommonModel
from benchinfer.analyses.mixed.numerics.moments import from_blocks, from_cells
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.core.errors import FitError

GOLDEN = Path(__file__).parents[3] / "golden" / "lmm"
TABLES = sorted(path.stem for path in GOLDEN.glob("*.json"))
CASES = [
    (table, model)
    for table in TABLES
    for model in json.loads((GOLDEN / f"{table}.json").read_text())["values"]
]


def statistics(scores):
    """Sufficient statistics of raw scores: lme4 knows no direction."""
    blocks, sign = scores.blocks(), scores.measures[0].sign
    return from_blocks(
        blocks.dataset, blocks.count, sign * blocks.mean, blocks.within.sum(axis=1)
    ), blocks


def golden(table, model):
    values = json.loads((GOLDEN / f"{table}.json").read_text())["values"][model]
    scores = bi.load_example(table.replace("simulated_", "simulated/"))
    stats, blocks = statistics(scores)
    return values, fit(stats, tuple(np.atleast_1d(values["terms"])), reml=values["reml"]), blocks


@pytest.mark.parametrize(("table", "model"), CASES)
def test_agrees_with_lme4(table, model):
    values, mine, _ = golden(table, model)
    # lme4's optimum is polished to about 1e-7 in theta, which is what its variances support.
    variances = dict(zip(COMPONENTS, mine.variances, strict=True))
    for name, expected in values["variances"].items():
        key = "residual" if name == "Residual" else name
        assert variances[key] == pytest.approx(expected, rel=1e-5, abs=1e-12)
    np.testing.assert_allclose(mine.beta, values["level"], rtol=1e-6)
    np.testing.assert_allclose(mine.cov, values["cov"], rtol=2e-6, atol=1e-12)
    # R prints 15 digits of numbers around 1000.
    assert mine.criterion == pytest.approx(values["criterion"], abs=1e-8)
    assert mine.aic == pytest.approx(values["aic"], abs=1e-8)
    assert mine.bic == pytest.approx(values["bic"], abs=1e-8)
    assert mine.optimizer.converged


@pytest.mark.parametrize(("table", "model"), CASES)
def test_random_effects_agree_with_lme4(table, model):
    values, mine, blocks = golden(table, model)
    cells = values["blup"].get("dataset:algorithm")
    for d, dataset in enumerate(blocks.datasets):
        for k, algorithm in enumerate(blocks.algorithms):
            # lme4 has no effect for a cell without scores; ours is predicted from the others.
            if cells is None or f"{dataset}:{algorithm}" in cells:
                expected = values["blup"]["dataset"][dataset]
                expected += 0 if cells is None else cells[f"{dataset}:{algorithm}"]
                # Predictions inherit the error of lme4's variances.
                assert mine.blup[d, k] == pytest.approx(expected, rel=1e-5, abs=1e-8)


def ragged(rng, d=5, k=3, *, repeats=False):
    """Blocks with unequal numbers of replications, missing scores and, if asked, repeats."""
    dataset = np.repeat(np.arange(d), rng.integers(3, 7, d))
    count = (rng.random((len(dataset), k)) < 0.8).astype(np.int64)
    count[count.sum(axis=1) == 0, 0] = 1
    count[0] = 1
    if repeats:
        count *= rng.integers(1, 3, count.shape)
    mean = rng.normal(size=count.shape) + rng.normal(size=(d, 1))[dataset] * 2 + np.arange(k)
    return dataset, count, mean


def dense(dataset, count, mean, spread, theta, x, *, reml):
    """-2 log likelihood by n x n matrices, from rows; repeats lie symmetric about their mean."""
    block, algorithm = np.nonzero(count)
    times = count[block, algorithm]
    block, algorithm = np.repeat(block, times), np.repeat(algorithm, times)
    side = np.concatenate([np.linspace(-1, 1, t) if t > 1 else np.zeros(1) for t in times])
    y = mean[block, algorithm] + spread * side
    m = dataset[block]
    design = np.eye(count.shape[1])[algorithm] if x is None else x[m, algorithm]
    v = theta[3] * np.eye(len(y)) + theta[0] * (m[:, None] == m)
    v += theta[1] * ((m[:, None] == m) & (algorithm[:, None] == algorithm))
    v += theta[2] * (block[:, None] == block)
    inverse = np.linalg.inv(v)
    information = design.T @ inverse @ design
    beta = np.linalg.solve(information, design.T @ inverse @ y)
    rest = y - design @ beta
    value = np.linalg.slogdet(v)[1] + rest @ inverse @ rest
    if reml:
        value += np.linalg.slogdet(information)[1]
    within = np.zeros(dataset.max() + 1)
    np.add.at(within, m, (spread * side) ** 2)
    return value + (len(y) - design.shape[1] * reml) * np.log(2 * np.pi), beta, within


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("covariate", [True, False])
def test_criterion_equals_the_dense_computation(reml, repeats, covariate):
    rng = np.random.default_rng(7)
    dataset, count, mean = ragged(rng, repeats=repeats)
    d, k = dataset.max() + 1, count.shape[1]
    x = None
    if covariate:
        size = rng.normal(size=d)
        x = np.concatenate([np.tile(np.eye(k), (d, 1, 1)), size[:, None, None] * np.eye(k)], axis=2)
    # The inverse of a dense V loses eps * its condition: a looser bound where that is 1e7.
    cases = [
        ([2.0, 0.5, 0.3, 1.0], 1e-8),
        ([0, 0.5, 0, 0.2], 1e-8),
        ([3, 0, 0.2, 1], 1e-8),
        ([1e4, 1e-3, 0.1, 0.01], 1e-5),
    ]
    for theta, bound in cases:
        expected, beta, within = dense(dataset, count, mean, 0.1, theta, x, reml=reml)
        stats = from_blocks(dataset, count, mean, within)
        scaled = np.array(theta) / stats.scale**2
        work = CommonModel(stats, x, reml).evaluate(scaled)
        p = len(work.beta)
        mine = work.criterion + 2 * (stats.n_scores - p * reml) * np.log(stats.scale)
        assert mine == pytest.approx(expected, abs=bound)
        if x is None:
            np.testing.assert_allclose((work.beta + stats.offset) * stats.scale, beta, rtol=bound)


@pytest.mark.parametrize("reml", [True, False])
def test_derivatives_equal_finite_differences(reml):
    dataset, count, mean = ragged(np.random.default_rng(11), repeats=True)
    stats = from_blocks(dataset, count, mean, np.full(dataset.max() + 1, 0.2))
    theta = np.array([1.5, 0.4, 0.2, 0.7])
    model = CommonModel(stats, reml=reml)
    der = model.derivatives(model.evaluate(theta))
    step = 1e-5

    def at(shift):
        work = model.evaluate(theta + shift)
        return work.criterion, model.derivatives(work).score

    for i in range(4):
        shift = np.eye(4)[i] * step
        (up, up_score), (down, down_score) = at(shift), at(-shift)
        # Central differences: error step^2 plus rounding / step.
        assert (up - down) / (2 * step) == pytest.approx(der.score[i], rel=1e-6, abs=1e-6)
        np.testing.assert_allclose(
            (up_score - down_score) / (2 * step), der.observed[i], rtol=1e-6, atol=1e-6
        )


def balanced(rng, d=12, b=6, k=4, variances=(4.0, 0.5, 0.3, 1.0)):
    sd = np.sqrt(variances)
    return (
        sd[0] * rng.normal(size=(d, 1, 1))
        + sd[1] * rng.normal(size=(d, 1, k))
        + sd[2] * rng.normal(size=(d, b, 1))
        + sd[3] * rng.normal(size=(d, b, k))
    )


def fit_array(y):
    d, b, k = y.shape
    stats = from_blocks(
        np.repeat(np.arange(d), b), np.ones((d * b, k), int), y.reshape(-1, k), np.zeros(d)
    )
    return fit(stats, COMPONENTS[:3])


def anova(y):
    """REML variances of a complete table in closed form: the ANOVA estimators."""
    d, b, k = y.shape
    grand, m = y.mean(), y.mean(axis=(1, 2), keepdims=True)
    a, mk, mb = y.mean(axis=(0, 1)), y.mean(axis=1, keepdims=True), y.mean(axis=2, keepdims=True)
    ms_d = b * k * ((m - grand) ** 2).sum() / (d - 1)
    ms_a = b * ((mk - m - a + grand) ** 2).sum() / ((d - 1) * (k - 1))
    ms_r = k * ((mb - m) ** 2).sum() / (d * (b - 1))
    ms_e = ((y - mk - mb + m) ** 2).sum() / (d * (b - 1) * (k - 1))
    return [(ms_d - ms_a - ms_r + ms_e) / (b * k), (ms_a - ms_e) / b, (ms_r - ms_e) / k, ms_e]


@pytest.mark.parametrize("ratio", [1.0, 1e4, 1e8])
@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-6])
def test_balanced_table_has_the_closed_form(ratio, unit):
    y = balanced(np.random.default_rng(3), variances=(ratio, 0.5, 0.3, 1.0)) * unit
    model = fit_array(y)
    assert model.optimizer.converged
    # The data set variance carries the rounding of the scores: eps * ratio in the residual.
    np.testing.assert_allclose(model.variances, anova(y), rtol=1e-10 + 1e-14 * ratio)


def test_a_large_constant_changes_nothing():
    y = balanced(np.random.default_rng(5), variances=(0.1, 0.5, 0.3, 1.0))
    # 1e9 leaves 1e-7 of each score, 1e-7 relative in variances of order 1.
    np.testing.assert_allclose(fit_array(y + 1e9).variances, fit_array(y).variances, rtol=2e-6)


def test_cells_and_blocks_give_the_same_fit_without_replications():
    scores = bi.load_example("simulated/unbalanced")
    stats, _ = statistics(scores)
    cells, sign = scores.cells(), scores.measures[0].sign
    within = np.where(cells.n > 1, (cells.n - 1) * np.nan_to_num(cells.sd) ** 2, 0)
    reduced = fit(from_cells(cells.n, sign * cells.mean, within), COMPONENTS[:2])
    full = fit(stats, COMPONENTS[:2])
    np.testing.assert_allclose(reduced.variances, full.variances, rtol=1e-10)
    assert reduced.criterion == pytest.approx(full.criterion, abs=1e-9)


def test_too_few_or_constant_scores_are_refused():
    ones = np.ones((3, 2))
    with pytest.raises(FitError, match="do not vary"):
        fit(from_cells(ones.astype(int), ones, 0 * ones), ("dataset",))
    with pytest.raises(FitError, match="2 scores cannot tell 2 fixed effects"):
        fit(from_cells(ones[:1].astype(int), ones[:1], 0 * ones[:1]), ())


@pytest.mark.parametrize("terms", [COMPONENTS[:2], COMPONENTS[:3]])
@pytest.mark.parametrize("common", [True, False])
def test_one_design_of_all_data_sets_is_solved_once(monkeypatch, terms, common):
    rng = np.random.default_rng(3)
    d, b, k = 7, 4, 3
    mean = rng.normal(size=(d * b, k)) + np.repeat(rng.normal(size=(d, k)), b, axis=0)
    stats = from_blocks(np.repeat(np.arange(d), b), np.ones((d * b, k), int), mean, np.zeros(d))
    x = np.linalg.qr(rng.normal(size=(1, k, k)))[0] if common else None
    theta = np.array([0.5, 0.3, 0.2 if len(terms) > 2 else 0.0, 0.4])
    model = CommonModel(stats, x)
    once = model.evaluate(theta)
    assert once.q_matrix.shape == (1, k, k)
    found = model.derivatives(once)
    monkeypatch.setattr(likelihood, "_designs", lambda stats: len(stats.n))
    each = model.evaluate(theta)
    assert each.q_matrix.shape == (d, k, k)
    assert once.criterion == pytest.approx(each.criterion, rel=1e-12)
    np.testing.assert_allclose(once.phi, each.phi, rtol=1e-11)
    expected = model.derivatives(each)
    for name in ("score", "expected", "average", "f", "ff", "z"):
        mine, other = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-10)
