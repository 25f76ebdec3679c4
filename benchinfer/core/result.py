"""Methods of every result: plot, report, save, and its HTML in a notebook.

The only seam of the package: what a result hands over to the layers above is imported by its name.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchinfer.core import saving

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def registered(cls: type, module: str, table: str) -> Any:
    """Return what the folder of a class registers for it or for its nearest base, else None."""
    for kind in cls.__mro__:
        if home := vars(kind).get("home"):
            found = getattr(import_module(f"{home}.{module}"), table, {})
            if kind in found:
                return found[kind]
    return None


class Readable:
    """Show a result or a table as HTML where it ends a cell of a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return import_module("benchinfer.reports.notebook").html(self)


class Showable(Readable):
    """Give a result the methods `plot`, `report` and `save`."""

    __slots__ = ()

    def plot(self, kind: str | None = None, ax: "Axes | None" = None) -> "Figure":
        """Draw the result; see `benchinfer.plot`."""
        return import_module("benchinfer.plots.draw").plot(self, kind, ax)

    def report(self, path: str | Path, **options: Any) -> Path:
        """Write the result as one self-contained HTML file; see `benchinfer.report`."""
        return import_module("benchinfer.reports.page").report(self, path, **options)

    def save(self, path: str | Path) -> Path:
        """Write the result to one JSON file that `benchinfer.load` reads back."""
        return saving.save(self, path)
