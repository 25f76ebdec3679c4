"""Covariates of the data sets of a meta-analysis."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.compare.phrases import count, join
from benchinfer.compare.studies import Studies
from benchinfer.errors import DesignError, message, unknown
from benchinfer.scores import DatasetCovariates


def centred(studies: Studies, known: DatasetCovariates, names: Sequence[str]) -> Studies:
    """Take covariates of a table into the studies, without their means.

    Raises
    ------
    DesignError
        A covariate does not exist, varies within data sets, or is the same on all.
    """
    for name in names:
        if name in known.varying:
            raise DesignError(
                message(
                    f"the covariate {name!r} varies within"
                    f" {count(len(known.varying[name]), 'data set')}.",
                    hint="a meta-analysis takes features of data sets; compare_mixed takes those"
                    " of runs, too.",
                )
            )
    at = [known.datasets.index(name) for name in studies.datasets]
    return with_values(studies, {name: z[at] for name, z in known.constant.items()}, names)


def with_values(studies: Studies, known: Mapping[str, Array], names: Sequence[str]) -> Studies:
    """Take covariates, given by their (D,) values, into the studies, without their means."""
    taken: dict[str, Array] = {}
    for name in names:
        if name not in known:
            raise DesignError(unknown("covariate", name, sorted(known)))
        z = np.asarray(known[name], np.float64)
        if not np.isfinite(z).all():
            lack = [studies.datasets[d] for d in np.flatnonzero(~np.isfinite(z))]
            raise DesignError(
                message(
                    f"the covariate {name!r} is missing on {count(len(lack), 'data set')}:"
                    f" {join(lack[:5])}.",
                    hint="leave these data sets out, or the covariate.",
                )
            )
        if np.ptp(z) == 0:
            raise DesignError(
                message(
                    f"the covariate {name!r} is the same on all data sets.",
                    hint="a slope needs data sets that differ in it.",
                )
            )
        taken[name] = z - z.mean()
    return replace(studies, covariates=taken)
