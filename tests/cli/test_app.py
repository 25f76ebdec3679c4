"""The commands as a user meets them: what is printed, where, and the exit code."""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import benchinfer as bi
from benchinfer.cli.app import app
from benchinfer.cli.options import source
from benchinfer.scores.columns.roles import LAYOUTS

LOWER = ("--measures", "error:lower:0.01")
MIXED = ("compare", "mixed", "example:demsar2006")


# --- help and usage


def test_help_names_every_command(run: Callable) -> None:
    result = run("--help")
    assert result.exit_code == 0
    for command in ("check", "describe", "compare", "report"):
        assert f"  {command} " in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("describe",),
        *(("compare", analysis) for analysis in ("mixed", "permutation", "bootstrap", "points")),
        ("report",),
    ],
)
def test_each_command_explains_itself(run: Callable, arguments: tuple[str, ...]) -> None:
    result = run(*arguments, "--help")
    assert result.exit_code == 0
    assert "Exit codes" in result.stdout
    assert "--measures" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_version(run: Callable) -> None:
    assert run("--version").stdout == f"benchinfer {bi.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("compare", "mixed", "x.csv", "--lvel", "0.9"), "--lvel"),
        (("compare", "tukey", "x.csv"), "tukey"),
        (("check",), "SCORES"),
        (("check", "x.csv", "--layout", "broad"), "broad"),
        (("compare", "mixed", "x.csv", "--level", "95"), "between 0 and 1"),
        (("compare", "mixed", "example:demsar2006", "--terms", "fold"), "'fold'"),
        (("compare", "mixed", "x.csv", "--structure", "own"), "'own'"),
        (("compare", "mixed", "x.csv", "--adjust", "tukey"), "'tukey'"),
        (("compare", "mixed", "x.csv", "--interval", "exact"), "'exact'"),
        (("compare", "x.csv", "--interval", "exact"), "'exact'"),
        (("compare", "mixed", "example:demsar2006", "-m", "accuracy"), "'AUC'"),
        (("compare", "mixed", "example:sklearn_bootstrap"), "'seconds'"),
        (("check", "example:demsar2006", "--column", "task"), "NAME=ROLE"),
        (("check", "example:demsar2006", "--resampling", "cv:ten"), "'ten'"),
        (("check", "example:demsar2006", "--measures", "AUC"), "better"),
        (("compare", "points", "example:demsar2006", "--tolerance", "-1"), "tolerance"),
        ((*MIXED, "--control", "z"), "unknown control 'z'"),
        ((*MIXED, "--control", "best", "--alternative", "better"), "--alternative two-sided"),
        ((*MIXED, "--control", "C4.5", "--contrasts", "mean"), "does not go with --contrasts mean"),
        ((*MIXED, "--contrasts", "dunnett"), "--control best"),
        ((*MIXED, "--order", "C4.5,C4.5+m", "--contrasts", "tukey"), "without --contrasts"),
        ((*MIXED, "--order", "C4.5,C4.5+m", "--control", "C4.5"), "the control 'C4.5'"),
        ((*MIXED, "--order", "C4.5,z"), "unknown algorithm 'z'"),
        ((*MIXED, "--order", "C4.5"), "two or more"),
        ((*MIXED, "--adjust", "shaffer", "--control", "C4.5"), "--adjust holm"),
        ((*MIXED, "--adjust", "single-step", "--structure", "pairwise"), "--structure common"),
        ((*MIXED, "--target", "datasets", "--domains", "random"), "--domains random"),
        ((*MIXED, "--per-dataset", "--target", "domain"), "--target domain"),
        ((*MIXED, "--per-dataset", "--residual", "dataset"), "--residual dataset"),
        ((*MIXED, "--per-dataset", "--details"), "without --per-dataset"),
        ((*MIXED, "--alternative", "less"), "'less'"),
    ],
)
def test_wrong_usage_is_2(run: Callable, arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_options_of_the_source_are_those_of_the_library() -> None:
    (option,) = source.Layout.__metadata__
    assert all(name in option.help for name in LAYOUTS)


# --- check and describe


def test_check_of_a_sound_table(run: Callable) -> None:
    result = run("check", "example:sklearn_bootstrap")
    assert result.exit_code == 0
    assert "14,400 scores; 12 data sets x 6 algorithms x 100 replications" in result.stdout
    assert re.search(r"^0 warnings, \d notes?\.$", result.stdout, flags=re.MULTILINE)


def test_check_with_warnings_is_1(run: Callable) -> None:
    result = run("check", "example:simulated/unbalanced")
    assert result.exit_code == 1
    assert "1 of 32 cells has no score." in result.stdout
    assert "d03      alg2" in result.stdout


def test_check_as_json(run: Callable) -> None:
    document = json.loads(run("check", "example:simulated/unbalanced", "--json").stdout)
    assert document["n"] == 239
    missing = next(f for f in document["findings"] if f["rule"] == "missing cells")
    assert missing["severity"] == "warning"
    assert missing["where"][0] == {
        "dataset": "d03", "algorithm": "alg2", "found": "0", "expected": "6",
    }  # fmt: skip


def test_garbled_table_names_every_fault_at_once(run: Callable, table: Callable) -> None:
    path = table(
        [
            ("iris", 1, "svm", "0.1"),
            ("iris", 1, "svm", "0.2"),
            ("iris", 1, "knn", "n.n."),
            ("iris", 2, "knn", "nan"),
            ("iris", 2, "svm", "inf"),
            ("wine", 1, "", "0.3"),
            ("Wine", 1, "svm", "0.3"),
        ]
    )
    result = run("check", path, *LOWER)
    assert result.exit_code == 4
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    for word in ("number", "no score", "infinit", "label", "repeats"):
        assert word.casefold() in result.stderr.casefold(), word
    assert "Traceback" not in result.stderr


def test_errors_of_check_as_json(run: Callable, table: Callable) -> None:
    result = run("check", table([("iris", 1, "svm", "good")]), *LOWER, "--json")
    assert result.exit_code == 4
    found = json.loads(result.stdout)["findings"]
    assert {f["rule"] for f in found if f["severity"] == "error"} == {"not numbers"}


@pytest.mark.parametrize("source", ["nowhere.csv", "example:nothing"])
def test_what_is_not_there_is_4(run: Callable, source: str) -> None:
    result = run("check", source)
    assert result.exit_code == 4
    assert result.stderr.startswith("Error: ")


def test_describe_shows_every_cell(run: Callable) -> None:
    result = run("describe", "example:simulated/balanced")
    assert result.exit_code == 0
    assert result.stdout.count("alg3") == 10
    assert "median" in result.stdout
    single = run("describe", "example:demsar2006").stdout
    assert "median" not in single  # one score per cell has no quantiles worth printing


def test_describe_with_intervals_of_rates(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("item,a,b\n" + "\n".join(f"{i},{int(i < 12)},0" for i in range(40)))
    told = ("--measures", "error:lower", "--layout", "wide-algorithms", "--resampling", "items")
    text = run("describe", path, *told, "--interval", "wilson").stdout
    assert ["0.30", "0.18", "to", "0.45"] in [line.split()[3:] for line in text.splitlines()]
    text = run("describe", path, *told, "--interval", "clopper-pearson", "--sides", "1").stdout
    assert text.splitlines()[-2].split()[-2:] == ["0.30", "0.44"]
    rows = json.loads(run("describe", path, *told, "--interval", "wald", "--json").stdout)["error"]
    assert rows[0]["conf_low"] == pytest.approx(0.157987117455)
    assert run("describe", path, *told, "--level", "0.9").exit_code == 2
    assert run("describe", "example:simulated/balanced", "--interval", "wald").exit_code == 4


# --- compare


def test_a_clear_winner_is_0(run: Callable, clear: Path) -> None:
    result = run("compare", "mixed", clear, *LOWER)
    assert result.exit_code == 0, result.output
    assert "b is better than each of the other 2 algorithms" in " ".join(result.stdout.split())
    assert "    b > a > c\n" in result.stdout
    assert "a > b: a is better" in result.stdout
    assert "below 0 the first is better" in result.stdout
    assert "95 % interval" in result.stdout
    assert "<0.001" in result.stdout
    assert "<=" not in result.stdout
    assert "P-values are of the closed test of all 3 pairs" in result.stdout


def test_variances_between_data_sets_need_several_of_them(run: Callable, table: Callable) -> None:
    path = table([("d1", r, name, 0.1 * r + 0.01 * r**k) for r in (1, 2, 3, 4)
                  for k, name in enumerate("ab")])  # fmt: skip
    result = run("compare", "mixed", path, *LOWER, "--structure", "diagonal")
    assert result.exit_code == 4
    assert "--structure common" in result.stderr


def test_joint_adjustments_go_with_a_common_error(run: Callable) -> None:
    arguments = ("compare", "mixed", "example:simulated/balanced", "--adjust", "westfall")
    alone = run(*arguments)
    assert alone.exit_code == 2
    assert "--structure common" in alone.stderr
    together = run(*arguments, "--structure", "common")
    assert together.exit_code == 0, together.output
    assert "Westfall's" in together.stdout


def test_undecided_is_3(run: Callable) -> None:
    result = run("compare", "mixed", "example:demsar2006")
    assert result.exit_code == 3
    assert "undecided" in result.stdout


def test_undecidable_is_4(run: Callable, table: Callable) -> None:
    path = table([("d1", 1, "a", 0.1), ("d1", 1, "b", 0.2)])
    result = run("compare", "mixed", path, *LOWER)
    assert result.exit_code == 4
    assert "Hint: " in result.stderr
    assert result.stdout == ""


def test_one_algorithm_is_undecidable(run: Callable, table: Callable) -> None:
    path = table([("d1", r, "a", 0.1 * r) for r in (1, 2, 3)])
    assert run("compare", "points", path, *LOWER).exit_code == 4


def test_failed_checks_are_printed_with_their_remedies(run: Callable) -> None:
    text = " ".join(run("compare", "points", "example:demsar2006").stdout.split())
    assert (
        "Warnings - Nothing is tested: point rules describe these scores. For evidence, use" in text
    )


def test_what_is_not_finite_is_valid_json(run: Callable, clear: Path) -> None:
    text = run("compare", "mixed", clear, *LOWER, "--df", "asymptotic", "--json").stdout

    def fail(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    document = json.loads(text, parse_constant=fail)
    assert {math.inf} == {float(row["df"]) for row in document["contrasts"]}


def test_terms_and_columns_reach_the_library(run: Callable, clear: Path) -> None:
    clear.write_text(clear.read_text().replace("dataset,", "where=,"), encoding="utf-8")
    result = run(
        "compare", "mixed", clear, *LOWER, "--column", "where==dataset",
        "--terms", "dataset, dataset:algorithm", "--json",
    )  # fmt: skip
    assert json.loads(result.stdout)["formula"] == (
        "error ~ algorithm + (1|dataset) + (1|dataset:algorithm)"
    )


# --- report


@pytest.mark.slow
def test_report_makes_the_folder_and_says_where_it_is(
    run: Callable, clear: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(clear.parent)
    options = ("--methods", "mixed", "--output", "new/deep/report.html")
    result = run("report", "scores.csv", *LOWER, *options)
    assert result.exit_code == 0, result.output
    assert "b > a > c" in result.stdout
    assert result.stdout.endswith("Report written to new/deep/report.html\n")
    written = Path("new/deep/report.html").read_text(encoding="utf-8")
    assert "</html>" in written
    assert [path.name for path in Path("new/deep").iterdir()] == ["report.html"]


@pytest.mark.slow
def test_report_is_0_whatever_the_verdicts(run: Callable, tmp_path: Path) -> None:
    options = ("--methods", "mixed,points", "-o", tmp_path / "report.html", "--json")
    result = run("report", "example:demsar2006", *options)
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["report"] == str(tmp_path / "report.html")
    assert {entry["decided"] for entry in document["results"]} == {False, True}


@pytest.mark.slow
def test_report_on_one_of_the_measures(run: Callable, tmp_path: Path) -> None:
    options = ("--methods", "points", "-o", tmp_path / "r.html", "--json")
    arguments = ("report", "example:sklearn_bootstrap", *options)
    document = json.loads(run(*arguments, "-m", "seconds").stdout)
    assert {entry["measure"]["name"] for entry in document["results"]} == {"seconds"}


def test_a_report_that_cannot_be_made_leaves_nothing(
    run: Callable, table: Callable, tmp_path: Path
) -> None:
    path = table([("d1", 1, "a", 0.1), ("d2", 1, "a", 0.2)])
    result = run("report", path, *LOWER, "-o", tmp_path / "new" / "report.html")
    assert result.exit_code == 4
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("-o", "report.tex"), "a report is written in HTML, JSON or Markdown, not in LaTeX."),
        (("-o", "report.pdf"), "a report is written in HTML, JSON or Markdown, not in PDF."),
        (("--format", "tex"), "'tex' is not one of 'html', 'json', 'md'."),
    ],
)
def test_reports_are_not_written_in_latex_or_pdf(
    run: Callable,
    clear: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    text: str,
) -> None:
    monkeypatch.chdir(clear.parent)
    result = run("report", "scores.csv", *LOWER, "--methods", "points", *options)
    assert result.exit_code == 2
    assert text in " ".join(result.stderr.split())
    assert [path.name for path in clear.parent.iterdir()] == ["scores.csv"]


def test_a_report_that_fails_half_way_leaves_nothing(
    run: Callable, clear: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("benchinfer.reports.page.write", fails)
    options = ("--methods", "points", "-o", tmp_path / "new" / "deep" / "report.html")
    result = run("report", clear, *LOWER, *options)
    assert result.exit_code == 2
    assert "report.html' cannot be written: the disk is full." in result.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "is a folder"),
        ("scores.csv", "was read as input and is not overwritten"),
        ("soft", "was read as input and is not overwritten"),
        ("hard", "was read as input and is not overwritten"),
        ("scores.csv/x.html", "a part of its path is a file, not a folder"),
        ("scores.csv/deep/x.html", "a part of its path is a file, not a folder"),
    ],
)
def test_a_report_destroys_nothing(
    run: Callable, clear: Path, tmp_path: Path, name: str, why: str
) -> None:
    (tmp_path / "soft").symlink_to(clear)
    (tmp_path / "hard").hardlink_to(clear)
    before, there = clear.read_bytes(), sorted(tmp_path.iterdir())
    result = run("report", clear, *LOWER, "--methods", "points", "-o", tmp_path / name)
    assert result.exit_code == 2
    assert "\nError: '" in f"\n{result.stderr}"
    assert why in result.stderr
    assert "Hint: " in result.stderr
    assert "Errno" not in result.stderr
    assert (clear.read_bytes(), sorted(tmp_path.iterdir())) == (before, there)


