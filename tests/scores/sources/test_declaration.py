import pytest

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.sources.declaration import declared, read_toml


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
    measures, resampling, covariates, units, point = read_toml(path)
    assert (units, point) == (("passage", "item"), "last:epoch")
    assert covariates == ("n_rows", "run size")
    assert measures == (
        Measure("error", "lower", 0.01, bounds=(0.0, 1.0), label="misclassification error"),
        Measure("run time", "lower", scale="log", unit="s", bounds=(0.0, float("inf"))),
    )
    assert resampling == Resampling("holdout", test_fraction=0.25, paired=False)


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


def test_a_path_as_the_argument(toml):
    path = toml('[measures.acc]\nbetter = "higher"')
    for given in (path, str(path)):
        measures, resampling, covariates, units, _, findings = declared(given, *[None] * 5)
        assert measures == (Measure("acc", "higher"),)
        assert resampling is None
        assert covariates == units == ()
        assert findings == []
    with pytest.raises(ScoreTableError, match=r"there is no file 'nope\.toml'"):
        declared("nope.toml", *[None] * 5)


def test_a_file_beside_is_not_opened_when_nothing_is_left_to_say(toml):
    path = toml("nonsense")
    measures, resampling, covariates, units, take, findings = declared(
        "acc:higher", "cv", (), (), "last", path
    )
    assert take == "last"
    assert measures == (Measure("acc", "higher"),)
    assert resampling == Resampling("cv")
    assert covariates == units == ()
    assert findings == []


def test_a_file_beside_is_reported(toml):
    path = toml('[resampling]\nkind = "cv"\n[measures.acc]\nbetter = "higher"')
    assert [f.what for f in declared(None, None, None, None, None, path)[5]] == [
        "measures and resampling as measures.toml beside the table says."
    ]
    assert [f.what for f in declared("f1:higher", None, None, None, None, path)[5]] == [
        "resampling as measures.toml beside the table says."
    ]
    path = toml('covariates = ["size"]\n' + path.read_text(encoding="utf-8"))
    assert [f.what for f in declared(None, None, None, None, None, path)[5]] == [
        "measures, resampling and covariates as measures.toml beside the table says."
    ]
    assert declared("f1:higher", "cv", None, None, None, path)[2] == ("size",)
    assert declared(None, None, (), None, None, path)[2] == ()
    path = toml('units = ["item", "answer"]\n' + path.read_text(encoding="utf-8"))
    assert declared(None, None, None, None, None, path)[3] == ("item", "answer")
    assert declared(None, None, None, "doc", None, path)[3] == ("doc",)
    assert declared(None, None, "n_rows", None, None, path)[2] == ("n_rows",)


def test_unknown_resampling():
    with pytest.raises(ScoreTableError, match="unknown resampling 5"):
        declared("acc:higher", 5, *[None] * 4)


@pytest.mark.parametrize("given", [5, [3], {"size": 1}])
def test_covariates_that_cannot_be_read(given):
    with pytest.raises(ScoreTableError, match=r"covariates=.* cannot be read\.\nHint: names of"):
        declared("acc:higher", None, given, *[None] * 3)
