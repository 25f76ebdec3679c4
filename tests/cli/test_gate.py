"""The command that gates a candidate."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ASK = ("gate", "example:simulated/balanced", "--baseline", "alg1", "--candidate", "alg2", "-m")


def test_unknown_candidates_are_named(run: Callable) -> None:
    unknown = [{"alg2": "alg9"}.get(word, word) for word in ASK]
    found = run(*unknown, "score:higher:0.02")
    assert found.exit_code == 2
    assert "unknown candidate 'alg9'" in " ".join(found.output.split())


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("score:higher:0.02",), 0, "Pass, on average over data sets like these"),
        (("score:higher",), 1, "Fail, on average over data sets like these"),
        (("score:higher:0.01",), 3, "needs: 5 more data sets let a candidate"),
        (("score:higher:0.01", "--on-undecided", "pass"), 0, "Undecided counts as a pass here."),
        (("score:higher:0.01", "--on-undecided", "fail"), 1, "Undecided counts as a fail here."),
        (("score:higher:0.02", "--want", "superior"), 3, "better than alg1"),
        (
            ("score:higher:0.02", "--want", "superior", "--by-more-than", "0.005"),
            3,
            "neither that alg2 is better than alg1 by more than 0.005, nor that it is worse",
        ),
        (("score:higher", "--by-more-than", "0.005"), 2, "is to be better"),
        (("score:higher:0.02", "--by", "permutation"), 0, "on a typical one of data sets"),
        (("score:higher:0.02", "--candidate", "alg2"), 2, "given twice"),
        (("score:higher:0.02", "--level", "0.4"), 2, "level is 0.4"),
        (("score:higher:0.02", "--json", "--markdown"), 2, "goes without --json"),
        (("score:higher:0.02", "-m", "score:higher"), 2, "given twice"),
        (("score:higher:0.02", "--by", "pair"), 4, "cannot pool 10 data sets"),
    ],
)
def test_exit_codes(run: Callable, arguments: tuple[str, ...], code: int, said: str) -> None:
    found = run(*ASK, *arguments)
    assert found.exit_code == code, found.output
    assert said in " ".join(found.output.split())
    assert "Traceback" not in found.output


def test_one_paragraph_for_each_measure_and_the_verdict(run: Callable) -> None:
    found = run(
        *("gate", "example:sklearn_bootstrap", "--baseline", "svm", "--candidate", "mlp"),
        *("-m", "error:lower:0.1", "-m", "seconds:lower:0.1:log"),
    )
    assert found.exit_code == 1
    lines = [" ".join(text.split()) for text in found.stdout.split("\n  ")]
    said = [line for line in lines if re.match(r"(Fail|error:|seconds:)", line)]
    assert said[0].startswith("Fail, on average over data sets like these 12:")
    assert [line.split(":")[0] for line in said[1:]] == ["error", "seconds"]
    text = " ".join(found.stdout.split())
    assert "ratio 4.5" in text
    assert "tolerance a factor of 1.1, p < 0.001" in text


def test_what_cannot_be_read_is_no_fail(run: Callable, table: Callable) -> None:
    options = ("--baseline", "a", "--candidate", "b", "-m", "value:higher")
    assert run("gate", "nowhere.csv", *options).exit_code == 4
    assert run("gate", table([("d", 1, "a", "x")]), *options).exit_code == 4


def test_a_bug_is_no_fail_either(run: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object, **_options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("benchinfer.gate", breaks)
    found = run(*ASK, "score:higher:0.02")
    assert found.exit_code == 4
    assert "ZeroDivisionError" in found.stderr


def test_names_are_data_in_markdown(run: Callable, clear: Path) -> None:
    nasty = "<b>|`a_b`"
    clear.write_text(clear.read_text().replace(",a,", f",{nasty},"), encoding="utf-8")
    found = run(
        *("gate", clear, "--baseline", nasty, "--candidate", "b", "-m", "value:lower:0.01"),
        "--markdown",
    )
    assert found.exit_code == 0, found.output
    title, _, heads, rule, row = found.stdout.splitlines()
    assert title.startswith("### Pass")
    assert r"than \<b\>\|\`a\_b\` by 0.01 or more" in title
    assert heads.count("|") == rule.count("|") == row.count("|") == 8


def test_comparisons_say_that_they_are_no_gate(run: Callable) -> None:
    for command in ("mixed", "points"):
        assert "gate" in run("compare", command, "--help").stdout.split("Exit codes")[1]


def _lacking(table: Callable, n: int, kind: str, folds: int = 3) -> Path:
    """Write 10 data sets, the candidate without scores on n of them and better on the others."""
    rng = np.random.default_rng(1)
    rows = list[tuple[object, ...]]()
    for d, fold in np.ndindex(10, 3):
        old = 0.6 + 0.02 * d + rng.normal(0, 0.01)
        new: object = old + 0.1 + rng.normal(0, 0.01)
        rows.append((f"d{d}", fold, "old", old))
        if d < n and fold < folds:
            if kind == "absent":
                continue
            new = ""
        rows.append((f"d{d}", fold, "new", new))
    return table(rows)


GATED = ("--baseline", "old", "--candidate", "new", "-m", "value:higher:0.02")


@pytest.mark.parametrize("kind", ["nan", "absent"])
@pytest.mark.parametrize("n", [0, 1, 8, 9, 10])
@pytest.mark.parametrize("output", [(), ("--markdown",), ("--json",)])
def test_missing_scores_are_no_pass(
    run: Callable, table: Callable, kind: str, n: int, output: tuple[str, ...]
) -> None:
    if (kind, n) == ("absent", 10):
        return  # the table does not name the candidate: wrong usage, as for any unknown one
    found = run("gate", _lacking(table, n, kind), *GATED, *output)
    assert found.exit_code == (0 if n == 0 else 4 if n == 10 else 3), found.output
    first = found.output if n == 10 or output == ("--json",) else found.stdout.splitlines()[0]
    assert (f"candidate has no scores on {n} of 10 data sets" in first) == (n > 0)


@pytest.mark.parametrize("kind", ["nan", "absent"])
def test_missing_replications_are_no_pass(run: Callable, table: Callable, kind: str) -> None:
    found = run("gate", _lacking(table, 2, kind, folds=1), *GATED)
    assert found.exit_code == 3, found.output
    said = "candidate lacks 2 scores that baseline has"
    assert said in " ".join(found.stdout.split())


def test_scores_that_the_baseline_lacks_block_nothing(run: Callable, table: Callable) -> None:
    options = ("--baseline", "new", "--candidate", "old", "-m", "value:lower:0.02")
    found = run("gate", _lacking(table, 2, "nan"), *options)
    assert found.exit_code == 0, found.output
    first = " ".join(found.stdout.split())
    assert "baseline has no scores on 2 of 10 data sets" in first
    assert "data sets like these 8" in first


def test_failures_count_by_a_number(run: Callable, table: Callable) -> None:
    found = run("gate", _lacking(table, 8, "nan"), *GATED, "--failed", "0")
    assert found.exit_code == 1, found.output
    said = "candidate has no scores on 8 of 10 data sets, which count as 0"
    assert said in " ".join(found.stdout.split())


def test_a_worse_pass_says_so(run: Callable) -> None:
    assert "it is worse, by less than 0.02" in run(*ASK, "score:higher:0.02").stdout


def test_no_answer_is_in_the_summary_of_the_job(run: Callable) -> None:
    found = run("gate", "nowhere.csv", *GATED, "--markdown")
    assert found.exit_code == 4
    assert found.stdout.startswith("### No verdict\n\nthere is no file")


def test_a_panic_of_an_engine_is_no_fail(run: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicError(BaseException):
        pass

    def panics(*_: object, **_options: object) -> None:
        raise PanicError

    monkeypatch.setattr("benchinfer.gate", panics)
    assert run(*ASK, "score:higher:0.02").exit_code == 4


def test_measures_without_direction_are_named(run: Callable) -> None:
    found = run(
        *("gate", "example:sklearn_bootstrap", "--baseline", "svm", "--candidate", "mlp"),
        *("-m", "error:lower:0.1"),
    )
    assert "measures left out, for which no direction is given: seconds" in found.stdout


@pytest.mark.parametrize("kind", ["nan", "absent"])
@pytest.mark.parametrize("n", [1, 2, 5, 8, 9])
def test_crashes_count_as_the_worst_score_of_the_table(
    run: Callable, table: Callable, kind: str, n: int
) -> None:
    """The worst score of the table, not that of the data set, which would make a crash a tie."""
    found = run("gate", _lacking(table, n, kind), *GATED, "--failed", "worst")
    assert f"candidate has no scores on {n} of 10 data sets, which count as" in found.output
    assert (found.exit_code == 0) == (n < 8), found.output


def test_failures_count_as_the_scores_of_an_algorithm(run: Callable, table: Callable) -> None:
    path = _lacking(table, 8, "absent")
    found = run("gate", path, *GATED, "--failed", "old")
    assert "which count as those of old" in " ".join(found.stdout.split())
    assert run("gate", path, *GATED, "--failed", "odl").exit_code == 2


def test_a_number_in_place_of_a_baseline(run: Callable, tmp_path: Path) -> None:
    losses = [3.279, 3.276, 3.281, 3.274, 3.277, 3.2755]
    lines = [f"new,{i},{x}" for i, x in enumerate(losses)]
    (tmp_path / "runs.csv").write_text("\n".join(["model,seed,loss", *lines]))
    asked = ["gate", tmp_path / "runs.csv", "--baseline", "3.28", "--candidate", "new"]
    asked += ["-m", "loss:lower", "--dataset", "web", "--resampling", "seeds", "--want", "superior"]
    found = run(*asked)
    assert found.exit_code == 0, found.output
    assert "new is better than 3.28 (loss, lower is better)" in " ".join(found.output.split())
    near = run(*asked, "--by-more-than", "0.002", "--json")
    assert near.exit_code == 3, near.output
    document = json.loads(near.stdout)
    assert (document["baseline"], document["by_more_than"]) == ("3.28", 0.002)
