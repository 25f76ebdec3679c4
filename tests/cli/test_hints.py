"""Hints in the words of the command line."""

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from typer.main import get_command

import benchinfer
from benchinfer.cli.app import app
from benchinfer.cli.hints import TYPED, WORDS, as_options
from benchinfer.core.errors import DesignError, message
from benchinfer.core.hints import ARGUMENTS, METHODS, directions, literal
from tests.trees import FILES, nodes


@pytest.fixture(autouse=True)
def _nothing_typed() -> Iterator[None]:
    token = TYPED.set(())
    yield
    TYPED.reset(token)


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ('failed="missing"', "--failed missing"),
        ("tie_tolerance=...", "--tie-tolerance"),
        ("std_error=....", "--std-error."),
        ("(covariates=)", "(--covariates)"),
        ("rope=0.05.", "--rope 0.05."),
        ("n_jobs=1.", "--n-jobs 1."),
        ("penalised=True", "--penalised"),
        ("departures=False", "no --departures"),
        ("paired=..., or", "--paired or --unpaired, or"),
        ("paired=False;", "--unpaired;"),
        ("(resampling=...): without", "(--resampling KIND): without"),
        ('resampling="cv:10"', "--resampling cv:10"),
        ('dataset="NAME"', "--dataset NAME"),
        ("priors=...", "--prior NAME=NUMBER"),
        ("contrasts=[...]", "--order LIST"),
        ("contrasts=['a', 'b c']", "--order 'a,b c'"),
        ('contrasts="tukey"', "--contrasts tukey"),
        ("columns={...}", "--column NAME=ROLE"),
        ('columns={"NAME": "domain"}', "--column NAME=domain"),
        (
            "columns={'fold': 'replication', \"it's $(x)\": 'replication'} joins",
            "--column fold=replication --column 'it'\"'\"'s $(x)=replication' joins",
        ),
        ("columns={'a}': 'domain', '(b': \"c\"}", "--column 'a}=domain' --column '(b=c'"),
        ("harmonise={...}", "--harmonise NAME=MEASURE:FORMULA"),
        ("harmonise={'a': ('b', '1 - x')}", "--harmonise 'a=b:1 - x'"),
        ("costs=(20, 1)", "--costs 20,1"),
        ('covariates=("n_rows", "size")', "--covariates n_rows,size"),
        ('scale="dataset"', "--scale dataset"),
        ('scale="log"', "NAME:BETTER:TOLERANCE:log in --measures"),
        ("Measure(scale=...)", "NAME:BETTER:TOLERANCE:SCALE in --measures"),
        ("Measure(tolerance=...)", "--measures NAME:BETTER:TOLERANCE"),
        ("Measure(limit=3600)", "--measures NAME:BETTER:limit=3600"),
        ("Measure(bounds=(0, 1))", "bounds = [0, 1] in a TOML file of --measures"),
        (f"{directions(())}, or", "-m NAME:higher or NAME:lower, or"),
        (
            directions(["a b", "c"]),
            "--measures 'a b:higher' or 'a b:lower', --measures c:higher or c:lower",
        ),
        ("names={'a': 'b', 'c': 'd'}", "--names a=b --names c=d"),
        ("scores.subset(datasets=[...])", "a table of some data sets (--where)"),
        ("per_dataset(compare_pair, scores)", "compare pair --per-dataset"),
        ("influence()", "--details"),
        ("compare_points", "compare points"),
        ("read_wins", "compare wins"),
        ('compare_wins(..., inference="bayes")', "compare wins --inference bayes"),
        ("compare_bayes_pairs has", "compare bayes-pairs has"),
        ("compare_mixed(..., covariates=[...])", "compare mixed --covariate NAME"),
        ("plan(..., difference=0.1)", "plan --difference 0.1"),
        ("read_scores(..., paired=True)", "--paired"),
        (f"where={literal('a = "x y"')}", "--where 'a = \"x y\"'"),
    ],
)
def test_the_command_line_has_options_in_place_of_arguments(python: str, options: str) -> None:
    assert as_options(f"say {python} here") == f"say {options} here"
    assert as_options(python) == options


