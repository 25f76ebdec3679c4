"""What the model makes of each data set: differences as observed, and drawn to the average."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.phrases import count
from benchinfer.numerics.bayes.reduction import helmert
from benchinfer.order.relation import Verdict
from benchinfer.plots.forest import axis_title, band, band_note, ticks
from benchinfer.plots.studies import finish
from benchinfer.plots.style import BAND, FAINT, INK, MARKS, Width, lines, plain, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.evidence import Array
    from benchinfer.numerics.bayes.reduction import ContrastData

_MOST = 40  # data sets that have a line of their own
_MARK = MARKS[Verdict.FIRST]


@dataclass(frozen=True, slots=True)
class Pulled:
    """A data set: the difference as observed (None without both algorithms), and by the model."""

    label: str
    observed: float | None
    shrunken: float


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """Where everything stands, in the measure's own unit.

    Attributes
    ----------
    rows
        Data sets, the smallest difference first.
    average, low, high
        Average difference with its credible interval.
    neutral, band, log
        The effect of no difference, effects within the tolerance, and whether the axis is
        logarithmic.
    title, axis, notes, alt, width
        Words, and the room there is.
    """

    rows: tuple[Pulled, ...]
    average: float
    low: float
    high: float
    neutral: float
    band: tuple[float, float] | None
    log: bool
    title: str
    axis: str
    notes: tuple[str, ...]
    alt: str
    width: Width


def observed(data: "ContrastData", contrast: "Array") -> "Array":
    """Return a contrast as each data set's scores alone give it, NaN where they do not.

    Parameters
    ----------
    data
        Contrasts of M data sets.
    contrast
        (K,) weights that sum to 0.
    """
    wanted = helmert(data.n_algorithms) @ contrast
    weights = data.design @ wanted
    back = np.einsum("mij,mi->mj", data.design, weights)
    known = np.abs(back - wanted).max(axis=1) < 1e-9
    return np.where(known, data.scale * (weights * data.z).sum(axis=1), np.nan)


def layout(result: "BayesComparison", width: Width = "wide") -> Shrinkage:
    """Lay out the differences of the two algorithms with the best averages.

    Parameters
    ----------
    result
        The comparison.
    width
        ``"narrow"`` for a small screen or a column of text.
    """
    measure, k = result.measure, len(result.algorithms)
    i, j = sorted(np.argsort(-result.levels.estimate, kind="stable")[:2].tolist())
    contrast = np.eye(k)[i] - np.eye(k)[j]
    shrunken = result.draws.dataset_mean @ helmert(k) @ contrast
    raw = observed(result.data, contrast)
    names = short([result.setting.coverage.datasets[d] for d in result.data.dataset], 24)
    order = np.argsort(measure.sign * shrunken, kind="stable")
    labels = list(names.values())
    rows = [
        Pulled(
            labels[m],
            None if np.isnan(raw[m]) else float(measure.effect(raw[m])),
            float(measure.effect(shrunken[m])),
        )
        for m in order.tolist()
    ]
    effects = result.draws.effects @ contrast
    tail = (1 - result.level) / 2
    ends = measure.effect_interval(*np.quantile(effects, [tail, 1 - tail]))
    average, (low, high) = float(measure.effect(effects.mean())), (float(end) for end in ends)
    step = max(1, -(-len(rows) // _MOST))
    first, second = result.algorithms[i], result.algorithms[j]
    reading = (
        "hollow: as observed; filled: by the model, drawn to the average the more the less is"
        f" known; line: average, with its {100 * result.level:g} % credible interval"
    )
    notes = [
        reading,
        *([f"every {step}th of {len(rows)} data sets is drawn"] if step > 1 else []),
        band_note(measure),
    ]
    return Shrinkage(
        rows=tuple(rows[::step]),
        average=average,
        low=low,
        high=high,
        neutral=measure.neutral,
        band=band(measure),
        log=measure.scale != "identity",
        title=f"{first} vs {second} by data set: {measure.label or measure.name}",
        axis=axis_title(measure),
        notes=tuple(filter(None, notes)),
        alt=f"Differences of {first} and {second} on {count(len(rows), 'data set')},"
        f" {axis_title(measure)}, as observed and by the model; average {average:.3g}, from"
        f" {low:.3g} to {high:.3g}.",
        width=width,
    )


def size(shrinkage: Shrinkage) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return (6.9 if shrinkage.width == "wide" else 3.75), 1.7 + 0.2 * len(shrinkage.rows)


def draw(shrinkage: Shrinkage, ax: "Axes") -> None:
    """Draw the differences into an Axes."""
    s, n = shrinkage, len(shrinkage.rows)
    ends = [s.neutral, s.low, s.high, *(s.band or ()), *(row.shrunken for row in s.rows)]
    ends += [row.observed for row in s.rows if row.observed is not None]
    if s.log:
        ax.set_xscale("log")
        low, high = min(ends) / 1.05, max(ends) * 1.05
    else:
        pad = 0.03 * (max(ends) - min(ends))
        low, high = min(ends) - pad, max(ends) + pad
    ax.set_xlim(low, high)
    ax.set_ylim(n - 0.3, -0.7)
    if s.band:
        ax.axvspan(*s.band, color=BAND, lw=0, zorder=0)
    ax.axvline(s.neutral, color=INK, lw=0.9, zorder=1)
    ax.axvspan(s.low, s.high, color=_MARK.colour, alpha=0.13, lw=0, zorder=0)
    ax.axvline(s.average, color=_MARK.colour, lw=1.2, zorder=1)
    both = [(row.observed, y, row.shrunken) for y, row in enumerate(s.rows)]
    pulled = [(a, y, b) for a, y, b in both if a is not None]
    lines(ax, [(a, y, b, y) for a, y, b in pulled], FAINT, 1.0, zorder=2)
    ax.plot(
        [a for a, _, _ in pulled], [y for _, y, _ in pulled], "o", color=FAINT, mfc="white", ms=6.5
    )
    ax.plot([row.shrunken for row in s.rows], range(n), "o", color=_MARK.colour, ms=4, zorder=4)
    ax.set_yticks(range(n), [plain(row.label) for row in s.rows], fontsize=8.5, color=INK)
    ax.tick_params(axis="y", length=0)
    finish(ax, s.title, (s.axis, *s.notes), s.width)
    found = ticks(low, high, 6, log=s.log)
    ax.set_xticks(found, [signed(t) for t in found], fontsize=8.5)
    ax.set_xticks([], minor=True)
