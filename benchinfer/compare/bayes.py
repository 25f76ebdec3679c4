"""Hierarchical Bayesian models of scores: which algorithm is best, and how sure we are.

References
----------
Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison of
classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
https://doi.org/10.1007/s10994-017-5641-9

Benavoli, A., Corani, G., Demsar, J. & Zaffalon, M. (2017). Time for a change: a tutorial for
comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning Research
18(77), 1-36.
"""

import secrets
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from benchinfer.compare import designs
from benchinfer.compare.bayes_comparison import BayesComparison, Quantity
from benchinfer.compare.bayes_covariates import read_along
from benchinfer.compare.bayes_fit import (
    Domains,
    Sampler,
    Structure,
    domain_level,
    fit,
    modelled,
    reduced,
)
from benchinfer.compare.comparison import Target
from benchinfer.compare.contrasts import Contrasts
from benchinfer.compare.evidence import Setting, alpha_of
from benchinfer.compare.posterior import compared
from benchinfer.compare.response_compared import compare_responses
from benchinfer.compare.responses import Likelihood
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.bayes.gibbs import Interactions
from benchinfer.numerics.bayes.priors import Priors
from benchinfer.progress import Progress, reporting
from benchinfer.scores import ScoreTable

_FEWEST_CHAINS, _FEWEST_DRAWS = 4, 100


def compare_bayes(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    interactions: Interactions = "t",
    structure: Structure = "auto",
    sampler: Sampler = "auto",
    domains: Domains = "pooled",
    covariates: str | Sequence[str] = (),
    likelihood: Likelihood = "normal",
    trials: str | None = None,
    quantity: Quantity = "average",
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    draws: int = 1000,
    chains: int = 8,
    priors: Priors | None = None,
    seed: int | None = None,
    progress: Progress | bool | None = None,
) -> BayesComparison:
    """Compare algorithms by a hierarchical Bayesian model of all of them.

    On data set m algorithm k has the effect ``mu_k + a_mk``. The average effects mu are what most
    questions are about; the interactions a say how far the next data set can be from the average.
    Replications, shared or not, missing or not, enter by sufficient statistics, exactly.

    Parameters
    ----------
    scores
        The table, of at least two data sets; cells may be missing.
    measure
        Name of the measure; may be omitted where there is one.
    interactions
        ``"t"``: multivariate t with estimated degrees of freedom, so that unusual data sets count
        less and mu is that of a typical data set. ``"normal"``: every data set counts fully. They
        answer different questions where some data sets are unusual.
    structure
        Covariance of the interactions. ``"common"``: all pairs of algorithms vary alike between
        data sets. ``"unstructured"``: any covariance, drawn to the common one as far as the data
        sets ask for it; near-duplicates need it. ``"auto"``: unstructured for three algorithms or
        more.
    sampler
        ``"gibbs"``, which ``"auto"`` is, or ``"nuts"``: the same posterior by PyMC and nutpie,
        which compile it first (about a minute the first time).
    domains
        Domains of the data sets, if the table names them: ``"pooled"`` takes them as one,
        ``"random"`` as a sample of at least three domains, in each of which algorithms have effects
        of their own, drawn to the average over domains. The next data set is then one of a new
        domain; `BayesComparison.by_domain` compares in each and in a new one.
    covariates
        Names of covariates of the data sets: each algorithm has a slope along them. The comparison
        is at their means, and the next data set one with these; `BayesComparison.at` compares at
        other values, `BayesComparison.slopes` compares the slopes.
    likelihood
        How scores come about. ``"normal"``: about their effects, on the measure's scale. For scores
        between 0 and 1, on the logit scale and by NUTS, with estimates and tolerance in the
        measure's own unit: ``"binomial"`` for right or wrong (rows of 0 and 1, with the item as
        replication where algorithms share items; or shares of `trials`), ``"beta"`` or
        ``"logit-normal"`` for others, which may not be 0 or 1. See `ResponseComparison`.
    trials
        For ``"binomial"``: covariate with the number of trials that a score is the share of.
    quantity
        What verdicts are about: ``"average"`` effects or the ``"next"`` data set. Both are in the
        result; see `BayesComparison.of`.
    contrasts, control
        As in `compare_mixed`.
    target
        What claims on average are about: ``"domain"``, or ``"datasets"``, the average over these
        data sets. ``"auto"``: the domain.
    level
        Probability that a verdict takes, and of the credible intervals.
    missing
        ``"use"`` the scores that are there, or ``"error"`` where a cell lacks some.
    draws, chains
        Draws of each chain, after 500 for warming up, and number of chains.
    priors
        `Priors`; by default weak ones relative to the spread of the algorithms.
    seed
        Any integer from 0 to 2^64 - 1; by default one is drawn and recorded. The same seed gives
        the same numbers to the last bit.
    progress
        True for a bar on standard error, in a terminal or a notebook, if sampling takes longer
        than a second; or what is called with a task, the sweeps just done, and their total.

    Returns
    -------
    BayesComparison
        With probabilities of the pairs' outcomes and of ranks, and the posterior.

    Raises
    ------
    DesignError
        The table cannot answer the question: one data set, fewer than two algorithms, algorithms
        that share no data set with the others, scores that do not differ, or a covariate that is
        not one of data sets.

    Notes
    -----
    A pair is decided where one of its three outcomes (first better by more than the tolerance,
    equivalent, second better) has at least the probability `level`. If chains do not pass the gates
    (R-hat at most 1.01, effective sample sizes at least 400) they are run on, once.

    References
    ----------
    Corani et al. (2017), https://doi.org/10.1007/s10994-017-5641-9

    Examples
    --------
    >>> import benchinfer as bi
    >>> found = compare_bayes(bi.load_example("demsar2006"), draws=200, seed=1)
    >>> found.summary()[["algorithm", "prob_best"]].round(1)
       algorithm  prob_best
    0       C4.5        0.0
    1    C4.5+cf        0.0
    2     C4.5+m        0.2
    3  C4.5+m+cf        0.8
    """
    alpha_of(level)
    for name, value, kind in (
        ("interactions", interactions, Interactions),
        ("structure", structure, Structure),
        ("sampler", sampler, Sampler),
        ("domains", domains, Domains),
        ("quantity", quantity, Quantity),
        ("likelihood", likelihood, Likelihood),
    ):
        if value not in (known := get_args(kind.__value__)):
            raise DesignError(unknown(name, value, known))
    seed = _check_numbers(draws, chains, seed)
    setting, scores = Setting.of(scores, measure)
    designs.check_missing(setting, missing)
    names = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    resolved = _target(setting, target, quantity)
    arguments = {
        "measure": setting.measure.name,
        "interactions": interactions,
        "structure": structure,
        "sampler": sampler,
        "domains": domains,
        "covariates": names,
        "likelihood": likelihood,
        "trials": trials,
        "quantity": quantity,
        "contrasts": contrasts,
        "control": control,
        "target": target,
        "level": level,
        "missing": missing,
        "draws": draws,
        "chains": chains,
        "priors": priors or Priors(),
        "seed": seed,
    }
    if likelihood != "normal":
        return compare_responses(scores, setting, resolved, arguments, progress)
    if trials is not None:
        raise DesignError(message("trials= goes with likelihood='binomial'.", hint="ask for it."))
    rng = np.random.default_rng(seed)
    data = reduced(scores, setting)
    code = domain_level(setting, data) if domains == "random" else None
    along = read_along(scores, setting.measure.name, data, names)
    scaled = None if along is None else along.scaled
    model = modelled(data, interactions, structure, priors or Priors(), code, scaled)
    with reporting(progress=progress, doing="Sampling:") as told:
        fitted = fit(model, (chains, draws), rng, told, sampler)
    means = scores.cells(setting.measure.name).mean
    return compared(setting, fitted, means, resolved, arguments, rng, along)


