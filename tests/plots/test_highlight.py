"""Names that stand out."""

import pandas as pd
import pytest
from matplotlib.colors import same_color
from matplotlib.text import Text

import benchinfer as bi
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.plots.style import HIGHLIGHT


def standing_out(figure):
    texts = {t for ax in figure.axes for t in ax.findobj(Text) if t.get_text()}
    return {t.get_text(): t.get_fontweight() for t in texts if same_color(t.get_color(), HIGHLIGHT)}


@pytest.mark.parametrize(
    "kind",
    ["ranking", "forest", "hasse", "matrix", "letters", "critical-difference", "rank-intervals",
     "distributions", "boxes", "estimation"],
)  # fmt: skip
def test_a_name_stands_out_in_every_figure_of_a_comparison(mixed, kind):
    found = standing_out(bi.plot(mixed, kind, highlight="alg2"))
    assert found
    assert all("alg2" in text for text in found)
    assert found.get("alg2", "bold") == "bold"
    assert not standing_out(bi.plot(mixed, kind))


def test_a_name_stands_out_in_the_forest_of_a_pair(local):
    def bold(figure):
        texts = {t for ax in figure.axes for t in ax.findobj(Text) if t.get_text()}
        return [t.get_text() for t in texts if t.get_fontweight() == "bold"]

    found = bold(bi.plot(local, "pair", pair=("alg1", "alg2"), highlight="alg2"))
    assert found
    assert all("alg2" in text for text in found)
    assert not bold(bi.plot(local, "pair", pair=("alg1", "alg2")))
    with pytest.raises(ArgumentError, match="highlight='alg3': the figure does not show"):
        bi.plot(local, "pair", pair=("alg1", "alg2"), highlight="alg3")


def test_names_stand_out_by_themselves():
    renamed = bi.load_example("sklearn_bootstrap").subset(measures=["error"])
    figure = bi.plot(renamed, "heatmap", highlight=["svm", "lda"])
    assert {*standing_out(figure)} == {"svm", "lda"}


def test_a_cut_name_stands_out():
    name = "random_forest_of_five_hundred_trees_grown_to_the_end_of_all_data"
    rows = [(d, a, d * 0.1 + 0.01 * len(a)) for d in range(6) for a in (name, "svm")]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "x"])
    scores = bi.read_scores(frame, measures="x:higher")
    texts = standing_out(bi.plot(scores, "slope", width=3.3, highlight=name))
    assert [
        text for text in texts if text.startswith("rando") and "\N{HORIZONTAL ELLIPSIS}" in text
    ]


@pytest.mark.slow
def test_names_that_are_no_plain_text_stand_out(nasty):
    for name in nasty.algorithms:
        assert standing_out(bi.plot(nasty, "ranking", highlight=name)), name


def test_a_name_that_is_not_there_is_refused(mixed):
    with pytest.raises(ArgumentError, match="highlight='none': the figure does not show"):
        bi.plot(mixed, highlight="none")


def test_a_figure_of_arviz_has_no_highlight(sampled):
    with pytest.raises(DesignError, match="this figure is ArviZ's"):
        bi.plot(sampled, "trace", highlight="alg2")
