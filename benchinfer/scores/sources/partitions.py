"""Columns that the names of folders and files give."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import narwhals as nw

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import Given, Option
from benchinfer.scores.columns import as_label, expression, placeholders, slots
from benchinfer.scores.coverage import Finding
from benchinfer.scores.sources.source import Source
from benchinfer.scores.sources.text import COMPRESSED

_NO_LABEL = "__HIVE_DEFAULT_PARTITION__"


def partitions(path: Path, folder: Path) -> dict[str, str | None]:
    """Return the columns that folders name, as in ``dataset=d1/part.parquet``."""
    pairs = [part.partition("=") for part in path.relative_to(folder).parent.parts]
    return {
        unquote(name): None if value == _NO_LABEL else unquote(value)
        for name, sign, value in pairs
        if name and sign
    }


def of_names(paths: Sequence[Path], pattern: str | None) -> list[dict[str, str]]:
    """Return the columns that the names of files give by a pattern; all must match."""
    if pattern is None:
        return [{} for _ in paths]
    if not placeholders(pattern) or len(set(placeholders(pattern))) < len(placeholders(pattern)):
        raise ScoreTableError(
            f"{Given('name', pattern)} names no column in braces, or one twice.",
            hint=f"as in {Option('name', '{algorithm}_{dataset}')}.",
        )
    form = expression(pattern, {})
    depth = pattern.count("/") + 1
    # The ending is that of the kind of file; other dots belong to the name.
    texts = ["/".join(path.parts[-depth:]).removesuffix(_ending(path)) for path in paths]
    matches = [form.fullmatch(text) for text in texts]
    if odd := [text for text, match in zip(texts, matches, strict=True) if match is None]:
        raise ScoreTableError(
            f"{len(odd):,} of {len(texts):,} files are not named as {Given('name', pattern)} says.",
            where=[("file",), *((text,) for text in odd)],
            hint="the pattern is that of the whole name without its ending.",
        )
    return [match.groupdict() for match in matches if match is not None]


def _ending(path: Path) -> str:
    text = path.name
    while path.suffix.casefold() in COMPRESSED:
        path = path.with_suffix("")
    return text[len(path.with_suffix("").name) :]


def with_partitions(source: Source, values: Mapping[str, str | None]) -> Source:
    """Add the columns that the folders of a file name; one that the file has, too, must agree."""

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[Finding]]:
        held = [[n for n in names if n in source.names] for names in (labels, scores, covariates)]
        frame, found = source.load(*held)
        slot = dict(zip(held[2], slots(held[2]), strict=True))
        same = {name: name for name in (*held[0], *held[1])}
        _refuse_contradictions(source.name, frame, slot | same, values)

        def column(name: str, loaded: Mapping[str, str], *, number: bool) -> nw.Expr:
            return nw.col(loaded[name]) if name in loaded else _literal(values[name], number=number)

        kept = zip(covariates, slots(covariates), strict=True)
        return frame.select(
            *(column(name, same, number=False).alias(name) for name in labels),
            *(column(name, same, number=True).alias(name) for name in scores),
            *(column(name, slot, number=True).alias(to) for name, to in kept),
        ), found

    names = tuple(dict.fromkeys([*source.names, *values]))
    return replace(source, names=names, load=load, stream=None) if values else source


def _literal(text: str | None, *, number: bool) -> nw.Expr:
    """Write a value of a folder's name: a number where one is needed and there is one."""
    if number:
        with suppress(ValueError):
            return nw.lit(None if text is None else float(text), dtype=nw.Float64)
    return nw.lit(text, dtype=nw.String)


def _refuse_contradictions(
    name: str,
    frame: "nw.LazyFrame[Any]",
    loaded: Mapping[str, str],
    values: Mapping[str, str | None],
) -> None:
    schema = frame.collect_schema()
    for label in values.keys() & loaded.keys():
        column = loaded[label]
        text = frame.select(as_label(column, schema[column]).alias("held")).unique().collect()
        if odd := sorted(str(held) for held in text["held"] if held != values[label]):
            raise ScoreTableError(
                f"{name!r} holds {label} {', '.join(odd[:3])} in a folder of"
                f" {label} {values[label]}.",
                hint="the column or the folder's name is wrong.",
            )
