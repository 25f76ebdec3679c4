"""What `compare meta` can be asked, and what it says of effects."""

from collections.abc import Callable
from pathlib import Path

import pytest

BALANCED = ("compare", "meta", "example:simulated/balanced")


PAPERS = """paper,first,second,estimate,se,metric
Ada 2021,rf,svm,0.021,0.008,accuracy
Bo 2022,rf,svm,0.035,0.011,accuracy
Cy 2022,rf,knn,4.8,1.2,accuracy %
Di 2023,knn,svm,0.010,0.009,error
Ed 2024,rf,knn,0.031,0.010,accuracy
"""
HARMONISE = (
    *("--measures", "accuracy:higher", "--harmonise", "accuracy %=accuracy:x / 100"),
    *("--harmonise", "error=accuracy:1 - x"),
)


@pytest.fixture
def papers(tmp_path: Path) -> str:
    path = tmp_path / "papers.csv"
    path.write_text(PAPERS)
    return str(path)


def test_a_measure_that_is_put_into_another_one_is_named(run: Callable, papers: str) -> None:
    said = run("compare", "meta", papers, *HARMONISE, "--json").stderr
    assert "multiplied with 0.01" in said


def test_published_effects_from_one_baseline(run: Callable, tmp_path: Path) -> None:
    rows = ["study,first,second,estimate,se"]
    rows += [f"s{i},{a},base,{0.01 * (i + ord(a) % 3)},0.01" for i in range(6) for a in "ab"]
    path = tmp_path / "effects.csv"
    path.write_text("\n".join(rows))
    asked = ("compare", "meta", str(path), "--measures", "accuracy:higher")
    refused = run(*asked)
    assert refused.exit_code == 4
    assert "--correlation 0.5" in refused.stderr
    assert run(*asked, "--correlation", "0.5").exit_code in (0, 3)


def test_what_does_not_go_with_published_effects(run: Callable, papers: str) -> None:
    for code, words, asked in (
        (4, "--harmonise NAME=MEASURE:FORMULA", ("meta", papers, *HARMONISE[:2])),
        (2, "'--resampling'", ("meta", papers, *HARMONISE, "--resampling", "cv:10")),
        (2, "NAME=MEASURE:FORMULA", ("meta", papers, "--harmonise", "error")),
        (2, "published effects", (*BALANCED[1:], "--correlation", "0.5")),
        (4, "benchinfer compare meta", ("mixed", papers, *HARMONISE[:2])),
    ):
        got = run("compare", *asked)
        assert got.exit_code == code
        assert words in " ".join(got.stderr.split())
