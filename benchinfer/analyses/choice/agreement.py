"""Agreement of a second analysis with the chosen one, in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import States

_BETTER = (Verdict.FIRST, Verdict.SECOND)
_DECIDED = (*_BETTER, Verdict.EQUIVALENT)


class SecondAnalysis(NamedTuple):
    """A second analysis in words: its name with what it compares or needs, and its verbs."""

    name: str
    decide: str
    give: str
    test: str
    do: str


SECOND = {
    "mixed": SecondAnalysis(
        "The mixed model, which compares means,", "decides", "gives", "tests", "does"
    ),
    "permutation": SecondAnalysis(
        "Permutation tests of the same means, which need no normal distribution,",
        "decide",
        "give",
        "test",
        "do",
    ),
}


def in_words(second: SecondAnalysis, codes: States, theirs: States) -> str:
    """Return how far the verdicts of a second analysis on the same (P,) pairs agree.

    Examples
    --------
    >>> first, undecided = Verdict.FIRST, Verdict.UNDECIDED
    >>> lead = np.array([first, first, undecided], dtype=np.int8)
    >>> in_words(SECOND["mixed"], lead, np.array([first, undecided, undecided], dtype=np.int8))
    'The mixed model, which compares means, decides 1 of these 2 pairs, too; none the other way'
    """
    name, same = second.name, codes == theirs
    if not len(codes):
        return f"{name} {second.test} none of these pairs"
    if same.all():
        return f"{name} {second.give} the same verdict{'s' if len(codes) > 1 else ''}"
    decided, also_theirs = np.isin(codes, _DECIDED), np.isin(theirs, _DECIDED)
    n, also = int(decided.sum()), int((decided & same).sum())
    more = int((~decided & also_theirs).sum())
    opposed = int((np.isin(codes, _BETTER) & np.isin(theirs, _BETTER) & ~same).sum())
    these = "this pair" if n == 1 else f"these {n:,} pairs"
    if n and also == n:
        return f"{name} {second.decide} {these} and {more:,} more"
    if n == 1 and not more:
        claim = f"{name} {second.do} not decide {these}"
    else:
        parts = [f"{also:,} of {these}, too" if also else f"none of {these}"] if n else []
        parts += [f"{more:,} that {'is' if more == 1 else 'are'} undecided here"] if more else []
        claim = f"{name} {second.decide} {', and '.join(parts)}"
    if opposed:
        return f"{claim}; on {opposed:,} the other algorithm is better by it"
    return f"{claim}; none the other way" if n > 1 else claim
