"""The documentation: its code runs and prints what is shown, and what is generated is current."""

import csv
import doctest
import importlib
import importlib.util
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer import Context
from typer.main import get_command
from typer.testing import CliRunner

from benchinfer.cli.app import app
from benchinfer.cli.options.schema import keys, tables
from benchinfer.core.frames import GLOSSARY

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RESULTS = ROOT / "benchmarks" / "results"


@cache
def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_pages", DOCS / "make_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUILT = {DOCS / path for path in _generator().BUILT}
_pages = {p for p in DOCS.rglob("*.md") if "_build" not in p.parts}
PAGES = [ROOT / "README.md", *sorted(_pages - BUILT)]
_ABSOLUTE = r"(?<![\w.])/(home|root|work|Users)/"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL

_fence = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A text fence after a line that ends with a file's name is that file.
# Of a reproduction, what follows needs tables that are not part of the project: `make reproduce`.
_tables = re.compile(r"^% table (.*)$", re.MULTILINE)
_file = re.compile(r"`([\w.-]+)`:\n\n```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _page(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _blocks(path: Path) -> Iterator[tuple[str, str, int]]:
    """Yield language, text and line number of each fenced block whose tables are here."""
    text = path.read_text(encoding="utf-8")
    for needed in _tables.finditer(text):
        if not all((Path.cwd() / name).exists() for name in needed[1].split()):
            text = text[: needed.start()]
            break
    for match in _fence.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start())


def _commands(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the arguments of each command line with the output that is shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        yield shlex.split(line), shown


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand where the pages stand: in a folder with the bundled tables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    if folder := os.environ.get("BENCHINFER_TABLES"):
        for table in Path(folder).iterdir():
            (tmp_path / table.name).symlink_to(table.resolve())
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=_page)
def test_code_prints_what_is_shown(path: Path, workplace: Path) -> None:
    for name, content in _file.findall(path.read_text(encoding="utf-8")):
        (workplace / name).write_text(content, encoding="utf-8")
    names: dict[str, object] = {}
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    for language, text, line in _blocks(path):
        if language == "pycon":
            test = doctest.DocTestParser().get_doctest(text, names, _page(path), str(path), line)
            runner.run(test, out=failures.append, clear_globs=False)
            names = test.globs
        elif language == "console":
            failures += [wrong for wrong in map(_run, _commands(text)) if wrong]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("path", PAGES, ids=_page)
def test_what_pages_import_is_there(path: Path) -> None:
    """Also of reproductions, whose tables are not part of the project."""
    text = path.read_text(encoding="utf-8")
    lines = re.findall(r"^>>> (from benchinfer[\w.]* import [\w, ]+)$", text, re.MULTILINE)
    exec("\n".join(lines), {})  # noqa: S102 - the pages are ours


def _run(command: tuple[list[str], str]) -> str:
    """Run a command line; return what is wrong with its output."""
    (program, *arguments), shown = command
    if program != "benchinfer":
        return f"not a command of ours: {program}"
    result = CliRunner().invoke(app, arguments)
    if result.exit_code not in {0, 3} or "Traceback" in result.output:
        return f"{arguments} exits with {result.exit_code}:\n{result.output}{result.exception!r}"
    # An ellipsis alone would match anywhere; the end may be cut.
    wanted = shown.rstrip() + ("" if shown.rstrip().endswith("...") else "\n")
    if shown and not doctest.OutputChecker().check_output(wanted, result.stdout, FLAGS):
        return f"{arguments} prints\n{result.stdout}and not\n{shown}"
    return ""


