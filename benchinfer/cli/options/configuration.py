"""Defaults of options in a file of the current folder."""

import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from difflib import get_close_matches
from glob import glob
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import typer

from benchinfer.core.errors import message

FILE = Path("benchinfer.toml")
# Options of the command that come from the file: where they do not go they are left out.
FROM_FILE: ContextVar[frozenset[str]] = ContextVar("options from a file", default=frozenset())
# The same as they are typed, such as --level, with the values that the file gives.
TAKEN: ContextVar[Mapping[str, object]] = ContextVar(
    "values from a file", default=MappingProxyType({})
)
# A variable of the environment by which no command reads the file.
IGNORED = "BENCHINFER_IGNORE_FILE"
# A variable with the folders, as in PATH, out of which no link leads a file to write that is typed.
BELOW = "BENCHINFER_WRITE_BELOW"
# Options that name files to write. The folder may be that of others: neither the file nor a link
# that lies there leads out of it.
_WRITTEN = ("output", "report", "state")
# Options that may name files to read, which the file does not name outside its folder, either.
_READ = ("features", "measures", "normalise")
OPEN = "?"  # a direction to fill in
FROM = "DEFAULT_MAP"  # the source of an option that comes from the file
# Tables that are options, not commands, with the name of the option.
MAPPINGS = {"columns": "column", "names": "names"}


def defaults(command: Any, path: list[str], root: Any) -> dict[str, Any] | None:
    """Return the defaults of a command by parameter; its own table overrides outer ones.

    Parameters
    ----------
    command
        The command.
    path
        Its name, after that of its group.
    root
        The group of all commands.
    """
    # What `init` writes does not depend on what is there.
    if os.environ.get(IGNORED) or not FILE.exists() or path == ["init"]:
        return None
    settings = _settings()
    known, unknown = keys_of(command), list(_strange_tables(settings, root))
    values: dict[str, Any] = {}
    for depth in range(len(path) + 1):
        table: Any = settings
        for name in path[:depth]:
            table = table.get(name, {}) if isinstance(table, Mapping) else {}
        table = {n: v for n, v in table.items() if n in MAPPINGS or not isinstance(v, Mapping)}
        for key, value in table.items():
            if (option := known.get(_name(key))) is not None:
                values[option.name] = _typed(option, value)
            elif depth == len(path) or not _elsewhere(root, path[:depth], key):
                unknown.append(".".join([*path[:depth], key]))
    if unknown:
        said = f"{FILE} has unknown keys: {', '.join(_with_near(unknown, root))}."
        hint = "keys are options without dashes, for all commands or in the table of one: [gate]."
        raise typer.BadParameter(message(said, hint=hint))
    return values


def _with_near(unknown: list[str], root: Any) -> Iterator[str]:
    """Yield unknown keys, each with the known one that it may be meant for."""
    for key in unknown:
        *path, last = key.split(".")
        table = root
        for word in path:
            table = table.get_command(None, word) if word in getattr(table, "homes", ()) else table
        commands = _commands(table) if hasattr(table, "homes") else [table]
        known = {*getattr(table, "homes", ()), *MAPPINGS, *chain(*map(keys_of, commands))}
        near = get_close_matches(_name(last), known, 1, 0.75)
        yield f"{key} (did you mean {near[0]}?)" if near else key


