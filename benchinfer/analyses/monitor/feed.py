"""Scores of a running experiment, stage by stage."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.monitor.course import Columns, Course, wanted
from benchinfer.analyses.monitor.design import MonitorDesign
from benchinfer.core.numbers import count, join
from benchinfer.numerics.ties import differences
from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.scores.rows.reductions import Blocks

if TYPE_CHECKING:
    import pandas as pd


type _Stage = tuple[list[Codes], Flags, bytes]


@dataclass(frozen=True, slots=True)
class Pin:
    """Scores of one data set that a past stage used."""

    # dataset, stage: the data set's name, and the stage, from 1
    dataset: str
    stage: int
    labels: tuple[str, ...]  # its replications in order
    algorithms: tuple[str, ...]  # the algorithms whose scores counted
    digest: str  # fingerprint of the names and these scores


@dataclass(frozen=True, slots=True)
class Broken:
    """Past stage that the scores contradict, with the reason."""

    dataset: str
    stage: int
    what: str


class Feed:
    """Hands out the replications of all data sets, each once.

    The replications of a stage are the first ones, in natural order of their names, that no earlier
    stage used; stages that are pinned have the ones they had. A stage is complete when every
    algorithm that is still wanted has all of its replications on every data set.

    Parameters
    ----------
    blocks
        The scores.
    size
        Replications per data set and stage.
    pins
        What past stages used, per data set.

    Attributes
    ----------
    values
        (R, K) scores, larger is better; NaN where there is none. Of units of unequal size they are
        sums over items, NaN where another algorithm has more items of the unit.
    items
        (R, K) numbers of items of such units; else None.
    ends
        (D + 1,) where the rows of each data set begin, and the last ones end.
    broken
        Past stages that are not what they were.
    """

    def __init__(self, blocks: Blocks, size: int, pins: Sequence[Sequence[Pin]] = ()) -> None:
        ranks = natural_ranks(blocks.labels)
        codes = ranks[blocks.replication]
        key = blocks.dataset * len(ranks) + codes
        order = slice(None) if (key[1:] > key[:-1]).all() else np.argsort(key, kind="stable")
        self.algorithms, self.datasets, self.size = blocks.algorithms, blocks.datasets, size
        self.values = np.where(blocks.count > 0, blocks.scores, np.nan)[order]
        self.items = None if blocks.items is None else blocks.items[order]
        if self.items is not None:
            incomplete = self.items < self.items.max(axis=1, keepdims=True)
            self.values = np.where(incomplete, np.nan, self.values * self.items)
        self.broken: list[Broken] = []
        self._names = np.array(blocks.labels, dtype=object)[np.argsort(ranks)]
        self._codes = codes[order]  # of the rows' names
        self.ends = np.searchsorted(blocks.dataset[order], np.arange(len(self.datasets) + 1))
        self._next = self.ends[:-1].copy()  # no row before it is free
        self._used = np.zeros(len(codes), dtype=np.bool_)
        self._texts: dict[bytes, bytes] = {}  # names of some replications
        self._pinned = pins
        code = {name: i for i, name in enumerate(self._names.tolist())} if pins else {}
        self._past = [self._recalled(stage, code) for stage in pins]
        self._log: list[_Stage] = []

    def take(
        self, wanted: Flags, size: int, *, complete: bool, key: bytes = b""
    ) -> list[Codes] | None:
        """Hand out the next stage: row indices into `values` of each data set, equally many."""
        if self.recalling:
            rows, pins = self._past[len(self._log)], self._pinned[len(self._log)]
            names = self._named(wanted)
            if len(rows[0]) > size or any(pin.algorithms != names for pin in pins):
                return None
            self._log.append((rows, wanted, key))
            return rows
        rows = [self._free(d, wanted, size) for d in range(len(self.datasets))]
        there = [np.isfinite(self.values[part][:, wanted]).all(axis=1) for part in rows]
        n = min(int(np.logical_and.accumulate(part).sum()) for part in there)
        if n < (size if complete else 1):
            return None
        rows = [part[:n] for part in rows]
        self._use(rows)
        self._log.append((rows, wanted, key))
        return rows

    @property
    def recalling(self) -> bool:
        """True if the next stage is one of the past."""
        return len(self._log) < len(self._past)

    def lacking(self, wanted: Flags, size: int) -> list[tuple[Codes, Codes, int]]:
        """Return per data set what the next stage, of so many replications, lacks."""
        gaps: list[tuple[Codes, Codes, int]] = []
        for d in range(len(self.datasets)):
            rows = self._free(d, wanted, size)
            at, who = np.nonzero(np.isnan(self.values[rows]) & wanted)
            gaps.append((rows[at], who, size - len(rows)))
        return gaps

    def name(self, row: int) -> str:
        """Return the name of the replication of a row."""
        return str(self._names[self._codes[row]])

    def names(self, d: int) -> list[str]:
        """Return the names of a data set's replications, in order."""
        return self._names[self._codes[self.ends[d] : self.ends[d + 1]]].tolist()

    def pins(self, *, joined: bool) -> list[list[Pin]]:
        """Return what the stages so far used, one pin per data set.

        Stages of the same pairs are `joined` to one. What was pinned before stays as it is.
        """
        log: list[_Stage] = []
        past: list[Sequence[Pin]] = []
        for i, stage in enumerate(self._log):
            if joined and log and log[-1][2] == stage[2]:
                both = zip(log.pop()[0], stage[0], strict=True)
                log.append(([np.append(a, b) for a, b in both], *stage[1:]))
                past[-1] = ()
            else:
                log.append(stage)
                past.append(self._pinned[i] if i < len(self._pinned) else ())
        return [
            list(pins) or self._pins(number, stage)
            for number, (stage, pins) in enumerate(zip(log, past, strict=True), 1)
        ]

    def _pins(self, number: int, stage: _Stage) -> list[Pin]:
        """Pin a stage."""
        parts, wanted, _ = stage
        names = self._named(wanted)
        # Data sets share the names of replications, as a rule.
        codes = {key.tobytes(): key for key in (self._codes[rows] for rows in parts)}
        labels = {key: tuple(self._names[at].tolist()) for key, at in codes.items()}
        return [
            Pin(
                dataset,
                number,
                labels[self._codes[rows].tobytes()],
                names,
                self._digest(rows, wanted),
            )
            for dataset, rows in zip(self.datasets, parts, strict=True)
        ]

    def _named(self, wanted: Flags) -> tuple[str, ...]:
        return tuple(np.array(self.algorithms)[wanted].tolist())

    def _digest(self, rows: Codes, wanted: Flags) -> str:
        """Fingerprint the names and scores of rows."""
        values = (self.values[rows][:, wanted] + 0.0).astype("<f8")  # -0.0 has other bytes than 0.0
        codes = self._codes[rows]
        key = codes.tobytes()
        if key not in self._texts:
            self._texts[key] = "\0".join(self._names[codes]).encode()
        sha = hashlib.sha256(self._texts[key])
        sha.update(np.ascontiguousarray(values))
        return sha.hexdigest()[:16]

    def _free(self, d: int, wanted: Flags, size: int) -> Codes:
        """Return up to `size` unused rows of a data set that some wanted algorithm has."""
        parts: list[Codes] = []
        start, left, end = int(self._next[d]), size, int(self.ends[d + 1])
        while left > 0 and start < end:
            stop = min(start + max(2 * left, 64), end)
            some = np.isfinite(self.values[start:stop][:, wanted]).any(axis=1)
            part = start + np.flatnonzero(some & ~self._used[start:stop])[:left]
            parts.append(part)
            left, start = left - len(part), stop
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)

    def _recalled(self, pins: Sequence[Pin], code: Mapping[str, int]) -> list[Codes]:
        """Find the rows of a past stage; note where it is not what it was."""
        by_dataset = {pin.dataset: pin for pin in pins}
        codes = {
            labels: np.array([code.get(label, -1) for label in labels], dtype=np.int64)
            for labels in {pin.labels for pin in pins}
        }
        rows: list[Codes] = []
        for d, name in enumerate(self.datasets):
            pin = by_dataset[name]
            wanted = np.isin(self.algorithms, pin.algorithms)
            names = codes[pin.labels]
            begin, end = int(self.ends[d]), int(self.ends[d + 1])
            at = begin + np.searchsorted(self._codes[begin:end], names)
            there = at[(self._codes.take(at, mode="clip") == names) & (at < end)]
            empty = np.isnan(self.values[there][:, wanted]).any(axis=1)
            lost = len(names) - len(there) + int(empty.sum())
            if lost:
                what = f"{lost:,} of {len(names):,} replications gone"
                self.broken.append(Broken(name, pin.stage, what))
            elif self._digest(there, wanted) != pin.digest:
                self.broken.append(Broken(name, pin.stage, "scores changed"))
            rows.append(there)
        self._use(rows)
        return rows

    def _use(self, rows: list[Codes]) -> None:
        for d, part in enumerate(rows):
            self._used[part] = True
            rest = self._used[self._next[d] : self.ends[d + 1]]
            free = np.flatnonzero(~rest[: len(part) + 1])
            # All rows before the first unused one are behind us.
            self._next[d] += int(free[0]) if len(free) else len(part)


