"""Directions of names with one meaning."""

import pytest

from benchinfer.scores.roles.directions import HIGHER, LOWER, direction, plain


@pytest.mark.parametrize("name", sorted(HIGHER | LOWER))
@pytest.mark.parametrize("form", ["{}", "test_{}", "{}_mean", "{} (%)"])
def test_each_name_has_its_direction_in_all_spellings(name, form):
    way = "higher" if name in HIGHER else "lower"
    assert direction(form.format(name)) == way
    assert direction(form.format(name.upper())) == way


def test_no_name_has_two_directions():
    assert not HIGHER & LOWER


@pytest.mark.parametrize(
    "name",
    [
        "accuracy_drop",
        "time_to_accuracy",
        "acc_stderr",
        "loss_weight",
        "timestamp",
        "value",
        "score",
        *("error \u2191", "gap \u2191\u2193", "neg_accuracy", "-auc"),
        *("quality", "ndcg_rank", "error_accuracy", "time_step", "f1_gain", "cost_ratio", ""),
    ],
)
def test_other_names_have_none(name):
    assert direction(name) == ""


@pytest.mark.parametrize(
    ("name", "way"),
    [
        *((name, "higher") for name in ("neg_log_loss", "neg_mean_squared_error", "ndcg_cut_10")),
        *(
            (name, "higher")
            for name in ("mean_test_neg_rmse", "-loss", "negative MSE", "XB \u2191")
        ),
        *((name, "lower") for name in ("DB (\u2193)", "log RMSE", "error \u2193")),
        *((name, "lower") for name in ("eval/MSE", "wall time [s]", "real_time_ms")),
    ],
)
def test_names_of_tools_have_the_direction_of_their_measure(name, way):
    assert direction(name) == way


def test_plain_names_are_in_small_letters():
    assert plain("metrics.LogLoss") == "log_loss"
