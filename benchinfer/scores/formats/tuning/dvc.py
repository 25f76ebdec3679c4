"""Metrics and experiments of DVC."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from benchinfer.scores.columns.roles import COMMON
from benchinfer.scores.formats.format import (
    Format,
    Names,
    Record,
    Results,
    directed,
    has_record,
    is_score,
    part,
    records,
)

_SHOW, _DEEPEST = "DVC, exp show", 20
_SIDES = ("old", "new")
_FIRST = ("Experiment", "rev", "typ", "Created", "parent")
_COLUMNS = ("Experiment", "rev", "State", "measure", "value")


def metrics_diff(document: Record, _: Path) -> Results | None:
    """Return the values of ``metrics diff --json``: of files, metrics and two revisions."""
    rows: list[dict[str, Any]] = []
    if not any(has_record(metrics, *_SIDES, "diff") for metrics in document.values()):
        return None
    for file, metrics in document.items():
        if not isinstance(metrics, Mapping) or not metrics:
            return None
        for name, values in cast("Mapping[str, Any]", metrics).items():
            said = cast("Mapping[str, Any]", values) if isinstance(values, Mapping) else {}
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
        usual = [
            n
            for n in names[len(_FIRST) :]
            if n.replace(":", ".").rpartition(".")[2] in COMMON[role]
        ]
        columns |= dict.fromkeys(usual[:1], role)
    if "algorithm" not in columns.values():
        columns["rev"] = "algorithm"
    note = "the workspace is a row, too, of the rev 'workspace'"
    return Format(_SHOW, columns, "wide-measures", note=note)


def experiment_states(states: Sequence[Record], _: str) -> Results | None:
    """Return the metrics of ``exp show --json``: of the workspace, commits and experiments.

    The workspace is left out where it holds what a commit or an experiment holds.
    """
    each = list(_each(states))
    params, metrics = ([_flat(state, kind) for state, _ in each] for kind in ("params", "metrics"))
    shorter, short = _short(params, _COLUMNS), _short(metrics, ())
    scored = {key for held in metrics for key, value in held.items() if is_score(value)}
    same = [*zip(params, metrics, strict=True)]
    rows: list[dict[str, Any]] = []
    note = ""
    for (state, how), pair in zip(each, same, strict=True):
        if state.get("rev") == "workspace" and same.count(pair) > 1:
            note = "the workspace is left out: another row holds the same"
            continue
        labels: dict[str, Any] = {
            "Experiment": state.get("name") or "",
            "rev": str(state.get("rev"))[:7],
        }
        labels |= {name: pair[0].get(key) for key, name in shorter.items()}
        if state.get("rev") == "workspace":
            labels["rev"] = "workspace"
            note = "the workspace is a row, too, of the rev 'workspace'"
        for key, name in short.items():
            if key in scored:
                value = pair[1].get(key)
                score = {"measure": name, "value": value if is_score(value) else None}
                rows.append(labels | ({"State": how} if how else {}) | score)
    if not rows:
        return None
    if rest := [name for key, name in short.items() if key not in scored]:
        note = "; ".join(filter(None, [note, f"metrics without numbers: {', '.join(rest)}"]))
    held = dict.fromkeys(name for row in rows for name in row if name not in _COLUMNS)
    failed = ["State"] if any("State" in row for row in rows) else []
    form = experiments([*_FIRST, *failed, *held])
    columns = {**form.columns, "measure": "measure", "value": "value"}
    measures = directed(short[key] for key in short if key in scored)
    return replace(form, columns=columns, layout="long", measures=measures, note=note), rows


def _each(states: Sequence[Record]) -> Iterator[tuple[Record, str]]:
    """Yield the states of commits and of experiments from them, and why one has no scores."""
    for state in states:
        yield state, str(_held(state, "error").get("msg", ""))
        for span in records(state, "experiments", _SHOW) if state["experiments"] else []:
            how = str(_held(span, "executor").get("state", "success"))
            for revision in records(span, "revs", _SHOW):
                said = str(_held(revision, "error").get("msg", ""))
                yield revision, said if how == "success" else how.capitalize()


def _held(record: Record, key: str) -> Record:
    """Return the record under a key, which may be missing or null."""
    return {} if record.get(key) is None else part(record, key, dict, _SHOW)


def _flat(state: Record, kind: str) -> dict[tuple[str, str], Any]:
    """Return parameters or metrics by file and name; keys of keys are joined by dots."""
    flat: dict[tuple[str, str], Any] = {}

    def add(file: str, name: str, value: object) -> None:
        if isinstance(value, Mapping) and name.count(".") < _DEEPEST:
            for key, inner in cast("Mapping[str, Any]", value).items():
                add(file, f"{name}.{key}" if name else key, inner)
        elif value is not None:
            flat[file, name or file] = str(value) if isinstance(value, Mapping | list) else value

    files = _held(_held(state, "data"), kind)
    for file in files:
        add(file, "", _held(files, file).get("data"))
    return flat


def _short(
    parts: Sequence[Mapping[tuple[str, str], Any]], others: Sequence[str]
) -> dict[tuple[str, str], str]:
    """Return the name of each value, with its file where other files or columns have it, too."""
    keys = dict.fromkeys(key for part in parts for key in part)
    times = Counter([*(name for _, name in keys), *others])
    return {key: key[1] if times[key[1]] == 1 else ":".join(key) for key in keys}
