"""Diagnostics of a meta-analysis."""

import numpy as np

from benchinfer.analyses.meta.numerics.effects import together
from benchinfer.analyses.meta.pooling import NetworkFit, PairFits, gathered
from benchinfer.analyses.meta.studies import Studies
from benchinfer.comparison import checks as comparison_checks
from benchinfer.comparison.evidence import Setting
from benchinfer.core.hints import Either, Option, Phrase
from benchinfer.core.numbers import join
from benchinfer.core.sections import Check

# With fewer replications the sampling errors, which are taken as known, are themselves uncertain.
_FEW = 10


def checks(
    setting: Setting,
    studies: Studies,
    fit: NetworkFit | None,
    alone: PairFits,
    p_error: float,
    smallest: float,
    asked: str,
) -> tuple[Check, ...]:
    """Return the rows; remedies name the pairs."""
    rows = [
        *comparison_checks.of_table(setting),
        _number(studies),
        *_sampling(studies),
        *(
            _network(setting, studies, fit, alone, smallest)
            if fit is not None
            else _alone(setting, alone)
        ),
        *(_errors(fit, len(setting.algorithms), asked) if fit is not None else []),
        Check.of(
            "Hartung and Knapp's factor on the variance",
            fit.scale if fit is not None and fit.interval == "hartung-knapp" else 1.0,
            1.0,
            least=True,
            remedy="below 1: effects vary less than their sampling errors say, and intervals"
            f" are shorter than Wald's; compare with {Option('interval', 'wald')}",
        ),
        Check.of(
            "numerical error of the p-values",
            p_error,
            1e-3,
            remedy="the joint distribution of many statistics was evaluated roughly",
        ),
        comparison_checks.tolerance(setting.measure),
    ]
    return tuple(rows)


def _number(studies: Studies) -> Check:
    d = len(studies.datasets)
    return Check.of(
        "number of data sets",
        d,
        10.0,
        least=True,
        remedy="few data sets: heterogeneity is hardly known, and a claim about their domain rests"
        " on them being typical of it",
    )


def _sampling(studies: Studies) -> list[Check]:
    known = studies.n[studies.n > 0]
    fewest = float(known.min()) if len(known) else np.inf
    rows = [
        Check.of(
            "data sets without two algorithms to compare",
            len(studies.unused),
            remedy=f"left out: {join(studies.unused[:5])}",
        ),
        Check.of(
            "overlap of training sets declared",
            float(not studies.unknown_overlap),
            1.0,
            least=True,
            remedy=Phrase(
                "sampling errors take resamples as independent and are too small: declare ",
                Either(
                    "folds or test_fraction in resampling=Resampling(...)",
                    "--resampling cv:FOLDS or holdout:FRACTION",
                ),
            ),
        ),
    ]
    if len(known):
        rows.append(
            Check.of(
                "replications on a data set, fewest",
                fewest,
                _FEW,
                least=True,
                remedy=("shrunk " if studies.prior_df else "")
                + "sampling errors from few replications are themselves uncertain, yet taken as"
                " known in weights and Q",
            )
        )
    return rows


def _network(
    setting: Setting, studies: Studies, fit: NetworkFit, alone: PairFits, smallest: float
) -> list[Check]:
    names, k = setting.algorithms, len(setting.algorithms)
    count = together(studies.blocks, k)
    apart = [(i, j) for i in range(k) for j in range(i + 1, k) if not count[i, j]]
    said = "; ".join(f"{names[i]} and {names[j]}" for i, j in apart[:3])
    rows = [
        Check.of(
            "sampling variances of 0",
            fit.lifted,
            remedy="effects without any spread over replications were given the smallest sampling"
            " variance there is",
        ),
        Check.of(
            "residual degrees of freedom",
            fit.free,
            4.0,
            least=True,
            remedy="heterogeneity is estimated from hardly anything",
        ),
        Check.of(
            "pairs on indirect evidence only",
            len(apart),
            remedy=f"{said}{' ...' if len(apart) > 3 else ''}: no data set holds both; the estimate"
            " is fair only if data sets with one are like those with the other",
        ),
    ]
    if k > 2:
        single = bool(gathered(studies, fit, k).determined_alone().any())
        rows += _alike(fit, alone, smallest, single=single)
    return rows


def _alike(fit: NetworkFit, alone: PairFits, smallest: float, *, single: bool) -> list[Check]:
    """Say whether one heterogeneity does for all pairs, and what the errors make of it.

    Of differences that a single data set determines there are no robust errors.
    """
    other = "" if single else Phrase(f"{Option('interval', 'robust')} or ")
    robust, rows = fit.interval == "robust", list[Check]()
    if robust:
        rows.append(
            Check.of(
                "degrees of freedom of a contrast, smallest",
                smallest,
                4.0,
                least=True,
                remedy="the errors of some contrasts rest on hardly any data sets: their intervals"
                " are wide and lean on normality",
            )
        )
    own = alone.tau2[alone.n_datasets >= 5]
    if len(own) > 1 and fit.heterogeneity > 0:
        largest = float(own.max() / fit.heterogeneity)
        rows.append(
            Check.of(
                "heterogeneity of a pair alone / of all, largest",
                largest,
                2.0,
                remedy="pairs vary by different amounts between data sets: robust errors allow"
                " for it, and so do predictions of two levels for pairs that three data"
                " sets hold; the test of designs does not; compare with"
                f" {Option('pooling', 'pairwise')}"
                if robust
                else Phrase(
                    "pairs vary by different amounts between data sets, so that one"
                    " heterogeneity is too small for some and their intervals are too short:"
                    " compare with ",
                    other,
                    Option("pooling", "pairwise"),
                ),
            )
        )
    return rows


def _errors(fit: NetworkFit, k: int, asked: str) -> list[Check]:
    """Say where errors could not be each contrast's own."""
    if k == 2 or asked != "auto":
        return []
    return [
        Check.of(
            "each contrast has its own error",
            float(fit.interval == "robust"),
            1.0,
            least=True,
            remedy="some differences are known from one data set or study alone, so that all pairs"
            " are taken as varying alike: intervals of an erratic algorithm are too short",
        )
    ]


def _alone(setting: Setting, alone: PairFits) -> list[Check]:
    k = len(setting.algorithms)
    lacking = k * (k - 1) // 2 - len(alone.n_datasets)
    fewest = int(alone.n_datasets.min())
    return [
        Check.of(
            "data sets of a pair, fewest",
            fewest,
            5.0,
            least=True,
            remedy="the heterogeneity of some pairs rests on hardly any data sets",
        ),
        Check.of(
            "pairs not compared",
            lacking,
            remedy="fewer than two data sets hold them, or they were not asked for:"
            f" {Option('pooling', 'network')} estimates all pairs",
        ),
    ]
