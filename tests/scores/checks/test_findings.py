import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.scores.checks.findings import RULES, swapped_roles
from benchinfer.scores.read import read_scores


def found(frame, measures="acc:higher", **options):
    scores = read_scores(frame, measures=measures, **options)
    return {f.rule: f for f in scores.finding_records if f.rule != "recognised columns"}


def test_a_good_table_has_notes_only(balanced):
    findings = found(balanced)
    assert {f.severity for f in findings.values()} == {"note"}
    assert set(findings) == {
        "no measure column",
        "pairing",
        "few data sets",
        "analysis that fits",
    }


def test_every_rule_is_registered():
    assert [getattr(rule, "func", rule).__name__ for rule in RULES] == [
        "_incomplete",
        "_incomplete",
        "constant_algorithms",
        "identical_algorithms",
        "one_algorithm",
        "one_dataset",
        "few_datasets",
        "similar_names",
        "outside_the_scale",
        "too_small",
        "zero_one_scores",
        "ranks",
        "counts_out_of",
        "whole_numbers",
        "piled_up",
        "blocks",
        "missing_where_hard",
        "stand_ins",
        "per_cent_and_fractions",
        "unequal_spread",
        "units_of_domains",
        "proposed_domains",
        "advised",
    ]


def test_missing_cells(balanced):
    gone = (balanced["dataset"] == "d0") & (balanced["algorithm"] == "a1")
    finding = found(balanced[~gone])["missing cells"]
    assert (finding.severity, finding.count) == ("warning", 1)
    assert finding.what == "1 of 9 cells has no score."
    assert finding.where == (("dataset", "algorithm", "found", "expected"), ("d0", "a1", "0", "4"))


def test_thin_cells(balanced):
    finding = found(balanced.drop([0, 4, 8]))["thin cells"]
    assert finding.count == 3
    assert finding.where[1:] == (
        ("d0", "a0", "3", "4"),
        ("d0", "a1", "3", "4"),
        ("d0", "a2", "3", "4"),
    )


def test_at_most_five_places_are_shown(balanced):
    finding = found(balanced.drop(balanced.index[::4]))["thin cells"]
    assert finding.count == 9
    assert len(finding.where) == 6


def test_unpaired_tables_expect_as_many_as_the_fullest_cell(balanced):
    frame = balanced.assign(seed=range(36)).drop(columns="replication").drop(0)
    findings = found(frame)
    assert findings["thin cells"].where[1] == ("d0", "a0", "3", "4")
    assert "not paired" in findings["pairing"].what


def test_constant_and_identical_algorithms(balanced):
    frame = balanced.copy()
    frame.loc[frame["algorithm"] == "a0", "score"] = 0.5
    a1 = frame.loc[frame["algorithm"] == "a1", "score"].to_numpy()
    frame.loc[frame["algorithm"] == "a2", "score"] = a1
    findings = found(frame)
    assert findings["constant algorithms"].where[1:] == (("a0", "acc", "0.5"),)
    assert findings["identical algorithms"].where[1:] == (("a2", "a1", "acc"),)


def test_nearly_identical_algorithms_are_not_identical(balanced):
    frame = balanced.copy()
    scores = frame.loc[frame["algorithm"] == "a1", "score"].to_numpy(copy=True)
    frame.loc[frame["algorithm"] == "a2", "score"] = scores
    assert "identical algorithms" in found(frame)
    middle = scores[:4].argsort()[1]  # the extremes of the data set stay
    scores[middle] += 1e-9
    frame.loc[frame["algorithm"] == "a2", "score"] = scores
    assert "identical algorithms" not in found(frame)


def test_one_of_a_kind(balanced):
    one = balanced[(balanced["dataset"] == "d0") & (balanced["algorithm"] == "a0")]
    findings = found(one)
    assert findings["one data set"].severity == "note"
    assert findings["one algorithm"].severity == "warning"
    assert findings["pairing"].what == "one algorithm: there is nothing to pair."


def test_names_that_differ_in_case_or_space(balanced):
    frame = balanced.replace({"dataset": {"d1": "D 0"}, "algorithm": {"a1": "A0", "a2": " a0"}})
    finding = found(frame)["similar names"]
    assert finding.where[1:] == (
        ("dataset", "'D 0'", "'d0'"),
        ("algorithm", "' a0'", "'A0'"),
        ("algorithm", "' a0'", "'a0'"),
    )


