"""The functions `plot` and `vector`."""

import re
import warnings
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchinfer.analyses.bayes import figures as bayes_figures
from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.bayes.pairwise.comparison import BayesPairsComparison
from benchinfer.analyses.bootstrap import figures as bootstrap_figures
from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.analyses.meta import figures as meta_figures
from benchinfer.analyses.meta.comparison import MetaComparison
from benchinfer.analyses.mixed import figures
from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.analyses.monitor.comparison import MonitorComparison
from benchinfer.analyses.monitor.figures import bets, paths
from benchinfer.analyses.monitor.measures import MonitoredMeasures
from benchinfer.analyses.monitor.reordering import Consecutive
from benchinfer.analyses.pair import figures as pair_figures
from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.analyses.permutation import figures as permutation_figures
from benchinfer.analyses.permutation.comparison import PermutationComparison
from benchinfer.analyses.plan import figures as plan_figures
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.wins import figures as wins_figures
from benchinfer.analyses.wins.comparison import WinsComparison
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.figures import datasets, forest, influence
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.comparison.prediction import NewDataset
from benchinfer.core.errors import BenchinferError, DesignError, message, unknown
from benchinfer.core.sections import Image, Picture
from benchinfer.plots import tiles
from benchinfer.relations.consensus import figures as consensus_figures
from benchinfer.relations.consensus.consensus import Consensus
from benchinfer.relations.consensus.stability import Stability
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.figures import ensemble, hasse, hasse_undecided, pairs
from benchinfer.relations.relation import Relation
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.plots.style import Width


@dataclass(frozen=True, slots=True)
class Kind:
    """A figure that a result can be shown as.

    Attributes
    ----------
    layout
        Turns the result (and a width) into a record of where everything stands, with its text
        alternative as ``alt``.
    size
        Turns that record into the size of a figure in inches.
    draw
        Draws that record into an Axes.
    """

    layout: Callable[..., Any]
    size: Callable[[Any], tuple[float, float]]
    draw: Callable[[Any, "Axes"], None]


_hasse = Kind(hasse.layout, hasse.size, hasse.draw)
_forest = Kind(forest.layout, forest.size, forest.draw)
_verdicts = Kind(datasets.layout_verdicts, tiles.size_verdicts, tiles.draw_verdicts)
_scores = Kind(
    datasets.layout_distributions, datasets.size_distributions, datasets.draw_distributions
)
_influence = Kind(influence.layout_influence, influence.size_influence, influence.draw_influence)
_prediction = Kind(
    influence.layout_prediction, influence.size_prediction, influence.draw_prediction
)


def _on(kind: Kind, part: Callable[[Any], object]) -> Kind:
    """Return the kind that shows a part of a result."""

    def layout(result: object, width: "Width" = "wide") -> object:
        return kind.layout(part(result), width)

    return replace(kind, layout=layout)


