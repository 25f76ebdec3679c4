"""One contract for every kind of comparison.

Mappings of comparisons (`Comparisons`, `Subgroups`) and descriptions of data sets (`Archetypes`,
`Regions`) have no pairs of their own: their tests stand with them.
"""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes.pairwise.comparison import BayesPairsComparison
from benchinfer.analyses.monitor.comparison import MonitorComparison
from benchinfer.analyses.permutation.comparison import PermutationComparison
from benchinfer.analyses.wins.comparison import WinsComparison
from benchinfer.comparison.figures.ranking import layout as layout_ranking
from benchinfer.comparison.sections import summary as summary_section
from benchinfer.core.frames import GLOSSARY
from tests.properties.said import check_sentences


@pytest.fixture(scope="module")
def scores():
    return bi.load_example("sklearn_bootstrap")


def hierarchical(scores, measure):
    return bi.compare_bayes(scores, measure, draws=100, chains=4, seed=1)


def corani2017(scores, measure):
    return bi.compare_bayes_pairs(scores, measure, test="corani2017", chains=4, draws=100, seed=1)


def signed_rank(scores, measure):
    return bi.compare_bayes_pairs(scores, measure, test="signed-rank", draws=2000, seed=1)


def sign(scores, measure):
    return bi.compare_bayes_pairs(scores, measure, test="sign", seed=1)


def wins_posterior(scores, measure):
    return bi.compare_wins(scores, measure, inference="bayes", draws=100, chains=4, seed=1)


KINDS = [
    bi.compare_points,
    bi.compare_mixed,
    bi.compare_permutation,
    bi.compare_bootstrap,
    hierarchical,
    bi.monitor,
    bi.compare_meta,
    bi.compare_pair,
    bi.compare_wins,
    corani2017,
    signed_rank,
    sign,
    wins_posterior,
]


@pytest.fixture(scope="module", params=KINDS, ids=lambda f: f.__name__)
def asked(request, scores):
    one = request.param is bi.compare_pair  # within one data set
    return request.param, scores.subset(datasets="wine") if one else scores


@pytest.fixture(scope="module")
def result(asked):
    compare, table = asked
    return compare(table, "error")


def test_tables_use_the_glossary(result):
    contrasts, summary, checks = result.contrasts(all=True), result.summary(), result.diagnostics()
    for frame in (contrasts, summary, checks):
        assert set(frame.columns) <= set(GLOSSARY)
        assert not frame.isna().all().any()
    assert list(contrasts.columns[:4]) == ["measure", "first", "second", "estimate"]
    assert list(contrasts.columns[-2:]) == ["verdict", "winner"]
    assert list(summary.columns[:3]) == ["measure", "algorithm", "estimate"]
    columns = ["check", "value", "direction", "limit", "ok", "sentence", "remedy"]
    assert list(checks.columns) == columns
    assert len(contrasts) == 15
    assert len(summary) == 6
    said, held = checks["remedy"].str.len() > 0, checks["direction"] != ""
    assert (said[~checks["ok"]]).all()
    assert not said[checks["ok"] & held].any()


def test_limits_say_on_which_side_checks_pass(result):
    checks = result.diagnostics()
    most, least = (checks["direction"] == name for name in ("at most", "at least"))
    value, limit = checks["value"].round(9), checks["limit"].round(9)
    assert (checks["ok"] == (value <= limit))[most].all()
    assert (checks["ok"] == (value >= limit))[least].all()
    assert (limit.isna() == ~(most | least)).all()
    assert (most | least).any()


def test_relation_says_what_the_contrasts_say(result):
    expected = pd.DataFrame(result.contrasts(all=True))[["first", "second", "verdict", "winner"]]
    pd.testing.assert_frame_equal(result.relation().to_frame(), expected)


def test_estimates_are_differences_of_the_summary(result):
    if isinstance(result, PermutationComparison):
        pytest.skip("Hodges-Lehmann shifts are not differences of levels")
    if isinstance(result, MonitorComparison):
        pytest.skip("pairs that have retired use fewer replications than levels")
    if isinstance(result, BayesPairsComparison):
        pytest.skip("each pair has a model of its own")
    if isinstance(result, WinsComparison):
        pytest.skip("contrasts are odds of winning, levels its probability")
    level = result.summary().set_index("algorithm")["estimate"]
    rows = result.contrasts(all=True)
    difference = level[rows["first"]].to_numpy() - level[rows["second"]].to_numpy()
    np.testing.assert_allclose(rows["estimate"], difference, atol=1e-12)