@pytest.mark.parametrize(
    "name",
    ["k-NN(k=1)", "SGD lr=0.1", "a=1,seed=2", "rf(scale=2)", "where=x", "test=1a", "bi.compare_x"],
)
def test_names_of_a_table_stay_as_they_are(name: str) -> None:
    assert as_options(f"there is one algorithm only: {name}.").endswith(f": {name}.")
    rows = [("scale=2", "why"), (name, "one"), ("rope=1", name)]
    text = message("2 rows.", where=[("algorithm", "reason"), *rows])
    for shown in (text, indent(text, "    ")):  # of one fault, and of several
        assert as_options(shown) == shown
    assert as_options(message("1 row.", where=[("name",), ("seed=1",)])).endswith("    seed=1")


def test_the_words_of_an_error() -> None:
    hint = ('structure="common" goes,', "or leave it out.")
    where = [("argument", "reason"), ("rope=1", "it needs trials=")]
    error = DesignError("adjust='shaffer' does not go with it.", where=where, hint=hint)
    assert error.hint == hint
    assert as_options(str(error)) == (
        "--adjust shaffer does not go with it.\n"
        "    argument  reason\n"
        "    rope=1    it needs --trials\n"
        "Hint: --structure common goes,\n"
        "      or leave it out."
    )


def test_a_saved_result_keeps_its_hints(tmp_path: Path, clear: Path) -> None:
    scores = benchinfer.read_scores(clear, measures={"value": "lower"})
    path = benchinfer.compare_points(scores).save(tmp_path / "points.json")
    remedies = [check.remedy for check in benchinfer.load(path)._checks if check.remedy]
    assert "For evidence, use compare_mixed." in remedies
    assert "For evidence, use compare mixed." in map(as_options, remedies)


def test_errors_and_findings_name_options(run: Callable, table: Callable) -> None:
    rows = [("d1", r, name, 0.1 * r) for r in (1, 2) for name in "ab"]
    path = table(rows)
    hint = "Hint: -m value:higher or value:lower."
    assert hint in run("check", path).stderr
    found = run("check", path, "--measures", "value:lower").stdout
    assert (
        "If so, --paired; if each algorithm had its own, --resampling seeds or --unpaired."
        in " ".join(found.split())
    )
    path = table([*rows, ("d1", 3, "a", "nan")])
    refused = run("check", path, "--measures", "value:lower", "--failed", "error").stderr
    assert "--failed missing" in refused


