"""Group sequential tests of all pairs, each at its share of the level.

The looks are planned in advance, equally far apart, and spend the level of a pair by a spending
function (https://doi.org/10.1093/biomet/70.3.659).
"""

import numpy as np
from scipy.special import ndtri

from benchinfer.numerics import spending
from benchinfer.sequential.course import GO_ON, NOT_REJECTED, Array, Columns, Course, Log
from benchinfer.sequential.design import MonitorDesign
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.paths import fixed_paths
from benchinfer.sequential.stage_tests import combined, stage_p


def bounds_of(design: MonitorDesign) -> Array:
    """Return the (T,) boundaries of the looks, for |Z| or for Z in the direction tested."""
    looks, sides = design.last_stage or 1, len(design.sides)
    fractions = np.arange(1, looks + 1) / looks
    levels = sides * spending.spent(design.spending, fractions, design.alpha_one)
    return spending.boundaries(fractions.tolist(), levels.tolist(), sides=sides)


def group_sequential(gathered: Gathered, design: MonitorDesign) -> Course:
    """Look at all scores so far after each stage."""
    m, looks, sides = len(gathered.pairs), design.last_stage or 1, design.sides
    bounds = bounds_of(design)
    ends, raw, log = np.full(m, GO_ON, dtype=object), np.ones(m), Log()
    for look in range(1, looks + 1):
        live = ends == GO_ON
        if not live.any() or not gathered.take(live, design.stage, whole=True):
            break
        for i in np.flatnonzero(live):
            z, each = statistic(gathered.of(int(i)), design)
            towards = max(side * z for side in sides)
            ends[i] = GO_ON if look < looks else NOT_REJECTED
            if towards >= bounds[look - 1]:
                ends[i] = "first" if z > 0 else "second"
            raw[i] = stagewise_p(bounds, look, towards, len(sides))
            for d, z_dataset in enumerate(each):
                log.add(
                    pair=i,
                    dataset=d,
                    stage=look,
                    n=look * design.stage,
                    statistic_dataset=z_dataset,
                    statistic=z,
                    boundary=bounds[look - 1],
                    decision=ends[i],
                )
    path, path_each = fixed_paths(gathered, design)
    return Course(
        ends=tuple(ends.tolist()),
        used=gathered.used,
        estimate=gathered.estimates,
        p_value=np.minimum(m * raw, 1.0),
        p_raw=raw,
        provisional=ends == GO_ON,
        stages=log.columns(),
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
    found = spending.crossing((np.arange(1, look + 1) / len(bounds)).tolist(), lower, upper, 0.0)
    return min(float(found.upper.sum() + (found.lower.sum() if sides == 2 else 0.0)), 1.0)


def redesigned(course: Course, design: MonitorDesign) -> Columns:
    """Return the conditional levels of the pairs that go on, per direction.

    In a recursion that is the level of its next stage; in a group sequential test the conditional
    probability to cross a boundary later (https://doi.org/10.1111/j.0006-341X.2001.00886.x).
    """
    log = Log()
    for i in np.flatnonzero(course.live):
        for side in design.sides:
            log.add(pair=i, side=side, conditional_level=_conditional(course, design, int(i), side))
    return log.columns()


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
    return spending.conditional_level(t, bounds, look, side * float(stages["statistic"][at]))
