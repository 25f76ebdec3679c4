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

from collections.abc import Sequence
from typing import Any, Literal, overload

from benchinfer.compare.bayes_asked import checked, completed
from benchinfer.compare.bayes_beside import Sensitivity
from benchinfer.compare.bayes_comparison import BayesComparison, Quantity
from benchinfer.compare.bayes_fit import Domains, Sampler, Structure
from benchinfer.compare.bayes_joint import compare_joint
from benchinfer.compare.bayes_pairs_comparison import BayesPairsComparison, PairQuantity, Preset
from benchinfer.compare.bayes_presets import compare_preset
from benchinfer.compare.bayes_rules import Rule
from benchinfer.compare.comparison import Target
from benchinfer.compare.contrasts import Contrasts, implied
from benchinfer.compare.responses import Likelihood
from benchinfer.numerics.bayes.gibbs import Interactions
from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.pseudo import PseudoObservation
from benchinfer.progress import Progress
from benchinfer.scores import ScoreTable


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
    rule: Rule = "threshold",
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
    rule: Rule = "threshold",
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
        covariates, likelihood, rule, target and sensitivity are then not to be chosen.
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
        What verdicts are about: ``"average"`` effects (the default) or the ``"next"`` data set.
        Both are in the result; see `BayesComparison.of`. With a preset ``"next"`` is the default,
        ``"dominant"`` decides as the papers do, by which outcome is the most probable one, and
        ``"average"`` is for ``"corani2017"`` only.
    rule
        What verdicts go by. ``"threshold"``: a probability of at least `level`. ``"regret"``: what
        a choice is expected to cost, against the tolerance. ``"vote"``: the share of draws in which
        an outcome is the most probable one, for ``quantity="next"``, as in Corani et al. (2017).
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
        diagnostics says so; `beside` has the answers. Each takes about a tenth of the time of the
        comparison, twice that with dozens of algorithms.
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
    equivalent, second better) has at least the probability `level`. By ``rule="regret"`` the first
    is better where choosing it among the two is expected to cost at most the tolerance and choosing
    the second more, and both are equivalent where neither costs more. If chains do not pass the
    gates (R-hat at most 1.01, effective sample sizes at least 400) they are run on, once.

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
    asked: dict[str, Any] = {
        "interactions": interactions,
        "structure": structure,
        "sampler": sampler,
        "domains": domains,
        "covariates": (covariates,) if isinstance(covariates, str) else tuple(covariates),
        "likelihood": likelihood,
        "trials": trials,
        "quantity": quantity,
        "rule": rule,
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