def _settings() -> dict[str, Any]:
    """Return what the file holds; raise a usage error where it cannot be read."""
    if not FILE.is_file():  # reading a pipe might never end
        raise typer.BadParameter(f"{FILE} is no file.")
    try:
        return tomllib.loads(FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # what is not TOML, or not UTF-8
        raise typer.BadParameter(f"{FILE} cannot be read: {error}.") from None
    except RecursionError:
        raise typer.BadParameter(f"{FILE} is nested too deep to be read.") from None


def as_typed() -> Iterator[str]:
    """Yield the options of the file with their values, as they would be typed."""
    for flag, value in TAKEN.get().items():
        for one in value if isinstance(value, list) else [value]:
            yield flag if isinstance(one, bool) else f"{flag} {shlex.quote(str(one))}"


def check_paths(context: Any) -> None:
    """Raise a usage error where a path is not typed and leads out of the current folder.

    Where `BELOW` is in the environment, links lead typed files to write out of no folder, either.
    """
    from benchinfer.core.saving import lies_below  # which takes time to load

    for name in (*_WRITTEN, *_READ):
        value, source = context.params.get(name), context.get_parameter_source(name)
        from_file = source is not None and source.name == FROM
        if not value:
            continue
        if name in _READ:
            texts = value if isinstance(value, list) else [value]
            places = [place for text in texts if from_file for place in _places(str(text))]
        else:
            places = [str(value)]
            if not from_file and source is not None and source.name != "DEFAULT":
                _check_typed(name, str(value))
                continue
        by = f"of {FILE} " if from_file else ""
        if waits := [place for place in places if name in _READ and _is_stream(place)]:
            what = f"{waits[0]!r} {by}is a pipe, a socket or a device."
            raise _refused(name, what, f"type --{name} with it if that is meant.")
        if odd := [place for place in places if not lies_below(place, FILE.parent)]:
            what = f"{odd[0]!r} {by}is not below this folder."
            raise _refused(name, what, f"type --{name} with it if that is meant.")


def _check_typed(name: str, path: str) -> None:
    """Raise a usage error where a typed path is not below one of the folders of `BELOW`."""
    from benchinfer.core.saving import lies_below

    roots = [root for root in os.environ.get(BELOW, "").split(os.pathsep) if root]
    places = [Path(os.path.abspath(place)) for place in (path, *roots)]  # noqa: PTH100 (links stay)
    within = [
        r for r, place in zip(roots, places[1:], strict=True) if places[0].is_relative_to(place)
    ]
    if roots and not any(lies_below(path, root) for root in within):
        listed = " or ".join(map(repr, roots))
        what = f"{path!r} is not below {listed}, links included, as {BELOW} asks."
        raise _refused(name, what, "name a file there.")


def _refused(name: str, what: str, hint: str) -> typer.BadParameter:
    return typer.BadParameter(message(what, hint=hint), param_hint=f"'--{name}'")


def _is_stream(place: str) -> bool:
    """Return whether a path is neither file nor folder: nobody may write to it."""
    path = Path(place)
    return path.exists() and not path.is_file() and not path.is_dir()


def _places(text: str) -> Iterator[str]:
    """Yield a path that may be a pattern, with all that it names, in folders too."""
    path = os.path.expanduser(text)  # noqa: PTH111 (a home that is not there is no error here)
    for place in dict.fromkeys([path, *glob(path, recursive=True)]):  # noqa: PTH207
        yield place
        for folder, folders, names in os.walk(place):
            yield from (os.path.join(folder, name) for name in (*folders, *names))  # noqa: PTH118


def _strange_tables(settings: Mapping[str, Any], group: Any, at: str = "") -> Iterator[str]:
    """Yield the names of configuration tables that are not commands."""
    for name, table in settings.items():
        if not isinstance(table, Mapping) or name in MAPPINGS:
            continue
        if name not in group.homes:
            yield f"{at}{name}"
        elif hasattr(inner := group.get_command(None, name), "homes"):
            yield from _strange_tables(table, inner, f"{at}{name}.")
        else:
            yield from (f"{at}{name}.{n}" for n, v in table.items() if isinstance(v, Mapping))


def _elsewhere(root: Any, path: list[str], key: str) -> bool:
    """Return whether another command of a group has an option."""
    group = root
    for name in path:
        group = group.get_command(None, name)
    return any(_name(key) in keys_of(command) for command in _commands(group))


def _commands(group: Any) -> Iterator[Any]:
    for name in group.homes:
        one = group.get_command(None, name)
        yield from _commands(one) if hasattr(one, "homes") else [one]


def keys_of(command: Any) -> dict[str, Any]:
    """Return the options of a command by their names without dashes, which are its keys."""
    return {
        flag.removeprefix("--"): option
        for option in command.params
        for flag in option.opts
        if flag.startswith("--")
    }


def _name(key: str) -> str:
    return MAPPINGS.get(key, key.replace("_", "-"))


def _typed(option: Any, value: Any) -> Any:
    """Return a configuration value in the form in which an option is typed."""
    if isinstance(value, Mapping) and option.name == "names":
        return [(name, str(new)) for name, new in value.items()]  # either may hold =
    if isinstance(value, Mapping):
        value = [f"{name}={role}" for name, role in value.items()]
    if option.multiple:
        return [str(item) for item in (value if isinstance(value, list) else [value])]
    if isinstance(value, list):
        return ",".join(map(str, value))
    return value if isinstance(value, bool) else str(value)
