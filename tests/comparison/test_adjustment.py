"""False discovery rates of comparisons with a control, in every analysis that has them."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import benchinfer as bi
from benchinfer.core.errors import DesignError

SCORES = bi.load_example("sklearn_bootstrap")
ONE = SCORES.subset(datasets="blobs")
ANALYSES = [
    pytest.param(bi.compare_mixed, SCORES, {}, id="pair-specific"),
    pytest.param(bi.compare_mixed, SCORES, {"structure": "common"}, id="common"),
    pytest.param(bi.compare_mixed, SCORES, {"alternative": "better"}, id="one-sided"),
    pytest.param(bi.compare_permutation, SCORES, {}, id="permutation"),
    pytest.param(bi.compare_permutation, SCORES, {"on": "values"}, id="values"),
    pytest.param(bi.compare_pair, ONE, {}, id="pair"),
]
METHODS = {"bh": "fdr_bh", "by": "fdr_by"}


@pytest.mark.parametrize("adjust", METHODS)
@pytest.mark.parametrize(("compare", "scores", "options"), ANALYSES)
def test_p_values_are_those_of_statsmodels(compare, scores, options, adjust):
    result = compare(scores, "error", control="cart", adjust=adjust, **options)
    rows = result.contrasts(all=True)
    expected = multipletests(rows["p_raw"], method=METHODS[adjust])[1]
    np.testing.assert_allclose(rows["p_value"], expected, rtol=1e-12)
    # Intervals do not depend on it.
    holm = compare(
        scores, "error", control="cart", adjust="holm", interval="simultaneous", **options
    )
    same = ["estimate", "conf_low", "conf_high", "p_raw"]
    np.testing.assert_array_equal(rows[same], holm.contrasts(all=True)[same])


@pytest.mark.parametrize("adjust", METHODS)
@pytest.mark.parametrize(("compare", "scores", "options"), ANALYSES)
def test_words_say_what_is_kept(compare, scores, options, adjust):
    result = compare(scores, "error", control="cart", adjust=adjust, level=0.9, **options)
    assert "(false discovery rate, " in result.provenance.adjustment
    assert "which cover the differences of all of them together" in result.provenance.adjustment
    assert result.provenance.adjustment[1:] in result.method
    for text in (result.headline(), result.sentence()):
        assert "keep a false discovery rate of 10 %" in text
    assert "at most 10 % of the significant differences, and of the equivalences," in result.rule
    assert "simultaneous" in result._intervals
    entry = {"bh": "benjamini1995", "by": "benjamini2001"}[adjust]
    assert entry in result.citations()
    assert "sidak1967" in result.citations()
    steps = compare(scores, "error", control="cart", adjust="holm", level=0.9, **options)
    for text in (steps.headline(), steps.rule, steps.method, steps.sentence()):
        assert "discovery" not in text


@pytest.mark.parametrize(("compare", "scores", "options"), ANALYSES)
@pytest.mark.parametrize("family", [{}, {"control": "best"}])
def test_all_pairs_are_refused(compare, scores, options, family):
    if "alternative" in options:
        options = {}
    with pytest.raises(DesignError, match="goes with a control that is named") as caught:
        compare(scores, "error", adjust="bh", **family, **options)
    assert 'adjust="holm"' in str(caught.value)


@pytest.mark.parametrize("contrasts", ["mean", "sequential"])
def test_other_families_are_refused(contrasts):
    with pytest.raises(DesignError, match="goes with a control that is named"):
        bi.compare_mixed(SCORES, "error", adjust="by", contrasts=contrasts)


def test_pooled_scores_are_refused():
    with pytest.raises(DesignError, match="a valid p-value of each pair alone"):
        bi.compare_permutation(SCORES, "error", control="cart", adjust="bh", pairs="pooled")


def test_one_contrast_has_nothing_to_adjust_for():
    two = SCORES.subset(algorithms=["svm", "cart"])
    rates, plain = (bi.compare_mixed(two, "error", adjust=a) for a in ("bh", "none"))
    assert rates.contrasts()["p_value"].tolist() == plain.contrasts()["p_value"].tolist()
    assert "discovery" not in rates.headline() + rates.rule + rates.method


def test_equivalence_has_its_rate():
    result = bi.compare_pair(ONE, "error", control="cart", adjust="bh", margin=0.05)
    raw = bi.compare_pair(ONE, "error", control="cart", adjust="none", margin=0.05)
    p = raw.contrasts(all=True)["p_equivalence"]
    expected = multipletests(p, method="fdr_bh")[1]
    np.testing.assert_allclose(result.contrasts(all=True)["p_equivalence"], expected, rtol=1e-12)
    assert (result.contrasts()["verdict"] == "equivalent").any()


def test_posterior_probabilities_have_no_such_rate():
    result = bi.compare_pair(ONE, "error", control="cart", adjust="bh", test="bayes-t", margin=0.01)
    assert "discovery" not in result.headline() + result.rule + result.method


def test_dependence_that_is_not_established_is_named():
    rows = {
        adjust: bi.compare_permutation(SCORES, "error", control="cart", adjust=adjust).diagnostics()
        for adjust in METHODS
    }
    name = "adjustment holds under any dependence"
    remedy = rows["bh"].set_index("check").loc[name, "remedy"]
    assert 'adjust="by"' in remedy
    assert name not in rows["by"]["check"].tolist()


def test_smallest_p_value_is_that_of_all_pairs_together():
    # Five data sets: no p-value is below 1/16, none of them adjusted is below either.
    few = SCORES.subset(datasets=SCORES.datasets[:5])
    for adjust, least in (("bh", 1 / 16), ("by", (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 16)):
        result = bi.compare_permutation(few, "error", control="cart", adjust=adjust)
        checks = result.diagnostics().set_index("check")
        row = checks.loc["smallest attainable adjusted p-value"]
        assert row["value"] == pytest.approx(least)
        assert not row["ok"]


def test_each_data_set_keeps_its_rate():
    local = bi.per_dataset(bi.compare_pair, SCORES, "error", control="cart", adjust="bh")
    assert "keep the false discovery rate in each data set, not over data sets" in local.sentence()
