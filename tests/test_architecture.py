"""The shape of the code: what `docs/architecture.md` lists, and the length of functions."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "benchinfer"
FILES = sorted(PACKAGE.rglob("*.py"))

type Function = ast.FunctionDef | ast.AsyncFunctionDef


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _functions() -> Iterator[tuple[str, Function, list[str]]]:
    """Yield name, tree and source lines of each function and method."""
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{_name(path)}:{node.name}", node, lines


def _code_lines(node: Function, lines: list[str]) -> int:
    """Count lines of a function's body without docstring, comments and empty lines."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not body:
        return 0
    own = lines[body[0].lineno - 1 : node.end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in own)


def test_architecture_lists_every_module() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `([\w/]+\.py)`: \S", text, flags=re.MULTILINE)
    assert sorted(listed) == sorted(map(_name, FILES))


def test_functions_are_short() -> None:
    sizes = {name: _code_lines(node, lines) for name, node, lines in _functions()}
    assert {name: size for name, size in sizes.items() if size > 60} == {}


def test_every_dataclass_is_frozen() -> None:
    mutable: list[str] = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                text = [ast.unparse(decorator) for decorator in node.decorator_list]
                marks = [t for t in text if t.split("(")[0].endswith("dataclass")]
                if marks and not all("frozen=True" in mark for mark in marks):
                    mutable.append(f"{_name(path)}:{node.name}")
    assert mutable == []


def test_every_signature_is_annotated() -> None:
    bare: list[str] = []
    for name, node, _ in _functions():
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        arguments += [a for a in (node.args.vararg, node.args.kwarg) if a is not None]
        unannotated = [a.arg for a in arguments if a.annotation is None]
        unannotated = [a for a in unannotated if a not in {"self", "cls"}]
        if unannotated or (node.returns is None and node.name != "__init__"):
            bare.append(f"{name}({', '.join(unannotated)})")
    assert bare == []
