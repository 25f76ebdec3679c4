"""Terminal output for published studies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchinfer.cli.output.layout import TextTable
from benchinfer.cli.output.terminal import Terminal, ascii_number
from benchinfer.core.numbers import count, fixed, join

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.reproductions.entry import Entry


def listed(entries: Sequence[Entry]) -> None:
    """Print all studies."""
    rows = [
        (one.name, one.title, str(len(one.published)), join([f.name for f in one.files]) or "-")
        for one in entries
    ]
    with Terminal() as out:
        heads = ("study", "title", "numbers", "files")
        out.grid(TextTable.of(heads, rows, ("name", "text", "number", "text")), complete=True)
        out.line()
        out.prose("`benchinfer reproduce STUDY` says where its files are, or computes its numbers.")


def where(study: Entry) -> None:
    """Print where the files of a study are to be had, and the command that reads them."""
    with Terminal() as out:
        out.prose(
            f"{study.title}: {count(len(study.published), 'published number')}. The files do not"
            f" come with benchinfer (licence: {study.licence}).",
            style="bold",
        )
        out.line()
        for source in study.files:
            out.prose(f"{source.name}: {source.place}", indent="  ", hanging="    ")
            if source.digest:
                out.prose(f"SHA-256 {source.digest}", indent="    ")
        out.line()
        names = " ".join(source.name for source in study.files)
        out.prose(f"With them: benchinfer reproduce {study.name} {names}", hanging="  ")


def numbers(study: Entry, table: pd.DataFrame) -> None:
    """Print published numbers beside those computed here."""
    differing = int((~table["agrees"]).sum())
    rows: list[tuple[str, ...]] = []
    for (_, row), printed in zip(table.iterrows(), study.published, strict=True):
        published = fixed(printed.value, printed.decimals)
        # One digit more than was printed shows how near the numbers are.
        here = fixed(row["here"], printed.decimals + (printed.decimals > 0))
        note = row["reason"] if row["agrees"] else f"differs by more than {row['tolerance']:g}"
        rows.append((row["name"], row["place"], ascii_number(published), ascii_number(here), note))
    heads = ("number", "place", "published", "here", "")
    verdict = "all agree" if not differing else f"{differing} differ"
    with Terminal() as out:
        out.line(f"{study.title}: {count(len(table), 'published number')}, {verdict}.", "bold")
        out.line()
        styles = tuple("" if agrees else "bold red" for agrees in table["agrees"])
        kinds = ("name", "text", "number", "number", "text")
        out.grid(TextTable.of(heads, rows, kinds, styles=styles), complete=True)
