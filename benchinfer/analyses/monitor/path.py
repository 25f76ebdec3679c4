"""Path of a monitored experiment, looked at again stage by stage.

All of it follows from the stages of a course, which keeps no more than their p-values.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.monitor.course import GO_ON, VERDICTS, Columns, Course
from benchinfer.analyses.monitor.design import MonitorDesign
from benchinfer.analyses.monitor.numerics import stages
from benchinfer.analyses.monitor.numerics.stages import Boundaries, recursion
from benchinfer.analyses.monitor.stagewise import bounds_of, stagewise_p
from benchinfer.numerics.multiplicity import holm
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from benchinfer.analyses.monitor.comparison import MonitorComparison


@dataclass(frozen=True, slots=True)
class Looks:
    """A pair after each of its T stages.

    Attributes
    ----------
    n
        (T,) replications per data set so far.
    p_value
        (T,) overall p-values, adjusted for directions and pairs.
    states
        T words, as in `Course.ends`.
    """

    n: NDArray[np.int64]
    p_value: Array
    states: tuple[str, ...]


def looks(course: Course, design: MonitorDesign, pair: int) -> Looks:
    """Return how a pair stood after each stage of a recursion or a group sequential test."""
    rows = stage_rows(course, pair)
    stages = rows["stage"]
    first = np.unique(stages, return_index=True)[1]
    p = _recursive(rows, design) if design.method == "recursive" else _group(rows, design)
    states = tuple(rows["decision"][first].tolist())
    return Looks(rows["n"][first], np.minimum(design.n_pairs * p, 1.0), states)


def stage_rows(course: Course, pair: int) -> Columns:
    """Return the rows of `Course.stages` of one pair; of a pair without any, empty columns."""
    if not course.stages:
        return {name: np.empty(0) for name in ("stage", "n", "decision")}
    mine = course.stages["pair"] == pair
    return {name: values[mine] for name, values in course.stages.items()}


def stage_p_values(rows: Columns, side: int) -> Array:
    """Return the (T,) p-values of one direction of a recursion, as far as it went."""
    mine = rows["side"] == side
    first = np.unique(rows["stage"][mine], return_index=True)[1]
    return rows["p_stage"][mine][first].astype(np.float64)


def _recursive(rows: Columns, design: MonitorDesign) -> Array:
    """Return the overall p-values of a pair after each stage."""
    total = len(np.unique(rows["stage"]))
    found = np.ones((len(design.sides), total))
    for out, side in zip(found, design.sides, strict=True):
        p = stage_p_values(rows, side)
        for t in range(1, total + 1):
            part = p[None, :t]
            last = t == design.last_stage
            known = recursion(part, design.rule, design.alpha_one, final=last)
            out[t - 1] = known.p_values[0]
    return np.minimum(len(design.sides) * found.min(axis=0), 1.0)


def _group(rows: Columns, design: MonitorDesign) -> Array:
    bounds, first = bounds_of(design), np.unique(rows["stage"], return_index=True)[1]
    z = rows["statistic"][first].astype(np.float64)
    towards = np.max([side * z for side in design.sides], axis=0)
    sides = len(design.sides)
    return np.array([stagewise_p(bounds, t + 1, float(b), sides) for t, b in enumerate(towards)])


def next_bounds(course: Course, design: MonitorDesign, pair: int, side: int) -> Boundaries | None:
    """Return the boundaries of the next stage of one direction, None where there is none.

    They follow from the stages so far, before the next one is seen.
    """
    if design.method != "recursive" or course.ends[pair] != GO_ON:
        return None
    rows = stage_rows(course, pair)
    if not len(rows["stage"]):
        return stages.first(design.rule, design.alpha_one, (1,))
    at = np.flatnonzero((rows["side"] == side) & (rows["stage"] == rows["stage"].max()))
    if not len(at):
        return None  # this direction has ended
    names = ("conditional_level", "reject_at", "accept_above", "critical")
    now = Boundaries(*(rows[name][at[:1]].astype(np.float64) for name in names))
    p = rows["p_stage"][at[:1]].astype(np.float64)
    if p[0] > now.accept[0] or np.isnan(now.critical[0]):
        return None
    new = stages.following(design.rule, design.alpha_one, now, p)
    if int(rows["stage"].max()) + 1 == design.last_stage:
        return stages.last_boundaries(new.level)
    return new


def standing(course: Course, design: MonitorDesign) -> Columns:
    """Return columns to append to those of the path: the state of each pair at each point."""
    if not course.path:
        return {}
    if design.method == "anytime":
        return {"p_value": _adjusted(course, design)}
    pairs, n = course.path["pair"], course.path["n"]
    stage = np.zeros(len(n), dtype=np.int64)
    p_value = np.full(len(n), np.nan)
    decision = np.full(len(n), GO_ON, dtype=object)
    for pair in range(len(course.ends)):
        mine = np.flatnonzero(pairs == pair)
        known = looks(course, design, pair)
        stage[mine] = whole = np.searchsorted(known.n, n[mine], side="right")
        p_value[mine] = np.append(np.nan, known.p_value)[whole]
        decision[mine] = np.array([GO_ON, *known.states], dtype=object)[whole]
    return {"stage": stage, "p_value": p_value, "decision": decision}


def _adjusted(course: Course, design: MonitorDesign) -> Array:
    """Return the anytime p-values along the path, adjusted for all pairs by Holm's steps.

    Pairs of other measures, whose paths are not at hand, count as if nothing was known of them.
    """
    pairs, n = course.path["pair"], course.path["n"]
    p = np.ones((design.n_pairs, len(n)))
    for i, row in enumerate(p[: len(course.ends)]):
        mine = np.flatnonzero(pairs == i)
        held = np.searchsorted(n[mine], n, side="right") - 1
        row[:] = np.where(held < 0, 1.0, course.path["p_raw"][mine][held]) if len(mine) else 1.0
    return np.array([holm(p[:, t])[i] for t, i in enumerate(pairs)])


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of an experiment: of one algorithm, on one replication of one data set each.

    Attributes
    ----------
    counted
        Those that some pair has used.
    most
        Those that may be used at most, as decided pairs retire; None where there is no last stage.
    planned
        Those of all algorithms up to the last stage; None where there is no last stage.
    ended
        Whether no pair goes on.
    """

    counted: int
    most: int | None
    planned: int | None
    ended: bool

    def __str__(self) -> str:
        """Say it in a sentence."""
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


def runs(*results: "MonitorComparison") -> Runs:
    """Count the runs of a monitored experiment; results are those of its measures.

    An algorithm is run as long as one of its pairs goes on, on whatever measure; a run gives the
    scores of all measures.
    """
    design, setting = results[0].design, results[0].setting
    d = len(setting.coverage.datasets)
    last = None if design.last_stage is None else design.last_stage * design.stage
    pairs = np.vstack([one.pairs for one in results])
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


def decided(result: "MonitorComparison") -> list[tuple[str, int]]:
    """Say which pairs are decided, each with its replications, the first ones first."""
    found: list[tuple[str, int]] = []
    sides, turns = result.named_sides(), result.turns()
    for i in np.argsort(result.course.used, kind="stable"):
        end, (first, second) = result.course.ends[i], sides[i]
        if VERDICTS[end] <= VERDICTS[GO_ON]:
            continue
        alike = f"{second} and {first}" if turns[i] else f"{first} and {second}"
        text = {
            "first": f"{first} is better than {second}",
            "second": f"{second} is better than {first}",
        }.get(end, f"{alike} are equivalent")
        found.append((text, int(result.course.used[i])))
    return found
