"""Paths: one file, a folder or a pattern."""

from collections.abc import Sequence
from dataclasses import replace
from glob import glob
from itertools import takewhile
from pathlib import Path
from typing import Any

import narwhals as nw

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import Option
from benchinfer.scores.columns import as_label, slots
from benchinfer.scores.coverage import Finding
from benchinfer.scores.sources.files import (
    ARFF,
    ARRAYS,
    ARROW,
    DUCKDB,
    EXCEL,
    JSON,
    TEXT,
    of_file,
    suffix_of,
)
from benchinfer.scores.sources.partitions import of_names, partitions, with_partitions
from benchinfer.scores.sources.source import Source

_SIGNS = "*?["  # of a pattern
_SELECT = "a pattern selects, such as 'folder/*.csv'."
_DESCRIBE = {"model_meta.json"}  # files that tools write beside their results (MTEB)
_TABLES = {*TEXT, *ARROW, *JSON, *DUCKDB, *EXCEL, *ARRAYS, *ARFF}


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
        raise ScoreTableError(f"there is no file {typed!r}.", hint=f"looked in {_folder(path)}.")
    if query is not None and (path.is_dir() or suffix_of(path) not in DUCKDB):
        raise ScoreTableError(
            f"{Option('query', '')} was given with {path.name!r}.", hint="it needs a DuckDB file."
        )
    if pattern:
        return _of_pattern(typed, path, name)
    if path.is_dir():
        return _of_folder(typed, path, name)
    return with_partitions(of_file(typed, path, query), of_names([path], name)[0])


def _folder(path: Path) -> str:
    return "the current folder" if path.parent == Path() else f"folder {str(path.parent)!r}"


def _of_pattern(typed: str, path: Path, name: str | None) -> Source:
    """Read the files that a pattern matches; folders that it matches are named, not read."""
    matches = sorted(map(Path, glob(str(path), recursive=True)))  # noqa: PTH207
    files = [m for m in matches if not m.is_dir() and m.name not in _DESCRIBE]
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
    """Read a data set of ours (``scores.*`` in a folder), or all tables of a folder together."""
    beside = [file for file in sorted(path.iterdir()) if _is_table(file)]
    own = [file for file in beside if file.name.startswith("scores.")]
    if len(own) > 1:
        listed = ", ".join(file.name for file in own)
        raise ScoreTableError(
            f"the folder {typed!r} holds {len(own)} tables of scores: {listed}.",
            hint="the path of one of them reads that one.",
        )
    if own:
        inner = _of_files(typed, own, path, [table for table in beside if table not in own], name)
        return replace(inner, name=path.name, stem=path.name)
    files = _files_below(path, typed)
    tables = [file for file in files if _is_table(file)]
    if not tables:
        raise ScoreTableError(
            f"the folder {typed!r} holds no table.",
            hint="a folder holds scores.csv (and measures.toml), or tables of one kind.",
        )
    if unfinished := [(below(table, path),) for table in tables if _unfinished(table, path)]:
        raise ScoreTableError(
            f"{len(unfinished):,} of {len(tables):,} tables have a name or folder that begins"
            " with '_', as unfinished ones do.",
            where=[("file",), *unfinished],
            hint=_SELECT,
        )
    others = [file for file in files if file not in {*tables, path / "measures.toml"}]
    return _of_files(typed, tables, path, others, name)


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
    if path.name in _DESCRIBE:
        return False
    return suffix_of(path) in _TABLES and not path.name.startswith(".") and not path.is_dir()


def _unfinished(path: Path, folder: Path) -> bool:
    """Return whether a file is of an unfinished job, as in Spark's folder ``_temporary``."""
    parts = path.relative_to(folder).parts
    return any(part.startswith("_") and "=" not in part for part in parts)


def below(path: Path, folder: Path) -> str:
    """Return the path of a file below a folder."""
    return path.relative_to(folder).as_posix()


