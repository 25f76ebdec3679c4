"""From counted wins to the comparison: evidence by the likelihood, or from a posterior."""

from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer import version
from benchinfer.compare import contrast_errors, wins_checks
from benchinfer.compare.adjust import JOINT, evidence_of, resolve, std_errors, without_spread
from benchinfer.compare.contrasts import Family, family_of
from benchinfer.compare.evidence import (
    Array,
    Evidence,
    Level,
    Provenance,
    Setting,
    alpha_of,
    decide,
)
from benchinfer.compare.phrases import count
from benchinfer.compare.posterior_verdicts import codes_of, level_of
from benchinfer.compare.wins_comparison import WinsComparison
from benchinfer.compare.wins_counted import Counted, told_as
from benchinfer.compare.wins_sampled import WinPosterior, concluded, sampled
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics import tukey
from benchinfer.numerics.degrees import Adjusted
from benchinfer.numerics.wins.likelihood import WinFit, fit_wins
from benchinfer.numerics.wins.posterior import WinModel
from benchinfer.numerics.wins.quasi import quasi_variances
from benchinfer.numerics.wins.tally import Tally

if TYPE_CHECKING:
    from benchinfer.compare.comparison import Target
    from benchinfer.compare.evidence import Check
    from benchinfer.progress import Progress

_ADJUSTMENTS = {
    "single-step": "P-values and intervals of {} are adjusted by the single-step method",
    "westfall": "P-values of {} are adjusted by Westfall's method, intervals by the single-step"
    " method",
    "shaffer": "P-values of {} are adjusted by Shaffer's method, intervals by Sidak's",
    "holm": "P-values of {} are adjusted by Holm's method, intervals by Sidak's",
    "none": "P-values and intervals of {} are not adjusted",
}


def by_likelihood(counted: Counted, arguments: dict[str, Any]) -> WinsComparison:
    """Compare by maximum likelihood.

    Parameters
    ----------
    counted
        The wins.
    arguments
        Of `compare_wins`.

    Raises
    ------
    DesignError
        Some algorithm always wins, or the family of contrasts is not known.
    """
    setting, level = told_as(counted, arguments["rope"]), arguments["level"]
    taken = counted.tally.taken(arguments["ties"])
    groups = taken.groups()
    if len(groups) > 1 and not arguments["penalised"]:
        raise _separated(groups, setting.algorithms)
    if taken.boundless():
        raise _boundless(taken)
    fit = fit_wins(taken, penalised=arguments["penalised"])
    errors = _resolved(arguments["errors"], counted, fit)
    robust = errors == "robust" and fit.robust is not None
    cov = fit.robust if robust and fit.robust is not None else fit.cov
    df = float(counted.tally.clusters - 1) if robust else np.inf
    family = family_of(
        setting.algorithms,
        arguments["contrasts"],
        arguments["control"],
        fit.log_worth,
        directed=arguments["alternative"] != "two-sided",
    )
    adjust = _adjustment(arguments, robust=robust)
    alpha = alpha_of(level)
    every = Adjusted(cov, np.full(len(family.matrix), df))
    evidence, _ = evidence_of(
        family, fit.log_worth, every, adjust, alpha, setting.measure.margin,
        arguments["alternative"],
    )  # fmt: skip
    quasi = quasi_variances(cov)
    checks = [
        *wins_checks.counts(counted, _target(counted), arguments["rope"]),
        *wins_checks.dependence(fit, counted, errors, 'errors="robust" allows for it'),
        *contrast_errors.stepwise(setting, family, evidence, adjust, alpha),
        *([_flat(setting, family, every)] if robust else []),
        *wins_checks.goodness(taken, fit),
        wins_checks.quasi(quasi.low, quasi.high),
        *([wins_checks.penalty(groups, setting.algorithms)] if arguments["penalised"] else []),
    ]
    return WinsComparison(
        **_shared(counted, setting, family, arguments, checks),
        codes=decide(evidence.estimate, evidence.p_value, evidence.p_equivalence, alpha),
        levels=_levels(fit.log_worth, cov, df, alpha),
        provenance=_provenance(setting, arguments, _ADJUSTMENTS[adjust].format(family.words)),
        evidence=evidence,
        quasi=quasi,
        errors=errors,
        fit=fit,
        bayes=None,
    )