def _target(setting: Setting, target: str, quantity: str) -> Target:
    """Return what averages are about; refuse what the table or the question does not bear."""
    if target not in (known := ("auto", "domain", "datasets")):
        raise DesignError(unknown("target", target, known))
    if len(setting.coverage.datasets) == 1:
        raise DesignError(
            message(
                "one data set says nothing about how algorithms vary between data sets.",
                hint="compare_mixed and compare_permutation compare on one data set; or add"
                " data sets.",
            )
        )
    if target == "datasets" and quantity == "next":
        raise DesignError(
            message(
                'target="datasets" is about these data sets, quantity="next" about another.',
                hint='target="domain" goes with it.',
            )
        )
    designs.check_connected(setting)
    return "datasets" if target == "datasets" else "domain"


def _check_numbers(draws: int, chains: int, seed: int | None) -> int:
    """Check the size of the sample, and return the seed or draw one."""
    if draws < _FEWEST_DRAWS or draws % 2:
        raise DesignError(
            message(f"draws is {draws!r}.", hint=f"an even number from {_FEWEST_DRAWS}.")
        )
    if chains < _FEWEST_CHAINS:
        raise DesignError(
            message(
                f"chains is {chains!r}.",
                hint=f"at least {_FEWEST_CHAINS}, to see whether chains agree.",
            )
        )
    if seed is None:
        return secrets.randbits(32)
    if not 0 <= seed < 2**64:
        raise DesignError(message(f"seed is {seed!r}.", hint="an integer from 0 to 2^64 - 1."))
    return int(seed)
