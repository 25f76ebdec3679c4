"""Recursive combination tests of all pairs, each from the start at its share of the level.

Two-sided, a pair has two one-sided recursions at half its level each. A pair retires when one of
them rejects, or when all have ended.
"""

import numpy as np

from benchinfer.numerics.stages import Decision, Recursion, recursion
from benchinfer.sequential.course import (
    BROKEN_DOWN,
    FUTILE,
    GO_ON,
    NOT_REJECTED,
    Array,
    Course,
    Log,
)
from benchinfer.sequential.design import MonitorDesign
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.paths import fixed_paths
from benchinfer.sequential.stage_tests import combined, stage_p

_WORDS = {
    Decision.UNDECIDABLE: GO_ON,
    Decision.ACCEPT: FUTILE,
    Decision.NOT_REJECTED: NOT_REJECTED,
}


def recursive(gathered: Gathered, design: MonitorDesign) -> Course:
    """Follow the recursions of all pairs as far as there are whole stages."""
    m, sides = len(gathered.pairs), len(design.sides)
    p = np.empty((sides * m, 0))
    ends, log = np.full(m, GO_ON, dtype=object), Log()
    found: Recursion | None = None
    for stage in range(1, (design.last_stage or np.iinfo(np.int64).max) + 1):
        live = ends == GO_ON
        if not live.any() or not gathered.take(live, design.stage, whole=True):
            break
        each = np.array([_p(d, design, gathered.n_datasets) for d in gathered.new])
        now = combined(each).T.ravel()
        # Retired pairs look at nothing: 1 where a recursion has no stage.
        p = np.column_stack([p, np.where(np.tile(live, sides), now, 1.0)])
        last = stage == design.last_stage
        found = recursion(p, design.rule, design.alpha_one, final=last)
        words = ends_of(found, design.sides, stage)
        for i in np.flatnonzero(live):
            ends[i] = words[i]
            _write_down(log, int(i), each[i], found, design, (stage, words[i], p[:, -1]))
    raw = np.ones(m)
    if found is not None:
        raw = np.minimum(sides * found.p_values.reshape(sides, m).min(axis=0), 1.0)
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


def _p(d: Array | None, design: MonitorDesign, n_datasets: int) -> Array:
    """Return (sides, D) p-values of the stage; all NaN for a pair that has retired."""
    if d is None:
        return np.full((len(design.sides), n_datasets), np.nan)
    found = np.array([stage_p(row, design.test) for row in d]).T
    return found[[0 if side > 0 else 1 for side in design.sides]]


def ends_of(found: Recursion, sides: tuple[int, ...], stage: int) -> list[str]:
    """Return how each pair stands after a stage."""
    m = len(found.decisions) // len(sides)
    decisions = found.decisions.reshape(len(sides), m)
    # What is open but has no critical value cannot go on: the printed rules break down.
    now = found.bounds[stage - 1] if stage <= len(found.bounds) else None
    broken = np.zeros((len(sides), m), dtype=np.bool_)
    if now is not None:
        broken = (np.isnan(now.critical) & ~np.isnan(now.level)).reshape(len(sides), m)
    broken |= found.stages.reshape(len(sides), m) < stage
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
    log: Log,
    pair: int,
    each: Array,
    found: Recursion,
    design: MonitorDesign,
    now: tuple[int, str, Array],
) -> None:
    """Log one row per direction and data set."""
    stage, end, p = now
    m = len(p) // len(design.sides)
    for s, side in enumerate(design.sides):
        at = s * m + pair
        if found.stages[at] < stage:
            continue  # this direction had ended before
        bounds = found.bounds[stage - 1]
        for d, p_dataset in enumerate(each[s]):
            log.add(
                pair=pair,
                side=side,
                dataset=d,
                stage=stage,
                n=stage * design.stage,
                p_dataset=p_dataset,
                p_stage=p[at],
                conditional_level=bounds.level[at],
                reject_at=bounds.reject[at],
                accept_above=bounds.accept[at],
                critical=bounds.critical[at],
                decision=end,
            )
