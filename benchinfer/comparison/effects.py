"""Effects and levels as text: columns of estimates and intervals, with the digits of each row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.wording import level_marks
from benchinfer.core.numbers import decimals, interval, level_percent, places, significant
from benchinfer.core.sections import Column, number
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.core.measure import Measure

type Write = Callable[[float], str]
BEYOND = "open"  # in place of a ratio
_OPEN = np.array([-np.inf, np.inf])
_BETTER = (Verdict.FIRST.label, Verdict.SECOND.label)
_MOST_DIGITS = 8  # of a number that is not to be written as equality


def effect_columns(measure: Measure, frame: pd.DataFrame, kind: str) -> tuple[Column, ...]:
    """Return the columns of an effect and of its interval if any."""
    if "conf_low" not in frame:
        return (number("estimate", measure.effect_name, effect_writer(measure, frame)),)
    writer = row_writer(measure, frame)

    def estimate(value: float, low: float, high: float) -> str:
        return writer(value, low, high)(value)

    def ends(low: float, high: float, value: float, verdict: str = "") -> str:
        return effect_interval(low, high, verdict, measure=measure, write=writer(value, low, high))

    verdict = ("verdict",) if "verdict" in frame else ()
    return (
        number("estimate", measure.effect_name, estimate, also=("conf_low", "conf_high")),
        number("conf_low", kind, ends, also=("conf_high", "estimate", *verdict)),
    )


def effect_interval(
    low: float, high: float, verdict: str = "", *, measure: Measure, write: Write
) -> str:
    """Return the interval of an effect as text, open at equality where the pair is decided.

    Examples
    --------
    >>> from benchinfer.core.measure import Measure
    >>> error = Measure("error", better="lower")
    >>> effect_interval(0.0, 0.21, "second", measure=error, write=places(2))
    'above 0 to 0.21'
    >>> effect_interval(0.0, 0.21, "undecided", measure=error, write=places(2))
    '0.00 to 0.21'
    """
    equality = measure.neutral
    if verdict not in _BETTER or equality not in {low, high}:
        return interval_writer(write, measure.effect)(low, high)
    lowest, highest = sorted(measure.effect(_OPEN).tolist())
    if low == equality:
        above = f"above {equality:g}"
        return f"{above} to {write(high)}" if high < highest else above
    below = f"below {equality:g}"
    return f"{write(low)} to {below}" if low > lowest else below


def interval_writer(write: Write, turn: Callable[[object], Array]) -> Callable[[float, float], str]:
    """Return a formatter of intervals, open at the values to which `turn` maps infinite bounds."""
    lowest, highest = sorted(turn(_OPEN).tolist())
    return partial(interval, write=write, ends=(lowest, highest))


def equivalence_columns(measure: Measure, frame: pd.DataFrame) -> tuple[Column, ...]:
    """Return the column of the intervals that show equivalence, empty for the other pairs."""
    if "equivalence_low" not in frame:
        return ()
    written = interval_writer(effect_writer(measure, frame), measure.effect)

    def around(low: float, high: float) -> str:
        return "" if np.isnan(low) else written(low, high)

    return (number("equivalence_low", "equivalent within", around, also=("equivalence_high",)),)


def effect_writer(measure: Measure, frame: pd.DataFrame) -> Write:
    """Return a formatter of effects with digits by their uncertainty, three or more for ratios."""
    if measure.scale == "identity":
        return places(decimals(_spreads(frame)))
    if "conf_low" not in frame:
        return significant
    return partial(
        _ratio, digits=max(3, decimals(_relative_errors(frame["conf_low"], frame["conf_high"])))
    )


def row_writers(measure: Measure, frame: pd.DataFrame, rows: pd.DataFrame) -> list[Write]:
    """Return a formatter of effects for each of some rows of a frame; see `row_writer`."""
    if "conf_low" not in frame:
        return [effect_writer(measure, frame)] * len(rows)
    values = rows[["estimate", "conf_low", "conf_high"]].itertuples(index=False)
    return [*starmap(row_writer(measure, frame), values)]


def row_writer(measure: Measure, frame: pd.DataFrame) -> Callable[[float, float, float], Write]:
    """Return a function from a row's estimate and interval to the formatter of its effects.

    All rows have the digits of `effect_writer`, but one with a much smaller error has those of its
    own, and where equality is excluded no number is written as it.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchinfer.core.measure import Measure
    >>> rows = pd.DataFrame({"conf_low": [-0.2, 0.1, 3e-5], "conf_high": [0.3, 0.7, 5e-5]})
    >>> writer = row_writer(Measure("error", better="lower"), rows)
    >>> writer(0.05, -0.2, 0.3)(0.05), writer(4e-5, 3e-5, 5e-5)(4e-5)
    ('0.05', '0.0000400')
    """
    identity = measure.scale == "identity"
    if identity:
        common, write = decimals(_spreads(frame)), places
    else:
        common = max(3, decimals(_relative_errors(frame["conf_low"], frame["conf_high"])))
        write = _ratios
    equality = write(common)(measure.neutral)

    def of_row(estimate: float, low: float, high: float) -> Write:
        spreads = [(high - low) / 4] if identity else _relative_errors(low, high)
        fine = decimals(spreads) if np.isfinite(spreads).all() and spreads[0] > 0 else common
        digits = fine if fine > common + 1 else common
        excluded = low >= measure.neutral or high <= measure.neutral
        shown = [x for x in (estimate, low, high) if np.isfinite(x) and x != measure.neutral]
        while (
            excluded
            and digits < _MOST_DIGITS
            and any(_equal(write(digits)(x), equality) for x in shown)
        ):
            digits += 1
        return write(digits)

    return of_row


def _equal(text: str, equality: str) -> bool:
    """Return whether a number is written as equality is, to whatever digit."""
    return text.rstrip("0").rstrip(".") == equality.rstrip("0").rstrip(".")


def _ratios(digits: int) -> Write:
    return partial(_ratio, digits=digits)


def _ratio(value: float, digits: int) -> str:
    """Return a ratio as text, with a mark in place of 0 and infinity."""
    return BEYOND if value in (0.0, np.inf) else significant(value, digits)


def _relative_errors(low: Any, high: Any) -> list[float]:
    """Return the errors of ratios as shares: quarters of the intervals' logarithms."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.ravel(np.log(np.divide(high, low)) / 4).tolist()


