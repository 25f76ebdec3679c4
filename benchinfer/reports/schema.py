"""JSON Schema of the documents, from their records."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import cleandoc
from pkgutil import walk_packages
from types import NoneType, UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin, get_type_hints

from benchinfer import analyses
from benchinfer.comparison import sections
from benchinfer.core.frames import GLOSSARY
from benchinfer.core.measure import Measure
from benchinfer.core.sections import Rows
from benchinfer.reports import documents
from benchinfer.scores.resampling import Resampling

type Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Columns that hold names and words, or truth values; the others hold numbers.
_TEXTS = frozenset(
    (
        *("domain", "dataset", "algorithm", "measure", "first", "second", "contrast", "verdict"),
        *("winner", "check", "direction", "remedy", "source", "shared", "term", "test", "misfit"),
        *("null", "structure", "residual", "quantity", "variant", "parameter", "diagnosis"),
        *("changes", "relation", "state", "side", "covariate", "study", "letters", "kind", "what"),
        *("description", "nearest", "members", "other"),
        *("analysis", "reason", "outcome", "leaf", "characteristic", "first_part", "second_part"),
    )
)
_FLAGS = frozenset(
    (
        *("ok", "fits", "refitted", "inside", "losses_inside", "regret_exact", "provisional"),
        *("dominates", "on_front"),
    )
)
_NUMBER: Schema = {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]}
_PLAIN: dict[object, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: _NUMBER,
    NoneType: {"type": "null"},
    Rows: {"$ref": "#/$defs/rows"},
    object: {},
    Any: {},
}
_NAMES: dict[str, object] = {
    "Measure": Measure, "Resampling": Resampling
}  # fmt: skip
# Command to the record of its document.
COMMANDS: dict[str, type] = {
    "check": documents.TableDocument,
    "compare": documents.AnswerDocument,
    "compare ANALYSIS": documents.ComparisonDocument,
    "compare --per-dataset": documents.LocalDocument,
    "consensus": documents.ConsensusDocument,
    "plan": documents.PlanDocument,
    "gate": documents.GateDocument,
    "subgroups": documents.SubgroupsDocument,
}


def schema() -> Schema:
    """Return the schema of all documents: a definition for each command."""
    found = _Definitions()
    commands = {command: found.of(record) for command, record in COMMANDS.items()}
    comparison = commands["compare ANALYSIS"]
    found.records["AnswerDocument"]["properties"]["measures"] = _mapping(comparison)
    found.records["LocalDocument"]["properties"]["datasets"] = _mapping(comparison)
    found.records["SubgroupsDocument"]["properties"]["leaves"] = _mapping(comparison)
    rows = _PLAIN[Rows]
    commands["monitor"] = {
        "anyOf": [
            comparison,
            _object(
                {"decision": _PLAIN[str], "measures": _mapping(comparison), "next_cells": rows}
            ),
        ]
    }
    commands["report"] = found.of(documents.ReportDocument)
    results = found.records["ReportDocument"]["properties"]["results"]
    results["items"] = comparison
    commands["describe"] = _mapping(rows)
    return {
        "$schema": DIALECT,
        "title": "Documents that benchinfer prints with --json",
        "description": "One definition for each command, with spaces in its name as on the"
        " command line. NaN and the open end of an interval are null.",
        "$defs": {**found.records, "rows": _rows(), **commands},
    }


def keys() -> dict[str, tuple[object, str]]:
    """Return the keys of tables and values of comparisons, with their types and meaning."""
    found: dict[str, tuple[object, str]] = dict(sections.KEYS)
    for module in walk_packages(analyses.__path__, f"{analyses.__name__}."):
        if not module.name.endswith(".sections"):
            continue
        home = import_module(module.name)
        for name, (kind, text) in getattr(home, "KEYS", {}).items():
            known, said = found.get(name, (kind, text))
            both = text if text in said else f"{said}; {text}"
            found[name] = (kind if known == kind else known | kind, text if said == text else both)
    return found


class _Definitions:
    """Definitions of records, each once."""

    def __init__(self) -> None:
        self.records: dict[str, Schema] = {}

    def of(self, hint: Any) -> Schema:
        """Return the schema of a type."""
        if hint in _PLAIN:
            return _PLAIN[hint]
        if isinstance(hint, TypeAliasType):
            return self.of(hint.__value__)
        if dataclasses.is_dataclass(hint):
            return self._record(hint)
        return self._generic(get_origin(hint), get_args(hint))

    def _generic(self, origin: Any, given: tuple[Any, ...]) -> Schema:
        """Return the schema of a type that is made of others."""
        if origin is Literal:
            return {"enum": list(given)}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(part) for part in given]}
        if issubclass(origin, Mapping):
            return _mapping(self.of(given[1]))
        if issubclass(origin, Sequence):
            return {"type": "array", "items": self.of(given[0])}
        raise TypeError(f"no schema of {origin}")

    def _record(self, record: Any) -> Schema:
        name = record.__name__
        if name not in self.records:
            self.records[name] = {}  # a record may hold others of its kind
            texts = attributes(record)
            hints = get_type_hints(record, localns=_NAMES | vars(documents))
            fields = [field.name for field in dataclasses.fields(record)]
            properties = {n: self.of(hints[n]) | _said(texts.get(n, "")) for n in fields}
            definition = _object(properties) | _said(summary(record))
            if record is documents.ComparisonDocument:
                more = {n: self.of(kind) | _said(text) for n, (kind, text) in keys().items()}
                definition["properties"] |= more
            self.records[name] = definition
        return {"$ref": f"#/$defs/{name}"}


def _object(properties: Schema) -> Schema:
    """Return the schema of an object that has all of these and no others."""
    required = list(properties)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _mapping(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _said(text: str) -> Schema:
    return {"description": text} if text else {}


def _rows() -> Schema:
    """Return the schema of tables: records whose keys are in the glossary."""
    columns = {name: _column(name) | {"description": text} for name, text in GLOSSARY.items()}
    row = {"type": "object", "properties": columns, "additionalProperties": False}
    return {"type": "array", "items": row, "description": "A table: one record per row."}


def _column(name: str) -> Schema:
    if name in _TEXTS:
        return _PLAIN[str]
    return _PLAIN[bool] if name in _FLAGS else _NUMBER


def summary(record: type) -> str:
    """Return the first line of a record's docstring."""
    return (record.__doc__ or "").partition("\n")[0]


def attributes(record: type) -> dict[str, str]:
    """Return what the docstring of a record says of its attributes."""
    found: dict[str, str] = {}
    doc = cleandoc(record.__doc__ or "")
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:    .*(?:\n|$))+)", doc, flags=re.MULTILINE):
        for name in names.split(", "):
            found[name] = " ".join(text.split()).replace("``", "")
    return found
