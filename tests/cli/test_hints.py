"""Hints in the words of the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchinfer.cli.hints import as_options, translated


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ('measures={"score": "lower"}, with', "--measures score:lower, with"),
        ('measures={"a b": "lower", "c": "higher"}.',
         "--measures 'a b:lower' --measures c:higher."),
        ('measures={"accuracy": "higher"}, or Measure("accuracy", "higher").',
         "--measures accuracy:higher."),
        ('add Measure("s", better="lower") to measures=, with', "add --measures s:lower, with"),
        ("add a Measure for each to measures=, with", "add --measures NAME:BETTER for each, with"),
        ("set Measure(tolerance=...) to", "set --measures NAME:BETTER:TOLERANCE to"),
        ("columns={...} says", "--column NAME=ROLE says"),
        ("columns={'my task': 'dataset'} says", "--column 'my task=dataset' says"),
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
        ("leave it out of covariates=.", "leave it out of --covariate."),
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
    assert "Hint: --measures value:lower," in run("check", path).stderr
    found = run("check", path, "--measures", "value:lower").stdout
    assert "Hint: --paired or --unpaired says otherwise." in found
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
