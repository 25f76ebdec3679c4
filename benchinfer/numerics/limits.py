"""Asymptotic null distributions: chi-squared, normal, and the largest of several normals."""

import numpy as np
from scipy.special import chdtrc, ndtr

from benchinfer.numerics import permute, tukey
from benchinfer.numerics.nulls import Null, PValues, Question


def asymptotic(question: Question) -> Null:
    """Return p-values of the normal limit: chi-squared, normal, and the largest of normals.

    The error is that of `tukey.survival`: none for all pairs in complete blocks and for comparisons
    with a control.
    """
    test = permute.quadratic(question.moments)
    z = question.observed
    cov = question.moments.cov
    scaled = permute.scaled(cov, question.contrasts)
    held = np.flatnonzero((scaled != 0).any(axis=1))
    raw = np.ones(len(z))
    raw[held] = chdtrc(1, z[held] ** 2) if question.two_sided else ndtr(-z[held])
    single, error = raw.copy(), np.zeros(len(z))
    if len(held) > 1:
        sides = 2 if question.two_sided else 1
        family = tukey.max_t(question.contrasts[held], cov, np.inf, sides=sides)
        largest = np.abs(z[held]) if question.two_sided else z[held]
        single[held], error[held] = tukey.survival(family, largest)
    zero = np.zeros(len(z))
    overall = PValues(np.array(test.p_value), np.array(0.0))
    return Null("asymptotic", np.inf, overall, PValues(raw, zero), PValues(single, error), None)
