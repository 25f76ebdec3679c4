"""The pairs of a comparison with their verdicts, and what is read off them.

Letters, marks, possible ranks and what may be the best follow from the verdicts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.contrasts import ContrastFamily, Oriented
from benchinfer.comparison.evidence import contradicted
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import turned
from benchinfer.core.saving import savable, shaped
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.relations import ranks
from benchinfer.relations.relation import Relation

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.evidence import Level, Setting


@savable
@shaped(algorithms="K names", index="P 2 <K", codes="P <5", sides="P", quality="K", names="P?")
@dataclass(frozen=True, eq=False)
class ComparedPairs:
    """P contrasts of K algorithms with their verdicts, and the order in which people read them.

    Attributes
    ----------
    algorithms
        (K,) names, sorted.
    neutral
        Value of an effect at equality: 0 of differences, 1 of ratios.
    index
        (P, 2) index pairs into the algorithms; -1 for a side that is an average of several.
    codes
        (P,) `Verdict` codes.
    sides
        (P,) names of both sides.
    names
        (P,) names that the user gave to the contrasts, else empty.
    quality
        (K,) what algorithms are ordered by, larger is better.
    directed
        Whether tests are one-sided, so that both sides keep their places.
    undirected
        Columns of the table of contrasts that are the same whichever side stands first.
    """

    algorithms: tuple[str, ...]
    neutral: float
    index: Codes
    codes: States
    sides: tuple[tuple[str, str], ...]
    quality: Array
    names: tuple[str, ...] = ()
    directed: bool = False
    undirected: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise a DesignError where sides are not the algorithms, as in a file that was changed."""
        names = self.algorithms
        sides = ((names[i], names[j]) for i, j in self.index[self.real].tolist())
        if [*sides] != [self.sides[p] for p in np.flatnonzero(self.real).tolist()]:
            raise DesignError("contrasts name others than their algorithms.")

    @staticmethod
    def of(
        family: ContrastFamily,
        setting: Setting,
        codes: States,
        levels: Level,
        *,
        directed: bool = False,
        undirected: tuple[str, ...] = (),
    ) -> ComparedPairs:
        """Return the contrasts of a family that are shown, with their verdicts."""
        shown = family.wanted
        return ComparedPairs(
            algorithms=setting.algorithms,
            neutral=setting.measure.neutral,
            index=family.pairs[shown],
            codes=codes,
            sides=tuple(family.named_sides(setting.algorithms)[shown]),
            quality=levels.quality,
            names=family.names[shown],
            directed=directed,
            undirected=undirected,
        )

    @staticmethod
    def between(
        index: Codes, setting: Setting, codes: States, levels: Level, *, directed: bool = False
    ) -> ComparedPairs:
        """Return pairs (P, 2) of single algorithms with their verdicts."""
        names = setting.algorithms
        return ComparedPairs(
            algorithms=names,
            neutral=setting.measure.neutral,
            index=index,
            codes=codes,
            sides=tuple((names[i], names[j]) for i, j in index.tolist()),
            quality=levels.quality,
            directed=directed,
        )

    def __len__(self) -> int:
        """Return the number of contrasts."""
        return len(self.index)

    @property
    def real(self) -> Flags:
        """(P,) contrasts of two single algorithms."""
        return (self.index >= 0).all(axis=1)

    @property
    def averages(self) -> bool:
        """Whether a side of some contrast is an average of several algorithms."""
        return not self.real.all()

    @property
    def decided(self) -> Flags:
        """(P,) contrasts of which one side is decided to be better."""
        return (self.codes == Verdict.FIRST) | (self.codes == Verdict.SECOND)

    def relation(self, rule: str = "", codes: States | None = None) -> Relation:
        """Return the preference relation, in ranking order, by default of the verdicts."""
        codes, real = self.codes if codes is None else codes, self.real
        ranking = self.ranking
        return Relation.from_codes(self.algorithms, self.index[real], codes[real], rule, ranking)

    @cached_property
    def better(self) -> Flags:
        """(K, K) whether the algorithm of the row is better than that of the column."""
        real = self.real
        return Relation.from_codes(self.algorithms, self.index[real], self.codes[real]).strict

    @cached_property
    def best_first(self) -> tuple[int, ...]:
        """Indices of the algorithms, best first: the one order of figures, tables and sentences.

        Ties go by the number of algorithms that one is decided to be better than, less those better
        than it, then by name.
        """
        net = self.better.sum(axis=1) - self.better.sum(axis=0)
        by_name = np.argsort(np.argsort(np.array(self.algorithms)))
        level = np.where(np.isnan(self.quality), -np.inf, self.quality)
        return tuple(np.lexsort((by_name, -net, -level)).tolist())

    @property
    def ranking(self) -> tuple[str, ...]:
        """Names of the algorithms, best first."""
        return tuple(self.algorithms[i] for i in self.best_first)

    @property
    def may_be_best(self) -> Flags:
        """(K,) algorithms decided to be worse than none; none where verdicts run in circles.

        With verdicts that hold together, the best algorithm is among them.
        """
        return ~self.better.any(axis=0)

    @property
    def possible_ranks(self) -> dict[str, tuple[int, int]]:
        """Smallest and largest rank that the verdicts leave to each algorithm.

        With verdicts that hold together, so do these ranks.
        """
        return ranks.rank_intervals(self.relation())

    def against(self, levels: Array) -> Flags:
        """Return a (P,) mask of the pairs whose verdict contradicts the order of (K,) levels."""
        return contradicted(levels, self.index, self.codes)

    def letters(self) -> dict[str, str]:
        """Return letters in ranking order; empty unless all pairs of algorithms are compared.

        Two that share a letter are undecided or equivalent.
        """
        relation = self.relation()
        if (relation.states == Verdict.MISSING).any():
            return {}
        return ranks.letters(relation, self.ranking)

    def oriented(
        self,
        sides: Sequence[tuple[str, str]] | None = None,
        ranking: Sequence[str] | None = None,
    ) -> Oriented:
        """Return the sides of contrasts by row in ranking order, the better-ranked one first."""
        sides = self.sides if sides is None else sides
        ranking = self.ranking if ranking is None else ranking
        place = {name: n for n, name in enumerate(ranking)}
        last = len(place)  # what no ranking has, such as an average, comes after all algorithms
        at = [(place.get(first, last), place.get(second, last)) for first, second in sides]
        order = sorted(range(len(at)), key=lambda p: (min(at[p]), max(at[p])))
        # Neither the user nor the test has fixed which side stands first.
        free = not self.directed and not self.names
        swapped = [p for p in order if free and at[p][1] < at[p][0] < last]
        return {p: sides[p] for p in order} | {p: (sides[p][1], sides[p][0]) for p in swapped}

    def in_order(
        self,
        table: pd.DataFrame,
        *,
        neutral: float | None = None,
        ranking: Sequence[str] | None = None,
        undirected: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return a table of pairs with the better-ranked algorithm first and rows in ranking order.

        Parameters
        ----------
        table
            With the columns ``first`` and ``second``; what has a side is turned with them.
        neutral
            Value of an effect at equality; by default `neutral`.
        ranking
            Names, best first; by default `ranking`.
        undirected
            Columns that are the same whichever algorithm stands first; by default `undirected`.
        """
        sides = [*zip(table["first"], table["second"], strict=True)]
        pairs = self.oriented(sides, ranking)
        turn = np.array([pairs[p] != side for p, side in enumerate(sides)], dtype=np.bool_)
        undirected = self.undirected if undirected is None else undirected
        neutral = self.neutral if neutral is None else neutral
        return turned(table, turn, neutral, undirected=undirected).iloc[[*pairs]]
