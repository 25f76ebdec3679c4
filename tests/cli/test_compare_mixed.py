"""What `compare mixed` can be asked, and what it says of its model."""

import inspect
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benchinfer as bi
from benchinfer.analyses.mixed import compare
from benchinfer.comparison.checks import groups

BOOTSTRAP = ("compare", "mixed", "example:sklearn_bootstrap", "--measure", "error")


@pytest.fixture
def grouped(table: Callable[..., Path]) -> Path:
    """Write a table of two domains: b is best in one, c in the other."""
    level = {"a": (0.4, 0.4), "b": (0.1, 0.3), "c": (0.3, 0.1)}
    draw = random.Random(1)  # noqa: S311 (no secret)
    path = table(
        [
            (f"d{d}", r, name, draw.gauss(value[d % 2] + 0.01 * d, 0.01))
            for d in range(10)
            for r in range(4)
            for name, value in level.items()
        ]
    )
    head, *rows = path.read_text().splitlines()
    domain = ["even", "odd"]
    path.write_text("\n".join([f"{head},domain", *(f"{r},{domain[int(r[1]) % 2]}" for r in rows)]))
    return path


def _document(run: Callable, *arguments: object) -> dict[str, Any]:
    return json.loads(run(*arguments, "--json").stdout)


def test_every_argument_reaches_the_library(
    run: Callable, spied: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = compare.compare_mixed
    given = spied(compare, "compare_mixed")
    monkeypatch.setattr(groups, "known_covariates", lambda _scores, _names: None)
    run(
        *BOOTSTRAP,
        *("--order", "lda, svm", "--alternative", "better", "--adjust", "holm", "--level", "0.9"),
        *("--target", "domain", "--structure", "diagonal", "--residual", "dataset"),
        *("--domains", "separate", "--covariate", "size", "--covariate", "p", "--terms", "dataset"),
        *("--df", "satterthwaite", "--missing", "error", "--reference", "flips", "--seed", "7"),
    )
    assert given == {
        "terms": ("dataset",),
        "structure": "diagonal",
        "residual": "dataset",
        "domains": "separate",
        "covariates": ("size", "p"),
        "df": "satterthwaite",
        "contrasts": ("lda", "svm"),
        "control": None,
        "alternative": "better",
        "adjust": "holm",
        "interval": "compatible",
        "reference": "flips",
        "seed": 7,
        "target": "domain",
        "level": 0.9,
        "missing": "error",
    }
    assert set(given) == set(inspect.unwrap(real).__kwdefaults__)


@pytest.mark.parametrize(
    ("options", "pairs"),
    [
        (("--contrasts", "mean"), [("cart", "mean of all algorithms")]),
        (("--contrasts", "sequential"), [("knn", "cart"), ("lda", "knn")]),
        (("--order", "svm,lda,rf"), [("lda", "svm"), ("rf", "lda")]),
        (("--control", "best"), [("cart", "svm"), ("knn", "svm")]),
        (("--contrasts", "dunnett", "--control", "rf"), [("cart", "rf"), ("knn", "rf")]),
    ],
)
def test_families(run: Callable, options: tuple[str, ...], pairs: list[tuple[str, str]]) -> None:
    rows = _document(run, *BOOTSTRAP, *options)["contrasts"]
    assert [(row["first"], row["second"]) for row in rows][: len(pairs)] == pairs


def test_pairs_that_are_not_compared_are_not_called_undecided(run: Callable) -> None:
    text = run(*BOOTSTRAP, "--control", "svm").stdout
    assert "    svm ? mlp, svm ? rf, svm ? knn, svm ? lda\n" in text
    assert "    10 of 15 pairs are not compared\n" in text


@pytest.mark.parametrize(
    ("measure", "alternative", "said", "end"),
    [
        ("error", "worse", "at least 0.027", "conf_high"),
        ("error", "better", "at most 0.209", "conf_low"),
        ("seconds", "better", "at most 0.661", None),
        ("seconds", "worse", "at least 0.355", "conf_high"),
    ],
)
def test_one_sided_bounds(
    run: Callable, measure: str, alternative: str, said: str, end: str | None
) -> None:
    arguments = (*BOOTSTRAP[:4], measure, "--control", "svm", "--alternative", alternative)
    text = run(*arguments).stdout
    assert said in text
    assert "95 % bound" in text
    assert "p not worse" in text
    assert "inf" not in text
    row = _document(run, *arguments)["contrasts"][0]
    other = {"conf_low", "conf_high"} - {end}
    assert [name for name in ("conf_low", "conf_high") if row[name] is None] == [end] * bool(end)
    assert all(isinstance(row[name], float) for name in other)


@pytest.mark.slow
def test_what_is_not_worse_is_said(run: Callable) -> None:
    arguments = (*BOOTSTRAP, "--control", "svm", "--alternative")
    worse = " ".join(run(*arguments, "worse").stdout.split())
    assert "Shown not to be worse by the tolerance: svm against cart, svm against knn" in worse
    better = " ".join(run(*arguments, "better").stdout.split())
    assert "Shown not to be worse by the tolerance: none." in better


def test_shares_of_variance_are_printed(run: Callable, clear: Path) -> None:
    text = " ".join(run(*BOOTSTRAP).stdout.split())
    assert (
        "Variance of single scores: dataset 51.7 %, dataset:algorithm 44.0 %,"
        " dataset:replication 1.0 %, residual 3.3 %." in text
    )
    lower = ("--measures", "error:lower:0.01")
    assert "Variance of single scores" not in run("compare", "points", clear, *lower).stdout


@pytest.mark.slow
def test_json_holds_the_model(run: Callable) -> None:
    result = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")
    document = _document(run, *BOOTSTRAP)
    for name in ("variances", "correlations", "anova"):
        table = getattr(result, name)()
        assert [list(row) for row in document[name]] == [table.columns.tolist()] * len(table)
    assert [row["share"] for row in document["variances"]] == result.variances()["share"].tolist()
    assert document["anova"][2]["df_residual"] == "inf"
    assert "influence" not in document
    detailed = _document(run, *BOOTSTRAP, "--details")
    assert [r["changes"] for r in detailed["influence"]] == result.influence()["changes"].tolist()
    best = {row["algorithm"]: row["prob_best_next"] for row in detailed["prediction"]["summary"]}
    assert max(best, key=lambda name: best[name]) == "svm"
    assert len(detailed["prediction"]["contrasts"]) == 15
    assert detailed["refused"] == {}


@pytest.mark.slow
def test_details_fit_a_terminal(run: Callable) -> None:
    text = run(*BOOTSTRAP, "--details").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "Hotelling's T squared as F" in text
    assert "gaussian_quantiles   0.81  mlp > cart becomes undecided\n" in text
    assert "P(within tolerance of the best)" in text
    assert "95 % prediction" in text


def test_no_verdict_changes(run: Callable) -> None:
    example = ("compare", "mixed", "example:simulated/balanced", "--measures", "score:higher")
    text = run(*example, "--order", "alg4,alg3,alg2", "--details").stdout
    said = "Leaving out any one of the 10 data sets leaves the 2 verdicts as they are"
    assert said in " ".join(text.split())
    assert "P(equiv)" not in text  # without a tolerance nothing is equivalent


def test_what_a_model_does_not_answer_is_said(run: Callable) -> None:
    arguments = (*BOOTSTRAP, "--structure", "diagonal", "--details")
    text = " ".join(run(*arguments).stdout.split())
    assert "Not answered: influence is not worked out where the structure is diagonal" in text
    assert "Not answered: predictions are not worked out where the structure is diagonal" in text
    document = _document(run, *arguments)
    assert document["influence"] is None
    assert set(document["refused"]) == {"influence", "prediction"}


@pytest.mark.slow
def test_domains(run: Callable, grouped: Path) -> None:
    arguments = ("compare", "mixed", grouped, "--measures", "error:lower:0.01")
    result = run(*arguments, "--domains", "separate", "--details")
    assert result.exit_code in {0, 3}, result.output
    assert "In each domain" in result.stdout
    assert "even    b > c > a\nodd     c > b > a\n" in result.stdout
    document = _document(run, *arguments, "--domains", "separate", "--details")
    assert set(document["by_domain"]) == {"even", "odd"}
    assert "domain:algorithm" in {row["term"] for row in document["anova"]}
    sources = [
        row["source"] for row in _document(run, *arguments, "--domains", "random")["variances"]
    ]
    assert sources[:2] == ["domain", "domain:algorithm"]
    without = run("compare", "mixed", "example:simulated/balanced", "--domains", "separate")
    assert without.exit_code == 4
    assert "--column NAME=domain" in without.stderr


def test_claims_about_these_data_sets(run: Callable) -> None:
    document = _document(run, *BOOTSTRAP, "--target", "datasets")
    assert document["target"] == "datasets"
    assert document["headline"].startswith("On average over these 12 data sets, svm is better")


def test_a_covariate_that_was_not_read_is_wrong_usage(run: Callable) -> None:
    result = run(*BOOTSTRAP, "--covariate", "size")
    assert result.exit_code == 2
    assert "without covariates" in " ".join(result.stderr.split())


def test_averages_are_printed_in_no_order(run: Callable) -> None:
    text = run(*BOOTSTRAP, "--contrasts", "mean").stdout
    assert "rf is better than the mean of all" in " ".join(text.split())
    assert "are not compared" not in text
    assert "a > b" not in text
