"""The table of a paper: a pandas Styler that writes LaTeX, Markdown and HTML."""

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pandas.io.formats.style import Styler

from benchinfer.papers.markup import html, latex, latex_cell, markdown, number_format

if TYPE_CHECKING:
    import pandas as pd

# Where a sign stands between cells, and is in no name: names have no control characters.
_BETWEEN = "\x1f"
_PACKAGES = r"% \usepackage{booktabs,graphicx,siunitx}"
_SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_SIDES = {
    "name": ("left", ":--"),
    "number": ("right", "--:"),
    "p": ("right", "--:"),
    "text": ("center", ":-:"),
}
_LONGEST_HEAD = 8  # characters; columns with longer heads are set upright if there are many
_MOST_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A column of a table in a paper.

    Attributes
    ----------
    head
        Its head.
    kind
        ``"name"``, ``"number"`` (aligned at the point), ``"p"`` (a p-value) or ``"text"``.
    group, short
        A head for it and its neighbours of the same group together, and its own one below that.
    """

    head: str
    kind: str = "number"
    group: str = ""
    short: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """What a table in a paper has besides its frame.

    Attributes
    ----------
    columns
        One for each column of the frame.
    caption, notes
        Texts above and below.
    label
        For references in LaTeX.
    strong
        Row and column of the cells in bold type.
    summaries
        How many rows at the end sum up the others, below a line.
    """

    columns: tuple[PaperColumn, ...] = ()
    caption: str = ""
    notes: tuple[str, ...] = ()
    label: str = ""
    strong: frozenset[tuple[int, int]] = frozenset()
    summaries: int = 0


class PaperTable(Styler):
    r"""A table of a result as it goes to print.

    A pandas Styler: ``data`` has the numbers in full precision, and `format`, `hide`,
    `set_caption` and all else of it change what is shown. What is shown is rounded to its
    uncertainty, and texts are escaped for what they are written to.

    Examples
    --------
    >>> import benchinfer as bi
    >>> table = bi.compare_points(bi.load_example("demsar2006")).table(top=2)
    >>> print(table.to_latex().partition("midrule")[2].partition(r"\bottomrule")[0])
    <BLANKLINE>
    C4.5+m+cf & \bfseries 0.8272 & {--} & a \\
    C4.5+m & 0.8204 & -0.0068 & a \\
    <BLANKLINE>
    """

    paper: Paper = Paper()
    if TYPE_CHECKING:  # of Styler; its stubs leave them out
        caption: Any
        hidden_columns: Sequence[int]
        columns: Any
        _display_funcs: Any
        _display_funcs_columns: Any

    @staticmethod
    def of(frame: "pd.DataFrame", texts: Sequence[Sequence[str]], paper: Paper) -> "PaperTable":
        """Lay out a frame whose cells are written as the texts."""
        table = PaperTable(frame)
        table.paper = paper
        table.hide(axis="index")
        table.fill([column.head for column in paper.columns], texts)
        for kind, (side, _) in _SIDES.items():
            own: Any = [
                name
                for name, column in zip(frame.columns, paper.columns, strict=True)
                if column.kind == kind
            ]
            table.set_properties(subset=own, **{"text-align": side})
        for row, column in paper.strong:
            where = ([frame.index[row]], [frame.columns[column]])
            table.set_properties(subset=where, **{"font-weight": "bold"})
        return table

    def _copy(self, deepcopy: bool = False) -> "PaperTable":  # noqa: FBT001, FBT002
        found: PaperTable = super()._copy(deepcopy)  # pyright: ignore[reportAttributeAccessIssue]
        found.paper = self.paper
        return found

    def fill(self, heads: Sequence[str], texts: Sequence[Sequence[str]]) -> None:
        """Show texts as heads and in the cells."""
        # Not by `relabel_index`, which takes braces in a name for fields.
        for j, head in enumerate(heads):
            self._display_funcs_columns[0, j] = lambda _, shown=head: shown
        for i, row in enumerate(texts):
            for j, text in enumerate(row):
                self._display_funcs[i, j] = lambda _, shown=text: shown

    def rewrite(self, cell: Callable[[str, int, int], str], head: Callable[[str], str]) -> None:
        """Write cells anew from their texts, given row and column, and heads from theirs."""
        for (row, column), shown in list(self._display_funcs.items()):
            self._display_funcs[row, column] = lambda value, f=shown, i=row, j=column: cell(
                f(value), i, j
            )
        for where, shown in list(self._display_funcs_columns.items()):
            self._display_funcs_columns[where] = lambda value, f=shown: head(f(value))

    def texts(self) -> list[list[str]]:
        """Return heads and cells as they are shown, row by row."""
        lines = str(self.to_string(delimiter=_BETWEEN)).splitlines()
        # After the last shown column there is a delimiter more where hidden ones follow.
        return [line.split(_BETWEEN)[: len(self.shown_columns)] for line in lines]

    @property
    def shown_columns(self) -> list[int]:
        """Numbers of the columns that are not hidden."""
        return [j for j in range(len(self.columns)) if j not in self.hidden_columns]

    def to_latex(self, buf: Any = None, **options: Any) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        r"""Write LaTeX with booktabs and siunitx.

        Parameters
        ----------
        buf
            File to write to; by default the text is returned.
        **options
            Of `pandas.io.formats.style.Styler.to_latex`, as in ``environment="table*"`` (over both
            columns), ``position="t"`` or ``label="tab:results"``.

        Returns
        -------
        str or None
            A table that compiles with ``\usepackage{booktabs,graphicx,siunitx}``, is never wider
            than the line, and has its notes below.
        """
        found = copy.deepcopy(self)
        kinds = [column.kind for column in self.paper.columns]
        found.rewrite(
            lambda text, _, j: latex_cell(text) if kinds[j] == "number" else latex(text), latex
        )
        texts = found.texts()
        written = list(zip(*texts[1:], strict=True)) or [()] * len(texts[0])
        places = {"name": "l", "p": "r", "text": "c"}
        made: dict[str, Any] = {
            "column_format": "".join(
                places.get(kinds[j]) or number_format(list(cells))
                for j, cells in zip(self.shown_columns, written, strict=True)
            ),
            "position_float": "centering",
            "hrules": True,
            "siunitx": True,
            "convert_css": True,
            "label": self.paper.label,
            "caption": self.caption or latex(self.paper.caption),
        }
        found.set_table_styles(
            [{"selector": "sisetup", "props": ":{detect-weight=true,mode=text}"}], overwrite=False
        )
        text = Styler.to_latex(found, **(made | options))
        return _put(self._finished(text), buf)

    def _finished(self, text: str) -> str:
        """Set heads, lines between parts, and notes, which Styler has not."""
        lines = text.splitlines()
        top, mid = lines.index(r"\toprule"), lines.index(r"\midrule")
        end = lines.index(r"\bottomrule")
        if self.paper.summaries and end - mid - 1 > self.paper.summaries:
            lines.insert(end - self.paper.summaries, r"\midrule")
        lines[top + 1 : mid] = self._heads()
        body = "\n".join(lines)
        if r"\begin{tabular}" in body:
            body = body.replace(
                r"\begin{tabular}", f"\\smallskip\n{_SHRUNK}\n\\begin{{tabular}}", 1
            )
            body = body.replace(r"\end{tabular}", "\\end{tabular}}\n" + self._notes(), 1)
        return f"{_PACKAGES}\n{body}\n"

    def _heads(self) -> list[str]:
        """Return the lines of the heads: groups of several columns, if any, and columns."""
        shown = [self.paper.columns[j] for j in self.shown_columns]
        runs = [(group, list(run)) for group, run in groupby(shown, lambda column: column.group)]
        grouped = any(column.group for column in shown)
        upright = (
            not grouped
            and len(shown) > _MOST_COLUMNS
            and any(len(column.head) > _LONGEST_HEAD for column in shown[1:])
        )
        heads: list[str] = []
        groups: list[str] = []
        rules: list[str] = []
        for group, run in runs:
            joint, first = bool(group) and len(run) > 1, len(heads) + 1
            heads += [
                _head(column, column.short if joint else column.head, upright=upright)
                for column in run
            ]
            if joint:
                groups.append(rf"\multicolumn{{{len(run)}}}{{c}}{{{latex(group)}}}")
                rules.append(rf"\cmidrule(lr){{{first}-{len(heads)}}}")
            else:
                groups += [""] * len(run)
        above = [" & ".join(groups) + r" \\", " ".join(rules)] if rules else []
        return [*above, " & ".join(heads) + r" \\"]

    def _notes(self) -> str:
        if not self.paper.notes:
            return ""
        text = " ".join(latex(note) for note in self.paper.notes)
        return (
            "\n\\par\\smallskip\n\\begin{minipage}{\\linewidth}\\footnotesize\n"
            f"{text}\n\\end{{minipage}}"
        )

    def to_markdown(self, buf: Any = None) -> str | None:
        """Write a table in Markdown, with its caption above and its notes below."""
        found = copy.deepcopy(self)

        def cell(text: str, row: int, column: int) -> str:
            strong = (row, column) in self.paper.strong
            return f"**{markdown(text)}**" if strong else markdown(text)

        found.rewrite(cell, markdown)
        heads, *rows = found.texts()
        rule = [_SIDES[self.paper.columns[j].kind][1] for j in self.shown_columns]
        lines = [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]
        caption = self.caption or markdown(self.paper.caption)
        notes = markdown(" ".join(self.paper.notes))
        parts = (caption, "\n".join(lines), notes)
        return _put("\n\n".join(str(part) for part in parts if part) + "\n", buf)

    def to_html(self, buf: Any = None, **options: Any) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Write HTML, as a notebook shows it, with the caption above and notes below."""
        found = copy.deepcopy(self)
        found.rewrite(lambda text, *_: html(text), html)
        if not self.caption:
            found.set_caption(html(self.paper.caption))
        styles: Any = [
            {"selector": "th, td", "props": "padding: 0.15em 0.6em"},
            {"selector": "caption", "props": "text-align: left"},
            *(
                {"selector": f"th.col{j}", "props": f"text-align: {_SIDES[column.kind][0]}"}
                for j, column in enumerate(self.paper.columns)
            ),
        ]
        found.set_table_styles(styles, overwrite=False)
        text = Styler.to_html(found, **options)
        notes = html(" ".join(self.paper.notes))
        below = f"</table>\n<p>{notes}</p>" if notes else "</table>"
        return _put(text.replace("</table>", below, 1), buf)


def _head(column: PaperColumn, text: str, *, upright: bool) -> str:
    if column.kind == "name":
        return latex(text)
    return rf"{{\rotatebox{{90}}{{{latex(text)}}}}}" if upright else f"{{{latex(text)}}}"


def _put(text: str, buf: Any) -> str | None:
    """Return a text, or write it to a path or a file."""
    if buf is None:
        return text
    if hasattr(buf, "write"):
        buf.write(text)
    else:
        Path(buf).write_text(text, encoding="utf-8")
    return None


def label(name: str) -> str:
    """Return the label of a table on a measure.

    Examples
    --------
    >>> label("F1 score")
    'tab:f1-score'
    """
    return "tab:" + (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "results")


def one_line(text: object) -> str:
    """Write a name on one line."""
    return " ".join(str(text).split())
