"""Failed runs and missing scores in the automatic answer: headline, caution, verdicts withheld."""

import json

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison.checks import gaps
from benchinfer.core.verdict import Verdict
from tests.conftest import Page
from tests.scores.tables import additive, table

KINDS = {
    "normal": lambda rng, d, k: rng.normal(0, 0.03, (d, k)),
    "heavy": lambda rng, d, k: 0.03 * rng.standard_t(1.5, (d, k)),
    "coarse": lambda rng, d, k: rng.integers(0, 4, (d, k)) / 20,
}


def drawn(seed, kind, *, worst=True, rows=True):
    """Draw a table of which one algorithm lacks a few data sets, its worst ones or any."""
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(8, 22)), int(rng.integers(2, 6))
    values = additive(rng, d, k, sd=0.0) + KINDS[kind](rng, d, k) + np.linspace(0, 0.06, k)
    n, j = int(rng.integers(1, d // 3 + 1)), int(rng.integers(k))
    at = np.argsort(values[:, j])[:n] if worst else rng.permutation(d)[:n]
    frame = table(values).rename(columns={"score": "acc"})
    lost = (frame["algorithm"] == f"a{j:02}") & frame["dataset"].isin([f"d{i:03}" for i in at])
    frame["acc"] = frame["acc"].where(~lost)
    return frame if rows else frame.dropna()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_verdicts_stand_if_they_are_the_same_at_worst(seed, kind):
    """The property: of an algorithm in doubt only what the worst score does not turn is decided."""
    frame = drawn(seed, kind, worst=bool(seed % 2), rows=bool(seed % 3))
    scores = bi.read_scores(frame, measures="acc:higher")
    answer = bi.compare(scores)
    result, choice = answer["acc"], answer.choices["acc"]
    doubtful = gaps.in_doubt(result.setting)
    compare = getattr(bi, f"compare_{choice.analysis}")
    worst = compare(choice.applied(scores.at_worst(), "acc"), **choice.options).pairs.codes
    plain = compare(choice.applied(scores, "acc"), **choice.options)
    involved = doubtful[result.pairs.index].any(axis=1)
    assert (result.worst_case is None) == (not doubtful.any())
    turned = involved & (plain.pairs.codes > Verdict.UNDECIDED) & (plain.pairs.codes != worst)
    np.testing.assert_array_equal(result._withheld, turned)
    expected = np.where(turned, Verdict.UNDECIDED, plain.pairs.codes)
    np.testing.assert_array_equal(result.pairs.codes, expected)
    np.testing.assert_array_equal(result.evidence.p_value[~turned], plain.evidence.p_value[~turned])


def test_headlines_name_failed_runs_and_missing_scores():
    frame = drawn(5, "normal")
    n = int(frame["acc"].isna().sum())
    (name,) = frame.loc[frame["acc"].isna(), "algorithm"].unique()
    runs = "run failed" if n == 1 else "runs failed"
    failed = bi.compare(bi.read_scores(frame, measures="acc:higher"))
    sentence = f"{n} {runs} ({n} of {name}) and {'is' if n == 1 else 'are'} left out."
    assert sentence in failed.headline()
    assert sentence in failed.sentence()
    missing = bi.compare(bi.read_scores(frame.dropna(), measures="acc:higher"))
    assert f"{n} of {len(frame)} scores {'is' if n == 1 else 'are'} missing ({n} of {name})." in (
        missing.headline()
    )
    counted = bi.compare(bi.read_scores(frame, measures="acc:higher", failed="worst"))
    assert "as the worst score" in counted.headline()
    whole = bi.compare(bi.read_scores(frame.fillna(0.5), measures="acc:higher"))
    assert "missing" not in whole.headline()
    assert "failed" not in whole.headline()


def test_algorithms_that_always_fail_are_counted():
    frame = drawn(5, "normal")
    frame.loc[frame["algorithm"] == "a00", "acc"] = np.nan
    scores = bi.read_scores(frame, measures="acc:higher")
    assert "a00" not in scores.algorithms
    n = frame["dataset"].nunique()
    assert f"{n} of a00" in bi.compare(scores).headline()


@pytest.mark.slow
def test_reports_and_documents_have_the_same_facts(tmp_path):
    frame = drawn(9, "normal")
    scores = bi.read_scores(frame, measures="acc:higher")
    answer = bi.compare(scores)
    document = json.loads(answer.report(tmp_path / "x.json").read_text("utf-8"))
    (name,) = frame.loc[frame["acc"].isna(), "algorithm"].unique()
    n = int(frame["acc"].isna().sum())
    one = document["results"][0]
    assert one["gaps"] == {"failed": {name: n}, "counted": "", "missing": {}}
    page = Page(bi.report(scores, tmp_path / "x.html", bayes=False).read_text("utf-8"))
    assert f"({n} of {name}) and {'is' if n == 1 else 'are'} left out." in page.text
    assert "failed and missing runs" in page.text
    missing = bi.compare(bi.read_scores(frame.dropna(), measures="acc:higher"))
    document = json.loads(missing.report(tmp_path / "y.json").read_text("utf-8"))
    gaps_there = document["results"][0]["gaps"]
    assert gaps_there == {"failed": {}, "counted": "", "missing": {name: n}}


def turning():
    """Return a table of which some verdicts turn with the worst score."""
    values = additive(np.random.default_rng(2), 14, 3) + np.array([0.0, 0.03, 0.06])
    values[np.argsort(values[:, 2])[:5], 2] = np.nan
    return bi.read_scores(table(values).rename(columns={"score": "acc"}), measures="acc:higher")


def test_the_basis_says_what_turns():
    answer = bi.compare(turning())
    assert answer["acc"]._withheld.any()
    assert "a02 lacks 35.7 % of its data sets, and " in answer.basis("acc")
    names = {check.check for check in answer["acc"]._checks if not check.ok}
    assert {gaps._LOST, gaps._TURNED} <= names


def test_statistics_keep_their_verdicts_and_say_so():
    frame = drawn(9, "normal").dropna()
    scores = bi.read_scores(frame, measures="acc:higher")
    answer = bi.compare(scores.statistics())
    assert "were not tried with the worst score" in answer.basis("acc")
    assert not answer["acc"]._withheld.any()


def test_pairs_that_are_withheld_are_no_disagreement():
    answer = bi.compare(turning())
    assert int((~answer["acc"]._withheld).sum()) == 1
    assert answer.agreement("acc").endswith("the same verdict")


@pytest.mark.parametrize("control", ["a00", "best"])
def test_controls_are_cautioned_alike(control):
    result = bi.compare(turning(), control=control)["acc"]
    assert len(result.pairs.codes) == 2
    assert result.worst_case.untried == ""
    assert (result.worst_case.codes != Verdict.MISSING).all()


def test_failures_of_replications_are_cautioned():
    rng = np.random.default_rng(1)
    values = additive(rng, 10, 3)[..., None] + rng.normal(0, 0.02, (10, 3, 4))
    frame = table(values).rename(columns={"score": "acc"})
    lost = (frame["algorithm"] == "a01") & (frame["replication"] < 2)
    frame.loc[lost & (frame.index % 3 > 0), "acc"] = np.nan
    result = bi.compare(bi.read_scores(frame, measures="acc:higher"))["acc"]
    assert result.worst_case is not None
    assert not result.worst_case.untried
    without = bi.compare(bi.read_scores(frame.dropna(), measures="acc:higher"))["acc"]
    assert without.worst_case is None  # fewer replications, and no cell without any


def test_tables_of_pandas_categories_are_filled():
    frame = drawn(9, "normal").dropna()
    plain = bi.compare(bi.read_scores(frame, measures="acc:higher"))["acc"]
    typed = frame.astype({"dataset": "category", "algorithm": "category"})
    again = bi.compare(bi.read_scores(typed, measures="acc:higher"))["acc"]
    np.testing.assert_array_equal(again._withheld, plain._withheld)
