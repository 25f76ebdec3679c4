"""A page in Markdown (GitHub's tables)."""

import re
from collections.abc import Iterator

from benchinfer.core.measure import printable
from benchinfer.core.sections import Page, Section, Table
from benchinfer.reports import texts

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$!])")
# What would begin a list or a heading at the start of a line.
_START = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$)")


def render(page: Page) -> str:
    """Turn a page into Markdown; names stay text."""
    text = "\n\n".join(block for block in _blocks(page) if block)
    return printable(text) + "\n"


# What GitHub makes a link of, and a message to those whose name it is.
_LINK = re.compile(r"@(?=\w)|(?<=\w):(?=//)|\bwww(?=\.)", re.IGNORECASE)


def escaped(text: str) -> str:
    r"""Write a text so that Markdown and HTML show it as it is, and nothing becomes a link.

    Examples
    --------
    >>> escaped("a_b | <i>")
    'a\\_b \\| \\<i\\>'
    """
    text = " ".join(text.split())
    text = _LINK.sub(r"\g<0><!-- -->", _SPECIAL.sub(r"\\\1", text))
    return _START.sub(r"\1\\\2", text)


def _blocks(page: Page) -> Iterator[str]:
    yield f"# {escaped(page.title)}"
    for part in page.parts:
        yield f"## {escaped(part.title)}"
        yield escaped(part.tag)
        for section in part.sections:
            yield from _section(section)
    yield "## References and provenance"
    yield "\n".join(
        f"- {escaped(r.text)} {f'<{r.link}>' if r.link else ''}" for r in page.references
    )
    for name, text in page.making:
        yield f"{escaped(name)}:"
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
        yield f"{fence}text\n{text}\n{fence}"
    if not page.provenance.frame.empty:
        yield from _table(page.provenance)
    yield f"Written by benchinfer {escaped(page.version)}."


def _section(section: Section) -> Iterator[str]:
    yield f"### {escaped(section.title)}"
    if section.lead:
        yield f"**{escaped(section.lead)}**"
    yield "\n".join(f"- {escaped(line)}" for line in (*section.order, *section.open_pairs))
    yield from map(escaped, (*section.legend, *section.text))
    for text in section.warnings:
        yield "\n".join(f"> {escaped(line)}  " for line in text.splitlines())
    yield "\n".join(f"- **{escaped(name)}**: {escaped(text)}" for name, text in section.facts)
    for table in texts.tables(section):
        yield from _table(table)
    for heading, lines in texts.attention(section):
        yield f"**{escaped(heading)}**"
        yield "\n".join(f"- {escaped(line.text)}" for line in lines)
    if captions := [figure.caption for figure in texts.figures(section)]:
        yield f"*{texts.FIGURES}: {escaped(' '.join(captions))}*"


def _table(table: Table) -> Iterator[str]:
    yield f"**{escaped(table.caption)}**"
    heads = [escaped(column.head) or " " for column in table.columns]
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    rows = [[escaped(text) for text in row] for row in texts.cells(table)]
    yield "\n".join(f"| {' | '.join(row)} |" for row in (heads, rules, *rows))
    yield escaped(" ".join(text for text in (table.note, texts.rest(table)) if text))
