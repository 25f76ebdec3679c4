"""Tables for a paper: their numbers are those of the result, rounded."""

import re

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.papers.datasets import LocalLevels
from benchinfer.papers.styler import PaperTable

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"
KINDS = [
    bi.compare_points,
    bi.compare_mixed,
    bi.compare_permutation,
    bi.compare_bootstrap,
    bi.compare_meta,
    bi.compare_wins,
    bi.monitor,
]


@pytest.fixture(scope="module")
def scores():
    return bi.load_example("sklearn_bootstrap")


@pytest.fixture(scope="module", params=KINDS, ids=lambda f: f.__name__)
def result(request, scores):
    drawn = request.param in {bi.compare_permutation, bi.compare_bootstrap}
    return request.param(scores, "error", **({"resamples": 2000, "seed": 1} if drawn else {}))


def number(text):
    return float(text.replace(MINUS, "-").replace(",", "").replace("\N{INFINITY}", "inf"))


def rounds_to(text, value):
    """Whether a text is a value rounded to the text's own digits."""
    if np.isnan(value):
        return text == NONE
    if text == "open":
        return value in (0, np.inf)
    if text[0] in "<>\N{LESS-THAN OR EQUAL TO}":
        bound = number(text[1:])
        return value > bound if text[0] == ">" else value <= bound * (1 + 1e-9) + 5e-5
    step = 10.0 ** -len(text.partition(".")[2])
    return abs(number(text) - value) <= step / 2 * (1 + 1e-6)


def shown(table):
    """Heads and cells as a reader sees them."""
    heads, *rows = table.texts()
    return heads, rows


def test_levels_are_those_of_the_summary(result):
    table = result.table("algorithms")
    summary = result.summary().set_index("algorithm")
    assert tuple(table.data["algorithm"]) == result.ranking()
    for (_, data), row in zip(table.data.iterrows(), shown(table)[1], strict=True):
        own = summary.loc[data["algorithm"]]
        assert data["estimate"] == own["estimate"]
        assert rounds_to(row[1], own["estimate"])
        if "interval" in table.data:
            assert data["interval"] == (own["conf_low"], own["conf_high"])
            low, high = row[2].strip("[]()").split(", ")
            assert rounds_to(low, own["conf_low"])
            assert rounds_to(high, own["conf_high"])
        if "mean_rank" in table.data:
            assert rounds_to(row[-1], own["mean_rank"])


def test_differences_are_those_of_the_contrasts(result):
    """Against every algorithm, whichever way the contrast is stored."""
    stored = result.contrasts(all=True)
    sign = 0 if result.measure.scale == "identity" else 1
    for other in (result.ranking()[0], result.ranking()[2]):
        table = result.table("algorithms", against=other)
        at = list(table.data.columns)
        for (_, data), row in zip(table.data.iterrows(), shown(table)[1], strict=True):
            name = data["algorithm"]
            if name == other:
                assert row[at.index("difference")] == NONE
                continue
            pair = stored[
                stored["first"].isin([name, other]) & stored["second"].isin([name, other])
            ]
            own = pair.iloc[0]
            as_stored = own["first"] == name

            def turned(value, as_stored=as_stored):
                return value if as_stored else (1 / value if sign else -value)

            assert data["difference"] == pytest.approx(turned(own["estimate"]), rel=1e-12)
            assert rounds_to(row[at.index("difference")], turned(own["estimate"]))
            if "difference_interval" in at:
                ends = sorted(turned(own[end]) for end in ("conf_low", "conf_high"))
                text = row[at.index("difference_interval")]
                if own["winner"] and ends[0] < sign < ends[1]:
                    assert text == NONE
                else:
                    assert all(map(rounds_to, text.strip("[]()").split(", "), ends))
                assert data["difference_interval"] == pytest.approx(tuple(ends), rel=1e-12)
            if "p_value" in at:
                assert data["p_value"] == own["p_value"]
                assert rounds_to(row[at.index("p_value")], own["p_value"])
            if own["winner"] and "verdict" in at:
                word = result._comparative
                assert data["verdict"] == (word.first if own["winner"] == name else word.second)


