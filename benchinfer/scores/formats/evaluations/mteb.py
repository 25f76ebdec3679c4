"""Results of MTEB."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    has_record,
    is_blank,
    is_score,
    part,
    records,
)

_TOOL = "MTEB"
_SPLITS = ("test", "validation", "dev")  # the first that is there is the result


def mteb(document: Record, path: Path) -> Results | None:
    """Return the number of each split, subset and metric of one task."""
    splits = document["scores"]
    if not isinstance(splits, Mapping):
        return None
    splits = cast("Record", splits)
    if not any(has_record(entries, "main_score", "hf_subset") for entries in splits.values()):
        return None
    scored = {split: entries for split in splits if (entries := records(splits, split, _TOOL))}
    chosen = next((split for split in _SPLITS if split in scored), None)
    others = [split for split in scored if split != chosen] if chosen is not None else []
    parts = [(s, entry) for s, of in scored.items() if s not in others for entry in of]
    several = len({split for split, _ in parts}) > 1
    names = {"main_score"} | {
        name for _, entry in parts for name, value in entry.items() if is_score(value)
    }
    # Folders are results/MODEL/REVISION/TASK.json, with "__" for the slash of a name.
    folders = path.parts[-3:-1]
    model = document.get("model_name") or (folders[0] if len(folders) == 2 else "?")
    task = part(document, "task_name", str, _TOOL)
    rows: list[dict[str, Any]] = [
        {
            "dataset": "/".join(
                [
                    task,
                    *(s for s in [str(entry.get("hf_subset", "default"))] if s != "default"),
                    *([split] if several else []),
                ]
            ),
            "algorithm": str(model).replace("__", "/"),
            "measure": str(name),
            "value": value if is_score(value) else None,
        }
        for split, entry in parts
        for name, value in entry.items()
        if is_score(value) or (name in names and is_blank(value))
    ]
    note = f"the split {chosen!r} is taken, left out: {', '.join(others)}" if others else ""
    return Format(
        f"{_TOOL}, result of a task", measures=(Measure("main_score", "higher"),), note=note
    ), rows
