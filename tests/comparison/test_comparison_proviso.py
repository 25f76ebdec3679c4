"""Condition of claims about means of few data sets: in the headline, and wherever it is shown."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import benchinfer as bi
from benchinfer.cli.app import app
from benchinfer.comparison.comparison import IF_SYMMETRIC
from benchinfer.core.verdict import Verdict
from tests.scores.tables import table


def values_of(d, step):
    rng = np.random.default_rng(d)
    return 2 * rng.normal(size=(d, 1)) + rng.normal(size=(d, 3)) + step * np.arange(3)


def scores_of(d, step):
    return bi.read_scores(table(values_of(d, step)), measures="score:higher")


ANALYSES = {
    "chosen": lambda scores: next(iter(bi.compare(scores).values())),
    "mixed": bi.compare_mixed,
    "shared": lambda scores: bi.compare_mixed(scores, missing="shared"),
    "with a control": lambda scores: bi.compare_mixed(scores, control="a00"),
    "flips of values": lambda scores: bi.compare_permutation(scores, on="values"),
}
OTHERS = {
    "typical differences": lambda scores: bi.compare_permutation(scores, on="ranks"),
    "points": bi.compare_points,
}


@pytest.mark.parametrize("compare", ANALYSES.values(), ids=ANALYSES)
def test_what_is_decided_of_few_data_sets_names_its_condition(compare):
    few, many = compare(scores_of(29, 5.0)), compare(scores_of(30, 5.0))
    assert few.headline().count(IF_SYMMETRIC) == 1
    assert few.sentence().count(IF_SYMMETRIC) == 1
    assert IF_SYMMETRIC in few.method
    assert many.proviso == ""
    assert IF_SYMMETRIC not in many.headline() + many.sentence() + many.method


@pytest.mark.parametrize("compare", ANALYSES.values(), ids=ANALYSES)
def test_nothing_is_conditional_where_nothing_is_decided(compare):
    result = compare(scores_of(8, 0.0))
    assert (result.pairs.codes == Verdict.UNDECIDED).all()
    assert IF_SYMMETRIC not in result.headline()


@pytest.mark.parametrize("compare", OTHERS.values(), ids=OTHERS)
def test_other_claims_are_unconditional(compare):
    result = compare(scores_of(12, 5.0))
    assert result.proviso == ""
    assert IF_SYMMETRIC not in result.headline()


def test_claims_about_these_data_sets_are_unconditional():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(8, 3, 4)) + 5 * np.arange(3)[:, None]
    scores = bi.read_scores(table(values), measures="score:higher", resampling="seeds")
    assert bi.compare_mixed(scores, target="datasets").proviso == ""


def run(path, *options):
    arguments = ("compare", str(path), "--measures", "score:higher", *options)
    return CliRunner(env={"NO_COLOR": "1"}).invoke(app, arguments).stdout


def test_the_answer_has_the_condition_once_and_each_document_has_it(tmp_path):
    table(values_of(12, 5.0)).to_csv(tmp_path / "scores.csv", index=False)
    scores = tmp_path / "scores.csv"
    answer = bi.compare(bi.read_scores(scores, measures="score:higher"))
    assert answer.headline().count(IF_SYMMETRIC) == 1
    assert " ".join(run(scores).split()).count(IF_SYMMETRIC) == 1
    document = json.loads(run(scores, "--json"))["measures"]["score"]
    assert document["proviso"] == IF_SYMMETRIC
    assert IF_SYMMETRIC in document["headline"]