def test_what_the_system_refuses_is_told_without_its_number(
    run: Callable, clear: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied", "scores.csv")

    monkeypatch.setattr("benchinfer.scores.read.read", fails)
    assert run("check", clear, *LOWER).stderr == "Error: 'scores.csv': Permission denied.\n"


# --- names are data


NASTY = ["[red]svm[/red]", "knn\x1b[31m", "<b> - x"]


@pytest.mark.parametrize("command", ["mixed", "points"])
def test_names_are_printed_literally(run: Callable, clear: Path, command: str) -> None:
    text = clear.read_text()
    for old, new in zip("abc", NASTY, strict=True):
        text = text.replace(f",{old},", f",{new},")
    clear.write_text(text, encoding="utf-8")
    result = run("compare", command, clear, *LOWER)
    assert result.exit_code == (3 if command == "points" else 0), result.output
    assert "[red]svm[/red]" in result.stdout
    assert r"knn\x1b[31m" in result.stdout
    assert "\x1b" not in result.stdout
    document = json.loads(run("compare", command, clear, *LOWER, "--json").stdout)
    assert document["algorithms"] == sorted(NASTY)


def test_names_in_errors_are_escaped(run: Callable, table: Callable) -> None:
    result = run("check", table([("d\x1b[2J", 1, "a", "x")]), *LOWER)
    assert r"\x1b[2J" in result.stderr
    assert "\x1b" not in result.stderr


# --- as a process


def _process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from benchinfer.cli import main; main()", *arguments],
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
    )


