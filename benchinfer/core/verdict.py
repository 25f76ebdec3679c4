"""The five states of a pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.errors import DesignError, unknown

type States = NDArray[np.int8]
# What undecided and missing pairs may be taken for.
type Undecided = Literal["undecided", "equivalent"]
type Missing = Literal["ignore", "undecided"]


class Verdict(IntEnum):
    """Verdict on a pair (first, second); `label` is the word that tables print."""

    MISSING = 0
    UNDECIDED = 1
    EQUIVALENT = 2
    FIRST = 3
    SECOND = 4

    @property
    def label(self) -> str:
        """The verdict in words: first, second, equivalent, undecided or missing."""
        return self.name.lower()


MIRROR = np.array([0, 1, 2, 4, 3], dtype=np.int8)
WORDS = tuple(verdict.label for verdict in Verdict)
SYMBOLS = {
    Verdict.FIRST: ">",
    Verdict.SECOND: "<",
    Verdict.EQUIVALENT: "~",
    Verdict.UNDECIDED: "?",
    Verdict.MISSING: "",
}
# Shapes before the words in tables, as figures mark them.
SHAPES = {
    Verdict.FIRST: "●",
    Verdict.SECOND: "◆",
    Verdict.EQUIVALENT: "■",
    Verdict.UNDECIDED: "○",
    Verdict.MISSING: "\N{MULTIPLICATION SIGN}",
}


def code(word: object) -> Verdict:
    """Return the verdict of a word, such as "first"."""
    if word not in WORDS:
        raise DesignError(unknown("verdict", word, WORDS))
    return Verdict(WORDS.index(str(word)))


def unrelated(k: int) -> States:
    """Return (K, K) states in which no pair of algorithms was compared."""
    states = np.full((k, k), Verdict.MISSING, dtype=np.int8)
    np.fill_diagonal(states, Verdict.EQUIVALENT)
    return states


def merged(states: States, undecided: str = "undecided", missing: str = "ignore") -> States:
    """Return states with undecided or missing pairs recoded, such as to equivalent."""
    if undecided not in {"undecided", "equivalent"}:
        raise DesignError(unknown("value of undecided", undecided, ["undecided", "equivalent"]))
    if missing not in {"ignore", "undecided"}:
        raise DesignError(unknown("value of missing", missing, ["ignore", "undecided"]))
    mapping = np.arange(5, dtype=np.int8)
    mapping[Verdict.UNDECIDED] = code(undecided)
    if missing == "undecided":
        mapping[Verdict.MISSING] = mapping[Verdict.UNDECIDED]
    return mapping[states]


def verdict_columns(
    sides: Sequence[tuple[str, str]], codes: NDArray[np.int8]
) -> dict[str, list[str]]:
    """Return the columns ``first second verdict winner`` of a table of named pairs."""
    first, second = ([pair[i] for pair in sides] for i in range(2))
    winners: dict[int, list[str]] = {Verdict.FIRST: first, Verdict.SECOND: second}
    return {
        "first": first,
        "second": second,
        "verdict": [Verdict(code).label for code in codes],
        "winner": [winners[c][i] if c in winners else "" for i, c in enumerate(codes.tolist())],
    }


@dataclass(frozen=True, slots=True)
class Comparative:
    """Words for the algorithm that a verdict puts first, and for the other one.

    Attributes
    ----------
    first, second
        Adjectives of the two: better and worse where there is a test, else those of the numbers.
    has
        What the one put first is or has, as legends explain it.
    """

    first: str = "better"
    second: str = "worse"
    has: str = "is better"

    @property
    def words(self) -> dict[str, str]:
        """Words for the algorithm that is named first in a pair, by the label of the verdict."""
        put_first = {"first": self.first, "second": self.second, "missing": "not compared"}
        return {label: label for label in WORDS} | put_first


BETTER = Comparative()


def words(
    verdict: Verdict,
    first: str,
    second: str,
    comparative: Comparative = BETTER,
    equivalent: str = Verdict.EQUIVALENT.label,
) -> str:
    """Return a verdict in words, with the name of the algorithm that it puts first.

    `equivalent` says how much does not matter, where a tolerance is set.

    Examples
    --------
    >>> words(Verdict.SECOND, "rf", "svm")
    'svm better'
    """
    if verdict == Verdict.MISSING:
        return "no data"
    if verdict == Verdict.EQUIVALENT:
        return equivalent
    put_first = {Verdict.FIRST: first, Verdict.SECOND: second}
    return f"{put_first[verdict]} {comparative.first}" if verdict in put_first else verdict.label
