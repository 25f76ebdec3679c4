"""Recursive and group sequential tests of pairs.

The looks are planned in advance, equally far apart, and spend the level of a pair by a spending
function (https://doi.org/10.1093/biomet/70.3.659).

Two-sided, a pair has two one-sided recursions at half its level each. A pair retires when one of
them rejects, or when all have ended.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr

from benchinfer.analyses.monitor.course import (
    BROKEN_DOWN,
    FUTILE,
    GO_ON,
    NOT_REJECTED,
    Columns,
    Course,
    joined,
    most_each,
    points,
    table,
)
from benchinfer.analyses.monitor.design import MonitorDesign, Test
from benchinfer.analyses.monitor.feed import StageDifferences
from benchinfer.analyses.monitor.numerics.stages import (
    Boundaries,
    Decision,
    Recursion,
    boundaries,
    conditional_level,
    crossing,
    first_boundaries,
    following,
    last_boundaries,
    recursion,
    spent,
)
from benchinfer.numerics.multiplicity import holm
from benchinfer.numerics.signs import ROUNDING, signed_rank, signed_ranks
from benchinfer.numerics.ties import DIGITS
from benchinfer.numerics.types import Array, Codes

type Row = dict[str, object]
_MOST_EXACT = 500  # differences whose signed ranks are counted exactly
_FAR = 37.0  # standard normal quantile of the smallest p-value


def stage_p(d: Array, test: Test) -> tuple[float, float]:
    """Return the p-values of (n,) differences, for large and for small ones.

    A stage of zeros alone says nothing: its p-values are NaN.
    """
    if not d.any():
        return np.nan, np.nan
    if test == "signed-rank" and len(d) <= _MOST_EXACT:
        return (
            signed_rank(d, alternative="greater").p_value,
            signed_rank(d, alternative="less").p_value,
        )
    if test == "t":
        n, mean, spread = len(d), float(d.mean()), float(d.std(ddof=1))
        if spread <= DIGITS * abs(mean):  # all on one side: no more than their signs say
            p = 0.5**n
            return (p, 1 - p) if mean > 0 else (1 - p, p)
        t = mean * np.sqrt(n) / spread
        return float(stdtr(n - 1, -t)), float(stdtr(n - 1, t))
    z = running_z(d, test)[-1]
    return float(ndtr(-z)), float(ndtr(z))


def combined(p: Array) -> Array:
    """Combine p-values of independent data sets (..., D) by the mean of their normal quantiles.

    Data sets without a p-value (NaN: no difference at all) are left out; 1 where all are.
    """
    there = np.isfinite(p)
    n = there.sum(axis=-1)
    z = np.where(there, np.clip(-ndtri(np.where(there, p, 0.5)), -_FAR, _FAR), 0.0).sum(axis=-1)
    alone = np.where(there, p, 0.0).sum(axis=-1)
    p_values = np.where(n == 1, alone, ndtr(-z / np.sqrt(np.maximum(n, 1))))
    return np.where(n == 0, 1.0, p_values)


def running_z(d: Array, test: Test, at: Codes | None = None) -> Array:
    """Return the test statistic of the first b differences as a normal quantile."""
    n = np.arange(1, d.shape[-1] + 1)
    chosen = n if at is None else at
    if test == "signed-rank":
        return np.stack([_rank_z(d[..., :b]) for b in chosen], axis=-1)
    return _sums_z(d, test, n)[..., chosen - 1]


def _sums_z(d: Array, test: Test, n: Codes) -> Array:
    """Return the normal quantiles of t tests or sign flips after each difference."""
    squares = np.cumsum(d**2, axis=-1)
    if test == "sign-flip":
        return _ratio(np.cumsum(d, axis=-1), np.sqrt(squares))
    # Centred first: sums of squares of values far from zero lose their digits.
    centre = d.mean(axis=-1, keepdims=True)
    total = np.cumsum(d - centre, axis=-1)
    spread = np.cumsum((d - centre) ** 2, axis=-1) - total**2 / n
    spread = np.where(spread > 1e-14 * squares, spread, 0.0)
    df = np.maximum(n - 1, 1)
    mean = total / n + centre
    t = _ratio(mean * np.sqrt(n), np.sqrt(spread / df))
    z = -np.sign(t) * ndtri(np.maximum(stdtr(df, -np.abs(t)), 1e-300))
    # Without any spread, all on one side: no more than their signs say.
    flat = (spread == 0) & (n > 1)
    signs = np.sign(mean) * -ndtri(np.maximum(0.5**n, 1e-300))
    return np.where(n == 1, 0.0, np.where(flat & (squares > 0), signs, z))


def _rank_z(d: Array) -> Array:
    """Return the normal quantile of the signed ranks of (..., b) differences, zeros left out."""
    columns = d.reshape(-1, d.shape[-1]).T
    ranks = signed_ranks(columns, ROUNDING * np.abs(columns)).T.reshape(d.shape)
    return _ratio(ranks.sum(axis=-1), np.sqrt((ranks**2).sum(axis=-1)))


def _ratio(top: Array, bottom: Array) -> Array:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


def fixed_p(d: Array, test: Test, sides: tuple[int, ...], at: Codes | None = None) -> Array:
    """Return the p-value that a test of the first b replications alone would have."""
    chosen = np.arange(1, d.shape[-1] + 1) if at is None else at
    z = running_z(d, test, chosen)
    nothing = (np.cumsum(d != 0, axis=-1)[..., chosen - 1] == 0) | (chosen == 1)
    p = np.where(nothing, np.nan, np.stack([ndtr(-side * z) for side in sides]))
    p_values = combined(np.moveaxis(p, -2, -1))  # (sides, ..., n)
    return np.minimum(len(sides) * p_values.min(axis=0), 1.0)


def fixed_paths(gathered: StageDifferences, design: MonitorDesign) -> tuple[Columns, Columns]:
    """Return the paths of p-values of tests that ignore the looks: descriptive.

    Those of pairs, and those of each data set by itself, if there are several.
    """
    paths: list[Columns] = []
    parts: list[Columns] = []
    for i in range(len(gathered.pairs)):
        d = gathered.of(i)
        at = points(d.shape[1])
        if not len(at):
            continue
        p = fixed_p(d, design.test, design.sides, at)
        paths.append({"pair": np.full(len(at), i), "n": at, "p_raw": p})
        if len(d) > 1:
            shown = points(d.shape[1], most_each(len(d)))
            parts.append(
                {
                    "pair": np.full(len(d) * len(shown), i),
                    "dataset": np.repeat(np.arange(len(d)), len(shown)),
                    "n": np.tile(shown, len(d)),
                    "p_raw": fixed_p(d[:, None], design.test, design.sides, shown).ravel(),
                }
            )
    return joined(paths), joined(parts)


def bounds_of(design: MonitorDesign) -> Array:
    """Return the (T,) boundaries of the looks, for |Z| or for Z in the direction tested."""
    looks, sides = design.last_stage or 1, len(design.sides)
    fractions = np.arange(1, looks + 1) / looks
    levels = sides * spent(design.spending, fractions, design.alpha_one)
    return boundaries(fractions.tolist(), levels.tolist(), sides=sides)


def group_sequential(gathered: StageDifferences, design: MonitorDesign) -> Course:
    """Look at all scores so far after each stage."""
    m, looks, sides = len(gathered.pairs), design.last_stage or 1, design.sides
    bounds = bounds_of(design)
    ends, raw = np.full(m, GO_ON, dtype=object), np.ones(m)
    log: list[Row] = []
    for look in range(1, looks + 1):
        live = ends == GO_ON
        if not live.any() or not gathered.take(live, design.stage, complete=True):
            break
        for i in np.flatnonzero(live):
            z, each = statistic(gathered.of(int(i)), design)
            towards = max(side * z for side in sides)
            ends[i] = GO_ON if look < looks else NOT_REJECTED
            if towards >= bounds[look - 1]:
                ends[i] = "first" if z > 0 else "second"
            raw[i] = stagewise_p(bounds, look, towards, len(sides))
            for d, z_dataset in enumerate(each):
                row = {"pair": i, "dataset": d, "stage": look, "n": look * design.stage}
                row |= {"statistic_dataset": z_dataset, "statistic": z}
                log.append(row | {"boundary": bounds[look - 1], "decision": ends[i]})
    return _course(gathered, design, ends, raw, log)


def _course(
    gathered: StageDifferences,
    design: MonitorDesign,
    ends: NDArray[np.object_],
    raw: Array,
    log: list[Row],
) -> Course:
    """Return how pairs went, given their ends and p-values; adjusted by Bonferroni."""
    path, path_each = fixed_paths(gathered, design)
    return Course(
        ends=tuple(ends.tolist()),
        used=gathered.used,
        estimate=gathered.estimates,
        p_value=np.minimum(len(raw) * raw, 1.0),
        p_raw=raw,
        provisional=ends == GO_ON,
        stages=table(log),
        path=path,
        path_each=path_each,
    )


def statistic(d: Array, design: MonitorDesign) -> tuple[float, Array]:
    """Return the normal quantile of (D, n) differences, combined and of each data set."""
    p = np.array([stage_p(row, design.test) for row in d])
    up, down = combined(p.T)
    each = np.where(np.isnan(p[:, 0]), 0.0, _quantile(p[:, 0], p[:, 1]))
    return float(_quantile(up, down)), each


def _quantile(up: Array, down: Array) -> Array:
    """Return the normal quantile, from the smaller tail."""
    # Both are large where there is no difference at all.
    tail = np.maximum(-ndtri(np.maximum(np.minimum(up, down), 1e-300)), 0.0)
    return np.where(up <= down, tail, -tail)


def stagewise_p(bounds: Array, look: int, z: float, sides: int) -> float:
    """Return the probability to cross at an earlier look, or to be so far out at this one."""
    upper = np.append(bounds[: look - 1], z)
    if sides == 2 and z <= 0:
        return 1.0
    lower = -upper if sides == 2 else np.full(look, -np.inf)
    above, below = crossing((np.arange(1, look + 1) / len(bounds)).tolist(), lower, upper, 0.0)
    return min(float(above.sum() + (below.sum() if sides == 2 else 0.0)), 1.0)


def redesigned(course: Course, design: MonitorDesign) -> Columns:
    """Return the conditional levels of the pairs that go on, per direction.

    In a recursion that is the level of its next stage; in a group sequential test the conditional
    probability to cross a boundary later (https://doi.org/10.1111/j.0006-341X.2001.00886.x).
    """
    log: list[Row] = []
    for i in np.flatnonzero(course.live):
        for side in design.sides:
            level = _conditional(course, design, int(i), side)
            log.append({"pair": i, "side": side, "conditional_level": level})
    return table(log)


def _conditional(course: Course, design: MonitorDesign, pair: int, side: int) -> float:
    stages = course.stages
    if not stages or not (mine := stages["pair"] == pair).any():
        return design.alpha_one
    if design.method == "recursive":
        mine = mine & (stages["side"] == side)
        at = np.flatnonzero(mine)[-1]
        p = stages["p_stage"][at]
        past = stages["stage"][at] * design.stage < course.used[pair]
        if past or p > stages["accept_above"][at]:
            return 0.0  # this direction has stopped for futility
        return float(min(stages["critical"][at] / p, 1.0))
    at = np.flatnonzero(mine)[-1]
    bounds, look = bounds_of(design), int(stages["stage"][at])
    t = (np.arange(1, len(bounds) + 1) / len(bounds)).tolist()
    return conditional_level(t, bounds, look, side * float(stages["statistic"][at]))


_WORDS = {
    Decision.UNDECIDABLE: GO_ON,
    Decision.ACCEPT: FUTILE,
    Decision.NOT_REJECTED: NOT_REJECTED,
}


def recursive(gathered: StageDifferences, design: MonitorDesign) -> Course:
    """Follow the recursions of all pairs through the complete stages."""
    m, sides = len(gathered.pairs), len(design.sides)
    p = np.empty((sides * m, 0))
    ends = np.full(m, GO_ON, dtype=object)
    log: list[Row] = []
    recursions: Recursion | None = None
    for stage in range(1, (design.last_stage or np.iinfo(np.int64).max) + 1):
        live = ends == GO_ON
        if not live.any() or not gathered.take(live, design.stage, complete=True):
            break
        each = np.full((m, sides, gathered.n_datasets), np.nan)  # stays so for retired pairs
        for i, d in enumerate(gathered.new):
            if d is not None:
                p_values = np.array([stage_p(row, design.test) for row in d]).T
                each[i] = p_values[[0 if side > 0 else 1 for side in design.sides]]
        now = combined(each).T.ravel()
        # Retired pairs look at nothing: 1 where a recursion has no stage.
        p = np.column_stack([p, np.where(np.tile(live, sides), now, 1.0)])
        last = stage == design.last_stage
        recursions = recursion(p, design.rule, design.alpha_one, final=last)
        words = ends_of(recursions, design.sides, stage)
        for i in np.flatnonzero(live):
            ends[i] = words[i]
            _write_down(log, int(i), each[i], recursions, design, (stage, words[i], p[:, -1]))
    raw = np.ones(m)
    if recursions is not None:
        raw = np.minimum(sides * recursions.p_values.reshape(sides, m).min(axis=0), 1.0)
    return _course(gathered, design, ends, raw, log)


def ends_of(recursions: Recursion, sides: tuple[int, ...], stage: int) -> list[str]:
    """Return the state of each pair after a stage."""
    m = len(recursions.decisions) // len(sides)
    decisions = recursions.decisions.reshape(len(sides), m)
    # What is open but has no critical value cannot go on: the printed rules break down.
    now = recursions.bounds[stage - 1] if stage <= len(recursions.bounds) else None
    broken = np.zeros((len(sides), m), dtype=np.bool_)
    if now is not None:
        broken = (np.isnan(now.critical) & ~np.isnan(now.level)).reshape(len(sides), m)
    broken |= recursions.stages.reshape(len(sides), m) < stage
    words: list[str] = []
    for i in range(m):
        rejected = [side for side, d in zip(sides, decisions[:, i], strict=True) if d == 1]
        if rejected:
            words.append("first" if rejected[0] > 0 else "second")
            continue
        each = [
            BROKEN_DOWN if d == Decision.UNDECIDABLE and off else _WORDS[Decision(d)]
            for d, off in zip(decisions[:, i], broken[:, i], strict=True)
        ]
        words.append(next(w for w in (GO_ON, BROKEN_DOWN, NOT_REJECTED, FUTILE) if w in each))
    return words


def _write_down(
    log: list[Row],
    pair: int,
    each: Array,
    recursions: Recursion,
    design: MonitorDesign,
    now: tuple[int, str, Array],
) -> None:
    """Log one row per direction and data set."""
    stage, end, p = now
    m = len(p) // len(design.sides)
    for s, side in enumerate(design.sides):
        at = s * m + pair
        if recursions.stages[at] < stage:
            continue  # this direction had ended before
        bounds = recursions.bounds[stage - 1]
        for d, p_dataset in enumerate(each[s]):
            log.append(
                {
                    "pair": pair,
                    "side": side,
                    "dataset": d,
                    "stage": stage,
                    "n": stage * design.stage,
                    "p_dataset": p_dataset,
                    "p_stage": p[at],
                    "conditional_level": bounds.level[at],
                    "reject_at": bounds.reject[at],
                    "accept_above": bounds.accept[at],
                    "critical": bounds.critical[at],
                    "decision": end,
                }
            )


def stage_rows(course: Course, pair: int) -> Columns:
    """Return the rows of `Course.stages` of one pair; of a pair without any, empty columns."""
    if not course.stages:
        return {name: np.empty(0) for name in ("stage", "n", "decision")}
    mine = course.stages["pair"] == pair
    return {name: values[mine] for name, values in course.stages.items()}


def _recursive_p(rows: Columns, design: MonitorDesign) -> Array:
    """Return the overall p-values of a pair after each stage."""
    total = len(np.unique(rows["stage"]))
    p_values = np.ones((len(design.sides), total))
    for out, side in zip(p_values, design.sides, strict=True):
        mine = rows["side"] == side
        first = np.unique(rows["stage"][mine], return_index=True)[1]
        p = rows["p_stage"][mine][first].astype(np.float64)
        for t in range(1, total + 1):
            part = p[None, :t]
            last = t == design.last_stage
            known = recursion(part, design.rule, design.alpha_one, final=last)
            out[t - 1] = known.p_values[0]
    return np.minimum(len(design.sides) * p_values.min(axis=0), 1.0)


def _group_p(rows: Columns, design: MonitorDesign) -> Array:
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
        return first_boundaries(design.rule, design.alpha_one, (1,))
    at = np.flatnonzero((rows["side"] == side) & (rows["stage"] == rows["stage"].max()))
    if not len(at):
        return None  # this direction has ended
    names = ("conditional_level", "reject_at", "accept_above", "critical")
    now = Boundaries(*(rows[name][at[:1]].astype(np.float64) for name in names))
    p = rows["p_stage"][at[:1]].astype(np.float64)
    if p[0] > now.accept[0] or np.isnan(now.critical[0]):
        return None
    new = following(design.rule, design.alpha_one, now, p)
    if int(rows["stage"].max()) + 1 == design.last_stage:
        return last_boundaries(new.level)
    return new


def standing(course: Course, design: MonitorDesign) -> Columns:
    """Return columns to append to those of the path: the state of each pair at each point."""
    if not course.path:
        return {}
    if design.method == "anytime":
        pairs, n = course.path["pair"], course.path["n"]
        p = np.ones((design.n_pairs, len(n)))
        for i, row in enumerate(p[: len(course.ends)]):
            mine = np.flatnonzero(pairs == i)
            held = np.searchsorted(n[mine], n, side="right") - 1
            row[:] = np.where(held < 0, 1.0, course.path["p_raw"][mine][held]) if len(mine) else 1.0
        return {"p_value": np.array([holm(p[:, t])[i] for t, i in enumerate(pairs)])}
    pairs, n = course.path["pair"], course.path["n"]
    stage = np.zeros(len(n), dtype=np.int64)
    p_value = np.full(len(n), np.nan)
    decision = np.full(len(n), GO_ON, dtype=object)
    for pair in range(len(course.ends)):
        mine = np.flatnonzero(pairs == pair)
        rows = stage_rows(course, pair)
        first = np.unique(rows["stage"], return_index=True)[1]
        p = _recursive_p(rows, design) if design.method == "recursive" else _group_p(rows, design)
        adjusted = np.minimum(design.n_pairs * p, 1.0)
        stage[mine] = complete = np.searchsorted(rows["n"][first], n[mine], side="right")
        p_value[mine] = np.append(np.nan, adjusted)[complete]
        decision[mine] = np.append(GO_ON, rows["decision"][first])[complete]
    return {"stage": stage, "p_value": p_value, "decision": decision}
