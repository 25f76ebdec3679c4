"""Agreement of the verdicts of several analyses of one measure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.comparison.sections import inferential
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count, join, p_value, places, within
from benchinfer.core.verdict import MIRROR, Verdict

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

    comparisons: tuple["Comparison", ...]
    ranking: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    codes: NDArray[np.int8]
    rows: NDArray[np.int64]
    reasons: tuple[str, ...]

    @staticmethod
    def of(comparisons: Sequence["Comparison"]) -> "VerdictAgreement":
        """Put the verdicts of analyses side by side; those of averages of algorithms are left out.

        Parameters
        ----------
        comparisons
            Of one measure, the leading one first.
        """
        single = tuple(c for c in comparisons if not c.sides)
        lead = single[0]
        ranking = lead.ranking()
        named = {frozenset(pair) for pair in lead.named_sides()}
        ordered = ((a, b) for i, a in enumerate(ranking) for b in ranking[i + 1 :])
        pairs = tuple(pair for pair in ordered if frozenset(pair) in named)
        columns = [_Column.of(c, pairs) for c in single]
        codes = np.stack([column.codes for column in columns], axis=1)
        weighs = np.array([column.weighs(lead) for column in columns])
        return VerdictAgreement(
            comparisons=single,
            ranking=ranking,
            pairs=pairs,
            codes=codes,
            rows=np.stack([column.rows for column in columns], axis=1),
            reasons=tuple(
                _reason(columns, p) if _differ(codes[p], weighs) else "" for p in range(len(pairs))
            ),
        )

    @property
    def tested(self) -> NDArray[np.bool_]:
        """(A,) analyses with inference; the others decide every pair."""
        return np.array([inferential(c) for c in self.comparisons])

    @property
    def weighing(self) -> NDArray[np.bool_]:
        """(A,) those with inference that claim the same: others count for no difference."""
        target = self.comparisons[0].target
        return self.tested & np.array([c.target == target for c in self.comparisons])

    @property
    def differing(self) -> NDArray[np.bool_]:
        """(P,) pairs on which analyses that weigh differ, or another one contradicts them."""
        return np.array([_differ(row, self.weighing) for row in self.codes], dtype=np.bool_)

    @property
    def opposed(self) -> NDArray[np.bool_]:
        """(P,) pairs of which two analyses that weigh call different algorithms better."""
        found = self.codes[:, self.weighing]
        return (found == Verdict.FIRST).any(axis=1) & (found == Verdict.SECOND).any(axis=1)

    def table(self) -> "pd.DataFrame":
        """One row per pair and analysis: ``first second analysis verdict reason``."""
        shown = [
            (a, b, c.heading, Verdict(code).label, self.reasons[p])
            for p, (a, b) in enumerate(self.pairs)
            for c, code in zip(self.comparisons, self.codes[p].tolist(), strict=True)
        ]
        names = ("first", "second", "analysis", "verdict", "reason")
        columns = [*zip(*shown, strict=True)] or [()] * len(names)
        return frame({name: list(c) for name, c in zip(names, columns, strict=True)})

    def sentence(self) -> str:
        """Say on how many pairs the analyses agree."""
        names = [
            within(c.heading) for c, t in zip(self.comparisons, self.weighing, strict=True) if t
        ]
        n, differ, against = len(self.pairs), int(self.differing.sum()), int(self.opposed.sum())
        if len(names) < 2:
            return ""
        by = f"{join(names)} give"
        if not differ:
            which = "the pair" if n == 1 else f"each of the {n:,} pairs"
            return f"{by} {which} the same verdict."
        same = f"{by} the same verdict on {n - differ:,} of {count(n, 'pair')}"
        if against:
            return f"{same}; on {against:,} they call different algorithms better."
        return f"{same}; on {differ:,} they differ, and none calls the other algorithm better."


@dataclass(frozen=True, slots=True)
class _Column:
    """Verdicts of one analysis with what they rest on; (P,) arrays."""

    comparison: "Comparison"
    tested: bool
    codes: NDArray[np.int8]
    rows: NDArray[np.int64]
    estimate: NDArray[np.float64]
    found: "pd.DataFrame"

    @staticmethod
    def of(comparison: "Comparison", pairs: Sequence[tuple[str, str]]) -> "_Column":
        found = comparison.contrasts()
        place: dict[tuple[str, str], tuple[int, int]] = {}
        for row, (a, b) in enumerate(zip(found["first"], found["second"], strict=True)):
            place[a, b], place[b, a] = (row, 1), (row, -1)
        known = [place.get(pair, (-1, 1)) for pair in pairs]
        rows = np.array([row for row, _ in known], dtype=np.int64)
        turned = np.array([sign for _, sign in known]) < 0
        codes = np.where(rows < 0, Verdict.MISSING, comparison.codes[rows]).astype(np.int8)
        mirrored = MIRROR[codes]
        effects = comparison.measure.difference(found["estimate"].to_numpy(dtype=float))[rows]
        return _Column(
            comparison,
            inferential(comparison),
            np.where(turned, mirrored, codes),
            rows,
            np.where(turned, -effects, effects),
            found,
        )

    def weighs(self, lead: "Comparison") -> bool:
        """Return whether the analysis has inference, and claims the same as the leading one."""
        return self.tested and self.comparison.target == lead.target

    def value(self, p: int, name: str) -> float:
        """Return a column of the contrasts of a pair, NaN where there is none."""
        if name not in self.found or self.rows[p] < 0:
            return np.nan
        return float(self.found[name].iloc[int(self.rows[p])])

    def strength(self, p: int) -> str:
        """Say the p-value or probability that comes closest to a verdict."""
        shares = [self.value(p, f"prob_{side}") for side in ("first", "equivalent", "second")]
        if not np.isnan(shares).all():
            return f"P {places(2)(float(np.nanmax(shares)))}"
        tests = [self.value(p, "p_value"), self.value(p, "p_equivalence")]
        if np.isnan(tests).all():
            return ""
        said = p_value(float(np.nanmin(tests)))
        return f"p {said}" if said[0] in "<>" else f"p = {said}"

    def near(self, p: int) -> bool:
        """Return whether the verdict is near the limit that decides."""
        alpha = 1 - self.comparison.level
        shares = [self.value(p, f"prob_{side}") for side in ("first", "equivalent", "second")]
        if not np.isnan(shares).all():
            left = 1 - float(np.nanmax(shares))
            return alpha / _NEAR <= left <= alpha * _NEAR
        tests = [self.value(p, "p_value"), self.value(p, "p_equivalence")]
        return any(alpha / _NEAR <= t <= alpha * _NEAR for t in tests if not np.isnan(t))


def _differ(codes: NDArray[np.int8], tested: NDArray[np.bool_]) -> bool:
    """Return whether analyses with inference differ, or one without contradicts them."""
    own = {int(code) for code in codes[tested]} - {int(Verdict.MISSING)}
    better = {int(Verdict.FIRST), int(Verdict.SECOND)}
    return len(own) > 1 or len(better & {int(code) for code in codes}) > 1


def _reason(columns: Sequence[_Column], p: int) -> str:
    """Say why analyses differ on a pair, likely: what each rests on, and how close it is."""
    lead, said = columns[0], list[str]()
    for other in columns[1:]:
        if other.codes[p] in (lead.codes[p], Verdict.MISSING):
            continue
        against = np.sign(lead.estimate[p]) != np.sign(other.estimate[p])
        if other.weighs(lead.comparison) or (other.codes[p] in _DECIDED and against):
            said.append(f"{within(other.comparison.heading)}: {_one_reason(lead, other, p)}")
    return "; ".join(said)


def _one_reason(lead: _Column, other: _Column, p: int) -> str:
    """Say why one analysis gives a pair another verdict than the leading one."""
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
    why = two.decides_sooner if sooner else two.decides_later
    return f"{why} ({both})"
