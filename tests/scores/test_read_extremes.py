"""Scores and frames that are legal to pandas and not to us."""

import warnings
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from benchinfer.analyses.mixed.numerics import optimum
from benchinfer.analyses.mixed.numerics.likelihood import CommonModel
from benchinfer.analyses.mixed.numerics.moments import from_cells
from benchinfer.core.errors import BenchinferError, FitError, ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.read import read_scores

ACC = {"acc": "higher"}


def refused(frame, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ScoreTableError) as caught:
            read_scores(frame, **({"measures": ACC} | options))
    return [f for f in caught.value.findings if f.severity == "error"]


@pytest.mark.slow
def test_scores_too_large_to_square_are_refused(engine, make):
    columns = make()
    (finding,) = refused(engine(columns | {"score": [s * 1e200 for s in columns["score"]]}))
    assert (finding.rule, finding.count) == ("large values", 36)
    assert finding.what == "36 scores are too large to square (beyond 1e+150)."
    assert "unit" in finding.hint
    (finding,) = refused(engine(columns | {"score": [-1e151, *columns["score"][1:]]}))
    assert finding.where[1] == ("d0", "0", "a0", "-1e+151")


def test_scores_just_small_enough_to_square(balanced):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        large = read_scores(balanced.assign(score=balanced["score"] * 1e150), measures=ACC)
    plain = read_scores(balanced, measures=ACC)
    np.testing.assert_allclose(large.cells().sd / 1e150, plain.cells().sd)


