"""What `compare bayes` can be asked, and what it says of probabilities."""

import json
from collections.abc import Callable

import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import compare, fit

QUICK = ("--draws", "100", "--chains", "4", "--seed", "1")
BALANCED = ("compare", "bayes", "example:simulated/balanced")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warm up briefly, where the numbers do not matter."""
    monkeypatch.setattr(fit, "WARM_UP", 50)


@pytest.mark.usefixtures("quick")
def test_every_argument_reaches_the_library(run: Callable, spied: Callable) -> None:
    given = spied(compare, "compare_bayes", draws=100, chains=4, seed=1)
    run(
        *BALANCED,
        *("--order", "alg2, alg1", "--interactions", "normal", "--structure", "common"),
        *("--quantity", "next", "--target", "domain", "--level", "0.9"),
        *("--missing", "error", "--draws", "400", "--chains", "6", "--seed", "3"),
        *("--prior", "effect_sd=1", "--prior", "tail_rate = 0.2"),
    )
    assert given == {
        "interactions": "normal",
        "structure": "common",
        "domains": "pooled",
        "covariates": (),
        "likelihood": "normal",
        "trials": None,
        "quantity": "next",
        "contrasts": ("alg2", "alg1"),
        "control": None,
        "target": "domain",
        "level": 0.9,
        "missing": "error",
        "draws": 400,
        "chains": 6,
        "priors": bi.priors.Priors(effect_sd=1.0, tail_rate=0.2),
        "sensitivity": "none",
        "seed": 3,
        "progress": True,
    }


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_what_is_printed(run: Callable) -> None:
    text = " ".join(run(*BALANCED, *QUICK, "--details").stdout.split())
    for words in (
        "How likely each algorithm is best",
        "on a typical on the next within algorithm data set data set tolerance of it rank",
        "The same pairs on the next data set",
        "4 chains of 200 draws",
        "variation between data sets: scale interaction_scale 1 of a half-t",
        "Seed 1.",
        "Probabilities are rough: take more draws (--draws",
    ):
        assert words in text
    turned = run(*BALANCED, *QUICK, "--details", "--quantity", "next").stdout
    assert "The same pairs on a typical data set" in turned


@pytest.mark.usefixtures("quick")
def test_these_data_sets_have_no_next_one(run: Callable) -> None:
    text = run(
        *BALANCED, *QUICK, "--target", "datasets", "--sensitivity", "none", "--details"
    ).stdout
    assert "on the next data set" not in text


@pytest.mark.usefixtures("quick")
def test_json_holds_the_tables(run: Callable) -> None:
    found = json.loads(run(*BALANCED, *QUICK, "--json", "--details").stdout)
    result = bi.compare_bayes(bi.load_example("simulated/balanced"), draws=100, chains=4, seed=1)
    assert found["quantity"] == "average"
    assert (
        found["quantities"]["next"][0]["prob_first"]
        == result.contrasts("next", all=True)["prob_first"][0]
    )
    assert found["rank_probabilities"]["alg1"] == result.ranks.distribution[0].tolist()
    assert found["priors"]["shrinkage_median"] is None
    assert found["convergence"]["r_hat"] == result.convergence.r_hat


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


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_slopes_along_a_covariate(run: Callable, table: Callable) -> None:
    rows = [
        (f"d{m}", r, a, 0.1 * m * k + 0.01 * ((7 * m + 3 * r + k) % 5), m)
        for m in range(8)
        for r in range(3)
        for k, a in enumerate("ab")
    ]
    path = table(rows)
    text = path.read_text().replace("value\n", "value,size\n", 1)
    path.write_text(text, encoding="utf-8")
    read = (path, "--measures", "value:higher", "--covariates", "size")
    draws = ("--draws", "400", *QUICK[2:])  # fewer have not settled, and decide nothing
    asked = ("compare", "bayes", *read, "--covariate", "size", *draws)
    text = run(*asked, "--details").stdout
    assert "Slopes: difference per unit of the covariate" in text
    assert "b is better" in text
    found = json.loads(run(*asked, "--details", "--json").stdout)
    assert found["slopes"][0]["winner"] == "b"
    assert "size" in " ".join(run(*asked[:-8], "--covariate", "sise", *QUICK).stderr.split())
