"""Domains and covariates of data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, join
from benchinfer.core.sections import Check
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from benchinfer.scores.numerics.domains import Units
    from benchinfer.scores.rows.reductions import DatasetCovariates
    from benchinfer.scores.table import ScoreTable


def units_of_domains(setting: Setting, units: Units) -> list[Check]:
    """Return the row on domains as the units, or on claims about given ones; none of others."""
    if units in ("datasets", "runs"):
        return []
    d = len(setting.as_read.datasets)
    if units == "domains":
        remedy = (
            "Data sets of one domain are like each other, and more of them are no more domains."
        )
        n = len(setting.coverage.datasets)
        sentence = (
            f"The units are {count(n, 'domain')}, each the mean of its data sets, {d} in all."
        )
        return [Check.informing("domains that are the units", n, sentence=sentence, remedy=remedy)]
    remedy = "So few domains say next to nothing of others."
    n = len(set(setting.domains))
    sentence = (
        f"Claims are about these {count(n, 'domain')}, of which the {d} data sets are samples."
    )
    return [Check.informing("domains that claims are about", n, sentence=sentence, remedy=remedy)]


def domain_codes(setting: Setting) -> tuple[tuple[str, ...], list[int]]:
    """Return the names of the domains, sorted, and the code of each data set."""
    names = tuple(sorted(set(setting.domains)))
    if len(names) < 2:
        raise DesignError(
            f"the table names {count(len(names), 'domain')}.",
            hint="a domain level needs a column of domains with two or more of them, read"
            ' with columns={"NAME": "domain"}.',
        )
    return names, [names.index(name) for name in setting.domains]


def check_covariates(covariates: tuple[str, ...], values: Array) -> None:
    """Raise a DesignError where (D, C) covariates are constant or data sets are too few."""
    # The range of equal values is exactly 0, which their standard deviation need not be.
    if flat := [name for name, s in zip(covariates, np.ptp(values, axis=0), strict=True) if s == 0]:
        raise DesignError(
            f"{join(flat)} {'has' if len(flat) == 1 else 'have'} the same value on every data set.",
            hint="a slope needs data sets that differ: leave it out of covariates=.",
        )
    if len(values) < len(covariates) + 3:
        raise DesignError(
            f"{len(values)} data sets are too few for {count(len(covariates), 'covariate')}.",
            hint=f"slopes need at least {len(covariates) + 3} data sets.",
        )


def known_covariates(scores: ScoreTable, covariates: tuple[str, ...]) -> None:
    """Raise an ArgumentError where the table has no covariate of a requested name."""
    strange = [name for name in covariates if name not in scores.covariates]
    if strange and scores.covariates:
        raise ArgumentError(unknown("covariate", strange[0], scores.covariates))
    if strange:
        raise ArgumentError(
            "the table was read without covariates.",
            hint=f"read_scores(..., covariates={list(covariates)!r}) keeps these columns.",
        )


def check_constant(scores: ScoreTable, measure: str, covariates: tuple[str, ...]) -> None:
    """Raise an error where covariates are not in the table or vary within data sets."""
    known_covariates(scores, covariates)
    refuse_varying(scores.dataset_covariates(measure), covariates)


def refuse_varying(known: DatasetCovariates, covariates: Sequence[str]) -> None:
    """Raise a DesignError where covariates vary within data sets."""
    for name in covariates:
        if varying := known.varying.get(name):
            raise DesignError(
                f"the covariate {name!r} varies within {count(len(varying), 'data set')}, but"
                " covariates belong to data sets: one value for each.",
                where=[("dataset",), *((dataset,) for dataset in varying)],
                hint="keep one value for each data set, such as the mean, as the covariate.",
            )
