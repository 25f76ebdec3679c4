"""Course of a monitored experiment: decisions by stage, and the runs that they took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.saving import savable, shaped
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes, Flags

if TYPE_CHECKING:
    from benchinfer.analyses.monitor.comparison import MonitorComparison

type Columns = Mapping[str, NDArray[Any]]
GO_ON = "go on"
FUTILE = "futile"
NOT_REJECTED = "not rejected"
BROKEN_DOWN = "broken down"
# States of a pair, each with its verdict.
VERDICTS = {
    "first": Verdict.FIRST,
    "second": Verdict.SECOND,
    "equivalent": Verdict.EQUIVALENT,
    GO_ON: Verdict.UNDECIDED,
    FUTILE: Verdict.UNDECIDED,
    NOT_REJECTED: Verdict.UNDECIDED,
    BROKEN_DOWN: Verdict.UNDECIDED,
}


@savable
@shaped(
    ends="P",
    used="P [0,inf)",
    estimate="P",
    p_value="P [0,1] nan",
    p_raw="P [0,1] nan",
    provisional="P",
    stages="r",
    path="t",
    path_each="e",
    low="P",
    high="P",
    log_e="P",
)
@dataclass(frozen=True, slots=True)
class Course:
    """Current states of P pairs; (P,) arrays.

    Attributes
    ----------
    ends
        One of ``"first"``, ``"second"`` (is better), ``"equivalent"``, ``"futile"``, ``"not
        rejected"`` (at the last stage), ``"broken down"`` (a literal rule) and ``"go on"``.
    used
        Replications per data set that counted.
    estimate
        First minus second, mean over data sets of the mean differences of these.
    p_value, p_raw
        Adjusted for the family, and of the pair alone.
    provisional
        Whether a part of the level is kept for later stages, so that no verdict may rest on the
        p-value.
    stages, path, path_each
        Columns of `MonitorComparison.stages` and `MonitorComparison.path`, the last of the path of
        each data set, empty where there is one; pairs and data sets as index codes, ends of
        intervals as ``low`` and ``high`` on the modelling scale.
    low, high, log_e
        Confidence sequence and log e-values, where the method has them.
    """

    ends: tuple[str, ...]
    used: Codes
    estimate: Array
    p_value: Array
    p_raw: Array
    provisional: Flags
    stages: Columns
    path: Columns
    low: Array | None = None
    high: Array | None = None
    log_e: Array | None = None
    path_each: Columns = field(default_factory=dict[str, NDArray[Any]])

    @property
    def live(self) -> Flags:
        """(P,) the pairs that go on."""
        return np.array([end == GO_ON for end in self.ends])

    @property
    def bounded(self) -> Flags:
        """(P,) the pairs whose confidence sequence has an end by now."""
        if self.low is None or self.high is None:
            return np.zeros(len(self.ends), dtype=np.bool_)
        return ~np.isinf(self.low) | ~np.isinf(self.high)


def table(rows: list[dict[str, object]]) -> Columns:
    """Return the columns of rows, which all have the same names."""
    names = rows[0] if rows else {}
    return {name: np.array([row[name] for row in rows]) for name in names}


def wanted(pairs: Codes, live: Flags, k: int) -> Flags:
    """Return (K,) whether an algorithm is in some pair that goes on."""
    needed = np.zeros(k, dtype=np.bool_)
    needed[pairs[live].ravel()] = True
    return needed


POINTS = 200
_FEWEST = 10  # moments of a data set, of however many


def points(n: int, most: int = POINTS) -> Codes:
    """Return the moments shown out of n: at most `most`, a power of two apart, and the last.

    Those of a longer history are among those of a shorter one, as far as that went.

    Examples
    --------
    >>> points(5), points(11, 4)
    (array([1, 2, 3, 4, 5]), array([ 4,  8, 11]))
    """
    step = 1
    while n > most * step:
        step *= 2
    at = np.arange(step, n + 1, step)
    return at if n % step == 0 else np.append(at, n)


def most_each(n_datasets: int) -> int:
    """Return the number of moments shown for each of several data sets."""
    return min(max(2 * POINTS // n_datasets, _FEWEST), POINTS)


@savable
@shaped(at="q [0,inf)", values="R q")
@dataclass(frozen=True, slots=True)
class Trail:
    """R series of numbers at some of the moments so far."""

    most: int  # the most moments that are kept, apart from the last
    # (q,) the moments, from 1
    at: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    values: Array = field(default_factory=lambda: np.empty((0, 0)))  # (R, q) the numbers

    def after(self, new: Array) -> Trail:
        """Return the trail with (R, n) more moments."""
        before = int(self.at[-1]) if len(self.at) else 0
        at = points(before + new.shape[1], self.most)
        old = self.values[:, np.isin(self.at, at)] if before else np.empty((len(new), 0))
        return Trail(self.most, at, np.hstack([old, new[:, at[at > before] - before - 1]]))


def joined(parts: list[Columns]) -> Columns:
    """Return the concatenated rows of several tables, as columns."""
    names = parts[0] if parts else {}
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of an experiment: of one algorithm, on one replication of one data set each."""

    counted: int  # those that some pair has used
    # Those that may be used at most, as decided pairs retire; None where there is no last stage
    most: int | None
    # Those of all algorithms up to the last stage; None where there is no last stage
    planned: int | None
    ended: bool  # whether no pair goes on

    def __str__(self) -> str:
        """Return a sentence on the numbers of runs counted, planned and saved."""
        if not self.counted:
            return "Nothing is counted before the first stage is whole."
        said = f"{self.counted:,} run{'' if self.counted == 1 else 's'}"
        if self.planned is None or self.most is None:
            return f"{said} counted{'' if self.ended else ' so far; there is no last stage'}."
        saved = self.planned - self.most
        share = f"{saved:,} ({100 * saved / self.planned:.0f} %)"
        if not self.ended and not saved:
            return f"{said} counted so far, of at most {self.planned:,}."
        if not self.ended:
            return (
                f"{said} counted so far; at most {self.most:,} of {self.planned:,} will be needed,"
                f" {share} are saved."
            )
        if not saved:
            return f"All {self.planned:,} planned runs were needed."
        return f"{self.counted:,} of {self.planned:,} planned runs were enough; {share} are saved."


