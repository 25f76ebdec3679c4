"""The functions `plot` and `vector`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import signature
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import TextToPath, text_to_path

from benchinfer.core.arguments import ArgumentError, checked
from benchinfer.core.errors import BenchinferError, DesignError, unknown
from benchinfer.core.numbers import join
from benchinfer.core.result import registered
from benchinfer.plots.highlight import highlighted
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import COLUMN, FAINT, INK, PAGE, Width
from benchinfer.plots.text import below, plain, pt, scale, wrapped

if TYPE_CHECKING:
    from collections.abc import Generator

    from matplotlib.backend_bases import RendererBase


# Inches that no figure exceeds, and those that its margins take.
MOST = 20.0
_MARGIN = 0.08
_LINE = 0.15  # of a note
_WIDTHS = {"page": PAGE, "column": COLUMN}
_CHOICES = ("top", "pair", "algorithms", "order", "highlight")


@dataclass(frozen=True, slots=True)
class Kind:
    """A figure that a result can be shown as.

    Attributes
    ----------
    layout
        Turns the result and a width into a layout. Further parameters are the choices that the
        figure has: ``top``, ``pair``, ``algorithms``, ``order``.
    size
        Turns that layout into inches across and down, without heading and notes.
    draw
        Draws that layout into an Axes, without heading and notes.
    suits
        Says whether a result has the figure; the first kind that suits is the default.
    clusters
        Whether ``order`` may be ``"clusters"``.
    """

    layout: Callable[..., Layout]
    size: Callable[[Any], tuple[float, float]]
    draw: Callable[[Any, Axes], None]
    suits: Callable[[Any], bool] = lambda _: True
    clusters: bool = False


@dataclass(frozen=True, slots=True)
class Handed:
    """A figure kind that another package draws from a result, on axes that it creates."""

    draw: Callable[[Any, float], Figure]


def of_part(kind: Kind, part: Callable[[Any], object]) -> Kind:
    """Return a figure kind that draws a part of a result."""

    def layout(result: object, width: Width = PAGE, **choices: object) -> Layout:
        return kind.layout(part(result), width, **choices)

    layout.__signature__ = signature(kind.layout)  # pyright: ignore[reportFunctionMemberAccess]
    return replace(kind, layout=layout)


def kinds(result: object) -> Mapping[str, Kind | Handed]:
    """Return the figures that a result can be shown as by name, the default first.

    They are in ``FIGURES`` of the module ``figures`` next to the class, by class: the module that
    its attribute ``_home`` names.
    """
    return kinds_of(type(result))


def kinds_of(result: type) -> Mapping[str, Kind | Handed]:
    """Return the figures of a class of results; see `kinds`."""
    figures: Mapping[str, Kind | Handed] | None = registered(result, "figures", "FIGURES")
    if figures is not None:
        return figures
    raise BenchinferError(
        f"there is no figure of a {result.__name__}.",
        hint="plot a comparison, comparisons per data set, a relation, an ensemble, a"
        " consensus, its bootstrap, a plan, a gate, a front, a board, groups of data sets or a"
        " score table.",
    )


@checked
def plot(
    result: object,
    kind: str | None = None,
    ax: Axes | None = None,
    *,
    width: Literal["page", "column"] | float = "page",
    title: str | Literal[False] | None = None,
    notes: bool = True,
    top: int | None = None,
    pair: tuple[str, str] | None = None,
    algorithms: Sequence[str] | None = None,
    order: Sequence[str] | Literal["clusters"] | None = None,
    highlight: str | Sequence[str] | None = None,
) -> Figure:
    """Draw a result.

    Parameters
    ----------
    result
        A comparison, comparisons per data set, a relation, an ensemble, a consensus or a score
        table.
    kind
        Of a comparison: ``"ranking"`` (default), the algorithms' differences from the best one or
        the control with letters and levels, ``"forest"`` of the contrasts, ``"estimation"`` plot of
        the scores with differences from one algorithm on an aligned axis, ``"hasse"`` diagram of
        the order (``"hasse-undecided"``: with lines between what is undecided),
        ``"matrix"`` of the verdicts, ``"multi-comparison"`` matrix with differences and counts of
        wins, ``"letters"`` (bars where these say all) of what is not told
        apart, ``"critical-difference"``, the levels with such bars or letters,
        ``"rank-intervals"``, the ranks that the verdicts leave to each algorithm,
        ``"distributions"`` of the scores, or ``"boxes"`` of the algorithms within each data set. Of
        one by a mixed model, where the model has
        them, also: ``"variances"`` by source, ``"caterpillar"`` of how data sets depart,
        ``"residuals"``, ``"influence"`` of each data set, and ``"prediction"`` of the best
        algorithm on a new one, as also of what ``predict()`` returns. Of permutation tests
        ``"critical-difference"`` is of mean ranks; also ``"null"``, the null distribution of the
        global test. Of one by the bootstrap also: ``"aggregates"`` of the algorithms, performance
        ``"profile"`` of the scores, the one of ``"ratios"`` to the best, and probability of
        ``"improvement"`` of the pairs. Of tests of two algorithms also: ``"quantiles"`` of the
        differences (Q-Q plot). Of a meta-analysis also: the ``"studies"`` of one pair with the
        pooled effect and what to expect on a new data set, their ``"funnel"``, the ``"network"`` of
        comparisons, ``"influence"`` and ``"prediction"``. Of wins also: the ``"worths"`` of the
        algorithms with intervals that compare any two, and the ``"wins"`` of each against each. Of
        a hierarchical model also: probabilities of ``"ranks"``, the ``"simplex"`` of the three
        outcomes of each pair, the ``"shrinkage"`` of the data sets' differences to the average, how
        much each weighs when ``"left-out"``, and what the others say of it, ``"predicted"``. Of
        draws, by ArviZ: the ``"trace"`` of each chain, the ranks of chains (``"trace-rank"``), and,
        of a hierarchical model, the posterior predictive check ``"ppc"``. Of a
        monitored experiment also: the ``"path"`` of its stages or looks between their boundaries,
        or, on the anytime route, the ``"e-process"`` and the confidence ``"sequence"`` of each
        pair.
        Of several monitored measures: ``"verdicts"``.

        Of comparisons per data set: ``"verdicts"`` (default), ``"podium"``, the differences of
        one ``"pair"``, and what an ensemble has. Of an ensemble: ``"verdicts"`` (default),
        ``"support"``, the weight of each verdict, and which relations are alike as a ``"map"`` and
        as ``"clusters"``. Of a relation:
        ``"hasse"`` (default of up to 15 algorithms), ``"matrix"`` and ``"letters"``. Of a
        consensus: ``"hasse"`` of what holds in all optima (default of up to 15, then
        ``"positions"`` over the optima), ``"support"`` of its neighbours, and ``"matrix"``. Of a
        bootstrapped consensus: ``"positions"``. Of a plan: ``"power"``. Of a gate:
        ``"measures"``. Of effects of factors: the ``"effects"`` with intervals (default),
        ``"interactions"``, the means at the levels of each pair of factors, and a ``"heatmap"`` of
        the cells. Of groups of data sets: the ``"tree"``. Of a Pareto front:
        the ``"front"`` in the plane of two measures. Of a board: its ``"record"`` over the entries.
        Of random orders of a monitored experiment: ``"order"``. Of a score table (with one
        measure): ``"distributions"``, ``"boxes"`` of the algorithms within each data set, a
        ``"heatmap"`` of the means, a ``"scatter"`` plot of two algorithms over the data sets, a
        ``"slope"`` chart of the ranks on each data set, ``"learning-curves"`` over a covariate that
        varies within data sets; with a limit ``"solved"`` (share of runs
        solved over time), ``"cactus"`` (the same turned) and ``"profile"`` (ratios to the best).
    ax
        Axes to draw into, of any figure but those of ArviZ: its width is that of the layout, its
        height is the caller's to choose, heading and notes go above and below it. By default a
        new figure whose height follows the number of rows, up to 20 inches.
    width
        Of a new figure: ``"page"`` (6.9 inches), ``"column"`` (3.3 inches), or a number of inches.
        Texts follow the font size of the session (``font.size`` of matplotlib).
    title
        Heading in place of the figure's own; False leaves it out.
    notes
        Whether lines below say how to read the figure; they may go to a caption instead.
    top
        Largest number of rows that are shown, the best-ranked or most important ones.
    pair
        The two algorithms that are shown, of figures of one pair or of several; of a Pareto front
        the two measures, of ``"interactions"`` two factors, the one across first.
    algorithms
        The algorithms that are shown.
    order
        The algorithms in the order in which they are shown, best first, such as the ``ranking()``
        of another comparison; by default the result's own ranking. ``"clusters"``, of the
        ``"heatmap"`` of a score table: data sets and algorithms with similar colours as
        neighbours, with the trees of average linkage beside them.
    highlight
        An algorithm, or several, whose names are written in bold and in a colour of their own, as
        is the line of a ``"slope"`` chart. One of them is in the ``"scatter"`` plot, beside the
        best of the others; differences of the ``"estimation"`` plot are from it.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; its label is a text alternative. A notebook shows it.

    Raises
    ------
    BenchinferError
        There is no figure of such an object.
    DesignError
        The result has no figure of that kind, or the figure no such choice.
    ArgumentError
        The figure does not show an algorithm that is to be highlighted.

    Examples
    --------
    >>> import benchinfer as bi
    >>> relation = bi.Relation.from_pairs(["rf", "svm"], {("rf", "svm"): "second"})
    >>> bi.plot(relation).get_label()
    'Hasse diagram, best first (> preferred to, ~ equivalent, ? undecided): svm > rf.'
    """
    chosen = _choose(result, kind)
    choices = {"top": top, "pair": pair, "algorithms": algorithms, "order": order}
    given = {name: choice for name, choice in choices.items() if choice is not None}
    names = [highlight] if isinstance(highlight, str) else list(highlight or ())
    if isinstance(chosen, Handed):
        if ax is not None or given or names:
            what = "this figure is ArviZ's: it has axes of its own, and no choice of rows."
            raise DesignError(what, hint="give kind and width, without ax.")
        return chosen.draw(result, _inches(width))
    if names and "highlight" in signature(chosen.layout).parameters:
        given["highlight"] = names
    if ax is None:
        laid = _laid(chosen, result, _inches(width), given)
        figure = _figure(chosen, laid, title, notes=notes)
        highlighted(figure.axes, names)
        return figure
    if not isinstance(ax, Axes):  # pyright: ignore[reportUnnecessaryIsInstance]
        what = f"ax is a {type(ax).__name__}."
        raise ArgumentError(what, hint="give one Axes, as figure.add_subplot() returns.")
    room = ax.get_window_extent().width / ax.get_figure(root=True).dpi  # pyright: ignore[reportOptionalMemberAccess]
    laid = _laid(chosen, result, room, given)
    chosen.draw(laid, ax)
    highlighted([ax], names)
    _write_around(ax, laid, room, title, notes=notes)
    return ax.get_figure(root=True)  # pyright: ignore[reportReturnType]


def _inches(width: object) -> float:
    """Return a figure width in inches, from a number or a name such as "page"."""
    if isinstance(width, str) and width in _WIDTHS:
        return _WIDTHS[width]
    if isinstance(width, int | float) and 1 <= width <= MOST:
        return float(width)
    raise ArgumentError(
        f"the width {width!r} is not one of a figure.",
        hint=f'"page", "column", or inches from 1 to {MOST:g}.',
    )


def _choose(result: object, kind: str | None) -> Kind | Handed:
    known = kinds(result)
    if kind is None:
        return next(one for one in known.values() if isinstance(one, Kind) and one.suits(result))
    if kind not in known:
        raise DesignError(unknown("kind of figure", kind, list(known)))
    return known[kind]


def _laid(kind: Kind, result: object, room: float, choices: Mapping[str, object]) -> Any:
    """Return the layout of a result at a width in inches, with fewer rows if it is too high."""
    known = [name for name in signature(kind.layout).parameters if name in _CHOICES]
    if strange := [name for name in choices if name not in known]:
        has = f"it has {join(known)}" if known else "it has none"
        raise DesignError(f"this figure has no choice of {join(strange)}.", hint=f"{has}.")
    order = choices.get("order")
    if isinstance(order, str) and kind.clusters and order != "clusters":
        raise ArgumentError(
            f"order is {order!r}.", hint='"clusters", or the names of the algorithms in a list.'
        )
    if isinstance(order, str) and order == "clusters" and not kind.clusters:
        raise DesignError(
            'this figure has no order="clusters".', hint='the kind "heatmap" of a score table has.'
        )
    laid: Any = kind.layout(result, room / scale(), **choices)
    most = (MOST - 0.4) / scale()
    if "top" not in known or "top" in choices or _height(kind, laid) <= most:
        return laid
    fewer = {**choices, "top": 1}
    one, all_ = _height(kind, kind.layout(result, room / scale(), **fewer)), _height(kind, laid)
    rows = len(getattr(laid, "panels", laid.rows))
    top = min(max(int(1 + (most - one) / ((all_ - one) / max(rows - 1, 1))), 1), rows)
    shorter = kind.layout(result, room / scale(), **{**choices, "top": top})
    while top > 1 and _height(kind, shorter) > most:
        top -= 1
        shorter = kind.layout(result, room / scale(), **{**choices, "top": top})
    return shorter


def _height(kind: Kind, laid: Any) -> float:
    """Return the height of a layout in inches, with its notes."""
    across, down = kind.size(laid)
    return down + _LINE * (below(laid.notes, across - 2 * _MARGIN).count("\n") + 1)


# Signs of the notes that pdfLaTeX does not know; other engines take them from the font.
_SIGNS = {
    "\N{BLACK CIRCLE}": r"\ensuremath{\bullet}",
    "\N{WHITE CIRCLE}": r"\ensuremath{\circ}",
    "\N{BLACK DIAMOND}": r"\rotatebox[origin=c]{45}{\rule{0.9ex}{0.9ex}}",
    "\N{BLACK SQUARE}": r"\rule{1ex}{1ex}",
}
_DECLARED = "".join(
    rf"\DeclareUnicodeCharacter{{{ord(sign):X}}}{{{command}}}" for sign, command in _SIGNS.items()
)
_PREAMBLE = rf"\ifdefined\DeclareUnicodeCharacter{_DECLARED}\fi"


class Drawing(Figure):
    """A figure of a result, which shows itself where it ends a cell of a notebook.

    It embeds fonts as text (Type 42) in PDF and PostScript.
    """

    def draw(self, renderer: RendererBase) -> None:
        """Draw the figure without hinting, which widens texts by up to 13 % beyond the layout."""
        with mpl.rc_context({"text.hinting": "none"}):
            super().draw(renderer)

    def savefig(self, *arguments: Any, **options: Any) -> None:
        """Save the figure; see `matplotlib.figure.Figure.savefig`.

        A document needs nothing but the package pgf to take in a PGF file.
        """
        preamble = "\n".join(filter(None, (mpl.rcParams["pgf.preamble"], _PREAMBLE)))
        kind = options.get("format") or str(arguments[0] if arguments else "").rpartition(".")[2]
        written = _as_commands(self) if kind == "pgf" else nullcontext()
        with (
            mpl.rc_context({"pdf.fonttype": 42, "ps.fonttype": 42, "pgf.preamble": preamble}),
            written,
        ):
            super().savefig(*arguments, **options)

    def _repr_png_(self) -> tuple[bytes, dict[str, object]]:
        """Return the image at twice the screen resolution, with its size in screen pixels."""
        image, (across, down) = BytesIO(), self.get_size_inches()
        self.savefig(image, format="png", dpi=2 * self.dpi)
        size = {"width": round(self.dpi * across), "height": round(self.dpi * down)}
        return image.getvalue(), {**size, "alt": str(self.get_label())}


@contextmanager
def _as_commands(figure: Figure) -> Generator[None]:
    """Replace symbols in a figure's texts by TeX commands within a context."""
    texts = {text: text.get_text() for text in figure.findobj(Text)}
    try:
        for text, said in texts.items():
            text.set_text(said.translate(str.maketrans(_SIGNS)))
        yield
    finally:
        for text, said in texts.items():
            text.set_text(said)


