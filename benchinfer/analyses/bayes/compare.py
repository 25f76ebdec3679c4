"""The function `compare_bayes`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args, overload

import numpy as np

from benchinfer.analyses.bayes.comparison import BayesComparison, Quantity
from benchinfer.analyses.bayes.fit import (
    Domains,
    Sampler,
    Structure,
    domain_level,
    fit,
    modelled,
    reduced,
)
from benchinfer.analyses.bayes.numerics.gibbs import Interactions
from benchinfer.analyses.bayes.numerics.priors import Priors, PseudoObservation
from benchinfer.analyses.bayes.pairwise.compare import compare_preset
from benchinfer.analyses.bayes.pairwise.comparison import BayesPairsComparison, PairQuantity, Preset
from benchinfer.analyses.bayes.posterior import compared
from benchinfer.analyses.bayes.responses.comparison import compare_responses
from benchinfer.analyses.bayes.responses.scores import Likelihood
from benchinfer.analyses.bayes.sensitivity import Sensitivity, with_other_models
from benchinfer.analyses.bayes.subgroups import read_along
from benchinfer.comparison import checks
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.contrasts import Contrasts, check_number, implied
from benchinfer.comparison.evidence import Setting, alpha_of
from benchinfer.core.arguments import check_count, seed_of
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.hints import Call, Either, Given, Option
from benchinfer.core.progress import Progress, reporting
from benchinfer.scores.table import ScoreTable

_FEWEST_CHAINS, _FEWEST_DRAWS = 4, 100
_DRAWS, _CHAINS = 1000, 8
_CHOICES = {
    "interactions": Interactions,
    "structure": Structure,
    "sampler": Sampler,
    "domains": Domains,
    "likelihood": Likelihood,
    "sensitivity": Sensitivity,
}


def checked(asked: Mapping[str, Any], preset: str | None) -> dict[str, Any]:
    """Return the arguments with a seed, once each is one that there is."""
    alpha_of(asked["level"])
    kinds = {**_CHOICES, "quantity": Quantity if preset is None else PairQuantity}
    for name, kind in kinds.items():
        value = asked[name]
        if value is not None and value not in (known := get_args(kind.__value__)):
            raise DesignError(unknown(name, value, known))
    if (draws := asked["draws"]) is not None:
        enough = f"an even number from {_FEWEST_DRAWS}."
        check_count("draws", draws, _FEWEST_DRAWS, enough, even=True)
    if (chains := asked["chains"]) is not None:
        enough = f"at least {_FEWEST_CHAINS}, to see whether chains agree."
        check_count("chains", chains, _FEWEST_CHAINS, enough)
    return {**asked, "seed": seed_of(asked["seed"])}


def completed(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a model of all algorithms, with its defaults."""
    if isinstance(asked["priors"], PseudoObservation):
        raise DesignError(
            message(
                f"a PseudoObservation is the prior of {Given('preset', 'signed-rank')} and"
                f" {Given('preset', 'sign')}.",
                hint=f"{Either('priors=Priors(...)', '--prior NAME=NUMBER')} are those of the"
                " model of all algorithms.",
            )
        )
    defaults = {
        "quantity": "average",
        "draws": _DRAWS,
        "chains": _CHAINS,
        "priors": Priors(),
    }
    missing = {name: value for name, value in defaults.items() if asked[name] is None}
    return {**asked, **missing}


def compare_joint(
    scores: "ScoreTable",
    measure: str | None,
    asked: Mapping[str, Any],
    progress: "Progress | bool | None",
) -> BayesComparison:
    """Compare all algorithms by one model."""
    setting, scores = Setting.of(scores, measure)
    check_number(setting.algorithms, asked["contrasts"], asked["control"])
    name, domains = setting.measure.name, asked["domains"]
    checks.check_missing(setting, asked["missing"])
    target = _target(setting, asked["target"], asked["quantity"])
    given = {"measure": name, **asked}
    if asked["likelihood"] != "normal":
        return compare_responses(scores, setting, target, given, progress)
    if asked["trials"] is not None:
        raise DesignError(
            message(
                f"{Option('trials', '')} goes with {Given('likelihood', 'binomial')}.",
                hint="ask for it, or leave it out.",
            )
        )
    rng = np.random.default_rng(asked["seed"])
    data = reduced(scores, setting)
    code = domain_level(setting, data) if domains == "random" else None
    along = read_along(scores, name, data, asked["covariates"])
    scaled = None if along is None else along.scaled
    kind = asked["interactions"], asked["structure"]
    model = modelled(data, *kind, asked["priors"], code, scaled)
    with reporting(progress=progress, doing="Sampling:") as told:
        fitted = fit(model, (asked["chains"], asked["draws"]), rng, told, asked["sampler"])
        result = compared(setting, fitted, scores.cells(name).mean, target, given, rng, along)
        if asked["sensitivity"] == "none":
            return result
        return with_other_models(result, scores, told)


def _target(setting: Setting, target: str, quantity: str) -> Target:
    """Return what averages are about; refuse what the table or the question does not bear."""
    if target not in (known := ("auto", "domain", "datasets")):
        raise DesignError(unknown("target", target, known))
    if len(setting.coverage.datasets) == 1:
        raise DesignError(
            message(
                "one data set says nothing about how algorithms vary between data sets.",
                hint=f"{Call('compare_pair')} compares two algorithms on one data set,"
                f" {Call('compare_mixed')} and {Call('compare_permutation')} any number;"
                " or add data sets.",
            )
        )
    if target == "datasets" and quantity == "next":
        raise DesignError(
            message(
                f"{Option('target', 'datasets')} is about these data sets,"
                f" {Option('quantity', 'next')} about another.",
                hint=f"{Option('target', 'domain')} goes with it.",
            )
        )
    checks.check_connected(setting)
    return "datasets" if target == "datasets" else "domain"


