import re
import warnings
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import benchinfer as bi
from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.plots.draw import kinds, kinds_of, vector
from benchinfer.relations.consensus.consensus import Consensus
from benchinfer.relations.ensemble import Ensemble

RESULTS = ["mixed", "permuted", "points", "resampled", "seconds", "local", "table", "nasty_order"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RESULTS, "nasty_sampled"])
def test_every_kind_of_every_result(name, request):
    result = request.getfixturevalue(name)
    with warnings.catch_warnings():
        # matplotlib's own font has no Chinese; that the names break nothing is what is tested.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        for kind in kinds(result):
            if name == "table" and kind in {"solved", "cactus", "profile"}:
                with pytest.raises(bi.DesignError, match="has no limit"):
                    bi.plot(result, kind)
                continue
            if name == "table" and kind == "learning-curves":
                with pytest.raises(bi.DesignError, match="there are no steps"):
                    bi.plot(result, kind)
                continue
            if name == "seconds" and kind == "estimation":
                with pytest.raises(bi.DesignError, match="effects are ratios"):
                    bi.plot(result, kind)
                continue
            figure = bi.plot(result, kind)
            figure.draw_without_rendering()
            assert figure.get_label()


def test_default_kinds(mixed, local, table):
    assert [next(iter(kinds(r))) for r in (mixed, mixed.relation(), local, table)] == [
        "ranking",
        "hasse",
        "verdicts",
        "distributions",
    ]


def test_draws_into_given_axes(mixed, local):
    figure = Figure()
    for result, ax in zip((mixed, mixed.relation(), local), figure.subplots(3), strict=True):
        assert bi.plot(result, ax=ax) is figure


def test_unknown_kind(mixed):
    with pytest.raises(bi.DesignError) as caught:
        bi.plot(mixed, "pie")
    assert str(caught.value) == (
        "unknown kind of figure 'pie'.\n"
        "Hint: one of 'ranking', 'forest', 'estimation', 'hasse', 'hasse-undecided', 'matrix',"
        " 'letters', 'multi-comparison', 'critical-difference', 'rank-intervals',"
        " 'distributions', 'boxes', 'variances', 'caterpillar',"
        " 'residuals', 'influence', 'prediction'."
    )


def test_unknown_type():
    with pytest.raises(bi.BenchinferError) as caught:
        bi.plot({"a": 1})
    assert str(caught.value) == (
        "there is no figure of a dict.\n"
        "Hint: plot a comparison, comparisons per data set, a relation, an ensemble, a"
        " consensus, its bootstrap, a plan, a gate, a front, a board, groups of data sets or a"
        " score table."
    )


def test_names_are_not_formulas(nasty):
    texts = [text.get_text() for text in bi.plot(nasty).findobj(lambda a: hasattr(a, "get_text"))]
    assert any(r"\$x^2\$ _a_" in text for text in texts)
    drawn = vector(nasty, "forest").text
    assert "$x^2$ _a_ " in drawn


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("nasty", kind) for kind in kinds_of(MixedComparison)),
        *(("nasty_resampled", kind) for kind in kinds_of(BootstrapComparison)),
        *(("nasty_sampled", kind) for kind in ("simplex", "shrinkage")),
        *(("nasty_ensemble", kind) for kind in kinds_of(Ensemble)),
        *(("nasty_order", kind) for kind in kinds_of(Consensus)),
    ],
)
@pytest.mark.parametrize("width", [6.9, 3.3])
def test_svg_is_escaped_and_always_the_same(name, kind, width, request):
    result = request.getfixturevalue(name)
    drawn = vector(result, kind, width)
    if kind == next(iter(kinds(result))):  # whole reports are compared byte by byte
        assert drawn == vector(result, kind, width)
    tree = ET.fromstring(drawn.text)  # noqa: S314 (written a line ago)
    tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert not tags & {"script", "image", "foreignObject"}
    words = " ".join("".join(element.itertext()) for element in tree.iter())
    assert any(part in words for part in ("<s", "<u>m</u>"))
    assert "dc:date" not in drawn.text


