"""Shares of variance: a bar per source, the share in words beside it."""

from typing import TYPE_CHECKING

from benchinfer.compare.phrases import join
from benchinfer.plots import bars
from benchinfer.plots.bars import Bar, Bars
from benchinfer.plots.style import Width, measure_name

if TYPE_CHECKING:
    from benchinfer.compare.mixed_comparison import MixedComparison

# Sources as the model names them, and what they are.
_WORDS = {
    "domain": "domains",
    "domain:algorithm": "algorithms, between domains",
    "dataset": "difficulty of data sets",
    "dataset:algorithm": "algorithms, between data sets",
    "dataset:replication": "replications, all algorithms alike",
    "replication": "replications, all algorithms alike",
    "residual": "single scores (residual)",
}
_SCALES = {"identity": "", "log": " of the logarithms", "logit": " of the log odds"}


def words(source: str) -> str:
    """Return what a source of variation is; unknown ones (covariates) keep their name."""
    return _WORDS.get(source, source)


def layout(mixed: "MixedComparison", width: Width = "wide") -> Bars:
    """Lay out where the scores vary.

    Parameters
    ----------
    mixed
        Any comparison by a mixed model.
    width
        ``"narrow"`` sets the words above the bars.
    """
    table, measure = mixed.variances(), mixed.measure
    shares = dict(zip(table["source"], table["share"], strict=True))
    rows = [
        Bar(words(source), f"{100 * share:.1f} %", max(100 * share, 0.0))
        for source, share in shares.items()
    ]
    name = measure_name(measure)
    return Bars(
        rows=tuple(rows),
        top=100.0,
        title=f"Where the spread comes from: {name}",
        axis=f"share of the variance{_SCALES[measure.scale]} [%]; the shares add up to 100",
        notes=(),
        width=width,
        alt=f"Bars of the shares of variance of {name}:"
        f" {join([f'{row.label} {row.said}' for row in rows])}.",
    )


size, draw = bars.size, bars.draw
