"""Groups of data sets: what is found, said, drawn, saved and refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.subgroups.models import MeansModel
from benchinfer.analyses.subgroups.numerics.fluctuation import standardised
from benchinfer.analyses.subgroups.numerics.worths import worths
from benchinfer.analyses.subgroups.sections import stability_sections
from benchinfer.analyses.subgroups.stability import SubgroupStability
from benchinfer.analyses.subgroups.tree import Growth, divisions, grow
from benchinfer.analyses.wins.numerics.likelihood import fit_wins
from benchinfer.analyses.wins.numerics.tally import Tally, count
from benchinfer.core.frames import GLOSSARY
from benchinfer.reports.notebook import sections
from benchinfer.scores.rows.features import Feature, of_categories
from tests.analyses.subgroups.conftest import simulated, table
from tests.plots.test_draw_boxes import faults

LONG = "gradient_boosting_classifier_with_depth_{}_and_learning_rate_0.05".format


@pytest.fixture(scope="module", params=["wins", "mixed"])
def found(request, planted):
    return bi.compare_subgroups(planted, model=request.param)


def test_the_planted_division_is_found(found):
    (split,) = found.splits().to_dict("records")
    assert split["characteristic"] == "size"
    assert 1000 < split["threshold"] < 3000
    assert split["p_value"] <= 0.001
    low, high = found.values()
    assert low.ranking() == high.ranking()[::-1] == ("a0", "a1", "a2", "a3", "a4")


def test_leaves_are_the_comparisons_of_their_data_sets(found, planted):
    name, datasets = next(iter(found.datasets.items()))
    compare = {"wins": bi.compare_wins, "mixed": bi.compare_mixed}
    own = compare[found.provenance.arguments["model"]](planted.subset(datasets=datasets))
    pd.testing.assert_frame_equal(found[name].contrasts(all=True), own.contrasts(all=True))
    assert sum(map(len, found.datasets.values())) == 60


def test_without_a_division_all_data_sets_are_one_leaf(stable):
    found = bi.compare_subgroups(stable)
    assert list(found) == ["all data sets"]
    assert "not shown" in found.headline()
    assert found.splits().empty
    assert found.diagnostics().query("leaf == ''")["ok"].all()
    assert found.plot().axes


def test_tables_use_the_glossary(found):
    for frame in (
        found.summary(),
        found.contrasts(all=True),
        found.diagnostics(),
        found.splits(),
        found.tests(),
    ):
        assert set(frame.columns) <= set(GLOSSARY)
    assert len(found.summary()) == 10
    assert len(found.contrasts(all=True)) == 20
    assert len(found.tests()) == 9


def test_the_warning_stands_unless_half_the_data_sets_choose(found, planted):
    checks = found.diagnostics().set_index("check")
    assert not checks.loc["leaves chosen by the scores that they compare", "ok"]
    honest = bi.compare_subgroups(planted, honest=True, minsize=8, seed=1)
    assert honest.checks[0].ok
    grown = {planted.datasets[row] for row in honest.tree.nodes[0].datasets}
    compared = {name for own in honest.datasets.values() for name in own}
    assert len(grown) == len(compared) == 30
    assert not grown & compared
    assert "size" in set(honest.splits()["characteristic"])


def test_saved_and_loaded_again(found, tmp_path):
    back = bi.load(found.save(tmp_path / "groups.json"))
    assert type(back) is bi.typing.Subgroups
    pd.testing.assert_frame_equal(back.tests(), found.tests())
    pd.testing.assert_frame_equal(back.contrasts(all=True), found.contrasts(all=True))
    assert back.sentence() == found.sentence()
    assert back.provenance == found.provenance


def test_words(found):
    assert "depends on size" in found.headline()
    assert found.headline() in found.sentence()
    assert "accuracy, higher is better" in found.sentence()
    assert "10.1198/106186008X319331" in found.citations()
    assert "3 characteristics" in found.rule
    assert str(found).count("\n") == 1
    assert "size" in found._repr_html_()
    assert len(found.relations()) == 2


def test_p_values_by_permutation_have_the_digits_of_their_error(planted):
    found = bi.compare_subgroups(planted, seed=1)
    assert "p-value ≤0.001)" in found.sentence() or "p-value ≤0.001." in found.sentence()
    rows = found.tests()
    p = rows["p_value"].clip(upper=0.999)
    np.testing.assert_array_less(np.sqrt(p * (1 - p) / 1000), rows["p_error"] + 1e-12)
    table = next(t for s in sections(found) for t in s.all_tables if "characteristic" in t.frame)
    texts = [row[-1].text for row in table.rows]
    assert all(len(text.lstrip("≤<>")) == len("0.001") for text in texts)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["html", "json", "md"])
def test_reports_hold_groups_archetypes_and_regions(suffix, planted, tmp_path):
    groups = bi.compare_subgroups(planted, seed=1)
    shapes = bi.archetypes(planted, k=2, starts=2, seed=1)
    scores, features = simulated(30, 2)
    long = scores.melt(id_vars="dataset", var_name="algorithm", value_name="accuracy")
    long["size"] = long["dataset"].map(np.log10(features.set_index("dataset")["size"]))
    sized = bi.read_scores(long, measures={"accuracy": "higher"}, covariates="size")
    regions = bi.regions(bi.compare_mixed(sized, covariates="size"), "size")
    results = [groups, groups.stability(3, seed=1), shapes, shapes.stability(3, seed=1), regions]
    text = bi.report(results, tmp_path / f"where.{suffix}").read_text()
    for title in (
        "Where: groups of data sets by accuracy", "Stability of the groups",
        "Archetypes of data sets", "Stability of archetypes", "Differences along size",
    ):  # fmt: skip
        assert title in text
    for one in results:
        assert one._repr_html_()


def test_reports_show_the_groups(found, tmp_path):
    text = found.report(tmp_path / "one.html").read_text()
    assert "Where: groups of data sets by accuracy" in text
    assert "doi.org/10.1198/106186008X319331" in text


def test_tables_have_a_level_and_letters_in_each_group(found):
    table = found.table()
    leaves, weights = list(found), [len(own) for own in found.datasets.values()]
    shown = table.data.set_index("algorithm")
    places = np.array([[r.ranking().index(a) for r in found.values()] for a in shown.index])
    assert (np.diff(places @ weights) >= 0).all()
    for leaf, result in found.items():
        levels = result.summary().set_index("algorithm")["estimate"]
        assert shown[leaf].to_dict() == levels.to_dict()
        alone = result.table().data.set_index("algorithm")["letters"]
        assert shown[f"{leaf} letters"].to_dict() == alone.to_dict()
    turned = found.table("leaves").data
    assert turned["leaf"].tolist() == leaves
    assert turned["n_datasets"].tolist() == weights
    for name in shown.index:
        assert turned[name].tolist() == shown.loc[name, leaves].tolist()
    text = table.to_markdown()
    assert f"({weights[0]} data sets)" in text
    assert text.count("**") == 4
    assert "the p-value of the division does" in text
    assert "too optimistic" in table.to_html()
    assert r"\leq" in table.to_latex()


def test_tables_of_groups_show_the_top_and_say_so(found):
    text = found.table(top=2).to_markdown()
    assert text.count("\n| ") == 4
    assert text.count("**") == 2  # the best of the second group is further down
    assert "3 algorithms further down left out" in text


def test_tables_of_groups_against_a_control_have_verdicts(planted):
    found = bi.compare_subgroups(planted, contrasts="dunnett", control="a2", tests="asymptotic")
    low, high = found
    table = found.table().data.set_index("algorithm")
    assert table.loc["a0", f"{low} against a2"] == "+"
    assert table.loc["a0", f"{high} against a2"] == "\N{MINUS SIGN}"
    assert not table.loc["a2", f"{low} against a2"]


@pytest.mark.parametrize(("rows", "more"), [("pairs", {}), (None, {"against": "a0"})])
def test_tables_that_groups_have_not_are_refused(rows, more, found):
    with pytest.raises(ValueError, match="not go with groups of data sets"):
        found.table(rows, **more)
    with pytest.raises(ValueError, match="unknown rows 'leaves'"):
        next(iter(found.values())).table("leaves")


def test_the_method_says_whose_numbers_it_has(found, stable):
    assert f"In the group of {next(iter(found))}: " in found.method
    assert "In each group: " in bi.compare_subgroups(stable, tests="asymptotic").method


@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize("k", [2, 6, 30])
def test_texts_of_the_tree_keep_to_the_canvas_and_apart(k, width):
    result = bi.compare_subgroups(table(60, k, name=LONG), model="mixed", by="size")
    figure = bi.plot(result, width=width)
    assert faults(figure) == ([], [])


def test_order_of_rows_names_and_direction_change_nothing():
    scores, features = simulated(40)
    measure = {"accuracy": "higher"}
    read = {"layout": "wide-algorithms", "features": features}
    one = bi.compare_subgroups(bi.read_scores(scores, measures=measure, **read), seed=1)
    shuffled = scores.sample(frac=1, random_state=1)
    read["features"] = features.sample(frac=1, random_state=2)
    two = bi.compare_subgroups(bi.read_scores(shuffled, measures=measure, **read), seed=1)
    pd.testing.assert_frame_equal(one.contrasts(all=True), two.contrasts(all=True))
    pd.testing.assert_frame_equal(one.tests(), two.tests())
    lower = scores.set_index("dataset").mul(-1).reset_index()
    lower = bi.read_scores(lower, measures={"accuracy": "lower"}, **read)
    three = bi.compare_subgroups(lower, seed=1)
    pd.testing.assert_frame_equal(one.tests(), three.tests(), rtol=1e-8)


def test_an_order_of_categories_is_kept():
    scores, features = simulated(60)
    features["kind"] = pd.Categorical(
        np.select([features["size"] < 300, features["size"] < 2000], ["low", "mid"], "top"),
        categories=["low", "mid", "top"],
        ordered=True,
    )
    scores = bi.read_scores(
        scores, layout="wide-algorithms", measures={"accuracy": "higher"}, features=features
    )
    split = bi.compare_subgroups(scores, by="kind").tree.nodes[0].split
    assert split.first == "kind is low or mid"
    assert split.second == "kind is top"


def test_all_divisions_in_two_are_tried():
    scores = np.zeros((12, 1))
    assert len(divisions(of_categories(list("abcdabcdabcd")), 1, scores)) == 7
    assert len(divisions(of_categories(list("abcdabcdabcd"), list("abcd")), 1, scores)) == 3
    assert len(divisions(Feature(np.array([1.0, 1, 2, 3])), 2, scores[:4])) == 1
    assert len(divisions(Feature(np.ones(4)), 1, scores[:4])) == 0


def test_of_many_categories_the_division_is_the_one_planted():
    rng = np.random.default_rng(10)
    codes = np.repeat(np.arange(20.0), 6)
    first = np.isin(codes, [0, 3, 4, 8, 11, 12, 19])
    level = np.where(first, 1.0, -1.0)[:, None] * np.array([1.0, 0.0, -1.0])
    model = MeansModel(level + 0.5 * rng.normal(size=(120, 3)))
    feature = Feature(codes, tuple(f"k{n}" for n in range(20)))
    split = grow(model, {"kind": feature}, np.arange(120), Growth(0.05, 10)).nodes[0].split
    np.testing.assert_array_equal(split.sides(feature) == first, (split.sides(feature) == first)[0])


def test_along_scores_the_best_division_of_one_parameter_is_found():
    """With one parameter the order of the means holds the best of all divisions (Fisher 1958)."""
    rng = np.random.default_rng(11)
    codes = rng.permutation(np.repeat(np.arange(13.0), 3))
    model = MeansModel(rng.normal(size=(39, 1)) * np.array([[1.0, -1.0]]))
    rows = np.arange(39)
    process = standardised(model.fit(rows).scores)
    tried = divisions(Feature(codes, tuple("abcdefghijklm")), 5, process)
    one = np.arange(1, 2**12)
    every = ((one[:, None] >> np.arange(13)) & 1).astype(bool)[:, codes.astype(int)]
    every = every[(every.sum(axis=1) >= 5) & (every.sum(axis=1) <= 34)]
    best = [model.log_likelihoods(rows, sides).max() for sides in (tried, every)]
    assert best[0] == pytest.approx(best[1], rel=1e-12)


@pytest.mark.parametrize("known", [0.7, 0.95])
def test_data_sets_without_a_value_go_to_the_larger_side(known):
    rng = np.random.default_rng(12)
    scores, features = simulated(90)
    lost = rng.uniform(size=90) > known
    features.loc[lost, "size"] = np.nan
    features.loc[rng.uniform(size=90) > known, "kind"] = None
    read = bi.read_scores(
        scores, layout="wide-algorithms", measures={"accuracy": "higher"}, features=features
    )
    found = bi.compare_subgroups(read, by=["size", "kind"], depth=1, seed=1)
    split = found.tree.nodes[0].split
    low, high = found.tree.nodes[1], found.tree.nodes[2]
    assert split.by == "size"
    own = features["size"].to_numpy()
    sizes = [int((own <= split.at).sum()), int((own > split.at).sum())]
    larger = (low, high)[int(np.argmax(sizes))]
    assert set(np.flatnonzero(lost)) <= set(larger.datasets)
    assert min(len(low.datasets), len(high.datasets)) == min(sizes)
    checks = found.diagnostics().set_index("check")
    row = checks.loc["values of characteristics that data sets lack"]
    assert row["value"] == lost.sum() + features["kind"].isna().sum()
    assert f"size ({lost.sum()})" in row["sentence"]
    assert sum(map(len, found.datasets.values())) == 90


def test_likelihoods_of_many_subsets_are_those_of_each_by_itself():
    rng = np.random.default_rng(6)
    tally = count(rng.normal(size=(20, 4)), np.repeat(np.arange(5), 4), 0.3)
    found = worths(tally)
    for unit in range(5):
        one = Tally(tally.pairs, tally.wins[[unit]], tally.ties[[unit]], tally.losses[[unit]])
        if len(one.groups()) == 1 and not one.boundless():
            expected = fit_wins(one)
            assert found.log_likelihood[unit] == pytest.approx(expected.log_likelihood)
            np.testing.assert_allclose(found.log_worth[unit], expected.log_worth, atol=1e-4)


def test_an_algorithm_that_always_wins_has_a_supremum():
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    wins, losses = np.array([[9.0, 9, 6]]), np.array([[0.0, 0, 3]])
    found = worths(Tally(pairs, wins, np.zeros((1, 3)), losses))
    assert found.log_likelihood[0] == pytest.approx(6 * np.log(2 / 3) + 3 * np.log(1 / 3))


def test_means_have_the_likelihood_of_the_normal_distribution():
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(12, 3))
    model = MeansModel(scores)
    fit = model.fit(np.arange(12))
    basis = np.linalg.svd(np.eye(3) - 1 / 3)[0][:, :2]
    contrast = scores @ basis
    variance = ((contrast - contrast.mean(axis=0)) ** 2).mean()
    expected = -12 * (np.log(2 * np.pi * variance) + 1)
    assert fit.log_likelihood == pytest.approx(expected)
    side = np.arange(12)[None] < 5
    parts = [model.fit(np.arange(12)[s]).log_likelihood for s in (side[0], ~side[0])]
    assert model.log_likelihoods(np.arange(12), side)[0] == pytest.approx(sum(parts))


def test_pruning_takes_back_what_the_criterion_does_not_support():
    rng = np.random.default_rng(8)
    model = MeansModel(rng.normal(size=(80, 3)))
    noise = {"x": Feature(rng.normal(size=80)), "y": Feature(rng.normal(size=80))}
    rows = np.arange(80)
    grown = grow(model, noise, rows, Growth(0.999, 10))
    assert len(grown.leaves) > 3
    pruned = grow(model, noise, rows, Growth(0.999, 10, prune="bic"))
    assert len(pruned.nodes) == 1
    few = grow(model, noise, rows, Growth(0.999, 10, depth=1))
    assert len(few.leaves) == 2


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (1372.0, 1400.0, "1372"),
        (0.123456789012, 0.2, "0.1235"),
        (-0.123456789012, -0.1, "-0.1234"),
        (0.123456, 0.12347, "0.12346"),
        (1234567.0, 9e6, "1235000"),
        (0.0, 1e-9, "0"),
        (0.1, np.nextafter(0.1, 1), "0.1"),
        (1e-7 / 3, 1.0, "3.334e-08"),
    ],
)
def test_a_threshold_has_the_fewest_digits_that_keep_two_values_apart(low, high, said):
    x = np.repeat([low, high], 10)
    level = np.where(x == low, 1.0, -1.0)[:, None] * np.array([1, 0, -1])
    noise = np.random.default_rng(5).normal(0, 0.1, (20, 3))
    tree = grow(MeansModel(level + noise), {"x": Feature(x)}, np.arange(20), Growth(0.05, 10))
    split = tree.nodes[0].split
    assert (split.first, split.second) == (f"x <= {said}", f"x > {said}")
    assert low <= split.at < high
    assert split.at == float(said)
    assert split.sides(Feature(x)).tolist() == (x == low).tolist()


def test_names_of_nested_conditions_say_the_closest():
    rng = np.random.default_rng(9)
    x = np.arange(90.0)
    level = np.select([x < 30, x < 60], [1.0, -1.0], 3.0)[:, None] * np.array([1, 0, -1])
    tree = grow(
        MeansModel(level + rng.normal(size=(90, 3))), {"x": Feature(x)}, np.arange(90),
        Growth(0.05, 10),
    )  # fmt: skip
    names = [tree.nodes[leaf].name for leaf in tree.leaves]
    assert len(names) == 3
    assert names[-1].count("x >") == 1
    assert all(name.count("<=") <= 1 for name in names)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": "sise"}, "unknown characteristic 'sise'"),
        ({"minsize": 40}, "60 data sets with scores of enough algorithms"),
        ({"minsize": 2}, "minsize"),
        ({"depth": 0}, "depth"),
        ({"prune": "cart"}, "cart"),
        ({"honest": True, "minsize": 20}, "of which 30 grow the tree"),
        ({"level": 1.5}, "level"),
    ],
)
def test_wrong_calls_are_refused(planted, options, said):
    with pytest.raises(bi.DesignError) as caught:
        bi.compare_subgroups(planted, **options)
    assert said in str(caught.value)


def test_both_null_distributions_find_the_division_and_say_which_they_are(planted):
    limit = bi.compare_subgroups(planted, tests="asymptotic")
    assert limit.provenance.seed is None
    assert limit.splits()["p_value"].iloc[0] < 1e-4
    assert "by Sidak's method" in limit.rule
    found = bi.compare_subgroups(planted, tests="permutation", level=0.999, seed=1)
    assert found.splits()["p_value"].iloc[0] == pytest.approx(1e-4)
    assert "by permutation of the data sets" in found.rule
    assert found.splits()["p_error"].tolist() == found.splits()["p_value"].tolist()
    assert (limit.tests()["p_error"] == 0).all()
    assert "by permutation" in found.provenance.adjustment
    pd.testing.assert_series_equal(found.tests()["statistic"][:3], limit.tests()["statistic"][:3])


def test_tables_without_features_are_refused():
    scores, _ = simulated(20)
    bare = bi.read_scores(scores, layout="wide-algorithms", measures={"accuracy": "higher"})
    with pytest.raises(bi.DesignError, match="nothing is known of the data sets"):
        bi.compare_subgroups(bare)


@pytest.mark.parametrize("model", ["wins", "mixed"])
def test_data_sets_that_lack_algorithms_are_used_or_named(model):
    scores, features = simulated(70)
    scores.loc[:4, ["a0", "a1"]] = np.nan
    scores.loc[5, ["a0", "a1", "a2", "a3"]] = np.nan
    read = bi.read_scores(
        scores, layout="wide-algorithms", measures={"accuracy": "higher"}, features=features
    )
    found = bi.compare_subgroups(read, model=model)
    lost = found.diagnostics().set_index("check").loc["data sets left out of the tree", "value"]
    assert lost == {"wins": 1, "mixed": 6}[model]
    assert found.splits()["characteristic"].tolist() == ["size"]


def test_domains_are_characteristics():
    scores, features = simulated(40)
    long = scores.melt(id_vars="dataset", var_name="algorithm", value_name="accuracy")
    large = dict(zip(features["dataset"], features["size"] > 2000, strict=True))
    long["domain"] = long["dataset"].map(large).map({True: "large", False: "small"})
    found = bi.compare_subgroups(bi.read_scores(long, measures={"accuracy": "higher"}))
    assert set(found) == {"domain is large", "domain is small"}


@pytest.fixture(scope="module")
def divided(planted):
    return bi.compare_subgroups(planted, seed=1).stability(20, seed=1)


@pytest.mark.slow
def test_subsamples_find_a_planted_division_and_no_other(divided, stable):
    rows = divided.summary().set_index("characteristic")
    assert rows.loc["size", ["chosen", "share_root", "share"]].tolist() == [True, 1, 1]
    low, middle, high = rows.loc["size", ["threshold_low", "threshold", "threshold_high"]]
    assert 1000 < low <= middle <= high < 3000
    assert rows["share"].drop("size").max() <= 0.1
    none = bi.compare_subgroups(stable, seed=1).stability(20, seed=1)
    assert none.summary()["share"].max() <= 0.15
    assert none.undivided >= 0.8
    assert not none.chosen.any()
    bare = replace(none, resample=0 * none.resample)
    with pytest.raises(bi.DesignError, match=r"none of the 20 subsamples is divided.*\n.*tree"):
        bare.plot()
    assert not stability_sections(bare)[0].figures
    assert stability_sections(divided)[0].figures


@pytest.mark.slow
def test_subsamples_are_repeated_saved_drawn_and_refused(divided, planted, tmp_path):
    back = bi.load(divided.save(tmp_path / "stability.json"))
    pd.testing.assert_frame_equal(back.to_frame(), divided.to_frame())
    again = bi.compare_subgroups(planted, seed=1).stability(20, seed=1)
    pd.testing.assert_frame_equal(again.to_frame(), divided.to_frame())
    assert set(divided.summary()) | set(divided.to_frame()) <= set(GLOSSARY)
    first = divided.to_frame().query("resample == 0")
    assert first["characteristic"].tolist() == ["size"]
    for width in ("page", "column"):
        assert faults(bi.plot(divided, width=width)) == ([], [])
    assert "38 of 60 data sets" in divided._repr_html_()
    assert "10.1080/10618600.2018.1473779" in divided.citations()
    small = bi.compare_subgroups(planted, minsize=30, tests="asymptotic")
    assert small.stability(2, seed=1).size == 38
    with pytest.raises(bi.DesignError, match="at least 2"):
        small.stability(1)


@pytest.mark.slow
def test_shares_count_subsamples_and_thresholds_the_uppermost_division(divided):
    """Counted by hand: resample 1 divides by a twice, 2 by b and then a, 3 not at all."""
    found = SubgroupStability(
        setting=divided.setting,
        characteristics=("a", "b"),
        resample=np.array([0, 1, 1, 2, 2]),
        depth=np.array([0, 0, 1, 0, 1]),
        by=np.array([0, 0, 0, 1, 0]),
        threshold=np.array([5.0, 4, 9, np.nan, 6]),
        place=np.array([0.5, 0.4, 0.9, np.nan, 0.6]),
        size=6, total=10, resamples=3, seed=1,
    )  # fmt: skip
    np.testing.assert_allclose(found.share(), [2 / 3, 1 / 3])
    np.testing.assert_allclose(found.share(root=True), [1 / 3, 1 / 3])
    assert found.thresholds(0).tolist() == [4, 6]
    assert found.undivided == pytest.approx(1 / 3)
    assert found.chosen.tolist() == [True, False]
