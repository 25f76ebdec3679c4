"""Intervals of rates in the description of a table."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.numerics.rates import RATES, rate_interval


def read(measure, **algorithms):
    frame = pd.DataFrame(algorithms).rename_axis("item").reset_index()
    return bi.read_scores(frame, measures=measure, layout="wide-algorithms", resampling="items")


@pytest.fixture(scope="module")
def errors():
    return read("error:lower", a=[1] * 9 + [0] * 21, b=[0] * 30)


@pytest.mark.parametrize("kind", RATES)
def test_two_sided(errors, kind):
    found = errors.describe(interval=kind, level=0.9)[["conf_low", "conf_high"]]
    low, high = rate_interval(kind, np.array([9.0, 0.0]), np.array([30.0, 30.0]), 0.05)
    np.testing.assert_allclose(found, np.column_stack([low, high]))


def test_bounds_are_on_the_worse_side(errors):
    bound = errors.describe(interval="wilson", sides=1).iloc[0]
    assert bound["conf_low"] == 0
    assert bound["conf_high"] == pytest.approx(
        rate_interval("wilson", np.array([9.0]), np.array([30.0]), 0.05)[1][0]
    )
    right = read("correct:higher", a=[0] * 9 + [1] * 21, b=[1] * 30)
    other = right.describe(interval="wilson", sides=1).iloc[0]
    assert other["conf_low"] == pytest.approx(1 - bound["conf_high"])
    assert other["conf_high"] == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"interval": "normal"}, "unknown interval 'normal'"),
        ({"interval": "wald", "sides": 3}, "unknown sides 3"),
        ({"interval": "wald", "level": 95}, "level is 95"),
    ],
)
def test_wrong_arguments(errors, arguments, text):
    with pytest.raises(DesignError, match=text):
        errors.describe(**arguments)


def test_scores_that_are_no_rates():
    table = read("loss:lower", a=[0.5, 1, 0], b=[0, 1, 0.25])
    with pytest.raises(DesignError, match=r"2 of 6 scores of measure 'loss' are neither 0 nor 1"):
        table.describe(interval="wilson")
