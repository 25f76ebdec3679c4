"""Words about a hierarchical Bayesian comparison: its rule, model, method and scope."""

from typing import TYPE_CHECKING

from benchinfer.compare import wording
from benchinfer.compare.bayes_rules import in_unit
from benchinfer.compare.phrases import count, join

if TYPE_CHECKING:
    from benchinfer.compare.bayes_comparison import BayesComparison

_STRUCTURES = {
    "common": "one variance of the interactions for all pairs",
    "unstructured": "an unstructured covariance of the interactions with estimated shrinkage",
}
# Verdicts that are no claims of probability say so.
_DECIDED = {"threshold": "", "regret": ", by expected regret", "vote": ", by a vote of the draws"}
_SAMPLERS = {"nuts": "NUTS (PyMC, nutpie)"}


def rule(result: "BayesComparison") -> str:
    """Say by which rule pairs are decided."""
    share = f"at least {100 * result.level:g} %"
    where = "on the next data set" if result.quantity == "next" else result.average_words
    if result.decision == "regret":
        return (
            f"A pair is decided when choosing its better algorithm is expected to cost {where} at"
            f" most {wording.margin(result.measure)}, and choosing the other one more; it is"
            " equivalent when either choice is expected to cost no more than that; otherwise it is"
            f" undecided. Costs are cut off at {_cap(result)}."
        )
    if result.decision == "vote":
        return (
            "A pair is decided, or equivalent, when that outcome is the most probable one on the"
            f" next data set, and is so in {share} of the posterior draws. This is a vote of the"
            " draws, not a probability of the outcome; otherwise it is undecided."
        )
    if result.measure.tolerance == 0:
        return (
            f"A pair is decided when the posterior probability that one is better {where} is"
            f" {share}, and undecided otherwise. No tolerance is set, so no pair can be called"
            " equivalent."
        )
    return (
        f"A pair is decided when the posterior probability that one is better {where} by more"
        f" than {wording.margin(result.measure)} is {share}; it is equivalent when the"
        f" probability that they differ by no more than that is {share}; otherwise it is"
        " undecided."
    )


def _cap(result: "BayesComparison") -> str:
    """Say what regrets are cut off at."""
    cap = float(in_unit(result.measure, result.regret.cap))
    unit = f" {result.measure.unit}" if result.measure.unit else ""
    relative = {"identity": unit, "log": " (relative)", "logit": " log-odds"}[result.measure.scale]
    return f"{cap:.3g}{relative}"


def formula(result: "BayesComparison") -> str:
    """Write the model in one line."""
    kind = "t" if result.interactions == "t" else "normal"
    within = "" if result.domain is None else " domain:algorithm +"
    if result.along is not None:
        within += "".join(f" algorithm:{name} +" for name in result.along.names)
    return (
        f"score = data set + replication + algorithm +{within} interaction + residual;"
        f" interaction ~ {kind}, {result.structure} covariance"
    )


def method(result: "BayesComparison") -> str:
    """Say what was done, in sentences for a methods section."""
    given = result.provenance.arguments
    domains = ""
    if result.domain is not None:
        n = count(len(set(result.setting.domains)), "domain")
        domains = f" The effects depart from their average in each of {n}."
    if result.along is not None:
        domains += (
            f" Effects had slopes along {join(list(result.along.names))} of the data sets, centred"
            " and scaled."
        )
    sampler = _SAMPLERS.get(str(given["sampler"]), "Gibbs sampling")
    chains, draws, _ = result.draws.effects.shape
    scale = "" if result.measure.scale == "identity" else f" on the {result.measure.scale} scale"
    tails = (
        "multivariate t interactions, under which unusual data sets count less,"
        if result.interactions == "t"
        else "normal interactions, under which every data set counts fully,"
    )
    return (
        f"The scores of {result.measure.name}{scale} on"
        f" {count(len(result.data.z), 'data set')} were compared by a hierarchical Bayesian"
        f" model of the algorithms' effects with {tails} and {_STRUCTURES[result.structure]},"
        f" and a residual variance of each data set.{domains} Scores entered by"
        " least-squares contrasts and residuals, which are sufficient. The posterior was"
        f" sampled by {sampler}"
        f" ({chains} chains of {draws:,} draws, seed {given['seed']}; largest R-hat"
        f" {max(result.convergence.r_hat, result.convergence.r_hat_effects):.3f})."
        f" {result.provenance.adjustment}."
    )


def scope(result: "BayesComparison") -> str:
    """Return what the claims are about, in words."""
    domains = "pooled" if result.domain is None else "random"
    domains = "one" if result.about else domains
    over = wording.TYPICAL if result.typical else wording.AVERAGE
    if result.quantity == "next":
        over = "on the next data set of"
    where = wording.scope(result.setting, result.target, domains, over)
    if result.along is not None and result.target == "domain":
        where = f"{where}, {result.along.place}"
    if result.about:
        where = f"{where}, {result.about}"
    return where + _DECIDED[result.decision]


def rests_on(result: "BayesComparison") -> list[str]:
    """Return the modules and functions used whose docstrings name their sources."""
    numerics = ("gibbs", "slices", "residual_scales", "outcomes", "regret")
    names = ["benchinfer.compare.bayes", "benchinfer.compare.convergence"]
    names += [f"benchinfer.numerics.bayes.{name}" for name in numerics]
    if result.structure == "unstructured":
        names.append("benchinfer.numerics.bayes.covariance")
    if result.domain is not None:
        names.append("benchinfer.numerics.bayes.domains")
    if result.provenance.arguments["sampler"] == "nuts":
        names.append("benchinfer.compare.nuts")
    if result.setting.resampling is not None and result.setting.resampling.overlap:
        names.append("benchinfer.numerics.bayes.reduction:reduce_contrasts")
    return names
