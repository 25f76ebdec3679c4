import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.scores.read import read_scores

finite = st.floats(-1e6, 1e6, allow_subnormal=False)


@st.composite
def tables(draw):
    """Long tables with holes, and the order of their rows."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3)))
    places = [(f"d{d}", r, f"a{k}") for d, r, k in np.ndindex(*shape)]
    kept = draw(st.lists(st.sampled_from(places), min_size=1, unique=True))
    values = draw(st.lists(finite, min_size=len(kept), max_size=len(kept)))
    frame = pd.DataFrame(kept, columns=["dataset", "replication", "algorithm"])
    return frame.assign(score=values)


def same(a, b, *names):
    for name in names:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.slow
@given(tables(), st.randoms(use_true_random=False), st.booleans())
def test_order_of_rows_changes_nothing(frame, random, paired):
    order = list(range(len(frame)))
    random.shuffle(order)
    first = read_scores(frame, measures="x:higher", paired=paired)
    second = read_scores(frame.iloc[order], measures="x:higher", paired=paired)
    assert first.digest == second.digest
    same(first.blocks(), second.blocks(), "dataset", "count", "mean", "within")
    np.testing.assert_allclose(first.cells().mean, second.cells().mean, rtol=1e-12, atol=1e-9)


@pytest.mark.slow
@given(tables())
def test_flipping_direction_with_sign_changes_nothing(frame):
    up = read_scores(frame, measures="x:higher")
    down = read_scores(frame.assign(score=-frame["score"]), measures="x:lower")
    same(up.blocks(), down.blocks(), "dataset", "count", "mean", "within")
    same(up.cells(), down.cells(), "n", "mean", "sd")


@pytest.mark.slow
@given(tables())
def test_renaming_algorithms_permutes_columns(frame):
    names = {"a0": "z", "a1": "y", "a2": "x"}
    plain = read_scores(frame, measures="x:higher", paired=True)
    renamed = read_scores(
        frame.assign(algorithm=frame["algorithm"].map(names)), measures="x:higher", paired=True
    )
    order = [renamed.algorithms.index(names[a]) for a in plain.algorithms]
    np.testing.assert_array_equal(plain.blocks().mean, renamed.blocks().mean[:, order])
    np.testing.assert_array_equal(plain.cells().n, renamed.cells().n[:, order])


@given(tables())
def test_cells_and_blocks_hold_the_same_scores(frame):
    scores = read_scores(frame, measures="x:higher", paired=True)
    cells, blocks = scores.cells(), scores.blocks()
    for d in range(len(scores.datasets)):
        for k in range(len(scores.algorithms)):
            rows = (blocks.dataset == d) & (blocks.count[:, k] == 1)
            assert rows.sum() == cells.n[d, k]
            if rows.any():
                mean = blocks.mean[rows, k].mean()
                np.testing.assert_allclose(cells.mean[d, k], mean, rtol=1e-9, atol=1e-9)
            else:
                assert np.isnan(cells.mean[d, k])
    assert (blocks.mean[blocks.count == 0] == 0).all()


def test_blocks_are_sorted_by_number(make):
    frame = pd.DataFrame(make(2, 11, 2)).sample(frac=1, random_state=1)
    blocks = read_scores(frame, measures="x:higher").blocks()
    expected = frame.sort_values(["dataset", "replication"])
    for k, name in enumerate(blocks.algorithms):
        own = expected.loc[expected["algorithm"] == name, "score"]
        np.testing.assert_array_equal(blocks.mean[:, k], own)
    np.testing.assert_array_equal(blocks.dataset, np.repeat([0, 1], 11))
    assert blocks.count.dtype == blocks.dataset.dtype == np.int64


def test_blocks_without_pairing_hold_one_score_each(balanced):
    blocks = read_scores(balanced, measures="x:higher", paired=False).blocks()
    assert blocks.count.shape == (36, 3)
    assert (blocks.count.sum(axis=1) == 1).all()
    assert not blocks.paired
    assert (np.diff(blocks.dataset) >= 0).all()
    for k, name in enumerate(blocks.algorithms):
        own = balanced.loc[balanced["algorithm"] == name, "score"]
        np.testing.assert_array_equal(blocks.mean[blocks.count[:, k] == 1, k], own)


@pytest.mark.parametrize("paired", [True, False])
def test_repeats_are_pooled_within_blocks(balanced, paired):
    noise = np.random.default_rng(1).normal(1e9, 1.0, (3, 36))
    frame = pd.concat([balanced.assign(score=row) for row in noise])
    scores = read_scores(frame, measures="x:lower", repeats="keep", paired=paired)
    blocks = scores.blocks()
    assert blocks.count.sum() == 108
    assert set(np.unique(blocks.count)) == ({3} if paired else {0, 3})
    within = ((noise - noise.mean(axis=0)) ** 2).sum(axis=0).reshape(3, -1).sum(axis=1)
    np.testing.assert_allclose(blocks.within.sum(axis=1), within, rtol=1e-6)
    np.testing.assert_allclose(-blocks.mean[blocks.count > 0], noise.mean(axis=0), rtol=1e-15)
    assert (scores.cells().n == 12).all()


@pytest.mark.parametrize(
    ("scale", "bad", "what"),
    [("log", 0.0, "scores above 0"), ("logit", 1.0, "scores between 0 and 1, both excluded")],
)
def test_scores_without_a_place_on_the_scale(balanced, scale, bad, what):
    balanced.loc[[3, 7], "score"] = bad
    scores = read_scores(balanced, measures=Measure("x", "lower", scale=scale))
    for reduce in (scores.cells, scores.blocks):
        with pytest.raises(DesignError) as caught:
            reduce()
        assert str(caught.value) == (
            f"2 scores of measure 'x' cannot be put on the {scale} scale.\n"
            "    dataset  replication  algorithm  value\n"
            f"    d0       1            a0         {bad:g}\n"
            f"    d0       2            a1         {bad:g}\n"
            f"Hint: the {scale} scale takes {what}:\n"
            '      say Measure(scale="identity"), or move the scores away from the border and say'
            " how."
        )


def test_blocks_are_on_the_modelling_scale(balanced):
    measure = Measure("x", "lower", scale="log")
    blocks = read_scores(balanced, measures=measure).blocks()
    np.testing.assert_array_equal(blocks.mean.ravel(), measure.orient(balanced["score"]))


def test_a_single_score():
    frame = pd.DataFrame({"dataset": ["d"], "algorithm": ["a"], "score": [0.3]})
    scores = read_scores(frame, measures="x:higher")
    assert scores.cells().n.tolist() == [[1]]
    assert np.isnan(scores.cells().sd).all()
    assert scores.blocks().mean.tolist() == [[0.3]]


def test_a_large_shuffled_table_keeps_every_score_in_its_cell():
    # Engines work on pieces in several threads; results must not depend on which is ready first.
    rng = np.random.default_rng(0)
    n = 300_000
    frame = pd.DataFrame(
        {
            "dataset": np.char.add("d", (np.arange(n) % 20).astype(str)),
            "algorithm": np.char.add("a", (np.arange(n) // 20 % 5).astype(str)),
            "replication": np.arange(n) // 100,
            "score": rng.normal(size=n) + 10 * (np.arange(n) % 20),
        }
    ).sample(frac=1, random_state=1)
    scores = read_scores(frame, measures={"score": "higher"}, paired=True)
    cells, blocks = scores.cells(), scores.blocks()
    groups = frame.groupby(["dataset", "algorithm"])["score"]
    np.testing.assert_allclose(cells.mean.ravel(), groups.mean(), rtol=1e-10)
    np.testing.assert_allclose(cells.sd.ravel(), groups.std(), rtol=1e-10)
    table = scores.describe().set_index(["dataset", "algorithm"])
    np.testing.assert_allclose(table["sd"], groups.std(), rtol=1e-10)
    wide = frame.set_index(["dataset", "replication", "algorithm"])["score"].unstack()  # noqa: PD010
    means = pd.DataFrame(blocks.mean).groupby(blocks.dataset).mean()
    np.testing.assert_allclose(means, wide.groupby(level=0).mean(), rtol=1e-10)
    assert blocks.mean.sum() == pytest.approx(frame["score"].sum(), rel=1e-12)
