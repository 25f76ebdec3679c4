"""What `compare wins` can be asked, and what it says."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchinfer.analyses.wins import compare

ERRORS = ("compare", "wins", "example:sklearn_bootstrap", "--measure", "error")


def test_every_argument_reaches_the_library(run: Callable, spied: Callable) -> None:
    given = spied(compare, "compare_wins")
    run(
        *ERRORS,
        *("--inference", "bayes", "--by", "replications", "--ties", "half", "--rope", "0.1"),
        *("--tie-tolerance", "0.02", "--local-rope", "0.4", "--errors", "robust", "--departures"),
        *("--adjust", "holm", "--draws", "400", "--chains", "6", "--seed", "3", "--level", "0.9"),
        *("--control", "svm", "--missing", "error", "--alternative", "better", "--penalised"),
    )
    assert given == {
        "inference": "bayes",
        "by": "replications",
        "ties": "half",
        "rope": 0.1,
        "tie_tolerance": 0.02,
        "local_rope": 0.4,
        "errors": "robust",
        "penalised": True,
        "departures": True,
        "adjust": "holm",
        "interval": "compatible",
        "draws": 400,
        "chains": 6,
        "seed": 3,
        "priors": None,
        "progress": True,
        "contrasts": "tukey",
        "control": "svm",
        "level": 0.9,
        "missing": "error",
        "alternative": "better",
    }


def test_wins_are_printed_with_ties_and_model(run: Callable) -> None:
    result = run(*ERRORS, "--details")
    assert result.exit_code == 3
    text = " ".join(result.stdout.split())
    assert "losses worth log worth quasi-error svm 44 14 2 0.669 2.29 0.37" in text
    assert "means that differ by at most 0.01 are ties" in text
    assert "Wins say how often an algorithm is better, not by how much" in text
    assert "cart 8 8.6 6 to 11 4 1.0 0 to 3 outside" in text


@pytest.mark.slow
def test_probabilities_are_printed(run: Callable) -> None:
    quick = ("--draws", "100", "--chains", "4", "--seed", "1")
    result = run("compare", "wins", "example:demsar2006", "--inference", "bayes", *quick)
    assert "P(best)" in result.stdout
    assert "first  equivalent  verdict" in result.stdout
    assert "P second is what the others leave to 1." in " ".join(result.stdout.split())


def test_documents_hold_the_win_table(run: Callable) -> None:
    document = json.loads(run(*ERRORS, "--json", "--details").stdout)
    assert document["analysis"] == "Wins (Bradley-Terry model)"
    assert len(document["wins"]) == len(document["predicted"]) == 15
    assert {"wins", "ties", "losses"} <= set(document["contrasts"][0])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--penalised",), "--ties half or --ties drop"),
        (("--departures",), "--inference bayes"),
        (("--rope", "0.6"), "below 0.5"),
        (("--ties", "spread"), "'spread' is not one of"),
    ],
)
def test_wrong_usage(run: Callable, options: tuple[str, ...], text: str) -> None:
    result = run(*ERRORS, *options)
    assert result.exit_code == 2
    assert text in " ".join(result.stderr.split())


def test_separated_algorithms_are_penalised(run: Callable) -> None:
    document = json.loads(
        run("compare", "wins", "example:sklearn_bootstrap", "--measure", "seconds", "--json").stdout
    )
    assert "as some algorithms never lose to others" in document["method"]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    path = tmp_path / "wins.csv"
    path.write_text("first,second,won,tied,lost\na,b,6,1,3\na,c,7,0,3\nb,c,5,2,4\n")
    return path


@pytest.mark.slow
def test_published_win_tables_are_recognised_by_their_columns(
    run: Callable, published: Path
) -> None:
    result = run("compare", "wins", str(published), "--measure", "accuracy")
    assert result.exit_code == 3
    assert "By wins as published, a has the highest worth; all 3 pairs are undecided" in " ".join(
        result.stdout.split()
    )
    assert "accuracy" in result.stdout
    bayes = ("--inference", "bayes", "--draws", "100", "--chains", "4", "--seed", "1")
    assert "P(best)" in run("compare", "wins", str(published), *bayes).stdout


def test_what_goes_with_scores_alone_is_refused_of_published_wins(
    run: Callable, published: Path
) -> None:
    for options, said in (
        (("--by", "replications"), "published wins are counted already"),
        (("--local-rope", "0.4"), "published wins are counted already"),
        (("--per-dataset",), "goes with scores"),
        (("--paired",), "goes with scores, and the table holds published wins"),
        (("--measures", "accuracy:higher"), "goes with scores, and the table holds published wins"),
    ):
        result = run("compare", "wins", str(published), *options)
        assert result.exit_code == 2, options
        assert said in " ".join(result.stderr.split())
    result = run("compare", "mixed", str(published))
    assert result.exit_code == 4
    assert "benchinfer compare wins compares by them" in " ".join(result.stderr.split())
