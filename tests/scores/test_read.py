import math

import duckdb
import numpy as np
import pandas as pd
import pytest

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import BenchinferError, ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.declaration import Declaration
from benchinfer.scores.read import read_scores
from benchinfer.scores.resampling import Resampling

GARBLED = """\
domain,dataset,fold,algorithm,measure,score
vision,iris,1,svm,error,0.10
vision,iris,2,svm,error,"0,12"
vision,iris,1,knn,error,0.1x
vision,iris,2,knn,error,
vision,iris,1,lda,error,inf
vision,iris,2,lda,error,0.20
vision,iris,2,lda,error,0.21
vision,wine,1,svm,error,14.0
text,wine,2,svm,error,0.15
vision,wine,1,knn,seconds,3.5
vision,wine,2,knn,error
vision,wine,1,,error,0.3
vision,Iris,1,svm,error,0.4
"""

ERROR = Measure("error", "lower", bounds=(0, 1))
MESSAGE = """\
9 faults in 'garbled.csv'.
 1. ragged rows: 1 row does not have 6 fields.
        row
        vision,wine,2,knn,error
    Hint: the header has 6 fields, separated by ','.
 2. decimal commas: 1 score is text with a decimal comma.
        dataset  replication  algorithm  measure  value
        iris     2            svm        error    0,12
    Hint: write them with a decimal point, or read them by pandas, which takes decimal commas.
 3. not numbers: 1 score is not a number.
        dataset  replication  algorithm  measure  value
        iris     1            knn        error    0.1x
    Hint: correct them, or leave failed runs out as missing rows.
 4. missing labels: 1 row lacks a label (domain, dataset, replication, algorithm, measure).
        domain  dataset  replication  algorithm  measure  value
        vision  wine     1            (none)     error    0.3
    Hint: complete the labels, or remove the rows.
 5. failures: 1 row has no score.
        dataset  replication  algorithm  measure  failure
        iris     2            knn        error    (none)
    Hint: leave failed runs out, or say so knowingly: failed="missing".
 6. infinite values: 1 score is infinite.
        dataset  replication  algorithm  measure  value
        iris     1            lda        error    inf
    Hint: leave failed runs out as missing rows.
 7. duplicate rows: 1 place (dataset, replication, algorithm, measure) has several scores.
        dataset  replication  algorithm  measure  n
        iris     2            lda        error    2
    Hint: remove the duplicates; if they are repeats of one replication, say repeats="keep".
 8. out of bounds: 1 score is outside the bounds: error [0, 1].
        dataset  replication  algorithm  measure  value
        wine     1            svm        error    14
    Hint: per cent or a fraction? Correct the scores, or the bounds of the measure.
 9. several domains: 1 data set is of more than one domain.
        dataset  domain
        wine     text
        wine     vision
    Hint: a data set belongs to one domain.
Also:
  - missing cells: 7 of 12 cells have no score.
  - thin cells: 1 of 12 cells has fewer replications than the data set.
  - similar names: 1 pair of names differs only in case, space, dots or dashes."""


def rules(scores, severity=None):
    return {f.rule for f in scores.finding_records if severity in (None, f.severity)}


def test_a_garbled_table_yields_one_message(tmp_path):
    path = tmp_path / "garbled.csv"
    path.write_text(GARBLED, encoding="utf-8")
    with pytest.raises(ScoreTableError) as caught:
        read_scores(path, measures=[ERROR, Measure("seconds", "lower")], failed="error")
    assert str(caught.value) == MESSAGE
    assert [f.severity for f in caught.value.findings].count("error") == 9


def test_other_faults_are_reported_along_with_a_missing_column():
    frame = pd.DataFrame({"dataset": ["d", "e"], "score": [0.1, math.nan]})
    with pytest.raises(ScoreTableError) as caught:
        read_scores(frame, measures={"acc": "higher"}, failed="error")
    assert str(caught.value) == (
        "2 faults in 'DataFrame'.\n"
        " 1. missing columns: which column holds the algorithm?\n"
        "    Hint: columns={'NAME': 'algorithm'} says which it is; the table has: dataset, score.\n"
        " 2. failures: 1 row has no score.\n"
        "        dataset  algorithm\n"
        "        e        ?\n"
        "    Hint: leave failed runs out, or say so knowingly:"
        ' failed="missing".'
    ).replace(
        "dataset  algorithm\n        e        ?",
        "dataset  replication  algorithm\n        e        1            ?",
    )


def test_one_fault_is_one_sentence():
    frame = pd.DataFrame({"dataset": ["d"] * 2, "algorithm": ["a", "b"], "score": [0.1, 0.2]})
    with pytest.raises(ScoreTableError) as caught:
        read_scores(frame)
    assert str(caught.value) == (
        "it is not said whether higher or lower is better for: score.\n"
        'Hint: measures={\'score\': ...}, with "higher" or "lower".'
    )


