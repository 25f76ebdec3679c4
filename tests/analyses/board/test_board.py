"""The function that judges the entries of a board."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.board.numerics.spending import next_level, shares
from tests.analyses.board.conftest import runs

MEANS = (3.28, 3.279, 3.27, 3.2695, 3.25)
NAMES = tuple(f"e{i}" for i in range(len(MEANS)))


def by_hand(rows, test, ahead=0.0, rule="fallback", alpha=0.05):
    """Judge entries by tests of SciPy, in the order of their names."""
    losses = [group["loss"].to_numpy() for _, group in rows.groupby("algorithm", sort=False)]
    before, found, holder = [], [(None, None, None)], 0
    for i, share in enumerate(shares(len(losses) - 1), 1):
        own = next_level(float(share), alpha, rule, before)
        p = test(losses[holder] - ahead, losses[i])
        before.append((own, p <= own))
        found.append((p, own, f"e{holder}"))
        holder = i if p <= own else holder
    return found


def welch(worse, better):
    return stats.ttest_ind(worse, better, equal_var=False, alternative="greater").pvalue


def paired(worse, better):
    return stats.ttest_rel(worse, better, alternative="greater").pvalue


def same(found, expected):
    rows = found.summary().iloc[1:]
    np.testing.assert_allclose(rows["p_record"], [p for p, _, _ in expected[1:]], rtol=1e-9)
    np.testing.assert_allclose(rows["level_spent"], [own for _, own, _ in expected[1:]], rtol=1e-9)
    assert rows["holder"].tolist() == [name for _, _, name in expected[1:]]


@pytest.mark.parametrize("ahead", [0.0, 0.005])
def test_entries_are_judged_as_by_welchs_test_of_scipy(table, ahead):
    rows = runs(MEANS)
    found = bi.board(table(rows), sequence=NAMES, by_more_than=ahead)
    same(found, by_hand(rows, welch, ahead))
    assert found.records == {0.0: ["e0", "e2", "e4"], 0.005: ["e0", "e2", "e4"]}[ahead]
    assert found.verdict == "record"


def test_entries_are_judged_as_by_the_paired_test_of_scipy(table):
    rows = runs(MEANS, sd=0.004, day=0.05)
    found = bi.board(table(rows, paired=True), sequence=NAMES)
    same(found, by_hand(rows, paired))
    assert found.records[-1] == "e4"
    # The same seeds, unpaired: their spread hides all but nothing.
    assert bi.board(table(rows), sequence=NAMES).records == ["e0"]


def test_a_margin_is_exceeded_or_not(table):
    rows = runs((3.28, 3.27), n=30)
    said = {m: bi.board(table(rows), sequence=NAMES[:2], by_more_than=m) for m in (0.005, 0.01)}
    assert [one.verdict for one in said.values()] == ["record", "no record"]
    assert "better than e0 by more than 0.005, on the data set text" in said[0.005].headline()
    assert "is not shown to be better than e0 by more than 0.01" in said[0.01].headline()


def test_few_scores_are_judged_by_the_spread_of_all_entries_so_far(table):
    """As an analysis of variance of the entries so far has it."""
    rows = runs(MEANS, n=3)
    found = bi.board(table(rows), sequence=NAMES, spending="alpha")
    losses = rows["loss"].to_numpy().reshape(len(MEANS), 3)
    holder = 0
    for i in range(1, len(MEANS)):
        df = 2 * (i + 1)
        variance = losses[: i + 1].var(axis=1, ddof=1).mean()
        t = (losses[holder].mean() - losses[i].mean()) / np.sqrt(variance * 2 / 3)
        assert found.p_record[i] == pytest.approx(stats.t.sf(t, df), rel=1e-9)
        holder = i if found.record[i] else holder
    assert "by the spread of all entries so far for want of five scores" in found.method
    own = bi.board(table(rows), sequence=NAMES, spread="own")
    same(own, by_hand(rows, welch))


def test_few_shared_scores_are_judged_by_the_residuals_of_a_two_way_analysis(table):
    statsmodels = pytest.importorskip("statsmodels.formula.api")
    rows = runs(MEANS, n=4, day=0.05)
    found = bi.board(table(rows, paired=True), sequence=NAMES, spending="alpha")
    losses = rows["loss"].to_numpy().reshape(len(MEANS), 4)
    holder = 0
    for i in range(1, len(MEANS)):
        so_far = rows[rows["algorithm"].isin(NAMES[: i + 1])]
        fit = statsmodels.ols("loss ~ C(algorithm) + C(seed)", so_far).fit()
        t = (losses[holder] - losses[i]).mean() / np.sqrt(2 * fit.mse_resid / 4)
        assert found.p_record[i] == pytest.approx(stats.t.sf(t, fit.df_resid), rel=1e-9)
        holder = i if found.record[i] else holder


def test_answers_are_judged_by_the_items_that_one_alone_gets_right():
    rng = np.random.default_rng(2)
    right = {"e0": rng.random(300) < 0.6, "e1": rng.random(300) < 0.62, "e2": rng.random(300) < 0.8}
    rows = pd.DataFrame(right).astype(int).rename_axis("item").reset_index()
    scores = bi.read_scores(
        rows, measures="right:higher", layout="wide-algorithms", resampling="items", dataset="q"
    )
    found = bi.board(scores, sequence=("e0", "e1", "e2"))
    for i, name in ((1, "e1"), (2, "e2")):
        gained, lost = (
            int((right[name] & ~right["e0"]).sum()),
            int((right["e0"] & ~right[name]).sum()),
        )
        p = stats.binomtest(gained, gained + lost, alternative="greater").pvalue
        assert found.p_record[i] == pytest.approx(p, rel=1e-9)
    assert found.records == ["e0", "e2"]
    assert any("Blum & Hardt" in note for note in found.notes)


def test_several_data_sets_are_the_units():
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(
        [
            (d, name, 0.7 + 0.1 * (name == "e1") + 0.01 * (name == "e2") + 0.05 * rng.normal())
            for d in range(12)
            for name in ("e0", "e1", "e2")
        ],
        columns=["dataset", "algorithm", "acc"],
    )
    found = bi.board(bi.read_scores(rows, measures="acc:higher"), sequence=("e0", "e1", "e2"))
    wide = rows.pivot_table(index="dataset", columns="algorithm", values="acc")
    p = [paired(wide["e1"], wide["e0"]), paired(wide["e2"], wide["e1"])]
    np.testing.assert_allclose(found.p_record[1:], p)
    assert "on average over data sets like these 12" in found.headline()


def test_all_entries_before_it_are_to_be_beaten(table):
    """The holder is the worst of the earlier ones by its mean; the largest p-value decides."""
    rows = runs((3.28, 3.2788, 3.2785, 3.27))
    found = bi.board(table(rows), sequence=NAMES[:4], against="all")
    losses = rows["loss"].to_numpy().reshape(4, 8)
    for i in range(1, 4):
        p = max(welch(losses[j], losses[i]) for j in range(i))
        assert found.p_record[i] == pytest.approx(p, rel=1e-9)


def test_contenders_are_those_not_shown_to_be_worse_than_the_record(table):
    rows = runs((3.28, 3.27, 3.2702, 3.29))
    found = bi.board(table(rows), sequence=NAMES[:4])
    losses = rows["loss"].to_numpy().reshape(4, 8)
    assert found.records[-1] == "e1"
    p = [welch(losses[j], losses[1]) for j in (0, 2, 3)]
    np.testing.assert_allclose(found.p_behind[[0, 2, 3]], p, rtol=1e-9)
    assert found.contenders == ["e2"]
    assert str(found).endswith(": e2.")


def test_ties_and_lone_scores_are_no_records(table):
    rows = runs((3.28, 3.27), n=4)
    copy = rows[rows["algorithm"] == "e1"].assign(algorithm="e2")
    lone = rows.iloc[[-1]].assign(algorithm="e3", loss=1.0)
    found = bi.board(table(pd.concat([rows, copy, lone])), sequence=NAMES[:4])
    assert found.records == ["e0", "e1"]
    assert found.p_record[3] == 1
    assert any("1 entry without two scores" in note for note in found.notes)


def test_entries_that_share_no_two_replications_with_the_record_are_not_judged(table):
    rows = runs((3.28, 3.27))
    rows.loc[rows["algorithm"] == "e1", "seed"] += 7
    found = bi.board(table(rows, paired=True), sequence=NAMES[:2])
    assert (found.p_record[1], found.verdict) == (1, "no record")
    assert any("1 entry without two scores" in note for note in found.notes)


def test_the_horizon_ends(table):
    rows = runs((3.28, 3.28, 3.28, 3.0))
    found = bi.board(table(rows), sequence=NAMES[:4], horizon=2, spending="alpha")
    assert found.spent[1:].tolist() == [0.025, 0.025, 0.0]
    assert found.verdict == "no record"
    assert any("is used up" in note for note in found.notes)


def test_without_a_level_there_is_no_record_however_small_the_p_value(table):
    rows = runs((3.28, 3.28, 3.28, -1e6), n=60)
    board = bi.board(table(rows), sequence=NAMES[:4], horizon=2, spending="alpha")
    assert (board.p_record[-1], board.spent[-1], board.verdict) == (0.0, 0.0, "no record")


def test_the_order_may_be_a_column_of_numbers(table):
    rows = runs(MEANS)
    rows["day"] = rows["algorithm"].map(dict(zip(NAMES, (3, 1, 2, 2, 5), strict=True)))
    found = bi.board(table(rows, covariates="day"), sequence="day")
    assert found.algorithms == ("e1", "e2", "e3", "e0", "e4")
    assert "e2 and e3: the same 'day', in the order of their names." in found.notes
    rows.loc[0, "day"] = 4
    with pytest.raises(bi.DesignError, match="e0: several values of 'day'"):
        bi.board(table(rows, covariates="day"), sequence="day")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sequence": ("e0", "e1")}, "sequence lacks e2"),
        ({"sequence": ("e0", "e1", "e1", "e2")}, "e1 twice"),
        ({"sequence": ("e0", "e1", "e9")}, "unknown algorithm 'e9'"),
        ({"sequence": "date"}, "'date' is no column of numbers"),
        ({"by_more_than": -1.0}, "by_more_than is -1.0"),
        ({"horizon": 0}, "horizon is 0"),
        ({"level": 1.5}, "level is 1.5"),
    ],
)
def test_bad_arguments_are_one_clear_error(table, options, said):
    scores = table(runs(MEANS[:3]))
    with pytest.raises(bi.BenchinferError, match=said):
        bi.board(scores, **({"sequence": NAMES[:3]} | options))


def test_a_board_is_saved_and_read_back(table, tmp_path):
    found = bi.board(table(runs(MEANS)), sequence=NAMES)
    again = bi.load(found.save(tmp_path / "board.json"))
    assert str(again) == str(found)
    pd.testing.assert_frame_equal(again.summary(), found.summary())
    assert "tian2021" in found.citations()
    page = bi.report([found], tmp_path / "page.html").read_text()
    assert "is the record beaten?" in page
    assert "Online Control of the Familywise Error Rate" in page
