import numpy as np

from benchinfer.core import saving
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.read import read_scores


def test_coverage_counts_cells(balanced):
    gone = balanced.query("dataset == 'd1' and algorithm == 'a1'").index
    coverage = read_scores(balanced.drop([0, *gone]), measures="acc:higher").coverage()
    assert coverage.n == 31
    assert coverage.empty == [("d1", "a1")]
    assert coverage.thin == [("d0", "a0")]
    frame = coverage.to_frame()
    assert list(frame) == ["dataset", "algorithm", "found", "expected"]
    assert frame["found"].tolist() == [3, 4, 4, 4, 0, 4, 4, 4, 4]
    assert frame["expected"].tolist() == [4] * 9
    assert {f.rule for f in coverage.findings} >= {"missing cells", "thin cells"}
    assert repr(coverage) == (
        "Coverage(acc: 3 data sets x 3 algorithms, 31 scores; of 9 cells 1 empty, 1 thin)"
    )


def test_coverage_is_saved_with_results(balanced, tmp_path):
    coverage = read_scores(balanced, measures="acc:higher").coverage()
    saving.save(coverage, tmp_path / "coverage.json")
    loaded = saving.load(tmp_path / "coverage.json")
    assert isinstance(loaded, Coverage)
    assert loaded.findings == coverage.findings
    np.testing.assert_array_equal(loaded.counts, coverage.counts)


def test_findings_as_a_table():
    findings = [
        Finding("thin cells", "warning", 7, "7 cells.", (("dataset",), ("a",), ("b",)), "x\ny"),
        Finding("one data set", "note", 1, "one: d."),
    ]
    frame = listed(findings)
    assert list(frame) == ["rule", "severity", "count", "where", "hint"]
    assert frame["where"].tolist() == ["7 cells (dataset a; dataset b; and 5 more)", "one: d"]
    assert frame["hint"].tolist() == ["x y", ""]
    assert listed([]).empty
