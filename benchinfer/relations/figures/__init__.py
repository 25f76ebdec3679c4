"""Figures of relations and ensembles."""

from collections.abc import Mapping

from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import size_map
from benchinfer.plots.style import PAGE
from benchinfer.plots.tiles import (
    draw_chances,
    draw_verdicts,
    layout_together,
    size_chances,
    size_verdicts,
)
from benchinfer.relations.cluster_stability import ClusterStability
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.figures import ensemble, hasse, pairs
from benchinfer.relations.relation import Relation

RELATION: Mapping[str, Kind] = {
    "hasse": Kind(hasse.layout, hasse.size, hasse.draw, hasse.suits),
    "hasse-undecided": Kind(hasse.layout_undecided, hasse.size, hasse.draw, hasse.suits),
    "matrix": Kind(pairs.layout_matrix, size_verdicts, draw_verdicts),
    "letters": Kind(pairs.layout_letters, pairs.size_letters, pairs.draw_letters),
}
LIKENESS: Mapping[str, Kind] = {
    "support": Kind(ensemble.layout_support, ensemble.size_support, ensemble.draw_support),
    "map": Kind(ensemble.layout_landscape, size_map, ensemble.draw_landscape),
    "clusters": Kind(
        ensemble.layout_dendrogram, ensemble.size_dendrogram, ensemble.draw_dendrogram
    ),
}
# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Relation: RELATION,
    Ensemble: {
        "verdicts": Kind(ensemble.layout_verdicts, size_verdicts, draw_verdicts),
        **LIKENESS,
    },
    ClusterStability: {
        "together": Kind(
            lambda result, width=PAGE: layout_together(
                result.names, result.together, width, resamples=result.resamples
            ),
            size_chances,
            draw_chances,
        ),
    },
}