def _separated(groups: list[list[int]], names: tuple[str, ...]) -> DesignError:
    """Return the error that worths are not finite, with the groups, best first."""
    rows = [(str(n), ", ".join(names[k] for k in own)) for n, own in enumerate(groups, 1)]
    return DesignError(
        message(
            "the likelihood has no finite worths: no chain of wins and ties leads from the last"
            " group back to the first.",
            where=[("group", "algorithms"), *rows],
            hint=[
                'inference="bayes" gives finite worths by its priors,',
                'and penalised=True with ties="half" by a penalty (Firth).',
            ],
        )
    )


def _boundless(tally: Tally) -> DesignError:
    """Return the error that the parameter of ties is not finite."""
    ties, n = tally.ties.sum(), tally.n.sum()
    return DesignError(
        message(
            f"{ties:g} of {n:g} contests are ties, and the likelihood has no finite maximum: the"
            " parameter of ties grows without limit, and the worths with it.",
            hint='ties="half" counts half a win for each side; inference="bayes" gives finite'
            " worths by its priors.",
        )
    )


def _resolved(errors: str, counted: Counted, fit: WinFit) -> str:
    """Return which errors are used."""
    if errors == "robust" and fit.robust is None:
        raise DesignError(
            message(
                "robust errors need to know which contests go together, in two groups or more.",
                hint='errors="independent" goes with published counts.',
            )
        )
    if errors != "auto":
        return errors
    clusters, several = counted.tally.clusters, len(counted.scored.coverage.datasets) > 1
    if clusters >= wins_checks.FEWEST:
        return "robust"
    if counted.clustered and several:
        raise DesignError(
            message(
                f"{count(clusters, 'data set')} with contests: those of a data set depend on each"
                f" other, and fewer than {wins_checks.FEWEST} do not show by how much.",
                hint=[
                    'errors="independent" ignores that: its errors are too small, and it says so;',
                    "compare_mixed and compare_permutation use the scores.",
                ],
            )
        )
    return "independent"


def _adjustment(arguments: dict[str, Any], *, robust: bool) -> str:
    """Return the adjustment for many pairs.

    Of D data sets robust errors have a covariance of rank D - 1 at most, whose largest statistic
    over all pairs does not follow the distribution of single-step tests.
    """
    asked = arguments["adjust"]
    if robust and asked in JOINT:
        raise DesignError(
            message(
                f"adjust={asked!r} needs the covariance of all pairs, which robust errors do not"
                " estimate well enough.",
                hint='adjust="holm" goes with robust errors.',
            )
        )
    return resolve(asked, arguments["contrasts"], arguments["alternative"], common=not robust)


def _flat(setting: Setting, family: Family, errors: Adjusted) -> "Check":
    """Name the pairs that the spread of data sets gives no error."""
    flat = without_spread(std_errors(family, errors), errors)
    return contrast_errors.without_error(flat, family.named_sides(setting.algorithms))


def _target(counted: Counted) -> "Target":
    """Return what claims are about: on one data set, this one."""
    several = counted.by == "published" or len(counted.scored.coverage.datasets) > 1
    return "domain" if several else "datasets"


def _levels(worth: Array, cov: Array, df: float, alpha: float) -> Level:
    """Return the log worths, each with an interval of its own, against the average one."""
    reach = tukey.critical_t(np.array([df]), alpha) * np.sqrt(np.maximum(cov.diagonal(), 0.0))
    return Level(worth, worth - reach, worth + reach)


