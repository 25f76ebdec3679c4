"""Methods of every result: plot, report, save, its table for a paper, its HTML in a notebook.

This is the only module that imports code of higher layers, by name and on call.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchinfer.core import saving
from benchinfer.core.arguments import checked
from benchinfer.core.numbers import line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def registered(cls: type, module: str, table: str) -> Any:
    """Return the entry of a registry table for a class or its nearest base; None without one."""
    for kind in cls.__mro__:
        home = vars(kind).get("_home")
        if home and find_spec(f"{home}.{module}"):
            classes = getattr(import_module(f"{home}.{module}"), table, {})
            if kind in classes:
                return classes[kind]
    return None


class Readable:
    """Base class of objects with a one-line description and an HTML form in notebooks."""

    __slots__ = ()

    def description(self) -> str:
        """Return the class name and the content of a result; classes define this or `str`."""
        return f"<{type(self).__name__}: {self}>"

    def __repr__(self) -> str:
        """Return the description on one line of at most 100 characters."""
        return line(self.description())

    def __str__(self) -> str:
        """Return the description."""
        return self.description()

    def _repr_html_(self) -> str:
        return import_module("benchinfer.reports.notebook").html(self)


@checked
class Showable(Readable):
    """Base class of results with the methods `plot`, `report` and `save`."""

    __slots__ = ()

    def plot(self, kind: str | None = None, ax: Axes | None = None, **options: Any) -> Figure:
        """Draw the result; see `benchinfer.plot`."""
        return import_module("benchinfer.plots.draw").plot(self, kind, ax, **options)

    def report(self, path: str | Path, **options: Any) -> Path:
        """Write the result as one self-contained HTML file; see `benchinfer.report`."""
        return import_module("benchinfer.reports.page").report(self, path, **options)

    def save(self, path: str | Path) -> Path:
        """Write the result to one JSON file that `benchinfer.load` reads back."""
        return saving.save(self, path)


@checked
class Tabular(Showable):
    """Base class of results with the method `table`."""

    __slots__ = ()

    def table(
        self,
        rows: str | None = None,
        *,
        scores: Any = None,
        against: str | None = None,
        top: int | None = None,
    ) -> Any:
        r"""Return the result as a table for a paper.

        Parameters
        ----------
        rows
            ``"algorithms"``: levels, effects against the best or the control with intervals,
            adjusted p-values or probabilities, letters and mean ranks, as far as the comparison has
            them. ``"pairs"``: one row per contrast; the default where some algorithm is in no
            contrast with the best. ``"datasets"``: levels on each data set, algorithms in columns;
            the only rows of comparisons per data set, which mark those that differ from the best
            or the control of the data set. Groups of data sets have ``"algorithms"``, with a level
            and a letter in each group, or ``"leaves"``, which is the same turned.
        scores
            The scores that were compared, of which ``rows="datasets"`` has the means; results do
            not hold them.
        against
            Algorithm that the others are compared with, by contrasts of the family that was tested.
        top
            How many algorithms to show, best first.

        Returns
        -------
        PaperTable
            A pandas Styler. Its ``data`` has the numbers in full precision; what is shown is
            rounded to its uncertainty. ``to_latex()`` writes what compiles with booktabs, graphicx
            and siunitx; ``to_markdown()`` and ``to_html()`` write the same.
        """
        lay_out = import_module("benchinfer.papers.tables").table
        return lay_out(self, rows, scores=scores, against=against, top=top)
