"""Files as sources of tables: one, a folder or a pattern."""

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import glob
from io import BufferedReader, TextIOWrapper
from itertools import chain, takewhile
from pathlib import Path
from typing import IO, Any, cast

import narwhals as nw

from benchinfer.core.arguments import is_text
from benchinfer.core.errors import ScoreTableError, message
from benchinfer.core.numbers import count, several
from benchinfer.core.saving import note_input
from benchinfer.scores.columns import (
    as_label,
    expression,
    lazy,
    placeholders,
    slots,
)
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.catalogue import (
    ARROW,
    DESCRIPTIONS,
    EXCEL,
    JSON,
    OURS,
    READ,
    SCENARIO,
    SQL,
    SQLITE,
    TEXT,
    head,
    is_page,
    of_document,
    of_ending,
    of_folder,
    of_records,
    recognised,
    suffix_of,
)
from benchinfer.scores.formats.documents import (
    DEEPEST,
    rows_of,
    runs_by_tasks,
    too_deep,
)
from benchinfer.scores.formats.format import Format, not_utf8
from benchinfer.scores.formats.layouts import roles_of
from benchinfer.scores.formats.packed import COMPRESSED, MOST_BYTES, opened
from benchinfer.scores.numerics.places import NotDenseError
from benchinfer.scores.sources.arrow import arrow_file
from benchinfer.scores.sources.excel import excel_file
from benchinfer.scores.sources.frames import (
    Columns,
    Load,
    Loaded,
    Source,
    Stream,
    check_memory,
    first_line,
    of_frame,
)
from benchinfer.scores.sources.partitions import partitions, with_partitions
from benchinfer.scores.sources.query import duckdb_file, numbers_of_text, open_relation, sqlite_file
from benchinfer.scores.sources.runs import as_run, contexts_that_differ, is_timed
from benchinfer.scores.sources.streams import as_file, is_stream

_KNOWN = (
    "csv, tsv (also .gz, .bz2, .zst), parquet, feather, json, jsonl, arff, npz, xlsx, duckdb, md,"
    " tex, html"
)
_SIGNS = "*?["  # of a pattern
_BLOCK = 2**20  # bytes that Arrow reads at once: less has nothing for a second thread
_SELECT = "a pattern selects, such as 'folder/*.csv'."
_LONGEST = 1 << 26  # bytes or characters of a line
_INTEGRAL = re.compile(r"[+-]?[0-9]+\.0+")
_MOST_COLUMNS = 20_000
_DESCRIPTORS = ("/dev/", "/proc/")  # folders of files that are open already
_FILE = "benchinfer_file"  # the column of the names of files that are algorithms
# What is wrong with a text file, and the words of PyArrow for it; the first that fits counts.
_ARROW_FAULTS = {
    "encoding": "UTF8",
    "no number": "conversion error",
    "no rows": "Empty CSV",
    "quotation": "straddl",
    "array": "Column() changed from object to array in row 0",
    "no object": "Column() changed from object",
}


def as_files(source: object) -> object:
    """Return a source with each path of a stream replaced by that of a file with its content."""
    if isinstance(source, list | tuple):
        return [as_files(one) for one in cast("Sequence[object]", source)]
    if not isinstance(source, str | Path):
        return source
    plain = os.path.isfile(source)  # noqa: PTH113 (no error where the path is no path)
    return source if plain and not str(source).startswith(_DESCRIPTORS) else as_file(source)


def open_source(source: object, query: str | None, name: str | None = None) -> Source:
    """Open a table without reading its rows yet, and recognise the tool that wrote it."""
    if isinstance(source, list | tuple):
        paths = cast("Sequence[object]", source)
        if len(paths) > 1 and all(isinstance(path, str | Path) for path in paths):
            return _of_several([Path(cast("str | Path", path)) for path in paths], query, name)
    origin = _opened(source, query, name)
    if (n := len(origin.names)) > _MOST_COLUMNS:
        raise ScoreTableError(
            f"{origin.name!r} has {n:,} columns, and a table has at most {_MOST_COLUMNS:,}.",
            hint="write one row per score, with its data set and algorithm in columns.",
        )
    known = origin.known or recognised(origin.names)
    if known is None:
        return origin
    if known.name is not None and name is None and isinstance(source, str | Path):
        with suppress(ScoreTableError):  # files may have been given other names
            origin = of_path(source, query, known.name)
    return replace(origin, known=known)


