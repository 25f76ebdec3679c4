"""Figures of monitored experiments."""

from collections.abc import Mapping

from benchinfer.analyses.monitor.comparison import MonitorComparison
from benchinfer.analyses.monitor.figures import bets, paths
from benchinfer.analyses.monitor.measures import MonitoredMeasures
from benchinfer.analyses.monitor.reordering import Consecutive
from benchinfer.comparison.figures import COMPARISON
from benchinfer.plots.draw import Kind
from benchinfer.plots.tiles import draw_verdicts, size_verdicts

# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    MonitorComparison: {
        **COMPARISON,
        "path": Kind(
            paths.layout_decision_path, paths.size_decision_path, paths.draw_decision_path
        ),
        "e-process": Kind(bets.layout_e_process, bets.size_e_process, bets.draw_e_process),
        "sequence": Kind(bets.layout_sequence, bets.size_sequence, bets.draw_sequence),
    },
    MonitoredMeasures: {"verdicts": Kind(paths.layout_measures, size_verdicts, draw_verdicts)},
    Consecutive: {
        "order": Kind(bets.layout_rearranged, bets.size_rearranged, bets.draw_rearranged)
    },
}
