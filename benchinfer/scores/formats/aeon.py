"""Results of aeon and tsml: predictions of a resample, and a table per estimator."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import number_of
from benchinfer.scores.formats.format import Format, Names, Results
from benchinfer.scores.resampling import Resampling

_LONGEST = 1 << 16  # bytes of the first line


def resamples_by_column(names: Names) -> Format | None:
    """Describe a table of one estimator: a row per data set, a column per resample."""
    first, *rest = names
    if not first.endswith(":") or not rest or not all(name.isdigit() for name in rest):
        return None
    return Format(
        "aeon or tsml, table of an estimator",
        {first: "dataset"},
        "{replication}",
        resampling=Resampling("holdout"),
        name="{algorithm}_TESTFOLDS",
    )


def predictions(path: Path, typed: str) -> Results | None:
    """Return the score of one resample from its predictions; None where no split is in the head.

    Three lines say data set, estimator, split and resample; parameters; times. A line per case
    holds the label and its prediction.
    """
    with path.open("rb") as file:
        head = file.readline(_LONGEST).upper().split(b",")
    if not {b"TEST", b"TRAIN"} & {*head[2:3]}:
        return None
    try:
        with path.open(encoding="utf-8", newline="") as file:
            heads = [line.strip().split(",") for line in islice(file, 3)]
            lines = [line.strip().split(",") for line in file if line.strip()]
        dataset, algorithm, split, resample = heads[0][:4]
        measure, score = _SCORES[len(heads[2])]
        columns = zip(*lines, strict=True)  # all cases have as many fields
        values = [
            score(true, said) for true, said in zip(next(columns), next(columns), strict=True)
        ]
        row = {"dataset": dataset, "algorithm": algorithm, "replication": resample}
        value = sum(values) / len(values)
    except (ValueError, LookupError, ZeroDivisionError, StopIteration):
        raise ScoreTableError(
            f"predictions of aeon or tsml in {typed!r} cannot be read.",
            hint="three lines of a head, then label and prediction of each case, of classes or"
            " numbers.",
        ) from None
    training = "" if split.upper() == "TEST" else "train "
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
    number = number_of(true)
    return float(true == said or (number is not None and number == number_of(said)))


# The number of fields of the third line tells what was predicted: classes or numbers.
_SCORES: dict[int, tuple[str, Callable[[str, str], float]]] = {
    9: ("accuracy", _equal),
    8: ("mse", lambda true, said: (float(true) - float(said)) ** 2),
}
