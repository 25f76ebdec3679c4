"""What `compare bayes` can be asked, and what it says of probabilities."""

from collections.abc import Callable
from functools import wraps

import pytest

from benchinfer.analyses.bayes import compare, fit
from benchinfer.errors import DesignError

QUICK = ("--draws", "100", "--chains", "4", "--seed", "1")
BALANCED = ("compare", "bayes", "example:simulated/balanced")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warm up briefly, where the numbers do not matter."""
    monkeypatch.setattr(fit, "WARM_UP", 50)


def test_models_of_responses_reach_the_library(
    run: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their fits take long; all other options are in the round trip."""
    given: dict[str, object] = {}

    @wraps(compare.compare_bayes)
    def asked(_scores: object, _measure: str, **arguments: object) -> None:
        given.update(arguments)
        raise DesignError("asked.")

    monkeypatch.setattr(compare, "compare_bayes", asked)
    responses = {"likelihood": "binomial", "trials": "size", "sensitivity": "quick"}
    run(*BALANCED, *(f"--{name}={value}" for name, value in responses.items()))
    assert given.items() >= responses.items()


@pytest.mark.usefixtures("quick")
def test_these_data_sets_have_no_next_one(run: Callable) -> None:
    text = run(
        *BALANCED, *QUICK, "--target", "datasets", "--sensitivity", "none", "--details"
    ).stdout
    assert "on the next data set" not in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--prior", "width=1"), "is not NAME=NUMBER with one of effect_scale"),
        (("--prior", "effect_sd=wide"), "'wide' in 'effect_sd=wide' is no number"),
        (("--prior", "effect_sd=-1"), "effect_sd is -1.0"),
        (("--quantity", "next", "--target", "datasets"), "--target domain goes with it"),
        (("--draws", "50"), "an even number from 100"),
    ],
)
def test_wrong_usage(run: Callable, arguments: tuple[str, ...], words: str) -> None:
    result = run(*BALANCED, *arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_one_data_set_cannot_say(run: Callable, table: Callable) -> None:
    path = table([("d", r, a, 0.1 * r + k) for r in range(3) for k, a in enumerate("ab")])
    result = run("compare", "bayes", path, "--measures", "value:higher", "--unpaired")
    assert result.exit_code == 4
    assert "compare pair compares two algorithms on one data set" in " ".join(result.stderr.split())