def test_svg_does_not_depend_on_the_style_of_the_session(mixed):
    import matplotlib as mpl

    before = vector(mixed, "forest").text
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "text.parse_math": False}):
        assert vector(mixed, "forest").text == before
        assert mpl.rcParams["font.size"] == 30


def test_svg_is_trimmed_and_keeps_its_words(mixed):
    text = vector(mixed, "forest").text
    assert not re.search(r"<!--|\n|rotate\(-0 ", text)
    assert not re.search(r"<[^>]*\.\d{3}[^>]*>", text)
    table = mixed.contrasts(all=True)
    for pair in zip(table["first"], table["second"], strict=True):
        assert " vs ".join(pair) in text


def test_texts_keep_their_digits():
    names = ["0.12345 <0.98765>", "b"]
    relation = bi.Relation.from_pairs(names, {(names[0], "b"): "first"})
    assert "0.12345 &lt;0.98765&gt;" in vector(relation, "hasse").text


def test_widths_are_those_of_a_paper(mixed):
    across = [bi.plot(mixed, width=w).get_size_inches()[0] for w in ("page", "column", 5)]
    assert across == pytest.approx([6.9, 3.3, 5.0])


@pytest.mark.parametrize("width", ["wide", 0, 30, None])
def test_other_widths_are_refused(mixed, width):
    with pytest.raises(bi.DesignError) as caught:
        bi.plot(mixed, width=width)
    assert re.search("inches from 1 to 20|or a number", str(caught.value))


def test_heading_and_notes_are_a_choice(mixed):
    whole, bare = bi.plot(mixed), bi.plot(mixed, title=False, notes=False)
    assert whole.get_suptitle()
    assert whole.get_supxlabel()
    assert not bare.get_suptitle()
    assert not bare.get_supxlabel()
    assert bare.get_size_inches()[1] < whole.get_size_inches()[1] - 0.3
    assert bi.plot(mixed, title="Mine").get_suptitle() == "Mine"


def test_choices_that_a_figure_lacks_are_refused(mixed):
    with pytest.raises(bi.DesignError) as caught:
        bi.plot(mixed, "residuals", top=3)
    assert "no choice of top" in str(caught.value)


@pytest.mark.parametrize("size", [6, 14])
def test_texts_follow_the_font_of_the_session(mixed, size):
    import matplotlib as mpl

    with mpl.rc_context({"font.size": size}):
        figure = bi.plot(mixed, "forest")
    found = {round(text.get_fontsize() / size, 2) for text in figure.findobj(is_text)}
    assert found <= {1.0, 0.9, 0.85, 0.8, 0.75}
    assert figure.get_size_inches()[0] == pytest.approx(6.9)


def is_text(artist):
    return isinstance(artist, Text) and artist.get_text() and artist.get_visible()


@pytest.mark.parametrize("form", ["pdf", "svg", pytest.param("ps", marks=pytest.mark.calibration)])
def test_files_for_papers(mixed, form):
    buffer = BytesIO()
    bi.plot(mixed, width="column").savefig(buffer, format=form)
    if form == "pdf":
        assert b"/Type0" in buffer.getvalue()  # Type 42 as a composite font
        assert b"/Type3" not in buffer.getvalue()


def test_a_pgf_file_asks_for_no_sign_that_pdflatex_lacks(mixed, tmp_path, monkeypatch):
    from benchinfer.plots import draw

    figure = bi.plot(mixed, title="\N{BLACK DIAMOND} and \N{WHITE CIRCLE}")
    before, seen = said(figure), []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda self, *_, **__: seen.append(said(self))
    )
    figure.savefig(tmp_path / "figure.pgf")
    assert not set(draw._SIGNS) & set(seen[0])
    assert r"\rotatebox" in seen[0]
    assert said(figure) == before
    figure.savefig(tmp_path / "figure.pdf")
    assert seen[1] == before


def said(figure):
    return "".join(text.get_text() for text in figure.findobj(Text))


def test_axes_are_one_of_matplotlib(mixed):
    with pytest.raises(bi.DesignError, match=r"ax is \[\].\nHint: an Axes or None"):
        bi.plot(mixed, ax=[])
