"""Bootstrap of units of unequal size: ratios of sums of whole units."""

import itertools

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.bootstrap.numerics import aggregates, resampling
from benchinfer.analyses.bootstrap.numerics.aggregates import Statistic
from benchinfer.core.errors import DesignError
from tests.nested import items_of_passages, read, sums

SIZES = (1, 2, 4, 7)


def sample_of(scores):
    blocks = scores.blocks()
    return resampling.lay_out(blocks.scores, blocks.count > 0, blocks.dataset, blocks.size)


def test_the_mean_is_of_items():
    frame = items_of_passages(SIZES, datasets=2)
    result = bi.compare_bootstrap(read(frame), resamples=200)
    assert result.provenance.arguments["statistic"] == "mean"
    by_hand = frame.groupby(["dataset", "algorithm"])["acc"].mean().groupby("algorithm").mean()
    assert result.summary().set_index("algorithm")["estimate"].to_dict() == pytest.approx(
        by_hand.to_dict(), abs=1e-12
    )
    assert result.evidence.estimate == pytest.approx(by_hand["a"] - by_hand["b"], abs=1e-12)


def test_resamples_are_ratios_of_drawn_sums():
    """All 4^4 resamples of four passages, against the frequencies of those drawn."""
    frame = items_of_passages(SIZES, seed=1)
    (total_a, n), (total_b, _) = sums(frame, "a"), sums(frame, "b")
    ratios = [
        (total_a.iloc[list(i)].sum() - total_b.iloc[list(i)].sum()) / n.iloc[list(i)].sum()
        for i in itertools.product(range(4), repeat=4)
    ]
    draws = aggregates.draws(sample_of(read(frame)), Statistic("mean"), "replications", 40_000, 1)
    drawn = draws[:, 0] - draws[:, 1]
    # Each draw is one of the ratios, and all of them occur.
    distance = np.abs(drawn[:, None] - np.unique(np.round(ratios, 12))).min(axis=1)
    assert distance.max() < 1e-9
    for q in (0.1, 0.5, 0.9):
        assert np.quantile(drawn, q) == pytest.approx(np.quantile(ratios, q), abs=0.02)
    assert drawn.mean() == pytest.approx(np.mean(ratios), abs=4 * np.std(ratios) / 200)
    assert drawn.std() == pytest.approx(np.std(ratios), rel=0.03)


def test_sizes_of_one_are_no_sizes():
    scores = read(items_of_passages((3, 3, 3, 3)))
    plain = sample_of(scores)
    assert plain.size is None
    blocks = scores.blocks()
    ones = resampling.lay_out(
        blocks.scores, blocks.count > 0, blocks.dataset, np.ones_like(blocks.scores)
    )
    a, b = (
        aggregates.draws(one, Statistic("mean"), "replications", 50, 3) for one in (plain, ones)
    )
    assert a == pytest.approx(b, abs=1e-12)
    contrast = np.array([[1.0, -1.0]])
    for name in ("df", "variance_share", "least"):
        bounds = [
            aggregates.influence(one, Statistic("mean"), "replications", 1).bounds(contrast)
            for one in (plain, ones)
        ]
        assert getattr(bounds[0], name) == pytest.approx(getattr(bounds[1], name), rel=1e-12)


def test_percentiles_are_expanded_for_the_effective_number_of_units():
    sample = sample_of(read(items_of_passages((1, 2, 3, 30))))
    bounds = aggregates.influence(sample, Statistic("mean"), "replications", 1).bounds(
        np.array([[1.0, -1.0]])
    )
    effective = 36**2 / (1 + 4 + 9 + 900)
    assert bounds.df.item() == pytest.approx(effective - 1)
    assert bounds.variance_share.item() == pytest.approx(1 - 1 / effective)
    assert bounds.least.item() == pytest.approx(0.5**4)  # of signs of four units


@pytest.mark.parametrize("statistic", ["iqm", "median", 0.3])
def test_statistics_of_units_are_refused(statistic):
    with pytest.raises(DesignError, match="this statistic is of units, not of items") as caught:
        bi.compare_bootstrap(read(items_of_passages(SIZES)), statistic=statistic)
    assert 'statistic="mean"' in str(caught.value)
    by_unit = read(items_of_passages(SIZES), unit_weights="units")
    assert len(bi.compare_bootstrap(by_unit, statistic=statistic, resamples=100).contrasts()) == 1


def test_quantiles_of_data_sets_are_of_their_ratios():
    frame = items_of_passages(SIZES, datasets=5)
    result = bi.compare_bootstrap(read(frame), statistic="median", resamples=100)
    levels = frame.groupby(["dataset", "algorithm"])["acc"].mean().unstack().median()
    assert result.levels.estimate == pytest.approx(levels.to_numpy(), abs=1e-12)


def test_resampled_tables_are_refused():
    scores = read(items_of_passages(SIZES, datasets=2))
    with pytest.raises(DesignError, match="resampled tables would not know"):
        bi.stability.resample_relations(bi.compare_points, scores, resamples=2)
