"""One table of cases, run on every engine."""

import gzip
import math
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.read import read_scores

ACC = Measure("acc", "higher")


@pytest.mark.slow
def test_every_reduction_agrees(engine, make):
    columns = make(4, 5, 3, seed=1)
    expected = read_scores(pd.DataFrame(columns), measures=ACC)
    scores = read_scores(engine(columns), measures=ACC)
    # Of a cluster no rows are fetched: it is the digest of the statistics.
    assert scores.rows.in_cluster or scores.digest == expected.digest
    assert scores.datasets == ("d0", "d1", "d2", "d3")
    assert scores.algorithms == ("a0", "a1", "a2")
    for name in ("n", "mean", "sd"):
        np.testing.assert_allclose(
            getattr(scores.cells(), name), getattr(expected.cells(), name), rtol=1e-9, strict=True
        )
    for name in ("dataset", "count", "mean", "within"):
        np.testing.assert_array_equal(
            getattr(scores.blocks(), name), getattr(expected.blocks(), name)
        )
    pd.testing.assert_frame_equal(scores.describe(), expected.describe(), rtol=1e-9)
    pd.testing.assert_frame_equal(scores.findings(), expected.findings())
    pd.testing.assert_frame_equal(scores.coverage().to_frame(), expected.coverage().to_frame())
    pd.testing.assert_frame_equal(scores.to_frame(), expected.to_frame())


@pytest.mark.parametrize(
    "measure", [Measure("t", "lower", scale="log"), Measure("t", "higher", scale="logit")]
)
def test_scales_agree(engine, make, measure):
    columns = make(2, 6, 2, seed=2)
    cells = read_scores(engine(columns), measures=measure).cells()
    frame = pd.DataFrame(columns).assign(score=lambda f: measure.orient(f["score"]))
    groups = frame.groupby(["dataset", "algorithm"])["score"]
    np.testing.assert_allclose(cells.mean.ravel(), groups.mean(), rtol=1e-9)
    np.testing.assert_allclose(cells.sd.ravel(), groups.std(), rtol=1e-9)


def test_moments_are_centred(engine):
    noise = np.array([-1.5, -0.5, 0.25, 1.75]) / 1024  # exact in binary next to a billion
    columns = {
        "dataset": ["d"] * 8,
        "replication": [1, 2, 3, 4] * 2,
        "algorithm": ["a"] * 4 + ["b"] * 4,
        "score": [*(1e9 + noise), *(-1e9 + noise)],
    }
    cells = read_scores(engine(columns), measures=ACC).cells()
    np.testing.assert_allclose(cells.sd, np.full((1, 2), noise.std(ddof=1)), rtol=1e-4)
    assert (cells.sd > 0).all()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, 1, 2, 2], ["1", "2"]),
        ([1.0, 1.0, 2.0, 2.0], ["1", "2"]),
        ([0.5, 0.5, 2.0, 2.0], ["0.5", "2"]),
        ([True, True, False, False], ["False", "True"]),
        (["01", "01", " 2", " 2"], [" 2", "01"]),
    ],
)
def test_labels_are_text(engine, labels, expected):
    columns = {"dataset": labels, "algorithm": ["a", "b"] * 2, "score": [0.1, 0.2, 0.3, 0.4]}
    scores = read_scores(engine(columns), measures=ACC)
    assert scores.datasets == tuple(expected)


@pytest.mark.slow
def test_faults_agree(engine):
    columns = {
        "dataset": ["d", "d", "d", None, "d", "d"],
        "replication": [1, 1, 2, 2, 2, 2],
        "algorithm": ["a", "b", "a", "b", "", "a"],
        "score": [0.1, math.inf, 0.3, 0.4, 0.5, 7.0],
    }
    with pytest.raises(ScoreTableError) as caught:
        read_scores(engine(columns), measures=Measure("acc", "higher", bounds=(0, 1)))
    text = str(caught.value).split("\n", 1)[1]
    assert text == (
        " 1. missing labels: 2 rows lack a label (dataset, replication, algorithm, measure).\n"
        "        dataset  replication  algorithm  measure  value\n"
        "        d        2            (none)     acc      0.5\n"
        "        (none)   2            b          acc      0.4\n"
        "    Hint: complete the labels, or remove the rows.\n"
        " 2. infinite values: 1 score is infinite.\n"
        "        dataset  replication  algorithm  value\n"
        "        d        1            b          inf\n"
        "    Hint: leave failed runs out as missing rows.\n"
        " 3. duplicate rows: 1 place (dataset, replication, algorithm, measure) has several"
        " scores.\n"
        "        dataset  replication  algorithm  n\n"
        "        d        2            a          2\n"
        "    Hint: remove the duplicates; if they are repeats of one replication,"
        ' say repeats="keep".\n'
        " 4. out of bounds: 1 score is outside the bounds: acc [0, 1].\n"
        "        dataset  replication  algorithm  value\n"
        "        d        2            a          7\n"
        "    Hint: per cent or a fraction? Correct the scores, or the bounds of the measure.\n"
        "Also:\n"
        "  - one algorithm: there is one algorithm only: a."
    )


