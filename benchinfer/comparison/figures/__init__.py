"""Figures of any comparison, and of comparisons per data set."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from inspect import signature

from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.figures import (
    critical_difference,
    datasets,
    estimation,
    forest,
    heatmap,
    influence,
    learning_curves,
    multi_comparison,
    pair,
    ranking,
    scatter,
    slope,
    solved,
)
from benchinfer.comparison.further.influence import Influence
from benchinfer.comparison.further.prediction import NewDataset
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.plots.bars import draw_intervals, size_intervals
from benchinfer.plots.curves import draw_profile, size_profile
from benchinfer.plots.draw import Kind, of_part
from benchinfer.plots.style import PAGE, Width
from benchinfer.plots.tiles import draw_verdicts, size_verdicts
from benchinfer.relations.figures import LIKENESS, RELATION
from benchinfer.scores import ScoreTable

DISTRIBUTIONS = Kind(
    datasets.layout_distributions, datasets.size_distributions, datasets.draw_distributions
)
BOXES = Kind(datasets.layout_boxes, datasets.size_distributions, datasets.draw_distributions)
INFLUENCE = Kind(influence.layout_influence, influence.size_influence, influence.draw_influence)
PREDICTION = Kind(influence.layout_prediction, influence.size_prediction, influence.draw_prediction)


def _ranked(kind: Kind) -> Kind:
    """Return a relation's figure kind adapted to comparisons, in the order of their ranking."""

    def layout(result: Comparison, width: Width = PAGE, **choices: object) -> object:
        return kind.layout(result.relation(), width, **{"order": result.ranking(), **choices})

    layout.__signature__ = signature(kind.layout)  # pyright: ignore[reportFunctionMemberAccess]
    return replace(kind, layout=layout)


COMPARISON: Mapping[str, Kind] = {
    "ranking": Kind(ranking.layout, ranking.size, ranking.draw, ranking.suits),
    "forest": Kind(forest.layout, forest.size, forest.draw),
    "estimation": Kind(estimation.layout, estimation.size, estimation.draw),
    **{name: of_part(kind, lambda result: result.relation()) for name, kind in RELATION.items()},
    **{name: _ranked(RELATION[name]) for name in ("matrix", "letters")},
    "multi-comparison": Kind(multi_comparison.layout, multi_comparison.size, multi_comparison.draw),
    "critical-difference": Kind(
        critical_difference.layout, critical_difference.size, critical_difference.draw
    ),
    "rank-intervals": Kind(ranking.layout_ranks, size_intervals, draw_intervals),
    "distributions": of_part(DISTRIBUTIONS, lambda result: result.setting),
    "boxes": of_part(BOXES, lambda result: result.setting),
}
# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Comparison: COMPARISON,
    Comparisons: {
        "verdicts": Kind(datasets.layout_verdicts, size_verdicts, draw_verdicts),
        "podium": Kind(datasets.layout_podium, datasets.size_podium, datasets.draw_podium),
        "pair": Kind(pair.layout, forest.size, pair.draw),
        **{name: of_part(kind, lambda local: local.relations()) for name, kind in LIKENESS.items()},
    },
    Influence: {"influence": INFLUENCE},
    NewDataset: {"prediction": PREDICTION},
    Setting: {"distributions": DISTRIBUTIONS},
    ScoreTable: {
        "distributions": of_part(DISTRIBUTIONS, lambda scores: Setting.of(scores)[0]),
        "boxes": of_part(BOXES, lambda scores: Setting.of(scores)[0]),
        "heatmap": Kind(heatmap.layout, heatmap.size, heatmap.draw, clusters=True),
        "scatter": Kind(scatter.layout, scatter.size, scatter.draw),
        "slope": Kind(slope.layout, slope.size, slope.draw),
        "learning-curves": Kind(learning_curves.layout, size_profile, draw_profile),
        "solved": Kind(partial(solved.layout, "solved"), size_profile, draw_profile),
        "cactus": Kind(partial(solved.layout, "cactus"), size_profile, draw_profile),
        "profile": Kind(partial(solved.layout, "profile"), size_profile, draw_profile),
    },
}
