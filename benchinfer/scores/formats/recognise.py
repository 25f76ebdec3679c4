"""Recognition of the tool that wrote a table, by the names of its columns."""

from dataclasses import replace

from benchinfer.scores.formats import (
    automl,
    language_models,
    r,
    scikit_learn,
    time_series,
    trackers,
    weka,
)
from benchinfer.scores.formats.format import Format, Names, Recogniser

# The first that recognises a table is taken.
TABLES: tuple[Recogniser, ...] = (
    scikit_learn.search,
    scikit_learn.cross_validation,
    automl.automl_benchmark,
    automl.tab_arena,
    language_models.samples,
    r.mlr3,
    r.tidymodels,
    trackers.mlflow,
    trackers.weights_and_biases,
    time_series.resamples_by_column,
    weka.experimenter,
)


def recognised(names: Names) -> Format | None:
    """Return the format whose columns these are."""
    if not names:
        return None
    for table in TABLES:
        if (found := table(names)) is not None:
            return replace(found, columns={n: r for n, r in found.columns.items() if n in names})
    return None