def test_words(result):
    assert str(result) == result.headline()
    assert "error, lower is better" in result.headline()
    for text in (result.rule, result.method, result.formula, result.scope()):
        assert text == text.strip() != ""
    assert "doi" in result.citations()


def test_provenance(result, asked):
    assert result.provenance.version == bi.__version__
    assert result.provenance.digest == asked[1].digest
    assert result.provenance.arguments["measure"] == "error"
    if hasattr(type(result), "options"):  # which documentation asks of the class
        assert result.options.analysis == result.provenance.analysis


def test_saved_and_loaded_again(result, tmp_path):
    path = result.save(tmp_path / "result.json")
    back = bi.load(path)
    assert type(back) is type(result)
    pd.testing.assert_frame_equal(back.contrasts(all=True), result.contrasts(all=True))
    pd.testing.assert_frame_equal(back.summary(), result.summary())
    pd.testing.assert_frame_equal(back.diagnostics(), result.diagnostics())
    assert back.relation() == result.relation()
    assert back.provenance == result.provenance
    assert back.method == result.method


def test_results_are_frozen_and_hold_no_rows(result):
    with pytest.raises(AttributeError):
        result.level = 0.5
    arrays = [result.setting.quantiles, result.setting.coverage.counts]
    assert max(a.size for a in arrays) <= 12 * 6 * 5


@pytest.mark.slow
def test_figures(result):
    for kind in (None, "hasse", "distributions"):
        assert result.plot(kind).axes


@pytest.mark.slow
def test_tables_and_sentences_for_papers(result):
    table = result.table()
    assert tuple(table.data["algorithm"]) == result.ranking()
    _, *rows = table.texts()
    assert table.to_latex().count(r"\\") == 6 + (2 if r"\cmidrule" in table.to_latex() else 1)
    assert result.sentence().startswith(result.headline())
    at = list(table.data.columns).index("difference")
    assert all(f"{row[0]} ({row[at]}" in result.sentence() for row in rows[1:])


def test_the_ranking_is_that_of_the_levels(result):
    table = result.summary().sort_values("rank")
    assert result.ranking() == tuple(table["algorithm"])


def test_turned_contrasts_say_the_same(result):
    fixed, turned = result.contrasts(all=True), result.contrasts(order="result", all=True)
    place = {name: n for n, name in enumerate(result.ranking())}
    first, second = (turned[side].map(place).to_numpy() for side in ("first", "second"))
    assert (first < second).all()
    rows = list(zip(first.tolist(), second.tolist(), strict=True))
    assert rows == sorted(rows)
    back = turned.sort_index()
    assert (back["winner"] == fixed["winner"]).all()
    neutral = result.measure.neutral
    as_stored = (back["first"] == fixed["first"]).to_numpy()
    for name in ("estimate", "conf_low", "conf_high"):
        if name in fixed:
            other = {"conf_low": "conf_high", "conf_high": "conf_low"}.get(name, name)
            expected = 1 / fixed[other] if neutral else -fixed[other]
            np.testing.assert_allclose(
                back[name], np.where(as_stored, fixed[name], expected), rtol=1e-12
            )
    # Turned by the opposite ranking, every row is the other way round; turned back, as before.
    opposite = result.contrasts(order=result.ranking()[::-1], all=True)
    pd.testing.assert_frame_equal(result.pairs.in_order(opposite), turned, rtol=1e-12)
    assert (opposite["first"].sort_index() == back["second"]).all()


@pytest.mark.parametrize(
    "compare",
    [bi.compare_points, bi.compare_mixed, bi.compare_meta, bi.compare_wins, bi.monitor],
)
def test_other_names_turn_the_same_rows(compare, scores):
    """With names that sort the other way, all pairs are stored the other way."""
    names = sorted(scores.algorithms)
    other = dict(zip(names, reversed("abcdef"), strict=True))
    renamed = scores.to_frame()
    renamed["algorithm"] = renamed["algorithm"].map(other)
    measures = [scores.measure("error")]
    table = bi.read_scores(renamed, measures=measures, resampling="bootstrap")
    expected = compare(scores, "error").contrasts(order="result", all=True).reset_index(drop=True)
    found = compare(table, "error").contrasts(order="result", all=True).reset_index(drop=True)
    back = {new: old for old, new in other.items()}
    for column in ("first", "second", "winner"):
        found[column] = found[column].map(back).fillna("")
    pd.testing.assert_frame_equal(found, expected, rtol=1e-6, atol=1e-9)


NAMES = ("delta", "alpha", "gamma", "beta")


