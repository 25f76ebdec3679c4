"""Verdict, interval, order, letters and what may be the best say the same in every comparison."""

import re

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison import comparison
from benchinfer.comparison.figures.forest import layout as layout_forest
from benchinfer.core.verdict import Verdict, code
from tests.scores.tables import additive, table
from tests.test_protocol import TESTED, corani2017, skewed

DECIDED = ("first", "second")


@pytest.fixture(scope="module")
def tables():
    return {kind: skewed(kind) for kind in ("skewed", "ties", "gaps", "one data set")}


@pytest.mark.parametrize("kind", ["skewed", "ties", "gaps"])
@pytest.mark.parametrize("compare", TESTED, ids=lambda f: f.__name__)
def test_all_is_read_off_the_pairs(compare, kind, tables):
    if (compare, kind) == (corani2017, "ties"):
        pytest.skip("differences that repeat exactly have no posterior")
    one = "compare_pair" in compare.__name__
    found = compare(tables["one data set" if one else kind], "score")
    rows, summary = found.contrasts(all=True), found.summary().set_index("algorithm")
    beaten = {name: set() for name in found.algorithms}
    beats = {name: set() for name in found.algorithms}
    for _, row in rows[rows["verdict"].isin(DECIDED)].iterrows():
        loser = row["second"] if row["winner"] == row["first"] else row["first"]
        beaten[loser].add(row["winner"])
        beats[row["winner"]].add(loser)
    k = len(found.algorithms)
    for name, row in summary.iterrows():
        assert row["may_be_best"] == (not beaten[name])
        assert (row["rank_low"], row["rank_high"]) == (1 + len(beaten[name]), k - len(beats[name]))
    letters = found.letters()
    for a, b in ((a, b) for a in letters for b in letters if a != b):
        assert bool(set(letters[a]) & set(letters[b])) == (b not in beats[a] | beaten[a])
    marks = {row.pair: row.verdict for row in layout_forest(found).rows}
    as_read = found.contrasts(order="result", all=True)["verdict"]
    assert marks == {p: code(verdict) for p, verdict in as_read.items()}
    _, *printed = found.table("pairs").texts()
    assert len(printed) == len(rows)
    # Tests of pooled scores, and in units of a data set, are of another quantity than intervals.
    other = any(word in compare.__name__ for word in ("pooled", "dataset"))
    if isinstance(found, comparison.TestedComparison) and not (found._bayesian or other):
        evidence, codes = found.evidence, found.pairs.codes
        outside = np.where(codes == Verdict.FIRST, evidence.low >= 0, evidence.high <= 0)
        assert outside[found.pairs.decided].all()
        undecided = codes == Verdict.UNDECIDED
        assert ((evidence.low <= 0) & (evidence.high >= 0))[undecided].all()
        assert (evidence.p_value <= found._alpha)[found.pairs.decided].all()
        assert (evidence.p_value > found._alpha)[undecided].all()


def claims(headline):
    """Return what a headline says of pairs: (better, worse) and undecided ones, by name."""
    name = r"a\d\d"
    names = rf"{name}(?:, {name})*(?: and {name})?"
    better, undecided = set(), set()
    if top := re.search(rf"({name}) has the ", headline):
        it = top[1]
        if listed := re.search(rf"; it is better than ({names})", headline):
            better |= {(it, other) for other in re.findall(name, listed[1])}
        of = rf"{name}(?:, {name})*(?: or {name})?"
        listed = re.search(rf"; whether it is better than ({of})(?: or \d+ more)? is", headline)
        if listed:
            undecided |= {frozenset((it, other)) for other in re.findall(name, listed[1])}
    for winner, losers in re.findall(rf"({name}) is better than ({names})", headline):
        better |= {(winner, loser) for loser in re.findall(name, losers)}
    return better, undecided


@pytest.mark.parametrize("seed", range(300))
def test_headlines_contradict_no_pair(seed):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(2, 16)), int(rng.integers(2, 9))
    effects = rng.normal(0, rng.choice([0.0, 0.3, 1.0, 3.0]), k)
    values = additive(rng, d, k) + effects
    if rng.random() < 0.3:
        values = values.round(1)
    measure = bi.Measure("score", "higher", tolerance=0.2 if rng.random() < 0.2 else 0.0)
    scores = bi.read_scores(table(values), measures=[measure])
    compare = [bi.compare_mixed, bi.compare_permutation][seed % 2]
    found = compare(scores, "score")
    states, at = found.relation().states, {n: i for i, n in enumerate(found.algorithms)}
    better, undecided = claims(found.headline())
    for winner, loser in better:
        assert states[at[winner], at[loser]] == Verdict.FIRST
    for one, other in map(tuple, undecided):
        assert states[at[one], at[other]] == Verdict.UNDECIDED
    decided = (states == Verdict.FIRST).any()
    assert (" pairs are undecided" in found.headline()) <= (not decided)
    assert "may be the best" not in found.headline()
