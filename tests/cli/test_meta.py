"""What `compare meta` can be asked, and what it says of effects."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import benchinfer as bi
from benchinfer.compare import meta

BALANCED = ("compare", "meta", "example:simulated/balanced")


def test_every_argument_reaches_the_library(run: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    real = meta.compare_meta

    def spy(scores: bi.ScoreTable, measure: str, **arguments: Any) -> object:
        given.update(arguments)
        return real(scores, measure)

    monkeypatch.setattr(meta, "compare_meta", spy)
    run(
        *BALANCED,
        *("--order", "alg2, alg1", "--alternative", "better", "--adjust", "holm", "--level", "0.9"),
        *("--effect", "log-ratio", "--pooling", "pairwise", "--covariance", "own"),
        *("--method", "paule-mandel", "--interval", "wald", "--nested", "none"),
        *("--along", "size, age", "--tolerance", "0.01", "--missing", "error"),
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
        "How much differences vary between data sets",
        "On a new data set of the domain, alg1 is best with probability",
        "Egger's test",
        "Without one data set",
    ):
        assert words in text


def test_json_holds_the_tables(run: Callable) -> None:
    found = json.loads(run(*BALANCED, "--json", "--details").stdout)
    result = bi.compare_meta(bi.load_example("simulated/balanced"))
    assert found["heterogeneity"][0]["tau2"] == result.heterogeneity()["tau2"][0]
    assert len(found["left_out"]) == 10
    assert len(found["egger"]) == 6
    assert [row["test"] for row in found["consistency"]] == ["Q"]


def test_pairs_alone_have_a_line_each(run: Callable) -> None:
    text = " ".join(run(*BALANCED, "--pooling", "pairwise").stdout.split())
    heading = text.index("How much differences vary")
    assert text[heading:].count("alg1 alg2 0") == 1
    assert "On a new data set" not in text
