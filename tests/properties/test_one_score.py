"""One score far off changes no tie, rank or win on other data sets."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import benchinfer as bi
from benchinfer.analyses.permutation.blocks import exchangeable, with_ties
from benchinfer.analyses.permutation.compare import compare_permutation
from benchinfer.analyses.permutation.options import PermutationOptions
from benchinfer.analyses.permutation.pairs import ordered_terms
from benchinfer.comparison.evidence import Setting

FAR = [1e15, -1e15, 3.9e14, 1e-300]


def read(values, **options):
    """Read (D, K) scores, or (D, R, K) with replications."""
    values = values if values.ndim == 3 else values[:, None]
    d, r, k = np.indices(values.shape)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i:03}" for i in d.ravel()],
            "algorithm": [f"a{i:02}" for i in k.ravel()],
            "seed": r.ravel(),
            "score": values.ravel(),
        }
    ).dropna()
    if values.shape[1] == 1:
        frame = frame.drop(columns="seed")
    return bi.read_scores(frame, measures="score:higher", **options)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(FAR))
def test_ranks_and_wins_on_other_data_sets_stay(seed, far):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(6, 12)), int(rng.integers(3, 6))
    values = rng.integers(1, 6, (d, k)) / 5 * 10.0 ** rng.integers(-4, 5)
    values[rng.random((d, k)) < 0.1] = np.nan
    values[:2] = rng.random((2, k))
    row, column = rng.integers(0, d), int(rng.integers(0, k))
    values[row, column] = far
    scores = read(values)
    places = rankdata(-values, axis=1, nan_policy="omit")
    places[np.isfinite(values).sum(axis=1) < 2] = np.nan
    found = bi.compare_permutation(scores, resamples=100, null="asymptotic")
    np.testing.assert_allclose(found.ranks.mean_ranks, np.nanmean(places, axis=0))
    table = bi.compare_wins(scores, ties="half", penalised=True, errors="independent").wins()
    for wins, ties, (i, j) in zip(
        table["wins"], table["ties"], np.column_stack(np.triu_indices(k, 1)), strict=True
    ):
        apart = values[:, i] - values[:, j]
        assert (wins, ties) == ((apart > 0).sum(), (apart == 0).sum())


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(FAR), st.sampled_from(["ranks", "normal-scores"]))
def test_pairs_without_the_score_are_tested_as_before(seed, far, on):
    """What is tested of the other pairs is the same to the bit, and so are their estimates."""
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(6, 15)), 4
    values = np.round(rng.normal(size=(d, k)), 1)
    values[int(rng.integers(d)), 0], before = far, values.copy()
    options = {"on": on, "resamples": 200, "null": "asymptotic", "seed": 1}
    rows = [
        bi.compare_permutation(read(table), **options).contrasts(all=True)
        for table in (before, values)
    ]
    for one, other in zip(*(frame.iterrows() for frame in rows), strict=True):
        if "a00" not in (one[1]["first"], one[1]["second"]):
            columns = ["estimate", "conf_low", "conf_high", "statistic", "p_raw"]
            assert one[1][columns].tolist() == other[1][columns].tolist()


def test_a_model_that_is_better_everywhere_is_so_beside_a_score_far_off():
    rng = np.random.default_rng(4)
    base = rng.random((100, 1)) * 10.0 ** rng.integers(-3, 3, (100, 1))
    values = base * (1 + 0.01 * np.array([[2.0, 1.0, 0.0]]) + 0.001 * rng.random((100, 3)))
    values[7, 2] = -3.9e14
    scores = read(values)
    wins = bi.compare_wins(scores, ties="half", penalised=True).wins()
    assert wins["wins"].tolist() == [100, 100, 100]
    found = bi.compare_permutation(scores)
    assert found.contrasts()["verdict"].tolist() == ["first"] * 3
    assert found.ranking() == ("a00", "a01", "a02")
    assert bi.compare_points(scores, statistic="median").ranking() == ("a00", "a01", "a02")


@pytest.mark.parametrize("measure", ["identity", "log"])
def test_means_of_replications_in_another_order_tie(measure):
    """Scores of either sign cancel: rounding is of their size, not of that of their mean."""
    rng = np.random.default_rng(6)
    scores = np.round(rng.normal(size=(12, 9)), 1)
    scores[:, -1] = -scores[:, :-1].sum(axis=1)  # so that each mean is 0 up to rounding
    other = np.array([rng.permutation(row) for row in scores])
    third = np.roll(other, 4, axis=1)
    values = np.stack([scores, other, third], axis=2)
    values = values if measure == "identity" else np.exp(values)
    assert len(np.unique([row.mean() for row in np.concatenate([scores, other, third])])) > 3
    table = read(values, resampling="seeds", paired=False)
    if measure == "log":
        table = bi.read_scores(
            table.to_frame(), measures=[bi.Measure("score", "higher", scale="log")]
        )
    found = bi.compare_permutation(table, on="ranks")
    assert found.ranks.mean_ranks.tolist() == [2, 2, 2]
    assert (found.zeros == 12).all()
    assert (found.contrasts(all=True)["p_value"] == 1).all()
    with pytest.raises(bi.DesignError, match="all 36 contests are ties"):
        bi.compare_wins(table)


def test_terms_of_signed_ranks_tie_by_the_scores_of_their_data_set():
    """0.9 - 0.8 and 0.6 - 0.5 are one difference, on a data set of millions as well."""
    rows = [[0.9, 0.8], [0.6, 0.5], [0.3, 0.2], [0.5, 0.7], [1e7 + 0.3, 1e7], [3e6, 3e6 - 0.2]]
    setting, scores = Setting.of(read(np.array(rows)))
    data = with_ties(exchangeable(scores, setting, "domain", "ranks"))
    options = PermutationOptions.by_default(compare_permutation, measure="score", on="ranks")
    terms = ordered_terms(data, options.procedure(0.0), 0.0)[:, 0, 1]
    assert terms.tolist() == [2, 2, 2, -4.5, 6, 4.5]
