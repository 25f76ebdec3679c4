"""Groups of data sets: what is found, said, drawn, saved and refused."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.subgroups.models import MeansModel
from benchinfer.analyses.subgroups.numerics.worths import worths
from benchinfer.analyses.subgroups.tree import Growth, divisions, grow
from benchinfer.analyses.wins.numerics.likelihood import fit_wins
from benchinfer.analyses.wins.numerics.tally import Tally, count
from benchinfer.core.frames import GLOSSARY
from benchinfer.scores.features import Feature, of_categories
from tests.analyses.subgroups.conftest import simulated, table
from tests.plots.test_boxes import faults

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
    pd.testing.assert_frame_equal(found[name].contrasts(), own.contrasts())
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
        found.summary(), found.contrasts(), found.diagnostics(), found.splits(), found.tests(),
    ):  # fmt: skip
        assert set(frame.columns) <= set(GLOSSARY)
    assert len(found.summary()) == 10
    assert len(found.contrasts()) == 20
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
    pd.testing.assert_frame_equal(back.contrasts(), found.contrasts())
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


def test_reports_show_the_groups(found, tmp_path):
    text = found.report(tmp_path / "one.html").read_text()
    assert "Where: groups of data sets by accuracy" in text
    assert "doi.org/10.1198/106186008X319331" in text


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
    pd.testing.assert_frame_equal(one.contrasts(), two.contrasts())
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
    assert len(divisions(of_categories(list("abcdabcdabcd")), 1)) == 7
    assert len(divisions(of_categories(list("abcdabcdabcd"), list("abcd")), 1)) == 3
    assert len(divisions(Feature(np.array([1.0, 1, 2, 3])), 2)) == 1
    assert len(divisions(Feature(np.ones(4)), 1)) == 0


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
