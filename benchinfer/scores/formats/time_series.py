"""Results of time series toolkits: aeon, tsml."""

from benchinfer.scores.formats.format import Format, Names
from benchinfer.scores.resampling import Resampling


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
