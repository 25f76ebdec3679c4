"""Figures of effects of factors."""

from collections.abc import Mapping

from benchinfer.analyses.factors.comparison import LevelComparison
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.factors.figures import cells, effects, interactions
from benchinfer.comparison.figures import COMPARISON, forest, heatmap
from benchinfer.plots.draw import Kind

# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Factors: {
        "effects": Kind(effects.layout, forest.size, forest.draw),
        "interactions": Kind(interactions.layout, interactions.size, interactions.draw),
        "heatmap": Kind(cells.layout, heatmap.size, heatmap.draw),
    },
    LevelComparison: COMPARISON,
}
