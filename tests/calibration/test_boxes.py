"""No text of any figure leaves the canvas or meets another one, from 2 to 90 algorithms."""

from collections.abc import Callable, Iterator
from itertools import product

import pytest

import benchinfer as bi
from benchinfer.plots.draw import Kind, kinds
from tests.analyses.subgroups.conftest import simulated
from tests.analyses.subgroups.conftest import table as planted
from tests.plots.test_draw_boxes import LONG, faults, table

pytestmark = pytest.mark.calibration


def consensus(scores: bi.ScoreTable) -> object:
    return bi.consensus(bi.per_dataset(bi.compare_points, scores).relations(), method="borda")


def groups(scores: bi.ScoreTable) -> bi.typing.Subgroups:
    return bi.compare_subgroups(planted(algorithms=len(scores.algorithms), name=LONG), seed=1)


def regions(scores: bi.ScoreTable) -> bi.typing.Regions:
    """Return regions along a covariate with a long name."""
    along = "number_of_instances_per_feature"
    wide, features = simulated(algorithms=len(scores.algorithms), name=LONG)
    rows = wide.assign(**{along: features["size"] / 97.3}).melt(
        ["dataset", along], var_name="algorithm", value_name="accuracy"
    )
    read = bi.read_scores(rows, measures={"accuracy": "higher"}, covariates=along)
    return bi.regions(bi.compare_mixed(read, covariates=along, structure="common"), along)


MADE: dict[str, Callable[[bi.ScoreTable], object]] = {
    "scores": lambda scores: scores,
    "points": bi.compare_points,
    "mixed": bi.compare_mixed,
    "permutation": lambda scores: bi.compare_permutation(scores, resamples=99, seed=1),
    "bootstrap": lambda scores: bi.compare_bootstrap(scores, resamples=200, seed=1),
    "bayes": lambda scores: bi.compare_bayes(scores, draws=100, chains=4, seed=1),
    "meta": bi.compare_meta,
    "wins": bi.compare_wins,
    "pair": lambda scores: bi.compare_pair(scores.subset(datasets="dataset_0")),
    "monitor": bi.monitor,
    "relation": lambda scores: bi.compare_points(scores).relation(),
    "local": lambda scores: bi.per_dataset(bi.compare_points, scores),
    "consensus": consensus,
    "archetypes": lambda scores: bi.archetypes(scores, seed=1),
    "archetypes again": lambda scores: bi.archetypes(scores, seed=1).stability(5, seed=1),
    "groups": groups,
    "groups again": lambda scores: groups(scores).stability(5, seed=1),
    "regions": regions,
}
# At 90 algorithms the fits of the others take minutes.
MANY = ("scores", "points", "pair", "relation", "local", "consensus")


def cases() -> Iterator[tuple[str, int]]:
    yield from product(MADE, (2, 6, 30))
    yield from product(MANY, (90,))


@pytest.mark.parametrize(("name", "k"), list(cases()))
def test_texts_keep_to_the_canvas_and_apart(name: str, k: int) -> None:
    result = MADE[name](table(k, LONG))
    found, drawn = {}, 0
    for kind, width in product(kinds(result), ("page", "column")):
        if not isinstance(kinds(result)[kind], Kind):
            continue
        try:
            figure = bi.plot(result, kind, width=width)
        except bi.DesignError:
            continue  # not of this result, or it does not fit
        drawn += 1
        outside, over = faults(figure)
        across, down = figure.get_size_inches()
        if outside or over or across > {"page": 6.9, "column": 3.3}[width] + 0.15 or down > 20:
            found[kind, width] = (across, down, outside[:2], over[:2])
    assert drawn
    assert found == {}