def _figure(kind: Kind, laid: Any, title: str | Literal[False] | None, *, notes: bool) -> Drawing:
    """Return a new figure of a layout, with the heading above and the notes below."""
    across, down = kind.size(laid)
    across = min(across, MOST / scale())
    head, foot = _words(laid, across - 2 * _MARGIN, title, notes=notes)
    down += 0.167 * (head.count("\n") + 1) + 0.06 if head else 0.0
    down += _LINE * (foot.count("\n") + 1) + 0.06 if foot else 0.0
    size = (min(across * scale(), MOST), min(down * scale(), MOST))
    # Not through pyplot: no window, no global state, nothing to close.
    figure = Drawing(figsize=size, layout="constrained")
    engine = figure.get_layout_engine()
    engine.set(w_pad=_MARGIN, h_pad=_MARGIN / 2)  # pyright: ignore[reportOptionalMemberAccess, reportCallIssue]
    kind.draw(laid, figure.add_subplot())
    left = _MARGIN / size[0]
    if head:
        figure.suptitle(
            plain(head), x=left, ha="left", fontsize=pt(10), fontweight="bold", color=INK
        )
    if foot:
        figure.supxlabel(
            plain(foot), x=left, ha="left", fontsize=pt(8), color=FAINT, linespacing=1.35
        )
    figure.set_label(laid.alt)
    return figure


