"""Coverage of a table: cells found and expected, failed runs and missing scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.errors import ScoreTableError, message
from benchinfer.core.frames import frame
from benchinfer.core.result import Readable
from benchinfer.core.saving import SAME, savable, shaped

if TYPE_CHECKING:
    import pandas as pd


from benchinfer.numerics.types import Array, Counts


@savable
@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a check.

    Attributes
    ----------
    rule
        Name of the rule.
    severity
        ``"error"`` (stops reading), ``"warning"`` or ``"note"``.
    count
        How many rows, cells or names are concerned.
    what
        One sentence.
    where
        Header row and the first offenders, as strings.
    hint
        What to do.
    proposes
        Arguments that mend it, each with a value, where an empty one asks for it; of the analysis
        that fits its name as ``analysis``, and the argument that matters.
    near
        The name that was probably meant, where one is not there.
    """

    rule: str
    severity: str
    count: int
    what: str
    where: tuple[tuple[str, ...], ...] = ()
    hint: str = ""
    proposes: tuple[tuple[str, tuple[str, ...] | str], ...] = ()
    near: str = ""


@savable
@shaped(failed="D K [0,inf)", missing="D K [0,inf)")
@dataclass(frozen=True, slots=True)
class Gaps:
    """Scores of one measure that a table lacks.

    Attributes
    ----------
    failed
        (D, K) number of runs that failed: rows without a score.
    missing
        (D, K) number of scores that are missing besides: those of replications that algorithms
        share, else those of empty cells.
    runs
        Algorithm to the number of its runs that failed, most first. Also of data sets and
        algorithms without any score.
    counted
        What failed runs count as, in words; empty where they are left out.
    """

    failed: Counts
    missing: Counts
    runs: Mapping[str, int]
    counted: str = ""


@savable
@shaped(datasets="D", algorithms="K names", counts="D K [0,inf)", expected="D [0,inf)", gaps=SAME)
@dataclass(frozen=True, slots=True, repr=False)
class Coverage(Readable):
    """Counts per cell of one measure, with the findings of the checks.

    Attributes
    ----------
    measure
        Name of the measure.
    datasets, algorithms
        The D and K names, sorted.
    counts
        (D, K) number of scores.
    expected
        (D,) number of replications that the data set has: what a complete cell would hold.
    findings
        What the checks of the table found.
    gaps
        Failed runs and missing scores; None of published results.
    """

    measure: str
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    counts: Counts
    expected: Counts
    findings: tuple[Finding, ...] = ()
    gaps: Gaps | None = None

    @property
    def n(self) -> int:
        """Number of scores."""
        return int(self.counts.sum())

    def description(self) -> str:
        """Return the numbers of scores and of empty and thin cells as text."""
        return (
            f"Coverage({self.measure}: {len(self.datasets)} data sets x {len(self.algorithms)}"
            f" algorithms, {self.n:,} scores; of {self.counts.size:,} cells {len(self.empty):,}"
            f" empty, {len(self.thin)} thin)"
        )

    @property
    def empty(self) -> list[tuple[str, str]]:
        """The (data set, algorithm) cells without a score."""
        return [(self.datasets[d], self.algorithms[k]) for d, k in np.argwhere(self.counts == 0)]

    @property
    def thin(self) -> list[tuple[str, str]]:
        """The (data set, algorithm) cells with some scores, but fewer than expected."""
        some = (self.counts > 0) & (self.counts < self.expected[:, None])
        return [(self.datasets[d], self.algorithms[k]) for d, k in np.argwhere(some)]

    def within(self, table: Coverage) -> Coverage:
        """Return the coverage of a part of a table with the failed runs of the whole table."""
        if self.gaps is None or table.gaps is None:
            return self
        counted, runs = table.gaps.counted, table.gaps.runs
        return replace(self, gaps=replace(self.gaps, runs=runs, counted=counted))

    @property
    def lost(self) -> Array:
        """(D, K) share of each cell without scores: of one with some, the runs that failed."""
        left_out = self.gaps is not None and not self.gaps.counted
        failed = self.gaps.failed if self.gaps is not None and left_out else 0 * self.counts
        share = failed / np.maximum(failed + self.counts, 1)
        return np.where(self.counts == 0, 1.0, share)

    @property
    def shares_lost(self) -> Array:
        """(K,) share of the data sets that each algorithm has no scores on."""
        return self.lost.mean(axis=0)

    def to_frame(self) -> pd.DataFrame:
        """One row per cell: ``dataset algorithm found expected``."""
        d, k = (index.ravel() for index in np.indices(self.counts.shape))
        return frame(
            {
                "dataset": [self.datasets[i] for i in d],
                "algorithm": [self.algorithms[i] for i in k],
                "found": self.counts.ravel(),
                "expected": self.expected[d],
            }
        )


def listed(findings: Sequence[Finding]) -> pd.DataFrame:
    """Return a table of the findings, one row each."""
    where: list[str] = []
    for f in findings:
        header, *rows = f.where or ((),)
        places = [", ".join(f"{a} {b}" for a, b in zip(header, row, strict=True)) for row in rows]
        more = f.count - len(rows)
        places += [f"and {more} more"] if rows and more > 0 else []
        where.append(f.what.removesuffix(".") + (f" ({'; '.join(places)})" if places else ""))
    return frame(
        {
            "rule": [f.rule for f in findings],
            "severity": [f.severity for f in findings],
            "count": np.array([f.count for f in findings], dtype=np.int64),
            "where": where,
            "hint": [f.hint.replace("\n", " ") for f in findings],
        }
    )


def refuse(findings: list[Finding], name: str) -> None:
    """Raise all errors among the findings as one."""
    if any(finding.severity == "error" for finding in findings):
        raise ScoreTableError(refusal(findings, name), findings)


def refusal(findings: Sequence[Finding], name: str) -> str:
    """Return the text of an error on all faults among the findings."""
    errors = [finding for finding in findings if finding.severity == "error"]
    warnings = [finding for finding in findings if finding.severity == "warning"]
    if len(errors) == 1:
        lines = [_text(errors[0])]
    else:
        lines = [f"{len(errors)} faults in {name!r}."]
        for i, finding in enumerate(errors, 1):
            first, *rest = (f"{finding.rule}: " + _text(finding)).splitlines()
            lines += [(f"{i:2}. " + first), *(("    " + line) for line in rest)]
    if warnings:
        lines += ["Also:", *((f"  - {finding.rule}: " + finding.what) for finding in warnings)]
    return "\n".join(lines)


def _text(finding: Finding) -> str:
    lines: list[str] = [message(finding.what, where=finding.where)]
    if finding.where and (more := finding.count - (len(finding.where) - 1)) > 0:
        lines.append(f"    ... and {more} more")
    if finding.hint:
        lines += message("", hint=finding.hint.splitlines()).splitlines()[1:]
    return "\n".join(lines)
