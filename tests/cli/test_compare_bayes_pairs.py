"""What `compare bayes-pairs` can be asked, and what it prints."""

import json
from collections.abc import Callable

import pytest

TABLE = ("compare", "bayes-pairs", "example:demsar2006", "--seed", "1")


def test_priors_of_the_pseudo_observation_are_read(run: Callable) -> None:
    asked = (*TABLE, "--test", "sign", "--json", "--prior")
    found = json.loads(run(*asked, "strength=3", "--prior", "place=first").stdout)
    given = found["provenance"]["arguments"]["priors"]
    assert (given["strength"], given["place"]) == (3.0, "first")
    assert "unknown place 'left'" in run(*asked, "place=left").stderr
    assert "NAME=NUMBER with one of strength, place" in run(*asked, "effect_sd=1").stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--test", "sign", "--chains", "5"), "chains=5 its draws are independent"),
        (("--test", "corani2017", "--prior", "strength=1"), "those of the paper"),
        (("--quantity", "average"), "quantity='average' it has none"),
    ],
)
def test_what_does_not_go_together_is_said(run: Callable, options: tuple, said: str) -> None:
    done = run(*TABLE, *options)
    assert done.exit_code == 4
    assert said in " ".join(done.stderr.split())
