"""Effects of factors on a table that is read with factors."""

import re

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.factors.figures import cells, effects, interactions
from benchinfer.analyses.factors.sections import factor_sections
from benchinfer.comparison.sections import sections_of
from benchinfer.core.sections import Request
from benchinfer.errors import DesignError, ScoreTableError

TWO = {"backbone": "factor", "aug": "factor"}
ROLES = {"backbone": "factor", "aug": "factor", "optimiser": "factor"}


def runs(seed=1, *, datasets=10, both=0.01, noise=0.002):
    """Scores of the first table of a study: vit +.02, mixup +.01, both together more."""
    rng = np.random.default_rng(seed)
    rows = pd.MultiIndex.from_product(
        [
            [f"d{d:02}" for d in range(datasets)],
            ["vit", "resnet"],
            ["mixup", "none"],
            ["adam", "sgd"],
            [1, 2, 3],
        ],
        names=["dataset", *ROLES, "seed"],
    ).to_frame(index=False)
    vit, mixup = rows["backbone"] == "vit", rows["aug"] == "mixup"
    cell = rng.normal(scale=noise, size=len(rows) // 3).repeat(3)
    rows["accuracy"] = (
        rng.normal(0.7, 0.05, size=datasets).repeat(24)
        + 0.02 * vit
        + 0.01 * mixup
        + both * (vit & mixup)
        + cell
        + rng.normal(scale=0.003, size=len(rows))
    )
    return rows


def read(table, better="higher", **arguments):
    measures = {"accuracy": better}
    return bi.read_scores(table, measures=measures, columns=ROLES, **arguments)


@pytest.fixture(scope="module")
def factors():
    return bi.compare_factors(read(runs()))


def test_cells_are_algorithms_and_levels_are_in_order():
    table = runs().replace({"optimiser": {"adam": "10", "sgd": "9"}})
    scores = read(table)
    assert "vit/mixup/10" in scores.algorithms
    assert scores.factors["optimiser"] == ("9", "10")
    part = scores.subset(algorithms=["vit/mixup/10", "resnet/mixup/10"])
    assert part.factors == {"backbone": ("resnet", "vit"), "aug": ("mixup",), "optimiser": ("10",)}


def test_a_column_of_algorithms_is_a_factor_beside_others():
    table = runs().rename(columns={"backbone": "model"})
    roles = {"aug": "factor", "optimiser": "factor"}
    scores = bi.read_scores(table, measures="accuracy:higher", columns=roles)
    assert [*scores.factors] == ["model", "aug", "optimiser"]


def test_levels_with_a_slash_are_refused():
    table = runs().replace({"backbone": {"vit": "google/vit"}})
    with pytest.raises(ScoreTableError, match="levels of factors contain '/'"):
        read(table)


def test_one_factor_is_the_algorithm():
    table = runs().query("aug == 'none' and optimiser == 'sgd'")[
        ["dataset", "backbone", "accuracy"]
    ]
    with pytest.raises(ScoreTableError, match="backbone is the only factor"):
        bi.read_scores(table, measures="accuracy:higher", columns={"backbone": "factor"})


def test_the_first_table_is_decided(factors):
    assert str(factors) == "backbone   vit > resnet\naug        mixup > none\noptimiser  sgd ? adam"
    said = factors.sentence()
    assert "vit is better than resnet by 0.025" in said
    assert "whether sgd is better than adam is undecided" in said
    assert "backbone and aug interact" in said.casefold()
    table = factors.interactions()
    assert table["decided"].tolist() == [True, False, False]
    assert (table["conf_low"] < table["conf_high"]).all()
    assert "no bound" not in said


def test_effects_are_differences_of_means(factors):
    means = runs().groupby(["dataset", *ROLES])["accuracy"].mean()
    expected = means.xs("mixup", level="aug").mean() - means.xs("none", level="aug").mean()
    row = factors["aug"].contrasts().iloc[0]
    assert row["estimate"] == pytest.approx(expected)
    simple = factors.simple("aug", at="backbone").set_index("at_level")["estimate"]
    both = factors.interactions()["estimate"][0]
    assert simple["resnet"] - simple["vit"] == pytest.approx(both)


def test_verdicts_agree_with_intervals(factors):
    for one in factors.values():
        table = one.contrasts(all=True)
        outside = (table["conf_low"] >= 0) | (table["conf_high"] <= 0)
        assert outside.tolist() == (table["verdict"] != "undecided").tolist()
    table = factors.interactions()
    assert ((table["conf_low"] >= 0) | (table["conf_high"] <= 0)).tolist() == [*table["decided"]]


def test_direction_changes_no_verdict(factors):
    table = runs()
    table["accuracy"] *= -1
    turned = bi.compare_factors(read(table, better="lower"))
    assert str(turned) == str(factors)
    assert turned.interactions()["p_value"].tolist() == factors.interactions()["p_value"].tolist()


def test_a_control_is_second():
    table = runs().replace({"optimiser": {"adam": "a"}})
    more = table[table["optimiser"] == "a"].assign(optimiser="b")
    more["accuracy"] += np.random.default_rng(3).normal(scale=0.003, size=len(more))
    scores = read(pd.concat([table, more]))
    one = bi.compare_factors(scores, control={"optimiser": "sgd"})["optimiser"]
    assert one.contrasts()[["first", "second"]].to_numpy().tolist() == [["a", "sgd"], ["b", "sgd"]]


@pytest.mark.parametrize(
    ("control", "text"), [({"aug": "x"}, "no level of aug"), ({"x": "none"}, "no factor 'x'")]
)
def test_unknown_controls_are_refused(control, text):
    with pytest.raises(DesignError) as caught:
        bi.compare_factors(read(runs()), control=control)
    assert text.split()[-1].strip("'") in str(caught.value)


def test_tables_without_factors_or_units_are_refused():
    with pytest.raises(DesignError, match="no factors"):
        bi.compare_factors(bi.load_example("demsar2006"))
    table = runs(datasets=1)
    with pytest.raises(DesignError, match="one score of each cell"):
        bi.compare_factors(read(table[table["seed"] == 1].drop(columns="seed")))
    with pytest.raises(DesignError, match="share training data"):
        bi.compare_factors(read(table, resampling="cv:3"))


def one_data_set(n=8):
    """Scores of n replications on one data set, as those of n data sets."""
    table = runs(datasets=n)
    return table[table["seed"] == 1].drop(columns="seed")


@pytest.mark.parametrize("resampling", ["items", "seeds"])
def test_replications_of_one_data_set_are_units_as_data_sets_are(resampling):
    table = one_data_set()
    many = bi.compare_factors(read(table))
    renamed = table.rename(columns={"dataset": "seed"}).assign(dataset="cifar")
    one = bi.compare_factors(read(renamed, resampling=resampling))
    pd.testing.assert_frame_equal(one.contrasts(all=True), many.contrasts(all=True))
    pd.testing.assert_frame_equal(one.interactions(), many.interactions())
    pd.testing.assert_frame_equal(one.simple("aug", "backbone"), many.simple("aug", "backbone"))
    assert one.shares()["share"].tolist() == many.shares()["share"].tolist()
    assert "aug x replication" in one.shares()["source"].tolist()
    assert "over replications like these on cifar" in one.sentence()
    for text in (one.sentence(), one.method, one["aug"].method, one["aug"].formula):
        assert "data set" not in text
    assert one.cells()["n_datasets"].tolist() == [1] * 8


def test_effects_on_one_data_set_are_paired_t_tests():
    from scipy.stats import ttest_1samp

    table = one_data_set(5)
    renamed = table.rename(columns={"dataset": "seed"}).assign(dataset="cifar")
    mean = table.pivot_table("accuracy", "dataset", "aug")
    expected = ttest_1samp(mean["mixup"] - mean["none"], 0)
    row = bi.compare_factors(read(renamed, resampling="items"))["aug"].contrasts(all=True).iloc[0]
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert row["p_raw"] == pytest.approx(expected.pvalue)


def test_replications_that_a_cell_lacks_are_left_out_of_its_effects():
    table = one_data_set(12)
    renamed = table.rename(columns={"dataset": "seed"}).assign(dataset="cifar")
    gone = (renamed["seed"] == "d00") & (renamed["aug"] == "none")
    fewer = bi.compare_factors(read(renamed[~gone], resampling="items"))
    complete = bi.compare_factors(read(renamed[renamed["seed"] != "d00"], resampling="items"))
    found, expected = (
        one["aug"].contrasts(all=True)["estimate"].tolist() for one in (fewer, complete)
    )
    assert found == pytest.approx(expected)


def test_incomplete_grids_rest_on_what_is_complete_where_that_suffices():
    table = runs()
    gone = (table["backbone"] == "vit") & (table["aug"] == "none") & (table["optimiser"] == "sgd")
    assert bi.compare_factors(read(table[~gone])).modelled
    partly = table[~(gone & (table["dataset"] < "d03"))]
    factors = bi.compare_factors(read(partly))
    assert set(factors.interactions()["n_datasets"]) == {7}


def test_main_effects_alone_have_the_whole_level(factors):
    alone = bi.compare_factors(read(runs()), family="main")
    assert "Interactions were not tested." in alone.sentence()
    smaller = alone["aug"].evidence.p_value < factors["aug"].evidence.p_value
    assert smaller.all()


def test_interactions_that_are_not_tested_are_said_so(factors):
    alone = bi.compare_factors(read(runs()), family="main")
    for result, words in ((factors, {"yes", "undecided"}), (alone, {"not tested"})):
        section = factor_sections(result, Request())[0]
        (table,) = (table for table in section.tables if table.name == "interactions")
        column = next(column for column in table.columns if column.name == "decided")
        assert {cell.text for cell in column.cells(table.frame)} == words
        assert ("Each interval by itself." in table.note) == (result is alone)


def test_shares_sum_to_one(factors):
    shares = factors.shares().set_index("source")["share"]
    assert shares.sum() == pytest.approx(1, abs=0.02)
    assert shares.idxmax() == "backbone"


def test_results_are_saved(factors, tmp_path):
    back = bi.load(factors.save(tmp_path / "factors.json"))
    assert back.sentence() == factors.sentence()
    pd.testing.assert_frame_equal(back.interactions(), factors.interactions())


def test_sections_hold_the_tables(factors):
    section = factor_sections(factors, Request())[0]
    assert [table.name for table in section.tables] == ["main_effects", "interactions", "shares"]
    assert section.lead == factors.sentence()


def test_compare_gives_the_effects_of_factors(tmp_path):
    scores = read(runs())
    answer = bi.compare(scores)
    effects = answer["accuracy"]
    assert isinstance(effects, type(bi.compare_factors(scores)))
    assert effects.sentence() in answer.sentence()
    assert "algorithms are the cells of backbone, aug and optimiser" in answer.headline()
    assert bi.load(answer.save(tmp_path / "answer.json")).sentence() == answer.sentence()
    page = tmp_path / "report.html"
    bi.report(answer, page)
    assert "Which part matters" in page.read_text(encoding="utf-8")


def test_the_table_for_a_paper_has_main_effects_and_interactions():
    table = bi.compare(read(runs())).table()
    assert [text.split()[0] for text in table.data["effect"][:2]] == ["vit", "mixup"]
    assert table.data["verdict"].tolist() == [
        *("vit better", "mixup better", "undecided"),
        *("interact", "undecided", "undecided"),
    ]
    assert r"backbone x aug & (mixup $-$ none) at resnet $-$ vit &" in table.to_latex()
    effects = bi.compare_factors(read(runs()))
    assert table.data["estimate"][3] == pytest.approx(effects.interactions()["estimate"][0])
    with pytest.raises(DesignError, match="does not go with effects of factors"):
        effects.table("pairs")


def test_a_report_of_scores_has_effects_of_factors_before_the_answer_on_cells(tmp_path):
    page = bi.report(read(runs()), tmp_path / "x.html", bayes=False)
    text = page.read_text(encoding="utf-8")
    places = [
        re.search(rf"<h\d[^>]*>[^<]*{title}", text)
        for title in ("Which part matters", "Answer on the cells")
    ]
    assert places[0].start() < places[1].start()


def test_compare_compares_cells_where_levels_cannot_be():
    scores = read(runs())
    of_cells = bi.compare(scores, control="vit/mixup/sgd")["accuracy"]
    assert of_cells.algorithms == scores.algorithms
    one_level = scores.subset(algorithms=["vit/mixup/sgd", "resnet/mixup/sgd"])
    assert len(bi.compare(one_level)["accuracy"].algorithms) == 2
    with pytest.raises(DesignError, match="does not go with factors"):
        bi.compare(scores, alternative="better")


def test_compare_gives_effects_on_one_data_set_where_replications_can_be_units():
    table = one_data_set().rename(columns={"dataset": "seed"}).assign(dataset="cifar")
    scores = read(table, resampling="items")
    answer = bi.compare(scores)
    assert answer.choices["accuracy"].analysis == "factors"
    assert str(answer["accuracy"]) == str(bi.compare_factors(scores))
    assert "over replications like these on cifar, vit is better" in answer.headline()
    assert "not declared" not in answer.sentence()
    assert "is not declared: p-values hold if" in bi.compare(read(table)).sentence()
    drawn = bi.compare(read(table, resampling="bootstrap"))
    assert "on cifar as drawn, vit is better" in drawn.sentence()
    one_score = table[table["seed"] == "d00"]
    for scores in (read(table, resampling="cv:8"), read(one_score.drop(columns="seed"))):
        answer = bi.compare(scores)
        assert len(answer["accuracy"].algorithms) == 8
        assert answer.choices["accuracy"].analysis != "factors"


def test_measures_are_statements_of_their_own():
    table = runs()
    table["loss"] = 1 - table["accuracy"]
    scores = bi.read_scores(table, measures={"accuracy": "higher", "loss": "lower"}, columns=ROLES)
    answer = bi.compare(scores)
    assert [*answer] == ["accuracy", "loss"]
    with pytest.raises(DesignError, match="no table of the factors on several measures"):
        answer.table()
    assert str(answer["loss"]) == str(answer["accuracy"])
    assert sections_of(answer, Request())[0].title == "Answer"


def test_ablations_of_one_factor_at_a_time_are_compared_with_the_full_cell():
    table = runs()
    changed = (
        (table["backbone"] != "vit").astype(int)
        + (table["aug"] != "mixup")
        + (table["optimiser"] != "adam")
    )
    scores = read(table[changed <= 1])
    answer = bi.compare(scores)
    rows = answer["accuracy"].contrasts()
    assert set(rows["second"]) == {"vit/mixup/adam"}
    assert len(rows) == 3
    assert "in one factor, and interactions were not run" in answer.sentence()
    with pytest.raises(DesignError, match=r"differs from vit/mixup/adam in one factor"):
        bi.compare_factors(scores)
    of_two = bi.compare(read(table[changed <= 2]))["accuracy"]
    assert of_two.modelled
    crossed = table[(table["backbone"] == "vit") == (table["aug"] == "mixup")]
    with pytest.raises(DesignError, match="no effect of backbone and aug is estimable"):
        bi.compare_factors(
            bi.read_scores(
                crossed[crossed["optimiser"] == "adam"].drop(columns="optimiser"),
                measures="accuracy:higher",
                columns=TWO,
            )
        )


def test_the_figure_has_main_effects_and_interactions(factors):
    laid = effects.layout(factors)
    assert [row.label for row in laid.rows] == [
        "vit vs resnet",
        "mixup vs none",
        "sgd vs adam",
        "backbone x aug",
        "backbone x optimiser",
        "aug x optimiser",
    ]
    shown = laid.rows[3]
    assert shown.estimate == pytest.approx(-factors.interactions()["estimate"][0])
    assert (shown.said, shown.low > 0) == ("interact", True)
    assert [row.said for row in laid.rows[4:]] == ["undecided"] * 2
    for result in (factors, factors["aug"]):
        assert result.plot().axes
    assert bi.compare(read(runs())).plot().axes


def test_the_figure_shows_pairs_with_the_best_of_many_levels():
    table = runs().rename(columns={"optimiser": "old"})
    table["optimiser"] = [f"o{i:02}" for i in np.arange(len(table)) // 3 % 2]
    more = [table.assign(optimiser=table["optimiser"] + str(i)) for i in range(4)]
    many = pd.concat(more).drop(columns="old")
    many["accuracy"] += np.random.default_rng(4).normal(scale=0.003, size=len(many))
    laid = effects.layout(bi.compare_factors(read(many, repeats="mean")))
    assert any(note.startswith("optimiser: 10 of 28 pairs") for note in laid.notes)


def test_lines_are_means_and_bars_the_simple_effects(factors):
    laid = interactions.layout(factors)
    assert [(panel.factor, panel.at, panel.note) for panel in laid.panels] == [
        ("aug", "backbone", "they interact"),
        ("optimiser", "backbone", "no interaction is shown"),
        ("optimiser", "aug", "no interaction is shown"),
    ]
    panel = laid.panels[0]
    assert panel.levels == ("vit", "resnet")
    means = runs().groupby(["dataset", *ROLES])["accuracy"].mean()
    means = means.groupby(["aug", "backbone"]).mean()
    first, other = panel.lines
    assert (first.label, other.label) == ("mixup", "none")
    for line in panel.lines:
        expected = [means[line.label, level] for level in panel.levels]
        np.testing.assert_allclose(line.mean, expected)
    simple = factors.simple("aug", at="backbone").set_index("at_level").loc[[*panel.levels]]
    np.testing.assert_allclose(first.mean - other.low, simple["conf_high"])
    np.testing.assert_allclose(first.mean - other.high, simple["conf_low"])
    assert other.decided.tolist() == simple["decided"].tolist() == [True, True]
    assert np.isnan(first.low).all()


def test_an_interaction_plot_of_a_pair_has_the_first_factor_across(factors):
    (panel,) = interactions.layout(factors, pair=("aug", "backbone")).panels
    assert (panel.at, panel.factor) == ("aug", "backbone")
    for pair, text in ((("aug", "x"), "unknown factor"), (("aug", "aug"), "with itself")):
        with pytest.raises(DesignError, match=text):
            factors.plot("interactions", pair=pair)
    laid = interactions.layout(factors, top=1)
    assert len(laid.panels) == 1
    assert "1 of 3 pairs of factors" in laid.notes


def test_the_control_has_the_line_without_bars():
    one = bi.compare_factors(read(runs()), control={"aug": "none", "optimiser": "sgd"})
    for panel in interactions.layout(one).panels:
        assert panel.lines[0].label == {"aug": "none", "optimiser": "sgd"}[panel.factor]
    assert [line.label for line in interactions.layout(one).panels[0].lines] == ["none", "mixup"]


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_ratios_are_drawn_on_a_logarithmic_axis(better):
    table = runs()
    table["accuracy"] = np.exp(table["accuracy"])
    measure = bi.Measure("accuracy", better, scale="log")
    result = bi.compare_factors(bi.read_scores(table, measures=[measure], columns=ROLES))
    laid = interactions.layout(result)
    assert laid.log
    first, other = laid.panels[0].lines
    simple = result.simple("aug", at="backbone").set_index("at_level")
    simple = simple.loc[[*laid.panels[0].levels]]
    (pair,) = {*zip(simple["first"], simple["second"], strict=True)}
    ratio = first.mean / other.mean if pair[0] == first.label else other.mean / first.mean
    np.testing.assert_allclose(ratio, simple["estimate"])
    assert (other.low < other.mean).all() == (better == "higher")
    assert result.plot("interactions").axes


def test_means_of_incomplete_grids_are_those_of_the_model():
    table = runs(datasets=12, noise=0)
    cell = table.groupby(["dataset", *ROLES]).ngroup()
    gone = np.random.default_rng(7).permutation(cell.max() + 1)[:30]
    result = bi.compare_factors(read(table[~cell.isin(gone)]))
    assert result.modelled
    (panel,) = interactions.layout(result, pair=("backbone", "aug")).panels
    simple = result.simple("aug", at="backbone").set_index("at_level").loc[[*panel.levels]]
    first, other = panel.lines
    np.testing.assert_allclose(first.mean - other.mean, simple["estimate"])
    one = result["backbone"].summary().set_index("algorithm")["estimate"]
    np.testing.assert_allclose((first.mean + other.mean) / 2, one[[*panel.levels]])


def test_the_heat_map_holds_the_means_of_all_cells(factors):
    laid = cells.layout(factors)
    assert laid.rows == ("vit/mixup", "vit/none", "resnet/mixup", "resnet/none")
    assert laid.columns == ("sgd", "adam")
    means = factors.cells().set_index("algorithm")["estimate"]
    for row, texts in zip(laid.rows, laid.texts, strict=True):
        expected = [means[f"{row}/{column}"] for column in laid.columns]
        np.testing.assert_allclose([float(text) for text in texts], expected, atol=5e-4)
    assert laid.best.tolist() == [[True, False]] + [[False, False]] * 3
    assert laid.alt.endswith("best: vit/mixup/sgd.")
    assert len(cells.layout(factors, top=2).rows) == 2


def test_the_heat_map_shows_gaps_and_the_order_of_numbers():
    table = runs().replace({"optimiser": {"adam": "10", "sgd": "9"}})
    part = table[~((table["backbone"] == "vit") & (table["aug"] == "none"))]
    part = pd.concat([part, table[table["dataset"] == "d00"]]).drop_duplicates()
    laid = cells.layout(bi.compare_factors(read(part)))
    assert laid.columns == ("9", "10")
    assert "means over the data sets that hold a cell" in laid.notes


def test_a_factor_of_many_levels_is_said_by_its_best_one():
    rng = np.random.default_rng(8)
    index = pd.MultiIndex.from_product(
        [[f"d{d}" for d in range(10)], [f"e{e:02}" for e in range(8)], ["mixup", "none"]],
        names=["dataset", "encoder", "aug"],
    )
    table = index.to_frame(index=False)
    table["accuracy"] = 0.5 + 0.01 * table["encoder"].str[1:].astype(int).clip(upper=6)
    table["accuracy"] += rng.normal(scale=0.002, size=len(table))
    roles = {"encoder": "factor", "aug": "factor"}
    result = bi.compare_factors(bi.read_scores(table, measures="accuracy:higher", columns=roles))
    best, second = result["encoder"].ranking()[:2]
    expected = (
        f"of the 8 levels of encoder, {best} has the highest mean, is better than 6 of the others"
        f" and whether it is better than {second} is undecided"
    )
    assert expected in result.headline()
    assert expected in result.sentence()
