"""Layouts that nobody declares."""

import pandas as pd
import pytest

import benchinfer as bi
from benchinfer import ScoreTableError, read_scores

ACC = {"acc": "higher"}


def taken(frame, measures=ACC, **options):
    scores = read_scores(frame, measures=measures, **options)
    found = [f for f in scores.finding_records if f.rule == "layout recognised"]
    assert len(found) == 1
    assert found[0].severity == "note"
    return scores, found[0]


def test_a_column_per_algorithm():
    frame = pd.DataFrame({"task": ["x", "y"], "fold": [1, 1], "svm": [0.1, 0.2], "knn": [0.3, 0.4]})
    scores, finding = taken(frame)
    assert (scores.datasets, scores.algorithms) == (("x", "y"), ("knn", "svm"))
    assert finding.what == "2 columns of scores, one per algorithm: svm and knn."
    assert 'layout="wide-algorithms"' in finding.hint


def test_a_column_per_data_set():
    frame = pd.DataFrame({"model": ["svm", "knn"], "iris": [0.1, 0.2], "wine": [0.3, 0.4]})
    scores, finding = taken(frame)
    assert (scores.datasets, scores.algorithms) == (("iris", "wine"), ("knn", "svm"))
    assert 'layout="rows-are-algorithms"' in finding.hint


def test_a_column_per_measure():
    frame = pd.DataFrame({"model": ["svm", "knn"], "acc": [0.1, 0.2], "f1": [0.3, 0.4]})
    scores, finding = taken(frame, {"acc": "higher", "f1": "higher"})
    assert [m.name for m in scores.measures] == ["acc", "f1"]
    assert 'layout="wide-measures"' in finding.hint


def test_a_column_per_fold():
    frame = pd.DataFrame({"model": ["svm", "knn"], "fold_0": [0.1, 0.2], "fold_1": [0.3, 0.4]})
    scores, _ = taken(frame)
    assert scores.facts().summary.shared.max() == 2
    assert scores.datasets == ("data",)


@pytest.mark.parametrize(
    ("frame", "ways"),
    [
        (
            {"model": ["svm", "knn"], "x1": [0.1, 0.2], "x2": [0.3, 0.4]},
            ('layout="rows-are-algorithms"', 'layout="x{replication}"'),
        ),
        (
            {"name": ["svm", "knn"], "one": [0.1, 0.2], "two": [0.3, 0.4]},
            (
                "columns={'name': 'algorithm'}, layout=\"rows-are-algorithms\"",
                "columns={'name': 'dataset'}, layout=\"wide-algorithms\"",
            ),
        ),
    ],
)
def test_two_readings_are_asked_for(frame, ways):
    with pytest.raises(ScoreTableError, match="in 2 ways") as caught:
        read_scores(pd.DataFrame(frame), measures=ACC)
    assert all(way in str(caught.value) for way in ways)


def test_tables_that_are_long_are_read_as_such():
    frame = pd.DataFrame({"model": ["svm", "knn"], "acc": [0.1, 0.2], "seconds": [1.0, 2.0]})
    assert not [
        f for f in read_scores(frame, measures=ACC).finding_records if f.rule == "layout recognised"
    ]


def test_text_among_the_columns_is_no_wide_table():
    frame = pd.DataFrame({"task": ["x"], "svm": [0.1], "knn": [0.3], "note": ["late"]})
    with pytest.raises(ScoreTableError, match="which column holds the algorithm"):
        read_scores(frame, measures=ACC)


def test_the_column_that_tells_duplicates_apart_is_named():
    frame = pd.DataFrame(
        {
            "model": ["svm", "svm", "knn", "knn"],
            "fold": [1, 1, 1, 1],
            "attempt": [1, 2, 1, 2],
            "utc": [1.5, 2.5, 3.5, 4.5],
            "acc": [0.1, 0.2, 0.3, 0.4],
        }
    )
    with pytest.raises(ScoreTableError) as caught:
        read_scores(frame, measures=ACC)
    hint = "the column attempt tells them apart:"
    assert hint in str(caught.value)
    columns = {"fold": "replication", "attempt": "replication"}
    assert f"columns={columns}" in str(caught.value)
    assert "repeats" not in str(caught.value)
    assert read_scores(frame, measures=ACC, columns=columns).n_rows == 4


PYCARET = pd.DataFrame(
    {"Method": ["Ridge", "NB", "LR"], "Accuracy": [0.7, 0.6, 0.8], "AUC": [0.8, 0.7, 0.9],
     "F1": [0.6, 0.5, 0.7], "TT (Sec)": [0.1, 0.2, 0.3]}
)  # fmt: skip
HELM = pd.DataFrame(
    {"Model": ["A", "B"], "Mean win rate": [0.9, 0.8], "MMLU - EM": [0.5, 0.4],
     "BoolQ - EM": [0.6, 0.5]}
)  # fmt: skip


def test_columns_that_are_named_as_measures_are_no_data_sets() -> None:
    scores = read_scores(PYCARET)
    assert [m.name for m in scores.measures] == ["Accuracy", "AUC", "F1"]
    assert len(scores.datasets) == 1
    with pytest.raises(ScoreTableError) as error:
        read_scores(PYCARET, measures="value:higher")
    said = "4 columns are named as measures, not as data sets: Accuracy, AUC, F1 and TT (Sec)."
    assert said in str(error.value)


