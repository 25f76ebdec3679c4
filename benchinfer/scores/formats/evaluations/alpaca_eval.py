"""Annotations of AlpacaEval, and its boards."""

from collections.abc import Sequence
from typing import Any, cast

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names, Record, Results, is_score
from benchinfer.scores.resampling import Resampling

_BOARD = ("win_rate", "length_controlled_winrate", "discrete_win_rate")


def annotations(records: Sequence[Record], _: str) -> Results:
    """Return how far each answer is preferred to that of the reference, which is generator_1.

    The tool writes 1 to 2; less 1 that is the share by which the model wins.
    """
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, ...], int] = {}
    sets = {str(record.get("dataset")) for record in records}
    for record in records:
        preference = record.get("preference")
        row: dict[str, Any] = {"dataset": str(record.get("dataset"))} if sets != {"None"} else {}
        row |= {"algorithm": str(record["generator_2"])}
        item = str(record["instruction"])
        place = (*map(str, row.values()), item)
        seen[place] = seen.get(place, 0) + 1
        again = f" ({seen[place]})" if seen[place] > 1 else ""
        value = float(cast("float", preference)) - 1 if is_score(preference) else None
        rows.append(row | {"item": item + again, "preference": value})
    return Format(
        "AlpacaEval, annotations",
        {"item": "replication"},
        "wide-measures",
        (Measure("preference", "higher", bounds=(0.0, 1.0)),),
        Resampling("items"),
        note="preference less 1: 0 is the answer of the reference, 1 that of the model",
    ), rows


def board(names: Names) -> Format:
    """Describe a leaderboard: a row per model, without a name above the models."""
    return Format(
        "AlpacaEval, leaderboard",
        {"": "algorithm"},
        "wide-measures",
        tuple(Measure(n, "higher", bounds=(0.0, 100.0), unit="%") for n in _BOARD if n in names),
        unused=tuple(n for n in names if n not in ("", *_BOARD)),
    )
