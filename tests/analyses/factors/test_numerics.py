"""Contrasts of cells, their tests and shares, against R and brute force."""

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchinfer.analyses.factors.numerics.grid import Grid, level_pairs
from benchinfer.analyses.factors.numerics.shares import shares_of
from benchinfer.analyses.factors.numerics.tests import (
    ContrastEstimates,
    adjusted_p,
    flipped,
    sign_patterns,
    step_down_flips,
)
from benchinfer.numerics.multiplicity import SPENT, level_share

GOLDEN = Path(__file__).parents[2] / "golden"

LEVELS = {"net": ("cnn", "resnet", "vit"), "aug": ("mixup", "none"), "opt": ("adam", "sgd")}
NAMES = [*LEVELS]


def grid_of(array):
    """A grid from (D, L_1, ..., L_F) means."""
    sizes = array.shape[1:]
    codes = np.array([*product(*map(range, sizes))])
    return Grid(array.reshape(len(array), -1), codes, sizes)


@pytest.fixture(scope="module")
def golden():
    scores = pd.read_csv(GOLDEN / "factors" / "scores.csv")
    means = scores.groupby(["dataset", *NAMES])["score"].mean().to_numpy()
    values = json.loads((GOLDEN / "factors" / "values.json").read_text())
    return means.reshape(9, 3, 2, 2), values


def test_main_effects_are_those_of_emmeans(golden):
    means, values = golden
    for factor, expected in enumerate(values["main"]):
        own = ContrastEstimates.of(
            grid_of(means).main(factor, level_pairs(means.shape[factor + 1], None))
        )
        assert own.estimate == pytest.approx([row["estimate"] for row in expected], abs=1e-9)


def test_double_differences_are_those_of_emmeans(golden):
    means, values = golden
    grid = grid_of(means)
    for (f, g), expected in zip(grid.pairs, values["double"], strict=True):
        pairs = level_pairs(grid.sizes[f], None), level_pairs(grid.sizes[g], None)
        own = ContrastEstimates.of(grid.double(f, g, *pairs))
        assert own.estimate == pytest.approx([row["estimate"] for row in expected], abs=1e-9)


def test_simple_effects_are_those_of_emmeans(golden):
    means, values = golden
    effects = grid_of(means).simple(1, level_pairs(2, None), 0)
    expected = [row["estimate"] for row in values["simple"]]
    assert effects.mean(axis=0).ravel() == pytest.approx(expected, abs=1e-9)


def test_own_spread_is_that_of_t_tests(golden):
    means, values = golden
    grid = grid_of(means)
    double = grid.double(0, 1, level_pairs(3, None), level_pairs(2, None))
    columns = {
        "aug": grid.main(1, level_pairs(2, None))[:, 0],
        "opt": grid.main(2, level_pairs(2, None))[:, 0],
        "vit_cnn": grid.main(0, level_pairs(3, None))[:, 1],
        "vit_cnn_aug": double[:, 1],
    }
    for name, column in columns.items():
        own, expected = ContrastEstimates.of(column[:, None]), values["own"][name]
        low, high = own.interval(0.05)
        found = [own.estimate, own.std_error, own.df, own.p_raw, low, high]
        assert np.ravel(found) == pytest.approx([*expected.values()], rel=1e-9)


@pytest.mark.parametrize(("term", "factors"), [("aug", (1,)), ("opt", (2,)), ("aug:opt", (1, 2))])
def test_f_of_two_levels_is_the_square_of_t(golden, term, factors):
    means, values = golden
    grid, pair = grid_of(means), level_pairs(2, None)
    column = grid.main(factors[0], pair) if len(factors) == 1 else grid.double(*factors, pair, pair)
    assert ContrastEstimates.of(column).statistic ** 2 == pytest.approx(
        [values["f"][term]["F"]], rel=1e-8
    )


def test_components_are_those_of_the_sums_of_squares_of_r(golden):
    means, values = golden
    found = shares_of(means)
    f = values["f"]
    expected = [(f[n]["ss"] - f[n]["df1"] * f[n]["ms_by_dataset"]) / 9 for n in [*f][:-1]]
    higher = [f[n] for n in [*f][3:]]
    rest = sum(x["df2"] * x["ms_by_dataset"] for x in higher) / sum(x["df2"] for x in higher)
    expected += [f[n]["df1"] * (f[n]["ms_by_dataset"] - rest) for n in NAMES]
    assert found.component[:-1] == pytest.approx(expected, rel=1e-6)
    within = means.reshape(9, -1).var(axis=1, ddof=0).mean() * 12
    assert found.component.sum() == pytest.approx(within)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2, 2)])
def test_contrasts_are_those_of_brute_force(sizes):
    rng = np.random.default_rng(1)
    array = rng.normal(size=(5, *sizes))
    array[(0, *(0 for _ in sizes))] = np.nan  # one cell of the first data set
    grid = grid_of(array)
    for f, g in grid.pairs:
        first, second = level_pairs(sizes[f], None), level_pairs(sizes[g], None)
        double = iter(grid.double(f, g, first, second).T)
        main = iter(grid.main(f, first).T)
        for a, b in combinations(range(sizes[f]), 2):
            here = np.take(array, a, f + 1) - np.take(array, b, f + 1)
            expected = here.reshape(5, -1).mean(axis=1)
            np.testing.assert_allclose(next(main), expected)
            place = g if g < f else g - 1
            for c, d in combinations(range(sizes[g]), 2):
                both = np.take(here, c, place + 1) - np.take(here, d, place + 1)
                expected = both.reshape(5, -1).mean(axis=1)
                np.testing.assert_allclose(next(double), expected)


