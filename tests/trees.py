"""Syntax trees of the package's modules, each parsed once."""

import ast
from functools import cache
from pathlib import Path

import benchinfer

PACKAGE = Path(benchinfer.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree(path)))
