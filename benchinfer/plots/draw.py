"""The functions `plot` and `vector`."""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchinfer.core.errors import BenchinferError, DesignError, message, unknown
from benchinfer.core.result import registered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.plots.style import Width


@dataclass(frozen=True, slots=True)
class Kind:
    """A figure that a result can be shown as.

    Attributes
    ----------
    layout
        Turns the result (and a width) into a layout record with its text
        alternative as ``alt``.
    size
        Turns that record into the size of a figure in inches.
    draw
        Draws that record into an Axes.
    """

    layout: Callable[..., Any]
    size: Callable[[Any], tuple[float, float]]
    draw: Callable[[Any, "Axes"], None]


@dataclass(frozen=True, slots=True)
class Handed:
    """A figure that another package draws from a result, with axes of its own."""

    draw: Callable[[Any], Figure]


def of_part(kind: Kind, part: Callable[[Any], object]) -> Kind:
    """Return the kind that shows a part of a result."""

    def layout(result: object, width: "Width" = "wide") -> object:
        return kind.layout(part(result), width)

    return replace(kind, layout=layout)


def kinds(result: object) -> Mapping[str, Kind | Handed]:
    """Return the figures that a result can be shown as by name, the default first.

    They are in ``FIGURES`` of the module ``figures`` next to the class, by class: the module that
    its attribute ``home`` names.
    """
    return kinds_of(type(result))


def kinds_of(result: type) -> Mapping[str, Kind | Handed]:
    """Return the figures of a class of results; see `kinds`."""
    figures: Mapping[str, Kind | Handed] | None = registered(result, "figures", "FIGURES")
    if figures is not None:
        return figures
    raise BenchinferError(
        message(
            f"there is no figure of a {result.__name__}.",
            hint="plot a comparison, comparisons per data set, a relation, an ensemble, a"
            " consensus, its bootstrap, a plan or a score table.",
        )
    )


def plot(result: object, kind: str | None = None, ax: "Axes | None" = None) -> Figure:
    """Draw a result.

    Parameters
    ----------
    result
        A comparison, comparisons per data set, a relation, an ensemble, a consensus or a score
        table.
    kind
        Of a comparison: ``"forest"`` of the contrasts (default), ``"hasse"`` diagram of the order
        (``"hasse-undecided"``: with lines between what is not distinguished),
        ``"matrix"`` of the verdicts, ``"letters"`` (bars where these say all) of what is not told
        apart, or ``"distributions"`` of the scores. Of one by a mixed model, where the model has
        them, also: ``"variances"`` by source, ``"caterpillar"`` of how data sets depart,
        ``"residuals"``, ``"influence"`` of each data set, and ``"prediction"`` of the best
        algorithm on a new one, as also of what ``predict()`` returns. Of permutation tests
        also: ``"critical-difference"``, the mean ranks with bars or letters that join what is not
        distinguished, and ``"null"``, the null distribution of the global test. Of one by the
        bootstrap also: ``"aggregates"`` of the algorithms, performance ``"profile"`` of the scores,
        the one of ``"ratios"`` to the best, and probability of ``"improvement"`` of the pairs. Of
        tests of two algorithms also: ``"quantiles"`` of the differences (Q-Q plot). Of a
        meta-analysis also: the ``"studies"`` of one pair with the pooled effect and what to expect
        on a new data set, their ``"funnel"``, the ``"network"`` of comparisons, ``"influence"``
        and ``"prediction"``. Of wins also: the ``"worths"`` of the algorithms with intervals that
        compare any two, and the ``"wins"`` of each against each. Of a hierarchical model also:
        probabilities of ``"ranks"``, the ``"simplex"`` of the three outcomes of each pair, the
        ``"shrinkage"`` of the data sets' differences to the average, how much each weighs when
        ``"left-out"``, and what the others say of it, ``"predicted"``. Of draws, by ArviZ: the
        ``"trace"`` of each chain, the ranks of chains (``"trace-rank"``), and, of a hierarchical
        model, the posterior predictive check ``"ppc"``. Of a monitored experiment
        also: the ``"path"`` of its stages or looks between their boundaries, or, on the anytime
        route, the ``"e-process"`` and the confidence ``"sequence"`` of each pair.
        Of several monitored measures: ``"verdicts"``.

        Of comparisons per data set: ``"verdicts"`` (default), ``"podium"``, and what an ensemble
        has. Of an ensemble: ``"verdicts"`` (default), ``"support"``, the weight of each verdict,
        and which relations are alike as a ``"map"`` and as ``"clusters"``. Of a relation:
        ``"hasse"`` (default), ``"matrix"`` and ``"letters"``. Of a consensus: ``"hasse"`` of what
        holds in all optima (default), ``"support"`` of its neighbours, ``"positions"`` over the
        optima, and ``"matrix"``. Of a bootstrapped consensus: ``"positions"``. Of a plan:
        ``"power"``. Of random orders of a monitored experiment: ``"order"``. Of a score table (with
        one measure): ``"distributions"``.
    ax
        Axes to draw into; by default a new figure whose size follows the number of rows.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; its label is a text alternative. A notebook shows it.

    Raises
    ------
    BenchinferError
        There is no figure of such an object.
    DesignError
        The result has no figure of that kind.

    Examples
    --------
    >>> import benchinfer as bi
    >>> relation = bi.Relation.from_pairs(["rf", "svm"], {("rf", "svm"): "second"})
    >>> bi.plot(relation).get_label()
    'Hasse diagram, best first (> preferred to, ~ equivalent, ? not told apart): svm > rf.'
    """
    chosen = _choose(result, kind)
    if isinstance(chosen, Handed):
        if ax is not None:
            raise DesignError(message("this figure has axes of its own.", hint="leave out ax=."))
        return chosen.draw(result)
    return _drawn(chosen, chosen.layout(result), ax)


