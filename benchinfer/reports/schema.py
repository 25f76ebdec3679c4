"""JSON Schema of the documents."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import cleandoc, getattr_static, isfunction
from pkgutil import resolve_name, walk_packages
from types import NoneType, UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin, get_type_hints

import pandas as pd

from benchinfer import analyses
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison import sections
from benchinfer.comparison.options import TestedOptions
from benchinfer.core.frames import GLOSSARY
from benchinfer.core.measure import Measure
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import type_parameters
from benchinfer.core.sections import Rows
from benchinfer.reports import documents
from benchinfer.reports.documents import Document
from benchinfer.scores.rows.features import Feature
from benchinfer.scores.table import ScoreTable

type Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Columns that hold names and words, or truth values; the others hold numbers.
_TEXTS = frozenset(
    (
        *("domain", "dataset", "algorithm", "measure", "first", "second", "contrast", "verdict"),
        *(
            "winner",
            "check",
            "direction",
            "sentence",
            "remedy",
            "source",
            "shared",
            "term",
            "test",
            "misfit",
        ),
        *("null", "structure", "residual", "quantity", "variant", "parameter", "diagnosis"),
        *("changes", "relation", "state", "side", "covariate", "study", "letters", "kind", "what"),
        *("description", "nearest", "members", "other", "holder"),
        *(
            "analysis",
            "reason",
            "outcome",
            "leaf",
            "characteristic",
            "first_part",
            "second_part",
            "named",
        ),
    )
)
_FLAGS = frozenset(
    (
        *("ok", "fits", "refitted", "inside", "losses_inside", "regret_exact", "provisional"),
        *("record", "shown_worse", "contender"),
        *("decided", "dominates", "on_front", "may_be_best", "not_beaten", "not_beaten_beyond"),
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
    pd.DataFrame: {"$ref": "#/$defs/rows"},
    object: {},
    Any: {},
}
# What modules import for types alone.
_TYPES = {
    one.__name__: one
    for one in (Feature, Mapping, Measure, ScoreTable, StoredOptions, Subgroups, TestedOptions)
} | {"pd": pd}
# Command to its document.
_FROM_FILE: Schema = {
    "type": "object",
    "description": "Options that the command took from benchinfer.toml, and their values; only"
    " where there are any.",
}
COMMANDS: dict[str, Document] = {
    "check": documents.TABLE,
    "compare": documents.ANSWER,
    "compare ANALYSIS": documents.COMPARISON,
    "compare factors": documents.FACTORS,
    "compare --per-dataset": documents.LOCAL,
    "consensus": documents.CONSENSUS,
    "plan": documents.PLAN,
    "allocate": documents.ALLOCATION,
    "gate": documents.GATE,
    "board": documents.BOARD,
    "subgroups": documents.SUBGROUPS,
}


def schema() -> Schema:
    """Return the schema of all documents: a definition for each command."""
    definitions = _Definitions()
    commands = {command: definitions.of(document) for command, document in COMMANDS.items()}
    comparison, rows = commands["compare ANALYSIS"], _PLAIN[Rows]
    measures = {"decision": _PLAIN[str], "measures": _mapping(comparison), "next_cells": rows}
    together, described = _object(measures), _mapping(rows)
    commands["monitor"] = {"anyOf": [comparison, together]}
    commands["report"] = definitions.of(documents.REPORT)
    commands["describe"] = described
    printed = [definitions.records[one.name] for one in (*COMMANDS.values(), documents.REPORT)]
    for one in (*printed, together, described):
        one.setdefault("properties", {})["from_file"] = _FROM_FILE
    columns = {name: _column(name) | {"description": text} for name, text in GLOSSARY.items()}
    row = {"type": "object", "properties": columns, "additionalProperties": False}
    return {
        "$schema": DIALECT,
        "title": "Documents that benchinfer prints with --json",
        "description": "One definition for each command, with spaces in its name as on the"
        " command line. NaN and the open end of an interval are null.",
        "$defs": {
            **definitions.records,
            "rows": {"type": "array", "items": row, "description": "A table: one record per row."},
            **commands,
        },
    }


def keys() -> dict[str, tuple[object, str]]:
    """Return the keys of tables and values of comparisons, with their types and meaning."""
    merged: dict[str, tuple[object, str]] = dict(sections.KEYS)
    for module in walk_packages(analyses.__path__, f"{analyses.__name__}."):
        if not module.name.endswith(".sections"):
            continue
        home = import_module(module.name)
        for name, (kind, text) in getattr(home, "KEYS", {}).items():
            known, meaning = merged.get(name, (kind, text))
            both = meaning if text in meaning else f"{meaning}; {text}"
            merged[name] = (kind if known == kind else known | kind, both)
    return merged


class _Definitions:
    """Definitions of documents and records, each once."""

    def __init__(self) -> None:
        self.records: dict[str, Schema] = {}

    def of(self, kind: Any) -> Schema:
        """Return the schema of a type or of a `Document`."""
        match kind:
            case Document():
                return self._document(kind)
            case [Document() as part]:
                return {"type": "array", "items": self.of(part)}
            case {**parts} if parts:
                return _mapping(self.of(next(iter(parts.values()))))
            case _ if isinstance(kind, tuple):
                return {"anyOf": [self.of(part or NoneType) for part in kind]}
            case _:
                return self._type(kind)

    def _type(self, kind: Any) -> Schema:
        if kind in _PLAIN:
            return _PLAIN[kind]
        if isinstance(kind, TypeAliasType):
            return self.of(kind.__value__)
        if dataclasses.is_dataclass(kind):
            return self._record(kind)
        return self._generic(get_origin(kind), get_args(kind))

    def _generic(self, origin: Any, parts: tuple[Any, ...]) -> Schema:
        """Return the schema of a generic type, such as a union or a mapping."""
        if origin is Literal:
            return {"enum": list(parts)}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(part) for part in parts]}
        if issubclass(origin, Mapping):
            return _mapping(self.of(parts[1]))
        if issubclass(origin, Sequence):
            return {"type": "array", "items": self.of(parts[0])}
        raise TypeError(f"no schema of {origin}")

    def _document(self, document: Document) -> Schema:
        if document.name not in self.records:
            self.records[document.name] = {}  # before its parts, which come after it
            definition = _object(self._properties(members(document))) | _described(document.title)
            if document is documents.COMPARISON:
                definition["properties"] |= self._properties(keys())
            self.records[document.name] = definition
        return {"$ref": f"#/$defs/{document.name}"}

    def _record(self, record: Any) -> Schema:
        title = record.__name__
        if title not in self.records:
            self.records[title] = {}  # before its parts, which may refer to it
            hints, texts = get_type_hints(record), attributes(record)
            names = [field.name for field in dataclasses.fields(record)]
            fields = {name: (hints[name], texts.get(name, "")) for name in names}
            summary = (record.__doc__ or "").partition("\n")[0]
            self.records[title] = _object(self._properties(fields)) | _described(summary)
        return {"$ref": f"#/$defs/{title}"}

    def _properties(self, known: Mapping[str, tuple[object, str]]) -> Schema:
        return {name: self.of(kind) | _described(text) for name, (kind, text) in known.items()}


def members(document: Document) -> dict[str, tuple[object, str]]:
    """Return the keys of a document with their types and meanings."""
    return {name: said or _member(document, name) for name, said in document.keys.items()}


def _member(document: Document, name: str) -> tuple[object, str]:
    """Return the type of an attribute or method of the source of a document, and what it is."""
    source = resolve_name(document.source)
    member = getattr_static(source, name, None)
    method = member.fget if isinstance(member, property) else member
    types = _TYPES | type_parameters(source)
    if isfunction(method):
        summary = (method.__doc__ or "").partition("\n")[0].removeprefix("Return ")
        kind, text = get_type_hints(method, localns=types)["return"], summary
    else:
        kind, text = get_type_hints(source, localns=types)[name], attributes(source)[name]
    text = re.sub(r"\bNone\b", "null", text.replace("`", ""))
    return kind, f"{text[0].upper()}{text[1:]}"


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


def _described(text: str) -> Schema:
    return {"description": text} if text else {}


def _column(name: str) -> Schema:
    if name in _TEXTS:
        return _PLAIN[str]
    return _PLAIN[bool] if name in _FLAGS else _NUMBER


def attributes(record: type) -> dict[str, str]:
    """Return the descriptions of a record's attributes from its docstring."""
    texts: dict[str, str] = {}
    doc = cleandoc(record.__doc__ or "")
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:    .*(?:\n|$))+)", doc, flags=re.MULTILINE):
        texts |= dict.fromkeys(names.split(", "), " ".join(text.split()).replace("``", ""))
    return texts
