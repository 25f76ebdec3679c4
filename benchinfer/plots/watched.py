"""What figures of a monitored experiment share: which pairs are shown, and how each stands."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.phrases import count
from benchinfer.order.relation import Verdict
from benchinfer.plots.style import short
from benchinfer.sequential.course import GO_ON, VERDICTS

if TYPE_CHECKING:
    from benchinfer.sequential.monitor_comparison import MonitorComparison

type Array = NDArray[np.float64]

MOST = 6  # panels


def chosen(result: "MonitorComparison") -> list[int]:
    """Return the pairs that are shown, six at most.

    Those that go on first, as they are what one watches, then the decided ones, then those that
    ended without a verdict; among each the smallest p-values first.
    """
    rank = [0 if e == GO_ON else 1 if VERDICTS[e] > VERDICTS[GO_ON] else 2 for e in ends(result)]
    order = np.lexsort((result.course.p_raw, np.array(rank)))
    return [int(i) for i in order[:MOST]]


def ends(result: "MonitorComparison") -> tuple[str, ...]:
    """Return how each pair stands."""
    return result.course.ends


def names(result: "MonitorComparison", pair: int, limit: int = 14) -> tuple[str, str]:
    """Return the names of a pair, short enough for a panel."""
    first, second = result.named_sides()[pair]
    brief = short([first, second], limit)
    return brief[first], brief[second]


def path(result: "MonitorComparison", pair: int, *columns: str) -> list[Array]:
    """Return columns of the path of a pair; empty ones where nothing was looked at."""
    found = result.course.path
    if not found:
        return [np.zeros(0) for _ in columns]
    mine = found["pair"] == pair
    return [found[name][mine].astype(np.float64) for name in columns]


def standing(result: "MonitorComparison", pair: int) -> str:
    """Say how a pair stands, after how many replications, and its p-value.

    A star marks a provisional p-value.
    """
    c, end = result.course, result.course.ends[pair]
    if not c.used[pair]:
        return "nothing was looked at yet"
    verdict = VERDICTS[end]
    word = {GO_ON: "goes on"}.get(end, end)
    if verdict in (Verdict.FIRST, Verdict.SECOND):
        word = f"{names(result, pair)[0 if verdict == Verdict.FIRST else 1]} better"
    p = float(c.p_value[pair])
    said = "p < 0.0001" if p < 1e-4 else "p > 0.9999" if p > 0.9999 else f"p = {p:.4f}"
    star = "*" if c.provisional[pair] else ""
    return f"{word}; n = {int(c.used[pair]):,}; {said}{star}"


def notes(result: "MonitorComparison", shown: list[int]) -> list[str]:
    """Say what stars are, and which pairs are not shown."""
    found: list[str] = []
    if result.course.provisional[shown].any():
        found.append("* provisional: a part of the level is kept for later stages")
    many = len(result.pairs)
    if len(shown) < many:
        found.append(
            f"{len(shown)} of {count(many, 'pair')}: those that go on first, then the decided ones,"
            " the smallest p-values first"
        )
    return found
