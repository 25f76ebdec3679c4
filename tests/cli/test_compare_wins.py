"""What `compare wins` can be asked, and what it says."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

ERRORS = ("compare", "wins", "example:sklearn_bootstrap", "--measure", "error")


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
