"""Decisions and texts: what decides is a field of a record, never read out of a sentence."""

import ast
from collections.abc import Iterator, Sequence

import pytest

from tests.trees import FILES, PACKAGE, tree

# Attributes and methods that are sentences for readers, and names that stand for them.
TEXTS = {"adjustment", "headline", "hint", "message", "reason", "remedy", "sentence", "what"}
NAMES = {"hint", "message", "reason", "remedy"}
ERRORS = {"error", "fault", "finding"}
# Methods that make another text, or its lines, of a text.
SHAPED = {"capitalize", "casefold", "lower", "lstrip", "removesuffix", "replace", "rstrip"}
SHAPED |= {"splitlines", "strip", "upper"}
# Methods that look into a text, and functions of patterns, whose argument it is.
READINGS = {"count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix"}
READINGS |= {"replace", "rfind", "rindex", "rpartition", "rsplit", "split", "startswith"}
PATTERNS = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"}
MAY_READ = {
    # The heads of the columns have the direction, which each headline names again.
    "analyses/choice/sections.py:measures_section",
    # It writes the calls that an error proposes as commands.
    "cli/hints.py:said",
    # PyArrow's errors have no field: what is wrong is read here, once, and is a field from then on.
    "scores/sources/text.py:arrow_fault",
}


