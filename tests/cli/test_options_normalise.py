"""`--normalise`: forms, the measures that it is about, exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import benchinfer as bi

BALANCED = "example:simulated/balanced"
TWO = "example:sklearn_bootstrap"


def test_every_command_compares_on_the_scale(run: Callable) -> None:
    for command in (("compare", "points"), ("consensus",), ("describe",), ("check",)):
        result = run(*command, BALANCED, "--normalise", "low=0,high=alg1")
        assert result.exit_code in {0, 1, 3}, result.output
        assert "0 = a score of 0, 1 = alg1" in " ".join(result.stdout.split())


@pytest.mark.slow
def test_only_the_measures_of_the_command_are_normalised(run: Callable) -> None:
    arguments = ("compare", "points", TWO, "-m", "error", "--normalise", "min-max", "--json")
    document = json.loads(run(*arguments).stdout)
    scores = bi.load_example("sklearn_bootstrap").normalise("min-max", "error")
    expected = bi.compare_points(scores, "error").contrasts()
    assert [row["estimate"] for row in document["contrasts"]] == expected["estimate"].tolist()
    assert document["measure"]["name"] == "normalised error"
    assert document["measure"]["unit"] == "0 = worst, 1 = best score of each data set"
    assert document["measure"]["normalised"]["kind"] == "min-max"
    answer = json.loads(run(TWO, "--normalise", "ranks", "--json").stdout)
    assert set(answer["measures"]) == {"rank of error", "rank of seconds"}


def test_references_and_a_tolerance_from_a_file(run: Callable, tmp_path: Path) -> None:
    scores = bi.load_example("simulated/balanced")
    path = tmp_path / "references.toml"
    lines = [f"{name} = 0.1" for name in scores.datasets]
    head = ["tolerance = 0.07", "target = 0.95", "[chance]"]
    path.write_text("\n".join([*head, *lines]), encoding="utf-8")
    options = ("--normalise", path)
    result = run("compare", "points", BALANCED, *options)
    assert result.exit_code == 4  # 0 stands first, 1 second
    assert "on 10 of 10 data sets the reference for 1 is not better" in result.stderr
    path.write_text("\n".join(["tolerance = 0.07", "[chance]", *lines, "[target]"]
                              + [f"{name} = 0.95" for name in scores.datasets]))  # fmt: skip
    document = json.loads(run("compare", "points", BALANCED, *options, "--json").stdout)
    assert document["measure"]["tolerance"] == 0.07
    assert document["measure"]["unit"] == "0 = chance, 1 = target"


def test_a_file_of_defaults_normalises(
    run: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("benchinfer.toml").write_text('normalise = "min-max:0.05"\n', encoding="utf-8")
    result = run("compare", "points", BALANCED)
    assert "note  benchinfer.toml: --normalise" in result.stderr
    assert "0 = worst, 1 = best score of each data set" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("max", 2, "--normalise max cannot be read."),
        ("low=0.1", 2, "--normalise low=0.1 cannot be read."),
        ("low=0,high=z", 2, "unknown algorithm 'z'"),
        ("absent.toml", 2, "No such file or directory"),
        ("low=0.9,high=0.1", 4, "the worse reference is named first"),
    ],
)
def test_wrong_references(run: Callable, how: str, code: int, said: str) -> None:
    result = run("compare", "points", BALANCED, "--normalise", how)
    assert result.exit_code == code, result.output
    assert said in " ".join(result.stderr.split())
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("low = [", "is not TOML"),
        ("low = 0.1", "cannot be read"),
        ("low = 0.1\nhigh = [1, 2]", "cannot be read"),
        ("low = 0.1\n[high]\nd1 = true", "cannot be read"),
    ],
)
def test_a_wrong_file_of_references_is_2(
    run: Callable, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "references.toml"
    path.write_text(text, encoding="utf-8")
    result = run("compare", "points", BALANCED, "--normalise", path)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_a_wrong_measure_is_2_and_published_effects_have_no_scale(
    run: Callable, tmp_path: Path
) -> None:
    assert run(TWO, "-m", "eror", "--normalise", "z").exit_code == 2
    path = tmp_path / "effects.csv"
    path.write_text("study,first,second,estimate,std_error\ns1,a,b,0.1,0.05\ns2,a,b,0.2,0.05\n")
    result = run("compare", "meta", path, "-m", "acc:higher", "--normalise", "z")
    assert result.exit_code == 2
    assert "goes with scores" in result.stderr


def test_the_advice_on_units_is_an_option_that_helps(run: Callable, table: Callable) -> None:
    path = table(
        [
            (f"d{d}", r, name, 10.0**d * (1 + k + 0.1 * ((3 * d + 5 * r + k) % 7)))
            for d in range(7)
            for r in range(3)
            for k, name in enumerate("abc")
        ]
    )
    text = " ".join(run("check", path, "--measures", "value:higher").stdout.split())
    assert "unequal spread" in text
    assert "compare takes relative scores (NAME:BETTER:TOLERANCE:log in --measures)" in text
    followed = run("check", path, "--measures", "value:higher:0:log")
    assert "unequal spread" not in followed.stdout
