"""The function `compare_bayes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from benchinfer.analyses.bayes.comparison import BayesComparison, compare_fit
from benchinfer.analyses.bayes.fit import (
    Domains,
    Structure,
    dataset_means,
    domain_level,
    fit,
    modelled,
    reduced,
)
from benchinfer.analyses.bayes.numerics.gibbs import Interactions
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.options import (
    BayesOptions,
    Likelihood,
    Quantity,
    Sensitivity,
)
from benchinfer.analyses.bayes.responses.comparison import compare_responses
from benchinfer.analyses.bayes.sensitivity import with_other_models
from benchinfer.analyses.bayes.subgroups import read_along
from benchinfer.comparison.checks import validation
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.contrasts import Contrasts
from benchinfer.comparison.evidence import Scores, Setting
from benchinfer.core.arguments import checked, names_of, seed_of
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.progress import Progress, reporting

# Share of data sets on which a pair ties at the limit, beyond which t interactions are refused.
_TIED = 0.05


def compare_joint(
    scores: Scores, options: BayesOptions, *, progress: Progress | bool | None
) -> BayesComparison:
    """Compare all algorithms by one model."""
    setting, scores = Setting.of(scores, options.measure)
    name = setting.measure.name
    options = replace(options.completed(), measure=name)
    options.check_family(setting.algorithms)
    validation.check_missing(setting, options.missing)
    if len(setting.coverage.datasets) == 1:
        raise DesignError(
            "one data set says nothing about how algorithms vary between data sets.",
            hint="compare_pair compares two algorithms on one data set, compare_mixed and"
            " compare_permutation any number; or add data sets.",
        )
    validation.check_connected(setting)
    if options.likelihood == "normal" and options.interactions == "t":
        _check_ties_at_limit(setting)
    target = "datasets" if options.target == "datasets" else "domain"
    if target == "datasets":
        validation.overlap_share(setting)  # raises where it is not known
    if options.likelihood != "normal":
        return compare_responses(scores, setting, target, options, progress=progress)
    rng = np.random.default_rng(options.seed)
    data = reduced(scores, setting)
    code = domain_level(setting, data) if options.domains == "random" else None
    along = read_along(scores, name, data, options.covariates)
    scaled = None if along is None else along.scaled
    means = dataset_means(scores, setting, data, target)
    kind = options.interactions, options.structure
    model = modelled(data, *kind, options.model_priors, code, scaled, means)
    with reporting(progress=progress, doing="Sampling:") as callback:
        fitted = fit(model, options.size, rng, callback)
        result = compare_fit(setting, fitted, target, options, rng, along)
        if setting.zero_one:
            observed = np.nanmean(scores.cells(setting.measure.name).mean, axis=0)
            result = replace(result, levels=result.levels.modelled(observed))
        if options.sensitivity == "none":
            return result
        return with_other_models(result, scores, callback, compare_fit)


def _check_ties_at_limit(setting: Setting) -> None:
    """Raise a DesignError where two algorithms were stopped at the limit on too many data sets."""
    if (held := setting.stopped) is None:
        return
    always = (held.cells == 1).astype(float)
    both = always.T @ always
    np.fill_diagonal(both, 0)
    n = int(both.max())
    if n > _TIED * len(always):
        i, j = (setting.algorithms[k] for k in np.unravel_index(both.argmax(), both.shape))
        raise DesignError(
            f"{i} and {j} were both stopped at the limit on {n} of"
            f" {count(len(always), 'data set')}: differences of exactly 0, which interactions='t'"
            " takes for those of a typical data set.",
            hint='interactions="normal" models mean times up to the limit, as'
            " compare_mixed does;"
            " scores.solved() with"
            ' likelihood="binomial" models shares solved.',
        )


@checked
def compare_bayes(
    scores: Scores,
    measure: str | None = None,
    *,
    interactions: Interactions = "t",
    structure: Structure = "auto",
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
    seed: int | None = 1,
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
        Distribution of the interactions: ``"t"``, under which unusual data sets count less, or
        ``"normal"``, under which every data set counts fully.

        With ``"t"`` it is multivariate t with estimated degrees of freedom, and mu is the effect on
        a typical data set. They answer different questions where some data sets are unusual.
    structure
        Covariance of the interactions: ``"common"``, one variance for all pairs, or any
        (``"unstructured"``). ``"auto"``: unstructured for three algorithms or more.

        The unstructured covariance is shrunk to the common one as far as the data sets ask for it;
        near-duplicates need it.
    domains
        Domains of the data sets, if the table names them: taken as one (``"pooled"``), or as a
        sample of domains (``"random"``).

        With ``"random"``, of at least three domains, algorithms have effects of their own in each,
        shrunk to the average over domains. The next data set is then one of a new domain;
        `BayesComparison.by_domain` compares in each and in a new one.
    covariates
        Names of covariates of the data sets, along which each algorithm has a slope.

        The comparison is at their means, and the next data set one with these;
        `BayesComparison.at` compares at other values, `BayesComparison.slopes` compares the slopes.
    likelihood
        Distribution of the scores: ``"normal"``, or ``"binomial"`` for right or wrong.

        Normal scores are about their effects, on the measure's scale. Binomial ones are rows of 0
        and 1, with the item as replication where algorithms share items, or shares of `trials`, on
        the logit scale and by NUTS, with estimates and tolerance in the measure's own unit. See
        `ResponseComparison`.
    trials
        Covariate with the number of trials that a score is the share of; for ``"binomial"``.
    quantity
        Quantity of the verdicts: the ``"average"`` effects (the default; those on a typical data
        set under t interactions), or the ``"next"`` data set.

        Both are in the result; see `BayesComparison.of`.
    contrasts, control
        As in `compare_mixed`.
    target
        Subject of claims on average: the ``"domain"`` of the data sets, which ``"auto"`` is, or the
        average over these ``"datasets"``.
    level
        Probability that a verdict takes, and of the credible intervals.
    missing
        Cells that lack scores: ``"use"`` the scores that are there, or ``"error"``.
    draws
        Draws of each chain after those for warming up, an even number; 1,000 by default.
    chains
        Number of chains, 8 by default.
    priors
        Priors other than the default ones, which are weak relative to the spread of the algorithms:
        ``effect_scale``, ``effect_sd``, ``interaction_scale``, ``tail_shape``, ``tail_rate``,
        ``shrinkage_median``, ``shrinkage_sd``, ``residual_sd``, ``residual_spread``,
        ``domain_scale``, ``slope_sd``, ``level_sd``, ``level_scale`` or ``item_scale``.

        `Priors` holds them.
    sensitivity
        Fits of other models by few draws (``"quick"``), to say where they answer otherwise.

        These are the other interactions, data sets in units of their own spread, and the logit or
        log scale where scores have room on it, by 1,600 draws each. Where one of them calls another
        algorithm likeliest best, or decides a pair otherwise, a row of the diagnostics says so;
        `other_models` has the answers. Each takes about a tenth of the time of the comparison,
        twice that with dozens of algorithms.
    seed
        As in `compare_bootstrap`.

        The same seed gives the same numbers to the last bit.
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
    A pair is decided where one direction (better by more than the tolerance) has a probability
    above (1 + `level`) / 2, so that the interval says the same, and equivalent where that has at
    least `level`. If chains do not pass the gates (R-hat at most 1.01, effective sample sizes at
    least 400) they are run on, once. `compare_bayes_pairs` has the published tests of each pair by
    itself.

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
    2     C4.5+m        0.3
    3  C4.5+m+cf        0.6
    """
    options = BayesOptions(
        measure=measure,
        interactions=interactions,
        structure=structure,
        domains=domains,
        covariates=names_of(covariates),
        likelihood=likelihood,
        trials=trials,
        quantity=quantity,
        contrasts=contrasts,
        control=control,
        target=target,
        level=level,
        missing=missing,
        draws=draws,
        chains=chains,
        priors=priors,
        sensitivity=sensitivity,
        seed=seed_of(seed),
    )
    options.check_size()
    return compare_joint(scores, options, progress=progress)
