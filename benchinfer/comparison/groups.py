"""Domains and covariates of data sets."""

from typing import TYPE_CHECKING

from benchinfer.comparison.evidence import Array, Setting
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.numbers import count, join

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


def domain_codes(setting: Setting) -> tuple[tuple[str, ...], list[int]]:
    """Return the names of the domains, sorted, and the code of each data set.

    Raises
    ------
    DesignError
        The table names no domains, or one only.
    """
    names = tuple(sorted(set(setting.domains)))
    if len(names) < 2:
        raise DesignError(
            message(
                f"the table names {count(len(names), 'domain')}.",
                hint="a domain level needs a column of domains with two or more of them, read with"
                ' columns={"NAME": "domain"}.',
            )
        )
    return names, [names.index(name) for name in setting.domains]


def check_covariates(covariates: tuple[str, ...], spread: Array, d: int) -> None:
    """Refuse covariates that do not vary, and too few data sets for their number.

    Parameters
    ----------
    covariates, spread
        The q names, and (q,) standard deviations over the data sets.
    d
        Number of data sets.

    Raises
    ------
    DesignError
        With the names, or how many data sets it takes.
    """
    if flat := [name for name, s in zip(covariates, spread, strict=True) if s == 0]:
        raise DesignError(
            message(
                f"{join(flat)} {'has' if len(flat) == 1 else 'have'} the same value on every data"
                " set.",
                hint="a slope needs data sets that differ: leave it out of covariates=.",
            )
        )
    if d < len(covariates) + 3:
        raise DesignError(
            message(
                f"{d} data sets are too few for {count(len(covariates), 'covariate')}.",
                hint=f"slopes need at least {len(covariates) + 3} data sets.",
            )
        )


def known_covariates(scores: "ScoreTable", covariates: tuple[str, ...]) -> None:
    """Refuse covariates that the table was not read with.

    Raises
    ------
    DesignError
        With those that it has, or how to keep them.
    """
    strange = [name for name in covariates if name not in scores.covariates]
    if strange and scores.covariates:
        raise DesignError(unknown("covariate", strange[0], scores.covariates))
    if strange:
        raise DesignError(
            message(
                "the table was read without covariates.",
                hint=f"read_scores(..., covariates={list(covariates)!r}) keeps these columns.",
            )
        )


def varying(scores: "ScoreTable", measure: str, covariates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the covariates, of those requested, that vary within data sets."""
    known_covariates(scores, covariates)
    if not covariates:
        return ()
    known = scores.dataset_covariates(measure)
    return tuple(name for name in covariates if name in known.varying)
