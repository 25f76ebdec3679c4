"""What the command `consensus` asks, prints and returns."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

TABLE = ("consensus", "example:sklearn_bootstrap", "--by", "points")
BOTH = ("--measure", "error:lower:0.01", "--measure", "seconds:lower")


@pytest.fixture
def circle(table: Callable[..., Path]) -> Path:
    """Write a table in which each of a, b and c beats the next on two data sets of three."""
    orders = ("abc", "bca", "cab")
    return table(
        [
            (f"d{d}", r, name, f"{order.index(name) + 0.01 * r:.2f}")
            for d, order in enumerate(orders)
            for r in range(3)
            for name in order
        ]
    )


def test_a_unique_order_is_decided(run: Callable, clear: Path) -> None:
    by = ("--by", "points", "--measure", "value:lower")
    result = run("consensus", clear, *by, "--family", "linear")
    assert result.exit_code == 0, result.output
    text = result.stdout
    assert "\n    b > a > c\n" in text
    assert "Cost: 0, proved to be the least: " in text
    assert "b > a    100 %      6      12\n" in text
    assert "Concordance: 1.00 (Kendall's W, 1 if all rank alike)\n" in text
    assert "d5        b > a > c\n" in text
    assert "Warnings" not in text


def test_several_orders_are_not(run: Callable, circle: Path) -> None:
    arguments = ("consensus", circle, "--by", "points", "--measure", "value:lower")
    result = run(*arguments, "--family", "linear")
    assert result.exit_code == 3
    text = " ".join(result.stdout.split())
    assert "3 linear orders fit equally well and have nothing in common" in text
    assert "Optima: 3 order a > b > c b > c > a c > a > b" in text
    assert "3 orders fit equally well; 3 of 3 pairs are open between them. The relation has" in text
    assert run(*arguments, "--method", "condorcet").exit_code == 3
    assert run(*arguments, "--method", "borda").exit_code == 0


def test_the_legacy_rule_leaves_nothing_undecided(run: Callable) -> None:
    arguments = ("consensus", "example:sklearn_bootstrap", "-m", "error", "--json")
    plain, legacy = (
        json.loads(run(*arguments, "--rule", rule).stdout)
        for rule in ("evidence", "not-significant")
    )
    undecided = [sum(row["weight_undecided"] for row in d["support"]) for d in (plain, legacy)]
    assert undecided[0] > undecided[1] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((*BOTH, "--weights", "1"), "1 weights for 2 measures"),
        ((*BOTH, "--weights", "1,x"), "'x' is no number"),
        ((*BOTH, "--weights", "0,0"), "one of them at least is above 0"),
        (("-m", "error", "-m", "error"), "names a measure twice"),
        ((), "--measure"),
        (("-m", "speed"), "speed"),
        (("-m", "error:lower", "-m", "speed"), "speed"),
        (("-m", "error:lower", "--measures", "error:lower"), "as --measures does"),
        (("-m", "error", "--rule", "not-significant"), "needs --by mixed or permutation"),
        (("-m", "error", "--method", "borda", "--family", "linear"), "gives weak orders"),
        (("-m", "error", "--method", "kemeny"), "kemeny"),
        (("-m", "error", "--time-limit", "0"), "above 0"),
    ],
)
def test_wrong_usage(run: Callable, options: tuple[str, ...], said: str) -> None:
    result = run(*TABLE, *options)
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.stderr.replace("│", " ").split())


def test_a_table_that_cannot_answer(run: Callable) -> None:
    result = run("consensus", "example:demsar2006", "--by", "mixed")
    assert result.exit_code == 4
    assert "--by points" in result.stderr


def test_it_says_that_a_consensus_is_no_test(run: Callable) -> None:
    result = run(*TABLE, "-m", "error")
    assert "is no test" in " ".join(result.stdout.split())


def test_without_a_proof_nothing_is_called_an_optimum(
    run: Callable, table: Callable[..., Path]
) -> None:
    values = np.random.default_rng(0).normal(size=(3, 30)).tolist()
    rows = [(f"d{d}", 0, f"a{a}", v) for d, row in enumerate(values) for a, v in enumerate(row)]
    result = run(
        "consensus", str(table(rows)), "--by", "points", "-m", "error:lower",
        "--family", "partial", "--time-limit", "0.001",
    )  # fmt: skip
    assert result.exit_code == 3
    assert "not proved to be the least" in " ".join(result.stdout.split())
    assert "Ranks in the consensus, as far as they are proved" in result.stdout
    assert "Optima: none is proved; the best one found is shown\n" in result.stdout
    assert "fit equally well" not in result.stdout


def test_one_score_per_cell_is_compared_by_points(run: Callable) -> None:
    plain, by_points = (
        run("consensus", "example:demsar2006", *by) for by in ((), ("--by", "points"))
    )
    assert plain.exit_code in {0, 3}
    assert plain.stdout == by_points.stdout
    assert "each by point comparison" in " ".join(plain.stdout.split())
    assert run("consensus", "example:demsar2006", "--by", "mixed").exit_code == 4


def test_mixed_models_of_single_scores_name_the_way_out(run, tmp_path):
    path = tmp_path / "single.csv"
    path.write_text("dataset,algorithm,score\nd,a,1\nd,b,2\ne,a,3\ne,b,2\n")
    found = run("consensus", str(path), "--measure", "score:higher", "--by", "mixed")
    assert found.exit_code == 4
    assert "Hint: --by points" in found.stderr
