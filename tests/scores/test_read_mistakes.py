"""Wrong calls: the first lines of their messages, and a hint."""

import pandas as pd
import pytest

import benchinfer
from benchinfer.core.errors import BenchinferError

RUNS = pd.DataFrame(
    {
        "task": ["a", "a", "b", "b"],
        "fold": [1, 1, 1, 1],
        "model": ["svm", "knn", "svm", "knn"],
        "score": [0.9, 0.8, 0.7, 0.6],
    }
)


MISTAKES = [
    ("read_scores(runs)", "it is not said whether higher or lower is better for: score."),
    ('read_scores(runs, measures={"acc": "up"})', "measure 'acc': better is 'up'."),
    (
        'read_scores(runs, measures=["level"])',
        "measure 'level': it is not said whether higher or lower is better.",
    ),
    (
        'read_scores(runs, measures={"acc": "higher", "f1": "higher"})',
        "no column of measures, but several are declared: acc, f1.",
    ),
    (
        'read_scores(runs, measures="acc:higher", columns={"model": "method"})',
        "columns={'model': 'method'}: there is no role 'method'.",
    ),
    (
        'read_scores(runs, measures="acc:higher", columns={"algorithm": "model"})',
        "columns={'algorithm': 'model'}: there is no role 'model'.",
    ),
    (
        'read_scores(runs, measures="acc:higher", columns={"modl": "algorithm"})',
        "there is no column 'modl' to be the algorithm.",
    ),
    ('read_scores(runs, measures="acc:higher", layout="wide")', "unknown layout 'wide'."),
    (
        'read_scores(runs, measures="acc:higher", layout="fold_{k}")',
        "layout='fold_{k}': {k} is no role, or is there twice.",
    ),
    (
        'read_scores(runs, measures="acc:higher", layout="wide-measures")',
        "there is no column of scores for the measure 'acc'.",
    ),
    ('read_scores("scors.csv", measures="acc:higher")', "there is no file 'scors.csv'."),
    ('read_scores("runs/*.csv", measures="acc:higher")', "no file matches 'runs/*.csv'."),
    ('read_scores([0.9, 0.8], measures="acc:higher")', "a list cannot be read as a table."),
    (
        'read_scores(runs, measures="acc:higher", where="modl == \'svm\'")',
        "where=\"modl == 'svm'\" names a column that is not there: modl.",
    ),
    (
        'read_scores(runs, measures="acc:higher", name="{algorithm}")',
        "name= was given with a DataFrame.",
    ),
    (
        'read_scores(runs, measures="acc:higher", dataset="a")',
        "dataset='a' was given, but the column task holds data sets.",
    ),
    (
        'read_scores(runs, measures="acc:higher", failed="drop")',
        'failed="drop" is no word that is known, no number, and no algorithm.',
    ),
    ('read_scores(runs, measures="acc:higher", repeats="median")', "unknown repeats 'median'."),
    (
        'read_scores(runs, measures="acc:higher", covariates="n_rows")',
        "there is no column 'n_rows' to be a covariate.",
    ),
    ('read_scores(runs, measures="acc:higher", resampling="kfold")', "unknown resampling 'kfold'."),
    (
        'read_scores(runs, measures=Declaration("acc:higher", query="SELECT 1"))',
        "query= was given with a DataFrame.",
    ),
    (
        'read_scores(runs.drop(columns="task"), measures="acc:higher")',
        "2 places (dataset, replication, algorithm, measure) have several scores.",
    ),
    (
        'read_scores(runs.drop(columns="model"), measures="acc:higher")',
        "which column holds the algorithm?",
    ),
    ('read_scores(runs.replace(0.9, float("inf")), measures="acc:higher")', "1 score is infinite."),
    (
        'read_scores(runs, measures=Measure("acc", "higher", bounds=(0, 0.5)))',
        "4 scores are outside the bounds: acc [0, 0.5].",
    ),
]


@pytest.mark.parametrize(("call", "said"), MISTAKES)
def test_wrong_calls(call, said):
    names = {"runs": RUNS, "read_scores": benchinfer.read_scores, "Measure": benchinfer.Measure}
    names["Declaration"] = benchinfer.Declaration
    with pytest.raises(BenchinferError) as caught:
        eval(call, names)  # noqa: S307 - calls of the table above
    first, *rest = str(caught.value).splitlines()
    assert first == said
    assert any(line.lstrip().startswith("Hint:") for line in rest)


def test_a_mapping_the_other_way_round():
    with pytest.raises(BenchinferError) as caught:
        benchinfer.read_scores(RUNS, measures="acc:higher", columns={"algorithm": "model"})
    assert "the other way round: columns={'model': 'algorithm'}" in str(caught.value)
