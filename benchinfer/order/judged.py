"""Pairs of algorithms with their verdicts: what a relation is made of, and what holds of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, message, unknown
from benchinfer.frames import frame
from benchinfer.numerics import order_properties, poset
from benchinfer.order.verdicts import MIRROR, Verdict, verdict_columns
from benchinfer.showable import Showable

if TYPE_CHECKING:
    import pandas as pd


class Violation(NamedTuple):
    """Algorithms that break a property; `c` is empty where two of them do."""

    kind: str
    a: str
    b: str
    c: str = ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class JudgedPairs(Showable):
    """Verdicts of all pairs of algorithms; see `Relation`."""

    algorithms: tuple[str, ...]
    states: NDArray[np.int8]
    rule: str = ""

    def __post_init__(self) -> None:
        k = len(self.algorithms)
        if not k:
            raise DesignError("a relation needs at least one algorithm.")
        if odd := [name for name in self.algorithms if not isinstance(name, str)]:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DesignError(
                message(
                    f"{len(odd)} of {k} names of algorithms are not text, the first {odd[0]!r}.",
                    hint="str(name) makes it so.",
                )
            )
        if self.states.shape != (k, k):
            raise DesignError(f"{k} algorithms need a {k} x {k} matrix, not {self.states.shape}.")
        if len(set(self.algorithms)) < k:
            raise DesignError("an algorithm is named twice in a relation.")
        if not np.isin(self.states, list(Verdict)).all():
            raise DesignError("verdicts are coded 0 to 4; see Verdict.")
        wrong = (MIRROR[self.states] != self.states.T) | np.diag(
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

    @property
    def strict(self) -> NDArray[np.bool_]:
        """Boolean (K, K): row algorithm is preferred to column algorithm."""
        return self.states == Verdict.FIRST

    @property
    def equivalent(self) -> NDArray[np.bool_]:
        """Boolean (K, K): both are equivalent; the diagonal is."""
        return self.states == Verdict.EQUIVALENT

    @property
    def weak(self) -> NDArray[np.bool_]:
        """Boolean (K, K): row algorithm is preferred or equivalent to column algorithm."""
        return self.strict | self.equivalent

    @property
    def kind(self) -> str:
        """The strongest kind of order that the preferences make.

        ``"linear order"``, ``"weak order"``, ``"semiorder"``, ``"interval order"``, ``"partial
        order"``, ``"acyclic"`` or ``"cyclic"``. Pairs without a preference count as ties. With
        missing pairs it is a partial order at most, for ties would then be claims.
        """
        found = order_properties.kind(self.strict)
        stronger = {"linear order", "weak order", "semiorder", "interval order"}
        return "partial order" if found in stronger and self._lacks_pairs() else found

    def _lacks_pairs(self) -> bool:
        return bool((self.states == Verdict.MISSING).any())

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

    def properties(self, part: str | None = None) -> dict[str, bool]:
        """Which properties hold.

        Parameters
        ----------
        part
            ``"strict"``, ``"weak"`` or ``"equivalent"`` for every property of that part as a
            relation of its own (`strict`, `weak`, `equivalent`), in which all other pairs stand in
            no relation.

        Returns
        -------
        dict
            Without `part`: ``complete`` (every pair is decided), ``acyclic``, ``transitive`` (a
            strict partial order), ``weak order`` (every pair was compared, and they make one
            ranking with ties, a tie being any pair that is not strictly decided), ``linear
            order``, ``equivalence transitive``.
        """
        if part is not None:
            return order_properties.properties(self._part(part))
        strict = self.strict
        kind = self.kind
        return {
            "complete": bool((self.states >= Verdict.EQUIVALENT).all()),
            "acyclic": kind != "cyclic",
            "transitive": poset.is_transitive(strict),
            "weak order": kind in {"weak order", "linear order"},
            "linear order": kind == "linear order",
            "equivalence transitive": poset.is_transitive(self.equivalent),
        }

    def _part(self, part: str) -> NDArray[np.bool_]:
        parts = {"strict": self.strict, "weak": self.weak, "equivalent": self.equivalent}
        if part not in parts:
            raise DesignError(unknown("part", part, list(parts)))
        return parts[part]

    def violations(self, of: str | None = None, part: str = "strict") -> list[Violation]:
        """Return the algorithms that break a property.

        Parameters
        ----------
        of
            ``"transitive"``, ``"negatively transitive"``, ``"symmetric"``, ``"antisymmetric"``,
            ``"complete"``, ``"circles of three"`` or ``"transitive ties"``; without it, what keeps
            the relation from being a weak order.
        part
            The part looked at, as in `properties`; for a named property only.

        Returns
        -------
        list of (kind, a, b, c)
            Without `of`: ``"intransitive"``: a is preferred to b and b to c, but a is not preferred
            to c. ``"intransitive tie"``: neither a and b nor b and c are told apart, yet a is
            preferred to c. ``"intransitive equivalence"``: a ~ b and b ~ c, but a ~ c is not
            established.
        """
        if of is not None:
            if of not in order_properties.VIOLATIONS:
                raise DesignError(unknown("property", of, list(order_properties.VIOLATIONS)))
            return self._named(f"not {of}", order_properties.VIOLATIONS[of](self._part(part)))
        strict, equal = self.strict, self.equivalent
        ties = [
            t if strict[t[0], t[2]] else t[::-1] for t in order_properties.intransitive_ties(strict)
        ]
        found = self._named("intransitive", order_properties.intransitive(strict))
        found += self._named("intransitive tie", ties)
        equals = [t for t in order_properties.intransitive(equal) if t[0] < t[2]]
        return found + self._named("intransitive equivalence", equals)

    def _named(self, kind: str, found: order_properties.Tuples) -> list[Violation]:
        return [Violation(kind, *(self.algorithms[i] for i in t)) for t in found]

    def is_weak_order(self) -> bool:
        """Whether every pair was compared and the strict part is a ranking with ties."""
        return self.properties()["weak order"]

    def __eq__(self, other: object) -> bool:
        """Two relations are equal when their algorithms and verdicts are."""
        return (
            isinstance(other, JudgedPairs)
            and self.algorithms == other.algorithms
            and bool((self.states == other.states).all())
        )

    def __hash__(self) -> int:
        """Hash of the algorithms and verdicts."""
        return hash((self.algorithms, self.states.tobytes()))
