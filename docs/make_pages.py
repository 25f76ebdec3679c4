"""Pages that are made from the code, from measurements, and from the pages of the gallery.

Run as ``python docs/make_pages.py`` when a figure is added: overviews of the gallery are kept. The
other pages are written anew whenever the documentation is built, and are not kept.
"""

import csv
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchinfer.cli.options import schema as options
from benchinfer.core.frames import GLOSSARY
from benchinfer.reports.documents import COMPARISON
from benchinfer.reports.schema import COMMANDS, keys, members, schema

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results"

GLOSSARY_HEAD = """\
# Column glossary

Every table that the package gives out is a pandas frame whose columns are among these, spelled so
and meaning so everywhere; `--json` uses the same names as keys. Names do not change. A column is
there or not, never all missing; cells hold numbers, never formatted text; the level is never part
of a name. This page is generated from `benchinfer/core/frames.py` by `docs/make_pages.py`.

| column | is |
|---|---|
"""


JSON_HEAD = """\
# Documents in JSON

`--json` prints one document. [documents.schema.json](documents.schema.json) is its JSON Schema,
with a definition for each command; a program can check by it what it reads. Tables are lists of
records, one per row, with the columns of the [glossary](../glossary.md), in full precision. NaN and
the open end of an interval are `null`, other infinities `"inf"` and `"-inf"`. Sentences, tables and
numbers are those of the terminal and the report. This page is generated from the code by
`docs/make_pages.py`.

`monitor` prints a comparison, and of several measures their `decision`, `measures` (a comparison
each) and `next_cells`; `describe` a table for each measure; `report` the name of the file
(`report`), the comparisons (`results`) and what the table could not answer (`refused`).

Options that a command took from [`benchinfer.toml`](../how-to/options-file.md) stand under
`from_file`, with their values; a document without any has no such key.
"""


OPTIONS_HEAD = """\
# Keys of benchinfer.toml

[The file](../how-to/options-file.md) has a key for each option. Those of reading and output may
stand at its top, for all commands, or in the table of one, as in `[gate]` and `[compare.mixed]`;
those of a command may stand at the top, too, where they count for each command that has them. All
other keys are one error. [options.schema.json](options.schema.json) is the JSON Schema of the file,
by which editors complete and check it. This page is generated from the commands by
`docs/make_pages.py`.
"""


GALLERY_HEAD = """\
# Gallery

Every kind of figure, each on a page with the code that draws it and how to read it.
`result.plot(kind)` and `bi.plot(result, kind)` are the same. [Draw a figure for a
paper](../publish/figures.md) says how to set its size and its words; [For your
paper](../publish/paper.md) has the table that goes with it. The pictures here are of six
algorithms; where the kind changes with their number, its page shows thirty, too.
"""

GALLERY_END = """
## Thirty algorithms

The second picture of a page is drawn by the same code, with this simulated table in place of
`scores`, or with `k = 30` where a page simulates its own scores.

```pycon
>>> import benchinfer as bi
>>> import numpy as np
>>> import pandas as pd
>>> rng = np.random.default_rng(30)
>>> easy, skill = rng.normal(0.3, 0.06, (20, 1, 1)), np.linspace(0, 0.08, 30)
>>> error = easy + skill + rng.normal(0, 0.02, (20, 1, 30)) + rng.normal(0, 0.01, (20, 5, 30))
>>> sizes = {"dataset": 20, "replication": 5, "algorithm": 30}
>>> labels = [[f"{name} {n:02d}" for n in range(1, size + 1)] for name, size in sizes.items()]
>>> cells = pd.MultiIndex.from_product(labels, names=list(sizes))
>>> rows = pd.DataFrame({"error": error.ravel()}, index=cells).reset_index()
>>> thirty = bi.read_scores(
...     rows, measures="error:lower:0.01", layout="wide-measures", resampling="bootstrap"
... )

```
"""

# Folders of the gallery: their titles, and the kinds of figures in each in the order of the page.
FIGURES = {
    "scores": ("Scores", "heatmap scatter boxes slope learning-curves"),
    "comparison": (
        "Any comparison",
        (
            "ranking forest estimation rank-intervals matrix multi-comparison letters hasse"
            " hasse-undecided distributions"
        ),
    ),
    "mixed": ("Mixed models", "variances caterpillar residuals influence prediction"),
    "permutation": ("Permutation tests", "critical-difference null"),
    "bootstrap": ("Bootstrap", "aggregates profile ratios improvement"),
    "bayes": (
        "Bayesian models",
        "ranks simplex shrinkage predicted left-out ppc trace trace-rank",
    ),
    "wins": ("Wins", "worths wins"),
    "factors": ("Factors", "effects interactions heatmap"),
    "meta": ("Meta-analysis", "studies funnel network"),
    "pair": ("Two algorithms on one data set", "quantiles"),
    "datasets": ("Each data set by itself", "verdicts podium pair map clusters support"),
    "consensus": ("Consensus", "hasse support positions matrix chances front"),
    "subgroups": ("Groups of data sets", "tree divisions"),
    "archetypes": ("Where algorithms win", "simplex profiles curve together regions"),
    "running": (
        "Planned and running experiments, boards, gates",
        "power path e-process sequence order measures record",
    ),
    "limits": ("Runs with a limit", "solved cactus profile"),
}


