"""Tables of AutoML tools, Optuna and the page of MLflow, recognised by their columns."""

from benchinfer.core.measure import Measure
from benchinfer.scores.columns.roles import COMMON
from benchinfer.scores.formats.format import Format, Names, directed

# Columns of PyCaret whose short names are not those of the measure.
_PYCARET = {"Prec.": "higher", "TT (Sec)": "lower"}
_TRIALS = "trials of a search are no independent replications of an algorithm"
# Columns of MLflow's page that are neither metrics nor parameters.
_PAGE = ("Start Time", "Duration", "Source Type", "Source Name", "User", "Name", "Run ID", "Status")


def pycaret(names: Names) -> Format:
    """Describe the grid of ``compare_models``: a row per model, means over folds."""
    known = directed(name for name in names if name != "Model")
    others = (Measure(n, b) for n, b in _PYCARET.items() if n in names)  # pyright: ignore[reportArgumentType]
    return Format(
        "PyCaret, boards of models",
        {"Model": "algorithm"},
        "wide-measures",
        (*known, *others),
        note="scores are means over folds",
    )


def autogluon(names: Names) -> Format:
    """Describe the leaderboard: a row per model; scores are turned so that higher is better."""
    scores = [Measure(n, "higher") for n in ("score_test", "score_val") if n in names]
    times = [n for n in names if n in ("fit_time", "pred_time_test", "pred_time_val")]
    return Format(
        "AutoGluon, leaderboard()",
        {"model": "algorithm"},
        "wide-measures",
        (*scores, *(Measure(n, "lower", unit="s") for n in times)),
        note="a score is of the metric that eval_metric names, turned so that higher is better",
    )


def optuna_trials(names: Names) -> Format | None:
    """Describe ``trials_dataframe()``: a row per trial."""
    columns = {"state": "failure", "number": "replication"}
    for role in ("algorithm", "dataset"):
        usual = [f"{kind}_{name}" for kind in ("user_attrs", "params") for name in COMMON[role]]
        columns |= dict.fromkeys([name for name in usual if name in names][:1], role)
    if "algorithm" not in columns.values():
        return None
    values = [name for name in names if name == "value" or name.startswith("values_")]
    if values == ["value"]:
        return Format("Optuna, trials_dataframe()", columns | {"value": "value"}, note=_TRIALS)
    return Format("Optuna, trials_dataframe()", columns, "values_{measure}", note=_TRIALS)


def mlflow_page(names: Names) -> Format:
    """Describe the CSV of MLflow's page: a row per run, columns of parameters and metrics."""
    columns = {"Status": "failure"}
    for role in ("dataset", "replication", "algorithm"):
        there = [name for name in names if name.casefold() in COMMON[role] and name not in _PAGE]
        columns |= dict.fromkeys(there[:1], role)
    if "algorithm" not in columns.values():
        columns["Name"] = "algorithm"
    if "replication" not in columns.values():
        columns["Run ID"] = "replication"
    return Format("MLflow, CSV of its page", columns, "wide-measures")