def _of_several(paths: Sequence[Path], query: str | None, name: str | None) -> Source:
    """Open files as one table; where all hold the same algorithms, or none, each is of one."""
    names = names_apart(paths)
    parts = [open_source(path, query, name) for path in paths]
    tools = list(dict.fromkeys("" if p.known is None else p.known.tool for p in parts))
    if len(tools) > 1:
        said = "; ".join(tool or "no known tool" for tool in tools)
        raise ScoreTableError(
            f"{len(paths)} files are of different tools: {said}.",
            hint="read each by itself, and pass one frame of their rows.",
        )
    timed = all(map(is_timed, parts))
    if timed:
        parts = [as_run(part, label) for part, label in zip(parts, names, strict=True)]
    roles = roles_of(parts[0], None, "auto", [])
    columns = roles.of.get("algorithm", ())
    held = [_labels_in(part, columns) for part in parts]
    times = Counter(label for of_part in held for label in of_part)
    shared = sorted(label for label, n in times.items() if n > 1)
    title, stem = " and ".join(path.name for path in paths), paths[0].parent.name or "data"
    if "algorithm" in roles.spread or (columns and not shared):
        return replace(_together(parts, names, []), name=title, stem=stem)
    if any(of_part != held[0] for of_part in held) or (len(shared) > 1 and roles.wide):
        raise ScoreTableError(
            f"{len(paths)} files share {count(len(shared), 'algorithm')}: {several(shared)}.",
            hint="where all files have the same algorithms in one column, each file is one; else"
            " give what they share other names.",
        )
    runs = dict(zip(names, parts, strict=True))
    parts = [with_partitions(p, {_FILE: label}) for label, p in runs.items()]
    what = f"each file is an algorithm: {several(names)}."
    joined = dict.fromkeys((*roles.of.get("dataset", ()), *columns), "dataset")
    if len(shared) > 1:
        what += f" What they call algorithms names data sets: {', '.join(columns)}."
    notes = [Finding("files as algorithms", "note", len(names), what)]
    if timed:
        notes += contexts_that_differ(runs)
    source = _together(parts, names, notes)
    known = source.known or Format("", layout="auto")
    said = {n: role for n, role in known.columns.items() if n not in columns}
    said |= {_FILE: "algorithm"} | (joined if len(shared) > 1 else {})
    return replace(source, known=replace(known, columns=said), name=title, stem=stem)


def _labels_in(source: Source, columns: Sequence[str]) -> set[str]:
    """Return the labels of columns, joined where a role has several."""
    if not columns:
        return set()
    frame, _ = source.load(columns, [], [])
    schema = frame.collect_schema()
    texts = frame.select(*(as_label(name, schema[name]).alias(name) for name in columns)).unique()
    return {"/".join(map(str, row)) for row in texts.collect().iter_rows()}


def names_apart(paths: Sequence[Path]) -> list[str]:
    """Return distinct names of files: those without ending, or else those of their folders."""
    for i in range(max(len(path.parts) for path in paths)):
        names = [
            path.name.removesuffix(_ending(path)) if i == 0 else "/".join(path.parts[-i - 1 : -i])
            for path in paths
        ]
        if len(set(names)) == len(names):
            return names
    raise ScoreTableError(
        f"{len(paths)} files have no names by which to tell them apart.",
        hint="the same file is there twice, or folders differ at several places.",
    )


def _opened(source: object, query: str | None, name: str | None) -> Source:
    if isinstance(source, str | Path):
        return of_path(source, query, name)
    if name is not None:
        raise ScoreTableError(
            f"name= was given with a {type(source).__name__}.",
            hint="it is the pattern of files' names.",
        )
    if type(source).__name__ == "DuckDBPyConnection":
        connection = cast("Any", source)
        return of_frame(open_relation(connection, query, "the connection"), "query")
    if isinstance(source, Mapping):
        return _of_mapping(cast("Mapping[str, Any]", source))
    if query is not None:
        raise ScoreTableError(
            f"query= was given with a {type(source).__name__}.",
            hint="a query needs a DuckDB file or connection as its source.",
        )
    origin = of_frame(source, type(source).__name__)
    frame: Any = nw.from_native(cast("Any", source), eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):  # of an engine
        return origin
    results = of_records(origin.names, lambda: frame.rows(named=True), origin.name)
    if results is None:
        return origin
    import pandas as pd

    return replace(of_frame(pd.DataFrame(results[1]), origin.name), known=results[0])


def _of_mapping(source: Mapping[str, Any]) -> Source:
    """Open results by the names of algorithms, or arrays by the names of columns."""
    import pandas as pd

    if (results := of_document(source, Path("dict")) or runs_by_tasks(source)) is not None:
        known, rows = results
        return replace(of_frame(pd.DataFrame(rows), "dict"), known=known)
    try:
        frame = pd.DataFrame(dict(source))
    except (ValueError, TypeError) as error:
        raise ScoreTableError(
            f"a dict cannot be read as a table: {first_line(error)}",
            hint="columns of one length, or scores by algorithm.",
        ) from None
    return of_frame(frame, "dict")


