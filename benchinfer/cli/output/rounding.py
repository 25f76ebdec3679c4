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
        return f"{value + 0.0:.3g}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0: no minus before zero


def percent(level: float) -> str:
    """Write a level.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.4g} %"


def share(value: float) -> str:
    """Write a share, one of less than half a percent with a digit more.

    Examples
    --------
    >>> share(0.5166), share(0.0042), share(0.0)
    ('52 %', '0.4 %', '0 %')
    """
    return f"{100 * value:.{1 if 0 < value < 0.005 else 0}f} %"


def interval(low: float, high: float, decimals: int, lowest: float = -math.inf) -> str:
    """Write an interval; one that is open at an end is a bound.

    Examples
    --------
    >>> interval(0.1, 0.25, 2), interval(-math.inf, 0.25, 2), interval(0.1, math.inf, 2)
    ('0.10 to 0.25', 'at most 0.25', 'at least 0.10')
    >>> interval(math.nan, math.nan, 2)
    ''
    """
    if math.isnan(low):
        return ""
    above, below = low > lowest, high < math.inf
    if above and below:
        return f"{number(low, decimals)} to {number(high, decimals)}"
    if not (above or below):
        return "no bound"
    return f"at least {number(low, decimals)}" if above else f"at most {number(high, decimals)}"
