"""Sets of the best and of ranks in summaries, headlines and figures."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison import best
from benchinfer.core.arguments import ArgumentError


@pytest.fixture(scope="module")
def mixed():
    return bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")


def test_summary_has_sets_of_the_best_and_of_ranks(mixed):
    table = mixed.summary()
    assert (table["may_be_best"] == (table["p_best"] > 0.05)).all()
    assert (table["p_near_best"] >= table["p_best"]).all()
    ranges = best.ranges(mixed)
    rows = zip(table["rank_low"], table["rank_high"], strict=True)
    assert dict(zip(table["algorithm"], rows, strict=True)) == ranges


def test_headline_names_the_set_of_the_best(mixed):
    table = mixed.summary().set_index("algorithm")
    names = [name for name in mixed.ranking() if table["may_be_best"][name]]
    text = f"Of the 6 algorithms, {', '.join(names[:-1])} and {names[-1]} may be the best (95 %)."
    assert mixed.headline().endswith(text)
    assert text in mixed.sentence()


def test_ranks_agree_with_closed_tests_of_pairs(mixed):
    strict = mixed.relation(rule="not-significant").strict
    table = mixed.summary()
    assert mixed.rank_sets.closed
    np.testing.assert_array_equal(table["rank_low"], 1 + strict.sum(axis=0))
    np.testing.assert_array_equal(table["rank_high"], 6 - strict.sum(axis=1))


def test_marginal_ranks_are_by_name(mixed):
    table = mixed.summary(ranks="marginal")
    np.testing.assert_array_equal(table["rank_low"], mixed.rank_sets.marginal_low)
    with pytest.raises(ArgumentError, match="ranks"):
        mixed.summary(ranks="joint")


def test_sets_do_not_depend_on_the_contrasts(mixed):
    control = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error", control="cart")
    np.testing.assert_array_equal(control.rank_sets.p_best, mixed.rank_sets.p_best)
    assert not control.rank_sets.closed


def test_p_values_of_pairs_stand_in_where_there_is_no_joint_distribution():
    scores = bi.load_example("sklearn_bootstrap")
    pooled = bi.compare_meta(scores, "error", pooling="pairwise")
    assert pooled.rank_sets.basis == "pairs"
    raw = pooled.contrasts(all=True)
    worst = {
        name: min(
            (
                row["p_raw"] / 2
                for _, row in raw.iterrows()
                if name in (row["first"], row["second"])
                and (row["estimate"] > 0) == (row["first"] == name)
            ),
            default=1.0,
        )
        for name in pooled.algorithms
    }
    expected = [min(5 * worst[name], 1.0) for name in pooled.algorithms]
    p = pooled.rank_sets.p_best
    small = np.array(expected) < 0.5
    np.testing.assert_allclose(p[small], np.array(expected)[small])


def test_without_inference_there_are_no_sets():
    points = bi.compare_points(bi.load_example("sklearn_bootstrap"), "error")
    assert points.rank_sets is None
    assert "may be the best" not in points.headline()
    assert "may_be_best" not in points.summary()
    assert "10.1093/restud/rdad006" not in points.citations()


def test_sources_of_the_sets_are_cited(mixed):
    assert "10.1093/restud/rdad006" in mixed.citations()


def test_sets_are_saved(mixed, tmp_path):
    mixed.save(tmp_path / "mixed.json")
    again = bi.load(tmp_path / "mixed.json")
    assert again.headline() == mixed.headline()
    np.testing.assert_array_equal(again.summary()["rank_low"], mixed.summary()["rank_low"])
