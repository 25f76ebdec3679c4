from matplotlib.figure import Figure

from benchinfer.plots import bars
from benchinfer.plots.bars import Bar, Bars


def laid(*rows, width=6.9):
    return Bars(rows=rows, top=1.0, title="title", axis="axis", notes=(), width=width, alt="alt")


def test_words_stand_above_where_there_is_no_room():
    assert bars.fits(laid(Bar("a", "0.5", 0.5)))
    assert not bars.fits(laid(Bar("a" * 50, "b" * 20, 0.5)))
    assert bars.fits(laid(Bar("a", "0.5", 0.5), width=3.3))
    assert not bars.fits(laid(Bar("a" * 20, "0.5", 0.5), width=3.3))


def test_bars_and_heads_are_as_long_as_the_values():
    ax = Figure().add_subplot()
    rows = (Bar("head", "", None), Bar("a", "x", 0.5, outline=0.8), Bar("b", "y", 0.3, marker="o"))
    bars.draw_bars(laid(*rows), ax)
    assert [patch.get_width() for patch in ax.patches] == [0.5, 0.8]
    heads = [line for line in ax.lines if line.get_marker() == "o"]
    assert [list(line.get_xdata()) for line in heads] == [[0.3]]
    assert {text.get_text() for text in ax.texts} == {"head", "a", "x", "b", "y"}


def test_words_do_not_overlap_bars_or_each_other():
    for width in (6.9, 3.3):
        whole = laid(*(Bar(f"row {i}", "1", 1.0) for i in range(5)), width=width)
        figure = Figure(figsize=bars.size_bars(whole), layout="constrained")
        ax = figure.add_subplot()
        bars.draw_bars(whole, ax)
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in ax.texts]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
        assert all(b.x0 >= 0 and b.x1 <= figure.bbox.x1 for b in boxes)
