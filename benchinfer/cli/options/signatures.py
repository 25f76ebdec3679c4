"""Signatures and docstrings, read from the source.

An analysis takes seconds to import, and `--help` should not.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

_PACKAGE = "benchinfer"
# Modules of types, which are there in any case; of others no type is an option's.
_LIGHT = {"typing", "collections.abc"}
type _Node = ast.ImportFrom | ast.Import | ast.TypeAlias | ast.ClassDef | ast.FunctionDef


@cache
def source(module: str) -> ModuleText:
    """Return the parsed source of a module of the package."""
    place = files(_PACKAGE).joinpath(*module.split(".")[1:])
    file = place / "__init__.py" if place.is_dir() else place.with_name(f"{place.name}.py")  # pyright: ignore[reportAttributeAccessIssue]
    return ModuleText(file.read_text(encoding="utf-8"))


class ModuleText:
    """Names of a module, resolved from its source without an import."""

    def __init__(self, text: str) -> None:
        self._nodes: dict[str, tuple[_Node, str]] = {}
        body = ast.parse(text).body
        checked = [node for node in body if isinstance(node, ast.If)]  # if TYPE_CHECKING:
        for node in [*body, *(inner for block in checked for inner in block.body)]:
            match node:
                case ast.ImportFrom() | ast.Import():
                    for each in node.names:
                        self._nodes[each.asname or each.name] = node, each.name
                case ast.TypeAlias(name=ast.Name(id=name)):
                    self._nodes[name] = node, name
                case ast.ClassDef() | ast.FunctionDef():
                    self._nodes[node.name] = node, node.name  # of overloads the last one
                case _:
                    pass

    def __getattr__(self, name: str) -> Any:
        """Return the type of a name, accessed as an attribute of the module."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """Return the type of a name; an empty class stands in for a class that is not imported."""
        node, original = self._nodes[name]
        match node:
            case ast.TypeAlias():
                return self.evaluated(node.value)
            case ast.ImportFrom(module=str(module)) if module in _LIGHT:
                return getattr(import_module(module), original)
            case ast.ImportFrom(module=str(module)) if module.startswith(_PACKAGE):
                # What a module has by a name may be one of its modules.
                place = files(_PACKAGE).joinpath(*module.split(".")[1:])
                inner: list[Any] = [place / f"{original}.py", place / original]
                if place.is_dir() and any(one.exists() for one in inner):
                    return source(f"{module}.{original}")
                return source(module)[original]
            case _:
                return type(original, (), {})

    def evaluated(self, annotation: ast.expr) -> Any:
        """Return the type that an annotation names."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = ast.parse(annotation.value, mode="eval").body
        code = compile(ast.Expression(annotation), "<annotation>", "eval")
        return eval(code, {}, cast("Mapping[str, Any]", self))  # noqa: S307 (annotations of this package)

    def function(self, name: str) -> ast.FunctionDef:
        """Return the syntax tree of a function."""
        node = self._nodes[name][0]
        assert isinstance(node, ast.FunctionDef)  # noqa: S101 (named by this package)
        return node


def signature(module: str, name: str) -> inspect.Signature:
    """Return the signature of a function, its annotations evaluated."""
    home = source(module)
    arguments = home.function(name).args
    plain, named = arguments.args, arguments.kwonlyargs
    defaults = [*([None] * (len(plain) - len(arguments.defaults))), *arguments.defaults]
    defaults += arguments.kw_defaults
    return inspect.Signature(
        [
            inspect.Parameter(
                argument.arg,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if default is None else ast.literal_eval(default),
                annotation=home.evaluated(argument.annotation or ast.Constant(None)),
            )
            for argument, default in zip([*plain, *named], defaults, strict=True)
        ]
    )


def summary(module: str, name: str) -> list[str]:
    """Return the paragraphs of a function's docstring before its sections."""
    text = ast.get_docstring(source(module).function(name)) or ""
    return _paragraphs(re.split(r"\n\n\w+\n-+\n", text)[0])


def descriptions(module: str, name: str) -> dict[str, str]:
    """Return the first paragraph of each parameter's description in a docstring."""
    text = ast.get_docstring(source(module).function(name)) or ""
    section = re.search(r"\n\nParameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|$)", text, re.DOTALL)
    texts: dict[str, str] = {}
    entries = re.split(r"^(\w.*)\n", section[1] if section else "", flags=re.MULTILINE)[1:]
    for names, description in zip(entries[::2], entries[1::2], strict=True):
        texts |= dict.fromkeys(names.split(", "), _paragraphs(inspect.cleandoc(description))[0])
    return texts


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n")]
