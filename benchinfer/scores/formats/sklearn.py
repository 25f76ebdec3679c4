"""Results of scikit-learn: scores of cross-validation, and those of a search."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names, Record, Results
from benchinfer.scores.resampling import Resampling

_TIMES = ("fit_time", "score_time")
_SCORERS = "its scorers give larger scores to what is better"
_SPLIT = re.compile(r"split\d+_test_(.+)", re.DOTALL)


def search(names: Names) -> Format | None:
    """Describe ``cv_results_`` of a search: a row per setting, a column per split."""
    measures = dict.fromkeys(match[1] for name in names if (match := _SPLIT.fullmatch(name)))
    if not measures:
        return None
    return Format(
        "scikit-learn, cv_results_ of a search",
        {"params": "algorithm"},
        "split{replication}_test_{measure}",
        tuple(Measure(name, "higher") for name in measures),
        Resampling("cv"),
        note=_SCORERS,
    )


def cross_validation(names: Names) -> Format | None:
    """Describe a frame of ``cross_validate``: a row per split."""
    scores = [name.removeprefix("test_") for name in names if name.startswith("test_")]
    measures = tuple(Measure(name, "higher") for name in scores)
    tool = "scikit-learn, cross_validate"
    form = Format(tool, {}, "test_{measure}", measures, Resampling("cv"), note=_SCORERS)
    return form if scores else None


def by_estimator(document: Record, _: Path) -> Results | None:
    """Return what ``cross_validate`` returns, by the name of each estimator."""
    for result in document.values():
        keys = set(map(str, result)) if isinstance(result, Mapping) else set[str]()
        if not {*_TIMES} <= keys or not any(key.startswith("test_") for key in keys):
            return None
    if not document:
        return None
    rows: list[dict[str, Any]] = []
    names = dict[str, None]()
    for algorithm, result in document.items():
        for key, values in cast("Record", result).items():
            if key not in _TIMES and not key.startswith("test_"):
                continue
            name = key.removeprefix("test_")
            names |= {name: None} if key not in _TIMES else {}
            rows += [
                {"algorithm": algorithm, "replication": i, "measure": name, "value": value}
                for i, value in enumerate([None] if values is None else values)
            ]
    measures = tuple(Measure(name, "higher") for name in names)
    tool = "scikit-learn, cross_validate"
    return Format(tool, measures=measures, resampling=Resampling("cv"), note=_SCORERS), rows
