"""Scores within blocks: ties, alignment, layouts, and R's ranks."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from benchinfer.analyses.permutation.numerics import blocks
from benchinfer.analyses.permutation.numerics.blocks import additive_levels, lay_out
from benchinfer.numerics import ties

GOLDEN = Path(__file__).parents[3] / "golden" / "permutation"
CASES = ["demsar", "means", "incomplete", "repeated"]


def golden(case):
    return json.loads((GOLDEN / f"{case}.json").read_text())


def laid_out(case):
    """The layout and the values in its order."""
    d = golden(case)
    codes = np.array(d["algorithm"]), np.array(d["block"])
    layout = lay_out(codes[1], codes[0], len(d["algorithms"]))
    return d, layout, np.array(d["value"])[layout.rows]


def complete(table):
    b, k = table.shape
    layout = lay_out(np.repeat(np.arange(b), k), np.tile(np.arange(k), b), k)
    return table.ravel(), layout


@pytest.mark.parametrize("case", CASES)
def test_scores_are_those_of_r(case):
    d, layout, values = laid_out(case)
    assert layout.dropped == 0
    for on, name, center in [
        ("values", "values", "mean"),
        ("ranks", "ranks", "mean"),
        ("aligned-ranks", "aligned_ranks", "mean"),
        ("aligned-ranks", "median_aligned_ranks", "median"),
        ("normal-scores", "normal_scores", "mean"),
    ]:
        ours = blocks.score(values, layout, on, center=center)
        theirs = np.array(d["scores"][name])[layout.rows]
        np.testing.assert_allclose(ours.values, theirs, rtol=1e-12, atol=1e-12)


def test_complete_and_dropped_blocks():
    blocks = np.array([5, 5, 2, 2, 9, 9, 9])
    layout = lay_out(blocks, np.array([1, 0, 0, 0, 0, 1, 1]), 2)
    assert layout.dropped == 1
    assert layout.rows.tolist() == [1, 0, 4, 5, 6]
    assert layout.sizes.tolist() == [2, 3]
    assert not layout.complete
    assert lay_out(blocks[:2], np.array([1, 0]), 2).complete
    # K rows, but one label twice.
    assert not lay_out(np.zeros(3, int), np.array([0, 1, 1]), 3).complete


def test_alignment_does_not_break_ties():
    # 0.1 - mean and 0.7 - mean differ from each other only in the last digits.
    values, layout = complete(np.array([[0.1, 0.2, 0.6], [0.7, 0.8, 1.2], [5.1, 5.2, 5.6]]))
    aligned = blocks.aligned(values, layout).reshape(3, 3)
    assert len(np.unique(aligned)) > 3
    ranked = blocks.score(values, layout, "aligned-ranks")
    assert ranked.values.reshape(3, 3).tolist() == [[2, 5, 8]] * 3
    assert ranked.tied == 9


def test_ties_do_not_depend_on_unit_and_zero():
    rng = np.random.default_rng(3)
    values, layout = complete(np.round(rng.normal(size=(20, 5)), 2))
    expected = blocks.score(values, layout, "aligned-ranks")
    for unit, zero in ((1e-9, 0.0), (1 / 3, 0.0), (7e12, 0.0), (1.0, 1e4), (1e-3, -50.0)):
        found = blocks.score(unit * values + zero, layout, "aligned-ranks")
        assert found.tied == expected.tied
        assert (found.values == expected.values).all()
    # Of the range of all blocks 1e-10: the small block keeps its order down to that.
    values, layout = complete(np.array([[1e-6, 2e-6, 3e-6], [1e3, 2e3, 4e3]]))
    assert sorted(blocks.score(values, layout, "aligned-ranks").values) == [1, 2, 3, 4, 5, 6]


def test_midranks_are_those_of_scipy():
    rng = np.random.default_rng(1)
    values, group = rng.integers(0, 9, 200).astype(float), rng.integers(0, 5, 200)
    ranks = ties.midranks(values, 0.0, group)
    for g in range(5):
        np.testing.assert_array_equal(ranks.values[group == g], rankdata(values[group == g]))
    assert ties.midranks(np.arange(4.0), 1e-10).tied == 0


def test_normal_scores_and_dispersion():
    values, layout = complete(np.array([[1.0, 4.0], [2.0, 0.0]]))
    ranks = blocks.score(values, layout, "aligned-ranks").values
    assert ranks.tolist() == [1, 4, 3, 2]
    normal = blocks.score(values, layout, "normal-scores").values
    np.testing.assert_allclose(normal, norm.ppf(ranks / 5), rtol=1e-13)
    assert blocks.score(values, layout, "dispersion").values.tolist() == [0.5, 2.5, 0.5, 1.5]
    by_block = blocks.score(values, layout, "dispersion", stratum=layout.blocks).values
    assert by_block.tolist() == [1.5, 1.5, 1, 1]


def test_quade_weighs_ranks_by_the_rank_of_the_range():
    values, layout = complete(np.array([[1.0, 2, 3], [5, 1, 3], [0, 0, 2]]))
    ranks = blocks.score(values, layout, "ranks").values
    scores = blocks.quade_scores(values, ranks, layout)
    # Ranges 2, 4, 2: ranks 1.5, 3, 1.5.
    expected = [[-1.5, 0, 1.5], [3, -3, 0], [-0.75, -0.75, 1.5]]
    assert scores.reshape(3, 3).tolist() == expected


def test_levels_with_gaps_are_those_of_a_linear_model():
    rng = np.random.default_rng(3)
    values, held = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1)), rng.random((12, 4)) < 0.7
    held[0] = True
    held[3] = False
    b, k = np.nonzero(held)
    design = np.zeros((len(b), 16))
    design[np.arange(len(b)), b] = design[np.arange(len(b)), 12 + k] = 1.0
    effects = np.linalg.lstsq(design, values[held], rcond=None)[0]
    expected = effects[12:] + effects[:12][held.any(axis=1)].mean()
    found = additive_levels(np.where(held, values, 0.0), held)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(additive_levels(values, held | True), values.mean(axis=0))


def test_levels_of_groups_without_common_blocks_are_their_own():
    values = np.random.default_rng(4).normal(size=(6, 4))
    held = np.ones((6, 4), np.bool_)
    held[:3, :2] = held[3:, 2:] = False
    found = additive_levels(np.where(held, values, 0.0), held)
    expected = [*values[3:, :2].mean(axis=0), *values[:3, 2:].mean(axis=0)]
    np.testing.assert_allclose(found, expected)
