"""P-values as text: one form of bounds, which are true."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.core.numbers import p_clause, p_value

LEAST = [1 / (m + 1) for m in (99, 499, 999, 1_999, 9_999, 99_999)]


def bound_of(text):
    return re.match(r"([<>≤]?)(.*)", text).groups()


@given(st.one_of(st.sampled_from(LEAST), st.floats(1e-12, 1)))
def test_bounds_are_true_and_of_one_form(p):
    text = p_value(p, p if p in LEAST else 0.0)  # the smallest that draws can give
    sign, number = bound_of(text)
    n = float(number)
    rounded = abs(p - n) <= 0.5 * 10.0**-3 * (1 + 1e-9)
    assert {"<": p < n, ">": p > n, "≤": n - 10.0**-3 < p <= n * (1 + 1e-9), "": rounded}[sign]
    # More decimals stand where three would be a usual level that the p-value is not.
    beside = sign == "" and round(p, 3) in {0.01, 0.05, 0.1}
    assert len(number.partition(".")[2]) == 3 or (beside and n not in {0.01, 0.05, 0.1})
    # What is below the last decimal has one form, whether drawn or not.
    assert (text == "<0.001") == (p < 10.0**-3 * (1 - 1e-9))


@given(st.floats(0, 1))
def test_a_clause_has_one_sign(p):
    said = p_clause(p)
    assert re.fullmatch(r"p [=<>≤] [0-9.]+", said)
    assert said.replace(" ", "").removeprefix("p").removeprefix("=") == p_value(p)
    assert np.isfinite(float(said.split()[-1]))