def test_text_scores_agree(engine):
    columns = {
        "dataset": ["d"] * 5,
        "replication": [1, 2, 3, 4, 5],
        "algorithm": ["a"] * 5,
        "score": ["0.5", " 1e-3 ", "0,7", "n/a", "half"],
    }
    with pytest.raises(ScoreTableError) as caught:
        read_scores(engine(columns), measures=ACC, failed="error")
    rules = [(f.rule, f.count) for f in caught.value.findings if f.severity == "error"]
    assert rules == [("decimal commas", 1), ("not numbers", 1), ("failures", 1)]


def test_nan_and_null_are_missing(engine):
    columns = {
        "dataset": ["d"] * 4,
        "replication": [1, 1, 2, 2],
        "algorithm": ["a", "b"] * 2,
        "score": [0.1, None, 0.3, math.nan],
    }
    scores = read_scores(engine(columns), measures=ACC, failed="missing")
    assert scores.n_rows == 2
    assert scores.algorithms == ("a",)
    found = {f.rule: (f.severity, f.count) for f in scores.finding_records}
    assert found["failures"] == ("warning", 2)


@pytest.mark.slow
def test_selections_agree(engine, make):
    columns = make(3, 4, 3)
    del (
        columns["score"][0],
        columns["dataset"][0],
        columns["replication"][0],
        columns["algorithm"][0],
    )
    scores = read_scores(engine(columns), measures=ACC)
    assert scores.complete().datasets == ("d1", "d2")
    assert scores.complete(by="replication").n_rows == 33
    part = scores.subset(datasets=["d0"], algorithms=["a0", "a2"], replications=["0", "1"])
    assert part.n_rows == 3
    assert [t.n_rows for t in scores.by_dataset().values()] == [11, 12, 12]


@pytest.mark.parametrize("layout", ["wide-algorithms", "wide-measures"])
def test_wide_agrees(engine, make, layout):
    frame = pd.DataFrame(make())
    if layout == "wide-algorithms":
        wide = frame.pivot_table(
            index=["dataset", "replication"], columns="algorithm", values="score"
        )
        measures = {"acc": "higher"}
    else:
        wide = frame.rename(columns={"score": "acc"}).assign(loss=lambda f: 1 - f["acc"])
        measures = {"acc": "higher", "loss": "lower"}
    columns = wide.reset_index(drop=layout == "wide-measures").to_dict(orient="list")
    scores = read_scores(engine(columns), measures=measures, layout=layout)
    expected = read_scores(frame, measures=ACC)
    np.testing.assert_array_equal(scores.blocks("acc").mean, expected.blocks("acc").mean)


def _csv(frame, path):
    frame.to_csv(path, index=False)


def _gz(frame, path):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        frame.to_csv(file, index=False)


def _tsv(frame, path):
    frame.to_csv(path, index=False, sep="\t")


def _semicolons(frame, path):
    frame.to_csv(path, index=False, sep=";")


def _jsonl(frame, path):
    frame.to_json(path, orient="records", lines=True, double_precision=15)


def _folder(frame, path):
    path.mkdir()
    frame.iloc[:7].to_parquet(path / "1.parquet")
    frame.iloc[7:].to_parquet(path / "2.parquet")


def _database(frame, path):
    connection = duckdb.connect(str(path))
    connection.from_df(frame).create("results")
    connection.close()


FILES = {
    "scores.csv": _csv,
    "scores.csv.gz": _gz,
    "scores.tsv": _tsv,
    "scores.txt.csv": _semicolons,
    "scores.parquet": lambda frame, path: frame.to_parquet(path),
    "scores.feather": lambda frame, path: frame.to_feather(path),
    "scores.jsonl": _jsonl,
    "scores.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "folder": _folder,
    "scores.duckdb": _database,
}


@pytest.mark.parametrize("name", FILES)
def test_files_hold_the_same_table(name, make, tmp_path):
    columns = make()
    columns["score"] = [round(value, 6) for value in columns["score"]]
    frame = pd.DataFrame(columns)
    FILES[name](frame, tmp_path / name)
    scores = read_scores(tmp_path / name, measures=ACC)
    assert scores.digest == read_scores(frame, measures=ACC).digest
    assert scores.source == name