def test_letters_join_what_is_not_told_apart(result):
    data = result.table("algorithms").data.set_index("algorithm")
    for row in result.contrasts(all=True).itertuples():
        one, other = (
            re.findall(r"\(\w+\)|\w", data["letters"][n]) for n in (row.first, row.second)
        )
        assert bool(set(one) & set(other)) == (row.winner == "")


def test_pairs_are_the_contrasts_in_the_order_of_the_result(result):
    table, rows = result.table("pairs"), result.contrasts(order="result", all=True)
    assert table.data["first"].tolist() == rows["first"].tolist()
    assert table.data["estimate"].tolist() == rows["estimate"].tolist()
    words = {"first": result._comparative.first, "second": result._comparative.second}
    assert table.data["verdict"].tolist() == rows["verdict"].replace(words).tolist()
    for (_, row), texts in zip(rows.iterrows(), shown(table)[1], strict=True):
        assert rounds_to(texts[2], row["estimate"])


def test_sentences_have_the_numbers_of_the_table(result):
    table, told = result.table("algorithms"), result.sentence()
    assert told.startswith(result.headline())
    at = list(table.data.columns).index("difference")
    for row in shown(table)[1][1:]:
        assert f"{row[0]} ({row[at]}" in told
    if "p_value" in table.data:
        for row in shown(table)[1][1:]:
            p = row[list(table.data.columns).index("p_value")]
            assert re.search(rf"p (= )?{re.escape(p[0])} ?{re.escape(p[1:])}\)", told)


def test_sentences_say_which_is_subtracted_and_what_checks_found(result):
    told, chosen = result.sentence(), result.ranking()[0]
    link = "minus" if result.measure.scale == "identity" else "divided by"
    assert f"s of each algorithm {link} {chosen}" in told
    # That no tolerance is set is said with the rule, that nothing was tested with the verdict.
    failed = [row for row in result._checks if not row.ok and row.check != "tolerance"]
    for row in failed if result._tested else []:
        assert row.sentence in told
        assert row.check not in told


def test_a_sentence_over_data_sets_counts_verdicts(scores):
    local = bi.per_dataset(bi.compare_mixed, scores, "error")
    table, told = local.contrasts(all=True), local.sentence()
    decided = table["verdict"].isin(["first", "second"])
    assert f"{decided.sum()} of {len(table)} contrasts are decided" in told
    won = int((table["winner"] == "svm").sum())
    lost = int(
        (
            decided & (table["winner"] != "svm") & table.eval("first == 'svm' or second == 'svm'")
        ).sum()
    )
    assert f"svm is better {won} and worse {lost} times" in told
    assert "not over data sets" in told


def test_means_of_data_sets(scores):
    found = bi.compare_permutation(scores, "error", seed=1)
    table = found.table("datasets", scores=scores)
    described = scores.describe("error").set_index(["dataset", "algorithm"])["mean"]
    data = table.data.set_index("dataset")
    assert tuple(data.columns) == found.ranking()
    heads, rows = shown(table)
    for row in rows[:12]:
        values = [described[row[0], name] for name in found.ranking()]
        assert all(map(rounds_to, row[1:], values))
        best = min(values)
        bold = {j for i, j in table.paper.bold if rows[i][0] == row[0]}
        assert 1 + values.index(best) in bold
        assert {row[j] for j in bold} == {row[1 + values.index(best)]}
        np.testing.assert_allclose(data.loc[row[0]].to_numpy(float), values, rtol=1e-12)
    summary = found.summary().set_index("algorithm").loc[list(found.ranking())]
    np.testing.assert_array_equal(data.loc["mean rank"].to_numpy(float), summary["mean_rank"])
    np.testing.assert_array_equal(data.loc["all data sets"].to_numpy(float), summary["estimate"])
    assert heads == ["data set", *found.ranking()]