def test_of_many_measures_those_without_a_direction_are_left_out():
    frame = pd.DataFrame(
        {
            "dataset": ["d", "d", "d", "d", "e", "e"],
            "algorithm": list("abcaab"),
            "measure": ["acc", "acc", "f1", "f1", "acc", "acc"],
            "score": [0.1, 0.2, 0.3, math.nan, 0.5, 0.6],
        }
    )
    scores = read_scores(frame, measures={"acc": "higher"})
    alone = read_scores(frame[frame["measure"] == "acc"], measures={"acc": "higher"})
    assert scores.digest == alone.digest
    assert scores.algorithms == ("a", "b")
    (note,) = [f for f in scores.finding_records if f.rule == "measures left out"]
    assert (note.severity, note.count) == ("note", 1)
    assert note.what == "measures left out, for which no direction is given: f1."
    with pytest.raises(ScoreTableError, match="better for: acc, f1"):
        read_scores(frame.dropna())
    with pytest.raises(ScoreTableError, match="better for: acc, f1"):
        read_scores(frame.dropna(), measures={"accuracy": "higher"})


@pytest.mark.parametrize(
    "measures",
    [
        Measure("acc", "higher"),
        [Measure("acc", "higher")],
        {"acc": "higher"},
        "acc:higher:0.01",
        ["acc:higher"],
    ],
)
def test_measures_come_in_many_forms(balanced, measures):
    assert read_scores(balanced, measures=measures).measure().better == "higher"


def test_measures_that_cannot_be_read(balanced):
    with pytest.raises(ArgumentError, match="measures is 5"):
        read_scores(balanced, measures=5)
    with pytest.raises(BenchinferError, match="better is 'up'"):
        read_scores(balanced, measures={"acc": "up"})


def test_toml_beside_the_table_is_read_and_reported(balanced, tmp_path):
    balanced.to_csv(tmp_path / "results.csv", index=False)
    (tmp_path / "measures.toml").write_text(
        '[resampling]\nkind = "bootstrap"\n[measures.acc]\nbetter = "higher"\ntolerance = 0.01\n',
        encoding="utf-8",
    )
    scores = read_scores(tmp_path / "results.csv")
    assert scores.measure() == Measure("acc", "higher", 0.01)
    assert scores.resampling == Resampling("bootstrap")
    assert scores.paired
    assert "declared beside" in rules(scores)


def test_arguments_win_over_the_toml(balanced, tmp_path):
    balanced.to_csv(tmp_path / "results.csv", index=False)
    (tmp_path / "measures.toml").write_text(
        '[resampling]\nkind = "bootstrap"\n[measures.acc]\nbetter = "higher"\n', encoding="utf-8"
    )
    scores = read_scores(tmp_path / "results.csv", measures={"loss": "lower"}, resampling="seeds")
    assert scores.measure() == Measure("loss", "lower")
    assert scores.resampling == Resampling("seeds")
    assert not scores.paired


def test_paired_argument_wins_over_resampling(balanced):
    scores = read_scores(balanced, measures="acc:higher", resampling="seeds", paired=True)
    assert scores.paired
    (note,) = [f for f in scores.finding_records if f.rule == "pairing"]
    assert note.what == "replications are paired, paired=True says."


def test_common_names_are_recognised_and_reported(balanced):
    frame = balanced.rename(
        columns={"dataset": "Task", "replication": "Fold", "algorithm": "Model"}
    )
    scores = read_scores(frame, measures="acc:higher")
    assert scores.digest == read_scores(balanced, measures="acc:higher").digest
    (note,) = [f for f in scores.finding_records if f.rule == "recognised columns"]
    assert note.what == (
        "columns recognised by name: Task as dataset, Fold as replication, Model as algorithm,"
        " score as value."
    )


def test_columns_are_given(balanced):
    frame = balanced.rename(columns={"dataset": "x", "algorithm": "y", "score": "z"})
    scores = read_scores(
        frame, columns={"x": "dataset", "y": "algorithm", "z": "value"}, measures="acc:higher"
    )
    assert scores.digest == read_scores(balanced, measures="acc:higher").digest


def test_two_columns_of_replications_are_joined(balanced):
    frame = balanced.assign(repeat=balanced["replication"] // 2, fold=balanced["replication"] % 2)
    scores = read_scores(
        frame.drop(columns="replication"),
        columns={"repeat": "replication", "fold": "replication"},
        measures="acc:higher",
    )
    assert sorted(set(scores.to_frame()["replication"])) == ["0/0", "0/1", "1/0", "1/1"]


def test_a_named_index_is_read(balanced):
    frame = balanced.set_index(["dataset", "algorithm", "replication"])
    assert (
        read_scores(frame, measures="acc:higher").digest
        == read_scores(balanced, measures="acc:higher").digest
    )


def test_without_columns_of_datasets_and_replications():
    frame = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.1, 0.2]})
    scores = read_scores(frame, measures="accuracy:higher", dataset="iris")
    assert scores.datasets == ("iris",)
    assert {"no dataset column", "no replication column", "one data set"} <= rules(scores, "note")
    assert not scores.paired


