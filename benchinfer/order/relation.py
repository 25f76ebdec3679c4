"""Relations: who is preferred to whom, as far as the evidence says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, NotAWeakOrder, message
from benchinfer.frames import frame
from benchinfer.numerics import poset
from benchinfer.saving import savable
from benchinfer.showable import Showable

if TYPE_CHECKING:
    import pandas as pd


class Verdict(IntEnum):
    """What is known of a pair (first, second); `label` is the word that tables print."""

    MISSING = 0
    UNDECIDED = 1
    EQUIVALENT = 2
    FIRST = 3
    SECOND = 4

    @property
    def label(self) -> str:
        """The verdict in words: first, second, equivalent, undecided or missing."""
        return self.name.lower()


_mirror = np.array([0, 1, 2, 4, 3], dtype=np.int8)


@savable
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Relation(Showable):
    """Preference relation on algorithms, in five states that are never merged.

    Parameters
    ----------
    algorithms
        The K names.
    states
        Integer array (K, K) of `Verdict` codes: ``states[i, j]`` is the verdict of the pair with
        algorithm i first and j second. The mirror entry holds the mirrored verdict; the diagonal
        is ``EQUIVALENT``.
    rule
        The decision rule in words.

    Raises
    ------
    DesignError
        The matrix does not match the names, or is not its own mirror.

    Notes
    -----
    ``str`` writes an order best first with ``>`` for "preferred to", ``~`` for equivalent and ``?``
    for not told apart, whatever the direction of the measure.

    Examples
    --------
    >>> r = Relation.from_pairs(["a", "b", "c"], {("a", "b"): "undecided", ("a", "c"): "first",
    ...                                           ("b", "c"): "first"})
    >>> str(r)
    'a ? b > c'
    """

    algorithms: tuple[str, ...]
    states: NDArray[np.int8]
    rule: str = ""

    def __post_init__(self) -> None:
        k = len(self.algorithms)
        if self.states.shape != (k, k):
            raise DesignError(f"{k} algorithms need a {k} x {k} matrix, not {self.states.shape}.")
        if len(set(self.algorithms)) < k:
            raise DesignError("an algorithm is named twice in a relation.")
        if not np.isin(self.states, list(Verdict)).all():
            raise DesignError("verdicts are coded 0 to 4; see Verdict.")
        wrong = (_mirror[self.states] != self.states.T) | np.diag(
            self.states.diagonal() != Verdict.EQUIVALENT
        )
        if wrong.any():
            i, j = (int(x) for x in np.argwhere(wrong)[0])
            raise DesignError(
                message(
                    f"{int(wrong.sum())} entries do not mirror each other, the first at"
                    f" ({self.algorithms[i]!r}, {self.algorithms[j]!r}).",
                    hint="states[j, i] is FIRST where states[i, j] is SECOND; the diagonal is"
                    " EQUIVALENT.",
                )
            )

    @staticmethod
    def from_pairs(
        algorithms: Sequence[str], verdicts: Mapping[tuple[str, str], str], rule: str = ""
    ) -> "Relation":
        """Build a relation from named pairs; pairs that are not named are ``missing``."""
        index = {name: i for i, name in enumerate(algorithms)}
        if strange := sorted({n for pair in verdicts for n in pair if n not in index}):
            raise DesignError(f"pairs name unknown algorithms: {', '.join(strange)}.")
        pairs = np.array([(index[a], index[b]) for a, b in verdicts], dtype=np.int64).reshape(-1, 2)
        codes = np.array([Verdict[word.upper()] for word in verdicts.values()], dtype=np.int8)
        return Relation.from_codes(tuple(algorithms), pairs, codes, rule)

    @staticmethod
    def from_codes(
        algorithms: tuple[str, ...],
        pairs: NDArray[np.int64],
        codes: NDArray[np.int8],
        rule: str = "",
    ) -> "Relation":
        """Build a relation from index pairs (P, 2) and their verdict codes (P,)."""
        states = np.full((len(algorithms), len(algorithms)), Verdict.MISSING, dtype=np.int8)
        np.fill_diagonal(states, Verdict.EQUIVALENT)
        states[pairs[:, 0], pairs[:, 1]] = codes
        states[pairs[:, 1], pairs[:, 0]] = _mirror[codes]
        return Relation(algorithms, states, rule)

    @property
    def strict(self) -> NDArray[np.bool_]:
        """Boolean (K, K): row algorithm is preferred to column algorithm."""
        return self.states == Verdict.FIRST

    def to_frame(self) -> "pd.DataFrame":
        """One row per pair of algorithms: ``first second verdict winner``."""
        i, j = np.triu_indices(len(self.algorithms), 1)
        names = self.algorithms
        sides = [(names[a], names[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)]
        return frame(verdict_columns(sides, self.states[i, j]))

    def incidence(self) -> "pd.DataFrame":
        """Return the verdicts as words in a square table, rows first, columns second."""
        import pandas as pd

        words = [[Verdict(code).label for code in row] for row in self.states]
        for i in range(len(words)):
            words[i][i] = ""
        return pd.DataFrame(words, index=list(self.algorithms), columns=list(self.algorithms))

    def properties(self) -> dict[str, bool]:
        """Which properties hold for the strict part and for the equivalences.

        Returns
        -------
        dict
            ``complete`` (every pair is decided), ``acyclic``, ``transitive`` (a strict partial
            order), ``weak order`` (every pair was compared, and they make one ranking with ties,
            a tie being any pair that is not strictly decided), ``linear order``, ``equivalence
            transitive``.
        """
        strict, pairs = self.strict, ~np.eye(len(self.algorithms), dtype=np.bool_)
        equal = self.states == Verdict.EQUIVALENT
        known = bool((self.states[pairs] != Verdict.MISSING).all())
        weak = known and poset.is_transitive(strict) and poset.is_negatively_transitive(strict)
        return {
            "complete": bool((self.states[pairs] >= Verdict.EQUIVALENT).all()),
            "acyclic": poset.is_acyclic(strict),
            "transitive": poset.is_transitive(strict),
            "weak order": weak,
            "linear order": weak and bool((strict | strict.T)[pairs].all()),
            "equivalence transitive": poset.is_transitive(equal),
        }

    def violations(self) -> list[tuple[str, str, str, str]]:
        """Return what keeps the relation from being a weak order, as named triples.

        Returns
        -------
        list of (kind, a, b, c)
            ``"intransitive"``: a is preferred to b and b to c, but a is not preferred to c.
            ``"intransitive tie"``: neither a and b nor b and c are told apart, yet a is preferred
            to c. ``"intransitive equivalence"``: a ~ b and b ~ c, but a ~ c is not established.
        """
        strict = self.strict
        tie = ~strict & ~strict.T
        equal = self.states == Verdict.EQUIVALENT
        found = [("intransitive", t) for t in poset.intransitive_triples(strict)]
        found += [
            ("intransitive tie", (a, b, c))
            for a, b, c in poset.intransitive_triples(tie)
            if strict[a, c] and b not in {a, c}
        ]
        found += [
            ("intransitive equivalence", (a, b, c))
            for a, b, c in poset.intransitive_triples(equal)
            if a < c
        ]
        return [(kind, *(self.algorithms[i] for i in triple)) for kind, triple in found]  # pyright: ignore[reportReturnType]

    def is_weak_order(self) -> bool:
        """Whether the strict part is a ranking with ties."""
        return self.properties()["weak order"]

    def ranking(self) -> list[list[str]]:
        """Return the classes of algorithms that are not told apart, best class first.

        Raises
        ------
        NotAWeakOrder
            The strict part is no ranking; the message names a triple that shows it.
        """
        if not self.is_weak_order():
            triples = [v for v in self.violations() if v[0] != "intransitive equivalence"]
            upper = self.states[np.triu_indices(len(self.algorithms), 1)]
            if n := int((upper == Verdict.MISSING).sum()):
                raise NotAWeakOrder(
                    message(
                        f"the relation is not a ranking: {n} of {len(upper)} pairs were not"
                        " compared.",
                        hint="str(relation) says what is established.",
                    )
                )
            raise NotAWeakOrder(
                message(
                    f"the relation is not a ranking: {len(triples)} triples contradict one.",
                    where=[("kind", "a", "b", "c"), *triples],
                    hint="str(relation) and relation.plot() show what is established.",
                )
            )
        return [[self.algorithms[i] for i in level] for level in self._levels()]

    def _levels(self) -> list[list[int]]:
        return poset.levels(self.strict)

    def covers(self) -> list[tuple[str, str]]:
        """Return the cover pairs (better, worse): the lines of the Hasse diagram, best first.

        Where the strict part is not transitive every established preference is returned.
        """
        strict = self.strict
        edges = poset.transitive_reduction(strict) if poset.is_transitive(strict) else strict
        beats, loses = strict.sum(axis=1), strict.sum(axis=0)
        pairs = sorted(
            ((int(i), int(j)) for i, j in np.argwhere(edges)),
            key=lambda pair: (loses[pair[0]] - beats[pair[0]], pair[0], loses[pair[1]], pair[1]),
        )
        return [(self.algorithms[i], self.algorithms[j]) for i, j in pairs]

    def __str__(self) -> str:
        """Write the order best first, or the cover pairs where it is not a weak order."""
        if self.is_weak_order():
            return " > ".join(self._class_text(level) for level in self._levels())
        parts = [", ".join(f"{a} > {b}" for a, b in self.covers())]
        i, j = np.triu_indices(len(self.algorithms), 1)
        for state in (Verdict.EQUIVALENT, Verdict.UNDECIDED, Verdict.MISSING):
            mark = "~" if state == Verdict.EQUIVALENT else "?"
            pairs = [
                f"{self.algorithms[a]} {mark} {self.algorithms[b]}"
                for a, b in zip(i, j, strict=True)
                if self.states[a, b] == state
            ]
            if pairs and state == Verdict.MISSING:
                parts.append(f"not compared: {len(pairs)} of {len(i)} pairs")
            elif pairs:
                parts.append(f"{state.label}: {', '.join(pairs)}")
        return "; ".join(part for part in parts if part)

    def _class_text(self, members: list[int]) -> str:
        """Write a class in an order in which neighbours are equivalent where possible."""
        equal = self.states == Verdict.EQUIVALENT
        chain, rest = [members[0]], members[1:]
        while rest:
            follow = next((m for m in rest if equal[chain[-1], m]), rest[0])
            chain.append(follow)
            rest.remove(follow)
        # "~" between neighbours would suggest that the whole run is equivalent.
        runs = [[chain[0]]]
        for before, after in pairwise(chain):
            whole = all(equal[m, after] for m in runs[-1]) and equal[before, after]
            runs[-1].append(after) if whole else runs.append([after])
        return " ? ".join(" ~ ".join(self.algorithms[m] for m in run) for run in runs)

    def __repr__(self) -> str:
        """Return the order with the number of algorithms."""
        return f"<Relation of {len(self.algorithms)} algorithms: {self}>"

    def __eq__(self, other: object) -> bool:
        """Two relations are equal when their algorithms and verdicts are."""
        return (
            isinstance(other, Relation)
            and self.algorithms == other.algorithms
            and bool((self.states == other.states).all())
        )

    def __hash__(self) -> int:
        """Hash of the algorithms and verdicts."""
        return hash((self.algorithms, self.states.tobytes()))


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
