"""The shape of the code: folders as in `docs/architecture.md`, imports, sizes, walks, interface.

A limit is the target, or, where that is not met yet, the value of today, with the target beside it.
Whoever comes below a value of today lowers it.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest

import benchinfer as bi
from benchinfer.core import arguments
from tests.trees import FILES, PACKAGE, nodes, tree

ROOT = PACKAGE.parent
TESTS = ROOT / "tests"
# Tests of the whole package, of its documents, and by simulation.
ACROSS = {"browser", "calibration", "docs", "golden", "properties"}

ENTRIES = 15  # of a folder
LIKE = 18  # entries of a folder that is a list of like things
LISTS = {"analyses", "scores/formats"}
CODE_LINES = 60  # of a function
NUMBERED = 80  # code lines of a function whose docstring numbers its steps
FILE_LINES = 800
METHODS = 36  # of its own, of a class
ARGUMENTS = 24  # of a function
ARGUMENTS_OF_READ_SCORES = 16
IMPORTS = 30  # modules of ours that a file imports
NAMES_FOR_ANNOTATIONS = "typing.py"  # a list of names and nothing else
REQUIRED_PACKAGES = 14
SAMPLERS = {
    "analyses/bayes/numerics/gibbs.py",  # of the conjugate model
    "numerics/posterior/nuts.py",  # nutpie, of every other model
}
# Entered at the second call: what a reader walks through to see where a line comes from.
WALKS = {
    "files from compare_mixed to the sentence": 52,  # target 46
    "functions from compare_mixed to the sentence": 376,  # target 305
    "calls for one headline": 63,
    "files of read_scores of a small CSV": 15,
}

type Function = ast.FunctionDef | ast.AsyncFunctionDef


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _hold(values: Mapping[str, int], most: int) -> None:
    assert {name: n for name, n in values.items() if n > most} == {}


def _functions() -> Iterator[tuple[str, Function, list[str]]]:
    """Yield name, tree and source lines of each function and method."""
    for path in FILES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{_name(path)}:{node.name}", node, lines


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
    entries: Counter[str] = Counter()
    for path in {p for file in FILES for p in (file, *file.parents) if PACKAGE in p.parents}:
        entries[_name(path.parent)] += path.name not in ("__init__.py", "__main__.py")
    _hold({name: n for name, n in entries.items() if name in LISTS}, LIKE)
    _hold({name: n for name, n in entries.items() if name not in LISTS}, ENTRIES)


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


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_module(path): path for path in FILES}


def _imported(body: Iterator[ast.AST], *, types: bool) -> Iterator[str]:
    """Yield the modules of ours that nodes import, in functions, too; if asked for types alone."""
    for node in body:
        match node:
            case ast.ImportFrom(module=str(home), names=aliases):
                for alias in aliases:
                    module = f"{home}.{alias.name}"
                    yield module if module in MODULES else home
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.If(test=test, body=inside, orelse=otherwise):
                only_types = ast.unparse(test) == "TYPE_CHECKING"
                parts = otherwise if only_types and not types else [*inside, *otherwise]
                yield from _imported(iter(parts), types=types)
            case _:
                yield from _imported(ast.iter_child_nodes(node), types=types)


def _imports(*, types: bool) -> dict[str, set[str]]:
    """Return the modules of ours that each module imports."""
    return {
        module: {*_imported(iter(tree(path).body), types=types)} & {*MODULES} - {module}
        for module, path in MODULES.items()
    }


@pytest.mark.slow
def test_no_circle_of_imports() -> None:
    """Imports inside functions count: a result asks for nothing that makes it."""
    TopologicalSorter(_imports(types=False)).prepare()  # raises where there is one


@pytest.mark.slow
def test_files_import_few_modules() -> None:
    imports = _imports(types=True)
    counts = {_name(MODULES[name]): len(of) for name, of in imports.items() if name != "benchinfer"}
    del counts[NAMES_FOR_ANNOTATIONS]
    _hold(counts, IMPORTS)


def test_files_are_short() -> None:
    lines = {_name(p): len(p.read_text(encoding="utf-8").splitlines()) for p in FILES}
    _hold(lines, FILE_LINES)


def _code_lines(node: Function, lines: list[str]) -> int:
    """Count lines of a function's body without docstring, comments and empty lines."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not body:
        return 0
    code = lines[body[0].lineno - 1 : node.end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in code)