_relation = {
    "hasse": _hasse,
    "hasse-undecided": Kind(hasse_undecided.layout, hasse.size, hasse.draw),
    "matrix": Kind(pairs.layout_matrix, pairs.size_matrix, pairs.draw_matrix),
    "letters": Kind(pairs.layout_letters, pairs.size_letters, pairs.draw_letters),
}
_comparison = {
    "forest": _forest,
    **{name: _on(kind, lambda result: result.relation()) for name, kind in _relation.items()},
    "distributions": _on(_scores, lambda comparison: comparison.setting),
}
_alike = {
    "support": Kind(ensemble.layout_support, ensemble.size_support, ensemble.draw_support),
    "map": Kind(ensemble.layout_landscape, ensemble.size_landscape, ensemble.draw_landscape),
    "clusters": Kind(
        ensemble.layout_dendrogram, ensemble.size_dendrogram, ensemble.draw_dendrogram
    ),
}
# The default kind first. The table is open: a type of your own can be added to it.
KINDS: dict[type, Mapping[str, Kind]] = {
    Comparison: _comparison,
    MixedComparison: {
        **_comparison,
        "variances": Kind(figures.layout_variances, figures.size_variances, figures.draw_variances),
        "caterpillar": Kind(
            figures.layout_caterpillar, figures.size_caterpillar, figures.draw_caterpillar
        ),
        "residuals": Kind(figures.layout_residuals, figures.size_residuals, figures.draw_residuals),
        "influence": _on(_influence, influence.InfluenceLayout.of),
        "prediction": _on(_prediction, lambda mixed: mixed.predict()),
    },
    BootstrapComparison: {
        **_comparison,
        "aggregates": Kind(
            bootstrap_figures.layout_aggregates,
            bootstrap_figures.size_aggregates,
            bootstrap_figures.draw_aggregates,
        ),
        "profile": Kind(
            bootstrap_figures.layout_profile,
            bootstrap_figures.size_profile,
            bootstrap_figures.draw_profile,
        ),
        "ratios": Kind(
            bootstrap_figures.ratios, bootstrap_figures.size_profile, bootstrap_figures.draw_profile
        ),
        "improvement": Kind(
            bootstrap_figures.layout_improvement,
            bootstrap_figures.size_improvement,
            bootstrap_figures.draw_improvement,
        ),
    },
    BayesComparison: {
        **_comparison,
        "ranks": Kind(bayes_figures.layout_ranks, tiles.size_chances, tiles.draw_chances),
        "simplex": Kind(
            bayes_figures.layout_simplex, bayes_figures.size_simplex, bayes_figures.draw_simplex
        ),
        "shrinkage": Kind(
            bayes_figures.layout_shrinkage,
            bayes_figures.size_shrinkage,
            bayes_figures.draw_shrinkage,
        ),
        "left-out": Kind(
            bayes_figures.layout_left_out, bayes_figures.size_left_out, bayes_figures.draw_left_out
        ),
        "predicted": Kind(
            bayes_figures.layout_predicted,
            bayes_figures.size_predicted,
            bayes_figures.draw_predicted,
        ),
    },
    BayesPairsComparison: {
        **_comparison,
        "simplex": Kind(
            bayes_figures.layout_pairs, bayes_figures.size_simplex, bayes_figures.draw_simplex
        ),
    },
    MetaComparison: {
        **_comparison,
        "studies": Kind(
            meta_figures.layout_studies, meta_figures.size_studies, meta_figures.draw_studies
        ),
        "funnel": Kind(
            meta_figures.layout_funnel, meta_figures.size_funnel, meta_figures.draw_funnel
        ),
        "network": Kind(
            meta_figures.layout_network, meta_figures.size_network, meta_figures.draw_network
        ),
        "influence": _on(_influence, influence.InfluenceLayout.of_meta),
        "prediction": _on(_prediction, lambda meta: meta.prediction()),
    },
    PairComparison: {
        **_comparison,
        "quantiles": Kind(pair_figures.layout, pair_figures.size, pair_figures.draw),
    },
    WinsComparison: {
        **_comparison,
        "distributions": _on(_scores, lambda wins: wins.counted.scored),
        "worths": Kind(
            wins_figures.layout_worths, wins_figures.size_worths, wins_figures.draw_worths
        ),
        "wins": Kind(
            wins_figures.layout_win_matrix,
            wins_figures.size_win_matrix,
            wins_figures.draw_win_matrix,
        ),
    },
    PermutationComparison: {
        **_comparison,
        "critical-difference": Kind(
            permutation_figures.layout_critical_difference,
            permutation_figures.size_critical_difference,
            permutation_figures.draw_critical_difference,
        ),
        "null": Kind(
            permutation_figures.layout_null,
            permutation_figures.size_null,
            permutation_figures.draw_null,
        ),
    },
    MonitorComparison: {
        **_comparison,
        "path": Kind(
            paths.layout_decision_path, paths.size_decision_path, paths.draw_decision_path
        ),
        "e-process": Kind(bets.layout_e_process, bets.size_e_process, bets.draw_e_process),
        "sequence": Kind(bets.layout_sequence, bets.size_sequence, bets.draw_sequence),
    },
    influence.InfluenceLayout: {"influence": _influence},
    NewDataset: {"prediction": _prediction},
    Comparisons: {
        "verdicts": _verdicts,
        "podium": Kind(datasets.layout_podium, datasets.size_podium, datasets.draw_podium),
        **{name: _on(kind, lambda local: local.relations()) for name, kind in _alike.items()},
    },
    Relation: _relation,
    Ensemble: {
        "verdicts": Kind(ensemble.layout_verdicts, tiles.size_verdicts, tiles.draw_verdicts),
        **_alike,
    },
    Consensus: {
        "hasse": Kind(
            consensus_figures.layout_agreed,
            consensus_figures.size_agreed,
            consensus_figures.draw_agreed,
        ),
        "support": Kind(ensemble.layout_consensus, ensemble.size_support, ensemble.draw_support),
        "positions": Kind(
            consensus_figures.layout_ranges,
            consensus_figures.size_ranges,
            consensus_figures.draw_ranges,
        ),
        "matrix": _on(_relation["matrix"], lambda found: found.relation()),
    },
    Stability: {
        "positions": Kind(
            consensus_figures.layout_positions, tiles.size_chances, tiles.draw_chances
        ),
    },
    MonitoredMeasures: {
        "verdicts": Kind(paths.layout_measures, tiles.size_verdicts, tiles.draw_verdicts),
    },
    Consecutive: {
        "order": Kind(bets.layout_rearranged, bets.size_rearranged, bets.draw_rearranged)
    },
    Plan: {"power": Kind(plan_figures.layout, plan_figures.size, plan_figures.draw)},
    Setting: {"distributions": _scores},
    ScoreTable: {"distributions": _on(_scores, lambda scores: Setting.of(scores)[0])},
}