def _dead(text: str, path: Path) -> list[str]:
    """Return the links of a page that lead to no file, and to no page that is built."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?(?: \"[^\"]*\")?\)", text)
    files = {target: (path.parent / target).resolve() for target in targets}
    return [t for t, file in files.items() if file not in BUILT and not file.exists()]


@pytest.mark.parametrize("path", PAGES, ids=_page)
def test_links_lead_somewhere(path: Path) -> None:
    assert _dead(path.read_text(encoding="utf-8"), path) == []


def test_folders_and_menus_have_at_most_15_pages() -> None:
    folders = Counter(path.parent for path in PAGES[1:] if path.name != "index.md")
    assert [folder for folder, number in folders.items() if number > 15] == []
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    menus = re.findall(r"^:caption: (.*)\n\n((?:[\w/-]+\n)+)```", text, flags=re.MULTILINE)
    assert [(name, len(pages.split())) for name, pages in menus] == [("Start", 8), ("More", 9)]
    assert len(menus) == text.count(":caption:")


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("Accurate and fast", "pareto"),
        ("On which data sets", "regions"),
        ("On which data sets", "archetypes"),
        ("training curves", "--take"),
        ("Names are long", "--names"),
        ("published numbers", "reproduce"),
        ("undecided mean", "undecided"),
        ("in LaTeX", "to_latex"),
        ("in CI", "gate"),
        ("Which part", "compare_factors"),
    ],
)
def test_a_question_of_the_first_page_leads_to_a_page_with_the_answer(
    words: str, target: str
) -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| ") and words in line)
    pages = re.findall(r"\]\(([^)#]+\.md)", row)
    assert any(target in (DOCS / page).read_text(encoding="utf-8") for page in pages)


@cache
def _command(*names: str) -> Any:
    """Return the command of these names, if there is one; making it takes a while."""
    if not names:
        return get_command(app)
    group = _command(*names[:-1])
    return group.get_command(Context(group), names[-1])


def _unknown(code: str) -> bool:
    """Say whether inline code names a command of ours with a part that it does not have."""
    first, *words = code.removeprefix("benchinfer ").split() or [""]
    command = _command(first)
    if command is None or not words or (first == "compare" and not words[0].islower()):
        return False
    if first == "compare":
        command = _command(first, "auto" if "." in words[0] else words[0])
    options = {o for p in getattr(command, "params", ()) for o in [*p.opts, *p.secondary_opts]}
    named = {word.partition("=")[0] for word in words if word.startswith("--")}
    return command is None or bool(named - {*options, "--help"})


def _codes(text: str) -> list[str]:
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)


@pytest.mark.parametrize("path", PAGES, ids=_page)
def test_commands_and_options_in_text_exist(path: Path) -> None:
    codes = _codes(path.read_text(encoding="utf-8"))
    assert [code for code in codes if _unknown(code)] == []


@pytest.mark.parametrize("path", PAGES, ids=_page)
def test_the_project_speaks_only_of_itself(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(_ABSOLUTE, text)


@pytest.mark.parametrize("path", sorted((DOCS / "images").glob("*.png")), ids=_page)
def test_images_are_small_and_used(path: Path) -> None:
    assert path.stat().st_size < 100_000
    assert any(path.name in page.read_text(encoding="utf-8") for page in PAGES)


def test_the_gallery_is_small_and_shows_every_figure() -> None:
    pages = [p for p in (DOCS / "gallery").rglob("*.md") if p.name != "index.md"]
    listed = _generator().FIGURES.items()
    assert {*pages} == {
        DOCS / "gallery" / family / f"{kind}.md"
        for family, (_, kinds) in listed
        for kind in kinds.split()
    }
    images = sorted((DOCS / "images" / "gallery").rglob("*.png"))
    assert sum(path.stat().st_size for path in images) < 3_000_000
    shown = {
        (page.parent / path).resolve()
        for page in pages
        for path in re.findall(r"\]\((\S+\.png)\)", page.read_text(encoding="utf-8"))
    }
    assert shown == {*images}
    homes = {
        f"{module}.figures"
        for path in (ROOT / "benchinfer").rglob("figures*")
        if (module := ".".join(path.parent.relative_to(ROOT).parts)) != "benchinfer"
        if path.suffix in {"", ".py"}
    }
    tables = [importlib.import_module(home).FIGURES for home in sorted(homes)]
    kinds = {kind for table in tables for figures in table.values() for kind in figures}
    assert kinds - {page.stem for page in pages} == set()


def test_files_of_measurements_name_a_command_and_days_and_are_linked_from_their_page() -> None:
    files = sorted(RESULTS.glob("*/*.csv"))
    assert len(files) > 90
    wrong = []
    for path in files:
        page = (DOCS / "evidence" / f"{path.parent.name}.md").read_text(encoding="utf-8")
        lines = path.read_text(encoding="utf-8").splitlines()
        *_, command = [line for line in lines if line.startswith("# ")]
        run = re.fullmatch(r"# Command: (.*); rows of [\d-]{10}(?: to [\d-]{10})?\.", command)
        if run is None or f"results/{path.parent.name}/{path.name}" not in page:
            wrong.append(path)
            continue
        scripts = re.findall(r"[\w/]+\.py", run[1])
        wrong += [path for script in scripts if not (ROOT / script).exists()]
        rows = [*csv.reader(line for line in lines if not line.startswith("# "))]
        if len(rows) < 2 or {len(row) for row in rows} != {len({*rows[0]})}:
            wrong.append(path)
    assert wrong == []


_number = re.compile(r"(?<![\w.])-?(?:\d[\d,]*)?\.?\d+(?![\w])")
# | ... | 0.021-0.061 | [name](../file.csv "column; column where other = cell") |
_range = re.compile(r"\| ([^|\n]+) \| \[[^|\n]*\]\((\S+\.csv) \"([^\"]+)\"\)(?= \|)")


def _columns(path: Path, named: str) -> list[list[str]]:
    """Return the numbers in each of the columns that a link names, of the rows that it names."""
    lines = path.read_text(encoding="utf-8").splitlines()
    table = [*csv.DictReader(line for line in lines if not line.startswith("# "))]
    columns, _, rule = named.partition(" where ")
    key, _, cell = rule.partition(" = ")
    rows = [row for row in table if not rule or row[key] == cell]
    # What follows in brackets is an error, or another number.
    cells = [
        [re.sub(r"(?<=\S) \(.*?\)", "", row[name]) for row in rows] for name in columns.split("; ")
    ]
    return [[n for cell in each for n in _number.findall(cell)] for each in cells]


def test_each_figure_of_the_gallery_takes_eight_lines_of_code_and_has_a_small_thumbnail() -> None:
    pages = [p for p in (DOCS / "gallery").rglob("*.md") if p.name != "index.md"]
    lines = {
        page.stem: len(re.findall(r"^(?:>>>|\.\.\.) ", page.read_text("utf-8"), re.MULTILINE))
        for page in pages
    }
    assert {name: n for name, n in lines.items() if not 1 <= n <= 8} == {}
    thumbnails = sorted((DOCS / "images" / "thumbnails").glob("*.png"))
    named = {f"{page.parent.name}-{page.stem}" for page in pages}
    assert {path.stem for path in thumbnails} == named
    assert sum(path.stat().st_size for path in thumbnails) < 500_000
    first = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    row = re.findall(r"^\[([\w-]+)\]", first, re.MULTILINE)[:4]
    assert row == ["heatmap", "scatter", "boxes", "slope"]


@pytest.mark.parametrize("path", sorted((DOCS / "evidence").glob("*.md")), ids=_page)
def test_ranges_on_pages_of_the_evidence_are_those_of_their_files(path: Path) -> None:
    """A range of several columns is that of all of them, ranges with " / " are of one each."""
    for text, file, named in _range.findall(path.read_text(encoding="utf-8")):
        columns = _columns(path.parent / file, named)
        parts = text.split(" / ")
        groups = columns if len(parts) > 1 else [[*chain(*columns)]]
        ends = [sorted(group, key=_value) for group in groups]
        shown = [n[0] if n[0] == n[-1] else f"{n[0]}\u2013{n[-1]}" for n in ends]
        assert parts == shown, (file, named)


@pytest.mark.parametrize("topic", sorted(path.name for path in RESULTS.iterdir()))
def test_numbers_on_pages_of_the_evidence_are_in_their_files(topic: str) -> None:
    decimal = re.compile(r"(?<![\w.])\d*\.\d{2,}(?!\w)")
    files = "\n".join(p.read_text(encoding="utf-8") for p in (RESULTS / topic).glob("*.csv"))
    text = (DOCS / "evidence" / f"{topic}.md").read_text(encoding="utf-8")
    assert {*decimal.findall(text)} - {*decimal.findall(files)} - {"0.05", "0.95"} == set()


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def test_kept_pages_that_are_generated_are_current() -> None:
    for path, write in _generator().KEPT.items():
        assert (DOCS / path).read_text(encoding="utf-8") == write(), "run docs/make_pages.py"


@pytest.mark.parametrize("name", sorted(_generator().BUILT))
def test_pages_that_are_built_are_whole(name: str) -> None:
    text = _generator().BUILT[name]()
    assert _dead(text, DOCS / name) == []
    assert not re.search(_ABSOLUTE, text)
    if name == "glossary.md":
        assert re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE) == list(GLOSSARY)
    if name == "reference/options.md":
        named = {*re.findall(r"^\| `([\w-]+)` \|", text, flags=re.MULTILINE)}
        assert named == {key for each in keys().values() for key in each} | {*tables()}
        assert [code for code in _codes(text) if _unknown(code)] == []


def test_old_addresses_lead_to_sections_that_are_there() -> None:
    text = (DOCS / "conf.py").read_text(encoding="utf-8")
    block = text.partition("REDIRECTS = {")[2].partition("}")[0]
    moved = dict(re.findall(r'"(\S+)": "(\S+)"', block))
    assert len(moved) == block.count(":")
    for old, new in moved.items():
        page, _, part = new.partition("#")
        target = (DOCS / old).parent / page.replace(".html", ".md")
        titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert part in {title.lower().replace(" ", "-") for title in titles}
        assert not (DOCS / f"{old}.md").exists()


@pytest.mark.parametrize("topic", sorted(path.name for path in RESULTS.iterdir()))
def test_measurements_become_tables_of_their_page(topic: str) -> None:
    text = (DOCS / "evidence" / f"{topic}.md").read_text(encoding="utf-8")
    page = _generator().with_tables(text, topic)
    links = re.findall(r"\[[^\]\n]+\]\(#(table-[\w-]+)", page)
    targets = re.findall(r"^\((table-[\w-]+)\)=$", page, flags=re.MULTILINE)
    assert {*links} == {*targets}
    assert len(links) >= text.count("/results/") > 0
    assert len(targets) == len([*(RESULTS / topic).glob("*.csv")])
    assert f"results/{topic}/" not in page
    assert page.count("\nCommand: ") == len(targets)
