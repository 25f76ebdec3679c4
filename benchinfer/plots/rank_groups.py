"""Which algorithms a diagram of mean ranks joins: by bars where these say all, else by letters."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.letters import letters
from benchinfer.order.relation import Verdict

type Codes = NDArray[np.int8]

# Ranks this close are equal: means of the same numbers in another order.
_SAME = 1e-9
_ALPHABET = ascii_lowercase + ascii_uppercase


@dataclass(frozen=True, slots=True)
class Groups:
    """How the verdicts of a comparison stand beside mean ranks.

    Attributes
    ----------
    ties
        Algorithms from the best mean rank on; those of equal rank in one tuple.
    kind
        ``"bars"``, ``"letters"``, or ``"control"`` where each pair known has the control in it.
    bars
        Of bars: first and last index into `ties`, and the level that it is drawn on.
    letters
        Of letters: those of each algorithm, K texts.
    control
        Index of the control, -1 if none.
    missing
        (M, 2) pairs without a verdict.
    """

    ties: tuple[tuple[int, ...], ...]
    kind: str
    bars: tuple[tuple[int, int, int], ...]
    letters: tuple[str, ...]
    control: int
    missing: NDArray[np.int64]


def group(states: Codes, ranks: NDArray[np.float64]) -> Groups:
    """Find out what can be drawn.

    Parameters
    ----------
    states
        (K, K) verdicts, as in `Relation`.
    ranks
        (K,) mean ranks, 1 for the best.

    Notes
    -----
    A pair is joined where its verdict is "undecided" or "equivalent". Bars join runs of mean ranks
    of which all pairs are to be joined; they are exact if that covers each such pair. A pair
    without a verdict is not joined.
    """
    ties = _ties(ranks)
    unknown = np.argwhere(np.triu(states == Verdict.MISSING, 1))
    control = _control(states)
    if control >= 0:
        return Groups(ties, "control", (), (), control, unknown)
    same = (states == Verdict.UNDECIDED) | (states == Verdict.EQUIVALENT)
    runs = _runs(same, ties)
    covered = np.eye(len(states), dtype=np.bool_)
    for first, last in runs:
        members = [m for tie in ties[first : last + 1] for m in tie]
        covered[np.ix_(members, members)] = True
    if (covered | ~same).all():
        return Groups(ties, "bars", _levels(runs), (), -1, unknown)
    order = [m for tie in ties for m in tie]
    texts = [""] * len(order)
    for n, column in enumerate(letters(~same[np.ix_(order, order)])):
        for m in column:
            texts[order[m]] += letter(n)
    return Groups(ties, "letters", (), tuple(texts), -1, unknown)


def letter(n: int) -> str:
    """Return a letter; beyond 52 with a number."""
    again, at = divmod(n, len(_ALPHABET))
    return _ALPHABET[at] + (str(again) if again else "")


def _ties(ranks: NDArray[np.float64]) -> tuple[tuple[int, ...], ...]:
    found: list[list[int]] = []
    for m in np.argsort(ranks, kind="stable").tolist():
        if found and ranks[m] - ranks[found[-1][-1]] <= _SAME:
            found[-1].append(m)
        else:
            found.append([m])
    return tuple(tuple(sorted(tie)) for tie in found)


def _control(states: Codes) -> int:
    """Return the one algorithm that is in each pair known, of three or more algorithms."""
    known = states != Verdict.MISSING
    np.fill_diagonal(known, val=False)
    k, times = len(states), known.sum(axis=1)
    n = int(known.sum()) // 2
    if k > 2 and n and n < k * (k - 1) // 2 and times.max() == n and (times == n).sum() == 1:
        return int(times.argmax())
    return -1


def _runs(same: NDArray[np.bool_], ties: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Return maximal runs of two or more algorithms, all of whose pairs are alike."""

    def alike(first: int, last: int) -> bool:
        members = [m for tie in ties[first : last + 1] for m in tie]
        return bool((same | np.eye(len(same), dtype=np.bool_))[np.ix_(members, members)].all())

    found: list[tuple[int, int]] = []
    for first in range(len(ties)):
        last = first
        while last + 1 < len(ties) and alike(first, last + 1):
            last += 1
        several = last > first or len(ties[first]) > 1
        if several and alike(first, last) and not (found and found[-1][1] >= last):
            found.append((first, last))
    return found


def _levels(runs: Sequence[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    """Put each run on the first level that is free."""
    ends: list[int] = []
    found: list[tuple[int, int, int]] = []
    for first, last in runs:
        level = next((n for n, end in enumerate(ends) if end < first), len(ends))
        ends[level : level + 1] = [last]
        found.append((first, last, level))
    return tuple(found)