def by_posterior(
    counted: Counted, arguments: dict[str, Any], progress: "Progress | None"
) -> WinsComparison:
    """Compare by a posterior.

    Parameters
    ----------
    counted
        The wins.
    arguments
        Of `compare_wins`.
    progress
        Told of the draws.
    """
    setting, level = told_as(counted, arguments["rope"]), arguments["level"]
    taken = counted.tally.taken(arguments["ties"])
    departures = arguments["departures"]
    model = WinModel(taken if departures else taken.total, arguments["priors"], departures)
    rng = np.random.default_rng(arguments["seed"])
    found = sampled(model, (arguments["chains"], arguments["draws"]), rng, progress)
    effects = found[0].log_worth
    levels = level_of(effects, 0.0, level)
    family = family_of(
        setting.algorithms, arguments["contrasts"], arguments["control"], levels.estimate
    )
    margin = setting.measure.margin
    posterior = concluded(found, family.matrix[family.wanted], margin, level)
    quasi = quasi_variances(np.cov(effects.reshape(-1, effects.shape[2]), rowvar=False))
    words = (
        f"Probabilities of {family.words} are those of one joint model, which draws the worths"
        " towards each other; none is adjusted for the number of pairs"
    )
    return WinsComparison(
        **_shared(
            counted, setting, family, arguments, _posterior_checks(counted, arguments, posterior)
        ),
        codes=codes_of(posterior.outcomes, level, settled=posterior.convergence.settled),
        levels=levels,
        provenance=_provenance(setting, arguments, words),
        evidence=_told(posterior, effects, family),
        quasi=quasi,
        errors="posterior",
        fit=None,
        bayes=posterior,
    )


def _posterior_checks(
    counted: Counted, arguments: dict[str, Any], posterior: WinPosterior
) -> "list[Check]":
    """Return the diagnostics of a posterior; what the likelihood says of it, where it can."""
    taken = counted.tally.taken(arguments["ties"])
    departures = arguments["departures"]
    fit = None
    if len(taken.groups()) == 1 and not taken.boundless():
        try:
            fit = fit_wins(taken)
        except FitError:
            fit = None
    return [
        *wins_checks.chains(posterior, departures=departures),
        *wins_checks.counts(counted, _target(counted), arguments["rope"]),
        *wins_checks.dependence(
            fit,
            counted,
            "departures" if departures else "independent",
            "departures=True allows for much of it",
        ),
        *wins_checks.goodness(taken, fit),
    ]


def _told(posterior: WinPosterior, effects: Array, family: Family) -> Evidence:
    """Return estimates and credible bounds; there are no tests."""
    outcome, matrix = posterior.outcomes, family.matrix[family.wanted]
    nothing = np.full(len(matrix), np.nan)
    return Evidence(
        estimate=outcome.estimate,
        std_error=(effects @ matrix.T).std(axis=(0, 1)),
        df=np.full(len(matrix), np.inf),
        statistic=nothing,
        p_value=nothing,
        p_raw=nothing,
        p_equivalence=nothing,
        low=outcome.low,
        high=outcome.high,
    )


def _shared(
    counted: Counted,
    setting: Setting,
    family: Family,
    arguments: dict[str, Any],
    checks: "list[Check]",
) -> dict[str, Any]:
    """Return what both ways of comparing have in common."""
    return {
        "setting": setting,
        "pairs": family.pairs[family.wanted],
        "level": arguments["level"],
        "target": _target(counted),
        "checks": tuple(checks),
        "sides": family.sides[family.wanted],
        "names": family.names[family.wanted],
        "counted": counted,
    }


def _provenance(setting: Setting, arguments: dict[str, Any], adjustment: str) -> Provenance:
    return Provenance(
        analysis="compare_wins",
        version=version.__version__,
        arguments=arguments,
        adjustment=adjustment,
        digest=setting.digest,
        seed=arguments.get("seed"),
    )
