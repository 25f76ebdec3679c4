"""One answer in six places: headline, report, figure, table, sentence and JSON."""

import json
import re

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison.figures.ranking import layout
from benchinfer.relations.ranks import LETTERED
from tests.analyses.choice.test_compare import normal, table
from tests.conftest import Page


def demo():
    return bi.compare(bi.load_example("sklearn_bootstrap"), "error")


def apart(k):
    """Return scores of which many pairs are decided, in an order that is not that of names."""
    return normal(12, k) + np.linspace(0, 1.2, k)[np.arange(k) * 7 % k][:, None]


def simulated(k, *, uneven=False):
    values = apart(k)
    if uneven:  # the order by levels is not that by wins and losses
        values[:, 2] += np.random.default_rng(1).normal(0.1, 1.5, size=(12, 1))
    return bi.compare(table(values, names=NAMES[k]))


NAMES = {k: [f"{chr(ord('z') - i % 26)}{i:02d}" for i in range(k)] for k in (2, 6, 30)}
ANSWERS = {
    "demo": demo,
    "two": lambda: simulated(2),
    "six": lambda: simulated(6),
    "uneven": lambda: simulated(6, uneven=True),
    "thirty": lambda: simulated(30),
}


@pytest.fixture(scope="module", params=ANSWERS)
def answer(request):
    return ANSWERS[request.param]()


@pytest.fixture(scope="module")
def written(answer, tmp_path_factory):
    """Return the measure of the JSON report, and the page of the HTML report."""
    folder = tmp_path_factory.mktemp("answer")
    document = json.loads(answer.report(folder / "x.json").read_text("utf-8"))
    return document["results"][0], Page(answer.report(folder / "x.html").read_text("utf-8"))


def result_of(answer):
    ((_, result),) = answer.items()
    return result


@pytest.mark.slow
def test_all_places_have_the_same_best_algorithm(answer, written):
    result = result_of(answer)
    best = result.ranking()[0]
    starts = re.compile(rf", {best} (has the |is better than )")
    assert starts.search(answer.headline())
    assert starts.search(answer.sentence())
    measure, page = written
    assert starts.search(measure["headline"])
    assert starts.search(page.text)
    assert result.table().data["algorithm"].iloc[0] == best
    assert layout(result).rows[0].name == best
    if len(result.algorithms) > 2:
        assert f"Compared with {best} " in answer.sentence()


@pytest.mark.slow
def test_all_places_have_the_same_order(answer, written):
    result = result_of(answer)
    ranking = list(result.ranking())
    assert [row.name for row in layout(result).rows] == ranking
    assert result.table(rows="algorithms").data["algorithm"].tolist() == ranking
    assert result.relation().letters()["algorithm"].tolist() == ranking
    measure, page = written
    levels = {row["algorithm"]: row["rank"] for row in measure["summary"]}
    assert sorted(levels, key=levels.__getitem__) == ranking
    names = dict.fromkeys(cell for cell in page.cells() if cell in ranking)
    # The first table has the others, against the best.
    assert [name for name in names if name != ranking[0]] == ranking[1:]
    # The sentence names the others by their verdicts, those of one verdict in order.
    place = {name: n for n, name in enumerate(ranking)}
    compared = answer.sentence().partition("Compared with")[2].partition(" Among the other")[0]
    for clause in re.split(r"; | are (?:better|worse|undecided|equivalent)", compared)[:1]:
        said = [place[name] for name in re.findall(r"\w+", clause) if name in place]
        assert said[1:] == sorted(said[1:])


def test_all_places_have_the_same_letters_or_ranks(answer):
    result = result_of(answer)
    k, figure = len(result.algorithms), layout(result)
    letters = result.letters()
    frame = result.relation().letters()
    assert dict(zip(frame["algorithm"], frame["letters"], strict=True)) == letters
    data = result.table().data.set_index("algorithm")
    if k > LETTERED:
        levels = result.summary().set_index("algorithm")
        ends = zip(levels["rank_low"], levels["rank_high"], strict=True)
        ranges = dict(zip(levels.index, ends, strict=True))
        assert data["ranks"].to_dict() == ranges
        shown = [tuple(map(int, re.findall(r"\d+", row.marks))) for row in figure.rows]
        assert shown == [tuple(dict.fromkeys(ranges[row.name])) for row in figure.rows]
        return
    assert data["letters"].to_dict() == letters
    if figure.groups:
        # Bars join groups of two or more; each is a letter of the table.
        bars = {frozenset(figure.rows[i].name for i in group) for group in figure.groups}
        groups = {
            frozenset(name for name, text in letters.items() if letter in text)
            for letter in set("".join(letters.values()))
        }
        assert bars == {group for group in groups if len(group) > 1}
    elif k > 2 and any(row.marks for row in figure.rows):
        assert {row.name: row.marks.replace(" ", "") for row in figure.rows} == letters
