"""Sets of the best and of ranks: tests of their own, which are asked for."""

from dataclasses import replace

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.permutation.pairs import ordered_terms
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from tests.scores.tables import table


@pytest.fixture(scope="module")
def mixed():
    return bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")


def test_the_set_of_the_best_is_of_its_p_values(mixed):
    found = mixed.best().table()
    assert (found["not_beaten"] == (found["p_not_beaten"] > 0.05)).all()
    assert (found["p_not_beaten_beyond"] >= found["p_not_beaten"]).all()
    assert found["algorithm"].tolist() == list(mixed.ranking())


def test_the_headline_names_the_set(mixed):
    found = mixed.best()
    names = found.table().query("not_beaten")["algorithm"].tolist()
    text = f"of the 6 algorithms, {', '.join(names[:-1])} and {names[-1]} may be the best (95 %)."
    assert found.headline().endswith(text)
    assert text not in mixed.headline()


def test_ranks_alone_are_within_those_of_all_together(mixed):
    found = mixed.best().table()
    assert (found["rank_low"] <= found["rank_low_alone"]).all()
    assert (found["rank_high_alone"] <= found["rank_high"]).all()


def test_sets_do_not_depend_on_the_contrasts(mixed):
    control = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error", control="cart")
    one, other = (each.best().sets for each in (control, mixed))
    np.testing.assert_array_equal(one.p_best, other.p_best)
    np.testing.assert_array_equal(one.low, other.low)


@pytest.mark.slow
def test_nothing_of_them_is_computed_with_a_comparison(monkeypatch):
    def fail(*_, **__):
        raise AssertionError

    monkeypatch.setattr("benchinfer.numerics.directions.rank_sets.rank_sets", fail)
    monkeypatch.setattr("benchinfer.analyses.mixed.evidence.rank_sets", fail)
    monkeypatch.setattr("benchinfer.analyses.permutation.comparison.rank_sets", fail)
    scores = bi.load_example("sklearn_bootstrap")
    for compare in (bi.compare_mixed, bi.compare_permutation, bi.compare_wins, bi.compare_meta):
        found = compare(scores, "error")
        found.headline(), found.summary(), found.sentence(), found.table()


def test_p_values_of_pairs_stand_in_where_there_is_no_joint_distribution():
    scores = bi.load_example("sklearn_bootstrap")
    pooled = bi.compare_meta(scores, "error", pooling="pairwise")
    found = pooled.best().sets
    assert found.basis == "pairs"
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
    expected = np.array([min(5 * worst[name], 1.0) for name in pooled.algorithms])
    small = expected < 0.5
    np.testing.assert_allclose(found.p_best[small], expected[small])


def test_means_of_blocks_flip_together():
    scores = bi.load_example("sklearn_bootstrap")
    found = bi.compare_permutation(scores, "error", on="values", seed=1)
    assert found.best().sets.basis == "flips"
    # By brute force: all signs of the 12 data sets.
    terms = ordered_terms(found.blocks, found.options.procedure(found.measure.margin), 0.0)
    size = np.sqrt((terms**2).sum(axis=0))
    unit = np.divide(terms, size, out=np.zeros_like(terms), where=size > 0)
    signs = 1 - 2 * (np.arange(4096)[:, None] >> np.arange(12) & 1)
    drawn = np.einsum("sd,dij->sij", signs, unit).max(axis=1)
    p = (drawn >= unit.sum(axis=0).max(axis=0) - 1e-9).mean(axis=0)
    np.testing.assert_allclose(found.best().sets.p_best, p, atol=0.012)


@pytest.mark.parametrize(
    ("compare", "said"),
    [
        (bi.compare_points, "without tests"),
        (bi.compare_permutation, "typical differences of pairs"),
    ],
)
def test_where_there_are_none_it_is_said(compare, said):
    found = compare(bi.load_example("sklearn_bootstrap"), "error")
    with pytest.raises(DesignError, match=said):
        found.best()


def test_circles_have_no_best():
    values = np.random.default_rng(1).normal(size=(12, 3))
    found = bi.compare_mixed(bi.read_scores(table(values), measures="acc:higher"))
    codes = np.array([Verdict.FIRST, Verdict.SECOND, Verdict.FIRST], np.int8)
    circle = replace(found, pairs=replace(found.pairs, codes=codes))
    assert not circle.pairs.may_be_best.any()
    with pytest.raises(DesignError, match="circle among a00, a01 and a02"):
        circle.best()
    averages = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error", contrasts="mean")
    with pytest.raises(DesignError, match="averages"):
        averages.best()


def test_sources_of_the_sets_are_named(mixed):
    assert "10.1093/restud/rdad006" in type(mixed).best.__doc__


@pytest.mark.slow
@pytest.mark.parametrize("analysis", ["mixed", "permutation", "wins", "meta", "bootstrap", "bayes"])
def test_sets_are_those_of_a_saved_result(analysis, tmp_path):
    scores = bi.load_example("sklearn_bootstrap")
    more = {"permutation": {"on": "values"}, "bayes": {"draws": 200, "seed": 1}}.get(analysis, {})
    result = getattr(bi, f"compare_{analysis}")(scores, "error", **more)
    again = bi.load(result.save(tmp_path / "result.json"))
    found = result.best()
    assert again.best().table().equals(found.table())
    kept = bi.load(found.save(tmp_path / "best.json"))
    assert kept.headline() == found.headline()


@pytest.mark.slow
def test_a_report_has_a_section_of_them(mixed, tmp_path):
    page = bi.report([mixed, mixed.best()], tmp_path / "report.html").read_text()
    assert "Which may be the best" in page
    assert "Another question than that of the pairs" in page
    assert "Which may be the best" not in mixed.report(tmp_path / "plain.html").read_text()