def _numbers_its_steps(node: Function) -> bool:
    starts = {line.strip()[:3] for line in (ast.get_docstring(node) or "").splitlines()}
    return {"1. ", "2. ", "3. "} <= starts


@pytest.mark.slow
def test_functions_are_short() -> None:
    sizes = {
        name: _code_lines(node, lines) - (NUMBERED - CODE_LINES) * _numbers_its_steps(node)
        for name, node, lines in _functions()
    }
    _hold(sizes, CODE_LINES)


def _arguments(node: Function) -> list[ast.arg]:
    several = [arg for arg in (node.args.vararg, node.args.kwarg) if arg is not None]
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *several]


def test_functions_have_few_arguments() -> None:
    counts = {name: len(_arguments(node)) for name, node, _ in _functions()}
    _hold(counts, ARGUMENTS)
    assert counts["scores/read.py:read_scores"] <= ARGUMENTS_OF_READ_SCORES


def test_classes_have_few_methods() -> None:
    classes = [(p, n) for p in FILES for n in nodes(p) if isinstance(n, ast.ClassDef)]
    counts = {
        f"{_name(path)}:{node.name}": sum(isinstance(part, ast.FunctionDef) for part in node.body)
        for path, node in classes
    }
    _hold(counts, METHODS)


def _kinds(node: Function) -> set[str]:
    """Return the classes of ours that a function may return."""
    names = (
        {n.id for n in ast.walk(node.returns) if isinstance(n, ast.Name)} if node.returns else ()
    )
    return {name for name in names if name in CLASSES}


CLASSES = {n.name for path in FILES for n in nodes(path) if isinstance(n, ast.ClassDef)}


def test_a_call_returns_one_kind_of_result() -> None:
    public = [(name, getattr(bi, name)) for name in bi.__all__]
    public += [
        (f"{module}.{name}", getattr(home, name))
        for module in ("papers", "stability")
        for home in [import_module(f"benchinfer.{module}")]
        for name in home.__all__
    ]
    kinds: dict[str, set[str]] = {}
    for name, value in public:
        path = MODULES.get(getattr(value, "__module__", ""))
        for node in nodes(path) if path and not isinstance(value, type) else ():
            if isinstance(node, ast.FunctionDef) and node.name == value.__name__:
                kinds[name] = kinds.get(name, set()) | _kinds(node)
    assert kinds["compare_mixed"] == {"MixedComparison"}
    assert {name: of for name, of in kinds.items() if len(of) > 1} == {}


def test_few_packages_are_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(project["dependencies"]) <= REQUIRED_PACKAGES


def test_two_samplers() -> None:
    """A sampler is a function `sample` of numerics, or a file that asks for nutpie."""
    samplers: set[str] = set()
    for path in FILES:
        for node in nodes(path):
            match node:
                case ast.FunctionDef(name=name) if "numerics" in path.parts:
                    sampler = name == "sample" or name.startswith("sample_")
                case ast.Import(names=aliases):
                    sampler = "nutpie" in {alias.name for alias in aliases}
                case ast.ImportFrom(module=str(module)):
                    sampler = module.split(".")[0] == "nutpie"
                case ast.Constant(value="nutpie"):
                    sampler = True
                case _:
                    continue
            if sampler:
                samplers.add(_name(path))
    assert samplers == SAMPLERS


def _entered(call: Callable[[], object]) -> Counter[tuple[str, str]]:
    """Count the calls of each function of the package, by file, that a second call makes."""
    call()
    calls: Counter[tuple[str, str]] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Types of arguments are checked at each door, on no way to a number.
        inside = code.co_filename.startswith(f"{PACKAGE}/")
        inside = inside and code.co_filename != arguments.__file__
        if event == "call" and inside and not code.co_name.startswith("<"):
            calls[code.co_filename, code.co_qualname] += 1

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.slow
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
        unannotated = [a.arg for a in _arguments(node) if a.annotation is None]
        unannotated = [a for a in unannotated if a not in {"self", "cls"}]
        if unannotated or (node.returns is None and node.name != "__init__"):
            bare.append(f"{name}({', '.join(unannotated)})")
    assert bare == []
