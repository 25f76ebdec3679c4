import gzip
import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest

from benchinfer.core.errors import DesignError, ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.read import read_scores

ACC = Measure("acc", "higher")
NAMES = ("n_rows", "size")


@pytest.fixture
def columns(make):
    """A table with a feature of the data sets and one of the runs."""
    made = make(4, 5, 3, seed=3)
    return made | {
        "n_rows": [[150, 178, 90, 2_000][int(d[1])] for d in made["dataset"]],
        "size": [0.5 * r - 0.25 for r in made["replication"]],
    }


@pytest.fixture
def read(columns):
    """Read the table as it is, or with changes."""

    def call(covariates=NAMES, **changed):
        return read_scores(pd.DataFrame(columns | changed), measures=ACC, covariates=covariates)

    return call


def faults(caught):
    return [f for f in caught.value.findings if f.severity == "error"]


def same(found, expected):
    """Compare observations, field by field."""
    for name in ("dataset", "algorithm", "replication", "value", "covariate"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), strict=True)
    assert found.replications == expected.replications
    assert found.covariates == expected.covariates


def test_engines_agree(engine, columns, read):
    expected = read()
    scores = read_scores(engine(columns), measures=ACC, covariates=NAMES)
    assert scores.covariates == NAMES
    assert scores.digest == expected.digest
    same(scores.observations(), expected.observations())
    found = scores.dataset_covariates()
    assert found.datasets == scores.coverage().datasets
    assert list(found.constant) == ["n_rows"]
    np.testing.assert_array_equal(found.constant["n_rows"], [150.0, 178.0, 90.0, 2000.0])
    assert found.varying == {"size": ("d0", "d1", "d2", "d3")}
    pd.testing.assert_frame_equal(scores.to_frame(), expected.to_frame())


def test_observations_against_the_table(columns):
    frame = pd.DataFrame(columns).sample(frac=1, random_state=1)
    found = read_scores(frame, measures=ACC, covariates=NAMES).observations()
    assert found.covariates == NAMES
    assert found.replications == ("0", "1", "2", "3", "4")
    assert found.paired
    ordered = frame.sort_values(["dataset", "replication", "algorithm"])
    names = np.array(found.datasets, dtype=object)[found.dataset]
    np.testing.assert_array_equal(names, ordered["dataset"])
    names = np.array(found.algorithms, dtype=object)[found.algorithm]
    np.testing.assert_array_equal(names, ordered["algorithm"])
    np.testing.assert_array_equal(found.replication, ordered["replication"])
    np.testing.assert_array_equal(found.value, ordered["score"])
    np.testing.assert_array_equal(found.covariate, ordered[[*NAMES]].to_numpy(np.float64))


def test_observations_are_oriented_and_on_the_scale(columns):
    measure = Measure("seconds", "lower", scale="log")
    scores = read_scores(pd.DataFrame(columns), measures=measure, covariates="size")
    np.testing.assert_allclose(
        scores.observations().value, -np.log(columns["score"]), rtol=1e-15, strict=True
    )
    assert scores.observations().measure == measure
    columns["score"][3] = 0.0
    scores = read_scores(pd.DataFrame(columns), measures=measure, covariates="size")
    with pytest.raises(DesignError, match="cannot be put on the log scale"):
        scores.observations()


def test_a_table_without_covariates(read):
    scores = read(None)
    assert scores.covariates == ()
    assert scores.observations().covariate.shape == (60, 0)
    assert scores.observations().value.shape == (60,)
    found = scores.dataset_covariates()
    assert (dict(found.constant), dict(found.varying)) == ({}, {})
    unused = {f.rule: f.what for f in scores.finding_records}["unused columns"]
    assert unused == "2 columns not used: n_rows, size."
    assert "unused columns" not in {f.rule for f in read().finding_records}


def test_the_table_says_what_it_keeps(read):
    assert str(read()).endswith("(higher is better); covariates: n_rows, size)")
    assert read("size").covariates == ("size",)
    assert read(["size", "n_rows", "size"]).covariates == ("size", "n_rows")


def test_all_else_is_as_without_covariates(read):
    scores, bare = read(), read(())
    pd.testing.assert_frame_equal(scores.describe(), bare.describe())
    np.testing.assert_array_equal(scores.blocks().mean, bare.blocks().mean)
    np.testing.assert_array_equal(scores.cells().mean, bare.cells().mean)
    pd.testing.assert_frame_equal(scores.coverage().to_frame(), bare.coverage().to_frame())


