"""What a report says about tests of two algorithms."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.pair import sections
from benchinfer.core.sections import Request


def compared(resampling, **arguments):
    rng = np.random.default_rng(2)
    base = rng.normal(0.8, 0.02, 10)
    frame = pd.DataFrame({"a": base + rng.normal(0.02, 0.01, 10), "b": base})
    scores = bi.read_scores(
        frame.rename_axis("replication").reset_index(),
        measures="accuracy:higher:0.01",
        layout="wide-algorithms",
        resampling=resampling,
    )
    return bi.compare_pair(scores, **arguments)


def test_the_test_and_its_reason():
    (section,) = sections.sections(compared(bi.Resampling("cv", folds=10)), Request())[1:]
    assert "corrected resampled t-test" in section.text[0]
    assert "because scores come from 'cv'" in section.text[0]
    assert len(section.figures) == 1
    assert section.tables[0].rows[0][2].text == "Shapiro-Wilk"
    assert section.fold.tables[0].rows[0][2].text == "paired t-test"
    assert "training sets overlap" in section.fold.tables[0].note


def test_unshared_replications_have_no_differences():
    (section,) = sections.sections(compared("seeds"), Request())[1:]
    assert (section.figures, section.tables, section.fold) == ((), (), None)
    assert len(section.text) == 1


def test_asked_for_by_name():
    (section,) = sections.sections(compared("bootstrap", test="sign-flip", seed=1), Request())[1:]
    assert section.text[0].endswith("It was asked for by name.")


@pytest.mark.parametrize("arguments", [{}, {"test": "bayes-t"}])
def test_a_page(tmp_path, arguments):
    path = tmp_path / "page.html"
    bi.report(compared(bi.Resampling("cv", folds=10), **arguments), path)
    text = path.read_text(encoding="utf-8")
    assert "The test of two algorithms" in text
    assert ">nan<" not in text
