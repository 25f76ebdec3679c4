"""Results of GIFT-Eval."""

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names

_COLUMN = "eval_metrics/"


def gift_eval(names: Names) -> Format:
    """Describe ``all_results.csv``: a row per data set of one model, a column per error."""
    return Format(
        "GIFT-Eval, all_results.csv",
        {"dataset": "dataset", "model": "algorithm", "domain": "domain"},
        f"{_COLUMN}{{measure}}",
        tuple(Measure(n.removeprefix(_COLUMN), "lower") for n in names if n.startswith(_COLUMN)),
        unused=("num_variates",),
    )