def runs(*results: MonitorComparison) -> Runs:
    """Count the runs of a monitored experiment; results are those of its measures.

    An algorithm is run as long as one of its pairs goes on, on whatever measure; a run gives the
    scores of all measures.
    """
    design, setting = results[0].design, results[0].setting
    d = len(setting.coverage.datasets)
    last = None if design.last_stage is None else design.last_stage * design.stage
    pairs = np.vstack([one.pairs.index for one in results])
    used = np.concatenate([one.course.used for one in results])
    live = np.concatenate([one.course.live for one in results])
    counted, most = 0, 0
    watched = np.unique(pairs)
    for k in watched:
        mine = (pairs == k).any(axis=1)
        most_used = int(used[mine].max())
        counted += d * most_used
        most += d * (last if last is not None and live[mine].any() else most_used)
    if last is None:
        return Runs(counted, None, None, not live.any())
    return Runs(counted, most, d * len(watched) * last, not live.any())


def decided(result: MonitorComparison) -> list[tuple[str, int]]:
    """Return the verdict on each decided pair, in words, and its replications; earliest first."""
    pairs: list[tuple[str, int]] = []
    sides, oriented = result.pairs.sides, result.pairs.oriented()
    for i in np.argsort(result.course.used, kind="stable"):
        end, (first, second) = result.course.ends[i], sides[i]
        if VERDICTS[end] <= VERDICTS[GO_ON]:
            continue
        text = {
            "first": f"{first} is better than {second}",
            "second": f"{second} is better than {first}",
        }.get(end, f"{' and '.join(oriented[int(i)])} are equivalent")
        pairs.append((text, int(result.course.used[i])))
    return pairs
