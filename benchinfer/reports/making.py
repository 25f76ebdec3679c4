"""Making of a report: the command and the Python that write it again, input and versions."""

import platform
from dataclasses import MISSING, fields
from importlib.metadata import PackageNotFoundError, version
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from benchinfer.analyses.subgroups.archetypes.result import Archetypes
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.core.version import __version__

if TYPE_CHECKING:
    from benchinfer.reports.gather import ReportInput
    from benchinfer.scores.table import ScoreTable


_Made = Comparison | Comparisons | Subgroups | Archetypes
_PACKAGES = ("numpy", "scipy", "numba", "pandas", "narwhals", "matplotlib")


def making(gathered: "ReportInput") -> tuple[tuple[str, str], ...]:
    """Say how a report was made: names and texts."""
    found: list[tuple[str, str]] = []
    if gathered.command:
        found.append(("Command", gathered.command))
    lines = python(gathered)
    if lines:
        found.append(("Python", "\n".join(lines)))
    if (scores := gathered.scores) is not None:
        found.append(("Input", f"{scores.source}\ndigest {scores.digest}"))
    found.append(("Versions", _versions()))
    return tuple(found)


def python(gathered: "ReportInput") -> list[str]:
    """Return the calls that make the results, arguments at their defaults left out."""
    results = [r for r in gathered.results if isinstance(r, _Made)]
    if not results and gathered.scores is None:
        return []
    lines = ["import benchinfer as bi", ""]
    lines += _reading(gathered.scores) if gathered.scores is not None else []
    if gathered.call:
        return [*lines, gathered.call]
    lines.append("results = [")
    lines += [f"    {_call(result)}," for result in results]
    return [*lines, "]", 'bi.report(results, "report.html")']


def _reading(scores: "ScoreTable") -> list[str]:
    """Return the call that reads a table; one that was a frame has a name."""
    source = "table" if scores.source.isidentifier() else repr(scores.source)
    measures = [f"    {_text(measure)}," for measure in scores.measures]
    kind = f", resampling={_text(scores.resampling)}" if scores.resampling is not None else ""
    return [f"scores = bi.read_scores({source}, measures=[", *measures, f"]{kind})"]


def _text(record: Any) -> str:
    """Write a record as the call that makes it, fields at their defaults left out."""
    shown: list[str] = []
    for field in fields(record):
        value = getattr(record, field.name)
        if field.default is MISSING or value != field.default:
            shown.append(f"{field.name}={value!r}")
    return f"bi.{type(record).__name__}({', '.join(shown)})"


def _call(result: _Made) -> str:
    """Return the call of an analysis."""
    import benchinfer

    one = next(iter(result.values())) if isinstance(result, Comparisons) else result
    source = one.provenance
    function = getattr(benchinfer, source.analysis, None)
    known = {} if function is None else signature(function).parameters
    given = [repr(one.measure.name)]
    for name, value in source.arguments.items():
        default = known[name].default if name in known else Parameter.empty
        if name != "measure" and value != default:
            given.append(f"{name}={value!r}")
    if isinstance(result, Comparisons):
        return f"bi.per_dataset(bi.{source.analysis}, scores, {', '.join(given)})"
    return f"bi.{source.analysis}(scores, {', '.join(given)})"


def _versions() -> str:
    found = [f"benchinfer {__version__}", f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
