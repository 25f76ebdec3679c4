"""Counts of data sets on which one algorithm is better."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.numerics.multiplicity import FALSE_DISCOVERY, holm, partial_conjunction


@pytest.fixture(scope="module")
def local():
    rng = np.random.default_rng(3)
    d, r, k = np.indices((8, 12, 3)).reshape(3, -1)
    # The second is better on the first six data sets, the third nowhere.
    value = rng.normal(size=len(d)) + 3.0 * ((k == 1) & (d < 6))
    rows = pd.DataFrame(
        {"dataset": [f"d{i}" for i in d], "replication": r, "algorithm": ["abc"[i] for i in k]}
    )
    scores = bi.read_scores(rows.assign(score=value), measures={"score": "higher"}, paired=True)
    return bi.per_dataset(bi.compare_pair, scores)


def test_counts_are_those_of_one_sided_p_values(local):
    table = local.counts().set_index(["first", "second"])
    assert len(table) == 6
    contrasts = local.contrasts(all=True)
    rows = contrasts[(contrasts["first"] == "a") & (contrasts["second"] == "b")]
    tail = np.where(rows["estimate"] < 0, rows["p_raw"] / 2, 1 - rows["p_raw"] / 2)
    expected = int((partial_conjunction(tail) <= 0.05).sum())
    assert table.loc[("b", "a"), "better_at_least"] == expected >= 5
    assert table.loc[("a", "b"), "worse_at_least"] == expected
    named = rows["dataset"][holm(tail) <= 0.05].tolist()
    assert table.loc[("b", "a"), "named"] == ", ".join(named)
    assert set(named) <= {f"d{i}" for i in range(6)}


def test_bonferroni_counts_no_more(local):
    fisher, bound = local.counts(), local.counts("bonferroni")
    assert (bound["better_at_least"] <= fisher["better_at_least"]).all()


def test_sentences_say_on_how_many(local):
    n = local.counts().set_index(["first", "second"]).loc[("b", "c"), "better_at_least"]
    assert f"b is better than c on at least {n} of 8 data sets" in local.sentence()


def test_without_p_values_nothing_is_counted():
    local = bi.per_dataset(bi.compare_points, bi.load_example("sklearn_bootstrap"), "error")
    with pytest.raises(DesignError, match="p-values"):
        local.counts()
    assert local.counted() == ""


@pytest.mark.parametrize("adjust", FALSE_DISCOVERY)
def test_named_data_sets_with_a_false_discovery_rate(local, adjust):
    rates, steps = local.counts(adjust=adjust), local.counts()
    # Only what is named depends on it.
    pd.testing.assert_frame_equal(rates.drop(columns="named"), steps.drop(columns="named"))
    contrasts = local.contrasts(all=True)
    table = rates.set_index(["first", "second"])
    for (first, second), rows in contrasts.groupby(["first", "second"]):
        ahead = np.where(rows["estimate"] > 0, rows["p_raw"] / 2, 1 - rows["p_raw"] / 2)
        for sides, p in (((first, second), ahead), ((second, first), 1 - ahead)):
            named = rows["dataset"][FALSE_DISCOVERY[adjust](p) <= 0.05]
            assert table.loc[sides, "named"] == ", ".join(named)


def test_other_adjustments_over_data_sets_are_refused(local):
    with pytest.raises(DesignError, match="unknown adjust 'hommel'"):
        local.counts(adjust="hommel")
