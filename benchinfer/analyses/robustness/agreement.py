"""Agreement of the verdicts of several analyses of one measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.sections import inferential
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count, join, p_clause, places, within
from benchinfer.core.verdict import MIRROR, Verdict
from benchinfer.numerics.types import Array, Codes, Flags, States

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.comparison import Comparison

_NEAR = 3.0  # p-values within this factor of the limit, and odds of a probability, are near it
_DECIDED = (Verdict.FIRST, Verdict.SECOND, Verdict.EQUIVALENT)


@dataclass(frozen=True, slots=True, eq=False)
class VerdictAgreement:
    """Verdicts of A analyses on P pairs, side by side.

    Attributes
    ----------
    comparisons
        The A analyses; the first one leads.
    ranking
        Algorithms, best first, by the leading analysis.
    pairs
        (P, 2) names, the better ranked first.
    codes
        (P, A) verdicts.
    rows
        (P, A) rows of each pair in the contrasts of each analysis; -1 where there is none.
    reasons
        (P,) likely reason where they differ, else empty.
    """

    comparisons: tuple[Comparison, ...]
    ranking: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    codes: States
    rows: Codes
    reasons: tuple[str, ...]

    @staticmethod
    def of(comparisons: Sequence[Comparison]) -> VerdictAgreement:
        """Collect the verdicts of analyses by pair, without comparisons of averages of algorithms.

        Parameters
        ----------
        comparisons
            Of one measure, the leading one first.
        """
        single = tuple(c for c in comparisons if not c.pairs.averages)
        lead = single[0]
        ranking = lead.ranking()
        named = {frozenset(pair) for pair in lead.pairs.sides}
        ordered = ((a, b) for i, a in enumerate(ranking) for b in ranking[i + 1 :])
        pairs = tuple(pair for pair in ordered if frozenset(pair) in named)
        columns = [_Column.of(c, pairs) for c in single]
        codes = np.stack([column.codes for column in columns], axis=1)
        counted = _counted(single)
        return VerdictAgreement(
            comparisons=single,
            ranking=ranking,
            pairs=pairs,
            codes=codes,
            rows=np.stack([column.rows for column in columns], axis=1),
            reasons=tuple(
                _reasons(columns, counted, p) if _differ(codes[p], counted) else ""
                for p in range(len(pairs))
            ),
        )

    @property
    def tested(self) -> Flags:
        """(A,) analyses with inference; the others decide every pair."""
        return np.array([inferential(c) for c in self.comparisons])

    @property
    def weighing(self) -> Flags:
        """(A,) whether an analysis has inference about the leading one's target."""
        return _counted(self.comparisons)

    @property
    def differing(self) -> Flags:
        """(P,) whether analyses in `weighing` differ, or any other one reverses the direction."""
        return np.array([_differ(row, self.weighing) for row in self.codes], dtype=np.bool_)

    @property
    def common(self) -> Flags:
        """(P,) whether all analyses in `weighing` have compared a pair."""
        return (self.codes[:, self.weighing] != Verdict.MISSING).all(axis=1)

    @property
    def opposed(self) -> Flags:
        """(P,) whether two analyses in `weighing` call different algorithms of a pair better."""
        codes = self.codes[:, self.weighing]
        return (codes == Verdict.FIRST).any(axis=1) & (codes == Verdict.SECOND).any(axis=1)

    def table(self) -> pd.DataFrame:
        """One row per pair and analysis: ``first second analysis verdict reason``."""
        shown = [
            (a, b, c._heading, Verdict(code).label, self.reasons[p])
            for p, (a, b) in enumerate(self.pairs)
            for c, code in zip(self.comparisons, self.codes[p].tolist(), strict=True)
        ]
        names = ("first", "second", "analysis", "verdict", "reason")
        columns = [*zip(*shown, strict=True)] or [()] * len(names)
        return frame({name: list(c) for name, c in zip(names, columns, strict=True)})

    def sentence(self) -> str:
        """Return a sentence on the number of pairs that get the same verdict from all analyses."""
        names = [
            within(c._heading) for c, t in zip(self.comparisons, self.weighing, strict=True) if t
        ]
        n, differ = int(self.common.sum()), int((self.differing & self.common).sum())
        against = int((self.opposed & self.common).sum())
        if len(names) < 2:
            return ""
        if not n:
            return f"{join(names)} have no pair in common."
        by, them = f"{join(names)} give", "both" if len(names) == 2 else "all"
        tested = "" if n == len(self.pairs) else f" that {them} test"
        if n == 1 and differ:
            opposite = "; they call different algorithms better" if against else ""
            return f"{by} the pair{tested} different verdicts{opposite}."
        if not differ:
            which = "the pair" if n == 1 else f"each of the {n:,} pairs"
            return f"{by} {which}{tested} the same verdict."
        same = f"{by} the same verdict on {n - differ:,} of {count(n, 'pair')}{tested}"
        if against:
            return f"{same}; on {against:,} they call different algorithms better."
        return f"{same}; on {differ:,} they differ, but never on which algorithm is better."