def test_mean_ranks_are_those_of_the_rows():
    scores = bi.load_example("demsar2006")
    found = bi.compare_mixed(scores)
    data = found.table("datasets", scores=scores).data.set_index("dataset")
    wide = scores.to_frame().pivot_table(index="dataset", columns="algorithm", values="value")
    ranks = wide.rank(axis=1, ascending=False).mean()[list(found.ranking())]
    np.testing.assert_allclose(data.loc["mean rank"].to_numpy(float), ranks)
    np.testing.assert_array_equal(
        data.loc[wide.index].to_numpy(float), wide[list(found.ranking())].to_numpy()
    )


def test_mean_ranks_tie_what_rounding_tells_apart():
    levels = np.array([[0.3, 0.1 + 0.2, 0.5], [0.3, 0.1 + 0.2, 0.1]])
    own = LocalLevels(bi.Measure("s", "lower"), ("d", "e"), tuple("abc"), levels, levels, "means")
    np.testing.assert_array_equal(own.ranks(), [2, 2, 2])


def test_data_sets_need_the_scores_that_were_compared(scores):
    found = bi.compare_points(scores, "error")
    with pytest.raises(bi.DesignError, match="holds no levels"):
        found.table("datasets")
    with pytest.raises(bi.DesignError, match="not those"):
        found.table("datasets", scores=scores.subset(datasets=["wine", "iris"]))


def test_what_is_not_about_the_shown_scores_is_left_out(scores):
    """Ranks, levels and letters of spreads, or of wins, do not stand below means of scores."""
    for found in (
        bi.compare_permutation(scores, "error", on="dispersion", seed=1),
        bi.compare_wins(scores, "error"),
        bi.compare_meta(scores, "error", effect="standardised"),
    ):
        data = found.table("datasets", scores=scores).data
        assert data["dataset"].tolist()[12:] == ["mean rank"]
        means = scores.describe("error").pivot_table("mean", "dataset", "algorithm")
        ranks = means.rank(axis=1).mean()
        np.testing.assert_allclose(data.iloc[-1, 1:].astype(float), ranks[data.columns[1:]])


def test_a_saved_result_has_the_same_table(scores, tmp_path):
    found = bi.compare_mixed(scores, "error")
    back = bi.load(found.save(tmp_path / "found.json"))
    assert back.table().to_latex() == found.table().to_latex()
    assert back.sentence() == found.sentence()


def test_comparisons_per_data_set_have_marks(scores):
    local = bi.per_dataset(bi.compare_points, scores, "error")
    table = local.table()
    heads, rows = shown(table)
    for row in rows[:-1]:
        relation = local[row[0]].relation()
        best = local[row[0]].ranking()[0]
        states = relation.incidence().loc[best]
        for name, text in zip(heads[1:], row[1:], strict=True):
            mark = {"first": "\N{SUPERSCRIPT MINUS}", "equivalent": "\N{SUPERSCRIPT EQUALS SIGN}"}
            assert text.endswith(mark.get(states[name], tuple("0123456789")))
    levels = local.summary().set_index(["dataset", "algorithm"])["estimate"]
    data = table.data.set_index("dataset")
    assert data.loc["wine", "svm"] == levels["wine", "svm"]
    against = local.table(against="cart")
    assert "Against cart" in against.paper.note


def test_families_without_a_contrast_for_each_algorithm_have_pairs(scores):
    for contrasts in ("sequential", "mean"):
        found = bi.compare_mixed(scores, "error", contrasts=contrasts)
        assert list(found.table().data.columns)[:2] == ["first", "second"]
        assert "decided" in found.sentence()


def test_a_control_has_verdicts_in_words(scores):
    found = bi.compare_mixed(scores, "error", control="cart")
    data = found.table().data.set_index("algorithm")
    assert "letters" not in data
    assert data["verdict"].tolist() == ["better", "better", "better", "undecided", "", "undecided"]
    assert shown(found.table("datasets", scores=scores))[1][-1][0] == "against cart"


def test_a_consensus_has_ranks(scores):
    agreed = bi.consensus(bi.per_dataset(bi.compare_points, scores, "error").relations())
    table = agreed.table()
    assert table.data["algorithm"].tolist() == agreed.summary()["algorithm"].tolist()
    assert len(agreed.table(top=2).data) == 2