def _words(
    laid: Any, room: float, title: str | Literal[False] | None, *, notes: bool
) -> tuple[str, str]:
    """Return heading and notes wrapped to a width in inches."""
    heading = laid.title if title is None else title or ""
    return wrapped(heading, room, 10, bold=True), below(laid.notes if notes else (), room)


def _write_around(
    ax: Axes, laid: Any, room: float, title: str | Literal[False] | None, *, notes: bool
) -> None:
    """Write the heading above and the notes below an Axes of the user."""
    head, foot = _words(laid, room / scale(), title, notes=notes)
    if head:
        ax.set_title(plain(head), loc="left", fontsize=pt(10), fontweight="bold", color=INK, pad=22)
    if foot:
        said = "\n".join(part for part in (ax.get_xlabel(), plain(foot)) if part)
        ax.set_xlabel(said, loc="left", fontsize=pt(8), color=INK, linespacing=1.35)


@dataclass(frozen=True, slots=True)
class Vector:
    """A figure as SVG text."""

    text: str  # the SVG
    # width, height: natural size in CSS pixels
    width: int
    height: int
    alt: str  # text alternative


def vector(result: object, kind: str, width: Width = PAGE, *, top: int | None = None) -> Vector:
    """Draw a result as SVG, the same text for the same result; of many rows the first ones."""
    chosen = _choose(result, kind)
    if isinstance(chosen, Handed):
        raise DesignError("this figure is not one of a report.", hint="plot() draws it.")
    buffer = StringIO()
    with mpl.rc_context(), warnings.catch_warnings(), _measured_once():
        mpl.rcdefaults()  # a report looks the same whatever style its author prefers on screen
        mpl.rcParams["svg.fonttype"] = "none"
        mpl.rcParams["svg.hashsalt"] = "benchinfer"
        mpl.rcParams["font.family"] = "DejaVu Sans"
        # The browser draws the text and has the glyphs that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        options = {} if top is None else {"top": top}
        figure = _figure(chosen, _laid(chosen, result, width, options), None, notes=True)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        # Not by savefig, which draws twice.
        FigureCanvasSVG(figure).print_svg(buffer, metadata=nothing)
    _, _, body = buffer.getvalue().partition("<svg")
    across, down = figure.get_size_inches()
    return Vector(
        text=_trimmed(
            "<svg" + body.replace("'DejaVu Sans'", "system-ui, 'DejaVu Sans', sans-serif")
        ),
        width=round(96 * across),
        height=round(96 * down),
        alt=str(figure.get_label()),
    )


_measure = TextToPath.get_text_width_height_descent


@lru_cache(maxsize=20_000)
def _extent(text: str, font: FontProperties, *, ismath: bool | Literal["TeX"]) -> tuple[float, ...]:
    return _measure(text_to_path, text, font, ismath)


@contextmanager
def _measured_once() -> Generator[None]:
    """Cache the extents of texts within a context: figures of a report share most texts."""
    name = _measure.__name__
    setattr(TextToPath, name, lambda _, text, font, ismath: _extent(text, font, ismath=ismath))
    try:
        yield
    finally:
        setattr(TextToPath, name, _measure)


def _trimmed(svg: str) -> str:
    """Return an SVG without invisible parts, such as comments, and rounded to 0.01 pt."""
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><")
    svg = re.sub(
        r' transform="rotate\(-0 [^)]*\)"| id="(?:text|line2d|patch|[xy]tick)_\d+"', "", svg
    )
    # Within tags only: texts keep their digits.
    return re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), svg)
