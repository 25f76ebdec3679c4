import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.robustness import sections
from benchinfer.analyses.robustness.agreement import VerdictAgreement
from benchinfer.core.verdict import Verdict


@pytest.fixture(scope="module")
def found(mixed, permuted, points):
    return VerdictAgreement.of([mixed, permuted, points])


def test_each_verdict_is_that_of_its_analysis(found):
    for comparison, column in zip(found.comparisons, found.codes.T, strict=True):
        relation = comparison.relation()
        names = relation.algorithms
        for (a, b), code in zip(found.pairs, column.tolist(), strict=True):
            assert relation.states[names.index(a), names.index(b)] == code


def test_rows_lead_to_the_contrast_of_the_pair(found):
    for comparison, column in zip(found.comparisons, found.rows.T, strict=True):
        frame = comparison.contrasts(all=True)
        for pair, row in zip(found.pairs, column.tolist(), strict=True):
            assert {frame["first"][row], frame["second"][row]} == {*pair}


def test_pairs_are_in_the_order_of_the_ranking(found, mixed):
    place = {name: i for i, name in enumerate(mixed.ranking())}
    assert all(place[a] < place[b] for a, b in found.pairs)
    assert len(found.pairs) == len(mixed.pairs)


def test_points_count_for_no_difference_unless_they_contradict(mixed, permuted, points):
    codes = np.array([Verdict.UNDECIDED, Verdict.UNDECIDED, Verdict.FIRST])
    table = VerdictAgreement.of([mixed, permuted, points])
    assert table.tested.tolist() == [True, True, False]
    same = VerdictAgreement(
        table.comparisons, table.ranking, table.pairs[:1], codes[None], table.rows[:1], ("",)
    )
    assert not same.differing.any()
    codes[:2] = Verdict.SECOND
    assert same.differing.all()
    assert not same.opposed.any()


def test_reasons_are_given_where_analyses_differ_and_nowhere_else():
    rng = np.random.default_rng(5)
    # Small differences on all data sets, and one data set far out: ranks see what means do not.
    rows = [(f"d{i}", a, (0.1 if a == "a" else 0.0) + 0.02 * rng.normal()
             + (2.0 if (a, i) == ("b", 0) else 0.0)) for i in range(14) for a in "ab"]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "value"])
    scores = bi.read_scores(frame, measures="value:higher")
    mixed, ranks = bi.compare_mixed(scores), bi.compare_permutation(scores, on="ranks", seed=1)
    found = VerdictAgreement.of([mixed, ranks])
    assert found.differing.tolist() == [True]
    assert found.reasons[0].startswith("permutation tests: ")
    assert found.sentence() == "mixed model and permutation tests give the pair different verdicts."
    assert {*found.table()["reason"]} == {*found.reasons}
    alone = VerdictAgreement.of([mixed])
    assert alone.sentence() == ""
    assert alone.reasons == ("",)


def test_analyses_of_another_claim_are_not_counted(mixed, table):
    boot = bi.compare_bootstrap(table, seed=1, resamples=2_000)
    assert boot.target != mixed.target
    found = VerdictAgreement.of([mixed, boot])
    assert found.weighing.tolist() == [True, False]
    assert not found.differing.any()


def test_pairs_that_one_analysis_does_not_test_are_no_agreement(mixed, table):
    other = bi.compare_mixed(table, contrasts="dunnett", control=mixed.ranking()[-1])
    found = VerdictAgreement.of([mixed, other])
    k = len(mixed.algorithms)
    assert int(found.common.sum()) == k - 1
    assert f"{k - 1} pairs that both test" in found.sentence()
    last = VerdictAgreement.of([bi.compare_mixed(table, control=mixed.ranking()[0]), other])
    assert int(last.common.sum()) == 1
    assert "the pair that both test" in last.sentence()


def test_pairs_that_an_analysis_left_out_are_not_missing_data(mixed, table):
    one = bi.compare_bootstrap(table, contrasts="dunnett", control="best", seed=1)
    found = VerdictAgreement.of([mixed, one])
    shown = sections.agreement_section(found, {0: "a", 1: "b"}).tables[0]
    said = [row[3] for row in shown.rows]
    left = found.rows[:, 1] < 0
    assert left.any()
    assert not left.all()
    assert [cell.text == "not compared" for cell in said] == left.tolist()
    assert not any(cell.link for cell, gone in zip(said, left, strict=True) if gone)
