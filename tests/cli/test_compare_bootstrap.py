"""What `compare bootstrap` can be asked, and what it says of its draws."""

import re
from collections.abc import Callable

import pytest

BALANCED = ("compare", "bootstrap", "example:simulated/balanced", "--resamples", 1000, "--seed", 1)


def _words(run: Callable, *arguments: object) -> str:
    return " ".join(run(*arguments).stdout.split())


def test_a_clear_order_is_0(run: Callable) -> None:
    result = run(*BALANCED)
    assert result.exit_code == 0, result.output
    assert "\n    alg1 > alg2 > alg3 > alg4\n" in result.stdout
    assert re.search(r"95 % interval +p  p error  verdict\n", result.stdout)
    assert "resamples of replications within each data set; seed 1." in _words(run, *BALANCED)
    assert "Probability that" not in result.stdout


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
