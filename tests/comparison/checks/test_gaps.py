"""Caution about failed runs and missing scores, and verdicts that these withhold."""

from dataclasses import replace

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison.checks import gaps
from benchinfer.comparison.evidence import PairVerdicts, Setting
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from tests.scores.tables import additive, table


def setting(values, **options):
    frame = table(values).rename(columns={"score": "acc"})
    return Setting.of(bi.read_scores(frame, measures="acc:higher", **options))[0]


def lacking(d, n, k=3, r=1, seed=1):
    """Return (D, K, R) scores of which the last algorithm lacks n data sets."""
    values = additive(np.random.default_rng(seed), d, k)[..., None] + np.zeros(r)
    values[:n, -1] = np.nan
    return values


@pytest.mark.parametrize(
    ("d", "n", "doubtful"),
    [(16, 1, False), (15, 1, True), (20, 1, False), (122, 2, False), (122, 3, True), (9, 0, False)],
)
def test_the_limit_is_a_share_that_falls_with_the_root_of_the_data_sets(d, n, doubtful):
    one = setting(lacking(d, n))
    np.testing.assert_allclose(gaps.lost(one), [0, 0, n / d * d**0.5])
    assert gaps.in_doubt(one).tolist() == [False, False, doubtful]


def test_failed_runs_are_shares_of_their_cell():
    frame = table(lacking(4, 1, r=4)).rename(columns={"score": "acc"})
    failed = (frame["algorithm"] == "a00") & (frame["replication"] == 0)
    frame.loc[failed, "acc"] = np.nan
    scores = bi.read_scores(frame, measures="acc:higher")
    one, _ = Setting.of(scores)
    np.testing.assert_allclose(gaps.lost(one), [0.25 * 2, 0, 0.25 * 2])
    counted, _ = Setting.of(bi.read_scores(frame, measures="acc:higher", failed="worst"))
    np.testing.assert_allclose(gaps.lost(counted), [0, 0, 0.5])


@pytest.mark.parametrize(
    ("failed", "said"), [(2, "33.3 % of its data sets"), (1, "25.0 % of its scores")]
)
def test_data_sets_are_lacking_only_whole(failed, said):
    rng = np.random.default_rng(2)
    frame = table(additive(rng, 6, 3)[..., None] + 0.1 * rng.normal(size=(6, 3, 2)))
    frame = frame.rename(columns={"score": "acc"})
    of = frame["algorithm"] == "a02"
    frame.loc[of & (frame["dataset"] == "d000"), "acc"] = np.nan
    frame.loc[of & (frame["dataset"] == "d001") & (frame["replication"] < failed), "acc"] = np.nan
    result = bi.compare(bi.read_scores(frame, measures="acc:higher"))["acc"]
    assert f"a02 lacks {said}" in gaps.clause(result)


def test_of_one_data_set_replications_count():
    frame = table(lacking(1, 0, r=16)).rename(columns={"score": "acc"})
    frame.loc[(frame["algorithm"] == "a01") & (frame["replication"] < 4), "acc"] = np.nan
    one, _ = Setting.of(bi.read_scores(frame, measures="acc:higher"))
    np.testing.assert_allclose(gaps.lost(one), [0, 4 / 16 * 4, 0])


def test_the_bias_is_a_third_of_the_error_or_more_from_the_limit_on():
    """Scores missing because they are the worst: phi(z) / (1 - q) sqrt(D (1 - q) / 2) errors."""
    from scipy.stats import norm

    for d in (9, 16, 25, 64, 144, 400):
        q = gaps.MOST_LOST / d**0.5
        bias = norm.pdf(norm.ppf(q)) / (1 - q) * (d * (1 - q) / 2) ** 0.5
        assert 1 / 3 < bias < 1 / 2


@pytest.fixture(scope="module")
def result():
    values = lacking(15, 4, k=4, seed=3) + np.array([0.2, 0.1, 0.0, 0.3])[:, None]
    frame = table(values).rename(columns={"score": "acc"})
    return bi.compare_mixed(bi.read_scores(frame, measures="acc:higher:0.001"))


def verdicts(result, **changed):
    sides = result.pairs.sides
    both = zip(sides, result.pairs.codes.tolist(), strict=True)
    codes = [changed.get("".join(pair), code) for pair, code in both]
    return PairVerdicts("x", tuple(sides), np.array(codes, dtype=np.int8))