@pytest.mark.parametrize("select", ["subset", "complete", "replication", "by_dataset"])
def test_selections_keep_covariates(engine, columns, select):
    columns = {name: values[1:] for name, values in columns.items()}
    scores = read_scores(engine(columns), measures=ACC, covariates=NAMES)
    part = {
        "subset": lambda: scores.subset(datasets=["d1", "d3"]),
        "complete": scores.complete,
        "replication": lambda: scores.complete(by="replication"),
        "by_dataset": lambda: scores.by_dataset()["d3"],
    }[select]()
    assert part.covariates == NAMES
    found = part.dataset_covariates()
    expected = dict(zip(columns["dataset"], columns["n_rows"], strict=True))
    np.testing.assert_array_equal(found.constant["n_rows"], [expected[d] for d in part.datasets])
    assert found.varying == {"size": part.datasets}
    observed = part.observations()
    labels = np.array(observed.replications, float)[observed.replication]
    np.testing.assert_array_equal(observed.covariate[:, 1], 0.5 * labels - 0.25)


def test_a_selection_may_make_a_covariate_constant(read):
    part = read().subset(replications="2").dataset_covariates()
    assert list(part.constant) == ["n_rows", "size"]
    assert not part.varying


def test_covariates_vary_in_some_data_sets_only(columns, read):
    size = [1.0 if d != "d2" else float(r) for d, r in zip(*_of(columns), strict=True)]
    assert read(size=size).dataset_covariates().varying == {"size": ("d2",)}


def _of(columns):
    return columns["dataset"], columns["replication"]


def test_data_sets_without_a_score_of_the_measure_have_no_number():
    frame = pd.DataFrame(
        {
            "dataset": ["d", "d", "e", "e", "d"],
            "algorithm": ["a", "b"] * 2 + ["a"],
            "measure": ["acc"] * 4 + ["f1"],
            "score": [0.1, 0.2, 0.3, 0.4, 0.5],
            "n": [1, 1, 2, 2, 3],
        }
    )
    measures = {"acc": "higher", "f1": "higher"}
    scores = read_scores(frame, measures=measures, covariates="n")
    np.testing.assert_array_equal(scores.dataset_covariates("acc").constant["n"], [1.0, 2.0])
    np.testing.assert_array_equal(scores.dataset_covariates("f1").constant["n"], [3.0, np.nan])
    np.testing.assert_array_equal(scores.observations("f1").covariate, [[3.0]])
    with pytest.raises(DesignError, match="the table has 2 measures"):
        scores.dataset_covariates()


def test_the_digest_covers_covariates(columns, read):
    digest = read().digest
    assert read(()).digest == read(None).digest != digest
    assert read(("size", "n_rows")).digest == digest
    assert read("size").digest != digest
    changed = list(columns["size"])
    changed[7] = np.nextafter(changed[7], 9)
    assert read(size=changed).digest != digest
    frame = pd.DataFrame(columns).rename(columns={"size": "budget"})
    other = read_scores(frame, measures=ACC, covariates=("n_rows", "budget"))
    assert other.digest != digest
    zero = [0.0] * 60
    assert read(size=zero).digest == read(size=[-z for z in zero]).digest


def test_the_digest_does_not_depend_on_the_order_of_rows(columns):
    frame = pd.DataFrame(columns).assign(replication=1)  # several scores in one place
    options = {"measures": ACC, "covariates": NAMES, "repeats": "keep"}
    mixed = read_scores(frame.sample(frac=1, random_state=2), **options)
    assert mixed.digest == read_scores(frame, **options).digest
    same(mixed.observations(), read_scores(frame, **options).observations())


def test_a_table_comes_back_from_its_frame(read):
    scores = read()
    frame = scores.to_frame()
    assert list(frame)[-3:] == ["value", "n_rows", "size"]
    again = read_scores(frame, measures=ACC, covariates=scores.covariates)
    assert again.digest == scores.digest


@pytest.mark.parametrize("layout", ["wide-algorithms", "wide-measures"])
def test_wide_tables_keep_covariates(engine, columns, read, layout):
    frame = pd.DataFrame(columns)
    if layout == "wide-algorithms":
        keys = ["dataset", "replication", *NAMES]
        wide = frame.pivot_table(index=keys, columns="algorithm", values="score").reset_index()
    else:
        wide = frame.rename(columns={"score": "acc"})
    scores = read_scores(
        engine(wide.to_dict(orient="list")),
        measures={"acc": "higher"},
        layout=layout,
        covariates=NAMES,
    )
    assert scores.algorithms == ("a0", "a1", "a2")
    same(scores.observations(), read().observations())


def _csv(frame, folder):
    frame.to_csv(folder / "scores.csv", index=False)
    return folder / "scores.csv"


def _gz(frame, folder):
    with gzip.open(folder / "scores.tsv.gz", "wt", encoding="utf-8") as file:
        frame.to_csv(file, index=False, sep="\t")
    return folder / "scores.tsv.gz"


