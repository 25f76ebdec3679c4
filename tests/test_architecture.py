"""The shape of the code: folders as in `docs/architecture.md`, names, length of functions."""

import ast
import builtins
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import benchinfer as bi
from tests.trees import FILES, PACKAGE, nodes, tree

ROOT = PACKAGE.parent
TESTS = ROOT / "tests"
# Tests of the whole package, of its documents, and by simulation.
ACROSS = {"browser", "calibration", "docs", "golden", "properties"}
MOST_ENTRIES = 15
LIBRARIES = ("xarray.", "pandas.", "matplotlib.")
# Names that say nothing of what a value is; `docs/contributing.md` has the rule.
VAGUE = {
    *("found", "told", "asked", "own", "whole", "beside", "alike", "taken", "kept", "borne"),
}
LIMITS = {
    "functions": 4730,
    "records": 472,
    "renamed imports": 0,
    "names outside the field's vocabulary": 2,
}
# Entered at the second call: what a reader walks through to see where a line comes from.
WALKS = {
    "files from compare_mixed to the sentence": 51,
    "functions from compare_mixed to the sentence": 350,
    "calls for one headline": 55,
    "files of read_scores of a small CSV": 15,
}

type Function = ast.FunctionDef | ast.AsyncFunctionDef


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _functions() -> Iterator[tuple[str, Function, list[str]]]:
    """Yield name, tree and source lines of each function and method."""
    for path in FILES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{_name(path)}:{node.name}", node, lines


def _code_lines(node: Function, lines: list[str]) -> int:
    """Count lines of a function's body without docstring, comments and empty lines."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not body:
        return 0
    own = lines[body[0].lineno - 1 : node.end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in own)


def test_architecture_shows_every_folder() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = text.split("```text\nbenchinfer/\n")[1].split("```")[0]
    shown, open_folders = set(), []
    for line in drawn.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        open_folders[depth - 1 :] = [line.split("/")[0].strip()]
        shown.add("/".join(open_folders))
    folders = {path.parent.relative_to(PACKAGE).as_posix() for path in FILES} - {"."}
    assert shown == folders


def test_every_folder_can_be_taken_in_at_a_glance() -> None:
    entries: Counter[Path] = Counter()
    for path in {p for file in FILES for p in (file, *file.parents) if PACKAGE in p.parents}:
        entries[path.parent] += path.name != "__init__.py"
    crowded = {_name(folder): n for folder, n in entries.items() if n > MOST_ENTRIES}
    assert crowded == {}


def test_tests_bear_the_names_of_modules() -> None:
    """A test file begins with the name of a module of the folder that its own folder mirrors.

    Several files about one module may stand in a folder of its name; folders of tests that cut
    across the package mirror nothing.
    """
    strays: list[str] = []
    for path in sorted(TESTS.rglob("test_*.py")):
        folder = path.parent.relative_to(TESTS)
        home, stem = PACKAGE / folder, path.stem.removeprefix("test_")
        if folder == Path() or folder.parts[0] in ACROSS or home.with_suffix(".py").exists():
            continue
        modules = [p.stem for p in home.iterdir() if p.suffix == ".py" or p.is_dir()]
        if not any(stem == name or stem.startswith(f"{name}_") for name in modules):
            strays.append(path.relative_to(TESTS).as_posix())
    assert strays == []


def test_names_of_classes_are_unique() -> None:
    homes: dict[str, list[str]] = {}
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(_name(path))
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_modules_are_titled_by_a_noun_phrase() -> None:
    clause = re.compile(r"(What|How|Where|Which|Who|Whether|When)\b")
    titles = {_name(p): ast.get_docstring(tree(p)) for p in FILES}
    assert {name: title for name, title in titles.items() if clause.match(title or "")} == {}


def test_functions_are_short() -> None:
    sizes = {name: _code_lines(node, lines) for name, node, lines in _functions()}
    assert {name: size for name, size in sizes.items() if size > 60} == {}


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


def test_references_in_docstrings_exist() -> None:
    """A name between single backticks is one of the package; libraries are in its imports."""
    names, homes = _defined()
    stale: list[str] = []
    for path in FILES:
        for node in nodes(path):
            if not isinstance(node, ast.Module | ast.ClassDef | Function.__value__):
                continue
            text = ast.get_docstring(node) or ""
            for reference in re.findall(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)", text):
                *_, home, name = ["", *reference.removeprefix("benchinfer.").split(".")]
                known = homes[home] | {"home"} if home in homes else names
                if not reference.startswith(LIBRARIES) and name not in known | set(homes):
                    stale.append(f"{_name(path)}: {reference}")
    assert stale == []


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


def test_counts_only_fall() -> None:
    """The limits are those of the last change: whoever stays below one lowers it."""
    every = [node for path in FILES for node in nodes(path)]
    records = [
        node
        for node in every
        if isinstance(node, ast.ClassDef)
        and any("dataclass" in ast.unparse(mark) for mark in node.decorator_list)
    ]
    renamed = [
        alias
        for node in every
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("benchinfer")
        for alias in node.names
        if alias.asname and alias.asname != alias.name  # a name as itself is re-exported
    ]
    counts = {
        "functions": len(list(_functions())),
        "records": len(records),
        "renamed imports": len(renamed),
        "names outside the field's vocabulary": sum(n in VAGUE for n in _identifiers()),
    }
    assert {name: n for name, n in counts.items() if n > LIMITS[name]} == {}


def _entered(call: Callable[[], object]) -> Counter[tuple[str, str]]:
    """Count the calls of each function of the package, by file, that a second call makes."""
    call()
    calls: Counter[tuple[str, str]] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        inside = code.co_filename.startswith(f"{PACKAGE}/")
        if event == "call" and inside and not code.co_name.startswith("<"):
            calls[code.co_filename, code.co_qualname] += 1

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return calls


def test_walks_through_the_package_only_get_shorter(tmp_path: Path) -> None:
    scores = bi.load_example("sklearn_bootstrap")
    result = bi.compare_mixed(scores, "error")
    path = tmp_path / "scores.csv"
    rows = [f"d{d},a{k},{r},0.{d}{k}{r}" for d in range(7) for k in range(4) for r in range(2)]
    path.write_text("\n".join(["dataset,algorithm,replication,acc", *rows]), encoding="utf-8")
    sentence = _entered(lambda: bi.compare_mixed(scores, "error").sentence())
    headline = _entered(result.headline)
    reading = _entered(lambda: bi.read_scores(path, measures="acc:higher"))
    counts = {
        "files from compare_mixed to the sentence": len({file for file, _ in sentence}),
        "functions from compare_mixed to the sentence": len(sentence),
        "calls for one headline": headline.total(),
        "files of read_scores of a small CSV": len({file for file, _ in reading}),
    }
    assert {name: n for name, n in counts.items() if n > WALKS[name]} == {}


def test_every_dataclass_is_frozen() -> None:
    mutable: list[str] = []
    for path in FILES:
        for node in nodes(path):
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
