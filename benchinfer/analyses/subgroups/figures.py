"""Trees of data sets with the levels of the algorithms in each leaf, and their stability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from benchinfer.analyses.subgroups.stability import SubgroupStability
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, p_clause
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.ties import joined_levels
from benchinfer.plots import panels
from benchinfer.plots.bars import room
from benchinfer.plots.draw import Kind
from benchinfer.plots.layout import Layout
from benchinfer.plots.style import FAINT, HAIR, INK, MARKS, PAGE, Width, lines, signed
from benchinfer.plots.text import across, fitted, key, plain, pt, widest, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.analyses.subgroups.tree import TreeNode

_SIZE, _LINE, _ROW, _GAP = 8.0, 0.145, 0.19, 0.2  # points; inches of a line, a row, an edge
_PART = 0.9  # of a leaf's room is used
_MARK = MARKS[Verdict.FIRST].colour


@dataclass(frozen=True, slots=True)
class NodeText:
    """Text of a node: its middle and top in inches, and its lines."""

    x: float
    y: float
    text: str

    @property
    def bottom(self) -> float:
        """Lower end in inches."""
        return self.y + _LINE * (self.text.count("\n") + 1)


@dataclass(frozen=True, slots=True)
class LeafPanel:
    """Levels of the algorithms in one leaf."""

    # left, right: inches
    left: float
    right: float
    # (R, 3) level and ends of its interval, NaN of an algorithm that is not compared
    points: np.ndarray
    open: tuple[bool, ...]  # (R,) whether some algorithm is decided to be better
    note: str = ""  # in place of points, why there are none


@dataclass(frozen=True, slots=True)
class TreeFigure(Layout):
    """Layout of the figure, in inches from the upper left corner."""

    boxes: tuple[NodeText, ...]
    edges: tuple[tuple[float, float, float, float], ...]  # lines x0, y0, x1, y1 between them
    rows: tuple[str, ...]  # names of the algorithms
    top: float  # upper end of the panels
    panels: tuple[LeafPanel, ...]  # one for each leaf
    # limits, ticks: of the levels in each panel
    limits: tuple[float, float]
    ticks: tuple[float, ...]
    reference: float  # level of a line in each panel, NaN for none


def layout(result: Subgroups, width: Width = PAGE, *, top: int | None = None) -> TreeFigure:
    """Return the layout of a tree, with the levels of the algorithms in each leaf."""
    tree, algorithms = result.tree, result.setting.algorithms
    largest = max((tree.nodes[at] for at in tree.leaves), key=lambda node: len(node.datasets))
    order = np.argsort(-joined_levels(largest.levels), kind="stable")[:top]
    shown = [algorithms[k] for k in order]
    inside = width - 0.2
    names = fitted(shown, 0.32 * inside)
    begin = widest([*names.values()]) + 0.12
    pitch = (inside - begin) / len(tree.leaves)
    nodes = result.tree.nodes
    middle = {at: begin + (n + 0.5) * pitch for n, at in enumerate(result.tree.leaves)}
    for at in range(len(nodes) - 1, -1, -1):
        if nodes[at].children:
            middle[at] = float(np.mean([middle[child] for child in nodes[at].children]))
    boxes, edges, below = _boxes(result, middle, pitch)
    panels = tuple(
        _panel(result, tree.nodes[at].name, shown, middle[at], pitch) for at in tree.leaves
    )
    ends = np.concatenate([panel.points.ravel() for panel in panels])
    limits = room([float(end) for end in ends if np.isfinite(end)], log=False)
    wins = result.options.model == "wins"
    measure = result.measure
    said = "; ".join(f"{name}: {one.relation()}" for name, one in result.items())
    return TreeFigure(
        boxes=boxes,
        edges=edges,
        rows=tuple(names.values()),
        top=below,
        panels=panels,
        limits=limits,
        ticks=_ticks(limits, _PART * pitch),
        reference=0.5 if wins else np.nan,
        axis="chance to win against an average algorithm" if wins else measure.title,
        title=f"Groups of data sets by {measure.noun}, {measure.better} is better",
        notes=(
            "lines: each level's own interval; filled: decided to be worse than none",
            *(["best first in the largest group"] if len(tree.leaves) > 1 else []),
            *(
                []
                if result.honest or len(tree.leaves) == 1
                else [
                    "groups were chosen by the same scores: differences between them are too large"
                ]
            ),
            *key(names),
        ),
        alt=f"Tree of {count(len(tree.nodes[0].datasets), 'data set')} with"
        f" {count(len(tree.leaves), 'group')}. {said}.",
        width=width,
    )


def _boxes(
    result: Subgroups, middle: Mapping[int, float], pitch: float
) -> tuple[tuple[NodeText, ...], tuple[tuple[float, float, float, float], ...], float]:
    """Place the nodes by depth, all leaves on the last level; return where panels begin."""
    nodes, leaves = result.tree.nodes, result.tree.leaves
    depth = max(nodes[at].depth for at in leaves)
    level = {at: depth if at in leaves else node.depth for at, node in enumerate(nodes)}
    texts = {at: _text(result, node, pitch) for at, node in enumerate(nodes)}
    tops, down = list[float](), 0.05
    for here in range(depth + 1):
        tops.append(down)
        most = max(text.count("\n") + 1 for at, text in texts.items() if level[at] == here)
        down += _LINE * most + _GAP
    boxes = {at: NodeText(middle[at], tops[level[at]], text) for at, text in texts.items()}
    edges = tuple(
        (middle[node.parent], boxes[node.parent].bottom + 0.03, middle[at], boxes[at].y - 0.03)
        for at, node in enumerate(nodes)
        if node.parent >= 0
    )
    return tuple(boxes.values()), edges, down - _GAP + 0.06


def _text(result: Subgroups, node: TreeNode, pitch: float) -> str:
    """Write the condition of a node, its number of data sets, and the p-value of its division."""
    below = [
        leaf
        for leaf in result.tree.leaves
        if result.tree.nodes[leaf].conditions[: node.depth] == node.conditions
    ]
    space = len(below) * pitch * _PART
    n = len(result.datasets.get(node.name, ())) if node.split is None else len(node.datasets)
    said = [node.conditions[-1][1]] if node.conditions else []
    said.append(count(n, "data set"))
    if node.split is not None:
        chosen = result.tree.characteristics.index(node.split.by)
        p = p_clause(float(node.p_value[chosen]), float(node.p_error[chosen]))
        said.append(f"{node.split.by}: {p}")
    return "\n".join(wrapped(text, space, _SIZE) for text in said)


def _panel(
    result: Subgroups, name: str, shown: Sequence[str], middle: float, pitch: float
) -> LeafPanel:
    """Return the levels of the algorithms in a leaf."""
    left, right = middle - _PART * pitch / 2, middle + _PART * pitch / 2
    points = np.full((len(shown), 3), np.nan)
    if name not in result.results:
        return LeafPanel(left, right, points, (False,) * len(shown), "not compared")
    one = result[name]
    table = one.summary().set_index("algorithm")
    # Algorithms that are decided to be worse than some other.
    rows = one.contrasts(all=True)
    rows = rows[rows["verdict"].isin(["first", "second"])]
    behind = set(rows["first"].where(rows["verdict"] == "second", rows["second"]))
    for row, algorithm in enumerate(shown):
        if algorithm in table.index:
            points[row] = table.loc[algorithm, ["estimate", "conf_low", "conf_high"]]
    return LeafPanel(left, right, points, tuple(a in behind for a in shown))


def _ticks(limits: tuple[float, float], space: float) -> tuple[float, ...]:
    """Return as many ticks as a panel has room for."""
    low, high = limits
    for n in (4, 3, 2, 1):
        ticks = [float(t) for t in MaxNLocator(n).tick_values(low, high) if low <= t <= high]
        room = sum(across(signed(tick), 7.5) + 0.12 for tick in ticks)
        if ticks and room <= space:
            return tuple(ticks)
    return ()


def size(laid: TreeFigure) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return laid.width, laid.top + _ROW * len(laid.rows) + 0.42


def draw(laid: TreeFigure, ax: Axes) -> None:
    """Draw the tree into an Axes."""
    across_, down = size(laid)
    ax.set_xlim(0, across_ - 0.2)
    ax.set_ylim(down, 0)
    ax.axis("off")
    lines(ax, laid.edges, FAINT, 0.8, zorder=1)
    for box in laid.boxes:
        ax.text(box.x, box.y, plain(box.text), ha="center", va="top", fontsize=pt(_SIZE),
                color=INK, linespacing=1.25)  # fmt: skip
    end = laid.top + _ROW * len(laid.rows)
    middles = laid.top + _ROW * (np.arange(len(laid.rows)) + 0.5)
    for y, name in zip(middles, laid.rows, strict=True):
        ax.text(0, y, plain(name), va="center", fontsize=pt(8.5), color=INK)
    for panel in laid.panels:
        _draw_panel(laid, panel, middles, end, ax)
    middle = (laid.panels[0].left + laid.panels[-1].right) / 2
    ax.text(middle, end + 0.22, plain(wrapped(laid.axis, across_ - 0.3, 8)), ha="center",
            va="top", fontsize=pt(8), color=FAINT)  # fmt: skip


def _draw_panel(
    laid: TreeFigure, panel: LeafPanel, middles: np.ndarray, end: float, ax: Axes
) -> None:
    low, high = laid.limits
    per = (panel.right - panel.left) / (high - low)

    def place(value: float | np.ndarray) -> float | np.ndarray:
        return panel.left + (value - low) * per

    frame = [
        (panel.left, laid.top, panel.left, end),
        (panel.right, laid.top, panel.right, end),
        (panel.left, laid.top, panel.right, laid.top),
        (panel.left, end, panel.right, end),
    ]
    lines(ax, frame, HAIR, 0.8, zorder=0)
    if panel.note:
        ax.text((panel.left + panel.right) / 2, (laid.top + end) / 2, panel.note, ha="center",
                va="center", fontsize=pt(_SIZE), color=FAINT)  # fmt: skip
        return
    if np.isfinite(laid.reference) and low <= laid.reference <= high:
        x = float(place(laid.reference))
        lines(ax, [(x, laid.top, x, end)], HAIR, 0.8, zorder=0)
    at = np.asarray(place(np.clip(panel.points, low, high)))
    lines(ax, np.column_stack([at[:, 1], middles, at[:, 2], middles]), _MARK, 1.3)  # pyright: ignore[reportArgumentType]
    for x, y, is_open in zip(at[:, 0], middles, panel.open, strict=True):
        ax.plot([x], [y], "o", color=_MARK, ms=4.5, mfc="white" if is_open else _MARK, mew=1.1,
                zorder=4)  # fmt: skip
    for tick in laid.ticks:
        x = float(place(tick))
        lines(ax, [(x, end, x, end + 0.04)], FAINT, 0.8)
        ax.text(x, end + 0.06, signed(tick), ha="center", va="top", fontsize=pt(7.5), color=FAINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class DivisionPanel(panels.Panel):
    """Shares of the subsamples, or places of the divisions.

    Attributes
    ----------
    some, first
        Rows and shares of the subsamples with some division, and those whose first it is.
    drawn, own
        Rows and places of the divisions of subsamples, and of the tree of all data sets.
    """

    some: tuple[tuple[int, float], ...] = ()
    first: tuple[tuple[int, float], ...] = ()
    drawn: tuple[tuple[int, float], ...] = ()
    splits: tuple[tuple[int, float], ...] = ()


_QUARTERS = tuple((x, f"{100 * x:.0f} %") for x in (0.0, 0.5, 1.0))


def layout_divisions(
    result: SubgroupStability, width: Width = PAGE, *, top: int | None = None
) -> panels.Panels[DivisionPanel]:
    """Return the layout of the divisions of subsamples: shares by characteristic, and places.

    Raises
    ------
    DesignError
        No subsample is divided.
    """
    if result.undivided == 1:
        raise DesignError(
            f"none of the {count(result.resamples, 'subsample')} is divided: there is no share and"
            " no threshold to show.",
            hint='kind="tree" of the groups themselves shows the levels of the algorithms.',
        )
    table = result.summary()[:top]
    names = table["characteristic"].tolist()
    row = {result.characteristics.index(name): n for n, name in enumerate(names)}
    marks = [
        (row[by], place, resample)
        for by, place, resample in zip(
            result.by.tolist(), result.place.tolist(), result.resample.tolist(), strict=True
        )
        if by in row and np.isfinite(place)
    ]
    shares = DivisionPanel(
        label="subsamples divided",
        ticks=_QUARTERS,
        left=0.0,
        top=0.0,
        some=tuple(enumerate(table["share"])),
        first=tuple(enumerate(table["share_root"])),
    )
    places = DivisionPanel(
        label="data sets below",
        ticks=_QUARTERS,
        left=1.0,
        top=0.0,
        drawn=tuple((n, place) for n, place, resample in marks if resample),
        splits=tuple((n, place) for n, place, resample in marks if not resample),
    )
    chosen = ", ".join(table["characteristic"][table["chosen"]]) or "none"
    return panels.Panels(
        panels=(shares, places),
        labels=tuple(names),
        columns=2,
        title=f"Divisions in {count(result.resamples, 'subsample')} of {result.size} of"
        f" {result.total} data sets",
        notes=(
            f"left: blue, first division; grey, some division; of all data sets: {chosen}",
            "right: share of data sets up to the threshold, of numbers; ring: of all data sets",
        ),
        width=width,
        alt=result.sentence(),
    )


def draw_divisions(laid: panels.Panels[DivisionPanel], ax: Axes) -> None:
    """Draw shares and places into an Axes."""
    panels.frame(laid, ax)
    for panel in laid.panels:
        for bars, colour, thick in ((panel.some, FAINT, 6.0), (panel.first, _MARK, 6.0)):
            ends = [
                (panel.left, panel.top + n, panel.left + panels.COLUMN * share, panel.top + n)
                for n, share in bars
            ]
            lines(ax, ends, colour, pt(thick), zorder=2)
        for marks, shape, fill, size, alpha in (
            (panel.drawn, "|", _MARK, 6.0, 0.45),
            (panel.splits, "o", "none", 7.0, 1.0),
        ):
            x = [panel.left + panels.COLUMN * place for _, place in marks]
            ax.plot(x, [panel.top + n for n, _ in marks], ls="", marker=shape, mfc=fill,
                    mec=INK if shape == "o" else fill, ms=size, alpha=alpha, zorder=4)  # fmt: skip


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Subgroups: {"tree": Kind(layout, size, draw)},
    SubgroupStability: {"divisions": Kind(layout_divisions, panels.size_panels, draw_divisions)},
}
