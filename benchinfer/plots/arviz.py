"""Figures of posterior draws, drawn by ArviZ."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchinfer.core.errors import DesignError, optional
from benchinfer.plots.draw import Drawing, Handed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Algorithms whose draws are shown, the best-ranked ones, and inches that a third panel needs.
_MOST, _PANEL = 6, 2.2


def draw_predictive(result: Any, width: float) -> Figure:
    """Draw the observed distribution with posterior predictive distributions."""
    tree = result.posterior
    if "posterior_predictive" not in tree.children:
        raise DesignError(
            "this model has no predictions of the data sets.",
            hint=("kind='trace' and kind='trace-rank' show its draws."),
        )
    words = "Posterior predictive check: effects on the data sets, and effects on data sets drawn"
    figure = _drawn("plot_ppc_dist", tree, f"{words} anew, as far as these are near.", (width, 3.0))
    seen = tree["observed_data"]["effect_estimate"]
    low, high = float(seen.min()), float(seen.max())
    # Of t interactions a few draws are far away, and would leave no room for the others.
    figure.axes[0].set_xlim(low - (high - low), high + (high - low))
    return figure


def draw_chains(function: str, words: str, result: Any, width: float) -> Figure:
    """Draw the chains of the best-ranked algorithms' effects and of all scalar parameters."""
    tree = result.posterior
    posterior = tree["posterior"].data_vars
    effect = next(name for name, x in posterior.items() if x.dims == ("chain", "draw", "algorithm"))
    numbers = [name for name, x in posterior.items() if x.dims == ("chain", "draw")]
    best = list(result.ranking()[:_MOST])
    across = max(2, int(width / _PANEL))
    rows = -(-(len(best) + len(numbers)) // across)
    return _drawn(
        function,
        tree,
        f"{words}, of {', '.join([effect, *numbers])}.",
        (width, 1.9 * rows),
        var_names=[effect, *numbers],
        coords={"algorithm": best},
        col_wrap=across,
    )


def _drawn(
    function: str, tree: object, alt: str, size: tuple[float, float], **options: object
) -> Figure:
    """Return a figure that ArviZ draws, closed in pyplot so that it is not displayed twice."""
    from matplotlib import pyplot as plt

    draw: Any = getattr(optional("arviz_plots", "bayes"), function)
    made = {"FigureClass": Drawing, "figsize": size, "layout": "constrained"}
    # In a column titles are as wide as their panels.
    font = plt.rcParams["font.size"] * (0.75 if size[0] < 2 * _PANEL else 1)
    with plt.rc_context({"font.size": font}):
        collection = draw(tree, backend="matplotlib", figure_kwargs=made, **options)
    figure: Figure = collection.viz["figure"].item()
    plt.close(figure)
    figure.set_label(alt)
    return figure


DRAWS = {
    "trace": Handed(
        partial(draw_chains, "plot_trace", "Trace plot: draws of each chain in their order")
    ),
    "trace-rank": Handed(
        partial(draw_chains, "plot_rank", "Rank plot: ranks of each chain's draws among all draws")
    ),
}
PREDICTIONS = {"ppc": Handed(draw_predictive)}
