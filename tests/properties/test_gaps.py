"""What a gap of one algorithm leaves as it was, on tables that Hypothesis draws."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import benchinfer as bi
from benchinfer.numerics.rotations import MOST_ALGORITHMS
from tests.analyses.mixed.test_compare import table

NAMES = "abcdefghij"
# Compatible ends are cut or stretched at equality by verdicts, which take all algorithms.
SHARED = partial(bi.compare_mixed, missing="shared", interval="simultaneous")
COMPARE = {
    "mixed": SHARED,
    "mixed, flips": partial(SHARED, reference="flips"),
    "mixed, control": partial(SHARED, control="b"),
    "values": partial(bi.compare_permutation, on="values"),
    "aligned ranks": bi.compare_permutation,
    "normal scores": partial(bi.compare_permutation, on="normal-scores"),
    "ranks, one-sided": partial(bi.compare_permutation, control="b", alternative="better"),
}
COLUMNS = ("estimate", "std_error", "df", "p_raw", "conf_low", "conf_high")


@st.composite
def tables(draw):
    """Scores (D, R, K), the algorithm that loses cells, and the data sets on which it does.

    It loses up to 2 % of its cells, of 12 data sets one.
    """
    d, r = draw(st.sampled_from([(12, 1), (12, 3), (50, 1), (50, 2), (100, 1)]))
    k = draw(st.sampled_from([3, 4, 5, 6, 10]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    noise = rng.standard_t(3, (d, r, k)) if draw(st.booleans()) else rng.normal(size=(d, r, k))
    scores = rng.normal(size=(d, 1, 1)) + noise + draw(st.sampled_from([0.0, 0.3])) * np.arange(k)
    scores = np.exp(scores) if draw(st.booleans()) else scores
    scores = scores.round(1) if draw(st.booleans()) else scores  # with ties
    n = draw(st.integers(1, max(1, d // 50)))
    return scores, draw(st.integers(0, k - 1)), rng.choice(d, n, replace=False)


def adjustment(result):
    return result.adjusted if hasattr(result, "adjusted") else result._family()[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARE)
@settings(max_examples=12)
@given(drawn=tables())
def test_a_gap_changes_no_number_of_another_pair(name, drawn):
    scores, algorithm, datasets = drawn
    assume("flips" not in name or scores.shape[2] <= MOST_ALGORITHMS)
    gappy = scores.copy()
    gappy[datasets, :, algorithm] = np.nan
    before, after = (COMPARE[name](table(values, NAMES)) for values in (scores, gappy))
    assert adjustment(after) == adjustment(before)
    rows, others = (
        one.contrasts(all=True).set_index(["first", "second"]) for one in (before, after)
    )
    assert rows.index.equals(others.index)
    rest = [pair for pair in rows.index if NAMES[algorithm] not in pair]
    shown = [column for column in COLUMNS if column in rows]
    # An interval is cut at equality where its pair is decided, which other pairs' partitions tell.
    same = [pair for pair in rest if rows.loc[pair, "verdict"] == others.loc[pair, "verdict"]]
    for column in shown:
        pairs = same if column.startswith("conf_") else rest
        # Sums are taken in another order, up to the last digits.
        np.testing.assert_allclose(
            rows.loc[pairs, column].astype(float),
            others.loc[pairs, column].astype(float),
            1e-12,
            1e-13,
        )


@pytest.mark.slow
def test_a_gap_among_many_data_sets_leaves_the_other_pairs_exact():
    """On 1,400 data sets the exact distribution of signed ranks takes most of its time."""
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(1400, 1, 3)) + 0.05 * np.arange(3)
    gappy = scores.copy()
    gappy[7, :, 2] = np.nan
    before, after = (bi.compare_permutation(table(x, NAMES)) for x in (scores, gappy))
    one, other = (x.contrasts(all=True).iloc[0] for x in (before, after))
    assert (one["first"], one["second"]) == ("a", "b")
    assert other["p_raw"] == one["p_raw"]