class Scope:
    """Statements with the names in them that hold texts or errors."""

    def __init__(self, body: Sequence[ast.AST], classes_of_hints: set[str]) -> None:
        self.nodes = [node for statement in body for node in ast.walk(statement)]
        self.classes_of_hints = classes_of_hints
        self.errors = ERRORS | {
            node.name for node in self.nodes if isinstance(node, ast.ExceptHandler) and node.name
        }
        self.names = set(NAMES)
        while more := {name for node in self.nodes for name in self._bound(node)} - self.names:
            self.names |= more

    def _bound(self, node: ast.AST) -> Iterator[str]:
        """Yield the name that a node binds to a text."""
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
                | ast.For(target=ast.Name(id=name), iter=value)
                | ast.comprehension(target=ast.Name(id=name), iter=value)
            ) if self._is_text(value):
                yield name

    def _is_text(self, node: ast.AST | None) -> bool:
        """Return whether an expression is a text, a part of one, or its lines."""
        parts: list[ast.AST] = []
        match node:
            case ast.Attribute(attr=name) | ast.Call(func=ast.Attribute(attr=name)) if (
                name in TEXTS
            ):
                return True
            case ast.Name(id=name):
                return name in self.names
            case (
                ast.Call(func=ast.Name(id="str" | "repr"), args=[of]) | ast.FormattedValue(value=of)
            ):
                return self._is_text(of) or self._is_error(of)
            case ast.Attribute(attr="args", value=of):
                return self._is_error(of)
            case ast.Call(func=ast.Attribute(attr=name, value=of)) if name in SHAPED:
                parts = [of]
            case ast.Subscript(value=of) | ast.NamedExpr(value=of):
                parts = [of]
            case ast.JoinedStr(values=values):
                parts = [*values]
            case ast.BinOp(left=first, right=second) | ast.IfExp(body=first, orelse=second):
                parts = [first, second]
        return any(map(self._is_text, parts))

    def _is_error(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.errors

    def readings(self) -> Iterator[ast.expr | ast.Match]:
        """Yield the nodes that look into a text."""
        for node in self.nodes:
            match node:
                case ast.Compare(left=left, ops=ops, comparators=others):
                    looks = any(
                        isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for op in ops
                    )
                    empty = any(isinstance(one, ast.Constant) and not one.value for one in others)
                    reads = looks and not empty and any(map(self._is_text, (left, *others)))
                case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
                    names = {part.id for part in ast.walk(kind) if isinstance(part, ast.Name)}
                    reads = bool(names & self.classes_of_hints)
                case ast.Call(func=ast.Name(id="getattr"), args=[of, *_]):
                    reads = self._is_text(of)
                case ast.Call(func=ast.Attribute(attr=name, value=of), args=args):
                    reads = (
                        (name in PATTERNS and any(map(self._is_text, args)))
                        or (name in {"get", "pop"} and any(map(self._is_text, args[:1])))
                        or (name in READINGS and self._is_text(of) and not _is_layout(args))
                    )
                case ast.Attribute(value=ast.Call(func=ast.Name(id=kind), args=args)):
                    reads = kind[0].isupper() and any(map(self._is_text, args))
                case ast.Subscript(slice=of, ctx=ast.Load()) | ast.Match(subject=of):
                    reads = self._is_text(of)
                case _:
                    continue
            if reads:
                yield node


def _is_layout(args: Sequence[ast.expr]) -> bool:
    """Return whether a method looks for blanks and stops alone, such as one at the end."""
    parts = [part for arg in args for part in ast.walk(arg)]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    fixed = bool(texts) and not any(isinstance(part, ast.Name | ast.Attribute) for part in parts)
    return fixed and all(set(str(text)) <= set(" \n.?") for text in texts)


def readings(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield function and expression wherever a module looks into a text."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module == "benchinfer.core.hints"
        for alias in node.names
    }
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            for reading in Scope(node.body, imported).readings():
                yield node.name, ast.unparse(reading).splitlines()[0]


@pytest.mark.slow
def test_no_decision_is_taken_from_a_text() -> None:
    places: dict[str, list[str]] = {}
    for path in FILES:
        for function, text in readings(tree(path)):
            place = f"{path.relative_to(PACKAGE).as_posix()}:{function}"
            places.setdefault(place, []).append(text)
    assert {place: texts for place, texts in places.items() if place not in MAY_READ} == {}
    assert places.keys() >= MAY_READ


def test_hints_are_texts_and_no_records() -> None:
    hints = tree(PACKAGE / "core" / "hints.py")
    assert [node.name for node in ast.walk(hints) if isinstance(node, ast.ClassDef)] == []


# As the package did it once, and as it may: statements, and whether they look into a text.
@pytest.mark.parametrize(
    ("statements", "reads"),
    [
        # proposals of options
        ("near = any('did you mean' in fault.hint for fault in faults)", True),
        ("ways = [p for p in Phrase(fault.hint).parts if isinstance(p, Option)]", True),
        ("near = any(fault.near for fault in faults)", False),
        ("ways = dict(fault.proposes)", False),
        # the analysis that fits
        ("if not isinstance(call, Call):\n    raise DesignError(advised.reason)", True),
        ("none = str(findings[ADVICE].hint).startswith(MENDED)", True),
        ("if call is None:\n    raise DesignError(advised.reason)", False),
        # hints as commands
        ("text = error.args[0] if error.args else ''\nparts = getattr(text, 'parts', ())", True),
        ("asked = [part for f in faults for part in Phrase(f.hint).parts]", True),
        ("asked = [dict(fault.proposes) for fault in faults]", False),
        # other ways to look into a text
        ("if any(f'to be the {role}.' in f.what for f in findings):\n    pass", True),
        ("text = one.hint\nother = text.replace('min-max', 'ranks')", True),
        ("for line in finding.hint.splitlines():\n    head = line.partition('=')", True),
        ("if re.search('few data sets', check.remedy):\n    pass", True),
        ("if _FEW.match(check.remedy):\n    pass", True),
        ("try:\n    f()\nexcept ValueError as e:\n    no = 'singular' in str(e)", True),
        ("match choice.reason:\n    case 'ties':\n        pass", True),
        ("way = WAYS[choice.reason]", True),
        ("way = WAYS.get(result.sentence())", True),
        ("name = check.remedy.removeprefix('compare_')", True),
        ("if 'false discovery rate' in result.provenance.adjustment:\n    pass", True),
        # layout of a text
        ("if check.remedy and not check.remedy.endswith(('.', '?')):\n    pass", False),
        ("first = str(error).splitlines()[0].removesuffix('.')", False),
        ("line = finding.hint.replace('\\n', ' ')", False),
        ("if finding.hint != '':\n    pass", False),
    ],
)
def test_a_reading_of_a_text_is_seen(statements: str, *, reads: bool) -> None:
    body = "\n".join(f"    {line}" for line in statements.splitlines())
    imports = "from benchinfer.core.hints import Call, Option, Phrase"
    assert bool(list(readings(ast.parse(f"{imports}\ndef function():\n{body}")))) == reads
