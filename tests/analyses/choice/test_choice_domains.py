"""Domains as the units of the comparison that fits a table, or claims about given domains."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.choice.choice import choose
from benchinfer.reports.answer import answer as answer_section
from benchinfer.reports.gather import everything

SIX, THREE = (2, 7, 3, 4, 5, 2), (1, 5, 6)


def frame_of(sizes, k=4, seed=1, copies=1, gain=0.0):
    """Return single scores on data sets of families that are alike."""
    rng = np.random.default_rng(seed)
    rows = []
    for g, n in enumerate(sizes):
        family = rng.normal(size=k) + gain * np.arange(k)
        for i in range(n):
            scores = rng.normal() + family + 0.3 * rng.normal(size=k)
            rows += [
                (f"g{g}", f"g{g} d{i}{'x' * copy}", f"a{a}", scores[a])
                for copy in range(copies)
                for a in range(k)
            ]
    return pd.DataFrame(rows, columns=["domain", "dataset", "algorithm", "acc"])


def compared(frame, **arguments):
    return bi.compare(bi.read_scores(frame, measures="acc:higher"), **arguments)


def wide(frame):
    table = frame.pivot_table("acc", "dataset", "algorithm")
    return table, frame.drop_duplicates("dataset").set_index("dataset")["domain"][table.index]


def test_from_five_domains_on_their_means_are_compared_by_t():
    frame = frame_of(SIX)
    answer = compared(frame)
    result, (table, domain) = answer["acc"], wide(frame)
    means = table.groupby(domain.to_numpy()).mean()
    for (i, j), estimate, error, p in zip(
        result.pairs.index,
        result.evidence.estimate,
        result.evidence.std_error,
        result.evidence.p_raw,
        strict=True,
    ):
        test = stats.ttest_rel(means.iloc[:, i], means.iloc[:, j])
        assert estimate / error == pytest.approx(test.statistic)
        assert p == pytest.approx(test.pvalue)
    assert result.evidence.df == pytest.approx(5)
    assert "over domains like these 6 (23 data sets)" in str(answer)
    assert "6 domains of the 23 data sets" in result.method
    assert result.diagnostics().set_index("check").loc["domains that are the units", "value"] == 6


def test_of_fewer_domains_claims_are_about_these():
    frame = frame_of(THREE)
    answer = compared(frame)
    result, (table, domain) = answer["acc"], wide(frame)
    n = np.array(THREE)
    for (i, j), estimate, error in zip(
        result.pairs.index, result.evidence.estimate, result.evidence.std_error, strict=True
    ):
        groups = (table.iloc[:, i] - table.iloc[:, j]).groupby(domain.to_numpy())
        variance = groups.var().to_numpy().copy()
        variance[0] = np.average(variance[1:], weights=n[1:] - 1)  # one data set: pooled
        assert estimate == pytest.approx(groups.mean().mean())
        assert error**2 == pytest.approx((variance / n).sum() / 9)
    # Coefficients of both variances, under equal ones.
    c = 1 / n[1:] + (n[1:] - 1) / 9
    assert result.evidence.df == pytest.approx(c.sum() ** 2 / (c**2 / (n[1:] - 1)).sum())
    assert "over data sets like these 12 in these 3 domains" in str(answer)
    row = result.diagnostics().set_index("check").loc["domains that claims are about"]
    assert row["value"] == 3


@pytest.mark.parametrize("sizes", [SIX, (4, 4, 4)])
def test_names_of_domains_decide_nothing(sizes):
    frame = frame_of(sizes)
    renamed = frame.assign(domain="z" + frame["domain"].map(lambda name: str(9 - int(name[1:]))))
    one, other = compared(frame)["acc"], compared(renamed)["acc"]
    assert other.evidence.estimate == pytest.approx(one.evidence.estimate)
    assert other.evidence.std_error == pytest.approx(one.evidence.std_error)
    assert (one.pairs.codes == other.pairs.codes).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", [SIX, (3,) * 8])
def test_copies_of_all_data_sets_change_no_verdict(sizes, seed):
    one, twice = (compared(frame_of(sizes, seed=seed, copies=n, gain=1.0))["acc"] for n in (1, 3))
    assert one.provenance.analysis == twice.provenance.analysis
    assert (one.pairs.codes == twice.pairs.codes).all()
    assert (one.pairs.codes >= 3).any()
    assert twice.evidence.estimate == pytest.approx(one.evidence.estimate)
    assert twice.evidence.p_value == pytest.approx(one.evidence.p_value, abs=1e-9)


@pytest.mark.parametrize("sizes", [(12,), (1,) * 12])
def test_one_domain_and_a_domain_for_each_data_set_change_nothing(sizes):
    frame = frame_of(sizes)
    declared, plain = compared(frame)["acc"], compared(frame.drop(columns="domain"))["acc"]
    assert (declared.evidence.p_value == plain.evidence.p_value).all()
    assert "domains like these" not in declared.headline()


def test_claims_about_these_data_sets_take_them_as_they_are():
    frame = pd.concat([frame_of(SIX).assign(seed=i) for i in range(3)])
    frame["acc"] += np.random.default_rng(0).normal(0, 0.1, len(frame))
    scores = bi.read_scores(
        frame, measures="acc:higher", columns={"seed": "replication"}, resampling="seeds"
    )
    choice = choose(scores, "acc", "datasets")
    assert choice.units == "datasets"
    assert choose(scores, "acc").units == "domains"


def test_signs_are_flipped_from_seven_domains_on():
    for sizes, analysis in (((3,) * 6, "mixed"), ((3,) * 7, "permutation")):
        frame = frame_of(sizes, k=3)
        frame["acc"] = 1.0 * (frame["domain"] == "g3") * (frame["algorithm"] == "a1")
        frame["acc"] += 2.0 * (frame["algorithm"] == "a0")
        choice = choose(bi.read_scores(frame, measures="acc:higher"), "acc")
        assert (choice.analysis, choice.units) == (analysis, "domains")


def test_a_domain_with_gaps_takes_levels_of_data_sets_into_account():
    frame = frame_of((3,) * 6)
    frame["acc"] = frame["dataset"].str[-1].astype(int) * 100.0 + frame["algorithm"].str[1].map(int)
    gap = (frame["dataset"] == "g0 d0") & (frame["algorithm"] == "a1")
    scores = bi.read_scores(frame[~gap], measures="acc:higher")
    means = scores.domain_means().describe().set_index(["dataset", "algorithm"])["mean"]
    assert means["g0", "a1"] == pytest.approx(101)
    assert means["g0"].to_numpy() == pytest.approx(means["g1"].to_numpy())
    # What an algorithm lacks is a gap, though domains have means.
    most = frame["dataset"].str.endswith("d0") & (frame["algorithm"] == "a1")
    result = compared(frame_of((3,) * 6, gain=9)[~most])["acc"]
    assert "a1 lacks" in result.diagnostics()["sentence"].str.cat()


def test_what_is_missing_on_data_sets_of_domains_is_counted():
    frame = frame_of(SIX)
    gap = (frame["dataset"] == "g1 d0") & (frame["algorithm"] == "a1")
    answer = compared(frame[~gap])
    assert "1 of 92 scores is missing (1 of a1)" in str(answer)
    (section,) = answer_section([answer["acc"]], {0: ""})
    where = "4 algorithms on 23 data sets of 6 domains"
    assert section.text[0] == f"{where}, at most 1 score each; 1 of 92 cells has no score."


@pytest.mark.parametrize("sizes", [SIX, THREE])
def test_why_scores_of_domains_are_on_another_scale_is_said(sizes):
    frame = frame_of(sizes)
    place = np.linspace(-2, 2, frame["dataset"].nunique())[pd.factorize(frame["dataset"])[0]]
    assert "whose scores are in several units" not in str(compared(frame))
    frame["acc"] = 100.0**place * np.exp(frame["acc"] / 5)
    frame = frame.rename(columns={"acc": "count"})
    answer = bi.compare(bi.read_scores(frame, measures="count:higher"))
    assert answer.choices["count"].scale == "log"
    assert "data sets, whose scores are in several units, are of" in str(answer)


@pytest.mark.parametrize("sizes", [(1, 5, 6), (1, 1, 8)])
def test_a_domain_of_one_data_set_leaves_each_pair_its_degrees_of_freedom(sizes):
    for seed in range(6):
        degrees = compared(frame_of(sizes, seed=seed))["acc"].contrasts(all=True)["df"]
        assert np.isfinite(degrees).all()
        assert np.ptp(degrees) == pytest.approx(0)


def test_a_table_is_given_again_as_it_was_read():
    scores = bi.read_scores(frame_of(SIX), measures="acc:higher")
    result = bi.compare(scores)["acc"]
    given = result.influence("algorithm", scores)
    pd.testing.assert_frame_equal(given, result.influence("algorithm", scores.domain_means("acc")))
    with pytest.raises(bi.errors.DesignError, match="not the one that was compared"):
        result.influence("algorithm", scores.subset(datasets=scores.datasets[1:]))


def test_in_several_units_a_table_is_given_again_as_it_was_read():
    rng = np.random.default_rng(3)
    rows = [
        (f"d{d}", f"a{a}", rng.normal() * 100.0**d, 1 + rng.random())
        for d in range(4)
        for a in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "acc", "time"])
    scores = bi.read_scores(
        frame, layout="wide-measures", measures=["acc:higher", "time:lower:0:log"]
    )
    for result in bi.compare(scores).values():
        assert len(result.influence("algorithm", scores)) == 3


def test_what_one_degree_of_freedom_shows_counts_no_data_sets_that_are_not_there():
    scores = bi.read_scores(frame_of((1, 2), k=2), measures="acc:higher")
    said = bi.compare_mixed(scores, domains="separate").headline()
    assert "These data sets leave 1 degree of freedom" in said
    two = bi.read_scores(frame_of((2,), k=2), measures="acc:higher")
    assert "Two data sets leave 1 degree of freedom" in bi.compare_mixed(two).headline()


def test_where_domains_are_the_units_their_finding_names_what_fits():
    frame = frame_of(SIX)
    rules = bi.read_scores(frame, measures="acc:higher").findings()["rule"].tolist()
    assert "domains" in rules
    assert "analysis that fits" not in rules
    frame["domain"] = frame["dataset"]
    rules = bi.read_scores(frame, measures="acc:higher").findings()["rule"].tolist()
    assert "analysis that fits" in rules


@pytest.mark.parametrize(("sizes", "n_left_out"), [(SIX, 1), (THREE, 4)])
def test_a_report_has_the_units_of_the_answer(sizes, n_left_out):
    scores = bi.read_scores(frame_of(sizes), measures="acc:higher")
    shown = everything(scores, bayes=False)
    lead, *others = shown.results
    assert lead.provenance.choice
    for other in others:
        assert other.setting.members.datasets == lead.setting.members.datasets
        assert other.setting.coverage.datasets == lead.setting.coverage.datasets
    left_out = [one.analysis for one in shown.refusals if f"{len(sizes)} domains" in one.why]
    assert len(left_out) == n_left_out, shown.refusals


@pytest.mark.slow
def test_a_report_gives_the_reason_of_the_answer_for_what_fits(tmp_path):
    scores = bi.read_scores(frame_of(SIX), measures="acc:higher")
    bi.report(everything(scores, methods=["mixed"], bayes=False), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    before = page.partition("<svg")[0]
    assert "Mixed model, as " in before
    assert "23 data sets are of 6 domains, which are the units" in before


def test_one_degree_of_freedom_of_two_domains_says_domains():
    scores = bi.read_scores(frame_of((3, 4), k=2), measures="acc:higher").domain_means()
    said = bi.compare_mixed(scores).headline()
    assert "Two domains leave 1 degree of freedom" in said
    assert "Two data sets" not in said
