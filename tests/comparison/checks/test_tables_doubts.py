"""What puts a table in doubt is a row of every analysis, and stands before the headline."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import benchinfer as bi
from benchinfer.cli.app import app
from benchinfer.comparison.checks.caveats import caveats
from benchinfer.comparison.checks.decisions import near_level, within_error
from benchinfer.comparison.wording import scope
from benchinfer.reports.gather import everything, gather
from benchinfer.reports.page import compose
from tests.scores.tables import additive, table


def minus_one():
    values = additive(np.random.default_rng(1), 9, 3)
    values[2, 1] = -1
    return bi.read_scores(table(values), measures="acc:higher")


@pytest.mark.parametrize(
    "compare",
    [
        bi.compare_mixed,
        bi.compare_points,
        bi.compare_wins,
        bi.compare_permutation,
        lambda scores: bi.compare_bootstrap(scores, resample="datasets"),
    ],
)
def test_a_stand_in_is_a_row_of_every_analysis(compare):
    rows = compare(minus_one()).diagnostics().set_index("check")
    assert not rows.loc["stand-ins", "ok"]
    assert "do they stand for missing ones?" in rows.loc["stand-ins", "sentence"]


def test_another_unit_matters_to_means_only():
    values = additive(np.random.default_rng(2), 9, 3)
    values[2] *= 50
    scores = bi.read_scores(table(values), measures="acc:higher")
    assert "unequal spread" in set(bi.compare_mixed(scores).diagnostics()["check"])
    assert "unequal spread" not in set(bi.compare_wins(scores).diagnostics()["check"])
    scaled = bi.compare_mixed(scores.normalise("min-max"))
    assert "unequal spread" not in set(scaled.diagnostics()["check"])


def test_the_command_line_says_doubts_before_the_headline(tmp_path):
    values = additive(np.random.default_rng(2), 9, 3)
    values[2] *= 50
    path = tmp_path / "scores.csv"
    table(values).to_csv(path, index=False)
    for name, said in (("mixed", True), ("points", True), ("wins", False)):
        out = CliRunner().invoke(app, ["compare", name, str(path), "--measures", "score:higher"])
        before = out.output.split("higher is better")[0]
        assert ("unequal spread: on 1 data set" in before) == said


def test_honest_tables_have_no_such_row():
    scores = bi.load_example("simulated/balanced")
    assert not {"stand-ins", "unequal spread"} & set(
        bi.compare_mixed(scores).diagnostics()["check"]
    )


def in_domains(d=12):
    values = additive(np.random.default_rng(3), d, 3)[..., None]
    values = values + 0.01 * np.random.default_rng(4).normal(size=(d, 3, 4))
    frame = table(values)
    frame["domain"] = frame["dataset"].map(lambda name: "abc"[int(name[1:]) % 3])
    return bi.read_scores(frame, measures="acc:higher")


@pytest.mark.parametrize(
    ("compare", "options"),
    [
        (bi.compare_points, {}),
        (bi.compare_mixed, {}),
        (bi.compare_mixed, {"target": "datasets"}),
        (bi.compare_permutation, {}),
        (bi.compare_permutation, {"target": "datasets", "resamples": 999}),
        (bi.compare_bootstrap, {}),
        (bi.compare_bootstrap, {"resample": "datasets"}),
        (bi.compare_wins, {}),
        (bi.compare_wins, {"by": "replications"}),
        (bi.compare_meta, {}),
        (bi.compare_bayes_pairs, {"test": "sign", "seed": 1}),
    ],
)
def test_every_headline_names_the_domains(compare, options):
    assert "3 domains" in compare(in_domains(), **options).headline()


def test_one_domain_needs_no_word():
    frame = in_domains().to_frame()
    frame["domain"] = "a"
    scores = bi.read_scores(frame.drop(columns="measure"), measures="acc:higher")
    for compare in (bi.compare_wins, bi.compare_bootstrap, bi.compare_mixed):
        assert "domains" not in compare(scores).headline()


def test_scope_within_a_domain_names_no_number_of_them():
    setting = bi.compare_mixed(in_domains()).setting
    assert scope(setting, "datasets", "one") == "on average over these 12 data sets"
    assert scope(setting, "datasets") == "on average over these 12 data sets of 3 domains"


def items(right, n=20):
    rows = {f"a{i}": np.r_[np.ones(r), np.zeros(n - r)] for i, r in enumerate(right)}
    frame = pd.DataFrame(rows).rename_axis("item").reset_index()
    return bi.read_scores(
        frame,
        measures="acc:higher",
        layout="wide-algorithms",
        resampling="items",
        columns={"item": "replication"},
    )


def first_section(gathered):
    return compose(gathered).parts[0].sections[0]


@pytest.mark.slow
def test_a_report_of_right_or_wrong_leads_with_exact_tests():
    gathered = everything(items([20, 12, 15]))
    kinds = [type(result).__name__ for result in gathered.results]
    assert kinds == ["PermutationComparison", "PairComparison", "PointsComparison"]
    table = first_section(gathered).evidence[0]
    assert "as scores are 0 or 1" in table.note


def test_a_report_says_doubts_before_the_verdict():
    scores = minus_one()
    local = bi.per_dataset(bi.compare_points, scores)
    first = first_section(gather([bi.compare_points(scores), local], None))
    text = " ".join([*first.text, *(line.text for line in first.attention)])
    assert "do they stand for missing ones?" in text


def test_right_or_wrong_on_one_data_set_is_a_row_but_of_exact_tests():
    scores = items([20, 12])
    for compare in (bi.compare_mixed, bi.compare_points):
        assert "0/1 scores" in compare(scores).diagnostics()["check"].tolist()
    for compare in (bi.compare_permutation, bi.compare_pair):
        assert "0/1 scores" not in compare(scores).diagnostics()["check"].tolist()


def items_of_datasets(d=6, n=30):
    rng = np.random.default_rng(5)
    right = rng.random((d, 3, n)) < np.array([0.8, 0.6, 0.5])[:, None]
    return bi.read_scores(table(right.astype(float)), measures="acc:higher", resampling="items")


@pytest.mark.parametrize("compare", [bi.compare_mixed, bi.compare_permutation, bi.compare_points])
def test_rates_of_several_data_sets_are_an_answer(compare):
    found = compare(items_of_datasets())
    assert "0/1 scores" not in caveats(found)
    rows = found.diagnostics().set_index("check")
    (row,) = [name for name in rows.index if "rates" in name]
    assert rows.loc[row, "ok"]
    assert "count alike" in rows.loc[row, "sentence"]


def test_wins_of_rates_are_said_beforehand():
    said = caveats(bi.compare_wins(items_of_datasets()))
    assert "the rates of the data sets are compared like other scores" in said["0/1 scores"]


def test_algorithms_left_out_that_are_ahead_are_named_beforehand():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(6, 1)) + np.arange(5) + 0.01 * rng.normal(size=(6, 5))
    values[:3, 0] = values[2:, 4] = np.nan  # the lowest, which is ahead, and the highest
    found = bi.compare_points(bi.read_scores(table(values), measures="acc:lower"))
    assert found.setting.algorithms_left_out == ("a00", "a04")
    assert found.setting.ahead_left_out == 1
    assert caveats(found)["left out"].startswith(
        "2 of 5 algorithms lack data sets and are not compared, among them a00: for the data sets"
        " that it is on it does better than any that is compared"
    )
    whole = bi.compare_points(bi.read_scores(table(values[:, 1:4]), measures="acc:lower"))
    assert "left out" not in caveats(whole)


def test_items_as_blocks_are_compared_item_by_item():
    found = bi.compare_permutation(items_of_datasets(), target="datasets", resamples=999)
    assert "0/1 scores" not in caveats(found)


def test_the_advised_analysis_needs_no_word():
    scores = bi.load_example("simulated/balanced")
    assert "another analysis fits" not in caveats(bi.compare_mixed(scores))
    assert caveats(bi.compare_points(scores))["another analysis fits"].startswith(
        "compare_mixed, as"
    )
    two = bi.read_scores(
        table(np.random.default_rng(1).normal(size=(2, 3, 4))),
        measures="acc:higher",
    )
    for target, taken in (("datasets", True), ("domain", False)):
        found = caveats(bi.compare_mixed(two, target=target))
        assert ("another analysis fits" not in found) == taken


def gapped():
    values = additive(np.random.default_rng(1), 8, 4)
    values[:3, 0] = values[3:, 3] = np.nan
    return bi.read_scores(table(values).dropna(), measures="acc:higher")


def test_pairs_that_share_too_few_data_sets_are_said_beforehand():
    found = bi.compare_mixed(gapped())
    told = caveats(found)
    first, second = sorted(found.algorithms[::3], key=found.ranking().index)
    assert told["blocks"].startswith(
        "5 of 6 pairs share fewer than the 8 data sets, and 1 shares none"
        f" ({first} and {second}): what is said of these rests on"
    )
    assert told["few data sets"] == (
        "a test by ranks or signs takes 7 data sets to decide a pair at 5 %, and 5 of 6 pairs have"
        " fewer; verdicts rely on normally distributed differences."
    )
    rows = found.diagnostics().set_index("check")
    assert rows.loc["data sets that a pair shares, fewest", "value"] == 0
    lost = bi.compare_permutation(gapped())
    assert caveats(lost)["blocks"].endswith(f"({first} and {second}).")  # not compared


def test_few_data_sets_are_said_beforehand_where_no_pair_can_be_decided():
    few = bi.read_scores(table(additive(np.random.default_rng(1), 5, 3)), measures="acc:higher")
    # The largest hypothesis has 1 / 16, a pair alone with two thirds of the level.
    assert "0.09375" in caveats(bi.compare_permutation(few))["few data sets"]
    assert "3 of 3 pairs have fewer" in caveats(bi.compare_mixed(few))["few data sets"]
    assert "few data sets" not in caveats(bi.compare_points(few))
    more = bi.read_scores(table(additive(np.random.default_rng(1), 9, 3)), measures="acc:higher")
    assert "few data sets" not in caveats(bi.compare_mixed(more))


def test_documents_and_terminals_say_caveats_once_and_first(tmp_path):
    path = tmp_path / "scores.csv"
    gapped().to_frame().drop(columns="measure").to_csv(path, index=False)
    call = ["compare", "mixed", str(path), "--measures", "acc:higher"]
    out = CliRunner().invoke(app, call).output
    assert out.startswith("blocks: 5 of 6 pairs")
    assert out.count("5 of 6 pairs share") == 1
    document = json.loads(CliRunner().invoke(app, [*call, "--json"]).stdout)
    assert list(document)[:3] == ["analysis", "caveats", "headline"]
    assert list(document["caveats"]) == ["blocks", "few data sets"]


def test_p_values_within_their_monte_carlo_error_of_the_level():
    p, error = np.array([0.049, 0.0455, 0.049, 0.052]), np.array([0.002, 0.002, 0.0, 0.002])
    near = within_error(p, error, 0.05)
    assert near.tolist() == [True, False, False, True]
    pairs = {2: ("b", "c"), 0: ("b", "a"), 3: ("b", "d"), 1: ("c", "a")}
    row = near_level(near, pairs, "More draws.")
    assert not row.ok
    assert row.value == 2
    assert row.sentence.endswith("other random numbers may decide otherwise (b and a; b and d).")
    assert near_level(near & False, pairs, "").ok


def test_random_numbers_are_in_the_method():
    scores = bi.read_scores(table(additive(np.random.default_rng(1), 7, 4)), measures="acc:higher")
    rotated = bi.compare_mixed(scores, seed=4)
    assert (
        "9,999 random rotations were drawn, and 99,999 for p-values near the level; seed 4."
        in rotated.method
    )
    drawn = bi.compare_permutation(scores, null="monte-carlo", resamples=999, seed=3)
    assert "up to 999 were drawn for a test, seed 3." in drawn.method
    exact = bi.compare_permutation(scores)
    assert "seed" not in exact.method
    resampled = bi.compare_bootstrap(scores, resample="datasets", seed=5)
    assert "with replacement, seed 5" in resampled.method
