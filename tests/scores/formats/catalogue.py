"""Layouts that frameworks write, each with a sample, a score of it, and its writer.

Run as ``python -m tests.scores.formats.catalogue``: reads each sample as a newcomer does and writes
the table of ``docs/reference/layouts.md``. Writers are public repositories, with the file that
writes; samples that the tool itself made are named in `test_documents` and `test_tables`.
"""

from pathlib import Path
from typing import NamedTuple

from benchinfer import ScoreTable, ScoreTableError, read_scores

SAMPLES = Path(__file__).parent / "samples"
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "layouts.md"
HEAD = """\
# Layouts

What `benchinfer check FILE` does with results as their tools write them, without options. *read*:
with directions and all. *Enter*: the error ends with the command that reads it, which a terminal
runs on Enter, and asks for what no file says, such as directions; its options are named. Each
sample is read, or its first proposal run, in the tests, and a score is compared with the sample.
Exports of Weights & Biases and arrays of rliable are read, too; they are not counted, as their
writers are not public, or not as the sample has it. `python -m tests.scores.formats.catalogue`
writes this page.

| layout | written by | without options | algorithms x data sets, scores |
|---|---|---|---|
"""
LOWER = ("loss", "time", "error", "rmse", "lr", "seconds")


class Layout(NamedTuple):
    """A sample, how many scores it has, one of them, and its writer."""

    title: str
    path: str
    scores: int
    cell: tuple[str, str, str, str]  # data set, algorithm, replication, measure
    value: float
    writer: str


def better(name: str) -> str:
    """Answer whether higher or lower is better for a measure, as its user would."""
    return "lower" if any(word in name.casefold() for word in LOWER) else "higher"


def as_a_newcomer(path: str) -> tuple[str, str, ScoreTable]:
    """Read a sample without options, or by the first proposal and what the error asks for."""
    source = f"{SAMPLES}/{path}"
    try:
        return "read", "", read_scores(source)
    except ScoreTableError as error:
        proposals = error.proposals
        options = dict(proposals[0].options) if proposals else {}
        asks = dict(pair for finding in error.findings for pair in finding.proposes)
        names = proposals[0].directions if proposals else asks["measures"]
        said = " ".join(f"--{name.removesuffix('s')}" for name in options)
        options |= {"measures": {name: better(name) for name in names}} if names else {}
        return "Enter", said, read_scores(source, **options)


def sizes(table: ScoreTable) -> str:
    """Return algorithms, data sets and scores of a table."""
    return f"{len(table.algorithms)} x {len(table.datasets)}, {table.n_rows}"


def page(rows: list[tuple[Layout, str, str, ScoreTable]]) -> str:
    """Return the text of the page."""
    lines = [
        f"| {layout.title} | `{layout.writer}` | {how}{f': `{said}`' if said else ''} |"
        f" {sizes(table)} |"
        for layout, how, said, table in rows
    ]
    read = sum(how == "read" for _, how, _, _ in rows)
    counts = f"{len(rows)} layouts: {read} are read, {len(rows) - read} by Enter."
    return HEAD + "\n".join(lines) + f"\n\n{counts}\n"


if __name__ == "__main__":
    from tests.scores.sources.test_layouts_catalogue import LAYOUTS

    PAGE.write_text(page([(each, *as_a_newcomer(each.path)) for each in LAYOUTS]), encoding="utf-8")