@pytest.mark.slow
def test_a_proposed_command_repeats_what_was_typed(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = [f"{e},{a},{s},{e}{a}{s}" for e in (1, 2) for a in (3, 4) for s in (5, 6)]
    path.write_text("\n".join(["env_id,agent,scale,return", *rows]), encoding="utf-8")
    said = run("check", path, "--where", "scale=5").stderr
    assert f"benchinfer check {path} --where scale=5 " in said


def test_report_prints_messages_in_lines(run: Callable, clear: Path, tmp_path: Path) -> None:
    arguments = ("--measures", "value:lower:0.01", "--resampling", "holdout")
    options = ("--methods", "per-dataset", "-o", tmp_path / "report.html")
    result = run("report", clear, *arguments, *options)
    assert result.exit_code == 0, result.output
    assert "\\n" not in result.stdout
    lines = result.stdout.splitlines()
    assert "    dataset  reason" in lines
    assert any(line.startswith("Hint: ") and "--resampling holdout:0.1" in line for line in lines)


def test_no_direction_is_advised_and_measures_are_what_is_missing(
    run: Callable, tmp_path: Path
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("task,fold,model,points_percent\niris,1,svm,96\niris,1,knn,94\n")
    said = run("check", path).stderr
    assert "-m points_percent:BETTER" in said
    assert "--column" not in said
    assert run("check", path, "--measures", "points_percent:higher").exit_code == 0
    path.write_text("task,fold,model,fitness,points\niris,1,svm,96,1\niris,1,knn,94,2\n")
    said = run("check", path).stderr
    assert "--measures fitness:BETTER --measures points:BETTER" in said
    # As in the README, the column is recognised; its direction is not guessed.
    path.write_text("task,fold,model,score\niris,1,svm,.96\niris,1,knn,.94\n")
    assert "Hint: -m score:higher or score:lower." in run("check", path).stderr
    path.write_text("task,fold,model,metric,score\niris,1,svm,a b,.96\niris,1,svm,c,.94\n")
    said = run("check", path).stderr
    both = "--measures 'a b:higher' or 'a b:lower', --measures c:higher or c:lower"
    assert f"Hint: {both}.\n" in said
    path.write_text("task,fold,model,metric,score\niris,1,svm,c,.96\niris,1,knn,c,.94\n")
    said = run("check", path, "--measures", "d:lower").stderr
    assert "Hint: --measures c:higher or c:lower." in said
    path.write_text("task,fold,model,metric,score\niris,1,svm,a b,.96\niris,1,svm,c,.94\n")
    # Of measures that are not declared none is asked for where others are.
    said = run("check", path, "--measures", "c:lower:0.1").stdout
    assert "measures left out, for which no direction is given: a b." in " ".join(said.split())
    said = run("check", path, "--measures", "d:lower:0.1").stderr
    assert f"Hint: {both}.\n" in said


def test_columns_in_hints_are_quoted_for_a_shell(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("task,fold,random state,model,score\niris,1,1,a,.96\niris,1,2,a,.9\n")
    said = " ".join(run("describe", path, "--measures", "score:higher").stderr.split())
    hint = "--column fold=replication --column 'random state=replication' joins them"
    assert f"; {hint}" in said
    assert "{" not in said
    typed = shlex.split(hint.partition(" joins")[0])
    joined = run("describe", path, "--measures", "score:higher", *typed)
    assert joined.exit_code == 0, joined.output


def test_a_time_and_a_number_of_the_row_are_no_replications(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"{i},d{i % 2},{'ab'[i // 2 % 2]},{i / 7:.3f},{i / 9:.3f}" for i in range(8)]
    path.write_text("\n".join([",dataset,algorithm,acc,fit_time", *rows]))
    found = run("check", path, "--measures", "acc:higher")
    assert "--repeats keep" in found.stderr
    assert "tells them apart:" not in found.stderr


def test_a_column_without_a_name_has_a_role(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    places = [(r, d, a) for d in range(3) for r in range(4) for a in "ab"]
    rows = [f"{r},d{d},{a},{(7 * d + 3 * r * r + 5 * (a == 'b')) % 11}.5" for r, d, a in places]
    path.write_text("\n".join([",dataset,algorithm,acc", *rows]))
    found = run("check", path, "--measures", "acc:higher")
    assert "--column =replication" in found.stderr
    assert run("check", path, "--measures", "acc:higher", "--column", "=replication").exit_code == 0


def test_several_roles_in_one_option_are_said_one_by_one(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("t,m,acc\nx,a,.1\nx,b,.2\ny,a,.3\ny,b,.5\n")
    typed = ("check", path, "--measures", "acc:higher")
    found = run(*typed, "--column", "t=dataset,m=algorithm")
    assert "Hint: --column t=dataset --column m=algorithm." in found.stderr
    assert run(*typed, "--column", "t=dataset", "--column", "m=algorithm").exit_code == 0


def test_what_was_typed_is_named_as_an_option(run: Callable, clear: Path) -> None:
    found = run("compare", "mixed", clear, "--measures", "value:lower", "--adjust", "westfall")
    assert found.stderr.startswith("Error: --adjust westfall needs one variance")
    assert "--adjust holm goes with" in found.stderr


# Texts that the command line does not print.
PYTHON_ONLY = (
    *("at(NAME=value)", "by_domain()", "coordinates()", "model()", "sensitivity() of", "stages()"),
    *("variances()", "contrasts()", "went into monitor()", "read_scores(table"),
    *('ranking(policy="scc")', 'convention="at-least-as-good"', "kind='trace'"),
    'table["dataset"].',
    # Figures are drawn in Python alone.
    "keeps the scores of each run at all epochs",
    *('kind="', 'order="clusters"', "pair=(", "pair='X'", "pair=...", "highlight="),
    *("df.", "frame.", "toPandas()", "scores.to_frame()", ", bayes=False", "scores = "),
    # Functions of other tools.
    *("score() or aggregate()", "collect_metrics()", "search_runs()", "leaderboard()"),
    *("trials_dataframe()", "duckdb_functions()", "duckdb_keywords()"),
)  # fmt: skip
SPOKEN = re.compile(
    r"(?<![\w:-])[a-z_]+=(?![A-Z]+\b)|\b(?:scores|pandas)\.[a-z_]+\(|\b(?:compare|read)_[a-z]+"
    r"|(?<![\w.-])[a-z_]+\(\)"
)


@pytest.mark.slow
def test_texts_of_the_package_speak_no_python() -> None:
    found = {
        (path.name, text)
        for path, text in _texts()
        if " " in text and SPOKEN.search(as_options(text))
    }
    unexplained = {(file, t) for file, t in found if not any(word in t for word in PYTHON_ONLY)}
    assert not unexplained
    assert not [word for word in PYTHON_ONLY if not any(word in text for _, text in found)]


def test_options_in_texts_are_options_of_the_command_line() -> None:
    commands = _commands(get_command(app))
    everywhere = set.union(*commands.values())
    n = 0
    for path, text in _texts():
        words = as_options(text)
        if " " not in text or words == text:
            continue
        n += 1
        used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", words))
        assert used <= everywhere, (path, words)
        called = re.findall(r"\b((?:compare|read)_[a-z]+|plan)\(\.\.\., (\w+=(?:\w|\[))", text)
        for function, argument in called:
            if function.startswith("read"):
                continue
            command = function.replace("_", " ")
            option = as_options(f"{function}(..., {argument.partition('=')[0]}=[...])")
            assert set(re.findall(r"--[a-z-]+", option)) <= commands[command], (path, text)
        named = {name.replace("_", " ") for name in re.findall(r"\bcompare_[a-z]+", text)}
        assert named <= commands.keys(), (path, text)
    assert n > 250


def test_nothing_is_rewritten_that_no_text_has() -> None:
    texts = "\n".join(text for _, text in _texts())
    assert not [word for word in METHODS if f"{word}(" not in texts]
    functions = {"read_effects", "read_scores", "read_wins"}
    assert WORDS.keys() - METHODS == functions | {"compare_bayes_pairs", "monitor_measures"}
    assert not [word for word in WORDS.keys() - METHODS if word not in texts]
    named = {*re.findall(r"\b([a-z_]+)=", texts), "top", "trend"}  # two that variables hold
    assert named >= ARGUMENTS


def _commands(command: Any, name: str = "") -> dict[str, set[str]]:
    """Return the options of every command."""
    if words := getattr(command, "commands", None):
        return {
            key: options
            for word in words
            for key, options in _commands(
                command.get_command(None, word), f"{name} {word}".strip()
            ).items()
        }
    return {name: {o for p in command.params for o in (*p.opts, *p.secondary_opts)}}


@cache
def _texts() -> list[tuple[Path, str]]:
    """Return texts outside docstrings and the command line, with letters in place of values."""
    return [
        (path, text)
        for path in FILES
        if "cli" not in path.parts and path.name not in {"draw.py", "hints.py", "html.py", "svg.py"}
        for text in _texts_of(nodes(path))
    ]


def _texts_of(module: list[ast.AST]) -> Iterator[str]:
    inner = {id(node.value) for node in module if isinstance(node, ast.Expr)}  # docstrings
    for node in module:
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            inner |= {id(value) for value in node.values}
            yield "".join(map(_written, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _written(part: ast.expr) -> str:
    match part:
        case ast.Constant(value=str(text)):
            return text
        case ast.FormattedValue(value=ast.Call(func=ast.Name(id="literal"))):
            return '"X"'
        case ast.FormattedValue(conversion=conversion):
            return "'X'" if conversion == ord("r") else "X"
        case _:
            return ""
