"""Diagnostics of the hierarchical model."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bayes.fit import BayesFit
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData, helmert
from benchinfer.comparison import checks as comparison_checks
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.contrasts import Sides
from benchinfer.comparison.evidence import Array, Setting
from benchinfer.core.hints import Either, Option, Phrase
from benchinfer.core.numbers import count
from benchinfer.core.sections import Check


def checks(
    setting: Setting, fitted: BayesFit, error: float, target: Target, turned: Check
) -> list[Check]:
    """Return the rows."""
    chains, draws = fitted.draws.scale.shape
    words = f"{chains} x {draws} draws" + (" after one extension" if fitted.extended else "")
    return [
        *fitted.convergence.checks(words),
        comparison_checks.monte_carlo_error(error),
        *comparison_checks.of_table(setting),
        comparison_checks.number_of_datasets(setting)
        if target == "domain"
        else comparison_checks.replications(setting),
        comparison_checks.beyond(target),
        *_domains(setting, fitted),
        *_design(setting, fitted),
        turned,
        comparison_checks.thin_cells(setting, "the model"),
        comparison_checks.tolerance(setting.measure),
    ]


def other_sign(
    setting: Setting,
    data: ContrastData,
    matrix: Array,
    sides: Sides,
    codes: NDArray[np.int8],
) -> Check:
    """Name the decided contrasts whose mean difference over data sets has the other sign."""
    effects = np.einsum("mj,mjk->mk", data.z, data.design) @ helmert(data.n_algorithms)
    there = setting.coverage.found[data.dataset] > 0
    there &= (data.rank == there.sum(axis=1) - 1)[:, None]
    involved = matrix != 0
    known = there.astype(np.float64) @ involved.T == involved.sum(axis=1)
    mean = np.where(known, effects @ matrix.T, 0.0).sum(axis=0)
    return comparison_checks.other_sign_of_means(codes, mean, sides)


def _domains(setting: Setting, fitted: BayesFit) -> list[Check]:
    """Return the row on several domains."""
    n = len(set(setting.domains))
    if n < 2:
        return []
    if fitted.model.domain is None:
        return [
            Check.of(
                "domains taken as one",
                n,
                1.0,
                remedy=f"the table names several domains: {Option('domains', 'random')} makes"
                " them a level of the model",
            )
        ]
    return [
        Check.of(
            "domains that the model learns from",
            n,
            comparison_checks.PRIOR_MATTERS,
            least=True,
            remedy="so few domains leave much of what is said of a new one to the priors",
        )
    ]


def _design(setting: Setting, fitted: BayesFit) -> list[Check]:
    """Return the rows on residuals and declarations of the table."""
    data, resampling = fitted.model.data, setting.resampling
    silent = int(data.silent.sum())
    undeclared = resampling is not None and resampling.overlap is None
    rows = [
        *comparison_checks.learnt_from(setting, len(data.z)),
        Check.of(
            "residuals to tell noise from interaction",
            data.df.sum(),
            1.0,
            least=True,
            ok=data.noisy,
            remedy="scores are not repeated, or repeat exactly: what is said of the next data set"
            " is said of its next observed score",
        ),
    ]
    if silent and data.noisy:
        rows.append(
            Check.of(
                "data sets without residuals",
                silent,
                remedy=f"on {count(silent, 'data set')} scores repeat exactly: residuals there are"
                " taken to be of the size of rounding",
            )
        )
    if undeclared:
        rows.append(
            Check.of(
                "overlap of training sets declared",
                0.0,
                1.0,
                least=True,
                remedy=Phrase(
                    Either(
                        "folds=... or test_fraction=... of the resampling",
                        "--resampling cv:FOLDS or holdout:FRACTION",
                    ),
                    " sets the correlation of replications; without it they count as independent",
                ),
            )
        )
    return [*rows, *_near_duplicates(setting, fitted)]


def _near_duplicates(setting: Setting, fitted: BayesFit) -> list[Check]:
    """Name algorithms that differ less than an unstructured covariance can show."""
    data, sigma = fitted.model.data, fitted.draws.covariance
    if sigma is None or fitted.draws.shrinkage is None or not data.whole.all():
        return []
    k, m = data.n_algorithms, len(data.z)
    effects = data.z @ helmert(k)
    i, j = np.triu_indices(k, 1)
    difference = effects[:, i] - effects[:, j]
    kappa = float(np.median(fitted.draws.shrinkage))
    floor = 2 * (1 + kappa) / (m + kappa + 1) * float(np.median(fitted.draws.scale)) ** 2
    close = (difference**2).mean(axis=0) < floor / 2
    names = [
        f"{setting.algorithms[a]} and {setting.algorithms[b]}" for a, b in zip(i, j, strict=True)
    ]
    found = [name for name, one in zip(names, close, strict=True) if one]
    first = "; ".join(found[:3]) + (" ..." if len(found) > 3 else "")
    return [
        Check.of(
            "pairs closer than the model can show",
            len(found),
            remedy=f"{first}: with so few data sets the prior keeps their difference too wide on"
            " the next data set, so equivalence is claimed too rarely; compare such a pair alone",
        )
    ]