@dataclass(frozen=True, slots=True)
class _Column:
    """Verdicts of one analysis with their estimates and contrasts; (P,) arrays."""

    comparison: Comparison
    codes: States
    rows: Codes
    estimate: Array
    contrasts: pd.DataFrame

    @staticmethod
    def of(comparison: Comparison, pairs: Sequence[tuple[str, str]]) -> _Column:
        contrasts = comparison.contrasts(all=True)
        place: dict[tuple[str, str], tuple[int, int]] = {}
        for row, (a, b) in enumerate(zip(contrasts["first"], contrasts["second"], strict=True)):
            place[a, b], place[b, a] = (row, 1), (row, -1)
        known = [place.get(pair, (-1, 1)) for pair in pairs]
        rows = np.array([row for row, _ in known], dtype=np.int64)
        turned = np.array([sign for _, sign in known]) < 0
        codes = np.where(rows < 0, Verdict.MISSING, comparison.pairs.codes[rows]).astype(np.int8)
        estimates = comparison.measure.difference(contrasts["estimate"].to_numpy(dtype=float))
        return _Column(
            comparison,
            np.where(turned, MIRROR[codes], codes),
            rows,
            np.where(turned, -1.0, 1.0) * estimates[rows],
            contrasts,
        )

    def _values(self, p: int, *columns: str) -> list[float]:
        """Return the numbers of a pair in some columns of the contrasts, without missing ones."""
        row = int(self.rows[p])
        known = [name for name in columns if name in self.contrasts and row >= 0]
        values = [float(self.contrasts[name].iloc[row]) for name in known]
        return [value for value in values if not np.isnan(value)]

    def probabilities(self, p: int) -> list[float]:
        """Return the posterior probabilities of the verdicts of a pair, if there are any."""
        return self._values(p, "prob_first", "prob_equivalent", "prob_second")

    def p_values(self, p: int) -> list[float]:
        """Return the p-values of difference and equivalence of a pair, if there are any."""
        return self._values(p, "p_value", "p_equivalence")

    def strength(self, p: int) -> str:
        """Return the p-value or probability that comes closest to a verdict, as text."""
        if probabilities := self.probabilities(p):
            return f"P {places(2)(max(probabilities))}"
        if not (p_values := self.p_values(p)):
            return ""
        return p_clause(min(p_values))

    def near(self, p: int) -> bool:
        """Return whether the p-value or probability of a verdict is near the decision limit."""
        alpha, probabilities = 1 - self.comparison.level, self.probabilities(p)
        values = [1 - max(probabilities)] if probabilities else self.p_values(p)
        return any(alpha / _NEAR <= value <= alpha * _NEAR for value in values)


def _counted(comparisons: Sequence[Comparison]) -> Flags:
    """Return (A,) whether an analysis has inference about the same target as the leading one."""
    target = comparisons[0].target
    return np.array([inferential(c) and c.target == target for c in comparisons])


def _differ(codes: States, counted: Flags) -> bool:
    """Return whether analyses with inference differ, or one without contradicts them."""
    verdicts = {int(code) for code in codes[counted]} - {int(Verdict.MISSING)}
    better = {int(Verdict.FIRST), int(Verdict.SECOND)}
    return len(verdicts) > 1 or len(better & {int(code) for code in codes}) > 1


def _reasons(columns: Sequence[_Column], counted: Flags, p: int) -> str:
    """Return the likely reasons why analyses give a pair different verdicts."""
    lead, reasons = columns[0], list[str]()
    for other, counts in zip(columns[1:], counted[1:], strict=True):
        if other.codes[p] in (lead.codes[p], Verdict.MISSING):
            continue
        against = np.sign(lead.estimate[p]) != np.sign(other.estimate[p])
        if counts or (other.codes[p] in _DECIDED and against):
            reasons.append(f"{within(other.comparison._heading)}: {_reason(lead, other, p)}")
    return "; ".join(reasons)


def _reason(lead: _Column, other: _Column, p: int) -> str:
    """Return the likely reason why two analyses give a pair different verdicts."""
    one, two = lead.comparison, other.comparison
    both = f"{lead.strength(p)}; {other.strength(p)}"
    if np.sign(lead.estimate[p]) != np.sign(other.estimate[p]):
        return "its estimate has the other sign"
    if two.setting.coverage.n != one.setting.coverage.n:
        n, of = two.setting.coverage.n, one.setting.coverage.n
        return f"it rests on {n:,} scores in place of {of:,}"
    if lead.near(p) and other.near(p):
        return f"both near the limit ({both})"
    if Verdict.EQUIVALENT in (lead.codes[p], other.codes[p]) and {
        int(lead.codes[p]),
        int(other.codes[p]),
    } & {int(Verdict.FIRST), int(Verdict.SECOND)}:
        return f"a difference about as large as the tolerance ({both})"
    sooner = other.codes[p] in _DECIDED
    why = two._decides_sooner if sooner else two._decides_later
    return f"{why} ({both})"
