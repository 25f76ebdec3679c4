"""Runs that are only numbered: what pairing them by number changes is said."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

RNG = np.random.default_rng(3)
SHARED = RNG.normal(0, 1, (8, 1))
VALUES = SHARED + np.array([0.0, 0.3]) + RNG.normal(0, 0.1, (8, 2))
SAID = "of one number are taken as shared by the algorithms; without that 1 of 1 verdict"


def read(values, name="run", first=1, **options):
    rows = pd.DataFrame(values, columns=list("ab")).assign(**{name: np.arange(len(values)) + first})
    long = rows.melt(name, var_name="algorithm", value_name="score")
    return bi.read_scores(long, measures="score:higher", **options)


@pytest.mark.parametrize("name", ["run", "seed"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_verdict_that_rests_on_numbers_is_said(name, first):
    assert SAID in bi.compare(read(VALUES, name, first)).headline()


@pytest.mark.parametrize(
    "scores",
    [
        read(VALUES, first=42),  # seeds that somebody chose
        read(VALUES, "item"),
        read(VALUES, paired=True),
        read(VALUES, resampling="bootstrap"),
        read(VALUES + np.array([0.0, 9.0])),  # decided either way
    ],
)
def test_nothing_is_said_where_nothing_rests_on_it(scores):
    assert "of one number" not in bi.compare(scores).headline()