def skewed(kind):
    """One data set turns the mean: delta is best on all others; gamma and beta may tie."""
    rng = np.random.default_rng(5)
    d, r = (1, 40) if kind == "one data set" else (24, 6)
    level = rng.normal(0, 0.05, (d, 1, 1)) + np.array([0.6, 0.58, 0.55, 0.52])[:, None]
    values = level + rng.normal(0, 0.004, (d, 4, r))
    if kind == "one data set":
        values[0, 1, -1] += 8.0
    else:
        values[-1, 1] += 0.9
    if kind == "ties":
        values = values.round(1)
        values[:, 3] = values[:, 2]
    rows = [
        (f"d{m:02}", i, NAMES[k], values[m, k, i])
        for m, k, i in np.ndindex(values.shape)
        if kind != "gaps" or k == 0 or (m + k) % 4
    ]
    columns = ["dataset", "replication", "algorithm", "score"]
    return bi.read_scores(pd.DataFrame(rows, columns=columns), measures="score:higher")


def options(compare, **choices):
    def chosen(scores, measure):
        return compare(scores, measure, **choices)

    chosen.__name__ = " ".join([compare.__name__, *map(str, choices.values())])
    return chosen


TESTED = [
    *KINDS,
    *(
        options(bi.compare_permutation, on=on, pairs=pairs, seed=1)
        for on in ("values", "ranks", "aligned-ranks", "normal-scores", "dispersion")
        for pairs in ("pairwise", "pooled")
    ),
    *(
        options(bi.compare_permutation, on=on, scale="dataset", target="datasets", seed=1)
        for on in ("values", "aligned-ranks")
    ),
    options(bi.compare_wins, by="replications"),
    *(
        options(bi.compare_bootstrap, statistic=s, resamples=1000, seed=1)
        for s in ("mean", "median", "worst", 0.25)
    ),
    *(options(bi.compare_points, statistic=s) for s in ("median", "worst")),
    options(bi.compare_meta, pooling="pairwise"),
    options(bi.monitor, method="anytime"),
    *(options(bi.compare_pair, test=t, seed=1) for t in ("wilcoxon", "sign", "sign-flip")),
]


@pytest.fixture(scope="module")
def skewed_tables():
    kinds = ("skewed", "ties", "gaps", "one data set")
    return {kind: skewed(kind) for kind in kinds}


@pytest.fixture
def found(compare, kind, skewed_tables):
    if (compare, kind) == (corani2017, "ties"):
        pytest.skip("differences that repeat exactly have no posterior")
    one = "compare_pair" in compare.__name__
    return compare(skewed_tables["one data set" if one else kind], "score")


def test_what_checks_found_is_said_in_sentences(result):
    check_sentences(result)


@pytest.mark.parametrize("kind", ["skewed", "ties", "gaps"])
@pytest.mark.parametrize("compare", TESTED, ids=lambda f: f.__name__)
def test_verdict_order_and_level_are_of_one_statistic(found):
    check_sentences(found)
    ranking, summary = found.ranking(), found.summary().set_index("algorithm")
    level = summary["estimate"].loc[list(ranking)].to_numpy()
    level = (1 if found.level_better == "higher" else -1) * level
    if found.levels.order is None:  # else pairs make the order, and levels are each one's own
        assert (np.diff(level) <= 1e-9).all()
    assert (np.diff(summary["rank"].loc[list(ranking)]) >= 0).all()
    named = [(found.headline().find(name), name) for name in ranking]
    assert min(place for place in named if place[0] >= 0)[1] == ranking[0]
    assert summary_section(found).frame["algorithm"].iloc[0] == ranking[0]
    assert found.relation().order == ranking
    assert layout_ranking(found).rows[0].name == ranking[0]
    paper = found.table()
    assert tuple(paper.data["algorithm"]) == ranking
    assert (0, 1) in paper.paper.bold
    place = {name: n for n, name in enumerate(ranking)}
    rows = found.contrasts(all=True)
    decided = rows[rows["verdict"].isin(["first", "second"])]
    losers = decided["first"].where(decided["verdict"] == "second", decided["second"])
    against = [
        (winner, loser)
        for winner, loser in zip(decided["winner"], losers, strict=True)
        if level[place[winner]] < level[place[loser]] - 1e-9
    ]
    marked = {row[0] for row in paper.texts()[1:] if "*" in row[1]}
    assert marked == {name for pair in against for name in pair}
    said = "Against the order of the levels"
    notes = " ".join(layout_ranking(found).notes), summary_section(found).note, found.sentence()
    assert [said in text for text in notes] == [bool(against)] * 3
