"""Comparison by the analysis that fits, on the command line."""

import json

import pytest

import benchinfer as bi
from benchinfer.comparison.wording import direction

TABLE = "example:sklearn_bootstrap"


def test_a_table_alone_is_answered_on_all_measures(run):
    found = run(TABLE)
    answer = bi.compare(bi.load_example("sklearn_bootstrap"))
    words = " ".join(found.stdout.split())
    assert found.exit_code == 3  # svm is not shown better than lda by the error
    for name, result in answer.items():
        assert (
            f"{name}: {result.headline().replace(f' ({direction(result.measure)})', '')}" in words
        )
        assert f"{name} (lower)" in words
        assert answer.basis(name) in words
    assert words.index("Level of each algorithm on each measure") < words.index("Contrasts")
    assert words.count("is better)") == 0
    assert run("compare", TABLE).stdout == found.stdout == run("compare", "auto", TABLE).stdout


def test_one_measure_is_answered_as_its_analysis_does(run):
    found = run("compare", TABLE, "-m", "error")
    named = run("compare", "permutation", TABLE, "-m", "error")
    assert found.exit_code == named.exit_code == 3
    basis = bi.compare(bi.load_example("sklearn_bootstrap"), "error").basis("error")
    assert basis in " ".join(found.stdout.split())
    assert set(named.stdout.splitlines()) <= set(found.stdout.splitlines())


def test_json_has_the_comparisons_and_the_choice(run):
    document = json.loads(run(TABLE, "--json").stdout)
    assert list(document["measures"]) == ["error", "seconds"]
    error = document["measures"]["error"]
    assert error["analysis"] == "Permutation tests"
    assert error["provenance"]["choice"].startswith("6 of 72 residuals")
    assert document["basis"]["error"].startswith("By permutation tests, as 6 of 72")
    assert document["refused"] == {}


@pytest.mark.parametrize("option", [("--per-dataset",), ("--table", "md")])
def test_output_of_one_analysis_needs_its_name(run, option):
    found = run("compare", TABLE, *option)
    assert found.exit_code == 2
    assert "needs an analysis" in found.stderr


def test_an_analysis_that_does_not_take_an_option_says_so(run):
    found = run("compare", TABLE, "-m", "error", "--target", "datasets", "--alternative", "better")
    assert found.exit_code == 3
    assert "better than" in found.stdout