@pytest.mark.parametrize(
    ("datasets", "replications", "swapped"),
    [
        (["iris", "wine"], ["1", "2"], None),
        (["iris"], ["fold1", "fold2"], None),
        (["fold1", "fold2"], ["iris", "wine"], "data sets"),
        (["fold_1", "fold_2"], ["1"], "data sets"),
        (["1", "2"], ["iris", "wine"], "replications"),
        (["all"], ["iris", "wine"], "replications"),
        (["openml_31", "openml_37"], ["1", "2"], None),
        (["d0", "d1"], ["r 1/3", "r 2/3"], None),
        (["iris"], ["1"], None),
    ],
)
def test_swapped_roles(datasets, replications, swapped):
    finding = swapped_roles(datasets, replications)
    assert (finding is None) == (swapped is None)
    if swapped:
        assert finding.what.startswith(f"the {swapped} look like")


def test_items_may_be_called_anything(balanced):
    names = {0: "one", 1: "two", 2: "three", 3: "four"}
    frame = balanced[balanced["dataset"] == "d0"].replace({"replication": names})
    assert "swapped roles" in found(frame)
    assert "swapped roles" not in found(frame, resampling="items")


@pytest.mark.parametrize(
    ("options", "paired", "text"),
    [
        ({}, True, "algorithms share the labels"),
        ({"resampling": "seeds"}, False, "not paired, resampling 'seeds' says"),
        ({"resampling": "cv"}, True, "paired, resampling 'cv' says"),
        ({"resampling": "independent"}, True, "algorithms share the labels"),
        ({"resampling": "cv", "paired": False}, False, "not paired, paired=False says"),
    ],
)
def test_pairing(balanced, options, paired, text):
    scores = read_scores(balanced, measures="acc:higher", **options)
    assert scores.paired == paired
    assert text in {f.rule: f.what for f in scores.finding_records}["pairing"]


@pytest.mark.parametrize("name", ["trial", "attempt", "trial_id", "rollout"])
@pytest.mark.parametrize(
    ("labels", "options", "paired", "text"),
    [
        ([1, 2, 3], {}, False, "whose labels only count: each algorithm has its own"),
        ([0, 1, 2], {}, False, "whose labels only count: each algorithm has its own"),
        ([0, 1, 2], {"paired": True}, True, "paired=True says"),
        ([11, 57, 203], {}, True, "algorithms share the labels"),
        (["warm", "cold", "hot"], {}, True, "algorithms share the labels"),
    ],
)
def test_attempts_that_only_count_are_each_algorithms_own(name, labels, options, paired, text):
    cells = [(d, a, r) for d in "de" for a in "xy" for r in labels]
    frame = pd.DataFrame(cells, columns=["dataset", "algorithm", name])
    frame["acc"] = np.linspace(0.1, 0.9, len(frame))
    scores = read_scores(frame, measures="acc:higher", columns={name: "replication"}, **options)
    assert scores.paired == paired
    assert text in {f.rule: f.what for f in scores.finding_records}["pairing"]


def test_declared_pairing_that_the_labels_contradict(balanced):
    frame = balanced.assign(replication=range(36))
    finding = found(frame, resampling="bootstrap")["pairing"]
    assert finding.severity == "warning"


def test_findings_of_one_measure():
    frame = pd.DataFrame(
        {
            "dataset": ["d"] * 3 + ["e"] * 4,
            "algorithm": ["a", "b", "a", "a", "b", "a", "b"],
            "metric": ["acc", "acc", "f1", "acc", "acc", "f1", "f1"],
            "score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
        }
    )
    scores = read_scores(frame, measures={"acc": "higher", "f1": "higher"})
    assert "missing cells" in set(scores.findings()["rule"])
    assert "missing cells" in set(scores.findings("f1")["rule"])
    assert "missing cells" not in set(scores.findings("acc")["rule"])


@pytest.mark.parametrize(
    ("scale", "score", "cells"),
    [("log", 0.0, 1), ("log", -1.0, 1), ("log", 2.0, 0), ("logit", 0.0, 1), ("logit", 1.0, 1)],
)
def test_scores_outside_the_scale_read_with_a_warning(balanced, scale, score, cells):
    balanced.loc[0, "score"] = score
    scores = read_scores(balanced, measures=Measure("acc", "higher", scale=scale))
    findings = {f.rule: f for f in scores.finding_records}
    assert ("outside the scale" in findings) == bool(cells)
    if cells:
        finding = findings["outside the scale"]
        assert (finding.severity, finding.count) == ("warning", 1)
        assert f"outside the {scale} scale of 'acc'" in finding.what
        assert finding.where[1][:3] == ("d0", "a0", "acc")
        assert f"{score:.6g}" in finding.where[1][3:]
        assert 'scale="identity"' in finding.hint
        assert "offset" in finding.hint
        for reduce in (scores.cells, scores.blocks):
            with pytest.raises(DesignError, match="cannot be put on"):
                reduce()
        # What is left is judged anew.
        left = scores.subset(datasets=["d1", "d2"])
        assert "outside the scale" not in {f.rule for f in left.finding_records}


