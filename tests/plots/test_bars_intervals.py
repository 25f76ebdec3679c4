import numpy as np
import pytest
from matplotlib.figure import Figure

from benchinfer.plots import bars
from benchinfer.plots.bars import Interval, Intervals


def laid(*rows, width=6.9, log=False, sides=("", "")):
    limits = (0.1, 10.0) if log else (0.0, 1.0)
    return Intervals(
        rows=rows,
        limits=limits,
        log=log,
        reference=0.5,
        sides=sides,
        title="title",
        axis="axis",
        notes=("note",),
        width=width,
        alt="alt",
    )


def drawn(whole):
    figure = Figure(figsize=bars.size_intervals(whole), layout="constrained")
    ax = figure.add_subplot()
    bars.draw_intervals(whole, ax)
    figure.draw_without_rendering()
    return ax


def marks(ax, colour):
    return [
        (line.get_xdata().tolist(), line.get_markerfacecolor() == colour)
        for line in ax.lines
        if line.get_marker() == "o"
    ]


def test_dots_and_lines_are_the_numbers():
    rows = (Interval("a", "x", 0.6, 0.5, 0.7), Interval("b", "", 0.3, -np.inf, 0.4, filled=False))
    ax = drawn(laid(*rows))
    assert marks(ax, bars.COLOUR) == [([0.6], True), ([0.3], False)]
    (ends,) = [line.get_xdata() for line in ax.lines if line.get_color() == bars.COLOUR][:1]
    # A line without an end goes to the end of the axis.
    assert ends[~np.isnan(ends)].tolist() == [0.5, 0.7, 0.0, 0.4]


@pytest.mark.parametrize("filled", [True, False])
def test_all_dots_of_one_kind_fill_the_figure(filled):
    ax = drawn(laid(*(Interval(f"row {i}", "1", 0.5, 0.4, 0.6, filled=filled) for i in range(20))))
    assert len(marks(ax, bars.COLOUR)) == 1
    assert ax.get_tightbbox().y1 > 0.97 * ax.figure.bbox.y1
    assert ax.get_position().y0 * ax.figure.get_size_inches()[1] < 0.9


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("width", [6.9, 3.3])
def test_words_do_not_overlap(n, width):
    rows = [Interval(f"first {i} vs second", "0.50", 0.5, 0.4, 0.6) for i in range(n)]
    ax = drawn(laid(*rows, width=width, sides=("left side", "right side")))
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(b.x0 >= 0 and b.x1 <= ax.figure.bbox.x1 for b in boxes)


def test_room_on_a_logarithmic_axis():
    low, high = bars.room([0.0, 1.0, 100.0], log=True)
    assert (low < 1, high > 100, low * high) == (True, True, pytest.approx(100))
    assert bars.room([2.0, 2.0], log=False) == (1.8, 2.2)


def test_the_logarithmic_axis():
    assert drawn(laid(Interval("a", "", 1.0, 0.5, 2.0), log=True)).get_xscale() == "log"


def test_a_zero_on_a_logarithmic_axis_is_an_arrow_that_leaves_room():
    rows = (Interval("a", "", 0.0, 0.2, 0.7, filled=False), Interval("b", "", 1.0, 0.3, 2.0))
    ax = drawn(laid(*rows, log=True))
    assert marks(ax, bars.COLOUR) == [([1.0], True)]
    (arrow,) = [line for line in ax.lines if line.get_marker() == "<"]
    assert (arrow.get_xdata().tolist(), arrow.get_ydata().tolist()) == ([0.1], [0])
    assert ax.get_position().width > 0.5
