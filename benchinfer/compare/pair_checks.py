"""What a reader of a test of two algorithms must beware of, as rows of the diagnostics."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare import cautions
from benchinfer.compare.evidence import Check, Evidence, Setting
from benchinfer.compare.normality import Normality
from benchinfer.compare.pair_tests import OF_RANKS, without_noise
from benchinfer.compare.paired_scores import Pair, PairedScores

# Fewer clusters than this, and errors that are robust to them are too small.
_CLUSTERS = 20
_LEAN_ON_NORMALITY = ("t", "welch", "corrected-t", "5x2cv-t", "5x2cv-f", "bayes-t", "parts-t")


def checks(
    setting: Setting,
    data: PairedScores,
    test: str,
    evidence: Evidence,
    looks: tuple[Normality, ...],
    alpha: float,
) -> tuple[Check, ...]:
    """Return the rows."""
    return (
        *cautions.left_out(setting),
        *_replications(data),
        *_peculiar(data, test),
        *_distribution(test, looks, evidence, alpha),
        *_claims(setting, data),
        cautions.tolerance(setting.measure),
    )


def _replications(data: PairedScores) -> list[Check]:
    if not data.paired:
        return []
    partial = int(np.isnan(data.table).any(axis=1).sum())
    return [
        Check.of(
            "replications that lack algorithms",
            partial,
            0.0,
            ok=partial == 0,
            remedy="a pair is compared on the replications that both have; fair only if scores are"
            " not missing because they are bad",
        )
    ]


def _peculiar(data: PairedScores, test: str) -> list[Check]:
    """Say what is peculiar to a test."""
    rows: list[Check] = []
    if data.cluster is not None and test == "t":
        n = len(np.unique(data.cluster))
        rows.append(
            Check.of(
                "number of clusters",
                n,
                _CLUSTERS,
                least=True,
                ok=n >= _CLUSTERS,
                remedy="few clusters: errors that are robust to them tend to be too small",
            )
        )
    if test == "5x2cv-t":
        rows.append(
            Check.of(
                "the order of replications does not matter",
                0.0,
                1.0,
                least=True,
                ok=False,
                remedy="its estimate is the first of the ten differences, two folds of a"
                ' replication standing together; test="5x2cv-f" takes all ten',
            )
        )
    if test == "5x2cv-f":
        rows.append(
            Check.of(
                "equivalence can be shown",
                0.0,
                1.0,
                least=True,
                ok=False,
                remedy='its F has no sides; test="5x2cv-t" or "corrected-t" have',
            )
        )
    return rows


def _distribution(
    test: str, looks: tuple[Normality, ...], evidence: Evidence, alpha: float
) -> list[Check]:
    flat = int(((evidence.std_error == 0) & (evidence.high - evidence.low == np.inf)).sum())
    rows = [
        Check.of(
            "pairs without any spread of differences",
            flat,
            0.0,
            ok=flat == 0,
            remedy="there is no error to judge by: the test says nothing of these",
        )
    ]
    df = evidence.df[np.isfinite(evidence.df)]
    if len(df):
        rows.append(
            Check.of(
                "degrees of freedom",
                float(df.min()),
                5.0,
                least=True,
                ok=float(df.min()) >= 5,
                remedy="few degrees of freedom: intervals lean on normality; add replications",
            )
        )
    p = np.array([look.p_values[0] for look in looks if len(look.p_values) and look.n < 5000])
    if test in _LEAN_ON_NORMALITY and len(p):
        limit = alpha / len(p)
        rows.append(
            Check.of(
                "normality of differences, smallest p-value of Shapiro-Wilk",
                float(p.min()),
                limit,
                least=True,
                ok=float(p.min()) > limit,
                remedy="t-tests lean on normality where differences are few; look at the Q-Q plot"
                " (plot kind quantiles)",
            )
        )
    return rows


def decisions(
    test: str,
    pairs: list[Pair],
    sides: cautions.Sides,
    evidence: Evidence,
    alpha: float,
    *,
    stepwise: bool,
) -> tuple[Check, ...]:
    """Say where decided pairs would be decided otherwise, and which differences have no say."""
    if test == "bayes-t":
        return ()
    rows = [cautions.over_equality(evidence, alpha, sides, stepwise=stepwise)]
    if test in OF_RANKS:
        n = np.array([len(pair.first) for pair in pairs])
        direction = np.where(evidence.p_value <= alpha, evidence.statistic, 0.0)
        mean = np.array([pair.differences.mean() for pair in pairs])
        rows += [
            cautions.differences_of_zero(left_out(test, pairs), n, sides),
            cautions.other_sign(direction, mean, sides, 'test="t" compares means'),
        ]
    return tuple(rows)


def left_out(test: str, pairs: list[Pair]) -> NDArray[np.int64]:
    """Count the differences of zero that the test of each pair leaves out."""
    zeros = [int((without_noise(pair) == 0).sum()) if test in OF_RANKS else 0 for pair in pairs]
    return np.array(zeros, np.int64)


def _claims(setting: Setting, data: PairedScores) -> list[Check]:
    """Say how far claims go."""
    if data.kind != "items":
        return [cautions.replications(setting)]
    return [
        Check.of(
            "claims go beyond these trained models",
            0.0,
            1.0,
            least=True,
            ok=False,
            remedy="test items of models that were trained once say nothing of how much training"
            " again would change them",
        )
    ]