def _of_files(
    typed: str, paths: list[Path], folder: Path, others: Sequence[Path], name: str | None
) -> Source:
    """Read files together; what was read, and the others, are findings."""
    _refuse_unlike(typed, paths, folder)
    names = [below(path, folder) for path in paths]
    parts = [
        with_partitions(
            replace(of_file(str(path), path, None, folder), name=file),
            partitions(path, folder) | said,
        )
        for path, file, said in zip(paths, names, of_names(paths, name), strict=True)
    ]
    _refuse_other_columns([part.names for part in parts], names)

    def load(
        labels: Sequence[str], scores: Sequence[str], covariates: Sequence[str]
    ) -> tuple[nw.LazyFrame[Any], list[Finding]]:
        loaded = [part.load(labels, scores, covariates) for part in parts]
        tables = [frame.collect() for frame, _ in loaded]
        found = [finding for _, findings in loaded for finding in findings]
        found += _files_read([len(table) for table in tables], names)
        found += _files_not_read([below(other, folder) for other in others])
        return _joined(tables, labels, [*scores, *slots(covariates)]), found

    if len(parts) == 1:
        return replace(parts[0], load=load, stream=None)
    kinds = {column: kind for part in parts for column, kind in part.kinds.items()}
    known = parts[0].known
    for part in parts[1:]:
        known = None if known is None else known.joined(part.known)
    return replace(
        parts[0],
        name=Path(typed).name,
        load=load,
        stem=folder.name or "data",
        kinds=kinds,
        known=known,
        stream=None,
    )


def _refuse_unlike(typed: str, paths: Sequence[Path], folder: Path) -> None:
    """Refuse files that cannot be read together, and those that hold nothing."""
    kinds = {suffix_of(path) or "(none)" for path in paths}
    if len(paths) > 1 and (len(kinds) > 1 or kinds <= {*DUCKDB, *EXCEL}):
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
    """Refuse files that do not have the columns of the first; their order is free."""
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
    found = [Finding("files read", "note", len(names), what, where[:6])]
    if without := [(name,) for name, n in zip(names, rows, strict=True) if n == 0]:
        hold = "holds" if len(without) == 1 else "hold"
        what = f"{len(without):,} of {len(names):,} files {hold} no rows."
        where = (("file",), *without[:5])
        found.append(Finding("files without rows", "note", len(without), what, where))
    return found


def _files_not_read(names: Sequence[str]) -> list[Finding]:
    """Report what lies beside the files that were read."""
    if not names:
        return []
    what = f"{len(names)} {'was' if len(names) == 1 else 'were'} not read."
    where = (("file or folder",), *((name,) for name in names[:5]))
    return [Finding("files not read", "note", len(names), what, where)]


def _joined(
    tables: "Sequence[nw.DataFrame[Any]]", labels: Sequence[str], numbers: Sequence[str]
) -> "nw.LazyFrame[Any]":
    """Put tables below each other."""
    import pyarrow as pa

    arrow = [table.to_arrow() for table in tables]
    try:
        joined = pa.concat_tables(arrow, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        # Numbers in one file, text in another: text in all, for the checks to see.
        mixed = [n for n in numbers if not _alike(arrow, n)]
        written = [n for n in labels if not _alike(arrow, n)]
        text = [
            _as_text(
                table.with_columns(
                    as_label(n, table.schema[n]).cast(nw.String).alias(n) for n in written
                ).to_arrow(),
                mixed,
            )
            for table in tables
        ]
        joined = pa.concat_tables(text, promote_options="permissive")
    return nw.from_native(joined.unify_dictionaries(), eager_only=True).lazy()


def _alike(tables: Sequence[Any], column: str) -> bool:
    """Return whether the tables hold the column in types that have one in common."""
    import pyarrow as pa

    schemas = [pa.schema([table.schema.field(column)]) for table in tables]
    try:
        pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return False
    return True


def _as_text(table: Any, columns: Sequence[str]) -> Any:
    import pyarrow as pa

    for name in columns:
        i = table.schema.get_field_index(name)
        table = table.set_column(i, name, table.column(i).cast(pa.string()))
    return table
