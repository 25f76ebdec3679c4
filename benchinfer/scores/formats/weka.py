"""Results of Weka's Experimenter: CSV and ARFF."""

import csv
import re
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names
from benchinfer.scores.resampling import Resampling

_PERCENT = (0.0, 100.0)
_MEASURES = (
    Measure("Percent_correct", "higher", bounds=_PERCENT, unit="%"),
    Measure("Percent_incorrect", "lower", bounds=_PERCENT, unit="%"),
    Measure("Kappa_statistic", "higher"),
    Measure("Mean_absolute_error", "lower"),
    Measure("Root_mean_squared_error", "lower"),
    Measure("Relative_absolute_error", "lower"),
    Measure("Root_relative_squared_error", "lower"),
    Measure("Correlation_coefficient", "higher"),
    Measure("Area_under_ROC", "higher", bounds=(0.0, 1.0)),
    Measure("F_measure", "higher", bounds=(0.0, 1.0)),
)
_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)


def experimenter(names: Names) -> Format | None:
    """Recognise a table of results: a row per data set, run, fold and scheme."""
    if not {"Key_Dataset", "Key_Run", "Key_Scheme"} <= set(names):
        return None
    roles = {
        "Key_Dataset": "dataset",
        "Key_Run": "replication",
        "Key_Fold": "replication",
        "Key_Scheme": "algorithm",
        "Key_Scheme_options": "algorithm",
    }
    return Format(
        "Weka, Experimenter",
        {name: role for name, role in roles.items() if name in names},
        "wide-measures",
        tuple(m for m in _MEASURES if m.name in names),
        Resampling("cv" if "Key_Fold" in names else "holdout"),
    )


def arff(path: Path, typed: str) -> Any:
    """Read an ARFF file as a frame of text and numbers; sparse rows are refused."""
    import pandas as pd
    import pyarrow as pa

    try:
        with (
            pa.input_stream(path) as stream,
            TextIOWrapper(stream, encoding="utf-8", newline="") as file,  # pyright: ignore[reportArgumentType]
        ):
            names, numeric = _header(file)
            rows = [
                row
                for row in csv.reader(file, quotechar="'", escapechar="\\", skipinitialspace=True)
                if row and not row[0].lstrip().startswith("%")
            ]
    except (UnicodeDecodeError, csv.Error, pa.ArrowInvalid, OSError) as error:
        raise ScoreTableError(f"{typed!r} cannot be read as ARFF: {error}") from None
    odd = [row for row in rows if len(row) != len(names)]
    if not names or odd:
        what = f"{len(odd):,} of {len(rows):,} rows do not have {len(names)} values"
        raise ScoreTableError(
            f"{typed!r} cannot be read as ARFF: {what if names else 'it has no attributes'}.",
            hint="save the results as CSV.",
        )
    columns = {
        name: [None if row[i] == "?" else row[i] for row in rows] for i, name in enumerate(names)
    }
    frame = pd.DataFrame(columns, dtype=object)
    for name in numeric:
        with suppress(ValueError):  # what is no number stays text, which the checks name
            frame[name] = pd.to_numeric(frame[name])
    return frame


def _header(file: IO[str]) -> tuple[list[str], list[str]]:
    """Return the names of the attributes, and of those that are numbers."""
    names: list[str] = []
    numeric: list[str] = []
    for line in file:
        text = line.strip()
        if text.casefold().startswith("@data"):
            break
        if (match := _ATTRIBUTE.fullmatch(text)) is not None:
            names.append(match[1].strip("'\""))
            if match[2].casefold().split()[0] in ("numeric", "real", "integer"):
                numeric.append(names[-1])
    return names, numeric
