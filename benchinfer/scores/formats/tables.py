"""Tables of tools that have one file each, by the names of their columns."""

import re

from benchinfer.core.measure import Measure
from benchinfer.scores.columns.roles import COMMON
from benchinfer.scores.formats.format import Format, Names, directed
from benchinfer.scores.resampling import Resampling

_METRICS = ("auc", "acc", "balacc", "logloss", "mae", "mse", "rmse", "rmsle", "r2", "mase", "smape")
_ERRORS = ("roc_auc", "log_loss", "rmse", "accuracy", "mse", "mae", "r2", "balanced_accuracy")
_YARDSTICK = (
    *("accuracy", "bal_accuracy", "roc_auc", "pr_auc", "f_meas", "precision", "recall", "sens"),
    *("spec", "npv", "ppv", "kap", "mcc", "rsq", "rmse", "mae", "mape", "smape", "mase"),
    *("mn_log_loss", "brier_class"),
)
_MLR3 = re.compile(r"(classif|regr|surv|clust|dens)\.(.+)|time_(train|predict|both)")
_RUN = "tags.mlflow.runName"
_PERCENT = (0.0, 100.0)
_OBJECTIVE = ("objective_name", "objective_value")
_WEKA = (
    Measure("Percent_correct", "higher", bounds=_PERCENT, unit="%"),
    Measure("Percent_incorrect", "lower", bounds=_PERCENT, unit="%"),
    Measure("Kappa_statistic", "higher"),
    Measure("Mean_absolute_error", "lower"),
    Measure("Root_mean_squared_error", "lower"),
    Measure("Relative_absolute_error", "lower"),
    Measure("Root_relative_squared_error", "lower"),
    Measure("Correlation_coefficient", "higher"),
    Measure("Area_under_ROC", "higher", bounds=(0.0, 1.0)),
    Measure("F_measure", "higher", bounds=(0.0, 1.0)),
)


def automl_benchmark(_: Names) -> Format:
    """Describe ``results.csv`` of the AutoML Benchmark: a row per task, framework and fold."""
    return Format(
        "AutoML Benchmark, results.csv",
        {
            "task": "dataset",
            "framework": "algorithm",
            "fold": "replication",
            "result": "value",
            "metric": "measure",
            "info": "failure",
        },
        measures=directed([*_METRICS, *(f"neg_{metric}" for metric in _METRICS)]),
        resampling=Resampling("cv"),
        note="each metric is a measure of its own",
    )


def tab_arena(names: Names) -> Format | None:
    """Describe the results of TabArena and TabRepo: a row per data set, split and method."""
    method = next((name for name in ("framework", "method", "config") if name in names), None)
    if method is None:
        return None
    return Format(
        "TabArena, metric_error",
        {
            "dataset": "dataset",
            "fold": "replication",
            method: "algorithm",
            "metric": "measure",
            "metric_error": "value",
        },
        measures=tuple(Measure(name, "lower", label=f"error by {name}") for name in _ERRORS),
        resampling=Resampling("cv"),
        note="values are errors, lower is better for each metric, roc_auc too",
    )


def mlr3(names: Names) -> Format:
    """Describe ``score()`` and ``aggregate()`` of a benchmark: a column per measure."""
    measures: list[Measure] = []
    for name in names:
        if (match := _MLR3.fullmatch(name)) is None:
            continue
        if name.startswith("time_"):
            measures.append(Measure(name, "lower", unit="s"))
        measures += [
            Measure(name, m.better, bounds=m.bounds)
            for m in directed([match[2]] if match[2] else [])
        ]
    return Format(
        "mlr3, score() or aggregate()",
        {"task_id": "dataset", "learner_id": "algorithm", "iteration": "replication"},
        "wide-measures",
        tuple(measures),
    )


def tidymodels(names: Names) -> Format | None:
    """Describe ``collect_metrics()``, of each resample or of their means."""
    value = next((name for name in (".estimate", "mean") if name in names), None)
    if value is None:
        return None
    model = next((name for name in ("wflow_id", "model", ".config") if name in names), None)
    labels = dict.fromkeys(() if value == "mean" else ("id", "id2"), "replication")
    return Format(
        "tidymodels, collect_metrics()",
        {".metric": "measure", value: "value"} | labels | ({model: "algorithm"} if model else {}),
        measures=directed(_YARDSTICK),
    )


def mlflow(names: Names) -> Format | None:
    """Describe ``search_runs()``: a row per run, columns of metrics, parameters and tags."""
    if not any(name.startswith("metrics.") for name in names):
        return None
    columns = {"status": "failure"}
    for role in ("dataset", "replication", "algorithm"):
        usual = [f"{kind}.{name}" for kind in ("params", "tags") for name in COMMON[role]]
        if there := [name for name in usual if name in names]:
            columns[there[0]] = role
    if "algorithm" not in columns.values():
        columns[_RUN] = "algorithm"
    return Format("MLflow, search_runs()", columns, "metrics.{measure}")


def weights_and_biases(names: Names) -> Format:
    """Describe the table of runs as CSV: a row per run, columns of settings and metrics."""
    usual = [name for name in names if name.casefold() in COMMON["algorithm"]]
    columns = {"State": "failure", (usual or ["Name"])[0]: "algorithm"}
    return Format("Weights & Biases, table of runs", columns, "wide-measures")


def experimenter(names: Names) -> Format:
    """Describe a table of Weka's Experimenter: a row per data set, run, fold and scheme."""
    return Format(
        "Weka, Experimenter",
        {
            "Key_Dataset": "dataset",
            "Key_Run": "replication",
            "Key_Fold": "replication",
            "Key_Scheme": "algorithm",
            "Key_Scheme_options": "algorithm",
        },
        "wide-measures",
        tuple(m for m in _WEKA if m.name in names),
        Resampling("cv" if "Key_Fold" in names else "holdout"),
    )


def solver_benchmark(names: Names) -> Format:
    """Describe ``benchmark_results.csv``: a row per problem, size, solver and version."""
    limit = "Timeout" if "Timeout" in names else ""
    return Format(
        "Open Energy Benchmark, benchmark_results.csv",
        {
            "Benchmark": "dataset",
            "Size": "dataset",
            "Solver": "algorithm",
            "Solver Version": "algorithm",
            "Status": "status" if limit else "failure",
        },
        "wide-measures",
        (
            Measure("Runtime (s)", "lower", unit="s"),
            *(Measure(n, "lower", unit="MB") for n in names if n == "Memory Usage (MB)"),
        ),
        limit=limit,
        unused=("Timeout", "Timestamp"),
    )


def benchopt(names: Names) -> Format:
    """Describe a file of results: a row per data set, objective, solver, repetition and stop."""
    others = [n for n in names if n.startswith("objective_") and n not in _OBJECTIVE]
    return Format(
        "benchopt, results",
        {
            "dataset_name": "dataset",
            "objective_name": "dataset",
            "solver_name": "algorithm",
            "idx_rep": "replication",
        },
        "wide-measures",
        (
            *(Measure(n, "lower") for n in names if n == "objective_value"),
            Measure("time", "lower", unit="s"),
            *(
                Measure(n, m.better, bounds=m.bounds)
                for n in others
                for m in directed([n.removeprefix("objective_")])
            ),
        ),
        note="objective_value is taken as one to be minimised",
        steps="stop_val",
    )