def of_path(source: str | Path, query: str | None, name: str | None) -> Source:
    """Open the file, folder or pattern of a path."""
    typed = str(source)
    try:
        path = Path(source).expanduser()
        exists = path.exists()
    except (OSError, RuntimeError) as error:  # a name that is too long, a home that is not there
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise ScoreTableError(f"{typed!r} cannot be opened: {said}") from None
    pattern = any(sign in typed for sign in _SIGNS) and not exists
    if not pattern and not exists:
        folder = f"folder {str(path.parent)!r}" if path.parent != Path() else "the current folder"
        raise ScoreTableError(f"there is no file {typed!r}.", hint=f"looked in {folder}.")
    if query is not None and (path.is_dir() or suffix_of(path) not in SQL):
        raise ScoreTableError(
            f"query= was given with {path.name!r}.",
            hint="it needs a file of DuckDB or SQLite.",
        )
    if pattern:
        return _of_pattern(typed, path, name)
    if path.is_dir():
        return _of_folder(typed, path, name)
    opened = of_file(typed, path, query)
    return opened if name is None else with_partitions(opened, of_names([path], name)[0])


def _of_pattern(typed: str, path: Path, name: str | None) -> Source:
    """Read the files that a pattern matches; folders that it matches are named, not read."""
    matches = sorted(map(Path, glob(str(path), recursive=True)))  # noqa: PTH207
    streams = [match for match in matches if is_stream(match)]
    files = [
        m for m in matches if not m.is_dir() and m.name not in DESCRIPTIONS and m not in streams
    ]
    above = {folder for file in files for folder in file.parents}
    folders = [match for match in matches if match not in {*files, *above}]
    if not files:
        within = f"it matches folders; {typed.rstrip('/')}/*.csv matches files in them."
        raise ScoreTableError(
            f"no file matches {typed!r}.",
            hint=within if folders else "the pattern is taken from the current folder.",
        )
    fixed = takewhile(lambda part: not any(sign in part for sign in _SIGNS), path.parent.parts)
    return _of_files(typed, files, Path(*fixed), folders, name)


def _of_folder(typed: str, path: Path, name: str | None) -> Source:
    """Read the files ``scores.*`` of a folder, or else all tables of the folder together."""
    tables = [file for file in sorted(path.iterdir()) if _is_table(file)]
    score_files = [file for file in tables if file.name.startswith(OURS)]
    if len(score_files) > 1:
        listed = ", ".join(file.name for file in score_files)
        raise ScoreTableError(
            f"the folder {typed!r} holds {len(score_files)} tables of scores: {listed}.",
            hint="the path of one of them reads that one.",
        )
    if score_files:
        others = [file for file in tables if file not in score_files]
        others += [file for file in path.iterdir() if is_stream(file)]
        inner = _of_files(typed, score_files, path, others, name)
        return replace(inner, name=path.name, stem=path.name)
    if runs := [table for table in tables if table.name.startswith(SCENARIO)]:
        return _of_files(typed, runs, path, [t for t in tables if t not in runs], name)
    listed = _files_below(path, typed)
    streams = [file for file in listed if is_stream(file)]
    files = [file for file in listed if file not in streams]

    if name is None and (results := of_folder(path, files)) is not None:
        import pandas as pd

        note_input(path)
        inner = of_frame(pd.DataFrame(results[1]), path.name)
        toml = path / "measures.toml"
        toml = toml if toml.is_file() else None
        inner = replace(inner, known=results[0], stem=path.name, toml=toml)
        return _with_notes(inner, [_not_opened(streams, path)]) if streams else inner
    tables = [file for file in files if _is_table(file)]
    if not tables:
        raise ScoreTableError(
            f"the folder {typed!r} holds no table.",
            hint="a folder holds scores.csv (and measures.toml), or tables of one kind.",
        )
    # Parts of names as in Spark's folder ``_temporary``, not as in ``_x=1``.
    parts = {table: table.relative_to(path).parts for table in tables}
    unfinished = [
        (below(table, path),)
        for table in tables
        if any(part.startswith("_") and "=" not in part for part in parts[table])
    ]
    if unfinished:
        raise ScoreTableError(
            f"{len(unfinished):,} of {len(tables):,} tables have a name or folder that begins with"
            " '_', as unfinished ones do.",
            where=[("file",), *unfinished],
            hint=_SELECT,
        )
    if sides := _timed_sides(path, tables, name):
        return replace(_of_several(sides, None, None), name=path.name, stem=path.name)
    others = [file for file in files if file not in {*tables, path / "measures.toml"}]
    others += streams
    return _of_files(typed, tables, path, others, name)


