"""What failed runs count as, in every command that reads scores."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

HEAD = "task,framework,fold,result,info"
SCORES = {
    "trees": (0.81, 0.83, 0.74, 0.72, 0.91, 0.92, 0.66, 0.69),
    "boost": (0.85, 0.86, None, 0.78, None, None, 0.71, 0.70),
    "Constant": (0.5, 0.52, 0.5, 0.5, 0.48, 0.5, 0.51, 0.5),
}
COMMANDS = (
    ("check",),
    ("describe",),
    ("compare",),
    ("compare", "mixed"),
    ("compare", "points"),
    ("compare", "permutation"),
    ("consensus",),
)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    lines = [
        f"t{i // 2},{name},{i % 2},{'' if score is None else score},{'' if score else 'Timeout'}"
        for name, scores in SCORES.items()
        for i, score in enumerate(scores)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join([HEAD, *lines]), encoding="utf-8")
    return path


READ = ("--column", "framework=algorithm", "-m", "result:higher")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_scores_of_an_algorithm(
    run: Callable, runs: Path, command: tuple[str, ...]
) -> None:
    read = [text.replace("-m", "--measures") for text in READ]
    found = run(*command, runs, *read, "--failed", "constant")
    # The table has findings, and no algorithm need be the best.
    assert found.exit_code in ((1,) if command == ("check",) else (0, 3)), found.output
    wrong = run(*command, runs, *read, "--failed", "constnat")
    assert wrong.exit_code == 2
    said = " ".join(wrong.stderr.split())
    assert "constnat is no word that is known, no number, and no algorithm" in said
    assert "a number as the score that a failure counts as" in said
    assert "'Constant'" in wrong.stderr
    absent = run(*command, runs, *read, "--failed", "boost")
    assert absent.exit_code == 4
    assert "'boost' has no scores to stand for" in absent.stderr


@pytest.mark.parametrize(
    ("failed", "mean"),
    [("Constant", [0.5, 0.49]), ("worst", [0.5, 0.48]), ("0.1", [0.1, 0.1])],
)
def test_scores_are_those_that_were_asked_for(
    run: Callable, runs: Path, failed: str, mean: list[float]
) -> None:
    found = run("describe", runs, *READ, "--failed", failed, "--json")
    document = json.loads(found.stdout)
    rows = next(value for value in document.values() if isinstance(value, list))
    rows = rows if "dataset" in rows[0] else next(iter(document["measures"].values()))
    of = {row["dataset"]: row["mean"] for row in rows if row["algorithm"] == "boost"}
    assert of["t1"] == pytest.approx((mean[0] + 0.78) / 2)
    assert of["t2"] == pytest.approx(mean[1])


def test_headlines_and_documents_name_failures(run: Callable, runs: Path) -> None:
    text = " ".join(run("compare", runs, *READ).stdout.split())
    assert "3 runs failed (3 of boost) and are left out." in text
    assert "boost lacks 37.5 % of its scores" in text
    document = json.loads(run("compare", runs, *READ, "--failed", "constant", "--json").stdout)
    one = document["measures"]["result"]
    assert one["gaps"]["counted"] == "the scores of Constant"
    assert "3 failed runs count as the scores of Constant (3 of boost)." in one["headline"]


def test_a_gate_takes_the_same_scores(run: Callable, runs: Path) -> None:
    sides = ("--baseline", "trees", "--candidate", "boost")
    found = run("gate", runs, *READ, *sides, "--failed", "constant")
    assert "which count as those of Constant" in " ".join(found.stdout.split())
    worst = run("gate", runs, *READ, *sides, "--failed", "worst")
    assert "which count as 0.48, the worst score of the table" in " ".join(worst.stdout.split())
