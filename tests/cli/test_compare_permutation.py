"""What `compare permutation` can be asked, and what it says of its tests."""

import json
from collections.abc import Callable
from typing import Any

import pytest

ROC = ("compare", "permutation", "example:demsar2006")
BOOTSTRAP = ("compare", "permutation", "example:sklearn_bootstrap", "--measure", "error")


def _document(run: Callable, *arguments: object) -> dict[str, Any]:
    return json.loads(run(*arguments, "--json").stdout)


def _words(run: Callable, *arguments: object) -> str:
    return " ".join(run(*arguments).stdout.split())


def test_exact_tests_of_pairs(run: Callable) -> None:
    result = run(*ROC)
    assert result.exit_code == 3, result.output
    assert (
        "\n    C4.5+m+cf > C4.5\n    C4.5+m > C4.5\n    4 of 6 pairs are undecided\n"
        in result.stdout
    )
    assert "rank  algorithm  median AUC    mean  mean rank   ranks  scores\n" in result.stdout
    assert (
        "first      second   difference     95 % interval       p  verdict\n"
        "C4.5+m+cf  C4.5+m        0.005   -0.008 to 0.024   0.889  undecided\n"
    ) in result.stdout
    assert (
        "C4.5+m     C4.5          0.013  above 0 to 0.035   0.040  C4.5+m better" in result.stdout
    )
    said = " ".join(result.stdout.split())
    assert "pair alone is exact, from all equally likely arrangements; those of several" in said
    assert "Tests of all algorithms together" not in result.stdout


def test_monte_carlo_says_its_error_and_seed(run: Callable) -> None:
    arguments = (*ROC, "--null", "monte-carlo", "--resamples", 2000, "--seed", 3)
    text = run(*arguments).stdout
    said = " ".join(text.split())
    # The table has no room for a column of them.
    assert "seed 3. Monte Carlo errors of p-values: at most 0.007." in said
    assert "pair alone is Monte Carlo, from 2,000 random arrangements; those of several" in said
    assert "together are from random sign flips; seed 3." in said
    drawn = _words(run, *arguments[:-2]).partition("; seed ")[2]
    assert int(drawn.partition(".")[0]) >= 0
    asymptotic = _words(run, *ROC, "--null", "asymptotic")
    assert "P-values are asymptotic, from the normal limit." in asymptotic
    assert "errors of p-values" not in asymptotic


@pytest.mark.slow
def test_stopping(run: Callable) -> None:
    arguments = ("--pairs", "pooled", "--stop", "--seed", 1, "--target", "datasets")
    text = _words(run, *BOOTSTRAP, *arguments)
    assert "random arrangements, after which all decisions were certain; seed 1." in text
    assert "100,000" not in text


def test_what_is_not_answered_is_said(run: Callable, table: Callable) -> None:
    rows = [
        (f"d{d}", 1, name, (7 * d + 3 * k) % 11) for d in range(8) for k, name in enumerate("abc")
    ]
    path = table(rows[:-1])
    arguments = ("compare", "permutation", path, "--measures", "error:lower", "--details")
    assert "Not answered: one critical difference for all pairs needs" in _words(run, *arguments)
    assert _document(run, *arguments)["critical_difference"] == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--adjust", "shaffer"), "--adjust closed goes through the same hypotheses by sign flips"),
        (("--adjust", "single-step"), "--pairs pooled lets all algorithms share"),
        (
            ("--adjust", "step-down", "--pairs", "pooled", "--null", "asymptotic"),
            "--null monte-carlo, or --adjust single-step",
        ),
        (
            ("--adjust", "bergmann-hommel", "--pairs", "pooled", "--control", "C4.5"),
            "--adjust holm goes with any family",
        ),
        (("--contrasts", "mean"), "--pairs pooled tests them"),
        (("--contrasts", "dunnett"), "--control best"),
        (("--control", "z"), "unknown control 'z'"),
        (("--trend", "C4.5,z"), "unknown algorithm 'z'"),
        (("--trend", "C4.5,C4.5+m"), "names 2 of 4 algorithms"),
        (("--per-dataset", "--trend", "C4.5"), "--trend is about several of them"),
        (("--per-dataset", "--target", "domain"), "--target domain is about several of them"),
        (("--per-dataset", "--details"), "goes without --per-dataset"),
        (("--resamples", "0"), "resamples is 0"),
        (("--seed", "-1"), "seed is -1"),
        (("--on", "scores"), "'scores'"),
    ],
)
def test_wrong_usage_is_2(run: Callable, options: tuple[str, ...], said: str) -> None:
    result = run(*ROC, *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert '="' not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*ROC, "--on", "dispersion"), "--on dispersion needs replications"),
        (
            (*ROC, "--target", "datasets", "--resampling", "cv:10"),
            "compare mixed --target datasets",
        ),
        ((*BOOTSTRAP, "--null", "exact", "--pairs", "pooled"), "--null monte-carlo goes with any"),
    ],
)
def test_undecidable_is_4(run: Callable, arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 4
    assert said in " ".join(result.stderr.split())
    assert '="' not in result.stderr
