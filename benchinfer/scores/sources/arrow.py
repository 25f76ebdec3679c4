"""Files of columns: Parquet and Feather."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.scores.columns.engines import holds_text
from benchinfer.scores.numerics.places import BATCH
from benchinfer.scores.sources.frames import (
    Columns,
    Loaded,
    Source,
    check_memory,
    checked_names,
    first_line,
    odd_fields,
    of_frame,
)


def arrow_file(path: Path, typed: str, kind: str) -> Source:
    """Open a file of columns, of which only those are read that play a role."""
    from pyarrow import dataset

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        with _errors(typed, kind):
            check_memory(typed, file.count_rows())
            columns = list(dict.fromkeys([*labels, *scores, *covariates]))
            table = file.to_table(columns=columns) if kind == "parquet" else _feather(path, columns)
            table.validate(full=True)
        return of_frame(table.replace_schema_metadata(), path.name).load(labels, scores, covariates)

    def stream(labels: Columns, scores: Columns) -> tuple[int, Iterator[Any]]:
        with _errors(typed, kind):
            return file.count_rows(), each([*labels, *scores])

    def each(columns: Sequence[str]) -> Iterator[Any]:
        with _errors(typed, kind):
            for batch in _batches(path, kind, columns):
                # Readers trust offsets, codes and text of a file, which may be damaged.
                batch.validate(full=True)
                yield batch

    with _errors(typed, kind):
        file = dataset.dataset(path, format=kind)
        names = checked_names(file.schema.names)
        kinds = odd_fields(file.schema)
    return Source(path.name, names, load, kinds=kinds, stream=stream)


@contextmanager
def _errors(typed: str, kind: str) -> Generator[None]:
    """Convert errors of Arrow, and of text that is not UTF-8, to a ScoreTableError."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ScoreTableError(
            f"{typed!r} cannot be read as {kind}: {first_line(error)}",
            hint="the file is damaged, or not what its name says: write it once more.",
        ) from None


def _batches(path: Path, kind: str, columns: Sequence[str]) -> Iterator[Any]:
    """Read a file of columns in batches of rows, text as codes."""
    from pyarrow.parquet import ParquetFile

    if kind != "parquet":
        for part in _parts(path, columns):
            yield from (part.slice(i, BATCH) for i in range(0, part.num_rows, BATCH))
        return
    with ParquetFile(path) as file:
        text = [name for name in columns if holds_text(file.schema_arrow.field(name).type)]
    # With a buffer all of a file would stay in memory until its end.
    with ParquetFile(path, read_dictionary=text, pre_buffer=False) as file:
        yield from file.iter_batches(BATCH, columns=list(columns), use_threads=False)


def _parts(path: Path, columns: Sequence[str]) -> Iterator[Any]:
    """Read the record batches of a Feather file one by one, each validated in full.

    The scanner of data sets, which reads several at once, can end the process on damaged ones.
    """
    import pyarrow as pa

    with pa.OSFile(str(path)) as file:
        names = pa.ipc.open_file(file).schema.names
        options = pa.ipc.IpcReadOptions(
            included_fields=sorted(names.index(name) for name in columns), use_threads=False
        )
        reader = pa.ipc.open_file(file, options=options)
        for i in range(reader.num_record_batches):
            part = reader.get_batch(i)
            part.validate(full=True)
            yield part.select(list(columns))


def _feather(path: Path, columns: Sequence[str]) -> Any:
    """Return some columns of a Feather file."""
    import pyarrow as pa

    with pa.OSFile(str(path)) as file:
        schema = pa.ipc.open_file(file).schema
    fields = [schema.field(name) for name in columns]
    return pa.Table.from_batches(list(_parts(path, columns)), pa.schema(fields))
