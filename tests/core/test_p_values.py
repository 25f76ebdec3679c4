"""P-values as text: one form of bounds, which are true."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.core.numbers import p_clause, p_places, p_value

LEAST = [1 / (m + 1) for m in (99, 499, 999, 1_999, 9_999, 99_999)]


def bound_of(text):
    return re.match(r"([<>≤]?)(.*)", text).groups()


@given(st.lists(st.one_of(st.sampled_from(LEAST), st.floats(1e-12, 1)), min_size=1, max_size=8))
def test_bounds_of_a_column_are_true_and_of_one_form(values):
    errors = [p if p in LEAST else 0.0 for p in values]  # the smallest that draws can give
    places = p_places(errors)
    texts = [p_value(p, e, places) for p, e in zip(values, errors, strict=True)]
    for p, text in zip(values, texts, strict=True):
        sign, number = bound_of(text)
        n = float(number)
        rounded = abs(p - n) <= 0.5 * 10.0**-places * (1 + 1e-9)
        assert {"<": p < n, ">": p > n, "≤": p <= n * (1 + 1e-9), "": rounded}[sign]
    # What is below the last decimal has one form, whether drawn or not.
    below = {text for p, text in zip(values, texts, strict=True) if p < 10.0**-places * (1 - 1e-9)}
    assert below <= {f"<{10.0**-places:g}"}


def test_a_text_and_the_column_of_a_drawn_p_value_have_one_bound():
    for p in LEAST:
        assert p_value(p, p) == p_value(p, p, p_places([p]))
        assert bound_of(p_value(p, p))[0] in ("<", "≤")


@given(st.floats(0, 1))
def test_a_clause_has_one_sign(p):
    said = p_clause(p)
    assert re.fullmatch(r"p [=<>≤] [0-9.]+", said)
    assert said.replace(" ", "").removeprefix("p").removeprefix("=") == p_value(p)
    assert np.isfinite(float(said.split()[-1]))
