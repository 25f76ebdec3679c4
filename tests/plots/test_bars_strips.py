import pytest
from matplotlib.figure import Figure

from benchinfer.plots import bars
from benchinfer.plots.bars import Bar, Bars

TITLE = "A heading that is rather long for the room that the labels leave to it, lower is better"


def laid(label="a", said="0.5", *, width=6.9, n=3, axis="axis"):
    rows = tuple(Bar(f"{label}{i}", said, 0.5) for i in range(n))
    return Bars(rows=rows, top=1.0, title=TITLE, axis=axis, notes=(), width=width, alt="alt")


def test_words_stand_beside_what_is_short():
    assert bars.fits(laid("a" * 40))
    assert not bars.fits(laid("a" * 70))
    assert bars.fits(laid("a" * 12, width=3.3))
    assert not bars.fits(laid("a" * 20, width=3.3))


def test_size_follows_rows_and_axis():
    across, down = bars.size_strips(laid())
    assert bars.size_strips(laid(n=4)) == (across, pytest.approx(down + 0.25))
    # Long labels leave less room to the name of the axis, which takes another line.
    long = "the name of an axis that is long but has room in one line"
    assert bars.size_strips(laid(axis=long)) == (across, pytest.approx(down))
    assert bars.size_strips(laid("a" * 40, axis=long)) == (across, pytest.approx(down + 0.165))


@pytest.mark.parametrize("label", ["a", "a" * 20, "a" * 45, "a" * 70])
@pytest.mark.parametrize("width", [6.9, 3.3])
def test_the_name_of_the_axis_stays_inside(label, width):
    whole = laid(label, width=width, axis="a name with so many words that they need a line " * 3)
    figure = Figure(figsize=bars.size_strips(whole), layout="constrained")
    ax = figure.add_subplot()
    bars.frame(whole, ax, (0.0, 1.0))
    bars.write(whole, ax, aligned=bars.fits(whole))
    figure.draw_without_rendering()
    assert ax.xaxis.label.get_window_extent().x1 <= figure.bbox.x1


def test_the_axis_is_logarithmic_on_request():
    ax = Figure().add_subplot()
    bars.frame(laid(), ax, (0.1, 10.0), log=True)
    assert ax.get_xscale() == "log"
    assert ax.get_xlim() == pytest.approx((0.1, 10.0))
