"""Replications whose training sets overlap by an unknown amount decide nothing, by name either."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi


def splits(datasets):
    """Return scores of two algorithms on random splits that they share, of an unknown fraction."""
    draw = np.random.default_rng(1)
    index = pd.MultiIndex.from_product(
        [[f"d{i}" for i in range(datasets)], range(6), ["new", "old"]],
        names=["dataset", "replication", "algorithm"],
    )
    frame = pd.DataFrame({"acc": draw.normal(size=len(index))}, index=index).reset_index()
    return bi.read_scores(frame, measures="acc:higher:0.1", resampling="holdout")


ON_ONE = {
    "mixed": bi.compare_mixed,
    "pair": bi.compare_pair,
    "permutation": bi.compare_permutation,
    "bootstrap": bi.compare_bootstrap,
    "wins": lambda scores: bi.compare_wins(scores, by="replications"),
}


@pytest.mark.parametrize("name", ON_ONE)
def test_of_one_data_set_no_analysis_by_name_decides(name):
    with pytest.raises(bi.errors.DesignError, match="training sets overlap"):
        ON_ONE[name](splits(1))


@pytest.mark.parametrize("compare", [bi.compare_mixed, bi.compare_bayes])
def test_claims_about_the_data_sets_at_hand_need_the_overlap(compare):
    with pytest.raises(bi.errors.DesignError, match="by how much is not declared"):
        compare(splits(8), target="datasets")
