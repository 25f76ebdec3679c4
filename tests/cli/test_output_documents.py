"""Documents of every command follow the schema, and show what the terminal and the page show."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchinfer.cli.output import results
from benchinfer.cli.output.terminal import ROWS
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.sections import sections_of
from benchinfer.core.errors import DesignError
from benchinfer.core.sections import Request
from benchinfer.reports import documents, html
from benchinfer.reports.gather import gather
from benchinfer.reports.page import compose
from benchinfer.reports.schema import schema
from tests.conftest import Page

QUICK = ("--draws", "100", "--chains", "4", "--seed", "1")
ERRORS = ("example:sklearn_bootstrap", "--measure", "error")
COMPARISONS = {
    "points": ("points", *ERRORS),
    "mixed": ("mixed", *ERRORS, "--details"),
    "diagonal": ("mixed", *ERRORS, "--structure", "diagonal", "--details"),
    "one-sided": ("mixed", *ERRORS, "--control", "svm", "--alternative", "better", "--details"),
    "wins": ("wins", *ERRORS, "--details"),
    "permutation": ("permutation", *ERRORS, "--seed", "1", "--resamples", "500", "--details"),
    "bootstrap": ("bootstrap", *ERRORS, "--seed", "1", "--resamples", "200", "--details"),
    "meta": ("meta", *ERRORS, "--details"),
    "pairwise": ("meta", *ERRORS, "--pooling", "pairwise", "--details"),
    "bayes": ("bayes", *ERRORS, *QUICK, "--details"),
    "sign": ("bayes-pairs", *ERRORS, "--test", "sign", "--details"),
    "pair": ("pair", *ERRORS, "--dataset", "wine", "--details"),
}
OTHERS = {
    "check": ("check", "example:simulated/unbalanced"),
    "describe": ("describe", "example:demsar2006"),
    "compare": ("compare", *ERRORS),
    "compare --per-dataset": ("compare", "points", *ERRORS, "--per-dataset"),
    "consensus": ("consensus", *ERRORS, "--by", "points"),
    "plan": ("plan", *ERRORS, "--difference", "0.05", "--costs", "5,1"),
    "board": ("board", *ERRORS, "--sequence", "cart,knn,lda,mlp,rf,svm"),
    "gate": ("gate", ERRORS[0], "--baseline", "svm", "--candidate", "rf", "-m", "error:lower:0.01"),
    "monitor": ("monitor", *ERRORS, "--state", "none", "--stage", "50"),
}


@pytest.fixture(scope="module")
def definitions() -> dict[str, Any]:
    return schema()["$defs"]


def faults(value: Any, rule: dict[str, Any], defs: dict[str, Any], at: str = "") -> list[str]:
    """Return where a value breaks the rules of a schema, as far as ours have them."""
    if "$ref" in rule:
        return faults(value, defs[rule["$ref"].removeprefix("#/$defs/")], defs, at)
    if "anyOf" in rule:
        tried = [faults(value, part, defs, at) for part in rule["anyOf"]]
        return min(tried, key=len)
    found = [] if "enum" not in rule or value in rule["enum"] else [f"{at}: {value!r}"]
    kinds = rule.get("type", [])
    if kinds and not any(
        _is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)
    ):
        return [f"{at}: {value!r} is no {kinds}"]
    if isinstance(value, dict):
        known, more = rule.get("properties", {}), rule.get("additionalProperties", {})
        found += [f"{at}: no {name}" for name in rule.get("required", []) if name not in value]
        for name, item in value.items():
            part = known.get(name, more)
            found += [f"{at}/{name}"] if part is False else faults(item, part, defs, f"{at}/{name}")
    if isinstance(value, list) and "items" in rule:
        for i, item in enumerate(value):
            found += faults(item, rule["items"], defs, f"{at}/{i}")
    return found


def _no_figure(*_of: object, **_options: object) -> None:
    raise DesignError("no figure, for time's sake.")


def _is(value: Any, kind: str) -> bool:
    if kind in ("number", "integer") and isinstance(value, bool):
        return False
    types = {"string": str, "boolean": bool, "integer": int, "number": (int, float),
             "null": type(None), "object": dict, "array": list}  # fmt: skip
    return isinstance(value, types[kind])


def document(run: Callable, *arguments: str) -> dict[str, Any]:
    return json.loads(run(*arguments, "--json").stdout)


@pytest.fixture
def beside_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand beside a file of options."""
    monkeypatch.chdir(tmp_path)
    Path("benchinfer.toml").write_text('repeats = "error"\n[report]\nlevel = 0.9\n')


