"""Hints in the words of the command line."""

import ast
import json
import pickle
import re
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import benchinfer
from benchinfer.cli.app import app
from benchinfer.cli.hints import as_options
from benchinfer.core import hints
from benchinfer.core.errors import BenchinferError, DesignError, message
from benchinfer.core.hints import (
    Call,
    Directions,
    Either,
    Field,
    Given,
    Option,
    Phrase,
    Subset,
    joined,
)
from benchinfer.core.saving import decode, encode, sealed
from tests.trees import FILES, nodes

PARTS = hints.PARTS


@pytest.mark.parametrize(
    ("part", "python", "options"),
    [
        (Option("failed", "missing"), 'failed="missing"', "--failed missing"),
        (Option("tie_tolerance"), "tie_tolerance=...", "--tie-tolerance"),
        (Option("covariates", ""), "covariates=", "--covariates"),
        (Option("rope", 0.05), "rope=0.05", "--rope 0.05"),
        (Option("penalised", value=True), "penalised=True", "--penalised"),
        (Option("departures", value=False), "departures=False", "no --departures"),
        (Option("paired"), "paired=...", "--paired or --unpaired"),
        (Option("paired", value=True), "paired=True", "--paired"),
        (Option("paired", value=False), "paired=False", "--unpaired"),
        (Option("resampling"), "resampling=...", "--resampling KIND"),
        (Option("resampling", "items"), 'resampling="items"', "--resampling items"),
        (Option("dataset"), "dataset=...", "--dataset NAME"),
        (Option("priors"), "priors=...", "--prior NAME=NUMBER"),
        (Option("priors", ""), "priors=", "--prior"),
        (Option("contrasts", ()), "contrasts=[...]", "--order LIST"),
        (Given("contrasts", ["a", "b c"]), "contrasts=['a', 'b c']", "--order 'a,b c'"),
        (Option("contrasts", "tukey"), 'contrasts="tukey"', "--contrasts tukey"),
        (Option("columns", {}), "columns={...}", "--column NAME=ROLE"),
        (Option("columns", {"NAME": "domain"}), 'columns={"NAME": "domain"}',
         "--column NAME=domain"),
        (Option("harmonise", {}), "harmonise={...}", "--harmonise NAME=MEASURE:FORMULA"),
        (Option("normalise", {"low": None, "high": None}),
         'normalise={"low": ..., "high": ...}', "--normalise low=REFERENCE,high=REFERENCE"),
        (Option("costs", (20, 1)), "costs=(20, 1)", "--costs 20,1"),
        (Option("covariates", ("n_rows", "size")), 'covariates=("n_rows", "size")',
         "--covariates n_rows,size"),
        (Option("scale", "dataset"), 'scale="dataset"', "--scale dataset"),
        (Option("scale", "log"), 'scale="log"', "NAME:BETTER:TOLERANCE:log in --measures"),
        (Field("scale", "log"), 'Measure(scale="log")',
         "NAME:BETTER:TOLERANCE:log in --measures"),
        (Field("tolerance"), "Measure(tolerance=...)", "--measures NAME:BETTER:TOLERANCE"),
        (Field("bounds", (0, 1)), "Measure(bounds=(0, 1))",
         "bounds = [0, 1] in a TOML file of --measures"),
        (Given("adjust", "step-down"), "adjust='step-down'", "--adjust step-down"),
        (Given("dataset", "a b"), "dataset='a b'", "--dataset 'a b'"),
        (Given("columns", {"fold": "replication", "it's $(x)": "replication"}),
         "columns={'fold': 'replication', \"it's $(x)\": 'replication'}",
         "--column fold=replication --column 'it'\"'\"'s $(x)=replication'"),
        (Directions(), 'measures={"NAME": ...}, with "higher" or "lower"',
         "-m NAME:higher or NAME:lower"),
        (Directions(("a b", "c")), "measures={'a b': ..., 'c': ...}, with \"higher\" or \"lower\"",
         "-m 'a b:higher' or 'a b:lower', -m c:higher or c:lower"),
        (Subset("datasets"), "scores.subset(datasets=[...])", "a table of some data sets"),
        (Either("influence()", "--details"), "influence()", "--details"),
        (Call("compare_points"), "compare_points", "compare points"),
        (Call("compare_wins", Option("inference", "bayes")),
         'compare_wins(..., inference="bayes")', "compare wins --inference bayes"),
        (Call("compare_mixed", Option("covariates", ())),
         "compare_mixed(..., covariates=[...])", "compare mixed --covariate NAME"),
        (Call("compare_meta", Option("covariates", ())),
         "compare_meta(..., covariates=[...])", "compare meta --covariate NAME"),
        (Call("read_scores", Given("covariates", ["size", "p"])),
         "read_scores(..., covariates=['size', 'p'])", "--covariates size,p"),
        (Call("read_effects", Option("effect")), "read_effects(..., effect=...)", "--effect"),
        (Call("Measure", Option("scale", "log")), 'Measure(..., scale="log")',
         "NAME:BETTER:TOLERANCE:log in --measures"),
    ],
)  # fmt: skip
def test_python_and_the_command_line_write_parts_in_their_own_way(
    part: object, python: str, options: str
) -> None:
    phrase = Phrase(f"say {part}, or", " not ", part)
    assert phrase == f"say {python}, or not {python}"
    assert as_options(phrase) == f"say {options}, or not {options}"
    assert phrase.parts == ("say ", part, ", or", " not ", part)
    for copy in (pickle.loads(pickle.dumps(phrase)), decode(encode(phrase))):  # noqa: S301
        assert copy == phrase
        assert copy.parts == phrase.parts


