"""Tables in which little or nothing varies: an answer without NaN, or one clear error."""

import numpy as np
import pytest

import benchinfer as bi
from tests.analyses.mixed.test_compare import simulated, table


def once(shape):
    values = np.full(shape, 0.7)
    values[0, 0, 0] = 1.7
    return values


TABLES = {
    "constant": np.full((6, 5, 3), 0.7),
    "twice": simulated(1, (6, 5, 3))[:, :, [0, 0, 1]],
    "one score differs": once((6, 5, 3)),
    "one of single scores": once((6, 1, 3)),
    "no noise": np.broadcast_to(simulated(2, (6, 1, 3)), (6, 5, 3)),
    "two data sets": simulated(3, (2, 5, 3)),
    "one data set": simulated(4, (1, 8, 3)),
    "one replication": simulated(5, (6, 1, 3)),
    "one score each": simulated(6, (1, 1, 3)),
}
ASKED = {
    "points": (bi.compare_points, {}),
    "mixed": (bi.compare_mixed, {}),
    "residuals": (bi.compare_mixed, {"residual": "algorithm"}),
    "values": (bi.compare_permutation, {"on": "values", "resamples": 99, "seed": 1}),
    "ranks": (bi.compare_permutation, {"resamples": 99, "seed": 1}),
    "pooled ranks": (bi.compare_permutation, {"pairs": "pooled", "null": "asymptotic"}),
    "bootstrap": (bi.compare_bootstrap, {"resamples": 100, "seed": 1}),
    "pair": (bi.compare_pair, {"dataset": "d00"}),
    "posterior of a pair": (bi.compare_pair, {"dataset": "d00", "test": "bayes-t"}),
    "signed ranks": (bi.compare_bayes_pairs, {"test": "signed-rank", "seed": 1, "draws": 1000}),
    "wins": (bi.compare_wins, {"errors": "independent"}),
    "wins of replications": (bi.compare_wins, {"by": "replications"}),
    "penalised wins": (bi.compare_wins, {"errors": "independent", "ties": "half", "penalised": 1}),
    "meta": (bi.compare_meta, {}),
    "meta of pairs": (bi.compare_meta, {"pooling": "pairwise"}),
    "log ratio": (bi.compare_meta, {"effect": "log-ratio"}),
    "recursive": (bi.monitor, {"stage": 2}),
    "anytime": (bi.monitor, {"stage": 2, "method": "anytime"}),
    "looks": (bi.monitor, {"stage": 2, "method": "group-sequential", "test": "signed-rank"}),
}
NUMBERS = ["estimate", "conf_low", "conf_high", "p_value", "prob_first", "prob_second", "verdict"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "resampling"),
    [
        *((name, "independent") for name in TABLES),
        *(("twice", "cv"), ("one score differs", "cv")),
        *(
            pytest.param(name, "cv", marks=pytest.mark.calibration)
            for name in TABLES
            if name not in {"twice", "one score differs"}
        ),
    ],
)
def test_what_hardly_varies_is_answered_or_refused(name, resampling):
    declared = bi.Resampling("cv", folds=5) if resampling == "cv" else resampling
    scores = table(TABLES[name], resampling=declared)
    few = scores.subset(datasets=scores.datasets[:2])
    answered = 0
    for compare, options in ASKED.values():
        for alone in (False, True) if compare is not bi.monitor else (False,):
            own = {k: v for k, v in options.items() if not alone or k != "dataset"}
            try:
                found = bi.per_dataset(compare, few, **own) if alone else compare(scores, **own)
            except bi.BenchinferError:
                continue
            pairs = found.contrasts(all=True)
            shown = [column for column in NUMBERS if column in pairs]
            assert not pairs[shown].isna().any(axis=None), (compare, options)
            assert found.diagnostics() is not None
            answered += 1
    assert answered >= 2
