"""Opening of sources by what they are: a path, a pattern, a folder, several files, a frame."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import glob
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

import narwhals as nw

from benchinfer.core.arguments import is_text
from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import count, several
from benchinfer.core.saving import exists, note_input
from benchinfer.scores.columns.engines import as_label
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.catalogue import (
    ARROW,
    DESCRIPTIONS,
    EXCEL,
    JSON,
    OURS,
    PRINTED,
    SCENARIO,
    SQL,
    SQLITE,
    TEXT,
    head,
    is_page,
    name_of,
    of_document,
    of_ending,
    of_folder,
    of_records,
    recognised,
    runs_below,
    suffix_of,
)
from benchinfer.scores.formats.documents import (
    runs_by_tasks,
)
from benchinfer.scores.formats.format import Format, NoScoresError
from benchinfer.scores.sources.arrow import arrow_file
from benchinfer.scores.sources.excel import excel_file
from benchinfer.scores.sources.folders import (
    SELECT,
    below,
    files_below,
    is_table,
    left_out,
    names_apart,
    not_opened,
    of_names,
    of_one_kind,
    together,
    with_notes,
)
from benchinfer.scores.sources.frames import Source, first_line, of_frame
from benchinfer.scores.sources.json import json_lines_file
from benchinfer.scores.sources.layouts import roles_of
from benchinfer.scores.sources.partitions import partitions, with_partitions
from benchinfer.scores.sources.query import duckdb_file, open_relation, sqlite_file
from benchinfer.scores.sources.runs import as_run, contexts_that_differ, is_timed
from benchinfer.scores.sources.streams import as_file, is_stream
from benchinfer.scores.sources.text import open_text

_KNOWN = (
    "csv, tsv (also .gz, .bz2, .zst), parquet, feather, json, jsonl, arff, npz, xlsx, duckdb, md,"
    " tex, html"
)
_SIGNS = "*?["  # of a pattern
_MOST_COLUMNS = 20_000
_DESCRIPTORS = ("/dev/", "/proc/")  # folders of files that are open already
_FILE = "benchinfer_file"  # the column of the names of files that are algorithms


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
        return replace(together(parts, names, []), name=title, stem=stem)
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
    source = together(parts, names, notes)
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
        known = exists(path)
    except (OSError, RuntimeError) as error:  # a name that is too long, a home that is not there
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise ScoreTableError(f"{typed!r} cannot be opened: {said}") from None
    pattern = any(sign in typed for sign in _SIGNS) and not known
    if not pattern and not known:
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
    fixed = takewhile(lambda part: not any(sign in part for sign in _SIGNS), path.parent.parts)
    root = Path(*fixed)
    if not files:
        inner = [f for match in folders if match.is_dir() for f in files_below(match, typed)]
        if name is None and (runs := runs_below(root, inner)):
            return replace(_of_runs(runs, inner, root), name=path.name, stem=root.name or "data")
        within = f"it matches folders; {typed.rstrip('/')}/*.csv matches files in them."
        raise ScoreTableError(
            f"no file matches {typed!r}.",
            hint=within if folders else "the pattern is taken from the current folder.",
        )
    return _of_files(typed, files, root, folders, name)


def _of_folder(typed: str, path: Path, name: str | None) -> Source:
    """Read the files ``scores.*`` of a folder, or else all tables of the folder together."""
    tables = [file for file in sorted(path.iterdir()) if is_table(file)]
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
    listed = files_below(path, typed)
    streams = [file for file in listed if is_stream(file)]
    files = [file for file in listed if file not in streams]

    if name is None and (runs := runs_below(path, files)):
        return replace(_of_runs(runs, files, path), name=path.name, stem=path.name)
    if name is None and (results := of_folder(path, files)) is not None:
        import pandas as pd

        note_input(path)
        inner = of_frame(pd.DataFrame(results[1]), path.name)
        toml = path / "measures.toml"
        toml = toml if toml.is_file() else None
        inner = replace(inner, known=results[0], stem=path.name, toml=toml)
        return with_notes(inner, [not_opened(streams, path)]) if streams else inner
    tables = [file for file in files if is_table(file)]
    tables = tables or [f for f in files if suffix_of(f) in PRINTED and _of_tool(f)]
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
            hint=SELECT,
        )
    if sides := _timed_sides(path, tables, name):
        return replace(_of_several(sides, None, None), name=path.name, stem=path.name)
    others = [file for file in files if file not in {*tables, path / "measures.toml"}]
    others += streams
    return _of_files(typed, tables, path, others, name)


def _of_runs(runs: Sequence[Path], files: Sequence[Path], folder: Path) -> Source:
    """Read folders of which each is one run of a tool, or has the runs of one side."""
    within = [[file for file in files if file.is_relative_to(run)] for run in runs]
    if len(runs) == 1:
        return of_path(runs[0], None, None)
    if any(runs_below(run, of) for run, of in zip(runs, within, strict=True)):
        return _of_several(runs, None, None)
    names = [below(run, folder) for run in runs]
    parts = [as_run(of_path(run, None, None), at) for run, at in zip(runs, names, strict=True)]
    return replace(together(parts, names, []), files=tuple(names))


def _timed_sides(path: Path, tables: Sequence[Path], name: str | None) -> list[Path]:
    """Return the folders in a folder that hold runs of a tool that times programs, if all do."""
    sides = sorted({path / table.relative_to(path).parts[0] for table in tables})
    documents = all(suffix_of(table) == ".json" for table in tables)
    if name is not None or len(sides) < 2 or not documents or not all(map(Path.is_dir, sides)):
        return []
    return sides if is_timed(of_file(str(tables[0]), tables[0], None, path)) else []


def _of_tool(path: Path) -> bool:
    """Return whether a document holds results of a tool."""
    try:
        return of_file(str(path), path, None).known is not None
    except NoScoresError as error:
        return error.of_tool
    except ScoreTableError:
        return False


def _each(
    typed: str, paths: list[Path], folder: Path, name: str | None
) -> tuple[dict[str, Source], list[str], dict[str, ScoreTableError]]:
    """Open files of one kind, those of a tool if there is one, and list those without scores.

    Files that cannot be read are left out where they are fewer than the others.
    """
    opened: dict[str, Source] = {}
    empty: list[str] = []
    bad: dict[str, ScoreTableError] = {}
    for path, said in zip(paths, of_names(paths, name), strict=True):
        file = below(path, folder)
        try:
            source = replace(of_file(str(path), path, None, folder), name=file)
        except NoScoresError:
            if len(paths) == 1:
                raise
            empty.append(file)
            continue
        except ScoreTableError as error:
            bad[file] = error
            continue
        opened[file] = with_partitions(source, partitions(path, folder) | said)
    if bad and len(bad) >= len(opened):
        raise next(iter(bad.values()))
    if not opened:
        raise NoScoresError(f"no file of {typed!r} holds scores: {several(empty)}.")
    if any(of.known is not None for of in opened.values()) and suffix_of(paths[0]) in JSON:
        opened = {file: of for file, of in opened.items() if of.known is not None}
    return opened, empty, bad


def _of_files(
    typed: str, paths: list[Path], folder: Path, others: Sequence[Path], name: str | None
) -> Source:
    """Read files together, with findings on the files read and on the others."""
    given, paths = paths, of_one_kind(typed, paths, folder, _of_tool)
    opened, empty, bad = _each(typed, paths, folder, name)
    names, parts = list(opened), list(opened.values())
    left = {folder / file for file in (*names, *empty, *bad)}
    others = [*others, *(path for path in given if path not in left)]
    notes: list[Finding] = []
    if empty:
        what = f"{count(len(empty), 'file')} {'holds' if len(empty) == 1 else 'hold'} no scores."
        where = (("file",), *((file,) for file in empty[:5]))
        hint = "the run ended before its first score, or other files have its scores."
        notes.append(Finding("files without scores", "warning", len(empty), what, where, hint))
    if bad:
        notes.append(left_out({file: str(error) for file, error in bad.items()}))
    streams = [other for other in others if is_stream(other)]
    if streams:
        notes.append(not_opened(streams, folder))
    if others := [other for other in others if other not in streams]:
        what = f"{len(others)} {'was' if len(others) == 1 else 'were'} not read."
        where = (("file or folder",), *((below(other, folder),) for other in others[:5]))
        notes.append(Finding("files not read", "note", len(others), what, where))
    if len(parts) > 1 and all(map(is_timed, parts)):
        parts = [as_run(part, file) for part, file in zip(parts, names, strict=True)]
    source = together(parts, names, notes)
    if len(parts) == 1:
        return source
    return replace(source, name=Path(typed).name, stem=folder.name or "data", files=tuple(names))


def _refuse_no_file(path: Path, typed: str) -> None:
    if path.stat().st_size == 0:
        raise ScoreTableError(f"{typed!r} is empty.")


def _refuse_no_scores(typed: str, known: Format | None, frame: Any) -> None:
    if known is not None and not len(frame):
        raise NoScoresError(
            f"{typed!r} holds no scores of {known.tool}.",
            hint="the run ended before its first score, or other files have its scores.",
            of_tool=True,
        )


def of_file(typed: str, path: Path, query: str | None, folder: Path | None = None) -> Source:
    """Open one file by its ending."""
    if not is_text(str(path)):
        raise ScoreTableError(
            f"the path {typed!r} is not text in UTF-8.", hint="give the file another name."
        )
    declaration = (folder or path.parent) / "measures.toml"
    toml = declaration if declaration.is_file() else None
    suffix, stem = suffix_of(path), name_of(path)
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
        known, frame = None, json_lines_file(path, typed)
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
    return with_notes(of_frame(pd.DataFrame(rows), path.name), left_out)
