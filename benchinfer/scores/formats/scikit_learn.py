"""Results of scikit-learn: searches and cross-validation."""

import re
from collections.abc import Mapping
from typing import Any, cast

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names, Rows
from benchinfer.scores.resampling import Resampling

_SPLIT = re.compile(r"split\d+_test_(.+)", re.DOTALL)
_TIMES = ("fit_time", "score_time")
_NOTE = "its scorers give larger scores to what is better"


def search(names: Names) -> Format | None:
    """Recognise ``cv_results_`` of a search: a row per setting, a column per split."""
    measures = dict.fromkeys(match[1] for name in names if (match := _SPLIT.fullmatch(name)))
    if not measures or "params" not in names:
        return None
    return Format(
        "scikit-learn, cv_results_ of a search",
        {"params": "algorithm"},
        "split{replication}_test_{measure}",
        tuple(Measure(name, "higher") for name in measures),
        Resampling("cv"),
        note=_NOTE,
    )


def cross_validation(names: Names) -> Format | None:
    """Recognise a frame of ``cross_validate``: a row per split."""
    measures = [name.removeprefix("test_") for name in names if name.startswith("test_")]
    if not measures or not set(_TIMES) <= set(names):
        return None
    held = tuple(Measure(name, "higher") for name in measures)
    return Format(
        "scikit-learn, cross_validate", {}, "test_{measure}", held, Resampling("cv"), note=_NOTE
    )


def of_results(results: Mapping[str, Any]) -> tuple[Format, Rows] | None:
    """Recognise what ``cross_validate`` returns, by the name of each estimator."""
    if not results or not all(map(_is_result, results.values())):
        return None
    rows: Rows = []
    names = dict[str, None]()
    for algorithm, result in results.items():
        for key, values in cast("Mapping[str, Any]", result).items():
            if key not in _TIMES and not key.startswith("test_"):
                continue
            name = key.removeprefix("test_")
            names |= {name: None} if key not in _TIMES else {}
            rows += [
                {"algorithm": algorithm, "replication": i, "measure": name, "value": value}
                for i, value in enumerate([None] if values is None else values)
            ]
    held = tuple(Measure(name, "higher") for name in names)
    form = Format(
        "scikit-learn, cross_validate", measures=held, resampling=Resampling("cv"), note=_NOTE
    )
    return form, rows


def _is_result(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    keys = [str(key) for key in cast("Mapping[object, object]", value)]
    return set(_TIMES) <= set(keys) and any(key.startswith("test_") for key in keys)
