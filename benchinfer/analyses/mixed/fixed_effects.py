"""Fixed effects: levels of algorithms, by domain or along covariates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchinfer.comparison.evidence import Array, Setting
from benchinfer.comparison.groups import check_covariates, domain_codes
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.hints import Either, Option
from benchinfer.core.numbers import count
from benchinfer.core.saving import savable

type Domains = Literal["pooled", "random", "separate"]


@savable
@dataclass(frozen=True, slots=True)
class Fixed:
    """Design of the fixed effects and how levels of the algorithms follow from them.

    Attributes
    ----------
    x
        (D, K, p) design, None for one mean per algorithm.
    at
        (K, p) levels as combinations of the fixed effects: the mean over domains, covariates at
        their means.
    domains
        Names of the domains with levels of their own, else empty.
    covariates
        Names of the q covariates.
    centre, spread
        (q,) what was taken off the covariates, and what they were divided by.
    """

    x: Array | None
    at: Array
    domains: tuple[str, ...] = ()
    covariates: tuple[str, ...] = ()
    centre: Array | None = None
    spread: Array | None = None

    def levels_in(self, domain: str) -> Array:
        """Return (K, p) the levels in one domain, covariates at their means."""
        if domain not in self.domains:
            raise DesignError(unknown("domain", domain, self.domains))
        k, g = len(self.at), self.domains.index(domain)
        rows = np.zeros_like(self.at)
        rows[:, g * k : (g + 1) * k] = np.eye(k)
        return rows

    def slopes(self, covariate: str) -> Array:
        """Return (K, p) the algorithms' slopes along a covariate, per unit of it."""
        if covariate not in self.covariates or self.spread is None:
            raise DesignError(unknown("covariate", covariate, self.covariates))
        k, i = len(self.at), self.covariates.index(covariate)
        rows = np.zeros_like(self.at)
        first = rows.shape[1] - k * (len(self.covariates) - i)
        rows[:, first : first + k] = np.eye(k) / self.spread[i]
        return rows

    def levels_at(self, values: Mapping[str, float]) -> Array:
        """Return (K, p) the levels at given values of covariates; others at their means."""
        rows = self.at.copy()
        for name, value in values.items():
            slopes = self.slopes(name)
            rows += (value - float(np.asarray(self.centre)[self.covariates.index(name)])) * slopes
        return rows


def fixed_effects(
    setting: Setting, domains: Domains, covariates: tuple[str, ...], values: Array
) -> Fixed:
    """Build the fixed effects."""
    d, k = setting.coverage.found.shape
    base, at, names = np.tile(np.eye(k), (d, 1, 1)), np.eye(k), ()
    if domains == "separate":
        names, base, at = _by_domain(setting)
    if not covariates:
        return Fixed(base if names else None, at, names)
    centre, spread = values.mean(axis=0), values.std(axis=0)
    check_covariates(covariates, spread, d)
    z = (values - centre) / spread
    parts = [base, *(z[:, i, None, None] * np.eye(k) for i in range(len(covariates)))]
    zeros = np.zeros((k, k * len(covariates)))
    return Fixed(
        np.concatenate(parts, axis=2),
        np.concatenate([at, zeros], axis=1),
        names,
        covariates,
        centre,
        spread,
    )


def _by_domain(setting: Setting) -> tuple[tuple[str, ...], Array, Array]:
    """Return the domains' names, the design of levels by domain, and their mean over domains."""
    names, codes = domain_codes(setting)
    found, k = setting.coverage.found, len(setting.algorithms)
    member = np.eye(len(names))[codes]
    held = (member.T @ (found > 0)).astype(np.int64)
    # One data set in a domain says nothing of how algorithms vary within it.
    lacking = np.argwhere(held < 2)
    if len(lacking):
        raise DesignError(
            message(
                f"{count(len(lacking), 'algorithm')} with scores on fewer than two data sets of a"
                " domain.",
                where=[
                    ("domain", "algorithm", "data sets"),
                    *((names[g], setting.algorithms[i], int(held[g, i])) for g, i in lacking),
                ],
                hint=f'{Option("domains", "pooled")} takes the domains as one, "random" as a'
                f" sample; {Either('scores.subset(...)', 'a table of fewer rows')} leaves"
                " domains or algorithms out.",
            )
        )
    base = np.einsum("dg,kl->dkgl", member, np.eye(k)).reshape(len(found), k, -1)
    return names, base, np.tile(np.eye(k), len(names)) / len(names)