def kinds(result: object) -> Mapping[str, Kind]:
    """Return the figures that a result can be shown as by name, the default first.

    Raises
    ------
    BenchinferError
        There is no figure of such an object.
    """
    for cls in type(result).__mro__:
        if cls in KINDS:
            return KINDS[cls]
    raise BenchinferError(
        message(
            f"there is no figure of a {type(result).__name__}.",
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
        (``"hasse-undecided"``: with lines between what is not told apart),
        ``"matrix"`` of the verdicts, ``"letters"`` (bars where these say all) of what is not told
        apart, or ``"distributions"`` of the scores. Of one by a mixed model, where the model has
        them, also: ``"variances"`` by source, ``"caterpillar"`` of how data sets depart,
        ``"residuals"``, ``"influence"`` of each data set, and ``"prediction"`` of the best
        algorithm on a new one, as also of what ``predict()`` returns. Of permutation tests
        also: ``"critical-difference"``, the mean ranks with bars or letters that join what is not
        told apart, and ``"null"``, the null distribution of the global test. Of one by the
        bootstrap also: ``"aggregates"`` of the algorithms, performance ``"profile"`` of the scores,
        the one of ``"ratios"`` to the best, and probability of ``"improvement"`` of the pairs. Of
        tests of two algorithms also: ``"quantiles"`` of the differences (Q-Q plot). Of a
        meta-analysis also: the ``"studies"`` of one pair with the pooled effect and what to expect
        on a new data set, their ``"funnel"``, the ``"network"`` of comparisons, ``"influence"``
        and ``"prediction"``. Of wins also: the ``"worths"`` of the algorithms with intervals that
        compare any two, and the ``"wins"`` of each against each. Of a hierarchical model also:
        probabilities of ``"ranks"``, the ``"simplex"`` of the three outcomes of each pair, the
        ``"shrinkage"`` of the data sets' differences to the average, how much each weighs when
        ``"left-out"``, and what the others say of it, ``"predicted"``. Of a monitored experiment
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
        The figure; its label is a text alternative.

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
    return _drawn(chosen, chosen.layout(result), ax)


def _choose(result: object, kind: str | None) -> Kind:
    known = kinds(result)
    if kind is None:
        return next(iter(known.values()))
    if kind not in known:
        raise DesignError(unknown("kind of figure", kind, list(known)))
    return known[kind]


def _drawn(kind: Kind, laid: Any, ax: "Axes | None") -> Figure:
    if ax is None:
        # Not through pyplot: no window, no global state, nothing to close.
        figure = Figure(figsize=kind.size(laid), layout="constrained")
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


def picture(result: object, kind: str, caption: str) -> Picture:
    """Draw a figure for wide and for narrow screens.

    As images and not as markup of the page: what a name contains cannot reach the page, and the
    ids of two figures cannot meet.
    """
    wide, narrow = vector(result, kind, "wide"), vector(result, kind, "narrow")
    return Picture(_image(wide), _image(narrow), caption, wide.alt)


def _image(drawn: "Vector") -> Image:
    code = b64encode(drawn.text.encode()).decode("ascii")
    return Image(f"data:image/svg+xml;base64,{code}", drawn.width, drawn.height)