def _timed_sides(path: Path, tables: Sequence[Path], name: str | None) -> list[Path]:
    """Return the folders in a folder that hold runs of a tool that times programs, if all do."""
    sides = sorted({path / table.relative_to(path).parts[0] for table in tables})
    documents = all(suffix_of(table) == ".json" for table in tables)
    if name is not None or len(sides) < 2 or not documents or not all(map(Path.is_dir, sides)):
        return []
    return sides if is_timed(of_file(str(tables[0]), tables[0], None, path)) else []


def _files_below(folder: Path, typed: str) -> list[Path]:
    """List the files of a folder, those in linked folders too; a hidden folder is listed itself."""

    def fail(error: OSError) -> None:
        raise ScoreTableError(f"{typed!r} cannot be read: {error.strerror}.") from None

    seen: set[Path] = set()
    files: list[Path] = []
    for place, folders, names in folder.walk(on_error=fail, follow_symlinks=True):
        if (there := place.resolve()) in seen:
            folders.clear()
            continue
        seen.add(there)
        hidden = [name for name in folders if name.startswith(".")]
        folders[:] = [name for name in folders if name not in hidden]
        files += [place / name for name in (*names, *hidden)]
    return sorted(files)


def _is_table(path: Path) -> bool:
    if path.name in DESCRIPTIONS:
        return False
    kind = suffix_of(path) in READ and not path.name.startswith(".")
    return kind and not path.is_dir() and not is_stream(path)


def below(path: Path, folder: Path) -> str:
    """Return the path of a file below a folder."""
    return path.relative_to(folder).as_posix()


class _NoScoresError(ScoreTableError):
    """A tool's file holds no scores."""


def _of_files(
    typed: str, paths: list[Path], folder: Path, others: Sequence[Path], name: str | None
) -> Source:
    """Read files together, with findings on the files read and on the others."""
    _refuse_unlike(typed, paths, folder)
    names = [below(path, folder) for path in paths]
    parts: list[Source] = []
    empty: list[str] = []
    for path, file, said in zip(paths, names, of_names(paths, name), strict=True):
        try:
            source = replace(of_file(str(path), path, None, folder), name=file)
        except _NoScoresError:
            empty.append(file)
            continue
        parts.append(with_partitions(source, partitions(path, folder) | said))
    if not parts:
        raise _NoScoresError(f"no file of {typed!r} holds scores: {several(empty)}.")
    names = [file for file in names if file not in empty]
    notes: list[Finding] = []
    if empty:
        what = f"{count(len(empty), 'file')} {'holds' if len(empty) == 1 else 'hold'} no scores."
        where = (("file",), *((file,) for file in empty[:5]))
        hint = "the run ended before its first score, or other files have its scores."
        notes.append(Finding("files without scores", "warning", len(empty), what, where, hint))
    streams = [other for other in others if is_stream(other)]
    if streams:
        notes.append(_not_opened(streams, folder))
    if others := [other for other in others if other not in streams]:
        what = f"{len(others)} {'was' if len(others) == 1 else 'were'} not read."
        where = (("file or folder",), *((below(other, folder),) for other in others[:5]))
        notes.append(Finding("files not read", "note", len(others), what, where))
    if len(parts) > 1 and all(map(is_timed, parts)):
        parts = [as_run(part, file) for part, file in zip(parts, names, strict=True)]
    source = _together(parts, names, notes)
    if len(parts) == 1:
        return source
    return replace(source, name=Path(typed).name, stem=folder.name or "data", files=tuple(names))


def _not_opened(streams: Sequence[Path], folder: Path) -> Finding:
    """Report pipes, sockets and devices of a folder, of which reading might never end."""
    n = len(streams)
    what = (
        f"{count(n, 'stream')} {'was' if n == 1 else 'were'} not opened: pipes, sockets or devices."
    )
    where = (("file",), *((below(stream, folder),) for stream in streams[:5]))
    hint = "a pipe is read where its own path is given."
    return Finding("streams not read", "warning", n, what, where, hint)


def _with_notes(source: Source, notes: Sequence[Finding]) -> Source:
    """Return a source with further findings."""

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        frame, findings = source.load(labels, scores, covariates)
        return frame, [*findings, *notes]

    return replace(source, load=load, stream=None)


