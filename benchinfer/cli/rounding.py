"""Numbers in plain ASCII; the exact ones are in ``--json``."""

import math

_MOST = 8  # decimals, as `benchinfer.reports.numbers.decimals` allows


def number(value: float, decimals: int) -> str:
    """Write a number with so many decimals, or with three digits where those are too many.

    Examples
    --------
    >>> number(-0.00004, 3), number(1.5e-12, 8), number(float("nan"), 2)
    ('0.000', '1.5e-12', '')
    """
    if math.isnan(value):
        return ""
    if decimals >= _MOST or abs(value) >= 1e12:
        return f"{value:.3g}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0: no minus before zero


def percent(level: float) -> str:
    """Write a level.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.4g} %"
