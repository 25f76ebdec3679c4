"""Influence of data sets and algorithms against tables that never had them."""

from dataclasses import replace

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.mixed import influence
from benchinfer.analyses.mixed.design import Design, Fixed
from benchinfer.analyses.mixed.fit import MixedFit, ScoreReduction
from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import from_blocks, from_cells
from benchinfer.analyses.mixed.numerics.optimum import fit
from benchinfer.analyses.mixed.numerics.robust import cr2_errors
from benchinfer.comparison.evidence import decide
from benchinfer.core.verdict import Verdict
from benchinfer.numerics import max_t, multiplicity
from tests.analyses.mixed.numerics.test_new_dataset import simulate

PAIRS, MATRIX = max_t.all_pairs(3)
SIDES = [("a", "b"), ("a", "c"), ("b", "c")]
NAMES = [f"d{i}" for i in range(12)]


def holm(_, levels, errors, matrix):
    error = np.sqrt(np.einsum("jp,pq,jq->j", matrix, errors.cov, matrix))
    p = multiplicity.holm(max_t.raw_p(matrix @ levels / error, errors.df))
    return p, np.ones_like(p)


def table():
    """Return a table in which ``a > b`` hangs on all data sets and data set 3 is against it."""
    dataset, count, mean = simulate(np.random.default_rng(1), 12, 4, np.full(3, 0.3), np.ones(3))
    mean[:, 0] += 1.0
    mean[dataset == 3, 0] -= 6.0
    return dataset, count, mean


def model_of(terms, overlap=0.0, *, one_dataset=False):
    """Return a mixed model without its fit."""
    design = Design("score", terms, one_dataset, "", "datasets")
    return MixedFit(design, Fixed(None, np.eye(3)), None, None, None, overlap)


def analysis(data, *, robust=True, tests=holm):
    stats = from_blocks(*data, np.zeros(data[0].max() + 1))
    model = fit(stats, COMPONENTS[:3])
    errors = cr2_errors(stats, model, MATRIX) if robust else degrees.kenward_roger(model, MATRIX)
    p, q = tests(stats, model.beta, errors, MATRIX)
    return (
        stats,
        model,
        influence.FullAnalysis(
            measure=bi.Measure("score", "higher"),
            matrix=MATRIX,
            sides=SIDES,
            oriented=dict(enumerate(SIDES)),
            codes=decide(MATRIX @ model.beta, p, q, 0.05),
            estimate=MATRIX @ model.beta,
            std_error=np.sqrt(np.diag(MATRIX @ errors.cov @ MATRIX.T)),
            fitted=model_of(COMPONENTS[:3]),
            df="kenward-roger",
            robust=robust,
            alpha=0.05,
            tests=tests,
        ),
    )


@pytest.mark.parametrize("robust", [True, False])
def test_each_row_is_the_smaller_tables(robust):
    data, errors = table(), []

    def noted(stats, levels, found, matrix):
        errors.append(np.sqrt(np.diag(matrix @ found.cov @ matrix.T)))
        return holm(stats, levels, found, matrix)

    stats, model, full = analysis(data, robust=robust)
    left = influence.datasets_left_out(stats, model, replace(full, tests=noted), NAMES)
    for m in (0, 3, 11):
        rest = data[0] != m
        home = data[0][rest] - (data[0][rest] > m)
        _, smaller, other = analysis((home, data[1][rest], data[2][rest]), robust=robust)
        _, codes, variances = full.refit((stats.without(m), MATRIX))
        np.testing.assert_array_equal(left.codes[m], codes)
        assert any(np.allclose(error, other.std_error, rtol=1e-5) for error in errors)
        np.testing.assert_array_equal(left.codes[m], other.codes)
        moved = MATRIX @ (model.beta - smaller.beta) / full.std_error
        np.testing.assert_allclose(left.shift[m], moved, rtol=1e-4, atol=1e-7)
        np.testing.assert_allclose(variances, smaller.variances, rtol=1e-4)
        ratio = [left.variances[name][m] for name in left.variances]
        np.testing.assert_allclose(ratio, smaller.variances / model.variances, rtol=1e-4)
    assert len(errors) == 12
    assert left.refitted.all()


def of_cells(n, y):
    return from_cells(n, np.where(n, y, np.nan), np.zeros(n.shape))


def test_what_smaller_tables_cannot_estimate_is_missing():
    n = np.ones((6, 3), int)
    n[1:, 2] = 0
    stats = of_cells(n, np.random.default_rng(6).normal(size=n.shape))
    full = replace(analysis(table())[2], fitted=model_of(("dataset",)), robust=False)
    assert full.refit((stats.without(0), MATRIX)) is None
    # Two data sets are the least for a spread.
    assert replace(full, robust=True).refit((stats.without(1), MATRIX)) is None