def _together(parts: Sequence[Source], names: Sequence[str], notes: Sequence[Finding]) -> Source:
    """Return one source of the rows of several sources with the same columns."""
    _refuse_other_columns([part.names for part in parts], names)

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        loaded = [part.load(labels, scores, covariates) for part in parts]
        tables = [frame.collect() for frame, _ in loaded]
        findings = [finding for _, of_part in loaded for finding in of_part]
        findings += _files_read([len(table) for table in tables], names)
        return _joined(tables, labels, [*scores, *slots(covariates)]), [*findings, *notes]

    kinds = {column: kind for part in parts for column, kind in part.kinds.items()}
    known = parts[0].known
    for part in parts[1:]:
        known = None if known is None else known.joined(part.known)
    return replace(parts[0], load=load, kinds=kinds, known=known, stream=None)


def _refuse_unlike(typed: str, paths: Sequence[Path], folder: Path) -> None:
    """Raise a ScoreTableError where files cannot be read together, or where one is empty."""
    kinds = {suffix_of(path) or "(none)" for path in paths}
    if len(paths) > 1 and (len(kinds) > 1 or kinds <= {*SQL, *EXCEL}):
        names = [(below(path, folder),) for path in paths]
        raise ScoreTableError(
            f"{typed!r} is {len(paths)} files of kinds {', '.join(sorted(kinds))}.",
            where=[("file",), *names],
            hint=["several files are read together when all are of one kind.", _SELECT],
        )
    empty = [path for path in paths if not path.is_file() or path.stat().st_size == 0]
    if empty:
        raise ScoreTableError(
            f"{len(empty)} of {len(paths)} files {'is' if len(empty) == 1 else 'are'} empty.",
            where=[("file",), *((below(path, folder),) for path in empty)],
            hint="write them again, or take them away.",
        )


def _refuse_other_columns(columns: Sequence[Sequence[str]], names: Sequence[str]) -> None:
    """Raise a ScoreTableError where a file has other columns than the first, in whatever order."""
    first = columns[0]
    odd = [
        (
            name,
            ", ".join(c for c in first if c not in held) or "none",
            ", ".join(c for c in held if c not in first) or "none",
        )
        for name, held in zip(names, columns, strict=True)
        if set(held) != set(first)
    ]
    if odd:
        raise ScoreTableError(
            f"{len(odd):,} of {len(names):,} files have other columns than {names[0]!r}.",
            where=[("file", "lacks", "has besides"), *odd],
            hint=["add the columns that are missing, empty where there is no score;", _SELECT],
        )


def _files_read(rows: Sequence[int], names: Sequence[str]) -> list[Finding]:
    """Report which files were read together, and those without rows."""
    if len(names) == 1:
        return []
    where = (("file", "rows"), *zip(names, map(str, rows), strict=True))
    what = f"{sum(rows)} rows were read from {len(names)} files."
    findings = [Finding("files read", "note", len(names), what, where[:6])]
    if without := [(name,) for name, n in zip(names, rows, strict=True) if n == 0]:
        hold = "holds" if len(without) == 1 else "hold"
        what = f"{len(without):,} of {len(names):,} files {hold} no rows."
        where = (("file",), *without[:5])
        findings.append(Finding("files without rows", "note", len(without), what, where))
    return findings