def thumbnails(family: str, folder: str = "") -> str:
    """Return a grid of the figures of a family, with links from a page above ``folder``."""
    images = "../images" if folder else "../../images"
    parts = ["::::{container} thumbnails\n"]
    for kind in FIGURES[family][1].split():
        text = (DOCS / "gallery" / family / f"{kind}.md").read_text(encoding="utf-8")
        first = re.search(r"\n\n(.*?)\.\s", text, re.DOTALL)
        if first is None:
            raise ValueError(f"{family}/{kind}.md begins without a sentence")
        parts.append(
            f":::{{figure}} {images}/thumbnails/{family}-{kind}.png\n"
            f":alt: \n:loading: lazy\n\n[{kind}]({folder}{kind}.md): "
            f"{first[1][0].lower()}{' '.join(first[1].split())[1:]}\n:::\n"
        )
    return "\n".join([*parts, "::::\n"])


def _contents(names: list[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```\n"])


def family_page(family: str) -> str:
    """Return the text of ``gallery/<family>/index.md``."""
    title, kinds = FIGURES[family]
    return "\n".join([f"# {title}\n", thumbnails(family), _contents(kinds.split())])


def gallery() -> str:
    """Return the text of ``gallery/index.md``."""
    parts = [GALLERY_HEAD]
    for family, (title, _) in FIGURES.items():
        parts.append(f"## {title}\n\n{thumbnails(family, f'{family}/')}")
    return "\n".join([*parts, _contents([f"{family}/index" for family in FIGURES]) + GALLERY_END])


def documents() -> str:
    """Return the text of ``reference/json.md``."""
    parts = [JSON_HEAD]
    for command, document in COMMANDS.items():
        rows = [
            (name, f"{text[:1].lower()}{text[1:]}".removesuffix("."))
            for name, (_, text) in members(document).items()
        ]
        parts.append(f"## `{command}`\n\n{document.title}\n\n{_table(rows)}")
        if document is COMPARISON:
            more = [(name, text) for name, (_, text) in keys().items()]
            parts.append(f"Besides, as far as an analysis has them:\n\n{_table(more)}")
    return "\n".join(parts)


def _table(rows: list[tuple[str, str]]) -> str:
    lines = [f"| `{name}` | {text} |" for name, text in rows]
    return "\n".join(["| key | is |", "|---|---|", *lines]) + "\n"


def definitions() -> str:
    """Return the text of ``reference/documents.schema.json``."""
    return json.dumps(schema(), indent=1) + "\n"


def keys_of_options() -> str:
    """Return the text of ``reference/options.md``."""
    shared = options.shared()
    parts = [OPTIONS_HEAD, f"## Tables\n\n{_table(list(options.tables().items()))}"]
    parts.append(f"## Reading and output\n\n{_keys(shared)}")
    for path, each in options.keys().items():
        if own := {name: one for name, one in each.items() if name not in shared}:
            parts.append(f"## `[{'.'.join(path)}]`\n\n{_keys(own)}")
    return "\n".join(parts)


def _keys(schemas: dict[str, dict[str, Any]]) -> str:
    """Return a table of keys, with what they take."""
    rows = []
    for name, one in schemas.items():
        takes = ", ".join(f"`{text}`" for text in one.get("enum", ()))
        takes = takes or {"boolean": "`true`, `false`"}.get(str(one.get("type")), "")
        rows.append(f"| `{name}` | {takes} | {one['description'].replace('|', chr(92) + '|')} |")
    return "\n".join(["| key | choices | is |", "|---|---|---|", *rows]) + "\n"


def options_schema() -> str:
    """Return the text of ``reference/options.schema.json``."""
    return json.dumps(options.schema(), indent=1) + "\n"


def glossary() -> str:
    """Return the text of ``glossary.md``."""
    rows = [f"| `{name}` | {text} |" for name, text in GLOSSARY.items()]
    return GLOSSARY_HEAD + "\n".join(rows) + "\n"


def measurement(path: Path) -> str:
    """Return a file of measurements as a section: what was done, the table, and the command."""
    lines = path.read_text(encoding="utf-8").splitlines()
    *about, command = [line[2:] for line in lines if line.startswith("# ")]
    rows = [*csv.reader(line for line in lines if not line.startswith("# "))]
    cells = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    rule = "|---" * len(rows[0])
    table = "\n".join(f"| {row} |" for row in [cells[0], rule.strip("|"), *cells[1:]])
    text = re.sub(r"\n\n(?=- )", "\n", "\n\n".join(["", *about]))
    label = f"(table-{path.parent.name}-{path.stem})="
    title = f"### Table: {path.stem.replace('-', ' ')}"
    return f"{label}\n\n{title}\n{text}\n\n{table}\n\n{command}\n"


def with_tables(text: str, topic: str) -> str:
    """Append the measurements to a page of the evidence, whose links to their files lead there."""
    parts = [measurement(path) for path in sorted((RESULTS / topic).glob("*.csv"))]
    text = re.sub(rf"\]\([^()\s]+/results/{topic}/([\w-]+)\.csv", rf"](#table-{topic}-\1", text)
    return "\n".join([text, "## Tables\n", *parts]) if parts else text


# Pages that are not kept.
BUILT = {
    "glossary.md": glossary,
    "reference/json.md": documents,
    "reference/documents.schema.json": definitions,
    "reference/options.md": keys_of_options,
    "reference/options.schema.json": options_schema,
}
KEPT = {
    "gallery/index.md": gallery,
    **{f"gallery/{family}/index.md": partial(family_page, family) for family in FIGURES},
}


def write(pages: dict[str, Callable[[], str]], folder: Path = DOCS) -> None:
    """Write pages below a folder."""
    for path, page in pages.items():
        (folder / path).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write(BUILT | KEPT)
