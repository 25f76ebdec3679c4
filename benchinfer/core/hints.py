"""Arguments in texts: as Python writes them, and for readers who do not write Python."""

import re
from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence

_VALUE = (
    r"""(?:"[^"]*"|'[^']*'|\.\.\.|\([^()]*\)|\[[^\]]*\]|\{[^}]*\}|True|False|None|-?\d[\w.+-]*)?"""
)
_NAMED = re.compile(
    rf"""(?P<function>\b(?:(?:compare|read|scores)[_.])?[a-z]\w*(?:\(\))?)\(\.\.\.,\ (?P<inner>\w+)=(?P<of>{_VALUE})\)
    |\bscores\.subset\((?P<subset>\w+)=\[?\.\.\.\]?\)
    |\bMeasure\((?P<field>\w+)=(?P<its>{_VALUE})\)
    |\b(?P<name>[a-z]\w*)=(?P<value>{_VALUE})(?![\w=])
    |\b(?P<alone>(?:compare|read)_[a-z]+)\b""",
    re.VERBOSE,
)


def literal(value: object) -> str:
    """Return a value as one types it.

    Examples
    --------
    >>> literal({"NAME": "domain"}), literal(("a", 2))
    ('{"NAME": "domain"}', '("a", 2)')
    """
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    return str(value)


def directions(names: Sequence[str]) -> str:
    """Return how directions of measures are declared."""
    pairs = ", ".join(f"{name!r}: ..." for name in names) or '"NAME": ...'
    return f'measures={{{pairs}}}, with "higher" or "lower"'


def named_arguments(
    text: str,
    argument: Callable[[str, object], str],
    call: Callable[[str, str, object], str],
) -> str:
    """Return a text with its arguments and calls in other words.

    `argument` has the name, as ``Measure.scale`` of a measure's field, and the value, None for any;
    `call` the function, the argument that matters, empty where there is none, and its value.
    """

    def words(match: re.Match[str]) -> str:
        part = match.groupdict()
        if part["alone"]:
            return call(part["alone"], "", None)
        if part["function"]:
            return call(part["function"], part["inner"], _valued(part["of"]))
        if part["subset"]:
            return f"a table of some {part['subset'].replace('datasets', 'data sets')}"
        if part["field"]:
            return argument(f"Measure.{part['field']}", _valued(part["its"]))
        return argument(part["name"], _valued(part["value"]))

    return _NAMED.sub(words, text)


def _valued(text: str) -> object:
    if not text:
        return ""
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return None if value is ... else () if value == [...] else {} if value == {...} else value