def _joined(
    tables: Sequence[nw.DataFrame[Any]], labels: Sequence[str], numbers: Sequence[str]
) -> nw.LazyFrame[Any]:
    """Return the rows of all tables; columns of numbers in some and text in others become text."""
    import pyarrow as pa

    arrow = [table.to_arrow() for table in tables]
    try:
        joined = pa.concat_tables(arrow, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        # Numbers in one file, text in another: text in all, for the checks to see.
        mixed = [n for n in numbers if not _of_one_type(arrow, n)]
        written = [n for n in labels if not _of_one_type(arrow, n)]
        text: list[Any] = []
        for table in tables:
            labelled = table.with_columns(
                as_label(n, table.schema[n]).cast(nw.String).alias(n) for n in written
            ).to_arrow()
            for name in mixed:
                i = labelled.schema.get_field_index(name)
                labelled = labelled.set_column(i, name, labelled.column(i).cast(pa.string()))
            text.append(labelled)
        joined = pa.concat_tables(text, promote_options="permissive")
    return lazy(joined.unify_dictionaries())


def _of_one_type(tables: Sequence[Any], column: str) -> bool:
    """Return whether the tables hold the column in types that have one in common."""
    import pyarrow as pa

    schemas = [pa.schema([table.schema.field(column)]) for table in tables]
    try:
        pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return False
    return True


def of_names(paths: Sequence[Path], pattern: str | None) -> list[dict[str, str]]:
    """Return the columns that the names of files give by a pattern; all must match."""
    if pattern is None:
        return [{} for _ in paths]
    if not placeholders(pattern) or len(set(placeholders(pattern))) < len(placeholders(pattern)):
        raise ScoreTableError(
            f"name={pattern!r} names no column in braces, or one twice.",
            hint='as in name="{algorithm}_{dataset}".',
        )
    form = expression(pattern, {})
    depth = pattern.count("/") + 1
    # The ending is that of the kind of file; other dots belong to the name.
    texts = ["/".join(path.parts[-depth:]).removesuffix(_ending(path)) for path in paths]
    matches = [form.fullmatch(text) for text in texts]
    if odd := [text for text, match in zip(texts, matches, strict=True) if match is None]:
        raise ScoreTableError(
            f"{len(odd):,} of {len(texts):,} files are not named as name={pattern!r} says.",
            where=[("file",), *((text,) for text in odd)],
            hint="the pattern is that of the whole name without its ending.",
        )
    return [match.groupdict() for match in matches if match is not None]


def _ending(path: Path) -> str:
    text = path.name
    while path.suffix.casefold() in COMPRESSED:
        path = path.with_suffix("")
    return text[len(path.with_suffix("").name) :]


def _refuse_no_file(path: Path, typed: str) -> None:
    if path.stat().st_size == 0:
        raise ScoreTableError(f"{typed!r} is empty.")


def _refuse_no_scores(typed: str, known: Format | None, frame: Any) -> None:
    if known is not None and not len(frame):
        raise _NoScoresError(
            f"{typed!r} holds no scores of {known.tool}.",
            hint="the run ended before its first score, or other files have its scores.",
        )


def of_file(typed: str, path: Path, query: str | None, folder: Path | None = None) -> Source:
    """Open one file by its ending."""
    if not is_text(str(path)):
        raise ScoreTableError(
            f"the path {typed!r} is not text in UTF-8.", hint="give the file another name."
        )
    declaration = (folder or path.parent) / "measures.toml"
    toml = declaration if declaration.is_file() else None
    suffix, stem = suffix_of(path), path.name.split(".")[0]
    note_input(path)
    _refuse_no_file(path, typed)
    document = of_ending(path, typed, suffix) if query is None else None
    if document is None and is_page(path):
        return replace(_page(path, typed), stem=stem, toml=toml)
    if suffix in TEXT and document is None:
        names, load, stream = open_text(path, typed, TEXT[suffix])
        return Source(path.name, names, load, stem, toml, stream=stream)
    if suffix in ARROW and document is None:
        inner = arrow_file(path, typed, ARROW[suffix])
        return replace(inner, stem=stem, toml=toml)
    if document is not None:
        known, frame = document
        _refuse_no_scores(typed, known, cast("Any", frame))
    elif suffix in JSON:
        known, frame = None, _json_file(path, typed)
    elif suffix in SQL:
        read = sqlite_file if head(path) == SQLITE else duckdb_file
        known, frame = None, read(path, typed, query)
    elif suffix in EXCEL:
        known, frame = None, excel_file(path, typed)
    else:
        raise ScoreTableError(
            f"{typed!r} is not a kind of file that can be read.", hint=f"{_KNOWN}."
        )
    inner = of_frame(frame, path.name)
    return replace(inner, name=path.name, stem=stem, toml=toml, known=known)


def _page(path: Path, typed: str) -> Source:
    """Open the table of a page, with a note on the parts of cells left out."""
    import pandas as pd

    from benchinfer.scores.formats.pages import published_table, rows_of_page

    rows, left_out = rows_of_page(published_table(path, typed))
    return _with_notes(of_frame(pd.DataFrame(rows), path.name), left_out)


def _json_file(path: Path, typed: str) -> object:
    import pyarrow as pa

    try:
        table = _json_lines(path, typed, _longest(path, typed))
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        if (fault := _arrow_fault(error)) in ("array", "no object"):
            raise ScoreTableError(_not_an_object(typed, array=fault == "array")) from None
        raise ScoreTableError(
            f"{typed!r} cannot be read as JSON lines: {first_line(error)}"
        ) from None
    nested = any(field.type.num_fields for field in table.schema)
    level = [field.type for field in table.schema]
    for _ in range(DEEPEST):
        level = [kind.field(i).type for kind in level for i in range(kind.num_fields)]
    if level:
        raise too_deep(typed)
    if nested and recognised(table.schema.names) is None and path.stat().st_size <= MOST_BYTES:
        import pandas as pd

        return pd.DataFrame(
            rows_of(table.to_pylist(), path, of_document)[1]
        )  # as a list of records
    return table


def _not_an_object(typed: str, *, array: bool = False) -> str:
    """Return the message on lines that hold no objects."""
    if not array:
        what = f"{typed!r} has a line that is no object, and JSON lines hold one object per line."
        return message(what, hint="remove lines that are no scores, or make them objects.")
    what = f"{typed!r} is one JSON array, and JSON lines hold one object per line."
    return message(what, hint="with the ending .json it is read as one document, up to 256 MB.")


def _longest(path: Path, typed: str) -> int:
    """Return the length of the longest line.

    A null where an object should begin is refused: PyArrow ends the process there. So is text that
    is not in UTF-8, which it does not look at.
    """
    before, longest = b"}", 0
    with _stream(path, typed) as stream:
        for line in limited(BufferedReader(stream), typed):
            if (text := line.strip()).startswith(b"null") and before.endswith(b"}"):
                raise ScoreTableError(_not_an_object(typed))
            if not line.isascii():
                try:
                    line.decode()
                except UnicodeDecodeError:
                    raise not_utf8(typed, line) from None
            before, longest = text or before, max(longest, len(line))
    return longest


def _json_lines(path: Path, typed: str, longest: int) -> Any:
    """Read JSON lines; text that looks like a date stays text."""
    import pyarrow as pa
    from pyarrow import json

    block_size = max(1 << 20, longest + 1)

    def read(**options: Any) -> Any:
        with _stream(path, typed) as stream:
            return json.read_json(
                stream, json.ReadOptions(block_size=block_size), json.ParseOptions(**options)
            )

    table = read()
    dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
    if not dates:
        return table
    as_text = pa.schema([(name, pa.string()) for name in dates])
    return read(explicit_schema=as_text, unexpected_field_behavior="infer").select(
        table.schema.names
    )


def open_text(path: Path, typed: str, delimiter: str) -> tuple[tuple[str, ...], Load, Stream]:
    """Read the header of a text file."""
    shape = _shape(path, typed, delimiter)
    names = shape[1]
    if not any(names):
        raise ScoreTableError(f"{typed!r} is empty: it has no header.")
    if twice := sorted(name for name, n in Counter(names).items() if n > 1):
        raise ScoreTableError(
            f"columns given twice in {typed!r}: {', '.join(twice)}.", hint="keep one of each."
        )

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        import pyarrow as pa

        coded = list(dict.fromkeys([*labels, *covariates]))
        table, findings = _read(path, typed, shape, coded, scores)
        columns = [_numbers(table.column(name)) for name in covariates]
        coded_labels = [_without_fractions(table.column(name)) for name in labels]
        parts = [*coded_labels, *(table.column(name) for name in scores), *columns]
        return lazy(pa.table(parts, [*labels, *scores, *slots(covariates)])), findings

    return names, load, lambda labels, scores: (0, _batches(path, typed, shape, labels, scores))


type _Shape = tuple[str, tuple[str, ...], int]  # delimiter, names, lines above the rows


def limited[Text: (bytes, str)](file: IO[Text], typed: str) -> Iterator[Text]:
    """Yield the lines of a file; raise a ScoreTableError where one is too long for a table."""
    while line := file.readline(_LONGEST):
        if len(line) == _LONGEST:
            raise ScoreTableError(
                f"{typed!r} has a line of more than {_LONGEST >> 20} MB.",
                hint="the file is damaged, or not what its name says.",
            )
        yield line


def _stream(path: Path, typed: str) -> Any:
    """Return the bytes of a file as a stream, compressed or not."""
    import pyarrow as pa

    packed = path.suffix.casefold() in COMPRESSED
    return opened(path, typed) if packed else pa.input_stream(path)


def _shape(path: Path, typed: str, delimiter: str) -> _Shape:
    """Read the header: names may be quoted, and then run over several lines."""
    import pyarrow as pa

    try:
        with (
            _stream(path, typed) as stream,
            TextIOWrapper(stream, encoding="utf-8-sig", newline="") as file,
        ):
            lines = limited(file, typed)
            blank, line = next(((i, s) for i, s in enumerate(lines) if s.strip()), (0, ""))
            if "\0" in line:
                raise not_utf8(typed, line.encode())
            if delimiter not in line:
                # Semicolons are what spreadsheets write where the comma is the decimal sign.
                delimiter = max(",;\t|", key=line.count)
            rows = csv.reader(chain([line], lines), delimiter=delimiter, strict=True)
            names = tuple(name.strip() for name in next(rows))
            return delimiter, names, blank + rows.line_num
    except UnicodeDecodeError as error:
        raise not_utf8(typed, error.object) from None
    except csv.Error as error:
        raise ScoreTableError(f"the header of {typed!r} cannot be read: {error}.") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise ScoreTableError(_unreadable(path, typed, error)) from None


def _arrow_fault(error: Exception) -> str:
    """Return what is wrong with a text file, which PyArrow's errors have in their texts alone."""
    text = str(error)
    return next((fault for fault, sign in _ARROW_FAULTS.items() if sign in text), "")


def _unreadable(path: Path, typed: str, error: Exception) -> str:
    hint = ""
    if path.suffix.casefold() in COMPRESSED:
        hint = "the file is cut, damaged, or not compressed as its name says."
    elif _arrow_fault(error) == "quotation":
        hint = "a quotation mark is not closed, or a row is longer than a megabyte."
    return message(f"{typed!r} cannot be read: {error}.", hint=[hint] if hint else [])


def _read(
    path: Path, typed: str, shape: _Shape, coded: Sequence[str], scores: Sequence[str]
) -> tuple[Any, list[Finding]]:
    """Read some columns: labels as codes, and scores as numbers or, failing that, as text."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    ragged: list[str] = []

    def skip(row: Any) -> str:
        ragged.append(row.text)
        return "skip"

    def attempt(kind: Any) -> Any:
        ragged.clear()
        with _stream(path, typed) as stream:
            return pacsv.read_csv(stream, **_options(path, shape, coded, scores, kind, skip))

    try:
        try:
            table = attempt(pa.float64())
        except pa.ArrowInvalid as error:
            if _arrow_fault(error) != "no number":
                raise
            table = attempt(pa.string())
    except (pa.ArrowInvalid, OSError) as error:
        fault = _arrow_fault(error)
        if fault == "encoding":
            raise not_utf8(typed) from None
        if fault == "no rows":
            raise ScoreTableError(f"{typed!r} has a header and no rows.") from None
        raise ScoreTableError(_unreadable(path, typed, error)) from None
    check_memory(typed, table.num_rows)
    if not ragged:
        return table.unify_dictionaries(), []
    n, width = len(ragged), len(shape[1])
    where = (("row",), *((row,) for row in sorted(ragged)[:5]))
    what = f"{n} {'row does' if n == 1 else 'rows do'} not have {width} fields."
    hint = f"the header has {width} fields, separated by {shape[0]!r}."
    finding = Finding("ragged rows", "error", n, what, where, hint)
    return table.unify_dictionaries(), [finding]


def _options(
    path: Path,
    shape: _Shape,
    coded: Sequence[str],
    scores: Sequence[str],
    kind: Any,
    ragged: Any = None,
) -> dict[str, Any]:
    """Return the options by which a file is read."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    delimiter, names, skip = shape
    types = dict.fromkeys(coded, pa.dictionary(pa.int32(), pa.string()))
    # Arrow's threads that still hold the handler of ragged rows as Python ends abort the process.
    threads = path.stat().st_size > _BLOCK
    return {
        "read_options": pacsv.ReadOptions(column_names=names, skip_rows=skip, use_threads=threads),
        "parse_options": pacsv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, invalid_row_handler=ragged
        ),
        "convert_options": pacsv.ConvertOptions(
            column_types=types | dict.fromkeys(scores, kind), include_columns=[*coded, *scores]
        ),
    }