def natural_ranks(labels: Sequence[str]) -> Codes:
    """Rank names so that numbers within them count as numbers.

    Examples
    --------
    >>> natural_ranks(["r10", "r2", "r1"]).tolist()
    [2, 1, 0]
    """
    if all(label.isdecimal() for label in labels):
        keys: list[object] = [(int(label), label) for label in labels]
    else:
        parts = [re.split(r"(\d+)", label) for label in labels]
        # Text and numbers take turns, text first.
        keys = [
            ([int(p) if i % 2 else p for i, p in enumerate(part)], label)
            for part, label in zip(parts, labels, strict=True)
        ]
    order = sorted(range(len(labels)), key=keys.__getitem__)  # pyright: ignore[reportCallIssue, reportArgumentType]
    ranks = np.empty(len(labels), dtype=np.int64)
    ranks[order] = np.arange(len(labels))
    return ranks


class StageDifferences:
    """Differences of P pairs on D data sets, stage by stage.

    Attributes
    ----------
    new
        Per pair the (D, n) differences of the last stage; None for pairs that did not need it.
    """

    def __init__(self, feed: Feed, pairs: Codes) -> None:
        self.feed, self.pairs = feed, pairs
        self._parts: list[list[Array]] = [[] for _ in pairs]
        self._sizes: list[list[Array]] = [[] for _ in pairs]
        self._wholes: dict[int, tuple[Array, Array]] = {}
        self.new: list[Array | None] = [None] * len(pairs)

    @property
    def n_datasets(self) -> int:
        """Number of data sets."""
        return len(self.feed.datasets)

    def take(self, live: Flags, size: int, *, complete: bool) -> bool:
        """Gather the next stage for the pairs that go on; whether there was one."""
        values = self.feed.values
        who = wanted(self.pairs, live, values.shape[1])
        rows = self.feed.take(who, size, complete=complete, key=live.tobytes())
        if rows is None:
            return False
        items, stacked = self.feed.items, np.stack(rows)
        stage = np.moveaxis(values[stacked], -1, 0).copy()
        for p, (i, j) in enumerate(self.pairs):
            if not live[p]:
                self.new[p] = None
                continue
            self.new[p] = new = differences(stage[i], stage[j])
            self._parts[p].append(new)
            self._sizes[p].append(np.ones(new.shape) if items is None else items[stacked][..., i])
            self._wholes.pop(p, None)
        return True

    def part(self, measure: int, course: Course) -> StageDifferences:
        """Return the pairs of one measure, whose course is given; names begin anew."""
        m = len(course.ends)
        mine = range(measure * m, (measure + 1) * m)
        k = len(self.feed.algorithms) * m // len(self.pairs)
        part = StageDifferences(self.feed, self.pairs[list(mine)] % k)
        part._wholes = {i: (self.of(p), self.sizes(p)) for i, p in enumerate(mine)}
        return part

    def of(self, p: int) -> Array:
        """Return (D, n) all differences of a pair: of sums, where units are of unequal size."""
        return self._whole(p)[0]

    def sizes(self, p: int) -> Array:
        """Return (D, n) the numbers of items that these are sums over: 1, or those of units."""
        return self._whole(p)[1]

    def _whole(self, p: int) -> tuple[Array, Array]:
        if p not in self._wholes:
            empty = np.empty((self.n_datasets, 0))
            self._wholes[p] = (
                np.concatenate([empty, *self._parts[p]], axis=1),
                np.concatenate([empty, *self._sizes[p]], axis=1),
            )
        return self._wholes[p]

    @property
    def used(self) -> Codes:
        """(P,) replications per data set of each pair."""
        return np.array([self.of(p).shape[1] for p in range(len(self.pairs))], dtype=np.int64)

    @property
    def estimates(self) -> Array:
        """(P,) mean differences; of all scores so far, for a pair without a complete stage."""
        return np.array(
            [
                (self.of(p).sum(axis=1) / self.sizes(p).sum(axis=1)).mean()
                if self.of(p).shape[1]
                else self._so_far(p)
                for p in range(len(self.pairs))
            ]
        )

    def _so_far(self, p: int) -> float:
        """Return the mean over data sets of the mean differences, NaN where there is none."""
        i, j = self.pairs[p]
        ends = self.feed.ends
        d = self.feed.values[:, i] - self.feed.values[:, j]
        n = np.ones(len(d)) if self.feed.items is None else self.feed.items[:, i]
        there = np.isfinite(d)
        parts = [slice(a, b) for a, b in pairwise(ends) if there[a:b].any()]
        means = [d[at][there[at]].sum() / n[at][there[at]].sum() for at in parts]
        return float(np.mean(means)) if means else np.nan


