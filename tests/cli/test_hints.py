"""Hints in the words of the command line."""

import ast
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import benchinfer
from benchinfer.cli.hints import as_options, translated

WORDS = {"hint", "remedy"}


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ("measures={'score': ...}, with \"higher\" or \"lower\".",
         "--measures score:higher or score:lower."),
        ("measures={'a': ..., 'b c': \"lower\"}, with \"higher\" or \"lower\", says",
         "--measures a:higher or a:lower, --measures 'b c:lower' says"),
        ('measures={"a b": "lower", "c": "higher"}.',
         "--measures 'a b:lower' --measures c:higher."),
        ('measures={"accuracy": "higher"}, or Measure("accuracy", "higher").',
         "--measures accuracy:higher."),
        ("set Measure(tolerance=...) to", "set --measures NAME:BETTER:TOLERANCE to"),
        ("columns={...} says", "--column NAME=ROLE says"),
        ("columns={'my task': 'dataset'} says", "--column 'my task=dataset' says"),
        ("columns={'fold': 'replication', \"it's $(x)\": 'replication'} joins",
         "--column fold=replication --column 'it'\"'\"'s $(x)=replication' joins"),
        ("paired=... says", "--paired or --unpaired says"),
        ("or say paired=False.", "or say --unpaired."),
        ('say nan="missing".', "say --nan missing."),
        ('layout="wide-measures" reads', "--layout wide-measures reads"),
        ('resampling=Resampling("cv", folds=10).', "--resampling cv:10."),
        ('Resampling("holdout", test_fraction=0.1).', "--resampling holdout:0.1."),
        ('Resampling("bootstrap")', "--resampling bootstrap"),
        ("came about (resampling=...):", "came about (--resampling KIND):"),
        ('say scale="identity"', "say NAME:BETTER:TOLERANCE:identity in --measures"),
        ('adjust="holm" goes; structure="common"', "--adjust holm goes; --structure common"),
        ('residual="algorithm", target="auto"', "--residual algorithm, --target auto"),
        ('Measure(scale="log") for times', "NAME:BETTER:TOLERANCE:log in --measures for times"),
        ("read_scores(..., covariates=['size', 'p']) keeps", "--covariates size,p keeps"),
        ("leave it out of covariates=.", "leave it out of --covariates."),
        ('compare_mixed(..., domains="separate") gives',
         "compare mixed --domains separate gives"),
        ('pairs="pooled" lets; null="monte-carlo", on="values".',
         "--pairs pooled lets; --null monte-carlo, --on values."),
        ("adjust='step-down' has no", "--adjust step-down has no"),
        ('resample="datasets" draws; interval="expanded" and compare_mixed allow',
         "--resample datasets draws; --interval expanded and compare mixed allow"),
        ('normalise={"low": ..., "high": ...} names',
         "--normalise low=REFERENCE,high=REFERENCE names"),
        ("goal=... names it; normalise=... makes it 1.",
         "--goal names it; --normalise makes it 1."),
        ("raise resamples=; post_hoc() has", "raise --resamples; --details has"),
        ("or scores.complete('e') to keep what is whole.", "or read a table of what is whole."),
        ("influence() says", "--details says"),
        ("contrasts=[...] names", "--order LIST names"),
        ("compare_points describes", "compare points describes"),
        ("compare scores.complete('e'), or use compare_mixed.", "use compare mixed."),
        ('family="weak", or ask for a longer time_limit',
         "--family weak, or ask for a longer --time-limit"),
        ("relation() has what all of them say.", "the first line has what all of them say."),
        ("scores.subset(algorithms=[...]) narrows, scores.subset(datasets=...) too.",
         "a table of some algorithms narrows, a table of some data sets too."),
        ("compare_meta(..., covariates=[...]) gives", "compare meta --covariate NAME gives"),
        ("scores.findings() names them.", "benchinfer check names them."),
        ('compare_wins(..., inference="bayes") draws one.',
         "compare wins --inference bayes draws one."),
        ('terms=["a b"], or leave out preset=....', "--terms 'a b', or leave out --preset."),
        ('names of columns, as in covariates=("n_rows", "size").',
         "names of columns, as in --covariates n_rows,size."),
        ("remove the rows.", "remove the rows."),
    ],
)  # fmt: skip
def test_python_becomes_options(python: str, options: str) -> None:
    assert as_options(python) == options


def test_all_lines_of_a_hint_and_no_others() -> None:
    frame = "2 faults.\n 1. paired=True\n    Hint: {}\n          {}\n 2. paired=True"
    said = frame.format("paired=True", 'nan="missing"')
    assert translated(said) == frame.format("--paired", "--nan missing")


