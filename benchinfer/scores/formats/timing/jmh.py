"""Results of JMH, the Java Microbenchmark Harness."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    facts_of,
    is_score,
    part,
    seconds_of,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "JMH"
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "hr": 3600.0}
_OF_SECONDS = {"time": "s/op", "throughput": "ops/s"}
_FACTS = ("jvm", "vmName", "vmVersion", "jdkVersion", "jmhVersion")


def jmh(records: Sequence[Record], _: str) -> Results | None:
    """Return the mean of each fork of each benchmark of ``-rf json``; its score without raw data.

    ``org.project.Sorting.quick`` with the parameter size is the algorithm ``quick`` on the data set
    ``Sorting/size=1000``. Iterations of a fork share one compilation, so that forks are the
    replications.
    """
    rows: list[dict[str, Any]] = []
    units: dict[str, set[str]] = {}
    scores = 0
    for record in records:
        place, _, method = part(record, "benchmark", str, _TOOL).rpartition(".")
        metric = part(record, "primaryMetric", dict, _TOOL)
        name = "throughput" if record.get("mode") == "thrpt" else "time"
        unit = str(metric.get("scoreUnit"))
        units.setdefault(name, set()).add(unit)
        params = record.get("params")
        held = params.items() if isinstance(params, Mapping) else ()
        dataset = "/".join(
            [place.rpartition(".")[2] or "jmh", *(f"{key}={value}" for key, value in held)]
        )
        forks = _forks(metric.get("rawData"))
        scores += not forks
        labels = {"dataset": dataset, "algorithm": method, "measure": name, "unit": unit}
        rows += [
            labels | {"replication": i, "value": value}
            for i, value in enumerate(forks or [metric.get("score")])
        ]
    for row in rows:
        unit = row.pop("unit")
        if len(units[row["measure"]]) > 1 and is_score(row["value"]):
            row["value"] *= _in_seconds(unit)
    measures = tuple(
        Measure(
            name,
            "higher" if name == "throughput" else "lower",
            unit=next(iter(of)) if len(of) == 1 else _OF_SECONDS[name],
        )
        for name, of in units.items()
    )
    note = f"{scores} scores without the times of iterations" if scores else ""
    return Format(
        _TOOL,
        measures=measures,
        resampling=Resampling("independent", paired=False),
        note=note,
        runs=(facts_of(records[0], *_FACTS),),
    ), rows


def _in_seconds(unit: str) -> float:
    """Return what brings a score in ``us/op`` to ``s/op``, or one in ``ops/us`` to ``ops/s``.

    Examples
    --------
    >>> _in_seconds("ms/op"), _in_seconds("ops/ms")
    (0.001, 1000.0)
    """
    over, _, below = unit.partition("/")
    if over == "ops":
        return 1 / seconds_of(below, _SECONDS, _TOOL)
    return seconds_of(over, _SECONDS, _TOOL)


def _forks(raw: object) -> list[float]:
    """Return the means of the iterations of each fork; none where these are not all numbers."""
    forks = raw if isinstance(raw, list) else []
    means: list[float] = []
    for fork in forks:
        if not isinstance(fork, list) or not fork or not all(map(is_score, fork)):
            return []
        means.append(sum(fork) / len(fork))
    return means
