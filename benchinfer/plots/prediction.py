"""A data set not yet seen: a bar per algorithm, the probability that it is best there."""

from typing import TYPE_CHECKING

from benchinfer.compare.wording import margin
from benchinfer.plots import bars
from benchinfer.plots.bars import Bar, Bars
from benchinfer.plots.style import Width, measure_name, short

if TYPE_CHECKING:
    from benchinfer.compare.new_dataset import NewDataset


def layout(new: "NewDataset", width: Width = "wide") -> Bars:
    """Lay out the probabilities to be best on a new data set, the likeliest first.

    Parameters
    ----------
    new
        What `MixedComparison.predict` returns.
    width
        ``"narrow"`` sets the words above the bars.
    """
    measure, table = new.measure, new.summary()
    table = table.sort_values("prob_best_next", ascending=False, kind="stable")
    names = short(new.algorithms, 32)
    found = list(
        zip(table["algorithm"], table["prob_best_next"], table["prob_near_best"], strict=True)
    )
    tolerant = measure.tolerance > 0
    rows = tuple(
        Bar(
            names[algorithm],
            f"{best:.2f} ({near:.2f})" if tolerant else f"{best:.2f}",
            best,
            near if tolerant else None,
        )
        for algorithm, best, near in found
    )
    name = measure_name(measure)
    near = f"outline, in brackets: within {margin(measure)} of the best there" if tolerant else ""
    return Bars(
        rows=rows,
        top=1.0,
        title=f"On a new data set of the domain: {name}, {measure.better} is better",
        axis="probability to be the best algorithm there",
        notes=(near,) if near else (),
        width=width,
        alt=f"Bars of the probability to be the best algorithm on a new data set, in {name}"
        f" ({measure.better} is better): {rows[0].label} {found[0][1]:.2f}"
        + (f", then {rows[1].label} {found[1][1]:.2f}." if len(rows) > 1 else "."),
    )


size, draw = bars.size, bars.draw
