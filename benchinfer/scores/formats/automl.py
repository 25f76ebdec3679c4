"""Results of benchmarks of machine learning systems: AutoML Benchmark, TabArena."""

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names, directed
from benchinfer.scores.resampling import Resampling

_METRICS = ("auc", "acc", "balacc", "logloss", "mae", "mse", "rmse", "rmsle", "r2", "mase", "smape")
_ERRORS = ("roc_auc", "log_loss", "rmse", "accuracy", "mse", "mae", "r2", "balanced_accuracy")


def automl_benchmark(names: Names) -> Format | None:
    """Recognise ``results.csv``: a row per task, framework and fold."""
    columns = {
        "task": "dataset",
        "framework": "algorithm",
        "fold": "replication",
        "result": "value",
        "metric": "measure",
    }
    if not {*columns, "constraint"} <= set(names):
        return None
    negated = [f"neg_{metric}" for metric in _METRICS]
    return Format(
        "AutoML Benchmark, results.csv",
        columns | ({"info": "failure"} if "info" in names else {}),
        measures=directed([*_METRICS, *negated]),
        resampling=Resampling("cv"),
        note="each metric is a measure of its own",
    )


def tab_arena(names: Names) -> Format | None:
    """Recognise the results of TabArena and TabRepo: a row per data set, split and method."""
    if not {"dataset", "fold", "metric", "metric_error"} <= set(names):
        return None
    method = next((name for name in ("framework", "method", "config") if name in names), None)
    if method is None:
        return None
    errors = [Measure(name, "lower", label=f"error by {name}") for name in _ERRORS]
    return Format(
        "TabArena, metric_error",
        {
            "dataset": "dataset",
            "fold": "replication",
            method: "algorithm",
            "metric": "measure",
            "metric_error": "value",
        },
        measures=tuple(errors),
        resampling=Resampling("cv"),
        note="values are errors, lower is better for each metric, roc_auc too",
    )