def test_tiny_scores_are_read_with_a_warning(balanced):
    tiny = balanced.assign(score=balanced["score"] * 1e-200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = read_scores(tiny, measures=ACC)
        cells, blocks = scores.cells(), scores.blocks()
    plain = read_scores(balanced, measures=ACC)
    np.testing.assert_allclose(cells.mean * 1e200, plain.cells().mean)
    np.testing.assert_allclose(blocks.mean * 1e200, plain.blocks().mean)
    rules = {f.rule: f.severity for f in scores.finding_records}
    assert rules["too small to square"] == "warning"
    assert not {"identical algorithms", "constant algorithms"} & set(rules)
    log = read_scores(tiny, measures=Measure("acc", "higher", scale="log"))
    assert "too small to square" not in {f.rule for f in log.finding_records}
    assert np.all(log.cells().sd > 0)


def test_equal_scores_are_not_tiny(balanced):
    scores = read_scores(balanced.assign(score=0.0), measures=ACC)
    assert "too small to square" not in {f.rule for f in scores.finding_records}


def test_complex_scores(balanced):
    (finding,) = refused(balanced.assign(score=balanced["score"] + 1j))
    assert finding.rule == "complex values"
    assert finding.what == "column score: the scores are complex numbers, which have no order."


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_durations(balanced, kind):
    frame = balanced.assign(score=pd.to_timedelta(balanced["score"], unit="s"))
    (finding,) = refused(kind(frame.to_dict("list")))
    assert finding.rule == "duration values"
    assert finding.hint == "numbers of seconds."


def test_durations_in_a_file(balanced, tmp_path):
    path = tmp_path / "a.parquet"
    balanced.assign(score=pd.to_timedelta(balanced["score"], unit="s")).to_parquet(path)
    assert [f.rule for f in refused(path)] == ["duration values"]
    assert [f.rule for f in refused(str(tmp_path / "*.parquet"))] == ["duration values"]


def test_columns_without_a_role_may_hold_anything(balanced):
    frame = balanced.assign(z=1j, took=pd.to_timedelta(1, unit="s"))
    assert read_scores(frame, measures=ACC).n_rows == 36


WIDE = {"svm": [0.9, 0.8, 0.7], "knn": [0.8, 0.7, 0.9]}


def test_an_index_with_labels_but_no_name_is_a_fault_in_a_wide_table():
    frame = pd.DataFrame(WIDE, index=["iris", "wine", "adult"])
    (finding,) = refused(frame, layout="wide-algorithms")
    assert finding.rule == "unnamed index"
    assert finding.what == "the index has labels, but no name: iris, wine, adult."
    assert 'name it: df.rename_axis("dataset")' in finding.hint
    named = frame.rename_axis("dataset")
    scores = read_scores(named, layout="wide-algorithms", measures=ACC)
    assert scores.datasets == ("adult", "iris", "wine")


@pytest.mark.parametrize("index", [[5, 7, 9], [0.0, 2.0, 3.0], pd.Index([2, 1, 0], dtype=object)])
def test_an_index_that_counts_is_left_out(index):
    frame = pd.DataFrame({"task": ["x", "y", "z"], **WIDE}, index=index)
    scores = read_scores(frame, layout="wide-algorithms", measures=ACC)
    assert "unnamed index" not in {f.rule for f in scores.finding_records}


def test_an_unnamed_level_of_several():
    parts = {"iris": pd.DataFrame(WIDE), "wine": pd.DataFrame(WIDE)}
    (finding,) = refused(pd.concat(parts), layout="wide-algorithms")
    assert finding.what.endswith("iris, wine.")


def test_an_unnamed_index_of_a_long_table(balanced):
    frame = balanced.set_axis([f"row{i}" for i in range(36)])
    scores = read_scores(frame, measures=ACC)
    (finding,) = [f for f in scores.finding_records if f.rule == "unnamed index"]
    assert (finding.severity, "row0" in finding.what) == ("warning", True)
    one = balanced[(balanced["dataset"] == "d0") & (balanced["replication"] == 0)]
    frame = one.set_axis(one["algorithm"].tolist()).drop(columns="algorithm")
    findings = refused(frame)
    assert {f.rule for f in findings} == {"missing columns", "unnamed index"}
    assert any('rename_axis("algorithm")' in f.hint for f in findings)


def test_failing_linear_algebra_is_a_fit_error(monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    n, y = np.full((4, 2), 1), np.array([[1.0, 2.0], [2.0, 4.0], [5.0, 5.0], [0.0, 3.0]])
    monkeypatch.setattr(CommonModel, "derivatives", fails)
    with pytest.raises(FitError, match="Eigenvalues did not converge"):
        optimum.fit(from_cells(n, y, np.zeros_like(y)), ("dataset",))


HALF = "a\ud800"


@pytest.mark.parametrize("kind", [object, "category", "string[python]"])
def test_halves_of_characters(balanced, kind):
    labels = pd.Series([HALF, *balanced["algorithm"][1:]], dtype=object)
    if kind == "category":
        labels = pd.Series(pd.Categorical(labels, pd.Index(sorted(set(labels)), dtype=object)))
    frame = balanced.assign(algorithm=labels if kind == "category" else labels.astype(kind))
    with pytest.raises(ScoreTableError) as caught:
        read_scores(frame, measures=ACC)
    first, _, row, *_ = str(caught.value).splitlines()
    assert first == "1 column holds text with halves of characters (lone surrogates)."
    assert row.split() == ["algorithm", r"'a\ud800'", "1"]


def test_names_with_halves_of_characters(balanced):
    with pytest.raises(BenchinferError, match="not text in UTF-8"):
        read_scores(balanced, measures=ACC, dataset=HALF)
    with pytest.raises(BenchinferError, match="not text in UTF-8"):
        Measure(HALF, "higher")
    frame = balanced.set_axis(pd.Index([*balanced.columns[:3], HALF], dtype=object), axis=1)
    with pytest.raises(ScoreTableError, match="1 of 4 columns have a name that is not text"):
        read_scores(frame, measures=ACC)


@pytest.mark.parametrize("lazy", [False, True])
def test_a_column_called_nul(lazy):
    frame = pl.DataFrame({"task": ["x", "y"], "\0": [1.0, 2.0], "b": [2.0, 3.0]})
    with pytest.raises(ScoreTableError, match="1 of 3 columns have a name that is not text"):
        read_scores(frame.lazy() if lazy else frame, measures=ACC, layout="wide-algorithms")


MIXED = [1, "a", 2.5] * 12


@pytest.mark.parametrize(
    "labels",
    [
        pd.Categorical(MIXED),
        pd.Series(MIXED, dtype=object),
        pd.cut(range(36), 3),
        pd.period_range("2020", periods=36, freq="D"),
        pd.interval_range(0, 36),
        [Decimal("1.50"), Decimal("1E+2"), Decimal(0)] * 12,
    ],
    ids=["categories", "objects", "cut", "periods", "intervals", "decimals"],
)
def test_labels_of_any_kind_are_text(balanced, labels):
    scores = read_scores(balanced.assign(algorithm=labels), measures=ACC, repeats="keep")
    shown = {"1.50": "1.5", "1E+2": "100"}
    expected = {shown.get(str(label), str(label)) for label in labels}
    assert set(scores.algorithms) == expected


def test_sparse_columns_and_other_floats(balanced):
    frame = balanced.assign(score=(balanced["score"] * 1024).round() / 1024)
    expected = read_scores(frame, measures=ACC).digest
    sparse = frame.astype({"score": "Sparse[float]", "replication": "Sparse[int]"})
    assert read_scores(sparse, measures=ACC).digest == expected
    assert read_scores(frame.astype({"score": np.longdouble}), measures=ACC).digest == expected
    objects = frame.astype({"score": object})
    assert read_scores(objects, measures=ACC).digest == expected
    decimals = frame.assign(score=[Decimal(score) for score in frame["score"]])
    assert read_scores(decimals, measures=ACC).digest == expected


ODD = {
    "nested": [
        pl.Series([[1]] * 36),
        pl.Series([{"a": 1}] * 36),
        pl.Series([[1]] * 36, dtype=pl.Array(pl.Int64, 1)),
    ],
    "bytes": [pl.Series([b"a"] * 36), pl.Series([b"\xff"] * 36)],
    "object": [pl.Series([object()] * 36, dtype=pl.Object)],
    "duration": [pl.Series([timedelta(1)] * 36)],
}


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("column", ["algorithm", "score", "size"])
@pytest.mark.parametrize(("kind", "values"), [(k, v) for k, found in ODD.items() for v in found])
def test_columns_of_neither_text_nor_numbers(make, kind, values, column, lazy):
    frame = pl.DataFrame({**make(), "size": 1.0}).with_columns(values.alias(column))
    (finding,) = refused(frame.lazy() if lazy else frame, covariates="size")
    assert finding.rule == f"{kind} values"
    whose = {"algorithm": "labels", "score": "scores", "size": "covariates"}[column]
    assert finding.what.startswith(f"column {column}: the {whose} are ")


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[("a", 1)]] * 36, pa.map_(pa.string(), pa.int64())),
        pa.array([[1]] * 36, pa.list_view(pa.int64())),
        pa.array([b"a"] * 36, pa.large_binary()),
        pa.array([b"a"] * 36, pa.binary(1)),
        pa.array([b"a"] * 36, pa.dictionary(pa.int32(), pa.binary())),
        pa.array([(1, 2, 3)] * 36, pa.month_day_nano_interval()),
    ],
    ids=str,
)
def test_odd_types_of_arrow(make, values):
    for column in ("algorithm", "score"):
        with pytest.raises(ScoreTableError):
            read_scores(pa.table({**make(), column: values}), measures=ACC)


def test_damaged_memory_of_arrow(make):
    offsets = pa.py_buffer(np.arange(37, dtype=np.int32).tobytes())
    text = pa.Array.from_buffers(pa.string(), 36, [None, offsets, pa.py_buffer(b"\xff" * 36)])
    with pytest.raises(ScoreTableError, match=r"'Table' cannot be read: .*Invalid UTF8"):
        read_scores(pa.table({**make(), "algorithm": text}), measures=ACC)


def test_wide_columns_of_dates(engine):
    columns = {"task": ["x", "y"], "a": [date(2020, 1, 1)] * 2, "b": [2.0, 3.0]}
    with pytest.raises(ScoreTableError) as caught:
        read_scores(engine(columns), measures=ACC, layout="wide-algorithms")
    text = str(caught.value)
    assert "date values" in text or "dates or times" in text or "2 scores are not numbers" in text


def test_objects_with_missing_numbers(make):
    columns = make()
    scores = pd.Series([None, pd.NA, float("nan"), *columns["score"][3:]], dtype=object)
    frame = pd.DataFrame(columns).assign(score=scores)
    assert read_scores(frame, measures=ACC, failed="missing").n_rows == 33