def complete_differences(feed: Feed, i: int, j: int) -> Array:
    """Return (D, n) differences of two algorithms on the first n replications that have both."""
    parts: list[Array] = []
    for a, b in pairwise(feed.ends):
        rows = feed.values[a:b][:, [i, j]]
        complete = rows[np.isfinite(rows).all(axis=1)]
        parts.append(differences(complete[:, 0], complete[:, 1]))
    n = min(map(len, parts))
    return np.stack([part[:n] for part in parts])


_NAMED = 5  # replications


def next_cells(gathered: StageDifferences, course: Course, design: MonitorDesign) -> list[Columns]:
    """Return per measure the cells that complete the next stage, as columns of codes and names."""
    feed, pairs = gathered.feed, gathered.pairs
    measures = design.n_measures
    if not course.live.any():
        return [{}] * measures
    k = len(feed.algorithms) // measures
    who = wanted(pairs, course.live, len(feed.algorithms))
    size = design.stage
    if design.method == "anytime" and design.last_stage is not None:  # what the budget leaves
        size = min(size, design.last_stage * design.stage - int(course.used[course.live].max()))
    rows: list[tuple[int, str, int]] = []
    for d, (lacking, algorithms, more) in enumerate(feed.lacking(who, size)):
        rows += [(d, feed.name(row), int(k)) for row, k in zip(lacking, algorithms, strict=True)]
        rows += [
            (d, name, int(k))
            for name in new_names(feed.names(d), more)
            for k in np.flatnonzero(who)
        ]
    each = [[row for row in rows if row[2] // k == i] for i in range(measures)]
    return [
        {
            "dataset": np.array([row[0] for row in part]),
            "replication": np.array([row[1] for row in part], dtype=object),
            "algorithm": np.array([row[2] for row in part]) % k,
        }
        if part
        else {}
        for part in each
    ]


def _listed(names: list[str]) -> str:
    """Return the names of replications, abbreviated: consecutive ones as the first and the last.

    Examples
    --------
    >>> _listed(["r7", "r8", "r9"]), _listed(["1", "18"]), _listed(list("acegik"))
    ('r7 to r9', '1 and 18', 'a, c, e, ... k')
    """
    if len(names) > 2 and new_names(names[:1], len(names) - 1) == names[1:]:
        return f"{names[0]} to {names[-1]}"
    return join(names) if len(names) <= _NAMED else f"{', '.join(names[:3])}, ... {names[-1]}"


def new_names(names: list[str], n: int) -> list[str]:
    """Return names numbered on from the last one; if it has no number, from how many there are.

    Examples
    --------
    >>> new_names(["r8", "r9"], 2), new_names(["a", "b"], 1), new_names([], 1)
    (['r10', 'r11'], ['3'], ['1'])
    """
    last = re.fullmatch(r"(.*?)(\d+)", names[-1]) if names else None
    if last is None:
        return [str(len(names) + i) for i in range(1, n + 1)]
    start, digits = last[1], last[2]
    return [f"{start}{int(digits) + i:0{len(digits)}d}" for i in range(1, n + 1)]


def said(cells: pd.DataFrame) -> list[str]:
    """Return the cells to run next in words, one line per data set.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = pd.DataFrame({"dataset": ["d"] * 4, "replication": ["1", "1", "2", "2"],
    ...                       "algorithm": ["a", "b", "a", "b"]})
    >>> said(cells)
    ['d: a and b, 2 replications (1 and 2)']
    """
    lines: list[str] = []
    for dataset, part in cells.groupby("dataset", sort=False):
        who = part.groupby("replication", sort=False)["algorithm"].agg(tuple)
        lists = [
            f"{join(names)}, {count(len(replications), 'replication')} ({_listed(replications)})"
            for names in dict.fromkeys(who)
            for replications in [who.index[[one == names for one in who]].tolist()]
        ]
        lines.append(f"{dataset}: {'; '.join(lists)}")
    return lines
