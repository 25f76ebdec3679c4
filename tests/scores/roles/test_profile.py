"""Profiles of columns."""

import numpy as np
import pandas as pd
import pytest

from benchinfer.scores.roles.profile import profiles, sample


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([[1, 2], [3]], "list"),
        (["https://a.b/c", "https://a.b/d"], "url"),
        (["2026-01-01", "2026-01-02"], "date"),
        (["x" * 80, "y" * 70], "free text"),
        (["one\ntwo", "three"], "free text"),
        (["True", "false"], "boolean"),
        ([True, False], "boolean"),
        ([1.0, 2.0], "whole"),
        ([1.5, 2.0], "real"),
        (["70.00%", "61.5%"], "real"),
        (["94.2 ± 0.3", "nan ± nan"], "real"),
        (["0.76+0.01", "**0.8+0.1**"], "real"),
        (["0.5", "OOM", "-"], "real"),
        (["svm", "knn"], "text"),
        ([None, None], "empty"),
        (pd.to_datetime(["2026-01-01", "2026-01-02"]), "date"),
    ],
)
def test_kinds(values, kind):
    (column,) = profiles(pd.DataFrame({"x": values}), {})
    assert column.kind == kind


def test_numbers_and_spreads_in_text():
    (column,) = profiles(pd.DataFrame({"x": ["94.2 ± 0.3", "n/a", "**88.0 ± 0.1**"]}), {})
    assert column.spread
    np.testing.assert_allclose(column.values, [94.2, np.nan, 88.0])
    assert column.missing == pytest.approx(1 / 3)


def test_samples_hold_whole_labels():
    n = 1000
    frame = pd.DataFrame(
        {"task": np.repeat([f"t{i}" for i in range(n)], 10), "y": np.arange(10.0 * n)}
    )
    part = sample(frame, 2000)
    assert 1000 <= len(part) <= 4000
    assert set(part.groupby("task").size()) == {10}
