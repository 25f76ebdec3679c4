"""Metrics and experiments of DVC."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from benchinfer.scores.columns import COMMON
from benchinfer.scores.formats.format import Format, Names, Record, Results, directed, is_score

_SIDES = ("old", "new")


def metrics_diff(document: Record, _: Path) -> Results | None:
    """Return the values of ``metrics diff --json``: of files, metrics and two revisions."""
    rows: list[dict[str, Any]] = []
    for file, metrics in document.items():
        if not isinstance(metrics, Mapping) or not metrics:
            return None
        for name, values in cast("Mapping[str, Any]", metrics).items():
            if not isinstance(values, Mapping) or not {*_SIDES} & set(cast("Any", values)):
                return None
            said = cast("Mapping[str, Any]", values)
            rows += [
                {
                    "dataset": file,
                    "algorithm": side,
                    "measure": name,
                    "value": said[side] if is_score(said.get(side)) else None,
                }
                for side in _SIDES
            ]
    if not rows:
        return None
    measures = directed(name.rpartition(".")[2] for name in {row["measure"] for row in rows})
    known = {m.name: m for m in measures}
    named = [row["measure"] for row in rows if row["measure"] in known]
    return Format(
        "DVC, metrics diff", measures=tuple(known[name] for name in dict.fromkeys(named))
    ), rows


def experiments(names: Names) -> Format:
    """Describe ``exp show --csv``: a row per experiment, columns of metrics and parameters."""
    columns = {"State": "failure"} if "State" in names else {}
    for role in ("algorithm", "dataset", "replication"):
        usual = [n for n in names[5:] if n.replace(":", ".").rpartition(".")[2] in COMMON[role]]
        columns |= dict.fromkeys(usual[:1], role)
    if "algorithm" not in columns.values():
        columns["rev"] = "algorithm"
    note = "the workspace is a row, too, of the rev 'workspace'"
    return Format("DVC, exp show", columns, "wide-measures", note=note)
