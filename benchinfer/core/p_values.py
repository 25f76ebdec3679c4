"""Frames as people read them: with all columns, and p-values as people write them."""

from typing import override

import pandas as pd

from benchinfer.core.numbers import p_value

P_VALUES = frozenset[str]().union(
    ("p_value", "p_raw", "p_equivalence", "p_noninferiority", "p_pass", "p_fail", "p_fail_raw"),
    ("p_dataset", "p_stage", "p_between", "p_not_beaten", "p_not_beaten_beyond", "p_front"),
)


# Defaults of pandas for the most columns, on a terminal and elsewhere, and for the widest text;
# other values are a user's choice.
_MOST_COLUMNS, _WIDEST = {0, 20}, 50


class ReadableFrame(pd.DataFrame):
    """A frame that shows all its columns, and p-values as people write them: <0.001, not 3.2e-16.

    Where columns do not fit on a line, the others stand below; HTML has all texts as they are.
    Values stay numbers; texts stand in their place where the frame is printed, or shown as HTML.
    ``pandas.DataFrame(frame)`` is a plain one.
    """

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return ReadableFrame

    def _texts(self) -> pd.DataFrame:
        """Return a plain frame with the p-values as texts."""
        plain = pd.DataFrame(self)
        columns = [name for name in plain if name in P_VALUES and plain[name].dtype.kind == "f"]
        return plain.assign(**{str(name): plain[name].map(p_value) for name in columns})

    @override
    def __repr__(self) -> str:
        with pd.option_context("display.max_columns", _most_columns()):
            return repr(self._texts())

    def _repr_html_(self) -> str | None:
        widest = pd.get_option("display.max_colwidth")
        widest = None if widest == _WIDEST else widest
        with pd.option_context(
            "display.max_columns", _most_columns(), "display.max_colwidth", widest
        ):
            return self._texts()._repr_html_()  # pyright: ignore[reportPrivateUsage, reportCallIssue]


def _most_columns() -> int | None:
    """Return how many columns are shown: all of them, unless the user chose otherwise."""
    chosen = pd.get_option("display.max_columns")
    return None if chosen in _MOST_COLUMNS else chosen
