"""Columns of published errors are never scores."""

import itertools

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import ScoreTableError
from benchinfer.scores.sources.layouts import error_column, error_columns, errors_of_score

STEMS = {
    "std_error": ("stderr", "std_err", "std_error", "standard_error", "se", "Std. Error"),
    "conf_low": ("ci_low", "ci_lower", "conf_low", "ci95_low", "lower"),
    "conf_high": ("ci_high", "ci_upper", "conf_high", "ci95_high", "upper"),
}
SCORES = ("acc", "accuracy", "win_rate", "F1")


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("role", STEMS)
def test_names_of_errors_say_of_what_they_are(score, role):
    for stem, link in itertools.product(STEMS[role], ("_", " ", ".", "-")):
        name = f"{score}{link}{stem}"
        assert error_column(name) == (score.casefold(), role)
        assert error_columns([score, name]) == {name: (score.casefold(), role)}
        assert name not in error_columns(["other", name])


@pytest.mark.parametrize(
    "name",
    ["rmse", "mse", "loss", "base", "closed", "flow", "f1_macro", "upper", "lower", "n", "se"],
)
def test_other_names_are_no_errors(name):
    assert error_columns(["acc", name]) == {}


def table(error_names, seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        {"dataset": f"d{d}", "algorithm": a, "acc": 0.6 + 0.05 * k + rng.normal(0, 0.01)}
        for d in range(6)
        for k, a in enumerate(("ada", "bert", "cleo"))
    ]
    frame = pd.DataFrame(rows)
    half = 1.959963984540054 * 0.01
    for role, name in error_names.items():
        shift = {
            "std_error": 0.01,
            "conf_low": frame["acc"] - half,
            "conf_high": frame["acc"] + half,
        }
        frame[name] = shift[role]
    return frame


NAMES = [
    {"std_error": "acc_stderr"},
    {"std_error": "standard_error"},
    {"conf_low": "ci_low", "conf_high": "ci_high"},
    {"conf_low": "acc_lower", "conf_high": "acc_upper"},
    {"conf_low": "lower", "conf_high": "upper"},
]


@pytest.mark.parametrize("names", NAMES)
def test_no_proposal_and_no_reading_takes_errors_for_scores(names):
    frame = table(names)
    assert errors_of_score(frame.columns, "acc") == names
    by_name = bi.read_scores(frame)
    assert [(m.name, m.better) for m in by_name.measures] == [("acc", "higher")]
    scores = bi.read_scores(frame, measures="acc:higher")
    assert by_name.digest == scores.digest
    assert [measure.name for measure in scores.measures] == ["acc"]
    note = scores.findings().set_index("rule").loc["published errors"]
    assert (note["severity"], note["hint"]) == ("note", "compare_meta weighs by them.")


def test_errors_of_algorithms_are_no_algorithms():
    frame = table({}).pivot_table("acc", "dataset", "algorithm").reset_index()
    frame["ada_stderr"], frame["cleo_stderr"] = 0.01, 0.02
    for options in ({}, {"layout": "wide-algorithms"}):
        scores = bi.read_scores(frame, measures="acc:higher", **options)
        assert scores.algorithms == ("ada", "bert", "cleo")
        assert scores.findings().set_index("rule").loc["published errors", "count"] == 2


@pytest.mark.parametrize("names", NAMES)
def test_effects_are_differences_with_errors_added_up(names):
    frame = table(names)
    effects = bi.read_effects(frame, measures="acc:higher")
    rows = effects.to_frame()
    level = frame.set_index(["dataset", "algorithm"])["acc"]
    expected = [
        level[row.dataset, row.first] - level[row.dataset, row.second] for row in rows.itertuples()
    ]
    assert len(rows) == 18
    np.testing.assert_allclose(rows["estimate"], expected, rtol=1e-12)
    np.testing.assert_allclose(rows["std_error"], 0.01 * np.sqrt(2), rtol=1e-9)
    meta = bi.compare_meta(effects)
    assert str(meta.relation()) == "cleo > bert > ada"


def test_columns_of_other_names_are_declared():
    frame = table({"std_error": "acc_stderr"}).rename(columns={"acc_stderr": "spread of mean"})
    effects = bi.read_effects(frame, measures="acc:higher", columns={"spread of mean": "std_error"})
    np.testing.assert_allclose(effects.std_error, 0.01 * np.sqrt(2), rtol=1e-9)


def test_errors_of_single_runs_are_refused():
    twice = pd.concat([table({"std_error": "stderr"}, seed).assign(seed=seed) for seed in (1, 2)])
    with pytest.raises(ScoreTableError, match="18 of 36 scores with published errors"):
        bi.read_effects(twice, measures="acc:higher")


def test_a_column_that_names_measures_leaves_others_out_of_proposals():
    frame = table({"conf_low": "ci_lower", "conf_high": "ci_upper"})
    frame = frame.rename(columns={"acc": "metric_value"}).assign(metric_name="acc", ece=0.1)
    frame["model"] = frame["algorithm"] + "x"
    scores = bi.read_scores(frame)
    assert [m.name for m in scores.measures] == ["acc"]
    values = scores.to_frame()["value"]
    assert sorted(values) == sorted(frame["metric_value"])