def _spreads(frame: pd.DataFrame) -> list[float]:
    if "std_error" in frame:
        return [float(v) for v in frame["std_error"]]
    if "conf_low" in frame:
        return [float(v) / 4 for v in frame["conf_high"] - frame["conf_low"]]
    if "algorithm" in frame:  # the steps between neighbours
        return np.diff(np.sort(frame["estimate"])).tolist()
    return (frame["estimate"] / 10).tolist()


def level_columns(comparison: Comparison, frame: pd.DataFrame) -> tuple[Column, ...]:
    """Return the columns of the levels, with their marks, intervals and means if any."""
    measure, write = comparison.measure, level_writer(comparison, frame)
    marks = level_marks(comparison)
    # The caption has the name in full.
    head = comparison.levels.name.replace(" of {}", "").replace("{}", measure.name) or measure.name
    columns = [
        number(
            "estimate",
            head,
            lambda value, name: f"{write(value)}{marks[name]}",
            also=("algorithm",),
        )
    ]
    if "conf_low" in frame:
        kind = f"{level_percent(comparison.level)} interval"
        written = interval_writer(write, measure.level_of)
        columns.append(number("conf_low", kind, written, also=("conf_high",)))
    if "mean" in frame:
        average = "mean" if measure.scale == "logit" else measure.average
        columns.append(number("mean", average, mean_writer(comparison, frame)))
    return tuple(columns)


def level_writer(comparison: Comparison, frame: pd.DataFrame) -> Write:
    """Return a formatter of levels, with two decimals for levels without the measure's unit."""
    if comparison.levels.better:
        return places(2)
    return effect_writer(comparison.measure, frame)


def mean_writer(comparison: Comparison, frame: pd.DataFrame) -> Write:
    """Return a formatter of the means next to the levels."""
    return effect_writer(comparison.measure, frame.assign(estimate=frame["mean"]))
