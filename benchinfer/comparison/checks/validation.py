"""Validation of tables before an analysis."""

import numpy as np

from benchinfer.comparison.checks.run_means import of_runs
from benchinfer.comparison.evidence import Setting
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, join
from benchinfer.scores.resampling import declaration
from benchinfer.scores.table import ScoreTable


def check_missing(setting: Setting, missing: str, *, complete: bool = False) -> None:
    """Raise a DesignError where cells lack scores and ``missing="error"``.

    Analyses that need complete tables otherwise take a `complete` part.
    """
    if missing not in ("use", "shared", "error"):
        raise DesignError(unknown("missing", missing, ["use", "error"]))
    coverage = setting.coverage
    lack = np.argwhere(coverage.counts < coverage.expected[:, None])
    if missing == "error" and setting.absent:
        raise DesignError(
            f"no scores of measure {setting.measure.name!r} for {join(setting.absent)}.",
            hint='compare with missing="use" to leave them out.',
        )
    if missing != "error" or not len(lack):
        return
    rows = [
        (
            coverage.datasets[d],
            coverage.algorithms[k],
            int(coverage.counts[d, k]),
            int(coverage.expected[d]),
        )
        for d, k in lack
    ]
    table = f"scores.complete({setting.measure.name!r}) to keep"
    raise DesignError(
        f"{len(lack):,} of {coverage.counts.size:,} cells lack scores for measure"
        f" {setting.measure.name!r}.",
        where=[("dataset", "algorithm", "found", "expected"), *rows],
        hint='compare with missing="use" to keep data sets and algorithms without an empty cell.'
        if complete
        else [
            'compare with missing="use" to let the model use what is there,',
            f"or {table} what is whole.",
        ],
    )


def check_connected(setting: Setting) -> None:
    """Raise a DesignError unless shared data sets connect all algorithms, directly or in chains."""
    held = setting.coverage.counts > 0
    reached = np.zeros(held.shape[1], dtype=np.bool_)
    reached[0] = True
    for _ in range(held.shape[1]):
        data_sets = (held & reached).any(axis=1)
        reached |= held[data_sets].any(axis=0)
    if not reached.all():
        apart = [setting.algorithms[k] for k in np.flatnonzero(~reached)]
        rest = [setting.algorithms[k] for k in np.flatnonzero(reached)]
        raise DesignError(
            f"no data set, nor chain of data sets, connects {join(apart)} with {join(rest)}.",
            hint="compare each group by itself with scores.subset(algorithms=[...]).",
        )


def overlap_share(setting: Setting) -> float:
    """Return the variance of a data set's mean due to overlapping resamples, in score variances.

    It is ``rho / (1 - rho)``, with rho the test fraction (Nadeau &
    Bengio 2003, https://doi.org/10.1023/A:1024068626366 ): scores from resamples of one sample are
    correlated, and more replications do not average that out. Claims about a domain need none: the
    data set x algorithm term, or the spread between data sets, holds the correlation.
    """
    resampling = setting.resampling
    if resampling is None:
        return 0.0
    rho = resampling.overlap
    if rho is None:
        example = declaration(resampling.kind, int(setting.coverage.expected.max()))
        raise DesignError(
            f"scores on one data set come from {resampling.kind!r}, whose training sets overlap,"
            " and by how much is not declared.",
            hint=f"declare it, as in {example}.",
        )
    return rho / (1 - rho)


def refuse_overlap(setting: Setting, *, of_domains: bool = True) -> None:
    """Raise a DesignError where training sets of replications overlap, as in cross-validation.

    Such replications are not exchangeable blocks. With `of_domains` the analysis has claims about
    a domain, too, which the hint names.
    """
    resampling = setting.resampling
    if resampling is None or (kind := resampling.kind) not in ("cv", "holdout"):
        return
    undeclared = resampling.overlap is None
    example = declaration(kind, int(setting.coverage.expected.max()))
    once = f", once it is declared, as in {example}" if undeclared else ""
    hints = [('compare_mixed(..., target="datasets") corrects for the overlap' + once + ".")]
    if of_domains and len(setting.coverage.datasets) > 1:
        hints.insert(0, 'target="domain" takes the mean of each data set as one block;')
    raise DesignError(
        f"scores on one data set come from {kind!r}, whose training sets overlap: its replications"
        " are not exchangeable blocks.",
        hint=hints,
    )


def refuse_runs(scores: ScoreTable, name: str) -> None:
    """Raise a DesignError where cases of a tool that times programs would pass for data sets."""
    if of_runs(scores) and len(scores.datasets) > 1:
        raise DesignError(
            f"{name} takes data sets as the units, and the {count(len(scores.datasets), 'case')} of"
            " a run share the state of a machine.",
            hint="compare one measure at a time: runs are the units of compare.",
        )