def test_pairs_with_a_control_have_it_second():
    assert level_pairs(3, 1).tolist() == [[0, 1], [2, 1]]


def test_a_contrast_takes_the_data_sets_that_hold_its_cells():
    array = np.random.default_rng(2).normal(size=(6, 2, 3))
    array[0, 0, 2] = array[1, 1, 1] = np.nan
    grid = grid_of(array)
    assert ContrastEstimates.of(grid.main(1, level_pairs(3, None))).n.tolist() == [5, 5, 4]
    array[:, 0, 0] = np.nan
    own = ContrastEstimates.of(grid_of(array).main(1, level_pairs(3, None)))
    assert own.estimable.tolist() == [False, False, True]
    assert np.isnan(own.estimate[:2]).all()
    assert np.isinf(own.interval(0.05)[0][:2]).all()


def test_a_contrast_without_spread_is_not_tested():
    own = ContrastEstimates.of(np.full((8, 1), 0.1))
    assert own.flat.tolist() == [True]
    assert own.p_raw.tolist() == [1.0]


def test_single_flips_are_all_patterns():
    values = np.random.default_rng(3).normal(0.8, 1, size=(9, 1))
    signs = np.array([*product((1.0, -1.0), repeat=9)])
    mean = np.abs(signs @ values[:, 0])
    expected = (mean >= mean[0] * (1 - 1e-9)).mean()
    own = ContrastEstimates.of(values)
    p = step_down_flips(values, own.statistic, sign_patterns(9, 1), 0.0)
    assert p == pytest.approx([expected])


def closed(values, spent):
    """The closed test by the largest t under all flips, by brute force."""
    m, signs = values.shape[1], np.array([*product((1.0, -1.0), repeat=len(values))])
    t = np.array([np.abs(ContrastEstimates.of(s[:, None] * values).statistic) for s in signs])
    p = np.zeros(m)
    for n in range(1, m + 1):
        for members in combinations(range(m), n):
            part = t[:, members].max(axis=1)
            share = (part >= part[0] * (1 - 1e-9)).mean() / level_share(n, m, spent)
            p[[*members]] = np.maximum(p[[*members]], share)
    return np.minimum(p, 1)


@pytest.mark.parametrize("spent", [0.0, SPENT])
def test_step_down_is_the_closed_test_or_above_it(spent):
    rng = np.random.default_rng(4)
    nearer = 0
    for _ in range(8):
        values = rng.normal(rng.choice([0, 0.5, 1.5], size=4), 1, size=(8, 4))
        values[:, 3] = values[:, 0] + rng.normal(0, 0.3, size=8)
        own = ContrastEstimates.of(values)
        p = step_down_flips(values, own.statistic, sign_patterns(8, 1), spent)
        exact = closed(values, spent)
        assert (p >= exact - 1e-9).all()
        nearer += int((p <= exact * (1 + 1e-9)).sum())
        if spent == 0:
            assert p == pytest.approx(exact)
    assert nearer > 10


def test_few_data_sets_have_tests_of_holm():
    values = np.random.default_rng(5).normal(size=(6, 3))
    p, by_flips = adjusted_p(ContrastEstimates.of(values), values, 0.05, 1)
    assert not by_flips
    raw = np.sort(ContrastEstimates.of(values).p_raw)
    assert np.sort(p)[0] == pytest.approx(min(1, 3 * raw[0]))
    assert not flipped(7, 3, 0.025 / 3)
    assert flipped(10, 3, 0.025)


@pytest.mark.slow
def test_shares_sum_to_the_variation_and_are_unbiased():
    rng = np.random.default_rng(6)
    a, b = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0])
    both = np.zeros((3, 2))
    both[2, 1] = 1.0
    truth = a[:, None] + b + both
    total = np.zeros(6)
    for _ in range(400):
        by_dataset = rng.normal(0, 0.5, size=(8, 3, 1))
        cells = truth + by_dataset + rng.normal(0, 0.3, size=(8, 3, 2))
        noisy = cells + rng.normal(0, 0.2, size=cells.shape)
        total += shares_of(noisy, np.full(8, 0.04)).component
    main = truth - truth.mean()
    rows, columns = main.mean(axis=1), main.mean(axis=0)
    double = main - rows[:, None] - columns
    of_rows = 2 * 2 * 0.25  # df L_B sigma^2
    expected = [
        2 * (rows**2).sum(),
        3 * (columns**2).sum(),
        (double**2).sum(),
        of_rows,
        0,
        5 * 0.09,
    ]
    assert total / 400 == pytest.approx(expected, abs=0.06)


def test_data_sets_of_unequal_spread_weigh_the_same():
    rng = np.random.default_rng(7)
    cells = rng.normal(size=(8, 3, 2))
    cells[0] *= 100
    found = shares_of(cells)
    assert found.scaled
    assert found.component.sum() == pytest.approx(5)
    assert np.isfinite(found.std_error).all()
