"""What must hold for pairs with errors of their own on given data sets, on drawn tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import benchinfer as bi

OWN = ("estimate", "std_error", "df", "statistic", "p_raw")


@st.composite
def designs(draw):
    """Scores (D, R, K) of three to five algorithms with gaps, and how replications came about."""
    d, n, k = draw(st.integers(1, 3)), draw(st.integers(2, 9)), draw(st.integers(3, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sd = draw(st.sampled_from([np.ones(k), 5.0 ** (np.arange(k) == 0), 0.1 ** np.arange(k)]))
    unit = draw(st.sampled_from([1e-6, 1.0, 1e4]))
    value = (
        rng.normal(size=(d, 1, 1)) + rng.normal(size=(d, n, 1)) + sd * rng.normal(size=(d, n, k))
    )
    value[rng.random(value.shape) < draw(st.sampled_from([0.0, 0.3]))] = np.nan
    value[:, :2] = np.where(np.isnan(value[:, :2]), 0.5 * rng.normal(size=(d, 2, k)), value[:, :2])
    how = draw(
        st.sampled_from(
            [
                {"paired": True},
                {"paired": False},
                {"resampling": bi.Resampling("holdout", test_fraction=0.2)},
                {"resampling": "bootstrap"},
            ]
        )
    )
    return unit * value, how


def compared(value, how, names="abcdefgh", better="higher", tolerance=0.0, **options):
    d, r, k = np.indices(value.shape).reshape(3, -1)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in d],
            "replication": r + 1,
            "algorithm": [names[i] for i in k],
            "value": value.ravel(),
        }
    ).dropna()
    measure = bi.Measure("score", better, tolerance=tolerance)
    scores = bi.read_scores(frame, measures=measure, **how)
    return bi.compare_mixed(scores, target="datasets", **options)


def by_pair(result, names=None):
    """Return the rows of pairs by the names of both, as other names where these are given."""
    rows = result.contrasts(all=True)
    names = names or {}
    return {
        frozenset(names.get(side, side) for side in (row["first"], row["second"])): row
        for _, row in rows.iterrows()
    }


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    design=designs(),
    far=st.sampled_from([0.0, 1e3, -1e6]),
    erratic=st.sampled_from([1e-3, 1.0, 1e4]),
    place=st.sampled_from("!z"),
    more=st.integers(0, 4),
    seed=st.integers(0, 2**32),
)
def test_a_further_algorithm_changes_no_number_of_another_pair(
    design, far, erratic, place, more, seed
):
    """Erratic, far off, with replications that no other has: bit for bit."""
    value, how = design
    d, n, k = value.shape
    rng, unit = np.random.default_rng(seed), np.nanstd(value)
    extra = unit * (far + erratic * rng.normal(size=(d, n + more, 1)))
    longer = np.concatenate([value, np.full((d, more, k), np.nan)], axis=1)
    wider, names = np.concatenate([longer, extra], axis=2), "abcde"[:k]
    # Without an adjustment the interval is of the pair alone, too.
    before = by_pair(compared(value, how, names, adjust="none"))
    try:
        after = by_pair(compared(wider, how, names + place, adjust="none"))
    except bi.errors.DesignError as error:
        # Variances that are eight orders of magnitude apart may be refused, in words.
        if "differ by more orders of magnitude" not in str(error):
            raise
        reject()
    # A table adds up the scores of a cell over the places of all replications: those that the
    # further algorithm alone has are new.
    alone = more > 0 or bool(np.isnan(value).all(axis=2).any())
    rounded = alone and how == {"paired": False}
    for pair, row in before.items():
        for name in (*OWN, "p_value", "conf_low", "conf_high"):
            own, again = row[name], after[pair][name]
            assert own == again or (rounded and np.isclose(own, again, 1e-9)), (pair, name)
    assert len(before) == k * (k - 1) // 2


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(design=designs())
def test_direction_names_and_units_change_no_verdict(design):
    value, how = design
    k, tolerance = value.shape[2], 0.3 * float(np.nanstd(value))
    names = "abcde"[:k]
    one = compared(value, how, names, tolerance=tolerance)
    turned = compared(-value, how, names, "lower", tolerance)
    assert turned.pairs.codes.tolist() == one.pairs.codes.tolist()
    np.testing.assert_array_equal(turned.evidence.p_raw, one.evidence.p_raw)
    scaled = compared(1024 * value, how, names, tolerance=1024 * tolerance)
    assert scaled.pairs.codes.tolist() == one.pairs.codes.tolist()
    np.testing.assert_array_equal(scaled.evidence.p_raw, one.evidence.p_raw)
    other = "edcba"[-k:]
    renamed = by_pair(
        compared(value, how, other, tolerance=tolerance), dict(zip(other, names, strict=True))
    )
    for pair, row in by_pair(one).items():
        assert abs(row["p_value"] - renamed[pair]["p_value"]) <= 1e-9
        assert (row["winner"] == "") == (renamed[pair]["winner"] == "")


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(design=designs())
def test_levels_lie_within_the_scores_and_own_p_values_are_no_larger_than_adjusted_ones(design):
    value, how = design
    result = compared(value, how)
    rows, levels = result.contrasts(all=True), result.summary()["estimate"].to_numpy()
    assert (rows["p_value"] >= rows["p_raw"] * (1 - 1e-12)).all()
    low, high = np.nanmin(value, axis=1).mean(axis=0), np.nanmax(value, axis=1).mean(axis=0)
    noise = 1e-12 * np.nanmax(np.abs(value))
    assert ((levels >= low - noise) & (levels <= high + noise)).all()
    # Decided by the closed test: without the family the interval excludes equality, too.
    alone = compared(value, how, adjust="none").contrasts(all=True)
    decided = rows["winner"] != ""
    outside = (alone["conf_low"] > 0) | (alone["conf_high"] < 0)
    assert outside[decided].all()