def test_dataset_given_twice(balanced):
    with pytest.raises(ScoreTableError, match="the column dataset holds data sets"):
        read_scores(balanced, measures="acc:higher", dataset="iris")


def test_domains_are_kept(balanced):
    frame = balanced.assign(domain=balanced["dataset"].map({"d0": "x", "d1": "x", "d2": "y"}))
    scores = read_scores(frame, measures="acc:higher")
    assert scores.domains == {"d0": "x", "d1": "x", "d2": "y"}
    assert scores.subset(domains="x").datasets == ("d0", "d1")
    assert scores.subset(domains="x").domains == {"d0": "x", "d1": "x"}


def test_repeats_are_an_error_or_kept(balanced):
    twice = pd.concat([balanced, balanced.assign(score=balanced["score"] + 0.01)])
    with pytest.raises(ScoreTableError, match=r"36 places .* have several scores"):
        read_scores(twice, measures="acc:higher")
    scores = read_scores(twice, measures="acc:higher", repeats="keep")
    assert "repeats kept" in rules(scores, "note")
    assert (scores.blocks().count == 2).all()
    np.testing.assert_allclose(scores.blocks().within, 4 * 2 * 0.005**2)


def test_unknown_options(balanced):
    with pytest.raises(ArgumentError, match="unknown repeats 'drop'"):
        read_scores(balanced, measures="acc:higher", repeats="drop")
    with pytest.raises(ArgumentError, match='failed="drop" is no word that is known, no number'):
        read_scores(balanced, measures="acc:higher", failed="drop")
    for failed in ("", math.nan, math.inf, True, None):
        with pytest.raises(ArgumentError, match=r"failed=.* is not understood|failed is "):
            read_scores(balanced, measures="acc:higher", failed=failed)


def test_unknown_layout(balanced):
    with pytest.raises(ScoreTableError, match="unknown layout 'wide'"):
        read_scores(balanced, measures="acc:higher", layout="wide")


def test_measures_of_the_table_and_of_the_declaration_differ(balanced):
    frame = balanced.assign(measure="acc")
    scores = read_scores(frame, measures={"acc": "higher", "f1": "higher"})
    assert [m.name for m in scores.measures] == ["acc"]
    assert "measure without scores" in rules(scores, "warning")
    with pytest.raises(ScoreTableError, match="is better for: acc"):
        read_scores(frame, measures={"f1": "higher"})


def test_several_measures_without_a_column_of_measures(balanced):
    with pytest.raises(ScoreTableError, match="several are declared: acc, f1"):
        read_scores(balanced, measures={"acc": "higher", "f1": "higher"})
    frame = balanced.rename(columns={"score": "acc"}).assign(f1=0.5)
    with pytest.raises(ScoreTableError, match="layout='wide-measures'"):
        read_scores(frame, measures={"acc": "higher", "f1": "higher"}, layout="long")


def test_wide_table_with_empty_cells(balanced):
    wide = balanced.pivot_table(
        index=["dataset", "replication"], columns="algorithm", values="score"
    )
    wide.iloc[0, 0] = math.nan
    scores = read_scores(wide, measures="acc:higher", layout="wide-algorithms")
    assert scores.n_rows == 35
    assert {"failures", "thin cells"} <= rules(scores, "warning")


def test_a_table_without_rows(balanced):
    with pytest.raises(ScoreTableError, match="the table has no rows"):
        read_scores(balanced.iloc[:0], measures="acc:higher")
    with pytest.raises(ScoreTableError, match="no row of the table has a score"):
        read_scores(balanced.assign(score=math.nan), measures="acc:higher")


def test_the_frame_can_change_afterwards(balanced):
    scores = read_scores(balanced, measures="acc:higher")
    before = scores.blocks().mean.copy()
    balanced.loc[:, "score"] = 0.0
    np.testing.assert_array_equal(scores.blocks().mean, before)


def test_truth_values_are_scores(balanced):
    scores = read_scores(balanced.assign(score=balanced["score"] > 0.5), measures="hit:higher")
    assert set(np.unique(scores.blocks().mean)) == {0.0, 1.0}


def test_query_reads_part_of_a_database(balanced, tmp_path):
    path = tmp_path / "runs.duckdb"
    connection = duckdb.connect(str(path))
    connection.from_df(balanced).create("results")
    connection.from_df(balanced).create("others")
    with pytest.raises(ScoreTableError, match="holds 2 tables: others, results"):
        read_scores(connection, measures="acc:higher")
    query = "SELECT * FROM results WHERE dataset = 'd1'"
    declaration = Declaration("acc:higher", query=query)
    assert read_scores(connection, measures=declaration).datasets == ("d1",)
    connection.close()
    scores = read_scores(path, measures=declaration)
    assert scores.datasets == ("d1",)
    # The file is free again: it can be written to while the table lives.
    duckdb.connect(str(path)).execute("DROP TABLE results").close()
    assert scores.blocks().mean.shape == (4, 3)
    with pytest.raises(ScoreTableError, match="the query failed"):
        read_scores(path, measures=Declaration("acc:higher", query="SELECT nonsense FROM others"))