def test_verdicts_that_turn_are_undecided(result):
    assert (result.pairs.codes >= Verdict.FIRST).all()
    worst = verdicts(
        result, a00a03=Verdict.FIRST, a01a03=Verdict.UNDECIDED, a00a01=Verdict.UNDECIDED
    )
    found = gaps.with_worst_case(result, worst)
    turned = np.isin([0, 1, 2, 3, 4, 5], [2, 4])
    assert [found.pairs.sides[p] for p in (2, 4)] == [("a00", "a03"), ("a01", "a03")]
    np.testing.assert_array_equal(found._withheld, turned)
    assert (found.pairs.codes[turned] == Verdict.UNDECIDED).all()
    np.testing.assert_array_equal(found.pairs.codes[~turned], result.pairs.codes[~turned])
    assert (found.evidence.p_value[turned] == 1).all()
    assert np.isinf([found.evidence.low[turned], found.evidence.high[turned]]).all()
    for name in ("estimate", "p_value", "low", "high"):
        before, after = getattr(result.evidence, name), getattr(found.evidence, name)
        np.testing.assert_array_equal(after[~turned], before[~turned])
    checks = {check.check: check for check in found._checks}
    assert "a03 lacks 26.7 % of its data sets" in checks[gaps._LOST].sentence
    assert checks[gaps._TURNED].value == 2
    assert "a03 and a00; a03 and a01" in checks[gaps._TURNED].sentence
    assert gaps.clause(found) == (
        "a03 lacks 26.7 % of its data sets, and 2 of 3 verdicts on it turn with the worst score"
        " for what is missing, and so are undecided"
    )
    assert "2 intervals have no bounds" in found._interval_note()
    # Notes of a figure are of the pairs that it shows.
    assert found._interval_note([0, 1, 3, 5]) == ""
    assert found._interval_note([0, 2]).startswith("1 interval ")


def test_order_and_ranks_follow_the_verdicts(result):
    order = [result.algorithms[k] for k in result.pairs.best_first]
    assert order == ["a03", "a00", "a01", "a02"]
    before = result.pairs
    assert before.may_be_best.tolist() == [False, False, False, True]
    after = gaps.with_worst_case(result, verdicts(result, a00a03=Verdict.FIRST)).pairs
    assert after.may_be_best.tolist() == [True, False, False, True]
    assert [*after.possible_ranks.values()] == [(1, 2), (3, 3), (4, 4), (1, 2)]
    # One that another algorithm still beats may not be the best.
    found = gaps.with_worst_case(result, verdicts(result, a01a03=Verdict.FIRST))
    assert found.pairs.may_be_best.tolist() == [False, False, False, True]
    assert [low for low, _ in found.pairs.possible_ranks.values()] == [2, 2, 4, 1]
    with pytest.raises(DesignError, match="1 verdict is withheld"):
        found.best()


def test_verdicts_that_stand_are_said_to(result):
    found = gaps.with_worst_case(result, verdicts(result))
    np.testing.assert_array_equal(found.pairs.codes, result.pairs.codes)
    assert not found._withheld.any()
    assert gaps.clause(found) == (
        "a03 lacks 26.7 % of its data sets, and no verdict on it turns with the worst score for"
        " what is missing"
    )
    assert {check.check: check.ok for check in found._checks}[gaps._TURNED]


def test_verdicts_that_were_not_tried_stand_and_say_so(result):
    found = gaps.with_worst_case(result, "no rows")
    np.testing.assert_array_equal(found.pairs.codes, result.pairs.codes)
    checks = {check.check: check for check in found._checks}
    assert (checks[gaps._UNTRIED].value, checks[gaps._UNTRIED].ok) == (3, False)
    assert gaps.clause(found).endswith("were not tried with the worst score: no rows")


def test_several_algorithms_in_doubt_are_named_by_what_they_lack(result):
    coverage = result.setting.coverage
    counts = coverage.counts.copy()
    counts[:8, 0] = 0
    setting = replace(result.setting, coverage=replace(coverage, counts=counts))
    found = gaps.with_worst_case(replace(result, setting=setting), verdicts(result))
    assert gaps.clause(found).startswith("a00 (53.3 %) and a03 (26.7 %) lack data sets, and no")


def test_results_are_saved_with_their_worst_case(result, tmp_path):
    found = gaps.with_worst_case(result, verdicts(result, a00a03=Verdict.FIRST))
    again = bi.load(found.save(tmp_path / "x.json"))
    np.testing.assert_array_equal(again._withheld, found._withheld)
    np.testing.assert_array_equal(again.worst_case.codes, found.worst_case.codes)
    assert again.headline() == found.headline()