@pytest.mark.slow
def test_piped_output_is_plain() -> None:
    done = _process("compare", "points", "example:demsar2006", COLUMNS="40")
    assert done.returncode == 3, done.stderr
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()
    # Each pair stands on one line, in a pipe as on a terminal.
    assert "C4.5+m+cf against\n" in done.stdout
    assert "  C4.5+cf      0.0184\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 40


def test_colour_on_a_terminal_unless_it_is_not_wanted() -> None:
    asked = ("compare", "points", "example:demsar2006")
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b[1;32m" in CliRunner(env=terminal).invoke(app, asked).stdout
    unwanted = CliRunner(env={**terminal, "NO_COLOR": "1"}).invoke(app, asked)
    assert (unwanted.exit_code, "\x1b[1;32m" in unwanted.stdout) == (3, False)


@pytest.mark.slow
def test_a_name_that_the_output_cannot_encode_is_escaped(clear: Path) -> None:
    clear.write_text(clear.read_text().replace(",a,", ",b\u00e4r,"), encoding="utf-8")
    done = _process("compare", "points", str(clear), *LOWER, PYTHONIOENCODING="ascii")
    assert done.returncode == 3, done.stderr
    assert r"b\xe4r" in done.stdout


def test_help_is_light() -> None:
    code = (
        "import sys, time\n"
        "from benchinfer.cli import main\n"
        "sys.argv = ['benchinfer', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'pandas', 'numpy', 'scipy', 'narwhals', 'matplotlib', 'pymc', 'rich'}\n"
        "print(time.process_time(), *sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    seconds, *heavy = done.stdout.splitlines()[-1].split()
    assert heavy == []
    assert float(seconds) < 0.6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        (["check"], ["pandas", "scipy.stats", "scipy.optimize", "numba", "statsmodels"]),
        (
            ["compare", "mixed", "--measure", "seconds"],
            ["scipy.stats", "scipy.optimize", "numba", "statsmodels", "matplotlib"],
        ),
    ],
)
def test_commands_load_only_what_they_need(command: list[str], heavy: list[str]) -> None:
    code = (
        "import sys\n"
        "from benchinfer.cli import main\n"
        f"sys.argv = {['benchinfer', *command, 'example:sklearn_bootstrap']}\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('loaded', *sorted(set({heavy}) & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert len(done.stdout.splitlines()) > 5
    assert done.stdout.splitlines()[-1] == "loaded"


def test_repeated_answers_as_pass_k(run: Callable, tmp_path: Path) -> None:
    right = {("t1", "a"): 3, ("t2", "a"): 1, ("t1", "b"): 2, ("t2", "b"): 2}
    lines = [f"{t},{m},{i},{int(i < c)}" for (t, m), c in right.items() for i in range(3)]
    (tmp_path / "runs.csv").write_text("\n".join(["task,agent,trial,reward", *lines]))
    arguments = ["-m", "reward:higher", "--units", "task,trial", "--repeats", "pass^2"]
    found = run("describe", tmp_path / "runs.csv", *arguments, "--dataset", "air")
    assert "reward (pass^2)" in found.stdout
    assert "0.50  0.71" in found.stdout  # of t1 and t2: 1 and 0