@pytest.mark.usefixtures("beside_a_file")
@pytest.mark.parametrize("command", OTHERS)
def test_documents_follow_the_schema_and_name_what_came_from_a_file(
    run: Callable, definitions: dict[str, Any], command: str
) -> None:
    found = document(run, *OTHERS[command])
    assert found["from_file"] == {"--repeats": "error"}
    assert faults(found, definitions[command], definitions) == []


@pytest.mark.slow
@pytest.mark.usefixtures("beside_a_file")
def test_the_report_follows_the_schema_and_names_what_came_from_a_file(
    run: Callable, definitions: dict[str, Any], clear: Path
) -> None:
    found = document(run, "report", str(clear), "--measures", "value:lower:0.01")
    assert found["from_file"] == {"--repeats": "error", "--level": "0.9"}
    assert faults(found, definitions["report"], definitions) == []
    page = " ".join(Path("report.html").read_text("utf-8").split())
    assert "Options from a file" in page
    assert "--level 0.9" in page


def test_faults_of_documents_are_seen(run: Callable, definitions: dict[str, Any]) -> None:
    found = document(run, "compare", *COMPARISONS["points"])
    found["summary"][0]["estimate"] = "0.3"
    found["contrasts"][0]["odd"] = 1
    del found["rule"]
    assert faults(found, definitions["compare ANALYSIS"], definitions) == [
        ": no rule",
        "/summary/0/estimate: '0.3' is no ['number', 'null']",
        "/contrasts/0/odd",
    ]


def words(text: str) -> str:
    """Return a text without breaks and with the signs that programs read."""
    return " ".join(text.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-").split())


def of_terminal(text: str) -> str:
    return text.replace("∞", "inf").replace("²", "2").replace("≤", "<=")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARISONS)
def test_terminal_document_and_page_say_the_same(
    run: Callable,
    definitions: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    kept: list[Comparison] = []
    write = documents.comparison

    def keep(result: Comparison, **options: Any) -> object:
        kept.append(result)
        return write(result, **options)

    monkeypatch.setattr(documents, "comparison", keep)
    monkeypatch.setattr(html, "vector", _no_figure)
    found = document(run, "compare", *COMPARISONS[name])
    assert faults(found, definitions["compare ANALYSIS"], definitions) == []
    token = ROWS.set(math.inf)
    results.comparison(kept[0], Request())
    ROWS.reset(token)
    terminal = of_terminal(words(capsys.readouterr().out))
    page = words(Page(html.render(compose(gather(kept[0], None)))).text)
    for section in found["sections"]:
        for text in (section["lead"], *section["text"]):
            assert of_terminal(words(text)) in terminal
            assert words(text) in page
    for section in sections_of(kept[0], Request()):
        for table in section.all_tables:
            data = table.frame if table.data is None else table.data
            assert not table.name or documents.plain(data) == found[table.name]
            for column in table.columns:
                cells = {words(cell.text) for cell in column.cells(table.frame)}
                assert all(cell in page for cell in cells)
                nameless = {words(cell.text) for cell in column.nameless(table.frame)}
                if column.brief and column.role != "prose" and not column.spare:
                    if not (column.numeric or column.role):  # texts may be wrapped
                        cells = {word for cell in cells for word in cell.split()}
                    either = [cells, nameless] if nameless else [cells]
                    assert any(all(of_terminal(c) in terminal for c in each) for each in either)
