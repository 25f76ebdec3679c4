"""The closed test of a mixed comparison: what it is equal to, where it goes, what stands in."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.mixed import evidence
from benchinfer.core.errors import DesignError
from benchinfer.numerics import closed_testing, multiplicity
from benchinfer.numerics.multiplicity import SPENT
from benchinfer.numerics.rotations import closed_pairs
from tests.analyses.mixed.test_compare import simulated, table

EXACT = "-values are of the closed test of all 6 pairs by rotations of the data sets' means"
ROWS = simulated(31, (7, 4, 4), effect=0.35)
ROWS[..., 3] += np.random.default_rng(0).normal(size=(7, 1))


def one_each(seed, shape, effect=0.2):
    """A table with one score per data set and algorithm."""
    values = simulated(seed, (shape[0], 1, shape[1]), effect)
    return table(values, "abcdefghijklmnopqrstuvwxyz")


def test_default_is_the_closed_test_of_the_means():
    mixed = bi.compare_mixed(table(ROWS))
    rows = mixed.contrasts(all=True)
    found = closed_pairs(ROWS.mean(axis=1), rows["p_raw"].to_numpy(), 0.05, spent=SPENT)
    np.testing.assert_allclose(rows["p_value"], found.p_value, rtol=1e-9)
    np.testing.assert_allclose(rows["p_error"], found.error, rtol=1e-9)
    assert (
        f"{EXACT} (exact for normal differences); an interval leaves equality out" in mixed.method
    )
    apart = bi.compare_mixed(table(ROWS), interval="simultaneous")
    whole = closed_pairs(ROWS.mean(axis=1), rows["p_raw"].to_numpy(), 0.05)
    np.testing.assert_allclose(apart.evidence.p_value, whole.p_value, rtol=1e-9)
    assert (
        f"{EXACT} (exact for normal differences); intervals are Sidak's: verdicts" in apart.method
    )
    assert mixed.provenance.seed == 1
    assert "langsrud2005" in mixed.citations()
    named = bi.compare_mixed(table(ROWS), adjust="rotation").contrasts(all=True)
    np.testing.assert_array_equal(named["p_value"], rows["p_value"])


def test_intervals_equivalence_and_estimates_are_those_of_holm():
    mixed, holm = (
        bi.compare_mixed(table(ROWS), adjust=a, interval="simultaneous").contrasts(all=True)
        for a in ("auto", "holm")
    )
    for name in ("estimate", "conf_low", "conf_high", "std_error", "p_raw", "p_equivalence"):
        np.testing.assert_array_equal(mixed[name], holm[name])
    assert "p_error" not in holm
    assert (mixed["p_value"] >= mixed["p_raw"]).all()


def test_orders_of_rows_data_sets_and_names_change_nothing():
    rng = np.random.default_rng(3)
    mixed = bi.compare_mixed(table(ROWS)).contrasts(all=True)
    before = {
        frozenset((r["first"], r["second"])): (r["p_value"], r["winner"])
        for _, r in mixed.iterrows()
    }
    for _ in range(3):
        sets, names = rng.permutation(7), rng.permutation(4)
        letters = {"abcd"[i]: "wxyz"[n] for n, i in enumerate(names)} | {"": ""}
        again = bi.compare_mixed(table(ROWS[sets][..., names], "wxyz")).contrasts(all=True)
        after = {
            frozenset((r["first"], r["second"])): (r["p_value"], r["winner"])
            for _, r in again.iterrows()
        }
        for pair, (p, winner) in before.items():
            found = after[frozenset(letters[name] for name in pair)]
            assert found == (pytest.approx(p, rel=1e-9), letters[winner])


def test_another_seed_moves_p_values_by_their_error():
    one, two = (bi.compare_mixed(table(ROWS), seed=s).contrasts(all=True) for s in (1, 2))
    gap = np.abs(one["p_value"] - two["p_value"])
    assert 0 < gap.max() < 5 * one["p_error"].max()


@pytest.mark.parametrize(
    ("scores", "arguments", "method", "why"),
    [
        (one_each(1, (8, 9)), {}, "bergmann-hommel", "as there are 9 algorithms, more than 8"),
        (one_each(1, (6, 16)), {}, "holm", "as there are 16 algorithms, more than 8"),
        (one_each(1, (2, 4)), {}, "bergmann-hommel", "as there are 2 data sets"),
        (table(ROWS), {"df": "asymptotic"}, "bergmann-hommel", "infinite degrees of freedom"),
        (table(ROWS), {"residual": "algorithm"}, "bergmann-hommel", "residual variances differ"),
        (table(ROWS), {"structure": "diagonal"}, "bergmann-hommel", "the structure is diagonal"),
        (table(ROWS), {"alternative": "better"}, "holm", "one-sided hypotheses of all pairs"),
        (table(ROWS), {"contrasts": "mean"}, "holm", "neither all pairs nor those with a control"),
    ],
)
def test_where_rotations_do_not_go_it_is_said(scores, arguments, method, why):
    mixed = bi.compare_mixed(scores, **arguments)
    assert mixed._family()[1].method == method
    assert "(no rotations, as " in mixed.method
    assert why in mixed.method
    rows = mixed.contrasts(all=True)
    raw, k = rows["p_raw"].to_numpy(), len(mixed.algorithms)
    holm = method == "holm"
    expected = multiplicity.holm(raw, SPENT)
    if not holm:
        expected = closed_testing.bergmann_hommel(raw, k, SPENT)
    np.testing.assert_allclose(rows["p_value"], expected, rtol=1e-12)
    assert "p_error" not in rows
    assert mixed.provenance.seed is None
    with pytest.raises(DesignError, match=f"adjust='rotation' does not go .*{why}"):
        bi.compare_mixed(scores, adjust="rotation", **arguments)


def test_missing_scores_leave_rows_that_are_not_alike():
    values = ROWS.copy()
    values[0, 0, 0] = np.nan
    assert bi.compare_mixed(table(values))._family()[1] == evidence.Adjustment(
        "bergmann-hommel", "as cells hold unequal numbers of scores"
    )
    values[0, :, 0] = np.nan
    assert bi.compare_mixed(table(values))._family()[1].because == "as 1 cell is empty"


def test_one_pair_has_the_p_value_of_its_test():
    rows = bi.compare_mixed(table(ROWS[..., :2])).contrasts(all=True)
    assert rows["p_value"].tolist() == rows["p_raw"].tolist()
    assert rows["p_value"][0] == pytest.approx(
        bi.compare_mixed(table(ROWS[..., :2]), adjust="rotation").contrasts(all=True)["p_value"][0]
    )


def test_a_control_is_closed_over_its_own_pairs():
    all_pairs = bi.compare_mixed(table(ROWS)).contrasts(all=True)
    two, better = (
        bi.compare_mixed(table(ROWS), control="a", alternative=a).contrasts(all=True)
        for a in ("two-sided", "better")
    )
    own = all_pairs[all_pairs["first"] == "a"]
    assert (two["p_value"].to_numpy() <= own["p_value"].to_numpy() + 0.01).all()
    expected = closed_pairs(
        ROWS.mean(axis=1), np.r_[better["p_raw"], 1, 1, 1], 0.05, control=0, side=1, spent=SPENT
    )
    np.testing.assert_allclose(better["p_value"], expected.p_value[:3], rtol=1e-9)
    best = bi.compare_mixed(table(ROWS), control="best").contrasts(all=True)
    top = all_pairs[(all_pairs[["first", "second"]] == "d").any(axis=1)]
    assert sorted(best["p_value"]) == sorted(top["p_value"])


def test_flips_are_exact_and_few_data_sets_decide_nothing():
    mixed = bi.compare_mixed(table(ROWS), reference="flips", interval="simultaneous")
    rows = mixed.contrasts(all=True)
    assert "sign flips of the data sets' means (exact for symmetric differences)" in mixed.method
    assert "p_error" not in rows
    assert ((rows["p_value"] * 64) % 1 == 0).all()
    few = bi.compare_mixed(table(ROWS[:5]), reference="flips").contrasts(all=True)
    assert few["p_value"].min() >= 2 / 2**5
    with pytest.raises(DesignError, match="unknown reference 'signs'"):
        bi.compare_mixed(table(ROWS), reference="signs")


def test_where_differences_are_not_normal_a_row_has_the_other_reference():
    name = "pairs that sign flips decide otherwise"
    assert name not in bi.compare_mixed(table(ROWS)).diagnostics()["check"].tolist()
    values = simulated(5, (12, 2, 3), effect=0.5)
    values[4, :, 2] += 25
    checks = bi.compare_mixed(table(values)).diagnostics().set_index("check")
    rotated, flipped = (
        bi.compare_mixed(table(values), reference=r).contrasts(all=True)
        for r in ("rotation", "flips")
    )
    assert checks.loc[name, "value"] == (rotated["verdict"] != flipped["verdict"]).sum()
    turned = bi.compare_mixed(table(values), reference="flips").diagnostics()["check"].tolist()
    assert "pairs that rotations decide otherwise" in turned
    few = bi.compare_mixed(table(values[:5])).diagnostics()["check"].tolist()
    assert name not in few


def test_pairs_without_spread_say_nothing_and_the_others_are_tested():
    values = ROWS.copy()
    values[..., 1] = values[..., 0]
    rows = bi.compare_mixed(table(values)).contrasts(all=True)
    assert rows["p_value"][0] == 1
    others = rows[(rows["first"] != "b") & (rows["second"] != "b")]
    alone = bi.compare_mixed(table(values[..., [0, 2, 3]], "acd")).contrasts(all=True)
    assert (others["p_value"].to_numpy() >= alone["p_value"].to_numpy() - 0.01).all()


def test_p_values_have_the_smallest_of_the_directions():
    values = simulated(6, (30, 1, 3), effect=3.0)
    mixed = bi.compare_mixed(table(values))
    several = mixed.contrasts(all=True)["p_value"].to_numpy()
    assert several.min() >= 1e-4
    from benchinfer.comparison.sections import contrasts

    cells = [cell.text for row in contrasts(mixed).rows for cell in row]
    assert "<0.001" in cells
    assert not any(cell.startswith("≤0.000") for cell in cells)


def test_influence_rotates_the_smaller_tables():
    values = simulated(33, (8, 3, 4), effect=0.4)
    values[2, :, 3] -= 3.0
    mixed = bi.compare_mixed(table(values))
    found = mixed.influence()
    for d in (1, 2):
        kept = [i for i in range(8) if i != d]
        without = bi.compare_mixed(table(values[kept]))
        changed = int((without.pairs.codes != mixed.pairs.codes).sum())
        assert found["n_changed"][d] == changed


def test_figures_and_diagnostics_count_the_marks_on_intervals_over_equality():
    from benchinfer.comparison.figures.forest import layout

    scores = bi.load_example("simulated/heteroscedastic")
    mixed = bi.compare_mixed(scores, interval="simultaneous")
    rows = mixed.contrasts(all=True)
    over = (rows["winner"] != "") & (rows["conf_low"] < 0) & (rows["conf_high"] > 0)
    assert over.sum() == 2
    said = "2 filled marks are on an interval that includes equality, where the test decides"
    assert said in layout(mixed).notes[0]
    row = (
        mixed.diagnostics().set_index("check").loc["decided pairs whose interval includes equality"]
    )
    assert (row["value"], row["ok"]) == (2, True)
    common = bi.compare_mixed(bi.load_example("simulated/heteroscedastic"), structure="common")
    assert "filled" not in common._intervals


@pytest.mark.parametrize("options", [{"adjust": "holm"}, {"structure": "common"}])
def test_sign_flips_are_refused_where_the_adjustment_has_no_use_for_them(options):
    with pytest.raises(DesignError, match="is of the closed test, and p-values are adjusted by"):
        bi.compare_mixed(table(ROWS), reference="flips", **options)
    pair = table(ROWS[..., :2])
    assert bi.compare_mixed(pair, reference="flips", adjust="rotation").options.reference == "flips"
