"""Published wins: how often algorithms won against each other, without the scores."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.frames import frame
from benchinfer.measure import Measure
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.select import one_measure

if TYPE_CHECKING:
    import pandas as pd

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Wins:
    """Wins, ties and losses of N pairs of algorithms.

    Made by `read_wins`.

    Attributes
    ----------
    name
        What winning is about, as the name of a measure.
    first, second
        (N,) names; each pair stands once.
    wins, ties, losses
        (N,) how often the first wins, neither does, and the second wins.
    source
        Name of the file or kind of frame.
    notes
        What was found on reading.
    """

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    wins: Array
    ties: Array
    losses: Array
    source: str
    notes: tuple[Finding, ...]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, sorted."""
        return tuple(sorted({*self.first, *self.second}))

    def counts(self) -> tuple[Array, Array, Array]:
        """Return (P,) wins, ties and losses of all pairs i < j of the sorted algorithms."""
        code = {name: k for k, name in enumerate(self.algorithms)}
        k = len(code)
        won, tied = np.zeros((k, k)), np.zeros((k, k))
        i = [code[name] for name in self.first]
        j = [code[name] for name in self.second]
        won[i, j], won[j, i] = self.wins, self.losses
        tied[i, j] = tied[j, i] = self.ties
        upper = np.triu_indices(k, 1)
        return won[upper], tied[upper], won.T[upper]

    def measure(self, name: str | None = None) -> Measure:
        """Give the measure that was compared, by its name or without: more of it wins.

        Raises
        ------
        DesignError
            It has another name.
        """
        return one_measure((Measure(self.name, better="higher"),), name)

    def coverage(self) -> Coverage:
        """Count the contests of each algorithm."""
        wins, ties, losses = self.counts()
        upper = np.triu_indices(len(self.algorithms), 1)
        n = np.zeros((len(self.algorithms),) * 2)
        n[upper] = wins + ties + losses
        found = np.rint((n + n.T).sum(axis=0, keepdims=True)).astype(np.int64)
        return Coverage(
            self.name, (self.source,), self.algorithms, found, found.max(axis=1), self.notes
        )

    def findings(self) -> "pd.DataFrame":
        """Show what was found on reading: ``rule severity count where hint``."""
        return listed(self.notes)

    def to_frame(self) -> "pd.DataFrame":
        """One row per pair: ``first second wins ties losses``."""
        return frame(
            {
                "first": self.first,
                "second": self.second,
                "wins": self.wins,
                "ties": self.ties,
                "losses": self.losses,
            }
        )

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any count or name, not with their order."""
        text = f"{self.name}{self.algorithms}{[x.tolist() for x in self.counts()]}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        """Say how much there is."""
        n = int(self.coverage().found.sum()) // 2
        return (
            f"Wins({self.source}: {len(self.first)} pairs of {len(self.algorithms)} algorithms,"
            f" {n} contests)"
        )
