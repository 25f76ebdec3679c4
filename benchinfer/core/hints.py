"""Arguments in texts: as Python writes them, and for readers who do not write Python."""

import json
import re
from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence

# Of a text only these are arguments: an algorithm may be called "k-NN(k=1)" or "SGD lr=0.1".
_NAMES = """
    adjust algorithms alternative baseline by by_more_than chains columns contrasts control
    correlation costs covariates dataset departures difference domains draws effect errors failed
    family features fixed goal harmonise honest inference interactions interval last_stage layout
    likelihood local_rope measure measures method minsize missing n_datasets n_jobs n_replications
    name names nested normalise null on paired pairs penalised pooling priors quantity query
    reference repeats resample resamples resampling residual rope rows rule scale selected
    sensitivity sequence spread statistic std_error structure take target targets terms test
    tie_tolerance ties time_limit top trend trials unit_weights units want where
"""
ARGUMENTS = frozenset(_NAMES.split())
METHODS = (
    *("direct", "influence", "predicted"),
    *("scores.complete", "scores.failures", "scores.findings", "scores.solved"),
)
_TEXT = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_MAPPING = rf"""{{(?:{_TEXT}|[^"'{{}}])*}}"""
_VALUE = (
    rf"""(?:{_TEXT}|{_MAPPING}|\((?:{_TEXT}|[^"'()])*\)|\[(?:{_TEXT}|[^"'\[\]])*\]"""
    r"""|\.\.\.|True|False|None|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"""
)
_FUNCTION = r"(?:compare_[a-z]+(?:_[a-z]+)*|read_[a-z]+|monitor_measures)"
# In a row of a table only the last cell is read, where it is a sentence: others are labels.
_PARTS = re.compile(
    rf"""^(?:[ ]{{4}}){{1,2}}(?![ ])(?:.*[ ]{{2}})?(?:\S+$)?
    |(?<![\w.])(?P<function>{_FUNCTION}|plan|scores\.subset)
        \((?:\.\.\.,[ ])?(?P<inner>\w+)=(?P<of>{_VALUE})\)
    |\bper_dataset\((?P<each>\w+),[ ]scores\)(?!\.\w)
    |\bMeasure\((?P<field>\w+)=(?P<its>{_VALUE})\)
    |\bDeclaration\((?P<part>\w+)=(?P<so>{_VALUE})\)
    |(?<![\w.])scores\.(?P<verb>normalise)\((?P<scale>{_TEXT})\)
    |(?:(?<!\S)|(?<=[ ]\()|(?<=^\())(?P<name>{"|".join(sorted(ARGUMENTS))})=(?P<value>{_VALUE}?)
        (?:,[ ]with[ ]"higher"[ ]or[ ]"lower")?(?=[.,;:)]*(?:\s|$))
    |(?<![\w.])(?P<alone>{_FUNCTION}\b(?!\()|(?:{"|".join(METHODS)})(?=\())
        (?:\([^()]*\))?
    """,
    re.VERBOSE | re.MULTILINE,
)


def literal(value: object) -> str:
    """Return a value as one types it.

    Examples
    --------
    >>> literal({"NAME": "domain"}), literal(("a", 2))
    ('{"NAME": "domain"}', '("a", 2)')
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
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

    `argument` has the name, as ``Measure.scale`` of a measure's field, and the value: None for any,
    and three dots for each direction of a measure. `call` has the function, the argument that
    matters, empty where there is none, and its value; ``"per_dataset"`` has none.
    """

    def words(match: re.Match[str]) -> str:
        part = match.groupdict()
        if part["function"]:
            return call(part["function"], part["inner"], _valued(part["of"]))
        if part["each"]:
            return call(part["each"], "per_dataset", "")
        if part["field"]:
            return argument(f"Measure.{part['field']}", _valued(part["its"]))
        if name := part["part"] or part["verb"]:
            return call("read_scores", name, _valued(part["so"] or part["scale"]))
        if part["name"]:
            return argument(part["name"], _valued(part["value"]))
        return call(part["alone"], "", None) if part["alone"] else match[0]

    return _PARTS.sub(words, text)


def _valued(text: str) -> object:
    """Return the value of a literal, None for three dots, which stand for any, also in brackets."""
    if not text:
        return ""
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return None if value is ... else () if value == [...] else {} if value == {...} else value
