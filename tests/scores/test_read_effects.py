"""Published effects read, harmonised and refused."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi


def frame(**columns):
    base = {
        "paper": ["a", "b", "c"],
        "first": ["svm", "svm", "svm"],
        "second": ["rf", "rf", "knn"],
        "estimate": [0.01, 0.03, -2.0],
        "se": [0.01, 0.01, 1.0],
        "metric": ["accuracy", "accuracy", "error %"],
    }
    return pd.DataFrame(base | columns)


HARMONISE = {"accuracy": ("error", "1 - x"), "error %": ("error", "x / 100")}


def test_measures_are_put_into_one():
    found = bi.read_effects(frame(), measures={"error": "lower"}, harmonise=HARMONISE)
    np.testing.assert_allclose(found.estimate, [-0.01, -0.03, -0.02])
    np.testing.assert_allclose(found.std_error, [0.01, 0.01, 0.01])
    assert set(found.measure_of) == {"error"}
    told = found.findings()
    assert told["where"].tolist() == [
        "2 effects of 'accuracy' were put into 'error', multiplied with -1",
        "1 effects of 'error %' were put into 'error', multiplied with 0.01",
    ]
    assert found.to_frame().columns.tolist()[:3] == ["study", "dataset", "measure"]


def test_nothing_is_guessed():
    with pytest.raises(bi.ScoreTableError, match="not declared: accuracy, error %"):
        bi.read_effects(frame(), measures={"error": "lower"})
    with pytest.raises(bi.ScoreTableError, match="unknown formula"):
        bi.read_effects(
            frame(), measures={"error": "lower"}, harmonise={"accuracy": ("error", "1 / x")}
        )
    with pytest.raises(bi.ScoreTableError, match="of log ratios"):
        bi.read_effects(
            frame(), measures={"error": "lower"}, harmonise=HARMONISE, effect="log-ratio"
        )


def test_standard_errors_from_variances_and_intervals():
    table = frame(metric="error", var=[1e-4, np.nan, np.nan]).drop(columns="se")
    table["lower"] = [np.nan, 0.03 - 0.0196, -2.196]
    table["upper"] = [np.nan, 0.03 + 0.0196, -1.804]
    found = bi.read_effects(table, measures={"error": "lower"})
    np.testing.assert_allclose(found.std_error, [0.01, 0.01, 0.1], rtol=1e-4)
    assert found.findings()["count"].tolist() == [1, 2]


def test_all_faults_at_once():
    table = frame(
        metric="error", se=[0.0, 0.01, np.nan], second=["svm", "rf", None], paper=["a", "b", "b"]
    )
    with pytest.raises(bi.ScoreTableError) as caught:
        bi.read_effects(table, measures={"error": "lower"})
    text = str(caught.value)
    assert text.startswith("3 faults in 'DataFrame'.")
    for said in ("lack a label", "with itself", "2 effects have no standard error above 0"):
        assert said in text


def test_missing_and_ambiguous_columns():
    with pytest.raises(bi.ScoreTableError, match=r"missing columns: second, std_error"):
        bi.read_effects(frame().drop(columns=["se", "second"]), measures={"error": "lower"})
    with pytest.raises(bi.ScoreTableError, match="several columns could be the study"):
        bi.read_effects(frame(reference="x"), measures={"error": "lower"})
    with pytest.raises(bi.ScoreTableError, match="no role"):
        bi.read_effects(frame(), measures={"error": "lower"}, columns={"paper": "author"})
    with pytest.raises(bi.ScoreTableError, match="are no numbers"):
        bi.read_effects(frame(se=["a", "0.1", "0.2"], metric="error"), measures={"error": "lower"})


def test_three_algorithms_need_their_covariance():
    table = frame(paper="a", metric="error", first=["svm", "knn", "lda"], second="rf")
    with pytest.raises(bi.ScoreTableError, match=r"correlation=0\.5"):
        bi.read_effects(table, measures={"error": "lower"})
    found = bi.read_effects(table, measures={"error": "lower"}, correlation=0.5)
    assert found.algorithms == ("knn", "lda", "rf", "svm")
    with pytest.raises(bi.ScoreTableError, match="between -1 and 1"):
        bi.read_effects(table, measures={"error": "lower"}, correlation=1.5)


def test_repeats_are_refused():
    table = frame(paper="a", metric="error", first=["svm", "rf", "lda"], second=["rf", "svm", "rf"])
    with pytest.raises(bi.ScoreTableError, match="1 effects repeat a pair"):
        bi.read_effects(table, measures={"error": "lower"})


def test_files_and_digests(tmp_path):
    path = tmp_path / "effects.csv"
    frame(metric="error").to_csv(path, index=False)
    found = bi.read_effects(path, measures={"error": "lower"})
    assert repr(found).startswith("Effects(effects.csv: 3 effects of 3 studies")
    same = bi.read_effects(frame(metric="error").iloc[::-1], measures={"error": "lower"})
    assert same.digest == found.digest
    other = bi.read_effects(frame(metric="error", se=0.5), measures={"error": "lower"})
    assert other.digest != found.digest


@pytest.mark.parametrize("written", ["\N{ARABIC-INDIC DIGIT THREE}", "1_0", [1]])
def test_estimates_are_plain_numbers(written):
    frame = pd.DataFrame(
        {"study": ["x", "y"], "first": "a", "second": "b", "estimate": [written, 0.1], "se": 0.1}
    )
    with pytest.raises(bi.ScoreTableError, match="values of the column"):
        bi.read_effects(frame, measures={"acc": "higher"})
