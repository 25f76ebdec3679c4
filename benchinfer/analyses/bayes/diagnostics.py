"""Diagnostics of the hierarchical model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.subgroups import contrast_matrix
from benchinfer.comparison.checks import decisions, tables
from benchinfer.core.numbers import count, subject
from benchinfer.core.sections import Check

if TYPE_CHECKING:
    from benchinfer.analyses.bayes.comparison import BayesComparison


def checks(result: BayesComparison) -> tuple[Check, ...]:
    """Return the checks of a comparison by a model of contrasts."""
    setting = result.setting
    rows = [
        *of_posterior(result, " after one extension"),
        *_domains(result),
        *_design(result),
        *_other_sign(result),
        tables.thin_cells(setting, "the model"),
        tables.tolerance(setting.measure),
        *tables.legal(setting, result.levels),
    ]
    if result.other_models is not None:
        rows.append(result.other_models.check())
    return tuple(rows)


def of_posterior(result: BayesComparison, extension: str, *, rates: bool = True) -> list[Check]:
    """Return the checks of chains, of the table, and of the claim about data sets."""
    chains, draws = result.draws.effects.shape[:2]
    words = f"{chains} x {draws} draws" + (extension if result.extended else "")
    setting, domain = result.setting, result.target == "domain"
    parts = result.average, result.following, result.ranks, result.ranks_following
    return [
        *result.convergence.checks(words),
        decisions.monte_carlo_error(
            max(float(part.error.max()) for part in parts if part is not None)
        ),
        *tables.of_table(setting, rates=rates),
        tables.number_of_datasets(setting) if domain else tables.replications(setting),
        tables.beyond(result.target),
    ]


def _other_sign(result: BayesComparison) -> list[Check]:
    """Return the check on decided contrasts whose mean difference has the other sign.

    There is none for claims about some of the data sets, or at other values of covariates: the
    mean over all data sets does not estimate these.
    """
    if result.about or (result.along is not None and result.along.at):
        return []
    data, setting, matrix = result.data, result.setting, contrast_matrix(result)
    effects = np.einsum("mj,mjk->mk", data.z, data.design) @ helmert(data.n_algorithms)
    there = setting.coverage.counts[data.dataset] > 0
    there &= (data.rank == there.sum(axis=1) - 1)[:, None]
    involved = matrix != 0
    known = there.astype(np.float64) @ involved.T == involved.sum(axis=1)
    mean = np.where(known, effects @ matrix.T, 0.0).sum(axis=0)
    return [decisions.other_sign_of_means(result.pairs.codes, mean, result.pairs.oriented())]


def _domains(result: BayesComparison) -> list[Check]:
    """Return the check of several domains."""
    n = len(set(result.setting.domains))
    if n < 2:
        return []
    if result.domain is None:
        return [
            Check.of(
                "domains taken as one",
                n,
                1.0,
                sentence=f"The {n} domains of the data sets are taken as one.",
                remedy='To make them a level of the model, use domains="random".',
            )
        ]
    return [
        Check.of(
            "domains that the model learns from",
            n,
            tables.PRIOR_MATTERS,
            least=True,
            sentence=f"The model learns from only {count(n, 'domain')}, which leaves much to the"
            " priors.",
            remedy="Claims about a new one rest most on them: see whether other priors=... say"
            " the same.",
        )
    ]


def _design(result: BayesComparison) -> list[Check]:
    """Return the checks of residuals and declarations of the table."""
    data, setting = result.data, result.setting
    resampling = setting.resampling
    silent = int(data.silent.sum())
    undeclared = resampling is not None and resampling.overlap is None
    rows = [
        *tables.learnt_from(setting, len(data.z)),
        Check.of(
            "residuals to tell noise from interaction",
            data.df.sum(),
            1.0,
            least=True,
            ok=data.noisy,
            sentence="Scores are not repeated, or repeat exactly: noise cannot be told from how the"
            " algorithms differ.",
            remedy="So what is said of the next data set is said of its next observed score.",
        ),
    ]
    if silent and data.noisy:
        rows.append(
            Check.of(
                "data sets without residuals",
                silent,
                sentence=f"On {count(silent, 'data set')} scores repeat exactly.",
                remedy="Residuals there are taken to be of the size of rounding.",
            )
        )
    if undeclared:
        rows.append(
            Check.of(
                "overlap of training sets declared",
                0.0,
                1.0,
                least=True,
                concerns="verdict",
                sentence="How much training sets overlap is not declared: replications count as"
                " independent.",
                remedy='To set their correlation, declare resampling="cv:FOLDS" or'
                ' resampling="holdout:FRACTION".',
            )
        )
    return [*rows, *_near_duplicates(result)]


def _near_duplicates(result: BayesComparison) -> list[Check]:
    """Return the check on pairs that vary less than an unstructured covariance can represent."""
    data, draws = result.data, result.draws
    if "shrinkage" not in draws.parameters or not data.balanced.all():
        return []
    k, m = data.n_algorithms, len(data.z)
    effects = data.z @ helmert(k)
    i, j = np.triu_indices(k, 1)
    difference = effects[:, i] - effects[:, j]
    kappa = float(np.median(draws.parameters["shrinkage"]))
    scale = float(np.median(draws.thinned.scale))
    floor = 2 * (1 + kappa) / (m + kappa + 1) * scale**2
    close = np.flatnonzero((difference**2).mean(axis=0) < floor / 2)
    names = [f"{result.algorithms[i[p]]} and {result.algorithms[j[p]]}" for p in close]
    first = "; ".join(names[:3]) + (" ..." if len(names) > 3 else "")
    return [
        Check.of(
            "pairs closer than the model can show",
            len(names),
            concerns="verdict",
            sentence=f"{subject(len(names), 'pair', 'is')} closer than the model can show with so"
            f" few data sets ({first}).",
            remedy="The prior keeps their difference too wide on the next data set, so that"
            " equivalence is claimed too rarely: compare such a pair alone.",
        )
    ]