def _csvs(frame, folder):
    frame.iloc[:7].to_csv(folder / "1.csv", index=False)
    frame.iloc[7:].to_csv(folder / "2.csv", index=False)
    return f"{folder}/*.csv"


def _parquet(frame, folder):
    frame.iloc[:7].to_parquet(folder / "1.parquet")
    frame.iloc[7:].astype({"n_rows": float}).to_parquet(folder / "2.parquet")
    return folder


def _jsonl(frame, folder):
    frame.to_json(folder / "s.jsonl", orient="records", lines=True, double_precision=15)
    return folder / "s.jsonl"


@pytest.mark.parametrize("write", [_csv, _gz, _csvs, _parquet, _jsonl])
def test_files_keep_covariates(write, columns, tmp_path):
    frame = pd.DataFrame(columns).round({"score": 6})
    scores = read_scores(write(frame, tmp_path), measures=ACC, covariates=NAMES)
    assert scores.digest == read_scores(frame, measures=ACC, covariates=NAMES).digest


@pytest.mark.parametrize("write", [_csv, None])
def test_a_covariate_may_be_a_label_too(write, columns, read, tmp_path):
    frame = pd.DataFrame(columns).rename(columns={"replication": "fold"})
    roles = {"fold": "replication", "size": "replication"}
    source = frame if write is None else write(frame, tmp_path)
    scores = read_scores(source, measures=ACC, columns=roles, covariates=NAMES)
    assert scores.observations().replications[0] == "0/-0.25"
    np.testing.assert_array_equal(scores.observations().covariate, read().observations().covariate)


def test_a_covariate_is_not_recognised_as_something_else(columns):
    frame = pd.DataFrame(columns).rename(columns={"size": "seed", "n_rows": "performance"})
    scores = read_scores(frame, measures=ACC, covariates=("seed", "performance"))
    assert scores.covariates == ("seed", "performance")
    assert scores.observations().replications == ("0", "1", "2", "3", "4")
    # One that would be ambiguous without, and a measure of a wide table.
    wide = frame.drop(columns="performance")
    scores = read_scores(
        wide.drop(columns="algorithm").assign(a=1, b=2),
        measures=ACC,
        layout="wide-algorithms",
        covariates=["seed", "score"],
        repeats="keep",
    )
    assert scores.algorithms == ("a", "b")


def test_truth_is_zero_and_one(engine, columns):
    columns["text"] = [d == "d1" for d in columns["dataset"]]
    scores = read_scores(engine(columns), measures=ACC, covariates="text")
    expected = [0.0, 1.0, 0.0, 0.0]
    np.testing.assert_array_equal(scores.dataset_covariates().constant["text"], expected)


def test_what_a_file_beside_says(columns, tmp_path):
    path = _csv(pd.DataFrame(columns), tmp_path)
    toml = 'covariates = ["n_rows"]\n[measures.acc]\nbetter = "higher"'
    (tmp_path / "measures.toml").write_text(toml, encoding="utf-8")
    assert read_scores(path).covariates == ("n_rows",)
    assert read_scores(path, covariates="size").covariates == ("size",)
    assert read_scores(path, covariates=()).covariates == ()


def test_unknown_covariates(read):
    with pytest.raises(ScoreTableError) as caught:
        read(("nrows", "x", "size"))
    assert str(caught.value) == (
        "2 faults in 'DataFrame'.\n"
        " 1. missing columns: there is no column 'nrows' to be a covariate.\n"
        "    Hint: did you mean 'n_rows'? The table has: dataset, replication, algorithm, score,"
        " n_rows, size.\n"
        " 2. missing columns: there is no column 'x' to be a covariate.\n"
        "    Hint: The table has: dataset, replication, algorithm, score, n_rows, size."
    )


def test_faults_of_values_agree(engine, columns):
    columns["size"] = ["small", "7", "1,5", None, *["3"] * 56]
    columns["n_rows"] = [None, math.nan, math.inf, -1e200, *columns["n_rows"][4:]]
    with pytest.raises(ScoreTableError) as caught:
        read_scores(engine(columns), measures=ACC, covariates=NAMES)
    assert str(caught.value).split("\n", 1)[1] == (
        " 1. covariate missing: 2 scores have no value of the covariate 'n_rows'.\n"
        "        dataset  replication  algorithm\n"
        "        d0       0            a0\n"
        "        d0       0            a1\n"
        "    Hint: each score needs one: complete the column, remove the rows, or leave it out of"
        " covariates=.\n"
        " 2. covariate not finite: 2 scores have a covariate 'n_rows' that is infinite or beyond"
        " 1e+150.\n"
        "        dataset  replication  algorithm  n_rows\n"
        "        d0       0            a2         inf\n"
        "        d0       1            a0         -1e+200\n"
        "    Hint: correct them, change the unit, or leave it out of covariates=.\n"
        " 3. covariate not a number: 2 scores have a covariate 'size' that is not a number.\n"
        "        dataset  replication  algorithm  size\n"
        "        d0       0            a0         small\n"
        "        d0       0            a2         1,5\n"
        "    Hint: correct them, or leave it out of covariates=.\n"
        " 4. covariate missing: 1 score has no value of the covariate 'size'.\n"
        "        dataset  replication  algorithm\n"
        "        d0       1            a0\n"
        "    Hint: each score needs one: complete the column, remove the rows, or leave it out of"
        " covariates=."
    )