def test_many_algorithms_have_ranks():
    rng = np.random.default_rng(1)
    names = [f"m{k:02d}" for k in range(15)]
    error = rng.normal(size=(8, 15, 1)) * 0.3 + np.arange(15)[:, None] / 5
    cells = pd.MultiIndex.from_product([range(8), names], names=["dataset", "algorithm"])
    rows = (
        pd.DataFrame({"error": error.ravel()}, index=cells).reset_index().astype({"dataset": str})
    )
    found = bi.compare_mixed(bi.read_scores(rows, measures="error:lower", layout="wide-measures"))
    data = found.table().data.set_index("algorithm")
    contrasts = found.contrasts(all=True)
    for name in names:
        own = contrasts[(contrasts["first"] == name) | (contrasts["second"] == name)]
        better = own["winner"].isin(set(names) - {name}).sum()
        assert data.loc[name, "ranks"] == (1 + better, 15 - (own["winner"] == name).sum())


def test_top_shows_the_first(scores):
    found = bi.compare_mixed(scores, "error")
    table = found.table(top=2)
    assert table.data["algorithm"].tolist() == list(found.ranking()[:2])
    assert "4 algorithms further down left out." in table.paper.note
    assert list(found.table("datasets", scores=scores, top=2).data.columns) == [
        "dataset",
        *found.ranking()[:2],
    ]


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"rows": "nope"}, "rows"),
        ({"top": 0}, "top"),
        ({"against": "nope"}, "nope"),
        ({"rows": "pairs", "against": "svm"}, "pairs"),
    ],
)
def test_refusals(scores, given, match):
    with pytest.raises(bi.DesignError, match=match):
        bi.compare_points(scores, "error").table(**given)


def test_an_algorithm_may_be_called_as_a_column():
    rows = pd.DataFrame(
        [
            (f"d{d}", name, d + k)
            for d in range(4)
            for k, name in enumerate(["dataset", "estimate"])
        ],
        columns=["dataset", "algorithm", "acc"],
    )
    scores = bi.read_scores(rows, measures={"acc": "higher"})
    table = bi.compare_points(scores).table("datasets", scores=scores)
    assert isinstance(table, PaperTable)
    assert list(table.data.columns) == ["dataset_", "estimate", "dataset"]


@pytest.mark.parametrize("write", ["to_markdown", "to_latex", "to_html"])
def test_control_characters_and_changes_of_direction_are_written_by_their_code(write):
    names = ["a\u202eb\x1b[31m", "c\u2066d", "e\x9bf"]
    rows = [(f"d{d}", x, i + d * (i + 2) % 5) for d in range(6) for i, x in enumerate(names)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    table = bi.compare_mixed(bi.read_scores(frame, measures="score:higher")).table()
    text = getattr(table, write)()
    assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert "U+202E" in text
    assert "U+2066" in text


def test_measures_stand_side_by_side_with_letters_and_the_best_in_bold(scores):
    answer = bi.compare(scores)
    table = answer.table()
    levels = answer.levels()
    assert table.data["algorithm"].tolist() == list(levels.index)
    np.testing.assert_array_equal(table.data["error"], levels["error"])
    np.testing.assert_array_equal(table.data["seconds"], levels["seconds"])
    cells = {head: column for head, *column in zip(*table.texts(), strict=True)}
    for name, result in answer.items():
        ranking = result.ranking()
        letters = dict(zip(cells["algorithm"], cells[f"{name}: letters"], strict=True))
        assert letters[ranking[0]].startswith("a")
        rows = result.contrasts()
        for first, second, verdict in zip(
            rows["first"], rows["second"], rows["verdict"], strict=True
        ):
            shared = set(letters[first]) & set(letters[second])
            assert bool(shared) == (verdict not in ("first", "second"))
    markdown = table.to_markdown()
    assert markdown.count("**") == 4  # the best of each measure
    with pytest.raises(bi.DesignError, match="goes with one measure, and there are 2"):
        answer.table("pairs")
    one = bi.compare(scores, "error")
    assert one.table().to_markdown() == one["error"].table().to_markdown()
    assert answer.table(top=2).data["algorithm"].tolist() == list(levels.index[:2])
