"""Permutation tests of units of unequal size: units change sides with their items."""

import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from tests.nested import flipped, items_of_passages, read

SIZES = (1, 2, 4, 7, 3, 3)


def test_flips_of_units_by_brute_force():
    frame = items_of_passages(SIZES, seed=2)
    result = bi.compare_permutation(read(frame), on="values")
    d = frame.groupby("algorithm")["acc"].mean()
    assert result.evidence.estimate == pytest.approx(d["a"] - d["b"], abs=1e-12)
    assert result.evidence.p_value == pytest.approx(flipped(frame)[0], abs=1e-12)


@pytest.mark.parametrize("pairs", ["pairwise", "pooled"])
def test_equivalence_shifts_each_unit_by_its_items(pairs):
    frame = items_of_passages(SIZES, seed=2)
    measures = [bi.Measure("acc", better="higher", tolerance=0.5)]
    result = bi.compare_permutation(read(frame, measures=measures), on="values", pairs=pairs)
    turned = frame.assign(algorithm=frame["algorithm"].map({"a": "b", "b": "a"}))
    expected = max(flipped(frame, 0.5)[1], flipped(turned, 0.5)[1])
    assert result.evidence.p_equivalence == pytest.approx(expected, abs=1e-12)


def test_intervals_are_those_of_the_t_test_of_units():
    frame = items_of_passages(SIZES, seed=2)
    flips, pair = bi.compare_permutation(read(frame), on="values"), bi.compare_pair(read(frame))
    for name in ("estimate", "low", "high"):
        expected = getattr(pair.evidence, name)
        assert getattr(flips.evidence, name) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("on", ["aligned-ranks", "ranks", "normal-scores", "dispersion"])
def test_ranks_of_units_of_unequal_size_are_refused(on):
    scores = read(items_of_passages(SIZES))
    with pytest.raises(DesignError, match="is of units, not of items") as caught:
        bi.compare_permutation(scores, on=on)
    assert 'compare_permutation(..., on="values")' in str(caught.value)
    assert bi.compare_permutation(read(items_of_passages(SIZES), unit_weights="units"), on=on)


def test_units_that_are_not_shared_are_refused():
    scores = read(items_of_passages(SIZES), paired=False)
    with pytest.raises(DesignError, match="would take another number of items along"):
        bi.compare_permutation(scores, on="values")