def test_errors_on_a_complete_table_are_those_of_paired_t_tests():
    y = np.random.default_rng(7).normal(size=(8, 3)) * [1, 2, 0.3]
    seen, stats = [], of_cells(np.ones(y.shape, int), y).without(3)

    def noted(stats, levels, errors, matrix):
        seen.append(errors)
        return holm(stats, levels, errors, matrix)

    full = replace(analysis(table())[2], fitted=model_of(("dataset",)), tests=noted)
    for df in ("kenward-roger", "asymptotic"):
        replace(full, df=df).refit((stats, MATRIX))
    error = np.sqrt(np.diag(MATRIX @ seen[0].cov @ MATRIX.T))
    difference = np.delete(y, 3, axis=0) @ MATRIX.T
    np.testing.assert_allclose(error, difference.std(axis=0, ddof=1) / np.sqrt(7), rtol=1e-8)
    np.testing.assert_allclose(seen[0].df, 6, rtol=1e-8)
    assert seen[1].df.min() == np.inf


def test_the_odd_data_set_stands_out_and_verdicts_are_named():
    stats, model, full = analysis(table())
    found = influence.datasets_left_out(stats, model, full, NAMES)
    columns = found.table()
    assert np.argmax(columns["cooks_distance"]) == 3
    assert full.codes[0] == Verdict.UNDECIDED
    assert columns["changes"][3] == "a ? b becomes a > b; a ? c becomes a > c"
    assert columns["n_changed"][3] == 2
    assert columns["changes"][0] == ""
    assert {columns["first"][3], columns["second"][3]} & {"a"}
    assert columns["shift"][3] < -0.5


def test_large_tables_refit_those_that_move_most():
    stats, model, full = analysis(table())
    every = influence.datasets_left_out(stats, model, full, NAMES)
    found = influence.datasets_left_out(stats, model, full, NAMES, most=2)
    assert found.refitted.sum() == 2
    assert found.refitted[3]
    np.testing.assert_allclose(found.shift, every.shift, rtol=0.15, atol=0.02)
    assert (found.codes[~found.refitted] == Verdict.MISSING).all()
    assert not found.changed[~found.refitted].any()


def test_algorithms():
    data = table()
    _, model, full = analysis(data)

    dataset, count, mean = data
    blocks = ScoreReduction(count, mean, np.zeros((12, 3)), dataset)
    found = influence.algorithms_left_out(blocks, model, full, ["a", "b", "c"])
    columns = found.table()
    assert "cooks_distance" not in columns
    assert found.codes[0].tolist()[:2] == [Verdict.MISSING, Verdict.MISSING]
    # On a complete table the others' differences stay; only the family shrinks.
    np.testing.assert_allclose(found.shift[0, 2], 0, atol=1e-6)
    smaller = fit(blocks.without(0).statistics(), COMPONENTS[:3])
    ratio = [found.variances[name][0] for name in found.variances]
    np.testing.assert_allclose(ratio, smaller.variances / model.variances)


def test_overlap_raises_the_error():
    seen = []

    def noted(stats, levels, errors, matrix):
        seen.append(errors.cov)
        return holm(stats, levels, errors, matrix)

    stats, _, full = analysis(table(), robust=False, tests=noted)
    smaller = stats.without(3)
    for overlap in (0.0, 1.0):
        one = replace(full, fitted=model_of(("dataset",), overlap, one_dataset=True))
        _, _, variances = one.refit((smaller, MATRIX))
    np.testing.assert_allclose(seen[-1] - seen[-2], variances[0] + variances[3] * np.eye(3))


def test_single_step_by_independent_tests():
    stats, model, _ = analysis(table(), robust=False)
    errors = degrees.kenward_roger(model, MATRIX)
    df = float(errors.df.min())
    joint = max_t.max_t(MATRIX, errors.cov, df)
    n, wide = (influence.independent_tests(max_t.quantile(joint, a), df, a) for a in (0.05, 0.1))
    assert 2 < n < 3
    p, q = influence.single_step(n, wide, 0.8, stats, model.beta, errors, MATRIX)
    error = np.sqrt(np.diag(MATRIX @ errors.cov @ MATRIX.T))
    t = np.abs(MATRIX @ model.beta) / error
    np.testing.assert_allclose(p, max_t.survival(joint, t)[0], rtol=0.1, atol=1e-3)
    gap = (0.8 - np.abs(MATRIX @ model.beta)) / error
    half = max_t.survival(joint, np.abs(gap))[0] / 2
    np.testing.assert_allclose(q, np.where(gap > 0, half, 1 - half), rtol=0.1, atol=1e-2)
    near = np.argmin(np.abs(p - 0.05))
    assert p[near] == pytest.approx(max_t.survival(joint, t[[near]])[0][0], rel=0.02)
    # Exact at the level, and after one data set's worth of degrees of freedom still.
    other = max_t.quantile(max_t.max_t(MATRIX, errors.cov, df * 0.9), 0.05)
    assert influence.independent_tests(other, df * 0.9, 0.05) == pytest.approx(n, rel=1e-2)
