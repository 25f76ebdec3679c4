"""Layouts by pattern, columns joined, and columns that the names of files give."""

from pathlib import Path

import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import ScoreTableError


def cells(scores: bi.ScoreTable) -> dict[tuple[str, ...], float]:
    frame = scores.to_frame()
    keys = ["dataset", "replication", "algorithm", "measure"]
    return {tuple(map(str, key)): value for *key, value in frame[[*keys, "value"]].values.tolist()}


def test_columns_that_are_replications() -> None:
    frame = pd.DataFrame(
        {"model": ["svm", "knn"], "fold_0": [0.9, 0.7], "fold_1": [0.8, 0.6], "note": ["a", "b"]}
    )
    scores = bi.read_scores(
        frame, measures={"acc": "higher"}, layout="fold_{replication}", dataset="iris"
    )
    assert cells(scores) == {
        ("iris", "0", "svm", "acc"): 0.9,
        ("iris", "1", "svm", "acc"): 0.8,
        ("iris", "0", "knn", "acc"): 0.7,
        ("iris", "1", "knn", "acc"): 0.6,
    }
    said = scores.findings().query("rule == 'columns by pattern'")["where"].item()
    assert said.startswith("2 columns of scores by layout=")
    assert "fold_0 is replication 0" in said


def test_two_roles_in_a_name() -> None:
    frame = pd.DataFrame(
        {
            "params": ["C=1", "C=2"],
            "split0_test_top_1": [0.1, 0.2],
            "split1_test_top_1": [0.3, 0.4],
            "split0_test_loss": [3.0, 4.0],
            "split1_test_loss": [5.0, 6.0],
            "split0_train_loss": [0.0, 0.0],
            "mean_test_loss": [4.0, 5.0],
        }
    )
    options = {"layout": "split{replication}_test_{measure}", "columns": {"params": "algorithm"}}
    both = {"top_1": "higher", "loss": "lower"}
    scores = bi.read_scores(frame, measures=both, dataset="d", **options)  # pyright: ignore[reportArgumentType]
    assert len(cells(scores)) == 8
    assert cells(scores)[("d", "1", "C=2", "loss")] == 6.0
    with pytest.raises(ScoreTableError, match="no column of scores for the measure 'auc'"):
        bi.read_scores(frame, measures={"auc": "higher"}, **options)  # pyright: ignore[reportArgumentType]


def test_a_measure_whose_name_holds_the_separator() -> None:
    frame = pd.DataFrame({"task": ["iris"], "svm_rbf_top_1": [0.5], "knn_top_1": [0.4]})
    scores = bi.read_scores(frame, measures={"top_1": "higher"}, layout="{algorithm}_{measure}")
    assert scores.algorithms == ("knn", "svm_rbf")


def test_a_leaderboard_has_one_model_per_row() -> None:
    frame = pd.DataFrame({"model": ["svm", "knn"], "iris": [0.9, 0.8], "wine": [0.7, 0.6]})
    scores = bi.read_scores(frame, measures={"acc": "higher"}, layout="rows-are-algorithms")
    assert scores.datasets == ("iris", "wine")
    assert cells(scores)[("wine", "1", "svm", "acc")] == 0.7


def test_two_columns_name_an_algorithm() -> None:
    frame = pd.DataFrame(
        {"task": ["iris"] * 3, "scheme": ["J48", "J48", "NB"], "options": ["-C 1", "-C 2", ""]}
    ).assign(acc=[0.9, 0.8, 0.7])
    columns = {"scheme": "algorithm", "options": "algorithm"}
    full = frame.replace({"options": {"": "none"}})
    scores = bi.read_scores(full, measures={"acc": "higher"}, columns=columns)
    assert scores.algorithms == ("J48/-C 1", "J48/-C 2", "NB/none")
    said = scores.findings().query("rule == 'joined columns'")["where"].item()
    assert said == "the algorithm is joined from 2 columns: scheme/options"
    # A part that is missing leaves no name.
    with pytest.raises(ScoreTableError, match="algorithm"):
        bi.read_scores(frame, measures={"acc": "higher"}, columns=columns)


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("fold_{fold}", "is no role"),
        ("{algorithm}_{algorithm}", "there twice"),
        ("wide", "wide-algorithms"),
    ],
)
def test_a_pattern_without_roles_is_refused(layout: str, said: str) -> None:
    with pytest.raises(ScoreTableError, match=said):
        bi.read_scores(pd.DataFrame({"fold_1": [1.0]}), measures={"a": "higher"}, layout=layout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for domain, algorithm, value in (("a", "svm", 0.9), ("a", "knn.5", 0.8), ("b", "svm", 0.7)):
        place = tmp_path / "results" / domain / "TESTFOLDS"
        place.mkdir(parents=True, exist_ok=True)
        name = place / f"{algorithm}_TESTFOLDS.csv"
        name.write_text(f"dataset,0,1\n{domain}-iris,{value},{value - 0.1}\n")
    return tmp_path / "results"


def test_the_file_is_the_algorithm(folder: Path) -> None:
    scores = bi.read_scores(
        str(folder / "*/TESTFOLDS/*.csv"),
        name="{domain}/TESTFOLDS/{algorithm}_TESTFOLDS",
        layout="{replication}",
        measures={"acc": "higher"},
    )
    assert scores.algorithms == ("knn.5", "svm")
    assert scores.domains == {"a-iris": "a", "b-iris": "b"}
    assert cells(scores)[("a-iris", "1", "knn.5", "acc")] == pytest.approx(0.7)


def test_one_file_has_a_name_too(folder: Path) -> None:
    file = folder / "b/TESTFOLDS/svm_TESTFOLDS.csv"
    options = {"layout": "{replication}", "measures": {"acc": "higher"}}
    scores = bi.read_scores(file, name="{algorithm}_TESTFOLDS", **options)  # pyright: ignore[reportArgumentType]
    assert scores.algorithms == ("svm",)


def test_files_that_do_not_match_are_all_named(folder: Path) -> None:
    with pytest.raises(ScoreTableError, match="3 of 3 files are not named as") as raised:
        bi.read_scores(folder, name="{algorithm}_TEST", measures={"acc": "higher"})
    assert "knn.5_TESTFOLDS" in str(raised.value)
    with pytest.raises(ScoreTableError, match="names no column in braces"):
        bi.read_scores(folder, name="TESTFOLDS", measures={"acc": "higher"})
    with pytest.raises(ScoreTableError, match="given with a DataFrame"):
        bi.read_scores(pd.DataFrame({"a": [1]}), name="{algorithm}", measures={"acc": "higher"})


def test_a_column_must_agree_with_the_name(folder: Path) -> None:
    file = folder / "b/TESTFOLDS/svm_TESTFOLDS.csv"
    file.write_text("dataset,algorithm,0\niris,knn,0.5\n")
    with pytest.raises(ScoreTableError, match="knn"):
        bi.read_scores(
            file,
            name="{algorithm}_TESTFOLDS",
            layout="{replication}",
            measures={"acc": "higher"},
        )