def _batches(
    path: Path, typed: str, shape: _Shape, labels: Sequence[str], scores: Sequence[str]
) -> Iterator[Any]:
    """Read a file in batches of rows; on any fault leave it to the reader of all rows."""
    import pyarrow as pa
    from pyarrow import csv as pacsv

    try:
        options = _options(path, shape, labels, scores, pa.float64())
        with _stream(path, typed) as stream, pacsv.open_csv(stream, **options) as batches:
            for batch in batches:
                if any(_all_integral(batch.column(name).dictionary) for name in labels):
                    raise NotDenseError  # 1.0 is written as 1 where no label has a fraction
                yield batch
    except (pa.ArrowInvalid, OSError):
        raise NotDenseError from None


def _numbers(column: Any) -> Any:
    """Turn codes of text into numbers, or into plain text where one is no number."""
    import pyarrow as pa

    if not column.num_chunks:
        return pa.chunked_array([], pa.float64())
    values = numbers_of_text(column.chunk(0).dictionary)
    if values is None:
        return column.cast(pa.string())
    return pa.chunked_array([values.take(chunk.indices) for chunk in column.chunks], pa.float64())


def _without_fractions(column: Any) -> Any:
    """Write labels that are all whole numbers without ".0", as the other engines do."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not column.num_chunks or not len(column.chunk(0).dictionary):
        return column
    if not _all_integral(column.chunk(0).dictionary):  # the same in all chunks, once unified
        return column
    text = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")  # pyright: ignore[reportAttributeAccessIssue]
    return text.dictionary_encode().unify_dictionaries()


def _all_integral(labels: Any) -> bool:
    # Of most columns the first label tells.
    return all(_INTEGRAL.fullmatch(label.as_py()) for label in labels)
