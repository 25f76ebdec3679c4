"""Keys of benchinfer.toml: their types and meaning, and a JSON Schema of the file."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from typer.main import get_command

from benchinfer.cli.app import app
from benchinfer.cli.options.configuration import MAPPINGS, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterator

type Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBERS = {int: "integer", float: "number"}
_TABLES = {
    "columns": "Column to its role: dataset, replication, algorithm, measure, value and others.",
    "names": "Name of the table to the name that readers see: of algorithms, data sets, measures.",
}


@cache
def keys() -> dict[tuple[str, ...], dict[str, Schema]]:
    """Return the keys of each command, by the words that name it, with their schemas."""
    return {
        path: {name: _schema(option) for name, option in keys_of(command).items()}
        for path, command in _commands(get_command(app), ())
        if path != ("init",)  # which writes the file
    }


def shared() -> dict[str, Schema]:
    """Return the keys that every command has that reads scores."""
    reading = [each for path, each in keys().items() if path != ("reproduce",)]
    first, *rest = reading
    return {name: one for name, one in first.items() if all(name in each for each in rest)}


def tables() -> dict[str, str]:
    """Return the tables that are options, with their meaning."""
    return {name: _TABLES[name] for name in MAPPINGS}


def schema() -> Schema:
    """Return the JSON Schema of benchinfer.toml."""
    said = "Options of benchinfer; those at the top are of all commands."
    return {"$schema": DIALECT, "title": "benchinfer.toml", **_table((), said, {})}


def _table(path: tuple[str, ...], description: str, top: Schema) -> Schema:
    """Return the schema of the table of a command or a group, with the tables within it.

    What it has in common with the top of the file is referred to.
    """
    below = {each: of for each, of in keys().items() if each[: len(path)] == path}
    properties: Schema = {
        name: {
            "type": "object",
            "description": text,
            "additionalProperties": {"type": ["string", "number"]},
        }
        for name, text in tables().items()
    }
    for name, one in chain.from_iterable(of.items() for of in below.values()):
        known = properties.setdefault(name, one)
        if {**known, "description": ""} != {**one, "description": ""}:  # whatever any command takes
            properties[name] = {"description": known["description"]}
    referred = {name: {"$ref": f"#/properties/{name}"} for name in properties if path}
    plain = {name: one for name, one in properties.items() if top.get(name) != one}
    properties = {**referred, **plain}
    top = top or dict(properties)
    for word in dict.fromkeys(each[len(path)] for each in below if len(each) > len(path)):
        inner = _table((*path, word), f"Options of `benchinfer {' '.join((*path, word))}`.", top)
        if word in properties:  # an option of another command has that name, too
            inner = {"anyOf": [properties[word], inner]}
        properties[word] = inner
    return {
        "type": "object",
        "description": description,
        "additionalProperties": False,
        "properties": properties,
    }


def _schema(option: Any) -> Schema:
    """Return the schema of the value of an option, as TOML writes it."""
    said = {"description": option.help or ""}
    kind = option.type_descriptor.annotation
    kind = getattr(kind, "__value__", kind)  # of an alias
    if option.is_flag:
        return {"type": "boolean", **said}
    if option.multiple:
        return {"type": ["string", "array"], "items": {"type": "string"}, **said}
    if get_origin(kind) is Literal:
        return {"enum": list(get_args(kind)), **said}
    if kind in _NUMBERS and "|" not in (option.metavar or ""):
        return {"type": _NUMBERS[kind], **said}
    return {"type": ["string", "number", "array"], **said}


def _commands(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with the words that name it."""
    for name in group.homes:
        one, words = group.get_command(None, name), (*path, name)
        if hasattr(one, "homes"):
            yield from _commands(one, words)
        else:
            yield words, one
