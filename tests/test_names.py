"""Names and words of the code, by the rules of `docs/contributing.md`."""

import ast
import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from tests.trees import FILES, PACKAGE, nodes, tree

LIBRARIES = ("xarray.", "pandas.", "matplotlib.")
# Names that say nothing of what a value is, and how often they stand today; target: never.
VAGUE = {
    "alike": 0,
    "asked": 2,
    "beside": 0,
    "borne": 0,
    "found": 0,
    "given": 195,
    "held": 677,
    "kept": 0,
    "own": 0,
    "said": 305,
    "taken": 0,
    "there": 302,
    "told": 0,
    "wanted": 143,
    "whole": 0,
}
# First words that a statistician would not write of a function.
CHATTY = ("Say", "Lay", "Refuse", "Put", "Give", "Leave", "Tell", "Name", "Let", "Take")

type Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _docstrings() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each docstring."""
    for path in FILES:
        name = path.relative_to(PACKAGE).as_posix()
        for node in nodes(path):
            if isinstance(node, Documented.__value__) and (text := ast.get_docstring(node)):
                yield f"{name}:{getattr(node, 'name', '')}", text


def test_names_of_classes_are_unique() -> None:
    homes: dict[str, list[str]] = {}
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path.relative_to(PACKAGE).as_posix())
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_modules_are_titled_by_a_noun_phrase() -> None:
    clause = re.compile(r"(What|How|Where|Which|Who|Whether|When)\b")
    titles = {p.relative_to(PACKAGE).as_posix(): ast.get_docstring(tree(p)) for p in FILES}
    assert {name: title for name, title in titles.items() if clause.match(title or "")} == {}


def test_no_docstring_begins_with_a_chatty_verb() -> None:
    first = {name: text.split(maxsplit=1)[0].rstrip(".,:") for name, text in _docstrings()}
    assert {name: word for name, word in first.items() if word in CHATTY} == {}


def _identifiers() -> Iterator[str]:
    """Yield each name of a variable, function, argument or attribute, wherever it stands."""
    for path in FILES:
        for node in nodes(path):
            match node:
                case (
                    ast.Name(id=name)
                    | ast.Attribute(attr=name)
                    | ast.arg(arg=name)
                    | ast.FunctionDef(name=name)
                ):
                    yield name


def test_names_outside_the_vocabulary_of_the_field_only_get_fewer() -> None:
    counts = Counter(name for name in _identifiers() if name in VAGUE)
    assert {name: n for name, n in counts.items() if n > VAGUE[name]} == {}


def test_no_import_is_renamed() -> None:
    renamed = [
        alias.asname
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("benchinfer")
        for alias in node.names
        if alias.asname and alias.asname != alias.name  # a name as itself is re-exported
    ]
    assert renamed == []


def _defined() -> tuple[set[str], dict[str, set[str]]]:
    """Return all names of the package, and those of each module and class by its name."""
    names, homes = set(dir(builtins)), defaultdict[str, set[str]](set)
    for path in FILES:
        stem = path.parent.name if path.name == "__init__.py" else path.stem
        for node in nodes(path):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    homes[stem].add(name)
                case ast.ClassDef(name=name, body=body):
                    homes[stem].add(name)
                    homes[name] |= {n.name for n in body if isinstance(n, ast.FunctionDef)}
                    fields = (n.target for n in body if isinstance(n, ast.AnnAssign))
                    homes[name] |= {n.id for n in fields if isinstance(n, ast.Name)}
                case ast.Name(id=name) | ast.TypeAlias(name=ast.Name(id=name)):
                    homes[stem].add(name)
                case ast.alias(name=name):
                    homes[stem].add(name.rpartition(".")[2])
                case ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                    names.add(name)
    return names.union(homes, *homes.values()), homes


@pytest.mark.slow
def test_references_in_docstrings_exist() -> None:
    """A name between single backticks is one of the package; libraries are in its imports."""
    names, homes = _defined()
    stale: list[str] = []
    for place, text in _docstrings():
        for reference in re.findall(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)", text):
            *_, home, name = ["", *reference.removeprefix("benchinfer.").split(".")]
            known = homes[home] | {"home"} if home in homes else names
            if not reference.startswith(LIBRARIES) and name not in known | set(homes):
                stale.append(f"{place}: {reference}")
    assert stale == []
