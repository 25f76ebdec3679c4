"""What other tests say of a pair, beside the one that decides, and whether they fit the scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from benchinfer.compare.pair_rules import PAIRED_OUTCOMES, TESTS, WORDS, misfit
from benchinfer.compare.pair_tests import PairQuestion, tested
from benchinfer.compare.paired_scores import Pair, PairedScores
from benchinfer.errors import DesignError
from benchinfer.frames import frame
from benchinfer.numerics import paired, parts
from benchinfer.saving import savable

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.evidence import Array
    from benchinfer.numerics.paired import Tested


_COUNTED = 25


@savable
@dataclass(frozen=True, slots=True)
class OtherTest:
    """One test of one pair that does not decide.

    Attributes
    ----------
    test, first, second
        Its name in words, and the algorithms.
    statistic, df, p_value
        Of the pair alone; NaN where it has none.
    why
        Why it does not fit how scores came about; empty where it does.
    """

    test: str
    first: str
    second: str
    statistic: float
    df: float
    p_value: float
    why: str


def beside(
    pairs: Sequence[tuple[str, str, Pair]], data: PairedScores, asked: PairQuestion, chosen: str
) -> tuple[OtherTest, ...]:
    """Put all tests that can be worked out on the scores of each pair side by side.

    Parameters
    ----------
    pairs
        Names and scores.
    data
        Where they are from.
    asked
        The settings.
    chosen
        The test that decides.
    """
    rows: list[OtherTest] = []
    for first, second, pair in pairs:
        for test in TESTS:
            if test in ("bayes-t", "parts-t", chosen) or _senseless(test, data, pair):
                continue
            # What does not decide is not worth seconds of counting.
            brief = len(pair.first) > _COUNTED
            try:
                found = tested(test, pair, data, replace(asked, brief=brief))
            except DesignError:
                continue
            rows.append(_row(WORDS[test], first, second, found, misfit(test, data)))
        if chosen == "parts-t":
            rows += _as_published(first, second, pair, asked)
    return tuple(rows)


def _senseless(test: str, data: PairedScores, pair: Pair) -> bool:
    """Whether a test cannot be worked out at all."""
    if test in ("welch", "independent-rates"):
        return test == "independent-rates" and not data.right_or_wrong
    if not data.paired:
        return True
    if test.startswith("5x2cv"):
        return bool(misfit("5x2cv-t", replace(data, cluster=None)))
    if test == "corrected-t":
        return not data.overlap
    return (test in PAIRED_OUTCOMES and not data.right_or_wrong) or len(pair.first) < 2


def _as_published(first: str, second: str, pair: Pair, asked: PairQuestion) -> list[OtherTest]:
    """Return Welch's test on the means of parts, and screening, which take parts as unpaired."""
    cut = parts.split(pair.differences, asked.n_parts, asked.seed)
    size = np.bincount(cut.part)
    one, two = (np.bincount(cut.part, s) / size for s in (pair.first, pair.second))
    found = paired.tested(paired.welch(one, two), asked.side, 0.0, 0.025)
    welch = _row(
        "Welch's t-test on parts",
        first,
        second,
        found,
        "both algorithms are measured on the same parts: the test takes them as independent",
    )
    base = paired.tested(paired.paired_t(two - one.mean()), 0, 0.0, 0.025)
    size_of = screening_size(float(np.corrcoef(one, two)[0, 1]) if np.ptp(one) * np.ptp(two) else 1)
    screened = OtherTest(
        f"screening: {first} outside the interval of {second}",
        first,
        second,
        -base.statistic,
        base.df,
        base.p,
        f"it takes the mean of {first} as known: it calls equals different in"
        f" {100 * size_of:.2g} % of cases rather than 5 %",
    )
    return [welch, screened]


def screening_size(correlation: float) -> float:
    """Return how often screening by the base model's interval calls equals different.

    ``2 Phi(-1.96 / sqrt(2 (1 - rho)))``, where the parts' means of both correlate by rho, many
    parts, a 95 % interval.

    Examples
    --------
    >>> round(screening_size(0.0), 3), round(screening_size(0.5), 3)
    (0.166, 0.05)
    """
    spread = np.sqrt(2 * max(1 - correlation, 0.0))
    return float(2 * ndtr(ndtri(0.025) / spread)) if spread > 0 else 0.0


def _row(test: str, first: str, second: str, found: "Tested", why: str) -> OtherTest:
    return OtherTest(test, first, second, found.statistic, found.df, found.p, why)


def table(rows: Sequence[OtherTest]) -> "pd.DataFrame":
    """Return the rows: ``test first second statistic df p_value fits misfit``."""
    numbers: dict[str, Array] = {
        name: np.array([getattr(row, name) for row in rows], np.float64)
        for name in ("statistic", "df", "p_value")
    }
    return frame(
        {
            "test": [row.test for row in rows],
            "first": [row.first for row in rows],
            "second": [row.second for row in rows],
            **numbers,
            "fits": [not row.why for row in rows],
            "misfit": [row.why for row in rows],
        }
    )
