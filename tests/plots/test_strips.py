import pytest
from matplotlib.figure import Figure

from benchinfer.plots import bars
from benchinfer.plots.bars import Bar, Bars

TITLE = "A heading that is rather long for the room that the labels leave to it, lower is better"


def laid(label="a", said="0.5", *, width="wide", n=3, notes=()):
    rows = tuple(Bar(f"{label}{i}", said, 0.5) for i in range(n))
    return Bars(rows, 1.0, TITLE, "axis", notes, width, "alt")


def test_words_stand_beside_what_is_short():
    assert bars.fits(laid("a" * 40))
    assert not bars.fits(laid("a" * 70))
    assert not bars.fits(laid(width="narrow"))


def test_size_follows_rows_notes_and_heading():
    across, down = bars.size_strips(laid())
    assert bars.size_strips(laid(n=4)) == (across, pytest.approx(down + 0.25))
    assert bars.size_strips(laid(notes=("a", "b"))) == (across, pytest.approx(down + 0.32))
    # Long labels leave less room to the heading, which takes another line.
    assert bars.size_strips(laid("a" * 55)) == (across, pytest.approx(down + 0.16))


@pytest.mark.parametrize("label", ["a", "a" * 20, "a" * 45, "a" * 70])
@pytest.mark.parametrize("width", ["wide", "narrow"])
def test_heading_and_notes_stay_inside(label, width):
    whole = laid(
        label, width=width, notes=("a note with so many words that they need a line " * 3,)
    )
    figure = Figure(figsize=bars.size_strips(whole), layout="constrained")
    ax = figure.add_subplot()
    bars.frame(whole, ax, (0.0, 1.0))
    bars.write(whole, ax, beside=bars.fits(whole))
    figure.draw_without_rendering()
    texts = [ax._left_title, ax.xaxis.label]
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in texts)


def test_the_axis_is_logarithmic_on_request():
    ax = Figure().add_subplot()
    bars.frame(laid(), ax, (0.1, 10.0), log=True)
    assert ax.get_xscale() == "log"
    assert ax.get_xlim() == pytest.approx((0.1, 10.0))
