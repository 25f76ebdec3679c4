"""Gate by signs of units of unequal size: units change sides with their items."""

import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from tests.nested import flipped, items_of_passages, read

SIZES = (1, 2, 4, 7, 3, 3)


def gated(frame, tolerance=0.5, **options):
    measures = [bi.Measure("acc", better="higher", tolerance=tolerance)]
    options = {"by": "permutation", "baseline": "b", "candidate": "a", **options}
    return bi.gate(read(frame, measures=measures), **options)["acc"]


@pytest.mark.parametrize(
    ("want", "tolerance", "shift"), [("noninferior", 0.5, 0.5), ("superior", 0.5, 0.0)]
)
def test_p_values_are_of_all_flips_of_units(want, tolerance, shift):
    frame = items_of_passages(SIZES, seed=2)
    turned = frame.assign(algorithm=frame["algorithm"].map({"a": "b", "b": "a"}))
    row = gated(frame, tolerance, want=want)
    assert row.p_pass == pytest.approx(flipped(frame, shift)[1], abs=1e-12)
    assert row.p_fail == pytest.approx(flipped(turned, -tolerance)[1], abs=1e-12)


def test_bounds_and_estimate_are_those_of_the_pair():
    frame = items_of_passages(SIZES, seed=2)
    signs, pair = gated(frame), gated(frame, by="pair")
    for name in ("estimate", "low"):
        assert getattr(signs, name) == pytest.approx(getattr(pair, name), abs=1e-4)
    # Signs decide nothing, and the bound of the mean, which does not reach 0 by t, is stretched.
    assert pair.high < 0
    assert signs.high == 0


def test_undecided_of_units_is_planned_by_variances_not_by_ranks():
    frame = items_of_passages(SIZES, seed=2)
    needs = [gated(frame, 0.1, by=by).need for by in ("permutation", "pair")]
    assert "more replications" in needs[0].text
    assert needs[0].text == needs[1].text


def test_claims_about_a_domain_have_ranks_of_data_sets():
    frame = items_of_passages(SIZES, datasets=8, seed=3)
    means = frame.groupby(["dataset", "algorithm"], as_index=False)["acc"].mean()
    scores = bi.read_scores(means, measures="acc:higher:0.5")
    options = {"baseline": "b", "candidate": "a", "by": "permutation"}
    assert gated(frame).p_pass == bi.gate(scores, **options)["acc"].p_pass


def test_units_that_are_not_shared_are_refused():
    frame = items_of_passages(SIZES)
    frame["passage"] += frame["algorithm"]
    with pytest.raises(DesignError, match="algorithms do not share them"):
        gated(frame)
