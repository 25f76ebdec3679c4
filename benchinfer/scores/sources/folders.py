"""Files of a folder: which of them are tables, what their names say, and their rows together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import count, several
from benchinfer.scores.columns.engines import as_label, lazy
from benchinfer.scores.columns.roles import COMMON, common_name, expression, placeholders, slots
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.catalogue import (
    DESCRIPTIONS,
    EXCEL,
    JSON,
    READ,
    SQL,
    ending_of,
    name_of,
    suffix_of,
)
from benchinfer.scores.formats.format import directed
from benchinfer.scores.sources.frames import Columns, Loaded, Source
from benchinfer.scores.sources.streams import is_stream

SELECT = "a pattern selects, such as 'folder/*.csv'."


def names_apart(paths: Sequence[Path]) -> list[str]:
    """Return distinct names of files: those without ending, or else those of their folders."""
    for i in range(max(len(path.parts) for path in paths)):
        names = [name_of(path) if i == 0 else "/".join(path.parts[-i - 1 : -i]) for path in paths]
        if len(set(names)) == len(names):
            return names
    raise ScoreTableError(
        f"{len(paths)} files have no names by which to tell them apart.",
        hint="the same file is there twice, or folders differ at several places.",
    )


def files_below(folder: Path, typed: str) -> list[Path]:
    """List the files of a folder, those in linked folders too; a hidden folder is listed itself."""

    def fail(error: OSError) -> None:
        raise ScoreTableError(f"{typed!r} cannot be read: {error.strerror}.") from None

    seen: set[Path] = set()
    files: list[Path] = []
    for place, folders, names in folder.walk(on_error=fail, follow_symlinks=True):
        if (target := place.resolve()) in seen:
            folders.clear()
            continue
        seen.add(target)
        hidden = [name for name in folders if name.startswith(".")]
        folders[:] = [name for name in folders if name not in hidden]
        files += [place / name for name in (*names, *hidden)]
    return sorted(files)


def is_table(path: Path) -> bool:
    """Return whether a file of a folder is read as a table."""
    if path.name in DESCRIPTIONS:
        return False
    kind = suffix_of(path) in READ and not path.name.startswith(".")
    return kind and not path.is_dir() and not is_stream(path)


def below(path: Path, folder: Path) -> str:
    """Return the path of a file below a folder."""
    return path.relative_to(folder).as_posix()


def not_opened(streams: Sequence[Path], folder: Path) -> Finding:
    """Report pipes, sockets and devices of a folder, of which reading might never end."""
    n = len(streams)
    what = (
        f"{count(n, 'stream')} {'was' if n == 1 else 'were'} not opened: pipes, sockets or devices."
    )
    where = (("file",), *((below(stream, folder),) for stream in streams[:5]))
    hint = "a pipe is read where its own path is given."
    return Finding("streams not read", "warning", n, what, where, hint)


def with_notes(source: Source, notes: Sequence[Finding]) -> Source:
    """Return a source with further findings."""

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        frame, findings = source.load(labels, scores, covariates)
        return frame, [*findings, *notes]

    return replace(source, load=load, stream=None)


def together(parts: Sequence[Source], names: Sequence[str], notes: Sequence[Finding]) -> Source:
    """Return one source of the rows of several sources, with the columns that all have.

    Sources with faults in their rows are left out where they are fewer than the others.
    """
    columns, of_some = _columns_of_all([part.names for part in parts], names)

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        loaded = [part.load(labels, scores, covariates) for part in parts]
        frames, findings = _without_faults(loaded, names)
        tables = [frame.collect() for frame in frames.values()]
        findings += _files_read([len(table) for table in tables], [*frames])
        findings += [*of_some, *notes]
        return _joined(tables, labels, [*scores, *slots(covariates)]), findings

    kinds = {c: kind for part in parts for c, kind in part.kinds.items() if c in columns}
    known = parts[0].known
    for part in parts[1:]:
        known = None if known is None else known.joined(part.known)
    return replace(parts[0], names=tuple(columns), load=load, kinds=kinds, known=known, stream=None)


def _without_faults(
    loaded: Sequence[Loaded], names: Sequence[str]
) -> tuple[dict[str, nw.LazyFrame[Any]], list[Finding]]:
    """Return the rows of the sources without faults by name, and findings; of all if most have."""
    faults = {
        name: next((f.what for f in findings if f.severity == "error"), "")
        for name, (_, findings) in zip(names, loaded, strict=True)
    }
    faulty = {name: what for name, what in faults.items() if what}
    faulty = faulty if 2 * len(faulty) < len(names) else {}
    frames = {n: frame for n, (frame, _) in zip(names, loaded, strict=True) if n not in faulty}
    findings = [
        replace(f, what=f"{name}: {f.what}") if f.severity == "error" else f
        for name, (_, of_source) in zip(names, loaded, strict=True)
        for f in of_source
        if name not in faulty
    ]
    return frames, [*findings, *([left_out(faulty)] if faulty else [])]


def left_out(faults: Mapping[str, str]) -> Finding:
    """Report files that cannot be read, each with the reason."""
    n = len(faults)
    are_left_out = f"{'is' if n == 1 else 'are'} left out"
    what = f"{count(n, 'file')} cannot be read, and {are_left_out}: {several([*faults])}."
    where = (("file", "why"), *((file, why.partition("\n")[0]) for file, why in faults.items()))
    hint = "mend them, or take them away."
    return Finding("files that cannot be read", "warning", n, what, where[:6], hint)


def of_one_kind(
    typed: str, paths: Sequence[Path], folder: Path, of_tool: Callable[[Path], bool]
) -> list[Path]:
    """Return the files that are read together: documents of no tool beside results are not.

    A ScoreTableError is raised where several kinds are left, or where a file is empty.
    """
    tables = [path for path in paths if suffix_of(path) not in JSON]
    documents = [path for path in paths if path not in tables]
    several_kinds = len({suffix_of(path) for path in paths}) > 1
    known = [path for path in documents if several_kinds and path.is_file() and of_tool(path)]
    chosen = [*tables, *known] if tables or known else list(paths)
    kinds = {suffix_of(path) or "(none)" for path in chosen}
    if len(chosen) > 1 and (len(kinds) > 1 or kinds <= {*SQL, *EXCEL}):
        names = [(below(path, folder),) for path in chosen]
        raise ScoreTableError(
            f"{typed!r} is {len(chosen)} files of kinds {', '.join(sorted(kinds))}.",
            where=[("file",), *names],
            hint=["several files are read together when all are of one kind.", SELECT],
        )
    empty = [path for path in chosen if not path.is_file() or path.stat().st_size == 0]
    if empty:
        raise ScoreTableError(
            f"{len(empty)} of {len(chosen)} files {'is' if len(empty) == 1 else 'are'} empty.",
            where=[("file",), *((below(path, folder),) for path in empty)],
            hint="write them again, or take them away.",
        )
    return chosen


def _columns_of_all(columns: Sequence[Columns], names: Columns) -> tuple[Columns, list[Finding]]:
    """Return the columns that all files have, in the order of the first, and report the others.

    A ScoreTableError is raised where one that has a role by its name is not in all files, where
    half of the columns are not, or no measure by its name is while some files have one.
    """
    of_file = [set(of) for of in columns]
    shared = set[str].intersection(*of_file)
    others = list(dict.fromkeys(c for of in columns for c in of if c not in shared))
    roles = {name for role in COMMON.values() for name in role}
    few = any(2 * len(shared) <= len(of) for of in of_file)
    unlike = bool(directed(others)) and not directed(shared)
    if few or unlike or any(common_name(c) in roles for c in others):
        raise _other_columns(columns, names)
    if not others:
        return columns[0], []
    where = (
        ("column", "files"),
        *((c, f"{sum(c in of for of in of_file)} of {len(of_file)}") for c in others[:5]),
    )
    left = "was" if len(others) == 1 else "were"
    what = f"{count(len(others), 'column')} {left} left out, which not all files have."
    hint = "where one is needed, write it into all files, empty where there is no value."
    finding = Finding("columns of some files", "note", len(others), what, where, hint)
    return [c for c in columns[0] if c in shared], [finding]


def _other_columns(columns: Sequence[Columns], names: Columns) -> ScoreTableError:
    """Return the error of files of which some have other columns than the first."""
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
    return ScoreTableError(
        f"{len(odd):,} of {len(names):,} files have other columns than {names[0]!r}.",
        where=[("file", "lacks", "has besides"), *odd],
        hint=["add the columns that are missing, empty where there is no score;", SELECT],
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
    if not placeholders(pattern):
        raise ScoreTableError(
            f"name={pattern!r} names no column in braces.",
            hint='as in name="{algorithm}_{dataset}".',
        )
    form = expression(pattern, {})
    depth = pattern.count("/") + 1
    # The ending is that of the kind of file; other dots belong to the name.
    texts = ["/".join(path.parts[-depth:]).removesuffix(ending_of(path)) for path in paths]
    matches = [form.fullmatch(text) for text in texts]
    if odd := [text for text, match in zip(texts, matches, strict=True) if match is None]:
        raise ScoreTableError(
            f"{len(odd):,} of {len(texts):,} files are not named as name={pattern!r} says.",
            where=[("file",), *((text,) for text in odd)],
            hint="the pattern is that of the whole name without its ending.",
        )
    return [match.groupdict() for match in matches if match is not None]