def _choose(result: object, kind: str | None) -> Kind | Handed:
    known = kinds(result)
    if kind is None:
        return next(iter(known.values()))
    if kind not in known:
        raise DesignError(unknown("kind of figure", kind, list(known)))
    return known[kind]


class Drawing(Figure):
    """A figure of a result, which shows itself where it ends a cell of a notebook."""

    def _repr_png_(self) -> tuple[bytes, dict[str, object]]:
        """Return the image, with two dots for a pixel of the screen, and its size there."""
        image, (across, down) = BytesIO(), self.get_size_inches()
        self.savefig(image, format="png", dpi=2 * self.dpi)
        size = {"width": round(self.dpi * across), "height": round(self.dpi * down)}
        return image.getvalue(), {**size, "alt": str(self.get_label())}


def _drawn(kind: Kind, laid: Any, ax: "Axes | None") -> Figure:
    if ax is None:
        # Not through pyplot: no window, no global state, nothing to close.
        figure = Drawing(figsize=kind.size(laid), layout="constrained")
        kind.draw(laid, figure.add_subplot())
        figure.set_label(laid.alt)
        return figure
    kind.draw(laid, ax)
    figure = ax.figure
    return figure if isinstance(figure, Figure) else figure.figure


@dataclass(frozen=True, slots=True)
class Vector:
    """A figure as SVG text.

    Attributes
    ----------
    text
        The SVG.
    width, height
        Natural size in CSS pixels.
    alt
        Text alternative.
    """

    text: str
    width: int
    height: int
    alt: str


def vector(result: object, kind: str, width: "Width" = "wide") -> Vector:
    """Draw a result as SVG, the same text for the same result."""
    chosen = _choose(result, kind)
    if isinstance(chosen, Handed):
        raise DesignError(message("this figure is not one of a report.", hint="plot() draws it."))
    buffer = StringIO()
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # a report looks the same whatever style its author prefers on screen
        mpl.rcParams["svg.fonttype"] = "none"
        mpl.rcParams["svg.hashsalt"] = "benchinfer"
        mpl.rcParams["font.family"] = "DejaVu Sans"
        # The browser draws the text and has the glyphs that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = _drawn(chosen, chosen.layout(result, width), None)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=nothing)
    _, _, body = buffer.getvalue().partition("<svg")
    across, down = figure.get_size_inches()
    return Vector(
        text="<svg"
        + _trimmed(body.replace("'DejaVu Sans'", "system-ui, 'DejaVu Sans', sans-serif")),
        width=round(96 * across),
        height=round(96 * down),
        alt=str(figure.get_label()),
    )


def _trimmed(svg: str) -> str:
    """Leave out what nobody sees: comments, white space, turns by 0, and digits beyond 0.01 pt."""
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><")
    svg = re.sub(
        r' transform="rotate\(-0 [^)]*\)"| id="(?:text|line2d|patch|[xy]tick)_\d+"', "", svg
    )
    # Within tags only: texts keep their digits.
    return re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), svg)
