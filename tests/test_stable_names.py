"""Names that a release keeps: each that stable_names.txt lists is still there.

``python tests/test_stable_names.py`` writes the list anew. Until the first release any change is
free; from then on names are added freely, and go as docs/install.md says.
"""

import inspect
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from typer import Context
from typer.main import get_command

import benchinfer as bi
from benchinfer.analyses import ANALYSES
from benchinfer.cli.app import app
from benchinfer.core.frames import GLOSSARY
from benchinfer.core.verdict import Verdict
from benchinfer.reports.schema import schema
from benchinfer.scores.examples import examples

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "docs" / "gallery"
LIST = Path(__file__).with_name("stable_names.txt")
SUBMODULES = ("errors", "papers", "priors", "stability", "typing")


def _members(thing: type) -> list[str]:
    """Return the public members that classes of ours define."""
    ours = [cls for cls in thing.__mro__ if cls.__module__.startswith("benchinfer")]
    return [name for cls in ours for name in vars(cls) if name[0] != "_"]


def _interface() -> Iterator[tuple[str, list[str]]]:
    """Yield functions with their arguments, and classes with what is public of them."""
    names = [*bi.__all__, *(f"{m}.{name}" for m in SUBMODULES for name in getattr(bi, m).__all__)]
    for name in names:
        thing = attrgetter(name)(bi)
        if inspect.isclass(thing):
            yield f"class {name}", _members(thing)
        elif callable(thing):
            yield f"function {name}", [*inspect.signature(thing).parameters]
        else:
            yield f"name {name}", []


def _commands() -> Iterator[tuple[str, list[str]]]:
    """Yield commands with their options."""
    group = get_command(app)
    commands = {name: group.get_command(Context(group), name) for name in group.commands}
    compare = commands.pop("compare")
    for name in ("auto", "factors", *(name.replace("_", "-") for name in ANALYSES)):
        commands[f"compare {name}"] = compare.get_command(Context(compare), name)
    for name, command in commands.items():
        yield f"command {name}", [o for p in command.params for o in p.opts if o[0] == "-"]


def current() -> dict[str, set[str]]:
    """Return the names that are there now, by what they belong to."""
    return {
        **{owner: {*names} for owner, names in (*_interface(), *_commands())},
        **{
            f"document {name}": {*rule["properties"]}
            for name, rule in schema()["$defs"].items()
            if rule.get("properties")
        },
        "columns": {*GLOSSARY},
        "examples": {*examples()},
        "figures": {page.stem for page in GALLERY.glob("*/*.md")} - {"index"},
        "verdicts": {verdict.name.lower() for verdict in Verdict},
    }


def listed() -> dict[str, set[str]]:
    """Return the names of the list."""
    lines = LIST.read_text("utf-8").splitlines()
    return {owner: {*names.split()} for owner, names in (line.split(":") for line in lines)}


def test_no_name_of_the_list_is_gone() -> None:
    now = current()
    gone = {o: sorted(names - now.get(o, set())) for o, names in listed().items()}
    assert {owner: names for owner, names in gone.items() if names or owner not in now} == {}


def test_the_list_has_every_kind_of_name() -> None:
    kinds = {owner.split()[0] for owner in listed()}
    assert kinds == {owner.split()[0] for owner in current()}
    assert {"contrasts", "summary", "diagnostics", "save"} <= listed()["class typing.Comparison"]
    assert "adjust" in listed()["function compare_mixed"]
    assert "--json" in listed()["command gate"]


if __name__ == "__main__":
    names = sorted((owner, sorted(names)) for owner, names in current().items())
    LIST.write_text("".join(f"{owner}: {' '.join(n)}".rstrip() + "\n" for owner, n in names))
