"""Diagnostics of the tests of the literature: chains, data sets left out, what claims rest on."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bayes.pairwise.fit import Differences, PairwiseFit
from benchinfer.comparison import checks as comparison_checks
from benchinfer.comparison.evidence import Setting
from benchinfer.core.hints import Either, Option
from benchinfer.core.numbers import count
from benchinfer.core.sections import Check


def checks(
    setting: Setting,
    seen: Differences,
    found: PairwiseFit,
    pairs: NDArray[np.int64],
    size: tuple[int, int],
    turned: Check,
) -> list[Check]:
    """Return the rows."""
    rows: list[Check] = []
    if found.convergence is not None:
        words = f"{size[0]} x {size[1]} draws"
        words += f" ({count(found.extended, 'pair')} run on)" if found.extended else ""
        rows += found.convergence.checks(words)
    error = max(float(found.following.error.max()), float(found.votes.error.max()))
    return [
        *rows,
        comparison_checks.monte_carlo_error(error),
        *comparison_checks.of_table(setting),
        *_datasets(setting, seen, pairs),
        comparison_checks.number_of_datasets(setting),
        *_domains(setting),
        turned,
        *(_replications(setting, seen) if found.convergence is not None else ()),
        comparison_checks.thin_cells(setting, "the test"),
        comparison_checks.tolerance(setting.measure),
    ]


def _datasets(setting: Setting, seen: Differences, pairs: NDArray[np.int64]) -> list[Check]:
    """Return the rows on the data sets of pairs, and on those left out."""
    total, shared = len(setting.coverage.datasets), seen.datasets
    fewest = int(shared.argmin())
    names = " and ".join(setting.algorithms[k] for k in pairs[fewest])
    return [
        Check.of(
            "fewest data sets of a pair",
            shared[fewest],
            comparison_checks.PRIOR_MATTERS,
            least=True,
            remedy="so few data sets leave much to the prior",
        ),
        Check.of(
            "data sets left out of a pair",
            total - shared[fewest],
            remedy="data sets that lack scores of one of the pair say nothing of it and are left"
            f" out, the most for {names}; fair only if scores are not missing because they are bad",
        ),
    ]


def _domains(setting: Setting) -> list[Check]:
    """Return the row on several domains, which are taken as one."""
    n = len(set(setting.domains))
    row = Check.of(
        "domains taken as one",
        n,
        1.0,
        remedy="the table names several domains, and this test takes data sets as alike;"
        f" without {Option('preset')}, {Option('domains', 'random')} makes them a"
        " level of the model",
    )
    return [row] if n > 1 else []


def _replications(setting: Setting, seen: Differences) -> list[Check]:
    """Return the rows on the replications of the hierarchical model."""
    same, resampling = int(seen.constant.sum()), setting.resampling
    declared = resampling is not None and resampling.overlap is not None
    return [
        Check.of(
            "differences that repeat exactly",
            same,
            remedy=f"in {same:,} of {int((seen.n > 0).sum()):,} cases (pair, data set) differences"
            " do not vary; as in the paper they are given noise within the tolerance",
        ),
        Check.of(
            "overlap of training sets declared",
            float(declared),
            1.0,
            least=True,
            remedy="the published test takes the correlation of replications to be 1 /"
            " folds:"
            f" {Either('resampling="cv" with folds=...', '--resampling cv:FOLDS')}"
            " sets it; without it they count as independent",
        ),
    ]
