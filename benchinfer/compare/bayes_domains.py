"""The domains of a hierarchical Bayesian comparison: what it says in each, and in a new one."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchinfer.compare.bayes_beside import alone
from benchinfer.compare.bayes_covariates import moved
from benchinfer.compare.bayes_rules import verdict_codes
from benchinfer.compare.contrasts import family_of
from benchinfer.compare.local import Comparisons
from benchinfer.compare.posterior_verdicts import level_of
from benchinfer.errors import DesignError, message
from benchinfer.numerics.bayes.outcomes import average_outcomes, ranks
from benchinfer.numerics.bayes.regret import regrets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.comparison import Comparison
    from benchinfer.compare.evidence import Array


def by_domain(result: "BayesComparison") -> Comparisons:
    """Compare on average in each domain, and in a new one; see `BayesComparison.by_domain`.

    Parameters
    ----------
    result
        The comparison.
    """
    kept = result.draws
    if kept.domains is None or kept.new_domain is None:
        raise DesignError(
            message(
                "the domains are no level of this model.",
                hint='compare_bayes(..., domains="random") has one.',
            )
        )
    names = sorted(set(result.setting.domains))
    further = 0.0 if result.along is None else moved(result.along, kept)
    found: dict[str, Comparison] = {
        name: _in_domain(result, kept.domains[:, :, g] + further, f"in the domain {name}")
        for g, name in enumerate(names)
    }
    new = _in_domain(result, kept.new_domain + further, "in a new one")
    return Comparisons({**found, "new domain": new})


def _in_domain(result: "BayesComparison", effects: "Array", about: str) -> "BayesComparison":
    """Return what (C, T, K) effects in a domain say on average."""
    given: Mapping[str, Any] = result.provenance.arguments
    margin = result.measure.margin
    asked = family_of(
        result.algorithms, given["contrasts"], given["control"], result.levels.estimate
    )
    base = float(result.levels.estimate.mean() - result.draws.effects.mean())
    matrix = asked.matrix[asked.wanted]
    average = average_outcomes(effects, matrix, margin, result.level)
    regret = regrets(effects, matrix, result.regret.cap)
    return replace(
        alone(result),
        quantity="average",
        average=average,
        following=None,
        ranks=ranks(effects, margin),
        ranks_following=None,
        regret=regret,
        regret_following=None,
        codes=verdict_codes(
            result.decision,
            average,
            regret,
            margin,
            result.level,
            settled=result.convergence.settled,
        ),
        levels=level_of(effects, base, result.level),
        about=about,
    )
