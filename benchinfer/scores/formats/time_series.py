"""Results of time series toolkits: aeon, tsml."""

import re
from itertools import islice
from pathlib import Path

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names, Rows
from benchinfer.scores.resampling import Resampling

_PREDICTIONS = re.compile(r"(test|train)(Resample|Fold)\d+\.csv")


def resamples_by_column(names: Names) -> Format | None:
    """Recognise a table of one estimator: a row per data set, a column per resample."""
    first, *rest = names
    if first.casefold() not in ("folds:", "resamples:") or not all(n.isdigit() for n in rest):
        return None
    return Format(
        "aeon or tsml, table of an estimator",
        {first: "dataset"},
        "{replication}",
        resampling=Resampling("holdout"),
        name="{algorithm}_TESTFOLDS",
    )


def predictions(path: Path, typed: str) -> tuple[Format, Rows] | None:
    """Read the score of one resample from its predictions; None of other files.

    Three lines say data set, estimator, split and resample; parameters; times. A line per case
    holds the label and its prediction.
    """
    if _PREDICTIONS.fullmatch(path.name) is None:
        return None
    try:
        with path.open(encoding="utf-8", newline="") as file:
            heads = [line.strip().split(",") for line in islice(file, 3)]
            cases = [line.strip().split(",")[:2] for line in file if line.strip()]
        dataset, algorithm, split, resample = heads[0][:4]
        measure, score = _SCORES[len(heads[2])]
        values = [score(true, said) for true, said in cases]
        row = {"dataset": dataset, "algorithm": algorithm, "replication": resample}
        value = sum(values) / len(values)
    except (ValueError, LookupError, ZeroDivisionError):
        raise ScoreTableError(
            f"{typed!r} is named as predictions of aeon or tsml, but is none of them.",
            hint="three lines of a head, then label and prediction of each case, of classes or"
            " numbers; other tables need another name.",
        ) from None
    training = "" if split.upper() == "TEST" else f"{split.lower()} "
    form = Format(
        "aeon or tsml, predictions of a resample",
        measures=(
            Measure("accuracy", "higher", bounds=(0.0, 1.0)),
            Measure("mse", "lower"),
        ),
        resampling=Resampling("holdout"),
        note="scores are computed from the predictions",
    )
    return form, [{**row, "measure": f"{training}{measure}", "value": value}]


def _equal(true: str, said: str) -> float:
    """Compare two class labels; tools write the same one as 2 and as 2.0."""
    try:
        return float(true == said or float(true) == float(said))  # "nan" may name a class
    except ValueError:
        return 0.0


def _squared(true: str, said: str) -> float:
    return (float(true) - float(said)) ** 2


# The number of fields of the third line tells what was predicted: classes or numbers.
_SCORES = {9: ("accuracy", _equal), 8: ("mse", _squared)}
