"""What `compare bootstrap` can be asked, and what it says of its draws."""

import inspect
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

import benchinfer as bi
from benchinfer.analyses.bootstrap import compare

BALANCED = ("compare", "bootstrap", "example:simulated/balanced", "--resamples", 1000, "--seed", 1)
TIMES = ("compare", "bootstrap", "example:sklearn_bootstrap", "--measure", "seconds")


def _document(run: Callable, *arguments: object) -> dict[str, Any]:
    return json.loads(run(*arguments, "--json").stdout)


def _words(run: Callable, *arguments: object) -> str:
    return " ".join(run(*arguments).stdout.split())


def test_every_argument_reaches_the_library(run: Callable, spied: Callable) -> None:
    real = compare.compare_bootstrap
    given = spied(compare, "compare_bootstrap", resamples=100, seed=1)
    run(
        *BALANCED[:3],
        *("--order", "alg2, alg1", "--alternative", "better", "--adjust", "none", "--level", "0.9"),
        *("--statistic", "optimality-gap", "--resample", "both", "--interval", "percentile"),
        *("--goal", "0.8", "--tolerance", "0.01"),
        *("--resamples", "500", "--seed", "7", "--missing", "error"),
        *("--n-jobs", "2"),
    )
    assert given == {
        "contrasts": ("alg2", "alg1"),
        "control": None,
        "alternative": "better",
        "adjust": "none",
        "level": 0.9,
        "statistic": "optimality-gap",
        "resample": "both",
        "interval": "percentile",
        "goal": 0.8,
        "tolerance": 0.01,
        "resamples": 500,
        "seed": 7,
        "missing": "error",
        "n_jobs": 2,
        "progress": True,
    }
    assert set(given) == set(inspect.unwrap(real).__kwdefaults__)


def test_a_clear_order_is_0(run: Callable) -> None:
    result = run(*BALANCED)
    assert result.exit_code == 0, result.output
    assert "\n    alg1 > alg2 > alg3 > alg4\n" in result.stdout
    assert re.search(r"95 % interval +p  p error  verdict\n", result.stdout)
    assert "resamples of replications within each data set; seed 1." in _words(run, *BALANCED)
    assert "Probability that" not in result.stdout


@pytest.mark.parametrize(
    ("statistic", "words"),
    [
        ("mean", "By the mean, "),
        ("median", "By the median of the data sets' means, "),
        ("worst", "By the worst of the data sets' means, "),
        ("0.25", "By the 0.25 quantile, counted from the worst, of the data sets' means, "),
    ],
)
def test_statistics(run: Callable, statistic: str, words: str) -> None:
    assert f". {words}" in _words(run, *BALANCED, "--statistic", statistic)


@pytest.mark.slow
def test_details(run: Callable) -> None:
    arguments = (*TIMES, "--resample", "datasets", "--resamples", 500, "--seed", 1, "--details")
    text = run(*arguments).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "Probability that a score of first is better than one of second, on" in text
    assert "Share of scores that are below a threshold, on seconds\n" in text
    assert "algorithm  1.00  1.10  1.25  1.50  2.00  5.00  10.00\n" in text
    assert "cart       0.33  0.42  0.42  0.50  0.58  1.00   1.00\n" in text
    document = _document(run, *arguments)
    scores = bi.load_example("sklearn_bootstrap")
    result = bi.compare_bootstrap(scores, "seconds", resample="datasets", resamples=500, seed=1)
    improved = result.probability_of_improvement()["prob_improvement"].tolist()
    found = [row["prob_improvement"] for row in document["probability_of_improvement"]]
    assert found == improved
    assert len(document["profile"]["scores"]) == len(result.profile())
    assert len(document["profile"]["ratios"]) == len(result.profile("ratios"))
    assert "profile" not in _document(run, *arguments[:-1])


def test_shares_are_those_of_the_profile(run: Callable, table: Callable) -> None:
    rows = [(f"d{d}", r, name, d + 0.1 * r + 5 * k) for d in range(4) for r in range(5)
            for k, name in enumerate("ab")]  # fmt: skip
    arguments = ("compare", "bootstrap", table(rows), "--measures", "gain:higher", "--details")
    text = run(*arguments, "--resamples", 200).stdout
    block = text.partition("Share of scores that are above a threshold, on gain\n")[2]
    head, b, a = (line.split() for line in block.splitlines()[:3])
    values = {k: [row[3] for row in rows if row[2] == k] for k in "ab"}
    for name, *shares in (a, b):
        exact = [sum(x > float(t) for x in values[name]) / 20 for t in head[1:]]
        assert [float(share) for share in shares] == pytest.approx(exact, abs=0.051)
    assert "Not answered: some scores of gain are not above 0" in " ".join(text.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--statistic", "midmean"), "'midmean' is neither a number nor one of 'iqm'"),
        (("--statistic", "1.5"), "a quantile lies between 0 and 1"),
        (("--statistic", "optimality-gap"), "--goal names it"),
        (("--goal", "0.5"), "goes with --statistic optimality-gap"),
        (("--statistic", "optimality-gap", "--goal", "z"), "unknown algorithm 'z'"),
        (("--interval", "expanded", "--adjust", "shaffer"), "'shaffer'"),
        (("--per-dataset", "--resample", "both"), "--resample both is about several of them"),
        (("--control", "best", "--alternative", "better"), "--alternative two-sided"),
        (("--resamples", "10"), "at least 100"),
        (("--resamples", "many"), "'many' is neither a number nor one of 'auto'"),
    ],
)
def test_wrong_usage_is_2(run: Callable, options: tuple[str, ...], said: str) -> None:
    result = run(*BALANCED[:3], *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("compare", "bootstrap", "example:demsar2006"), "--resample datasets draws data sets"),
        ((*BALANCED, "--resampling", "cv:10"), "compare mixed corrects for the overlap"),
    ],
)
def test_undecidable_is_4(run: Callable, arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 4
    assert said in " ".join(result.stderr.split())


def test_per_dataset(run: Callable) -> None:
    result = run(*BALANCED, "--per-dataset")
    assert result.exit_code == 3, result.output
    assert "on 10 data sets, each by itself." in result.stdout
