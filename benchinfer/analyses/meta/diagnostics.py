"""Diagnostics of a meta-analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.meta.numerics.effects import together
from benchinfer.analyses.meta.numerics.pooling import effective_number, least_effective_number
from benchinfer.analyses.meta.pooling import NetworkFit, PairFits, gathered, lifted, share_of
from benchinfer.analyses.meta.studies import Studies
from benchinfer.comparison.checks.tables import of_table, tolerance
from benchinfer.comparison.evidence import Setting
from benchinfer.core.numbers import amount, brief, count, several, subject
from benchinfer.core.sections import Check

if TYPE_CHECKING:
    from benchinfer.analyses.meta.comparison import MetaComparison


# With fewer replications the sampling errors, which are taken as known, are themselves uncertain.
_FEW = 10


def checks(meta: MetaComparison, p_error: float) -> tuple[Check, ...]:
    """Return the diagnostics of a comparison; `p_error` is the largest error of a p-value."""
    setting, studies, fit = meta.setting, meta.studies, meta.fit
    rows = [
        *of_table(setting),
        Check.of(
            "number of data sets",
            len(studies.datasets),
            10.0,
            least=True,
            sentence=f"There are only {count(len(studies.datasets), 'data set')}, so that"
            " heterogeneity is hardly known.",
            remedy="Claims about others rest on these being typical of them: add data sets.",
        ),
        *_sampling(studies),
        *(_network(meta, fit) if fit is not None else _pairs(setting, meta.alone)),
        *(_errors(fit, len(setting.algorithms), meta.options.errors) if fit is not None else []),
        *_weights(meta),
        Check.of(
            "numerical error of the p-values",
            p_error,
            1e-3,
            concerns="computation",
            sentence=f"P-values have numerical errors of up to {p_error:.2g}, as the joint"
            " distribution of many statistics was evaluated roughly.",
            remedy="Those so near the level may fall on either side of it.",
        ),
        tolerance(setting.measure),
    ]
    return tuple(rows)


def _weights(meta: MetaComparison) -> list[Check]:
    """Check that pairs weighed by precision have enough data sets that are about equally exact."""
    if meta.fixed or meta.third or (meta.joint and meta.studies.covariates):
        return []
    k, each = len(meta.algorithms), [lifted(one.v) for one in meta.studies.direct(meta.pairs.index)]
    if meta.joint:
        share = [] if meta.interval == "equal-weights" else [share_of(meta.studies, k)]
    else:
        share = [
            effective_number(v) / least_effective_number(len(v))
            for v, equally in zip(each, meta.alone.equal[: len(each)].tolist(), strict=True)
            if not equally and len(v)
        ]
    rows = [
        Check.of(
            "effective number of equally exact effects / the number needed, smallest",
            min(share, default=1.0),
            1.0,
            least=True,
            ok=min(share, default=1.0) > 1 - 1e-12,
            concerns="verdict",
            sentence="Effects are few or unevenly exact and weighed by precision, which makes false"
            " claims more often than the level says.",
            remedy="Three uneven studies err in .28 of the cases in place of .05. With"
            ' interval="auto" such pairs get equal weights, where no data set alone determines a'
            " difference.",
        ),
    ]
    if meta.joint and k > 2:
        return rows
    fewest = min((len(v) for v in each), default=0)
    return [
        *rows,
        Check.of(
            "data sets that decide a pair, fewest",
            fewest,
            3.0,
            least=True,
            sentence=f"Some pairs rest on {count(fewest, 'data set')}: that decides next to"
            " nothing.",
            remedy='The spread of two has one degree of freedom; method="fixed" tests the effect'
            " on these two alone.",
        ),
    ]


def _sampling(studies: Studies) -> list[Check]:
    known = studies.n[studies.n > 0]
    fewest = float(known.min()) if len(known) else np.inf
    shrunk = ", once they are shrunk" if studies.prior_df else ""
    rows = [
        Check.of(
            "data sets without two algorithms to compare",
            len(studies.unused),
            sentence=f"{subject(len(studies.unused), 'data set', 'is')} left out, as there are no"
            f" two algorithms to compare ({several(studies.unused)}).",
            remedy="Such data sets say nothing of differences.",
        ),
        Check.of(
            "overlap of training sets declared",
            float(not studies.unknown_overlap),
            1.0,
            least=True,
            concerns="verdict",
            sentence="How much training sets overlap is not declared: resamples count as"
            " independent, and sampling errors are too small.",
            remedy='Declare resampling="cv:FOLDS" or resampling="holdout:FRACTION".',
        ),
    ]
    if len(known):
        rows.append(
            Check.of(
                "replications on a data set, fewest",
                fewest,
                _FEW,
                least=True,
                sentence=f"Sampling errors rest on as few as {amount(fewest)} replications, and are"
                " themselves uncertain.",
                remedy=f"Weights and Q take them as known{shrunk}.",
            )
        )
    return rows


def _network(meta: MetaComparison, fit: NetworkFit) -> list[Check]:
    names, k, studies = meta.algorithms, len(meta.algorithms), meta.studies
    held = together(studies.blocks, k)
    apart = [(i, j) for i in range(k) for j in range(i + 1, k) if not held[i, j]]
    said = "; ".join(f"{names[i]} and {names[j]}" for i, j in apart[:3])
    rows = [
        Check.of(
            "sampling variances of 0",
            fit.lifted,
            sentence=f"{subject(fit.lifted, 'effect', 'has')} the smallest sampling variance that"
            " there is, for lack of any spread over replications.",
            remedy="They weigh as much as the most exact one: see whether their scores are right.",
        ),
        Check.of(
            "residual degrees of freedom",
            fit.free,
            4.0,
            least=True,
            sentence=f"Heterogeneity is estimated with {brief(fit.free)} degrees of freedom, which"
            " is hardly anything.",
            remedy="Standard errors and predictions rest on it: add data sets.",
        ),
        Check.of(
            "pairs on indirect evidence only",
            len(apart),
            sentence=f"{subject(len(apart), 'pair', 'is')} compared through other algorithms alone,"
            f" as no data set holds both ({said}{' ...' if len(apart) > 3 else ''}).",
            remedy="The estimate is fair only if data sets with one are like those with the other.",
        ),
    ]
    if k > 2:
        single = bool(gathered(studies, fit, k).determined_alone().any())
        smallest = float(meta.evidence.df.min())
        rows += _equal_heterogeneity(fit, meta.alone, smallest, single=single)
    return rows


def _equal_heterogeneity(
    fit: NetworkFit, alone: PairFits, smallest: float, *, single: bool
) -> list[Check]:
    """Check that pairs have the same heterogeneity, and the degrees of freedom of robust errors.

    Of differences that a single data set determines there are no robust errors.
    """
    other = "" if single else 'interval="robust" or '
    robust, rows = fit.own_errors, list[Check]()
    if robust:
        rows.append(
            Check.of(
                "degrees of freedom of a contrast, smallest",
                smallest,
                4.0,
                least=True,
                sentence="The errors of some contrasts rest on hardly any data sets"
                f" ({brief(smallest)} degrees of freedom).",
                remedy="Their intervals are wide and rely on normality.",
            )
        )
    pairs_tau2 = alone.tau2[alone.n_datasets >= 5]
    if len(pairs_tau2) > 1 and fit.heterogeneity > 0:
        largest = float(pairs_tau2.max() / fit.heterogeneity)
        rows.append(
            Check.of(
                "heterogeneity of a pair alone / of all, largest",
                largest,
                2.0,
                concerns="verdict",
                sentence="Pairs vary by different amounts between data sets: one has"
                f" {largest:.2g} times the heterogeneity of all.",
                remedy="Robust errors allow for it, and so do predictions of two levels for pairs"
                " that three data sets hold; the test of designs does not. Compare with"
                ' pooling="pairwise".'
                if robust
                else "One heterogeneity is too small for some, whose intervals are too short:"
                f' compare with {other}pooling="pairwise".',
            )
        )
    return rows


def _errors(fit: NetworkFit, k: int, interval: str) -> list[Check]:
    """Warn where robust errors are not possible."""
    if k == 2 or interval != "auto":
        return []
    return [
        Check.of(
            "each contrast has its own error",
            float(fit.own_errors),
            1.0,
            least=True,
            sentence="All pairs are taken as varying alike, as some differences are known from one"
            " data set or study alone.",
            remedy="Intervals of an erratic algorithm are too short.",
        )
    ]


def _pairs(setting: Setting, alone: PairFits) -> list[Check]:
    k = len(setting.algorithms)
    lacking = k * (k - 1) // 2 - len(alone.n_datasets)
    fewest = int(alone.n_datasets.min())
    return [
        Check.of(
            "data sets of a pair, fewest",
            fewest,
            5.0,
            least=True,
            sentence=f"Some pairs have only {count(fewest, 'data set')}, so that their"
            " heterogeneity is hardly known.",
            remedy="Their intervals are wide: add data sets.",
        ),
        Check.of(
            "pairs not compared",
            lacking,
            sentence=f"{subject(lacking, 'pair', 'is', of=k * (k - 1) // 2)} not compared: fewer"
            " than two data sets hold them, or they were not asked for.",
            remedy='To estimate all pairs, use pooling="network".',
        ),
    ]
