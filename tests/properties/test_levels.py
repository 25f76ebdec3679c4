"""A level lies within the algorithm's own scores, and contradicts no verdict."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison.evidence import contradicted
from benchinfer.comparison.sections import summary
from benchinfer.core.verdict import Verdict
from tests.properties.test_one_score import read

UNITS = ("one unit", "a unit for each data set")


def heavy(seed, units="one unit", shape=(14, 5)):
    """Simulate tables with heavy tails, gaps, and algorithms of their own level."""
    rng = np.random.default_rng(seed)
    d, k = shape
    unit = 1.0 if units == "one unit" else 10.0 ** rng.normal(0, 1.5, (d, 1))
    ease = rng.normal(0, 3, (d, 1)) + 5
    noise = rng.standard_t(2, (d, k)) if seed % 2 else rng.normal(size=(d, k))
    values = unit * (ease + np.arange(k) * rng.choice([0.2, 1.0]) + 0.4 * noise)
    # Gaps of one algorithm on hard data sets, of another one at random.
    values[np.argsort(ease[:, 0])[: seed % 6], 0] = np.nan
    values[rng.random(d) < 0.1, 1] = np.nan
    return values


def check(found, values):
    """Compare levels with the scores that they are of, and with the verdicts."""
    level = found.levels.shown(found.measure)
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    if found.levels.better:
        assert found.levels.better == "lower"
        assert (level >= 1).all()
        assert (level <= values.shape[1]).all()
    else:
        assert (low <= level).all()
        assert (level <= high).all()
        assert not contradicted(found.levels.estimate, found.pairs.index, found.pairs.codes).any()
    assert found.summary()["estimate"].tolist() == level.tolist()


COMPARED = {
    "ranks": lambda scores: bi.compare_permutation(scores, on="ranks", null="asymptotic"),
    "normal scores": lambda s: bi.compare_permutation(s, on="normal-scores", null="asymptotic"),
    "means": lambda scores: bi.compare_permutation(scores, on="values", null="asymptotic"),
    "control": lambda scores: bi.compare_permutation(scores, control="a02", null="asymptotic"),
    "sign": lambda scores: bi.compare_bayes_pairs(scores, test="sign", seed=1),
}


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("kind", COMPARED)
def test_levels_are_within_scores(kind, units):
    for seed in range(4 if kind == "sign" else 12):
        values = heavy(seed, units)
        check(COMPARED[kind](read(values)), values)


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "t", "welch"])
def test_levels_of_one_data_set_are_within_its_scores(test):
    for seed in range(8):
        values = heavy(seed)
        if test == "t":
            values = values[np.isfinite(values).all(axis=1)]
        scores = read(values[None], paired=test != "welch", resampling="independent")
        check(bi.compare_pair(scores, test=test), values)


def test_medians_are_of_the_data_sets_that_an_algorithm_has():
    values = heavy(3)
    found = bi.compare_permutation(read(values), on="ranks")
    assert found.level_name in ("median score", "mean rank")
    near = values[:, :3] * 0 + np.arange(14)[:, None] + np.arange(3) * 5
    near[3:6, 1] = np.nan
    found = bi.compare_permutation(read(near), on="ranks")
    assert found.level_name == "median score"
    np.testing.assert_allclose(found.levels.estimate, np.nanmedian(near, axis=0))


def test_medians_that_contradict_a_verdict_make_room_for_mean_ranks():
    """The better one lacks the data sets on which scores are high."""
    ease = np.r_[np.zeros(9), np.full(9, 10.0)]
    rng = np.random.default_rng(1)
    values = ease[:, None] + np.array([1.0, 0.0]) + 0.1 * rng.random((18, 2))
    values[10:, 0] = np.nan
    found = bi.compare_permutation(read(values))
    assert found.contrasts()["verdict"].tolist() == ["first"]
    assert (found.level_name, found.level_better) == ("mean rank", "lower")
    assert found.levels.shown(found.measure).tolist() == [1.0, 2.0]
    assert found.ranking() == ("a00", "a01")
    assert "a00 (on 10 of 18 data sets) is better than a01" in found.headline()
    assert summary(found).columns[2].head == "mean rank"
    means = bi.compare_permutation(read(values), on="values")
    assert means.level_name == "mean rank"
    assert "mean" in means.summary()
    # Undecided, they stay: the order is by the difference, and the table says so.
    values[:10:2, 0] -= 2.0
    found = bi.compare_permutation(read(values))
    assert found.pairs.codes.tolist() == [Verdict.UNDECIDED]
    assert found.level_name == "median score"


def test_units_leave_no_levels_but_mean_ranks():
    values = heavy(2, "a unit for each data set")
    found = bi.compare_permutation(read(values))
    assert "unequal spread" in {finding.rule for finding in found.setting.coverage.findings}
    assert found.level_name == "mean rank"
    assert "mean" not in found.summary()
    np.testing.assert_array_equal(found.levels.shown(found.measure), found.ranks.mean_ranks)
    ranked = bi.compare_permutation(read(heavy(4)).normalise("ranks"))
    assert ranked.level_name == "mean rank"


@pytest.mark.slow
def test_the_order_is_that_of_pairs_and_not_of_their_levels():
    """Who is ahead of each other one is first, however far the others are apart."""
    rng = np.random.default_rng(3)
    for seed in range(30):
        found = bi.compare_permutation(read(heavy(seed)), on="ranks", null="asymptotic")
        table = found.contrasts(all=True)
        won = dict.fromkeys(found.algorithms, 0)
        for _, row in table.iterrows():
            won[row["first"]] += np.sign(row["estimate"])
            won[row["second"]] -= np.sign(row["estimate"])
        along = [won[name] for name in found.ranking()]
        assert along == sorted(along, reverse=True)
    values = np.column_stack([np.full(12, 5.1), np.full(12, 5.0), rng.normal(-1e15, 1, 12)])
    values += 0.01 * rng.normal(size=(12, 3))
    found = bi.compare_permutation(read(values), on="ranks")
    assert found.ranking() == ("a00", "a01", "a02")
    assert found.summary()["rank"].tolist() == [1, 2, 3]


def test_the_headline_and_the_note_tell_order_from_levels():
    rng = np.random.default_rng(8)
    base = rng.normal(0, 5, (20, 1))
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = base + 0.5 * rng.normal(size=(20, 3))
        found = bi.compare_permutation(read(values))
        first = found.ranking()[0]
        level = dict(zip(found.algorithms, found.levels.shown(found.measure), strict=True))
        if found.level_name == "median score" and level[first] < max(level.values()):
            assert f"{first} has the highest typical score" in found.headline()
            assert found._level_note.startswith("Ranks are by the differences of pairs")
            assert found._level_note in summary(found).note
            return
    pytest.fail("no table has another order of medians")