def test_scores_outside_the_scale_are_told_by_measure():
    frame = pd.DataFrame(
        {"dataset": ["d", "e"], "algorithm": ["a", "a"], "s": [0.0, 1.0], "t": [0.0, 0.0]}
    )
    measures = [Measure("s", "lower", scale="log"), Measure("t", "lower")]
    scores = read_scores(frame, layout="wide-measures", measures=measures)
    assert "outside the scale" in set(scores.findings("s")["rule"])
    assert "outside the scale" not in set(scores.findings("t")["rule"])


def test_one_algorithm_alone_within_the_scale_is_read():
    rows = [
        (f"d{m}", name, 0.1 * m + 0.2 if name == "a" else 1.5) for m in range(6) for name in "ab"
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "s"])
    scores = bi.read_scores(frame, measures=[bi.Measure("s", "higher", scale="logit")])
    assert "outside the scale" in set(scores.findings()["rule"])


@pytest.mark.parametrize("column", ["seed", "Random State", "fold", "params.seed", "x"])
@pytest.mark.parametrize(
    ("options", "paired"),
    [
        ({}, True),
        ({"resampling": "independent"}, True),
        ({"resampling": "seeds"}, False),
        ({"resampling": bi.Resampling("seeds", paired=True)}, True),
        ({"resampling": "cv"}, True),
        ({"paired": False}, False),
    ],
)
def test_what_the_column_is_called_does_not_pair(balanced, column, options, paired):
    frame = balanced.rename(columns={"replication": column})
    columns = {column: "replication"}
    scores = read_scores(frame, measures="acc:higher", columns=columns, **options)
    assert scores.paired == paired
    (note,) = [f for f in scores.finding_records if f.rule == "pairing"]
    assert note.severity == "note"
    if not options and column != "fold":  # which says cross-validation
        assert note.what == "algorithms share the labels of replications: taken as paired."
        assert note.hint.startswith("are they the same folds, resamples, items or runs for all")
        assert 'resampling="seeds"' in note.hint
    if column in {"seed", "fold"}:  # recognised as well as mapped
        assert read_scores(frame, measures="acc:higher", **options).paired == paired


@pytest.mark.parametrize("column", ["attempt", "Attempts", "epoch_id", "try", "rollout"])
def test_attempts_are_each_algorithms_own(balanced, column):
    frame = balanced.rename(columns={"replication": column})
    columns = {column: "replication"}
    scores = read_scores(frame, measures="acc:higher", columns=columns)
    assert not scores.paired
    (note,) = [f for f in scores.finding_records if f.rule == "pairing"]
    assert note.what.startswith(f"the column of replications is {column}, whose labels only count:")
    assert "paired=True" in note.hint
    assert read_scores(frame, measures="acc:higher", columns=columns, paired=True).paired
    joined = frame.assign(fold=1)
    both = {column: "replication", "fold": "replication"}
    assert read_scores(joined, measures="acc:higher", columns=both).paired


def test_a_fold_joined_with_a_seed_is_shared(balanced):
    frame = balanced.rename(columns={"replication": "fold"}).assign(seed=1)
    columns = {"fold": "replication", "seed": "replication"}
    assert read_scores(frame, measures="acc:higher", columns=columns).paired


@pytest.mark.parametrize(
    ("names", "stems", "words"),
    [
        ([f"NAB_{i}" for i in range(28)] + ["iris"], 1, "about these 2 domains"),
        ([f"{s}-{i}" for s in "abcdef" for i in range(3)], 6, "in place of 18 data sets"),
        ([f"d{i}" for i in range(12)], 0, ""),
        (["a1", "a2", "b1", "b2", "c"], 0, ""),
    ],
)
def test_names_that_share_a_stem_are_proposed_as_domains(names, stems, words):
    rows = [(name, algorithm, i * 0.1) for i, name in enumerate(names) for algorithm in "xy"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "acc"])
    frame["acc"] += np.random.default_rng(1).normal(size=len(frame))
    scores = bi.read_scores(frame, measures="acc:higher")
    found = scores.findings().set_index("rule")
    assert ("names that share a stem" in found.index) == bool(stems)
    if stems:
        row = found.loc["names that share a stem"]
        assert row["count"] == stems
        assert words in row["hint"]
        # The column of the hint declares them.
        stem = frame["dataset"].str.replace(r"[\s_./-]*\d+$", "", regex=True)
        declared = bi.read_scores(frame.assign(domain=stem), measures="acc:higher")
        rules = set(declared.findings()["rule"])
        assert "domains" in rules
        assert "names that share a stem" not in rules
