"""Places against rows in frames, brute force, and every order in which rows may come."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import benchinfer.scores.read as reading
from benchinfer.scores.numerics import places as numerics
from benchinfer.scores.numerics.places import cell_moments, cell_quantiles, count_equal
from benchinfer.scores.read import read_scores
from benchinfer.scores.rows import changes as kinds
from benchinfer.scores.rows.places import PlacedRows, placed
from benchinfer.scores.rows.reductions import spread

KEYS = ["measure", "dataset", "replication", "algorithm"]
ROLES = {name: name for name in (*KEYS, "value")}
MEASURES = {"acc": "higher", "sec": "lower"}


def table(seed, *, order=None, sizes=(3, 17, 4), kind=int):
    """Two measures with gaps; the second has other replications."""
    rng = np.random.default_rng(seed)
    d, r, k = (i.ravel() for i in np.indices(sizes))
    parts = []
    for m, measure in enumerate(MEASURES):
        frame = pd.DataFrame(
            {
                "measure": measure,
                "dataset": [f"d{i}" for i in d],
                "replication": [kind(i + 2 * m) for i in r],
                "algorithm": [f"a{9 - i}" for i in k],
                "value": rng.choice(np.r_[0.0, 1.0, rng.normal(size=30)], d.size),
            }
        )
        parts.append(frame[rng.random(d.size) > 0.2])
    frame = pd.concat(parts, ignore_index=True)
    return frame.sample(frac=1, random_state=seed) if order is None else frame.sort_values(order)


def put(frame, size=7, rows=0):
    batches = pa.Table.from_pandas(frame, preserve_index=False).to_batches(max_chunksize=size)
    held = placed(rows, batches, ROLES, {})
    return held and held.places


@pytest.mark.parametrize("order", [None, ["algorithm"], ["replication"], KEYS, KEYS[::-1]])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_rows_come_in_any_order_and_number(order, size):
    frame = table(1, order=order)
    for rows in (0, len(frame)):
        found = PlacedRows(put(frame, size, rows)).frame().collect().to_pandas()
        expected = frame.astype(dict.fromkeys(KEYS, str)).sort_values(KEYS, ignore_index=True)
        found = found.astype(dict.fromkeys(KEYS, str)).sort_values(KEYS, ignore_index=True)
        pd.testing.assert_frame_equal(found[expected.columns], expected)


@pytest.mark.parametrize(("chunk", "columns"), [(1, 1), (9, 40), (150, 1), (1 << 18, 1 << 20)])
@pytest.mark.parametrize("order", [None, KEYS])
def test_moments_quartiles_and_counts_are_those_of_the_rows(monkeypatch, chunk, columns, order):
    monkeypatch.setattr(numerics, "_CHUNK", chunk)
    monkeypatch.setattr(numerics, "_COLUMNS", columns)
    frame = table(2, order=order)
    found = put(frame)
    for m, measure in enumerate(found.measures):
        own = frame[frame["measure"] == measure]
        moments = cell_moments(found, m)
        quartiles = cell_quantiles(found, m, moments.n, (0.25, 0.5, 0.75))
        equal = count_equal(found, m, np.array([0.0, 1.0]))
        for d, dataset in enumerate(found.datasets):
            of_set = own[own["dataset"] == dataset]
            assert moments.blocks[d] == of_set["replication"].nunique()
            for k, algorithm in enumerate(found.algorithms):
                x = of_set.loc[of_set["algorithm"] == algorithm, "value"].to_numpy()
                assert moments.n[d, k] == len(x)
                np.testing.assert_allclose(moments.mean[d, k], x.mean(), rtol=1e-12, atol=1e-14)
                np.testing.assert_allclose(
                    moments.squares[d, k], ((x - x.mean()) ** 2).sum(), rtol=1e-12, atol=1e-14
                )
                assert (moments.minimum[d, k], moments.maximum[d, k]) == (x.min(), x.max())
                np.testing.assert_allclose(quartiles[d, k], np.quantile(x, (0.25, 0.5, 0.75)))
                assert equal[d, k].tolist() == [(x == 0).sum(), (x == 1).sum()]


def test_large_scores_close_to_each_other_keep_their_spread():
    noise = np.array([-1.5, -0.5, 0.25, 1.75]) / 1024  # exact in binary next to a billion
    frame = pd.DataFrame(
        {"measure": "m", "dataset": "d", "replication": range(4), "algorithm": "a"}
    ).assign(value=1e9 + noise)
    squares = cell_moments(put(frame), 0).squares
    np.testing.assert_allclose(squares, [[((noise - noise.mean()) ** 2).sum()]], rtol=1e-4)


@pytest.mark.parametrize("kind", [int, str, lambda i: f"r{i}" if i < 2 else str(i)])
def test_a_table_is_the_same_in_places_and_in_a_frame(monkeypatch, kind):
    frame = table(3, kind=kind).assign(domain=lambda f: "of " + f["dataset"].str[-1])
    for own in (frame.drop(columns="domain"), frame):
        here = read_scores(own, measures=MEASURES)
        with monkeypatch.context() as patch:
            patch.setattr(reading, "_streamed", lambda *_: None)
            for module in (reading, kinds):
                patch.setattr(module, "placed_frame", lambda _: None)
            there = read_scores(own, measures=MEASURES)
            parts = [there.subset(algorithms=["a7", "a9"]), there.complete("acc", "replication")]
        assert isinstance(here.rows, PlacedRows)
        assert not isinstance(there.rows, PlacedRows)
        pairs = [(here, there), (here.subset(algorithms=["a7", "a9"]), parts[0])]
        pairs += [(here.complete("acc", "replication"), parts[1])]
        for first, second in pairs:
            same(first, second)


def same(first, second):
    assert first.digest == second.digest
    pd.testing.assert_frame_equal(first.findings(), second.findings())
    pd.testing.assert_frame_equal(first.to_frame(), second.to_frame())
    for name in MEASURES:
        pd.testing.assert_frame_equal(first.describe(name), second.describe(name), rtol=1e-12)
        ends = [
            spread(t.summary.of(name), t.rows.quartiles(t.summary.of(name)))
            for t in (first, second)
        ]
        np.testing.assert_allclose(*ends, rtol=1e-12)
        for kind, fields in (
            ("cells", ("n", "mean", "sd")),
            ("blocks", ("dataset", "replication", "count", "mean", "within")),
        ):
            pair = [getattr(scores, kind)(name) for scores in (first, second)]
            for part in fields:
                expected = getattr(pair[1], part)
                np.testing.assert_allclose(getattr(pair[0], part), expected, rtol=1e-12, atol=1e-13)
        assert first.blocks(name).labels == second.blocks(name).labels


def test_measures_that_are_left_out_leave_no_names(tmp_path):
    frame = pd.concat([table(4), table(4).assign(measure="sec", dataset="z", algorithm="z")])
    frame = frame.drop_duplicates(KEYS)
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "x.parquet")
    scores = read_scores(tmp_path / "x.parquet", measures={"acc": "higher"})
    own = frame[frame["measure"] == "acc"]
    assert scores.datasets == tuple(sorted(own["dataset"].unique()))
    assert scores.algorithms == tuple(sorted(own["algorithm"].unique()))
    assert scores.digest == read_scores(own, measures={"acc": "higher"}).digest


@pytest.mark.parametrize(
    "change",
    [
        {"value": np.nan},
        {"value": np.inf},
        {"value": -1e200},
        {"algorithm": None},
        {"dataset": ""},
        {"replication": 1 << 30},
        {"replication": -1},
    ],
)
def test_rows_that_need_another_look_are_not_placed(change):
    frame = table(5)
    for name, value in change.items():
        frame.loc[frame.index[3], name] = value
    assert put(frame) is None


def test_two_scores_in_one_place_are_not_placed():
    frame = table(6)
    assert put(pd.concat([frame, frame.tail(1)])) is None
    assert put(pd.concat([frame, frame.tail(1).assign(value=0.5)]), size=1000) is None


def test_a_table_of_mostly_empty_places_is_not_placed():
    n = 30_000
    frame = pd.DataFrame(
        {
            "measure": "m",
            "dataset": "d",
            "replication": range(n),
            "algorithm": [f"a{i % 200}" for i in range(n)],
            "value": 0.5,
        }
    )
    assert put(frame, size=1 << 12) is None
    assert put(frame[:0]) is None