@pytest.mark.parametrize(
    "digits", ["\N{ARABIC-INDIC DIGIT THREE}", "\N{FULLWIDTH DIGIT ONE}", "1\xa0"]
)
def test_digits_are_ascii(engine, digits):
    columns = {"dataset": ["d"] * 4, "algorithm": ["a", "b"] * 2, "fold": [1, 1, 2, 2]}
    with pytest.raises(ScoreTableError) as caught:
        read_scores(engine(columns | {"score": ["0.5", "0.5", digits, "0.5"]}), measures=ACC)
    assert str(caught.value).startswith("1 score is not a number.")


DECIMAL = pa.decimal128(20, 12)
TYPES = {
    "float32": {"score": pa.float32()},
    "float16": {"score": pa.float16(), "replication": pa.float16()},
    "decimals": {"score": DECIMAL, "replication": DECIMAL},
    "small integers": {"replication": pa.int8()},
    "floats as labels": {"replication": pa.float32()},
    "large text": {"dataset": pa.large_string(), "algorithm": pa.large_string()},
    "views": {"dataset": pa.string_view()},
    "codes": dict.fromkeys(("dataset", "algorithm"), pa.dictionary(pa.int32(), pa.string())),
    "codes of numbers": {"replication": pa.dictionary(pa.int8(), pa.int64())},
    "codes of scores": {"score": pa.dictionary(pa.int8(), pa.float64())},
}


def _as_engines(table):
    yield table
    yield table.to_pandas()
    if pa.string_view() not in table.schema.types:  # which pandas does not have
        yield table.to_pandas(types_mapper=pd.ArrowDtype)
    yield pl.from_arrow(table)
    yield pl.from_arrow(table).lazy()
    if pa.float16() not in table.schema.types:  # which DuckDB does not have
        yield duckdb.from_arrow(table)


@pytest.mark.parametrize("types", TYPES.values(), ids=TYPES)
def test_the_digest_does_not_depend_on_types(make, types):
    columns = make(2, 3, 2)
    columns["score"] = [round(score * 1024) / 1024 for score in columns["score"]]
    table = pa.table(columns)
    expected = read_scores(table, measures=ACC).digest
    for name, kind in types.items():
        # Arrow has no cast from whole numbers to decimals of few digits.
        column = pa.array([Decimal(v) if kind == DECIMAL else v for v in columns[name]], kind)
        table = table.set_column(table.schema.get_field_index(name), name, column)
    for frame in _as_engines(table):
        assert read_scores(frame, measures=ACC).digest == expected


def test_decimals_are_the_nearest_floats():
    rng = np.random.default_rng(3)
    text = [f"{score:.17f}" for score in rng.random(300)]
    columns = {"dataset": [str(i) for i in range(300)], "algorithm": ["a", "b"] * 150}
    expected = read_scores(pa.table({**columns, "score": list(map(float, text))}), measures=ACC)
    decimals = pa.array(map(Decimal, text), pa.decimal128(38, 17))
    for frame in _as_engines(pa.table({**columns, "score": decimals})):
        assert read_scores(frame, measures=ACC).digest == expected.digest


@pytest.mark.parametrize("whole", [2**53 + 1, 2**63 - 1, 2**64 - 1])
def test_whole_numbers_beyond_floats(whole):
    columns = {"dataset": ["d", "d"], "algorithm": ["a", "b"]}
    expected = read_scores(pa.table({**columns, "score": [float(whole), 1.0]}), measures=ACC)
    for frame in _as_engines(pa.table({**columns, "score": pa.array([whole, 1], pa.uint64())})):
        assert read_scores(frame, measures=ACC).digest == expected.digest


def test_integers_of_128_bits(make):
    frame = pl.DataFrame(make()).with_columns(score=pl.col("replication"))
    expected = read_scores(frame, measures=ACC).digest
    for kind in (pl.Int128, pl.UInt128):
        huge = frame.cast({"score": kind, "replication": kind})
        assert read_scores(huge, measures=ACC).digest == expected
        assert read_scores(huge.lazy(), measures=ACC).digest == expected


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_labels_of_time_have_no_zeros_at_the_end(unit):
    times = pa.array([0, 1500] * 2, pa.timestamp("ms")).cast(pa.timestamp(unit))
    columns = {"dataset": ["d"] * 4, "run": times, "algorithm": ["a", "a", "b", "b"]}
    for frame in _as_engines(pa.table({**columns, "score": [1.0, 2.0, 3.0, 4.0]})):
        found = read_scores(frame, measures=ACC).to_frame()["replication"]
        assert set(found) == {"1970-01-01 00:00:00", "1970-01-01 00:00:01.5"}
