"""Numbers and lists as text."""

import math
import re
from collections.abc import Callable, Sequence
from statistics import median


def join(names: Sequence[str], last: str = "and") -> str:
    """Return names joined by commas and a last word, such as "a, b and c".

    Examples
    --------
    >>> join(["a", "b", "c"])
    'a, b and c'
    """
    return f" {last} ".join(text for text in (", ".join(names[:-1]), *names[-1:]) if text)


def some(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the first three pairs in words, with the number of any others.

    Examples
    --------
    >>> some([("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("c", "d")])
    'a and b; a and c; a and d; and 2 more'
    """
    more = [f"and {len(pairs) - 3:,} more"] if len(pairs) > 3 else []
    return "; ".join([*map(" and ".join, pairs[:3]), *more])


def several(names: Sequence[str], shown: int = 5, last: str = "and") -> str:
    """Return the first names joined as in prose, with the number of further ones.

    Examples
    --------
    >>> several(["a", "b", "c", "d"], shown=2)
    'a, b and 2 more'
    """
    if len(names) <= shown + 1:
        return join(names, last)
    return join([*names[:shown], f"{len(names) - shown} more"], last)


def first_of(names: Sequence[str], shown: int = 20) -> list[str]:
    """Return the first names of a list, and how many more there are.

    Examples
    --------
    >>> first_of(["a", "b", "c"], 2), first_of(["a", "b"], 2)
    (['a', 'b', 'and 1 more'], ['a', 'b'])
    """
    more = len(names) - shown
    return [*names[:shown], *([f"and {more} more"] if more > 0 else [])]


def within(title: str) -> str:
    """Return a title with a small initial, for use within a sentence.

    Examples
    --------
    >>> within("Mixed model"), within("Bayesian sign test")
    ('mixed model', 'Bayesian sign test')
    """
    return title if title.startswith("Bayesian") else title[:1].lower() + title[1:]


def sentence(text: str, names: Sequence[str] = ()) -> str:
    """Return a text with a capital initial, unless it begins with one of some names.

    Examples
    --------
    >>> sentence("p-values are Holm's.")
    "P-values are Holm's."
    """
    named = text.startswith(tuple(f"{name} " for name in names))
    return text if named else text[:1].upper() + text[1:]


def as_sentence(text: str) -> str:
    """Return a text as a sentence: with a capital initial, unless it begins with code, and a stop.

    Examples
    --------
    >>> as_sentence("draw more"), as_sentence("compare_mixed uses all scores.")
    ('Draw more.', 'compare_mixed uses all scores.')
    """
    code = re.match(r"[\w.]*[_=(.]\w*\S", text)
    return f"{text if code else sentence(text)}{'' if text.endswith(('.', '?')) else '.'}"


def line(text: str, most: int = 100) -> str:
    """Return a text on one line, cut to a number of characters except for a final bracket.

    Examples
    --------
    >>> line("<Relation: a > b > c>", most=18)
    '<Relation: a ...>'
    """
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    end = f" ...{text[-1] if text[-1] in '>)' else ''}"
    return f"{text[: most - len(end)].rstrip(' >,;')}{end}"


def number_of(text: str) -> float | None:
    """Return the number that a text is, None where it is none.

    Python reads the digits of every script, and 1_0 as 10; both are labels here.

    Examples
    --------
    >>> number_of(" 1e2"), number_of("1_0"), number_of("\u0661"), number_of("nan")
    (100.0, None, None, nan)
    """
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def ordinal(n: int) -> str:
    """Return the ordinal of an integer, such as 1st.

    Examples
    --------
    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{n}{'th' if n // 10 % 10 == 1 else ends.get(n % 10, 'th')}"


def count(n: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural.

    Examples
    --------
    >>> count(1, "pair"), count(2, "data set"), count(4005, "pair")
    ('1 pair', '2 data sets', '4,005 pairs')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do", "reaches": "reach"}


def subject(n: int, noun: str, verb: str, *, of: int | None = None, which: str = "") -> str:
    """Return a number of things, what they are like, and a verb in the singular or plural.

    Examples
    --------
    >>> subject(1, "pair", "is"), subject(54, "cell", "lacks", of=125)
    ('1 pair is', '54 of 125 cells lack')
    >>> subject(2, "block", "is", which="of one algorithm")
    '2 blocks of one algorithm are'
    """
    things = count(n, noun) if of is None else f"{n:,} of {count(of, noun)}"
    many = _PLURAL.get(verb, verb.removesuffix("s"))
    return " ".join(filter(None, (things, which, verb if n == 1 else many)))


_MINUS = "\N{MINUS SIGN}"
_NONE = "\N{EN DASH}"
_MOST_P_PLACES = 6  # of p-values beside a usual level
_USUAL_LEVELS = {0.1, 0.05, 0.01}
_P_PLACES = 3  # decimals of p-values and of their Monte Carlo errors
_MOST = 8  # decimals; where more are needed, three digits with an exponent say more


def fixed(value: float, decimals: int) -> str:
    """Write a number with a given number of decimals.

    Examples
    --------
    >>> fixed(0.0312, 3), fixed(-0.0001, 2), fixed(float("inf"), 2), fixed(2e15, 1)
    ('0.031', '0.00', '∞', '2e+15')
    """
    if math.isnan(value):
        return _NONE
    if math.isinf(value):
        return ("" if value > 0 else _MINUS) + "∞"
    if (decimals >= _MOST and value) or abs(value) >= 1e12:
        return f"{value:.3g}".replace("-", _MINUS)
    text = f"{value:,.{decimals}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")  # no minus zero
    return text.replace("-", _MINUS)


def places(decimals: int) -> Callable[[float], str]:
    """Return a formatter of numbers with a fixed number of decimals."""
    return lambda value: fixed(value, decimals)


def amount(value: float) -> str:
    """Return a count or a sum of weights as text, to three decimals and without final zeros.

    Examples
    --------
    >>> amount(1866.0), amount(26182 / 3), amount(0.1 + 0.2)
    ('1,866', '8,727.333', '0.3')
    """
    return f"{round(value, 3):,.15g}" if math.isfinite(value) else fixed(value, 0)


def interval(
    low: float,
    high: float,
    write: Callable[[float], str],
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> str:
    """Return an interval as text, a one-sided one as a bound such as "at most 0.25".

    Examples
    --------
    >>> interval(0.1, 0.25, places(2)), interval(-math.inf, 0.25, places(2))
    ('0.10 to 0.25', 'at most 0.25')
    >>> interval(0.1, math.inf, places(2)), interval(-math.inf, math.inf, places(2))
    ('at least 0.10', 'no bound')
    """
    if math.isnan(low):
        return _NONE
    above, below = low > ends[0], high < ends[1]
    if above and below:
        return f"{write(low)} to {write(high)}"
    if not (above or below):
        return "no bound"
    return f"at least {write(low)}" if above else f"at most {write(high)}"


def significant(value: float, digits: int = 3) -> str:
    """Write a number with a given number of significant digits.

    Examples
    --------
    >>> significant(0.0123456), significant(12345.6), significant(1.0)
    ('0.0123', '12,346', '1.00')
    """
    if not math.isfinite(value) or value == 0:
        return fixed(value, 0)
    return fixed(value, min(12, max(0, digits - 1 - math.floor(math.log10(abs(value))))))


def brief(value: float) -> str:
    """Return a number as text with significant digits, without final zeros.

    Examples
    --------
    >>> brief(10.0), brief(0.00123), brief(1234.0), brief(9.09e20)
    ('10', '0.00123', '1,234', '9.09e+20')
    """
    text = significant(value)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def p_value(value: float, error: float = 0.0) -> str:
    """Write a p-value with three decimals, wherever it stands.

    One that is below the last of its decimals is written as below it, however it was found. One
    that is its own Monte Carlo error is the smallest there can be, and is written as a bound.

    Examples
    --------
    >>> p_value(3e-9), p_value(0.04217), p_value(0.99999), p_value(0.001, 0.001)
    ('<0.001', '0.042', '>0.999', '≤0.001')
    >>> p_value(0.0001, 0.0001), p_value(0.0012, 0.0012)
    ('<0.001', '≤0.002')
    """
    if math.isnan(value):
        return _NONE
    least = 10.0**-_P_PLACES
    if value < least * (1 - 1e-9):
        return f"<{least:g}"
    # Of two draws as extreme the error is 0.71 of the p-value.
    if error > 0.8 * value:
        bound = math.ceil(value / least * (1 - 1e-9)) * least
        return f"\N{LESS-THAN OR EQUAL TO}{bound:.{_P_PLACES}f}"
    return f">{1 - least:g}" if value > 1 - least else _beside_levels(value)


def _beside_levels(value: float) -> str:
    """Write a p-value with three decimals, or as many as tell it from a usual level."""
    for places in range(_P_PLACES, _MOST_P_PLACES + 1):
        text = f"{value:.{places}f}"
        if float(text) not in _USUAL_LEVELS:
            return text
    return f"{value:.{_P_PLACES}f}"


def p_clause(value: float, error: float = 0.0) -> str:
    """Write a p-value as `p_value` does, with its sign.

    Examples
    --------
    >>> p_clause(0.04217), p_clause(3e-9), p_clause(0.001, 0.001)
    ('p = 0.042', 'p < 0.001', 'p ≤ 0.001')
    """
    text = p_value(value, error)
    signed = text[0] in "<>\N{LESS-THAN OR EQUAL TO}"
    return f"p {text[0]} {text[1:]}" if signed else f"p = {text}"


def p_error(value: float) -> str:
    """Return the Monte Carlo error of a p-value as text; empty where there is none.

    Examples
    --------
    >>> p_error(0.0), p_error(0.00217), p_error(0.00096), p_error(3e-4)
    ('', '0.002', '0.001', '<0.001')
    """
    least = 10.0**-_P_PLACES
    if value <= 0:
        return ""
    # What rounds to the last digit is written with it.
    return f"<{least:g}" if value < 0.5 * least * (1 - 1e-9) else f"{value:.{_P_PLACES}f}"


def percent(value: float) -> str:
    """Return a share as a percentage.

    Examples
    --------
    >>> percent(0.1234)
    '12.3 %'
    """
    return f"{fixed(100 * value, 1)} %"


def chance(value: float) -> str:
    """Return a probability estimated by draws as a percentage, never as 100 %.

    Examples
    --------
    >>> chance(0.967), chance(1.0)
    ('96.7 %', '>99.9 %')
    """
    return ">99.9 %" if value >= 0.9995 else percent(value)


def decimals(spreads: Sequence[float]) -> int:
    """Return the number of decimals that shows two digits of the uncertainty.

    Examples
    --------
    >>> decimals([0.031, 0.034])
    3
    """
    known = [abs(s) for s in spreads if math.isfinite(s) and s != 0]
    if not known:
        return 3
    return min(_MOST, max(0, 1 - math.floor(math.log10(median(known)))))


def level_percent(value: float) -> str:
    """Write a level as a percentage."""
    return f"{100 * value:.4g} %"


def degrees(df: float, residual: float) -> str:
    """Return the finite degrees of freedom of a test as text.

    Examples
    --------
    >>> degrees(5.0, 55.0), degrees(3.0, math.inf), degrees(math.nan, math.inf)
    ('5, 55', '3', '')
    """
    return ", ".join(brief(round(x, 1)) for x in (df, residual) if math.isfinite(x))


_COMMANDS = {"::": r"\x3a:", "##[": r"##\x5b"}
_COMMAND = re.compile(r"(?<!\S)::(?=\w)|##\[")


def safe(text: object) -> str:
    r"""Return a text with unprintable characters escaped, such as control characters.

    So is what the runner of a job on GitHub takes for a command.

    Examples
    --------
    >>> safe("svm\x1b[31m"), safe("::error::svm"), safe("std::sort")
    ('svm\\x1b[31m', '\\x3a:error::svm', 'std::sort')
    """
    printable = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text)
    )
    return _COMMAND.sub(lambda match: _COMMANDS[match[0]], printable)


def safe_lines(text: str) -> str:
    """Return a text with unprintable characters escaped, except line ends."""
    return "\n".join(safe(line) for line in text.split("\n"))
