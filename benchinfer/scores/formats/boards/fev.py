"""Results of fev."""

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names

# What tells the tasks of one data set from each other.
_TASK = ("dataset_config", "horizon", "cutoff", "initial_cutoff", "target")


def fev(names: Names) -> Format:
    """Describe a table of results: a row per task and model, with the error by its metric."""
    task = ("task_name",) if "task_name" in names else tuple(n for n in _TASK if n in names)
    return Format(
        "fev",
        {"model_name": "algorithm"} | dict.fromkeys(task, "dataset"),
        "wide-measures",
        (Measure("test_error", "lower"),),
        note="test_error is by the metric of each task",
        unused=tuple(n for n in names if n not in ("model_name", "test_error", *task)),
    )
