"""Scores and frames that are legal to pandas and not to us."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from benchinfer.errors import FitError, ScoreTableError
from benchinfer.measure import Measure
from benchinfer.numerics import score_model
from benchinfer.numerics.sufficient import from_cells
from benchinfer.scores import read_scores

ACC = {"acc": "higher"}


def refused(frame, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ScoreTableError) as caught:
            read_scores(frame, **({"measures": ACC} | options))
    return [f for f in caught.value.findings if f.severity == "error"]


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
    assert "df['score'].dt.total_seconds()" in finding.hint


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
    monkeypatch.setattr(score_model, "derivatives", fails)
    with pytest.raises(FitError, match="Eigenvalues did not converge"):
        score_model.fit(from_cells(n, y, np.zeros_like(y)), ("dataset",))
