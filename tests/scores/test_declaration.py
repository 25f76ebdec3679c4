import pandas as pd
import pytest

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.declaration import Declaration, read_toml
from benchinfer.scores.read import read_scores
from benchinfer.scores.resampling import Resampling


@pytest.fixture
def toml(tmp_path):
    def write(text):
        path = tmp_path / "measures.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_everything_a_file_can_say(toml):
    path = toml(
        'covariates = ["n_rows", "run size"]\n'
        'units = ["passage", "item"]\ntake = "last:epoch"\n'
        '[resampling]\nkind = "holdout"\ntest_fraction = 0.25\npaired = false\n'
        '[measures.error]\nbetter = "lower"\ntolerance = 0.01\nbounds = [0, 1.0]\n'
        'label = "misclassification error"\n'
        '[measures."run time"]\nbetter = "lower"\nscale = "log"\nunit = "s"\nbounds = [0.0, inf]\n'
    )
    declaration = read_toml(path)
    assert (declaration.units, declaration.take) == (("passage", "item"), "last:epoch")
    assert declaration.covariates == ("n_rows", "run size")
    assert declaration.measures == (
        Measure("error", "lower", 0.01, bounds=(0.0, 1.0), label="misclassification error"),
        Measure("run time", "lower", scale="log", unit="s", bounds=(0.0, float("inf"))),
    )
    assert declaration.resampling == Resampling("holdout", test_fraction=0.25, paired=False)


def test_all_faults_at_once(toml):
    path = toml(
        "version = 1\n"
        '[resampling]\nkind = "jackknife"\n'
        '[measures.a]\nbeter = "lower"\n'
        '[measures.b]\nbetter = "up"\n'
        '[measures.c]\nbetter = "lower"\ntolerance = "small"\nbounds = [1]\nlabel = 3\n'
    )
    with pytest.raises(ScoreTableError) as caught:
        read_toml(path)
    assert str(caught.value) == (
        "8 faults in 'measures.toml':\n"
        "    version: there is no such key.\n"
        "    measures.a.beter: there is no such key.\n"
        '    measures.a.better: missing; "higher" or "lower".\n'
        "    measures.b: measure 'b': better is 'up'.\n"
        "    measures.c.label: 3 is not text.\n"
        "    measures.c.tolerance: 'small' is not a number.\n"
        "    measures.c.bounds: [1] is not [lowest, highest].\n"
        "    resampling: unknown resampling 'jackknife'.\n"
        "Hint: keys of a measure: better, tolerance, scale, bounds, unit, label, limit, par;\n"
        "      of [resampling]: kind, folds, test_fraction, paired;\n"
        "      above the tables: covariates, units, take."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("measures = 3", "measures: not a table"),
        ("resampling = 3", "resampling: not a table"),
        ("[measures]\nerror = 3", "measures.error: not a table"),
        ("[resampling]\nfolds = 3", "resampling.kind: missing"),
        ('[resampling]\nkind = "cv"\nfolds = "3"', "resampling.folds: '3' is not a number"),
        ('[resampling]\nkind = "cv"\npaired = 1', "resampling.paired: 1 is not true or false"),
        ("[measures", "is not a TOML file"),
        ('covariates = "size"', "covariates: not a list of names"),
        ("covariates = [1]", "covariates: not a list of names"),
        ('units = "item"', "units: not a list of names"),
    ],
)
def test_single_faults(toml, text, expected):
    with pytest.raises(ScoreTableError, match=expected):
        read_toml(toml(text))


def test_a_path_in_the_place_of_measures(toml):
    path = toml('[measures.acc]\nbetter = "higher"')
    for given in (path, str(path)):
        declaration, findings = Declaration(given).with_file(None)
        assert declaration.list_measures() == (Measure("acc", "higher"),)
        assert declaration.scheme() is None
        assert declaration.covariate_names() == declaration.levels() == ()
        assert findings == []
    with pytest.raises(ScoreTableError, match=r"there is no file 'nope\.toml'"):
        Declaration("nope.toml").with_file(None)


def test_a_file_beside_is_not_opened_when_nothing_is_left_to_say(toml):
    declaration = Declaration("acc:higher", resampling="cv", covariates=(), units=(), take="last")
    assert declaration.with_file(toml("nonsense")) == (declaration, [])
    assert declaration.list_measures() == (Measure("acc", "higher"),)
    assert declaration.scheme() == Resampling("cv")


def notes(declaration, path):
    return [finding.what for finding in declaration.with_file(path)[1]]


def test_a_file_beside_is_reported(toml):
    path = toml('[resampling]\nkind = "cv"\n[measures.acc]\nbetter = "higher"')
    assert notes(Declaration(), path) == [
        "measures and resampling as measures.toml beside the table says."
    ]
    assert notes(Declaration("f1:higher"), path) == [
        "resampling as measures.toml beside the table says."
    ]
    path = toml('covariates = ["size"]\n' + path.read_text(encoding="utf-8"))
    assert notes(Declaration(), path) == [
        "measures, resampling and covariates as measures.toml beside the table says."
    ]
    here = Declaration("f1:higher", resampling="cv")
    assert here.with_file(path)[0].covariate_names() == ("size",)
    assert Declaration(covariates=()).with_file(path)[0].covariate_names() == ()
    path = toml('units = ["item", "answer"]\n' + path.read_text(encoding="utf-8"))
    assert Declaration().with_file(path)[0].levels() == ("item", "answer")
    assert Declaration(units="doc").with_file(path)[0].levels() == ("doc",)
    assert Declaration(covariates="n_rows").with_file(path)[0].covariate_names() == ("n_rows",)


def test_an_argument_takes_the_place_of_a_field():
    declaration = Declaration(
        "acc:higher", {"a": "dataset"}, layout="long", query="SELECT 1", paired=True
    )
    first = Declaration(columns={"b": "dataset"}, paired=False, repeats="mean").over(declaration)
    assert first == Declaration(
        "acc:higher", {"b": "dataset"}, "long", query="SELECT 1", paired=False, repeats="mean"
    )
    assert Declaration().over(declaration) == declaration


def test_read_scores_takes_a_declaration_for_its_measures():
    table = pd.DataFrame(
        {"d": list("aabb"), "algorithm": ["x", "y"] * 2, "acc": [0.1, 0.2, 0.3, 0.4]}
    )
    declaration = Declaration("acc:higher", {"d": "dataset"})
    assert read_scores(table, measures=declaration).datasets == ("a", "b")
    assert read_scores(table, measures=declaration, where="d = 'a'").n_rows == 2


def test_unknown_resampling():
    with pytest.raises(ScoreTableError, match="unknown resampling 5"):
        Declaration("acc:higher", resampling=5).scheme()


@pytest.mark.parametrize("given", [5, [3], {"size": 1}])
def test_covariates_that_cannot_be_read(given):
    with pytest.raises(ScoreTableError, match=r"covariates=.* cannot be read\.\nHint: names of"):
        Declaration("acc:higher", covariates=given).covariate_names()
