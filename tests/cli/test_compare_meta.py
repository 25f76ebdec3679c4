"""What `compare meta` can be asked, and what it says of effects."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import benchinfer as bi
from benchinfer.analyses.meta import compare

BALANCED = ("compare", "meta", "example:simulated/balanced")


def test_every_argument_reaches_the_library(run: Callable, spied: Callable) -> None:
    given = spied(compare, "compare_meta")
    run(
        *BALANCED,
        *("--order", "alg2, alg1", "--alternative", "better", "--adjust", "holm", "--level", "0.9"),
        *("--effect", "log-ratio", "--pooling", "pairwise", "--covariance", "own"),
        *("--method", "paule-mandel", "--interval", "wald", "--nested", "none"),
        *("--covariate", "size", "--covariate", "age", "--tolerance", "0.01", "--missing", "error"),
    )
    assert given == {
        "effect": "log-ratio",
        "pooling": "pairwise",
        "covariance": "own",
        "method": "paule-mandel",
        "interval": "wald",
        "nested": "none",
        "covariates": ("size", "age"),
        "contrasts": ("alg2", "alg1"),
        "control": None,
        "alternative": "better",
        "adjust": "holm",
        "tolerance": 0.01,
        "level": 0.9,
        "missing": "error",
    }


def test_what_is_printed(run: Callable) -> None:
    text = " ".join(run(*BALANCED, "--details").stdout.split())
    for words in (
        "a true difference of two algorithms has a standard deviation of",
        "On a new data set of the domain, alg1 is best with probability",
        "Egger's test",
        "What changes without a data set",
    ):
        assert words in text


def test_json_holds_the_tables(run: Callable) -> None:
    asked = (*BALANCED, "--covariance", "common", "--json", "--details")
    found = json.loads(run(*asked).stdout)
    result = bi.compare_meta(bi.load_example("simulated/balanced"), covariance="common")
    assert found["heterogeneity"][0]["tau2"] == result.heterogeneity()["tau2"][0]
    assert len(found["influence"]) == 10
    assert len(found["egger"]) == 6
    assert [row["test"] for row in found["consistency"]] == ["Q"]


def test_pairs_alone_have_a_line_each(run: Callable) -> None:
    text = " ".join(run(*BALANCED, "--pooling", "pairwise").stdout.split())
    heading = text.index("Heterogeneity")
    assert text[heading:].count("alg1 alg2 0") == 1
    assert "On a new data set" not in text


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


def test_published_effects(run: Callable, papers: str) -> None:
    got = run("compare", "meta", papers, *HARMONISE, "--json")
    expected = bi.compare_meta(
        bi.read_effects(
            papers,
            measures="accuracy:higher",
            harmonise={"accuracy %": ("accuracy", "x / 100"), "error": ("accuracy", "1 - x")},
        )
    )
    found = [row["p_value"] for row in json.loads(got.stdout)["contrasts"]]
    assert found == pytest.approx(expected.contrasts(all=True)["p_value"].tolist())
    # Nothing is put into another measure without being said.
    assert "multiplied with 0.01" in got.stderr


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
