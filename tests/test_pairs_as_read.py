"""Pairs and lists of algorithms follow the ranking wherever people read them."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.result import registered
from benchinfer.core.sections import Fold, Request, Section, Table
from benchinfer.plots.draw import Kind, kinds

# Best first by the scores, last by name, so that stored and ranked order have nothing in common.
NAMES = ("zeta", "yarn", "wolf", "vine", "urn")


@pytest.fixture(scope="module")
def scores():
    """Eight data sets, three replications: five algorithms, of which neighbours are close."""
    rng = np.random.default_rng(5)
    value = rng.normal(0.7, 0.1, (8, 1, 1)) + rng.normal(0, 0.01, (8, 5, 3))
    value -= np.array([0.0, 0.002, 0.03, 0.034, 0.07])[:, None]
    at = np.indices(value.shape).reshape(3, -1)
    frame = pd.DataFrame(at.T, columns=["dataset", "algorithm", "replication"])
    frame["dataset"] = "d" + frame["dataset"].astype(str)
    frame["algorithm"] = [NAMES[a] for a in frame["algorithm"]]
    return bi.read_scores(frame.assign(acc=value.ravel()), measures=[bi.Measure("acc", "higher")])


def bayes(scores):
    return bi.compare_bayes(scores, draws=100, chains=4, seed=1)


KINDS = {
    "points": bi.compare_points,
    "mixed": bi.compare_mixed,
    "permutation": lambda scores: bi.compare_permutation(scores, seed=1),
    "bootstrap": lambda scores: bi.compare_bootstrap(scores, seed=1),
    "bayes": bayes,
    "signed-rank": lambda scores: bi.compare_bayes_pairs(scores, test="signed-rank", seed=1),
    "meta": bi.compare_meta,
    "wins": bi.compare_wins,
    "pair": lambda scores: bi.compare_pair(scores.subset(datasets="d0")),
    "recursive": bi.monitor,
    "anytime": lambda scores: bi.monitor(scores, method="anytime"),
    "group-sequential": lambda scores: bi.monitor(scores, method="group-sequential"),
}


@pytest.fixture(scope="module", params=KINDS)
def result(request, scores):
    return KINDS[request.param](scores)


PAIR = re.compile(rf"\b({'|'.join(NAMES)})(?: vs | - | and | [~?] )({'|'.join(NAMES)})\b")


def wrong(text, ranking):
    """Return the pairs in a text whose second is ranked better than the first."""
    return [pair for pair in PAIR.findall(text) if ranking.index(pair[0]) > ranking.index(pair[1])]


@pytest.mark.slow
def test_figures_name_the_better_ranked_first(result):
    from matplotlib.text import Text

    ranking = result.ranking()
    for name, kind in kinds(result).items():
        if not isinstance(kind, Kind):
            continue
        try:
            figure = bi.plot(result, name)
        except bi.DesignError:
            continue  # not of this result
        texts = [text.get_text() for text in figure.findobj(Text)]
        assert wrong("\n".join([*texts, str(figure.get_label())]), ranking) == [], name


def told(result):
    """Return all sections, those of details too."""
    return registered(type(result), "sections", "SECTIONS")(result, Request(details=True))


def tables(parts):
    for part in parts:
        if isinstance(part, Table):
            yield part
        elif isinstance(part, Section | Fold):
            yield from tables([*part.tables, *([part.fold] if isinstance(part, Section) else [])])


def test_tables_have_the_better_ranked_first(result):
    place = {name: n for n, name in enumerate(result.ranking())}
    for table in tables(told(result)):
        if {"first", "second"} <= set(table.frame.columns):
            pairs = table.frame[["first", "second"]].replace("", np.nan).dropna()
            first, second = pairs["first"].map(place), pairs["second"].map(place)
            assert (first < second).all(), table.caption or table.name


def test_texts_have_the_better_ranked_first(result):
    ranking = result.ranking()
    texts = [result.headline(), str(result.relation()), repr(result), result.sentence()]
    for section in told(result):
        texts += [section.lead, *section.order, *section.open_pairs, *section.text]
    assert wrong("\n".join(texts), ranking) == []


LIST = re.compile(rf"(?:(?:{'|'.join(NAMES)})(?:, | and )){{1,}}(?:{'|'.join(NAMES)})")


def test_lists_follow_the_ranking(result):
    ranking = result.ranking()
    for line in (result.headline(), *(text for s in told(result) for text in (*s.order, *s.text))):
        for found in LIST.findall(line):
            places = [ranking.index(name) for name in re.split(", | and ", found)]
            assert places == sorted(places), line


def test_orders_name_each_class_by_the_ranking(result):
    ranking = result.ranking()
    for run in re.split(" > |; ", str(result.relation())):
        names = [name for name in re.split(r" [~?] |, ", run) if name in ranking]
        if " ? " in run and "," not in run:
            assert all(ranking.index(a) < ranking.index(b) for a, b in pairwise(names))
