"""The table of a paper: a pandas Styler that writes LaTeX, Markdown and HTML."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pandas import DataFrame
from pandas.io.formats.style import Styler

from benchinfer.core.saving import write_atomically
from benchinfer.core.sections import Column, Table
from benchinfer.papers.markup import html, latex, latex_cell, markdown, number_format

# Where a sign stands between cells, and is in no name: names have no control characters.
_BETWEEN = "\x1f"
_PACKAGES = r"% \usepackage{booktabs,graphicx,siunitx}"
_SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
# Alignment of each kind of column in HTML, in Markdown and in LaTeX, where numbers have their own.
_ALIGNED = {
    "name": ("left", ":--", "l"),
    "number": ("right", "--:", ""),
    "p": ("right", "--:", "r"),
    "text": ("center", ":-:", "c"),
}
_LONGEST_HEAD = 8  # characters; columns with longer heads are set upright if there are many
_MOST_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class Series:
    """A column of a table in a paper, with its texts, and its values.

    The role of the column is its kind: ``"name"``, ``"number"`` (aligned at the point), ``"p"`` (a
    p-value) or ``"text"``.
    """

    column: Column
    values: Sequence[object]


def series(
    name: str,
    values: Sequence[object],
    texts: Sequence[str],
    head: str,
    kind: str,
    group: str = "",
    short: str = "",
) -> Series:
    """Return a column of values with their texts and its role in the table."""
    column = Column(name, head, role=kind, texts=tuple(texts), group=group, short=short)
    return Series(column, values)


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

    paper: Table
    if TYPE_CHECKING:  # of Styler; its stubs leave them out
        caption: Any
        hidden_rows: Sequence[int]
        hidden_columns: Sequence[int]
        columns: Any
        data: Any
        index: Any

    @staticmethod
    def of(
        columns: Sequence[Series],
        name: str,
        caption: str,
        notes: Sequence[str],
        bold: frozenset[tuple[int, int]] = frozenset(),
        summaries: int = 0,
    ) -> PaperTable:
        """Return the table of some columns; its LaTeX label is derived from the name."""
        values = dict[str, Sequence[object]]()
        heads: list[Column] = []
        for one in columns:
            key = one.column.name
            while key in values:  # an algorithm may be called as another column
                key += "_"
            values[key] = one.values
            heads.append(replace(one.column, name=key))
        frame, note = DataFrame(values), " ".join(notes)
        table = PaperTable(frame)
        table.paper = Table(
            name, caption, frame, tuple(heads), note=note, bold=bold, summaries=summaries
        )
        table.hide(axis="index")
        texts = [[cell.text for cell in row] for row in table.paper.rows]
        table.fill([head.head for head in heads], texts)
        for kind, (side, *_) in _ALIGNED.items():
            names: Any = [head.name for head in heads if head.role == kind]
            table.set_properties(subset=names, **{"text-align": side})
        css = DataFrame("", index=frame.index, columns=frame.columns)
        for row, column in bold:
            css.iloc[row, column] = "font-weight: bold"
        table.apply(lambda _: css, axis=None)
        return table

    def __copy__(self) -> PaperTable:
        """Return a copy that shares the record of the table."""
        return self._with_paper(super().__copy__())

    def __deepcopy__(self, memo: Any) -> PaperTable:
        """Return a deep copy that shares the record of the table."""
        return self._with_paper(super().__deepcopy__(memo))  # pyright: ignore[reportAttributeAccessIssue]

    def _with_paper(self, table: Any) -> PaperTable:
        table.paper = self.paper
        return table

    def fill(self, heads: Sequence[str], texts: Sequence[Sequence[str]]) -> None:
        """Set the displayed texts of the visible heads and cells."""
        names = [self.columns[j] for j in self.shown_columns]
        by_name = dict(zip(names, heads, strict=True))
        self.format_index(lambda name: by_name.get(name, str(name)), axis="columns")
        visible = [i for i in range(len(self.index)) if i not in self.hidden_rows]
        formats = dict[str, Any]()
        others: list[tuple[int, str, str]] = []  # of equal values, those with other texts
        for k, name in enumerate(names):
            values, by_value = self.data[name].tolist(), dict[str, str]()
            for i, row in zip(visible, texts, strict=True):
                if by_value.setdefault(repr(values[i]), row[k]) != row[k]:
                    others.append((i, name, row[k]))
            formats[name] = partial(_by_value, by_value)
        # One format for all of a column: one for each cell takes a hundred times as long.
        self.format(formats)
        for i, name, text in others:
            self.format(partial(_by_value, {}, text=text), subset=([self.index[i]], [name]))

    def texts(self) -> list[list[str]]:
        """Return the displayed texts of heads and cells, row by row."""
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
        kinds = [self.paper.columns[j].role for j in self.shown_columns]
        heads, *texts = self.texts()
        cells = [
            [
                latex_cell(text) if kind == "number" else latex(text)
                for kind, text in zip(kinds, row, strict=True)
            ]
            for row in texts
        ]
        written = list(zip(*cells, strict=True)) or [()] * len(kinds)
        made = copy.deepcopy(self)
        made.fill(list(map(latex, heads)), cells)
        defaults: dict[str, Any] = {
            "column_format": "".join(
                _ALIGNED[kind][2] or number_format(list(column))
                for kind, column in zip(kinds, written, strict=True)
            ),
            "position_float": "centering",
            "hrules": True,
            "siunitx": True,
            "convert_css": True,
            "label": label(self.paper.name),
            "caption": self.caption or latex(self.paper.caption),
        }
        # Digits stand as in intervals, which are text: in no groups.
        setup = ":{detect-weight=true,mode=text,group-minimum-digits=9}"
        made.set_table_styles([{"selector": "sisetup", "props": setup}], overwrite=False)
        text = Styler.to_latex(made, **(defaults | options))
        return _put(self._finished(text), buf)

    def _finished(self, text: str) -> str:
        """Return LaTeX with heads, rules between parts and the note, which Styler omits."""
        lines, summaries = text.splitlines(), self.paper.summaries
        top, mid = lines.index(r"\toprule"), lines.index(r"\midrule")
        end = lines.index(r"\bottomrule")
        if summaries and end - mid - 1 > summaries:
            lines.insert(end - summaries, r"\midrule")
        lines[top + 1 : mid] = self._heads()
        body, note = "\n".join(lines), ""
        if self.paper.note:
            note = (
                "\n\\par\\smallskip\n\\begin{minipage}{\\linewidth}\\footnotesize\n"
                f"{latex(self.paper.note)}\n\\end{{minipage}}"
            )
        if r"\begin{tabular}" in body:
            body = body.replace(
                r"\begin{tabular}", f"\\smallskip\n{_SHRUNK}\n\\begin{{tabular}}", 1
            )
            body = body.replace(r"\end{tabular}", "\\end{tabular}}\n" + note, 1)
        return f"{_PACKAGES}\n{body}\n"

    def _heads(self) -> list[str]:
        """Return the lines of the heads: groups of several columns, if any, and columns."""
        shown = [self.paper.columns[j] for j in self.shown_columns]
        runs = [(group, list(run)) for group, run in groupby(shown, lambda column: column.group)]
        upright = (
            not any(column.group for column in shown)
            and len(shown) > _MOST_COLUMNS
            and any(len(column.head) > _LONGEST_HEAD for column in shown[1:])
        )
        heads: list[str] = []
        groups: list[str] = []
        rules: list[str] = []
        for group, run in runs:
            joint, first = bool(group) and len(run) > 1, len(heads) + 1
            for column in run:
                head = latex(column.short if joint else column.head)
                if column.role != "name":
                    head = rf"{{\rotatebox{{90}}{{{head}}}}}" if upright else f"{{{head}}}"
                heads.append(head)
            if joint:
                groups.append(rf"\multicolumn{{{len(run)}}}{{c}}{{{latex(group)}}}")
                rules.append(rf"\cmidrule(lr){{{first}-{len(heads)}}}")
            else:
                groups += [""] * len(run)
        above = [" & ".join(groups) + r" \\", " ".join(rules)] if rules else []
        return [*above, " & ".join(heads) + r" \\"]

    def to_markdown(self, buf: Any = None) -> str | None:
        """Write a table in Markdown, with its caption above and its notes below."""
        shown, (names, *texts) = self.shown_columns, self.texts()
        rows = [[markdown(text) for text in row] for row in texts]
        visible = [i for i in range(len(self.index)) if i not in self.hidden_rows]
        for i, j in self.paper.bold:
            if i in visible and j in shown:
                row, column = visible.index(i), shown.index(j)
                rows[row][column] = f"**{rows[row][column]}**"
        heads = [markdown(name) for name in names]
        rules = [_ALIGNED[self.paper.columns[j].role][1] for j in shown]
        lines = [f"| {' | '.join(row)} |" for row in (heads, rules, *rows)]
        caption = self.caption or markdown(self.paper.caption)
        parts = (caption, "\n".join(lines), markdown(self.paper.note))
        return _put("\n\n".join(str(part) for part in parts if part) + "\n", buf)

    def to_html(self, buf: Any = None, **options: Any) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Write HTML, as a notebook shows it, with the caption above and notes below."""
        made = copy.deepcopy(self)
        heads, *texts = ([html(text) for text in row] for row in self.texts())
        made.fill(heads, texts)
        if not self.caption:
            made.set_caption(html(self.paper.caption))
        styles: Any = [
            {"selector": "th, td", "props": "padding: 0.15em 0.6em"},
            {"selector": "caption", "props": "text-align: left"},
            *(
                {"selector": f"th.col{j}", "props": f"text-align: {_ALIGNED[column.role][0]}"}
                for j, column in enumerate(self.paper.columns)
            ),
        ]
        made.set_table_styles(styles, overwrite=False)
        text, note = Styler.to_html(made, **options), html(self.paper.note)
        below = f"</table>\n<p>{note}</p>" if note else "</table>"
        return _put(text.replace("</table>", below, 1), buf)


def _by_value(texts: Mapping[str, str], value: object, text: str = "") -> str:
    return texts.get(repr(value), text)


def _put(text: str, buf: Any) -> str | None:
    """Return a text, or write it to a path or a file."""
    if buf is None:
        return text
    if hasattr(buf, "write"):
        buf.write(text)
    else:
        write_atomically(buf, text)
    return None


def label(name: str) -> str:
    """Return the LaTeX label of a table from its name.

    Examples
    --------
    >>> label("F1 score")
    'tab:f1-score'
    """
    return "tab:" + (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "results")


def one_line(text: object) -> str:
    """Return a name with line breaks and repeated spaces replaced by single spaces."""
    return " ".join(str(text).split())