@overload
def compare_bayes(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    preset: None = None,
    interactions: Interactions = "t",
    structure: Structure = "auto",
    sampler: Sampler = "auto",
    domains: Domains = "pooled",
    covariates: str | Sequence[str] = (),
    likelihood: Likelihood = "normal",
    trials: str | None = None,
    quantity: Quantity | None = None,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    draws: int | None = None,
    chains: int | None = None,
    priors: Priors | None = None,
    sensitivity: Sensitivity = "none",
    seed: int | None = None,
    progress: Progress | bool | None = None,
) -> BayesComparison: ...


@overload
def compare_bayes(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    preset: Preset,
    quantity: PairQuantity | None = None,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    draws: int | None = None,
    chains: int | None = None,
    priors: PseudoObservation | None = None,
    seed: int | None = None,
    progress: Progress | bool | None = None,
) -> BayesPairsComparison: ...


def compare_bayes(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    preset: Preset | None = None,
    interactions: Interactions = "t",
    structure: Structure = "auto",
    sampler: Sampler = "auto",
    domains: Domains = "pooled",
    covariates: str | Sequence[str] = (),
    likelihood: Likelihood = "normal",
    trials: str | None = None,
    quantity: Quantity | PairQuantity | None = None,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    draws: int | None = None,
    chains: int | None = None,
    priors: Priors | PseudoObservation | None = None,
    sensitivity: Sensitivity = "none",
    seed: int | None = None,
    progress: Progress | bool | None = None,
) -> BayesComparison | BayesPairsComparison:
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
    preset
        A test of the literature for each pair by itself, in place of one model of all algorithms:
        ``"corani2017"`` (the hierarchical model of replicated differences with its published
        priors), ``"signed-rank"`` or ``"sign"`` (a Dirichlet process on the data sets' mean
        differences). Interactions, structure, sampler, domains,
        covariates, likelihood, target and sensitivity are then not to be chosen.
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
        How scores come about. ``"normal"``: about their effects, on the measure's scale.
        ``"binomial"``: right or wrong (rows of 0 and 1, with the item as replication where
        algorithms share items; or shares of `trials`), on the logit scale and by NUTS, with
        estimates and tolerance in the measure's own unit. See `ResponseComparison`.
    trials
        For ``"binomial"``: covariate with the number of trials that a score is the share of.
    quantity
        What verdicts are about: ``"average"`` effects (the default; those on a typical data set
        under t interactions) or the ``"next"`` data set.
        Both are in the result; see `BayesComparison.of`. With a preset ``"next"`` is the default,
        ``"dominant"`` decides as the papers do, by which outcome is the most probable one, and
        ``"average"`` is for ``"corani2017"`` only.
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
        Draws of each chain, 1,000 by default, after those for warming up, and number of chains, 8
        by default. ``"signed-rank"`` has 50,000 independent draws, ``"sign"`` none.
    priors
        `Priors`; by default weak ones relative to the spread of the algorithms. For
        ``"signed-rank"`` and ``"sign"`` a `PseudoObservation`.
    sensitivity
        ``"quick"`` also fits, by 1,600 draws each, the other interactions, data sets in units of
        their own spread, and the logit or log scale where scores have room on it. Where one of them
        calls another algorithm likeliest best, or decides a pair otherwise, a row of the
        diagnostics says so; `other_models` has the answers. Each takes about a tenth of the time of
        the comparison, twice that with dozens of algorithms.
    seed
        Any integer from 0 to 2^64 - 1; by default one is drawn and recorded. The same seed gives
        the same numbers to the last bit.
    progress
        True for a bar on standard error, in a terminal or a notebook, if sampling takes longer
        than a second; or what is called with a task, the sweeps just done, and their total.

    Returns
    -------
    BayesComparison
        With probabilities of the pairs' outcomes and of ranks, and the posterior. With a preset a
        `BayesPairsComparison`: each pair by itself, so that there are no ranks.

    Raises
    ------
    DesignError
        The table cannot answer the question: one data set, fewer than two algorithms, algorithms
        that share no data set with the others, scores that do not differ, or a covariate that is
        not one of data sets; or arguments do not go with the preset.

    Notes
    -----
    A pair is decided where one of its three outcomes (first better by more than the tolerance,
    equivalent, second better) has at least the probability `level`. If chains do not pass the
    gates (R-hat at most 1.01, effective sample sizes at least 400) they are run on, once.

    References
    ----------
    Benavoli, A., Corani, G., Demsar, J. & Zaffalon, M. (2017). Time for a change: a tutorial for
    comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning Research
    18(77), 1-36.

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
    asked: dict[str, Any] = {
        "interactions": interactions,
        "structure": structure,
        "sampler": sampler,
        "domains": domains,
        "covariates": (covariates,) if isinstance(covariates, str) else tuple(covariates),
        "likelihood": likelihood,
        "trials": trials,
        "quantity": quantity,
        "contrasts": implied(contrasts, control),
        "control": control,
        "target": target,
        "level": level,
        "missing": missing,
        "draws": draws,
        "chains": chains,
        "priors": priors,
        "sensitivity": sensitivity,
        "seed": seed,
    }
    asked = checked(asked, preset)
    if preset is not None:
        return compare_preset(scores, measure, preset, asked, progress)
    return compare_joint(scores, measure, completed(asked), progress)