def test_errors_and_findings_name_options(run: Callable, table: Callable) -> None:
    rows = [("d1", r, name, 0.1 * r) for r in (1, 2) for name in "ab"]
    path = table(rows)
    hint = "Hint: --measures value:higher or value:lower."
    assert hint in run("check", path).stderr
    found = run("check", path, "--measures", "value:lower").stdout
    assert "--paired says so; --resampling seeds or --unpaired," in " ".join(found.split())
    path = table([*rows, ("d1", 3, "a", "nan")])
    assert "--nan missing" in run("check", path, "--measures", "value:lower").stderr


def test_report_prints_messages_in_lines(run: Callable, clear: Path, tmp_path: Path) -> None:
    arguments = ("--measures", "value:lower:0.01", "--resampling", "cv")
    result = run("report", clear, *arguments, "-o", tmp_path / "report.html")
    assert result.exit_code == 0, result.output
    assert "\\n" not in result.stdout
    lines = result.stdout.splitlines()
    assert "    dataset  reason" in lines
    assert any(line.startswith("Hint: ") and "--resampling cv:10" in line for line in lines)


def test_no_direction_is_advised_and_measures_are_what_is_missing(
    run: Callable, tmp_path: Path
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("task,fold,model,accuracy_percent\niris,1,svm,96\niris,1,knn,94\n")
    said = run("check", path).stderr
    assert "--measures accuracy_percent:higher or accuracy_percent:lower" in said
    assert "--column" not in said
    assert run("check", path, "--measures", "accuracy_percent:higher").exit_code == 0
    path.write_text("task,fold,model,acc,time\niris,1,svm,96,1\niris,1,knn,94,2\n")
    assert "--measures NAME:higher or NAME:lower" in run("check", path).stderr
    # As in the README, the column is recognised; its direction is not guessed.
    path.write_text("task,fold,model,score\niris,1,svm,.96\niris,1,knn,.94\n")
    assert "Hint: --measures score:higher or score:lower." in run("check", path).stderr
    path.write_text("task,fold,model,metric,score\niris,1,svm,a b,.96\niris,1,svm,c,.94\n")
    said = run("check", path).stderr
    assert "Hint: --measures 'a b:higher' or 'a b:lower', --measures c:higher or c:lower." in said
    # Of measures that are not declared none is asked for where others are.
    said = run("check", path, "--measures", "c:lower:0.1").stdout
    assert "measures left out, for which no direction is given: a b." in " ".join(said.split())
    said = run("check", path, "--measures", "d:lower:0.1").stderr
    assert "Hint: --measures 'a b:higher' or 'a b:lower', --measures c:higher or c:lower." in said


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


def test_what_was_typed_is_named_as_an_option(run: Callable, clear: Path) -> None:
    found = run("compare", "mixed", clear, "--measures", "value:lower", "--adjust", "westfall")
    assert found.stderr.startswith("Error: --adjust westfall needs one variance")
    assert "--adjust holm goes with" in found.stderr


def test_hints_of_the_package_speak_no_python() -> None:
    """Hints that the command line can meet; those of Python's own objects stay as they are."""
    spoken = re.compile(
        r"(?<![\w-])[a-z_]+=(?![A-Z]+\b)|\bscores\.[a-z]+\(|\b(?:compare|read)_[a-z]+"
    )
    found = [
        (path.name, as_options(hint))
        for folder in ("scores", "comparison", "analyses")
        for path in Path(benchinfer.__file__).with_name(folder).rglob("*.py")
        for hint in _hints(ast.parse(path.read_text(encoding="utf-8")))
        if "{'x'}" not in hint  # a mapping that is put together elsewhere
        if spoken.search(as_options(hint))
    ]
    # Of frames, and of objects that the command line does not make.
    only_python = {"columns.py", "evidence.py", "sources.py", "table.py"}
    assert {name for name, _ in found} <= only_python, found


def _hints(tree: ast.AST) -> list[str]:
    """Return what is written as a hint or a remedy, where values would be as a name in quotes."""
    values = [k.value for k in ast.walk(tree) if isinstance(k, ast.keyword) and k.arg in WORDS]
    values += [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AugAssign)
        and WORDS
        & {getattr(t, "id", "") for t in (getattr(node, "targets", None) or [node.target])}
    ]
    values += [
        call.args[5]
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Finding"
        if len(call.args) > 5
    ]
    texts: list[str] = []
    for value in values:
        inner = {id(v) for n in ast.walk(value) if isinstance(n, ast.JoinedStr) for v in n.values}
        for node in ast.walk(value):
            if isinstance(node, ast.JoinedStr):
                texts.append(
                    "".join(v.value if isinstance(v, ast.Constant) else "'x'" for v in node.values)
                )
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in inner
            ):
                texts.append(node.value)
    return texts
