"""Sufficient statistics against the tables they are of."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.scores.rows.sufficient import condensed, pool_moments

EXACT = 1e-11


def table(seed=1, *, paired=True, missing=0.0, scale="identity", offset=0.0):
    """Two measures of 6 data sets, 4 algorithms and up to 9 replications."""
    rng = np.random.default_rng(seed)
    d, r, k = (i.ravel() for i in np.indices((6, 9, 4)))
    level = rng.standard_normal((6, 4))[d, k] + 0.5 * rng.standard_normal((6, 9))[d, r] + 0.3 * k
    parts = [
        pd.DataFrame(
            {
                "dataset": np.char.add("d", d.astype(str)),
                "replication": np.char.add("d", (10 * d + r).astype(str)),
                "algorithm": np.char.add("a", k.astype(str)),
                "measure": measure,
                "value": offset + np.exp(0.1 * (level + 0.4 * rng.standard_normal(d.size))),
            }
        )[rng.random(d.size) >= missing]
        for measure in ("error", "seconds")
    ]
    measures = [
        bi.Measure("error", better="lower", tolerance=0.01, scale=scale),
        bi.Measure("seconds", better="lower"),
    ]
    frame = pd.concat(parts).sample(frac=1, random_state=seed)
    return bi.read_scores(frame, measures=measures, paired=paired)


def same(a, b, tolerance=EXACT):
    """Compare all numbers of two tables of contrasts, each in units of its column."""
    assert list(a.columns) == list(b.columns)
    for name in a:
        if a[name].dtype.kind == "f":
            unit = np.abs(a[name].to_numpy()[np.isfinite(a[name])]).max(initial=0.0)
            np.testing.assert_allclose(b[name], a[name], rtol=0, atol=tolerance * unit)
        else:
            assert list(a[name]) == list(b[name])


ANALYSES = {
    "points": lambda s: bi.compare_points(s, "error"),
    "mixed": lambda s: bi.compare_mixed(s, "error"),
    "unstructured": lambda s: bi.compare_mixed(s, "error", structure="unstructured"),
    "permutation": lambda s: bi.compare_permutation(s, "error", seed=1),
    "wins": lambda s: bi.compare_wins(s, "error"),
}
TABLES = {
    "paired": {},
    "missing": {"missing": 0.2},
    "unpaired": {"paired": False, "missing": 0.2},
    "log": {"scale": "log"},
    "large": {"offset": 1e6},
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("analysis", ANALYSES)
def test_an_analysis_finds_the_same_in_statistics_and_in_their_sums(name, analysis):
    scores, compare = table(**TABLES[name]), ANALYSES[analysis]
    expected = compare(scores)
    parts = [
        scores.subset(datasets=["d0", "d4"]),
        scores.subset(datasets=["d1", "d2", "d3"]),
        scores.subset(datasets=["d5"]),
    ]
    # Optima of tables in large numbers are found to fewer digits of the differences.
    tolerance = 1e-7 if name == "large" else (1e-9 if analysis == "unstructured" else EXACT)
    for statistics in (scores.statistics(), parts[0].statistics() + parts[1] + parts[2]):
        found = compare(statistics)
        same(expected.contrasts(all=True), found.contrasts(all=True), tolerance)
        assert found.setting.coverage.findings == expected.setting.coverage.findings


@pytest.mark.engines
def test_the_hierarchical_model_samples_the_same_from_statistics():
    scores = table(missing=0.2)
    kind = {"seed": 1, "chains": 4, "draws": 100}
    a, b = (bi.compare_bayes(s, "error", **kind) for s in (scores, scores.statistics()))
    same(a.contrasts(all=True), b.contrasts(all=True), 1e-6)


def test_parts_may_split_data_sets_between_replications():
    scores = table(missing=0.1)
    names = sorted(scores.to_frame()["replication"].unique())
    parts = [scores.subset(replications=names[i::3]).statistics() for i in range(3)]
    whole, pooled = scores.statistics(), parts[0] + parts[1] + parts[2]
    for name in ("n", "replications", "shared", "mean", "squares", "minimum", "maximum", "ends"):
        np.testing.assert_allclose(
            getattr(pooled.summary, name), getattr(whole.summary, name), rtol=1e-12
        )
    same(
        ANALYSES["mixed"](scores).contrasts(all=True), ANALYSES["mixed"](pooled).contrasts(all=True)
    )


def test_representatives_have_the_moments_of_the_blocks():
    scores = table(missing=0.2)
    own, found = scores.blocks("error"), scores.statistics()
    weighted = bi.ScoreTable.of_statistics(found).weighted_blocks("error")
    for d in range(len(own.datasets)):
        a, b = own.dataset == d, weighted.dataset == d
        for pattern in np.unique(own.count[a], axis=0):
            x = own.mean[a & (own.count == pattern).all(axis=1)]
            y = (weighted.count == pattern).all(axis=1) & b
            w, y = weighted.weight[y], weighted.mean[y]
            assert w.sum() == pytest.approx(len(x))
            np.testing.assert_allclose(w @ y, x.sum(axis=0), atol=1e-12)
            np.testing.assert_allclose((y.T * w) @ y, x.T @ x, atol=1e-12)


def test_statistics_without_an_algorithm_are_those_of_the_smaller_table():
    scores = table(missing=0.3)
    kept = {"datasets": ["d1", "d2", "d5"], "algorithms": ["a0", "a1", "a3"]}
    part, held = scores.subset(**kept), bi.ScoreTable.of_statistics(scores.statistics())
    same(
        ANALYSES["mixed"](part).contrasts(all=True),
        ANALYSES["mixed"](held.subset(**kept)).contrasts(all=True),
    )
    np.testing.assert_array_equal(held.subset(**kept).summary.shared, part.summary.shared)


def test_statistics_are_saved_and_read_back(tmp_path):
    statistics = table(missing=0.1).statistics()
    found = bi.load(statistics.save(tmp_path / "part.json"))
    assert repr(found) == repr(statistics)
    assert found.digest == statistics.digest
    same(
        ANALYSES["mixed"](statistics).contrasts(all=True),
        ANALYSES["mixed"](found).contrasts(all=True),
        0,
    )


def test_one_block_per_dataset_has_a_mean_and_no_spread():
    scores = table().subset(replications=[f"d{10 * d}" for d in range(6)])
    found = scores.statistics().blocks["error"]
    np.testing.assert_allclose(found.mean, scores.blocks("error").mean * -1)
    assert len(found.root) == 0
    same(
        *(bi.compare_points(s, "error").contrasts(all=True) for s in (scores, scores.statistics()))
    )


def test_blocks_reduced_in_parts_have_the_moments_of_the_whole(monkeypatch):
    whole = table(missing=0.2).statistics()
    monkeypatch.setattr("benchinfer.scores.rows.places._PART", 12)
    parts = table(missing=0.2).statistics()
    np.testing.assert_array_equal(parts.sample, whole.sample)
    assert parts.steps == whole.steps
    for name, own in whole.blocks.items():
        found = parts.blocks[name]
        np.testing.assert_array_equal(found.dataset, own.dataset)
        np.testing.assert_array_equal(found.count, own.count)
        np.testing.assert_array_equal(found.rows, own.rows)
        np.testing.assert_allclose(found.mean, own.mean, rtol=1e-14)
        for m in range(len(own.rows)):
            a, b = (part.root[part.home == m] for part in (own, found))
            np.testing.assert_allclose(b.T @ b, a.T @ a, rtol=1e-12, atol=1e-14)


def test_many_blocks_take_no_more_room_than_few():
    rng = np.random.default_rng(1)
    n = 5000
    nothing = np.empty((0, 3))
    one = condensed(
        np.zeros(n, np.int64),
        np.ones((n, 3), np.int64),
        np.ones(n, np.int64),
        rng.standard_normal((n, 3)),
        (np.empty(0, np.int64), nothing),
        np.zeros((1, 3)),
    )
    assert one.rows.tolist() == [n]
    assert one.root.shape == (3, 3)


def test_pooled_moments_do_not_cancel():
    rng = np.random.default_rng(2)
    x = 1e8 + rng.standard_normal(30)
    parts = np.split(x, [3, 17])
    mean, squares = pool_moments(
        [np.array([len(p)]) for p in parts],
        [np.array([p.mean()]) for p in parts],
        [np.array([((p - p.mean()) ** 2).sum()]) for p in parts],
    )
    assert mean[0] == pytest.approx(x.mean(), rel=1e-15)
    assert squares[0] == pytest.approx(((x - x.mean()) ** 2).sum(), rel=1e-6)


def test_overlapping_parts_are_refused():
    scores = table()
    a, b = scores.subset(datasets=["d0", "d1"]), scores.subset(datasets=["d1", "d2"])
    with pytest.raises(bi.DesignError, match="is in both parts: their scores would count twice"):
        a.statistics() + a
    with pytest.raises(bi.DesignError, match="18 of 36 blocks looked at are in both parts"):
        a.statistics() + b


def test_parts_that_declare_otherwise_are_refused():
    a = table().subset(datasets=["d0", "d1"])
    b = table(paired=False).subset(datasets=["d2"])
    b = b.declare(bi.Measure("error", better="higher"))
    with pytest.raises(bi.DesignError, match="declare differently: error, paired"):
        a.statistics() + b


def test_what_needs_rows_says_so():
    statistics = table().statistics()
    for ask in (
        lambda: bi.compare_bootstrap(statistics, "error", seed=1),
        lambda: bi.compare_points(statistics, "error", statistic="median"),
        lambda: bi.ScoreTable.of_statistics(statistics).to_frame(),
    ):
        with pytest.raises(bi.DesignError, match=r"needs the scores themselves|read a table first"):
            ask()


def test_statistics_stay_on_the_scale_they_were_taken_on():
    held = bi.ScoreTable.of_statistics(table().statistics())
    other = held.declare(bi.Measure("error", better="lower", scale="log"))
    with pytest.raises(bi.DesignError, match="are on the identity scale, not on the log scale"):
        bi.compare_mixed(other, "error")