def test_one_fault_is_one_sentence(read, columns):
    columns["size"][4] = None
    with pytest.raises(ScoreTableError) as caught:
        read()
    assert str(caught.value) == (
        "1 score has no value of the covariate 'size'.\n"
        "    dataset  replication  algorithm\n"
        "    d0       1            a1\n"
        "Hint: each score needs one: complete the column, remove the rows, or leave it out of"
        " covariates=."
    )


def test_numbers_as_text(engine, columns):
    columns["size"] = [str(value) for value in columns["size"]]
    with pytest.raises(ScoreTableError) as caught:
        read_scores(engine(columns), measures=ACC, covariates=NAMES)
    (finding,) = faults(caught)
    assert (finding.rule, finding.count) == ("covariate as text", 60)
    assert finding.hint == "convert the column size to float first."
    assert finding.where[:2] == (
        ("dataset", "replication", "algorithm", "size"),
        ("d0", "0", "a0", "-0.25"),
    )


@pytest.mark.parametrize("write", [_csv, _csvs])
def test_faults_in_files(write, columns, tmp_path):
    columns["size"] = ["small", "7", "NA", *["3"] * 57]
    source = write(pd.DataFrame(columns), tmp_path)
    with pytest.raises(ScoreTableError) as caught:
        read_scores(source, measures=ACC, covariates=NAMES)
    rules = [(f.rule, f.count) for f in faults(caught)]
    assert rules == [("covariate not a number", 1), ("covariate missing", 1)]


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (datetime(2020, 1, 1, tzinfo=UTC), "date values"),
        (timedelta(seconds=3), "duration values"),
        (1 + 2j, "complex values"),
        ([1, 2], "covariate not a number"),
    ],
)
def test_other_kinds(read, value, rule):
    with pytest.raises(ScoreTableError) as caught:
        read(size=[value] * 60)
    (finding,) = faults(caught)
    assert finding.rule == rule
    assert "size" in finding.what
    assert "covariate" in finding.what


@pytest.mark.parametrize("lazy", [False, True])
def test_categories_are_text(columns, lazy):
    categories = pl.Series([f"c{i % 2}" for i in range(60)], dtype=pl.Categorical)
    frame = pl.DataFrame(columns | {"size": categories})
    with pytest.raises(ScoreTableError, match="60 scores have a covariate 'size' that is not a"):
        read_scores(frame.lazy() if lazy else frame, measures=ACC, covariates="size")


def test_rows_without_a_score_need_no_covariate(engine, columns):
    columns["n_rows"] = [float(n) for n in columns["n_rows"]]
    columns["score"][3], columns["size"][3], columns["n_rows"][3] = None, None, math.inf
    scores = read_scores(engine(columns), measures=ACC, covariates=NAMES, failed="missing")
    assert scores.n_rows == 59
    assert np.isfinite(scores.observations().covariate).all()


def test_a_covariate_of_scores(columns):
    frame = pd.DataFrame(columns).rename(columns={"score": "acc"})
    for options in ({"layout": "wide-measures"}, {"columns": {"acc": "value"}}):
        with pytest.raises(ScoreTableError) as caught:
            read_scores(frame, measures=ACC, covariates=("acc", "size"), **options)
        (finding,) = faults(caught)
        assert finding.rule == "covariate of scores"
        assert finding.what == "the column 'acc' is said to hold scores, and to be a covariate."


def test_a_covariate_called_like_a_role(read):
    with pytest.raises(ScoreTableError, match="a covariate cannot be called 'replication'"):
        read(("replication", "size"))


def test_covariates_do_not_tell_scores_apart(columns):
    frame = pd.DataFrame(columns).drop(columns="replication").assign(fold=1)
    with pytest.raises(ScoreTableError) as caught:
        read_scores(frame, measures=ACC, covariates="size")
    (finding,) = faults(caught)
    assert (finding.rule, finding.count) == ("duplicate rows", 12)
    assert finding.hint.splitlines()[-1] == (
        "if a covariate tells them apart, it is a label too:"
        " columns={'fold': 'replication', 'size': 'replication'}."
    )
    roles = {"fold": "replication", "size": "replication"}
    assert read_scores(frame, measures=ACC, covariates="size", columns=roles).n_rows == 60