def test_phrases_are_texts_that_are_put_together() -> None:
    phrase = "say " + Phrase(Option("seed", 1)) + ".\nor not"
    assert [as_options(line) for line in phrase.lines()] == ["say --seed 1.", "or not"]
    assert as_options(joined("; ", [phrase.lines()[0], "or not"])) == "say --seed 1.; or not"
    assert f"{phrase}" == "say seed=1.\nor not"
    assert as_options("seed=1") == "seed=1"
    # What is no literal is only shown.
    assert as_options(Phrase(f"{Given('measures', object)}")) == f"measures={object!r}"


def test_errors_keep_their_hint_as_data() -> None:
    hint = (Phrase(f"{Option('structure', 'common')} goes,"), "or leave it out.")
    where = [("argument", "reason"), ("a", Phrase(f"it needs {Option('trials', '')}"))]
    what = Phrase(f"{Given('adjust', 'shaffer')} does not go with adjust=.")
    error = DesignError(message(what, where=where, hint=hint))
    assert error.hint == hint
    assert DesignError("no hint.").hint == ()
    assert as_options(str(error)) == (
        "--adjust shaffer does not go with adjust=.\n"
        "    argument  reason\n"
        "    a         it needs --trials\n"
        "Hint: --structure common goes,\n"
        "      or leave it out."
    )


def test_a_saved_result_keeps_its_hints(tmp_path: Path, clear: Path) -> None:
    scores = benchinfer.read_scores(clear, measures={"value": "lower"})
    path = benchinfer.compare_points(scores).save(tmp_path / "points.json")
    remedies = [check.remedy for check in benchinfer.load(path).checks if check.remedy]
    assert any("use compare_mixed for evidence" in remedy for remedy in remedies)
    assert any("use compare mixed for evidence" in as_options(remedy) for remedy in remedies)
    document = json.loads(path.read_text())
    del document["sha256"]
    text = json.dumps(document).replace('{"class": "Call"', '{"class": "Measure"', 1)
    path.write_text(json.dumps(sealed(json.loads(text))))
    with pytest.raises(BenchinferError, match="cannot be a saved result"):
        benchinfer.load(path)


def test_errors_and_findings_name_options(run: Callable, table: Callable) -> None:
    rows = [("d1", r, name, 0.1 * r) for r in (1, 2) for name in "ab"]
    path = table(rows)
    hint = "Hint: -m value:higher or value:lower."
    assert hint in run("check", path).stderr
    found = run("check", path, "--measures", "value:lower").stdout
    assert "--paired says so; --resampling seeds or --unpaired," in " ".join(found.split())
    path = table([*rows, ("d1", 3, "a", "nan")])
    refused = run("check", path, "--measures", "value:lower", "--failed", "error").stderr
    assert "--failed missing" in refused


def test_report_prints_messages_in_lines(run: Callable, clear: Path, tmp_path: Path) -> None:
    arguments = ("--measures", "value:lower:0.01", "--resampling", "cv")
    options = ("--methods", "per-dataset", "-o", tmp_path / "report.html")
    result = run("report", clear, *arguments, *options)
    assert result.exit_code == 0, result.output
    assert "\\n" not in result.stdout
    lines = result.stdout.splitlines()
    assert "    dataset  reason" in lines
    assert any(line.startswith("Hint: ") and "--resampling cv:4" in line for line in lines)