def test_a_mistyped_measure_is_met_with_the_column_of_nearly_that_name() -> None:
    frame = pd.DataFrame(
        {"dataset": ["d", "d"], "algorithm": ["a", "b"], "acc": [0.5, 0.6], "seconds": [3.0, 4.0]}
    )
    with pytest.raises(ScoreTableError, match="no column for the measure 'ac'") as error:
        read_scores(frame, measures=["ac:higher", "seconds:lower"])
    assert "did you mean 'acc'?" in str(error.value)


def test_directions_read_columns_of_measures() -> None:
    better = dict.fromkeys(("Accuracy", "AUC", "F1"), "higher") | {"TT (Sec)": "lower"}
    scores = read_scores(PYCARET, measures=better)
    assert [m.name for m in scores.measures] == list(better)
    assert (scores.datasets, scores.n_rows) == (("data",), 12)
    whole = read_scores(HELM, measures="value:higher", layout="rows-are-algorithms")
    assert len(whole.datasets) == 3


@pytest.mark.parametrize(
    ("columns", "layout"),
    [
        (["svm_acc", "svm_f1", "rf_acc", "rf_f1"], "{algorithm}_{measure}"),
        (["acc/random_forest", "f1/random_forest", "acc/svm"], "{measure}/{algorithm}"),
        (["svm_test_acc", "svm_test_f1", "knn_test_f1"], "{algorithm}_test_{measure}"),
    ],
)
def test_columns_of_algorithms_and_measures(columns, layout):
    rows = [
        (d, *(0.5 + i / 10 + k / 50 for k, _ in enumerate(columns))) for i, d in enumerate("ab")
    ]
    frame = pd.DataFrame(rows, columns=["dataset", *columns])
    with pytest.raises(ScoreTableError, match="higher or lower is better for: acc, f1"):
        read_scores(frame)
    scores = read_scores(frame, measures={"acc": "higher", "f1": "higher"})
    (note,) = [f for f in scores.finding_records if f.rule == "layout recognised"]
    assert layout in note.hint
    assert len(scores.algorithms) == 2
    assert scores.n_rows == 2 * len(columns)
    only = read_scores(frame, measures={"f1": "higher"})
    assert [m.name for m in only.measures] == ["f1"]


def test_columns_of_numbered_algorithms_hold_no_measures():
    frame = pd.DataFrame({"dataset": ["a", "b"], "rf_100": [0.1, 0.2], "rf_200": [0.3, 0.4]})
    assert read_scores(frame, measures={"acc": "higher"}).algorithms == ("rf_100", "rf_200")


def grouped(**columns):
    """Return a table of 12 questions of two models with further columns by question."""
    items = pd.DataFrame({"question": [f"q{i:02}" for i in range(12)], **columns})
    table = items.merge(pd.DataFrame({"model": ["a", "b"]}), how="cross")
    return table.assign(acc=[float(i * i % 3 == 1) for i in range(len(table))])


def warned(table, **options):
    options = {"columns": {"question": "replication"}, **options}
    scores = bi.read_scores(table, measures={"acc": "higher"}, **options)
    return [f for f in scores.notes if f.rule == "items in groups"]


def test_items_in_groups_are_named_with_the_declaration_that_fits():
    passages = [f"p{i // 3}" for i in range(12)]
    (found,) = warned(grouped(passage=passages, topic=[f"t{i // 2}" for i in range(12)]))
    assert found.what == (
        "the column passage puts 12 questions in 4 passages: those of one passage may depend on"
        " each other, and count as independent."
    )
    assert 'units=("passage", "question")' in str(found.hint)
    units = ("passage", "question")
    assert warned(grouped(passage=passages), units=units, columns=None) == []


def test_data_sets_in_groups_are_named_with_the_declaration_that_fits():
    def read(repos, **options):
        table = grouped(repo=repos).rename(columns={"question": "task"})
        return bi.read_scores(table, measures={"acc": "higher"}, **options)

    def groups(scores):
        return [f for f in scores.notes if f.rule == "data sets in groups"]

    repos = [f"r{i // 3}" for i in range(12)]
    (finding,) = groups(read(repos))
    assert finding.what == (
        "the column repo puts 12 data sets in 4 repos: those of one repo may depend on each other,"
        " and count as independent."
    )
    assert "columns={'repo': 'domain'}" in str(finding.hint).replace('"', "'")
    declared = read(repos, columns={"repo": "domain"})
    assert groups(declared) == []
    assert len(set(declared.domains.values())) == 4
    assert groups(read(["one"] * 12)) == groups(read([f"r{i}" for i in range(12)])) == []


@pytest.mark.parametrize(
    "columns",
    [
        {"passage": ["one"] * 12},  # holds all
        {"passage": [f"p{i}" for i in range(12)]},  # holds one each
        {"passage": ["", *[f"p{i // 3}" for i in range(11)]], "dropped": [None] * 12},
        {"length": [i // 3 for i in range(12)]},
    ],
)
def test_what_groups_no_items_is_left_alone(columns):
    columns = {k: [v or None for v in values] for k, values in columns.items() if k != "dropped"}
    assert warned(grouped(**columns)) == []


def test_a_column_that_cuts_through_items_is_no_group():
    table = grouped().assign(topic=[f"t{i % 3}" for i in range(24)])
    assert warned(table) == []


def test_folds_are_no_items():
    table = grouped(group=[f"g{i // 3}" for i in range(12)]).rename(columns={"question": "fold"})
    assert warned(table, columns={"fold": "replication"}) == []
    assert len(warned(table, columns={"fold": "replication"}, resampling="items")) == 1
