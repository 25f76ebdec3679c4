"""Domains and covariates of the hierarchical model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.checks.groups import check_constant, check_covariates
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.comparison.posterior import codes_of, level_of
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import join
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.posterior.outcome_probabilities import average_outcomes, ranks
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.analyses.bayes.fit import PosteriorDraws
    from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


@savable
@shaped(names="q", values="M q")
@dataclass(frozen=True, slots=True)
class Along:
    """Covariates of M data sets, along which algorithms have slopes."""

    names: tuple[str, ...]  # the q names
    values: Array  # (M, q) values, as the table has them
    # Where claims are made, by covariate; at the mean of those that are not named
    at: Mapping[str, float]

    @property
    def centre(self) -> Array:
        """(q,) means over the data sets."""
        return self.values.mean(axis=0)

    @property
    def spread(self) -> Array:
        """(q,) standard deviations over the data sets."""
        return self.values.std(axis=0)

    @property
    def scaled(self) -> Array:
        """(M, q) values in the model: centred and divided by their spread."""
        return (self.values - self.centre) / self.spread

    @property
    def offset(self) -> Array:
        """(q,) values that claims are about, less the means, in the model's units."""
        where = np.array(
            [self.at.get(name, x) for name, x in zip(self.names, self.centre, strict=True)]
        )
        return (where - self.centre) / self.spread

    @property
    def place(self) -> str:
        """Values of the covariates that claims are about, in words."""
        values = [f"{name} = {value:g}" for name, value in self.at.items()]
        rest = [name for name in self.names if name not in self.at]
        if not rest:
            return f"at {join(values)}"
        means = f"{join(rest)} at {'its mean' if len(rest) == 1 else 'their means'}"
        return f"with {means}" if not values else f"at {join(values)} and with {means}"


def read_along(
    scores: ScoreTable, measure: str, data: ContrastData, names: tuple[str, ...]
) -> Along | None:
    """Return the covariates of the data sets in the model; None without covariates."""
    if not names:
        return None
    check_constant(scores, measure, names)
    known = scores.dataset_covariates(measure).constant
    values = np.column_stack([known[name] for name in names])[data.dataset]
    check_covariates(names, values)
    return Along(names, values, {})


def slopes(result: BayesComparison) -> pd.DataFrame:
    """Compare slopes; see `BayesComparison.slopes`."""
    import pandas as pd

    along, matrix = _along(result), contrast_matrix(result)
    exact = replace(result.setting, measure=replace(result.measure, tolerance=0.0))
    tables: list[pd.DataFrame] = []
    for name in along.names:
        outcomes = average_outcomes(result.draws.slopes[name], matrix, 0.0, result.level)
        codes = codes_of(outcomes, result.level, settled=result.convergence.settled)
        one = replace(
            result,
            setting=exact,
            quantity="average",
            average=outcomes,
            pairs=replace(result.pairs, codes=codes),
        )
        table = one.contrasts(all=True).drop(columns=["quantity", "prob_equivalent"])
        table.insert(0, "covariate", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def at(result: BayesComparison, values: Mapping[str, float]) -> BayesComparison:
    """Compare at some values of covariates; see `BayesComparison.at`."""
    along = _along(result)
    if not values:
        raise DesignError("no covariate is given.", hint="at(NAME=value).")
    for name, value in values.items():
        if name not in along.names:
            raise DesignError(unknown("covariate", name, along.names))
        if not np.isfinite(value):
            raise DesignError(f"{name} is {value!r}.", hint="a finite number.")
    if result.about:
        raise DesignError(
            f"the comparison is {result.about} already.",
            hint="at(NAME=value) first, then by_domain().",
        )
    if result.following is None or result.ranks_following is None:
        raise DesignError(
            "the comparison is about these data sets, whose covariates are what they are.",
            hint='compare with target="domain".',
        )
    along, draws = replace(along, at=dict(values)), result.draws
    further, raised = moved(along, draws)
    effects, following = draws.effects + further, draws.following + further
    margin, matrix = result.measure.margin, contrast_matrix(result)
    average = average_outcomes(effects, matrix, margin, result.level)
    # What is expected on the next data set is the average; its own mean need not exist.
    new = average_outcomes(following, matrix, margin, result.level)
    return replace(
        result,
        average=average,
        following=replace(new, estimate=average.estimate),
        ranks=ranks(effects, margin),
        ranks_following=ranks(following, margin),
        levels=level_of((draws.common.average + raised)[:, :, None] + effects, result.level),
        along=along,
        other_models=None,
    ).of()


def moved(along: Along, draws: PosteriorDraws) -> tuple[Array, Array]:
    """Return the shifts of (C, T, K) effects and (C, T) levels by the covariates."""
    steps = along.offset * along.spread
    effects, levels = (
        np.stack([slopes[name] for name in along.names], axis=-1) @ steps
        for slopes in (draws.slopes, draws.common.slopes)
    )
    return effects, levels


def _along(result: BayesComparison) -> Along:
    if result.along is None:
        raise DesignError(
            "the model has no covariates.",
            hint="compare_bayes(..., covariates=[...])",
        )
    return result.along


def contrast_matrix(result: BayesComparison) -> Array:
    """Return the (P, K) contrasts of a comparison."""
    family = result.options.family(result.algorithms, result.levels.estimate)
    return family.matrix[family.wanted]


def by_domain(result: BayesComparison) -> Comparisons:
    """Compare on average in each domain, and in a new one; see `BayesComparison.by_domain`."""
    draws = result.draws
    domains, new, common = draws.domains, draws.new_domain, draws.common
    if domains is None or new is None or common.domains is None or common.new_domain is None:
        raise DesignError(
            "the domains are no level of this model.",
            hint='compare_bayes(..., domains="random") has one.',
        )
    further, raised = (0.0, 0.0) if result.along is None else moved(result.along, draws)
    parts: dict[str, Comparison] = {
        name: _in_domain(
            result,
            domains[:, :, g] + further,
            common.domains[:, :, g] + raised,
            f"in the domain {name}",
        )
        for g, name in enumerate(sorted(set(result.setting.domains)))
    }
    new = _in_domain(result, new + further, common.new_domain + raised, "in a new one")
    return Comparisons({**parts, "new domain": new})


def _in_domain(
    result: BayesComparison, effects: Array, common: Array, about: str
) -> BayesComparison:
    """Return the comparison of average (C, T, K) effects in a domain with (C, T) levels."""
    margin, level = result.measure.margin, result.level
    return replace(
        result,
        quantity="average",
        average=average_outcomes(effects, contrast_matrix(result), margin, level),
        following=None,
        ranks=ranks(effects, margin),
        ranks_following=None,
        levels=level_of(common[:, :, None] + effects, level),
        about=about,
        other_models=None,
    ).of()