def test_no_direction_is_advised_and_measures_are_what_is_missing(
    run: Callable, tmp_path: Path
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("task,fold,model,accuracy_percent\niris,1,svm,96\niris,1,knn,94\n")
    said = run("check", path).stderr
    assert "-m accuracy_percent:BETTER" in said
    assert "--column" not in said
    assert run("check", path, "--measures", "accuracy_percent:higher").exit_code == 0
    path.write_text("task,fold,model,acc,time\niris,1,svm,96,1\niris,1,knn,94,2\n")
    said = run("check", path).stderr
    assert "--measures acc:BETTER --measures time:BETTER" in said
    # As in the README, the column is recognised; its direction is not guessed.
    path.write_text("task,fold,model,score\niris,1,svm,.96\niris,1,knn,.94\n")
    assert "Hint: -m score:higher or score:lower." in run("check", path).stderr
    path.write_text("task,fold,model,metric,score\niris,1,svm,a b,.96\niris,1,svm,c,.94\n")
    said = run("check", path).stderr
    assert "Hint: -m 'a b:higher' or 'a b:lower', -m c:higher or c:lower." in said
    # Of measures that are not declared none is asked for where others are.
    said = run("check", path, "--measures", "c:lower:0.1").stdout
    assert "measures left out, for which no direction is given: a b." in " ".join(said.split())
    said = run("check", path, "--measures", "d:lower:0.1").stderr
    assert "Hint: -m 'a b:higher' or 'a b:lower', -m c:higher or c:lower." in said


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


# Objects that only Python makes, and columns of tables of arguments, which are shown as typed.
_PYTHON_ONLY = (
    "at(NAME=value)",
    "at:step=10000",
    "paired=False (of the table)",
    'kind="network"',
    'influence("algorithm"',
    "Components(",
    "bi.read_scores(table",
    "are read by read_scores",
    "resampled=",
    'ranking(policy="scc")',
    "algorithms=[...] for rows",
    'convention="at-least-as-good"',
    ", bayes=False",
    ", resampling='x'",
    "scores = bi.read_scores('x'",
    "scores = scores.normalise('x'",
    "df.",
    "frame.",
    "read it yourself and pass the frame",
    "scores.to_frame()",
    "folds='x'",
    "test_fraction='x'",
    "harmonise={'x'",
    '"seconds:lower:limit=',
)


def test_texts_of_the_package_speak_no_python() -> None:
    """Only the parts of phrases name arguments and functions."""
    spoken = re.compile(
        r"(?<![\w-])[a-z_]+=(?![A-Z]+\b)|\b(?:scores|pandas)\.[a-z_]+\(|\b(?:compare|read)_[a-z]+"
    )
    found = [
        (path.name, text)
        for path, module in _modules()
        for text in _texts(module)
        if " " in text and spoken.search(text) and not any(word in text for word in _PYTHON_ONLY)
        if not re.match(r'\s*<|\(? [a-z-]+="', text)  # markup
        if path.name not in {"draw.py", "hints.py"}
    ]
    assert not found


# What makes phrases of texts.
_ERRORS = {"BenchinferError", "ScoreTableError", "DesignError", "ArgumentError", "FitError"}
_MAKERS = {"Phrase", "message", "of", "informing", *_ERRORS}


def test_parts_stand_in_phrases_and_name_options_of_the_command_line() -> None:
    commands = _commands(get_command(app))
    everywhere = set.union(*commands.values())
    # `reproduce` reads the tables of studies, without options.
    reading = set.intersection(*(o for name, o in commands.items() if name != "reproduce"))
    n = 0
    for path, module in _modules():
        wrapped = {id(n) for call in _calls(module, _MAKERS) for n in ast.walk(call)}
        bare = [
            call
            for text in module
            if isinstance(text, ast.JoinedStr) and id(text) not in wrapped
            for call in _calls(ast.walk(text), set(PARTS))
        ]
        assert not bare, (path, bare[0].lineno)
        for call in _calls(module, set(PARTS) - {"Proposal"}):  # which is made of a table
            part = _built(call)
            words = as_options(Phrase(part))
            n += 1
            assert not re.search(r"\w=(?![A-Z'\w])|compare_|read_|\w\(", words), (
                path,
                call.lineno,
                words,
            )
            known = everywhere
            if isinstance(part, Call):
                known = commands.get(
                    as_options(Phrase(Call(part.function))), reading | {"--effect"}
                )
            if isinstance(part, Call) and part.function == "read_effects":
                known = commands["compare meta"]
            used = set(re.findall(r"(?<!\S)--[a-z-]+", words))
            # A letter stands for a name that is not written there.
            assert used <= known | {"--x"}, (path, call.lineno, words)
    assert n > 250


def _modules() -> list[tuple[Path, list[ast.AST]]]:
    return [(p, nodes(p)) for p in FILES if "cli" not in p.parts and p.name != "hints.py"]


def _calls(within: Iterable[ast.AST], names: set[str]) -> list[ast.Call]:
    calls = [node for node in within if isinstance(node, ast.Call)]
    return [c for c in calls if getattr(c.func, "id", getattr(c.func, "attr", "")) in names]


def _built(node: ast.expr) -> Any:
    """Build a part as it is written, with a letter for what is not."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in PARTS:
        named = {word.arg: _built(word.value) for word in node.keywords}
        return PARTS[node.func.id](*map(_built, node.args), **named)
    if isinstance(node, ast.JoinedStr):
        return "".join(getattr(value, "value", "x") for value in node.values
                       if isinstance(value, ast.Constant)) or "x"  # fmt: skip
    try:
        return ast.literal_eval(node)
    except ValueError:
        return "x"


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


def _texts(module: list[ast.AST]) -> list[str]:
    """Return texts outside docstrings and parts, where values would be as a name in quotes."""
    docs = {id(node.value) for node in module if isinstance(node, ast.Expr)}
    inner = {id(n) for call in _calls(module, set(PARTS)) for n in ast.walk(call)}
    texts: list[str] = []
    for node in module:
        if id(node) in docs or id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            inner |= {id(value) for value in node.values}
            texts.append(
                "".join(v.value if isinstance(v, ast.Constant) else "'x'" for v in node.values)
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
    return texts
