"""Results of frameworks in R: tidymodels, mlr3."""

import re

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names, directed

_YARDSTICK = (
    *("accuracy", "bal_accuracy", "roc_auc", "pr_auc", "f_meas", "precision", "recall", "sens"),
    *("spec", "npv", "ppv", "kap", "mcc", "rsq", "rmse", "mae", "mape", "smape", "mase"),
    *("mn_log_loss", "brier_class"),
)
_MLR3 = re.compile(r"(classif|regr|surv|clust|dens)\.(.+)|time_(train|predict|both)")


def tidymodels(names: Names) -> Format | None:
    """Recognise ``collect_metrics()``, of each resample or of their means."""
    value = next((name for name in (".estimate", "mean") if name in names), None)
    if ".metric" not in names or value is None:
        return None
    model = next((name for name in ("wflow_id", "model", ".config") if name in names), None)
    labels = {name: "replication" for name in ("id", "id2") if name in names and value != "mean"}
    return Format(
        "tidymodels, collect_metrics()",
        {".metric": "measure", value: "value"} | labels | ({model: "algorithm"} if model else {}),
        measures=directed(_YARDSTICK),
    )


def mlr3(names: Names) -> Format | None:
    """Recognise ``score()`` and ``aggregate()`` of a benchmark: a column per measure."""
    if not {"task_id", "learner_id", "resampling_id"} <= set(names):
        return None
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
    labels = {"iteration": "replication"} if "iteration" in names else {}
    return Format(
        "mlr3, score() or aggregate()",
        {"task_id": "dataset", "learner_id": "algorithm"} | labels,
        "wide-measures",
        tuple(measures),
    )
