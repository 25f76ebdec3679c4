"""What is said of wins: rule, formula, method, and what claims are about."""

from typing import TYPE_CHECKING

from benchinfer.compare.phrases import count

if TYPE_CHECKING:
    from benchinfer.compare.wins_comparison import WinsComparison

_TIES = {
    "davidson": "ties were modelled with a parameter of their own (Davidson)",
    "half": "a tie counted as half a win for each side",
    "drop": "ties were left out",
}
SIZES = (
    "Wins say how often an algorithm is better, not by how much: small differences count like large"
    " ones"
)


def region(result: "WinsComparison") -> str:
    """Say which probabilities of winning do not matter."""
    return f"between {0.5 - result.rope:g} and {0.5 + result.rope:g}"


def rule(result: "WinsComparison") -> str:
    """Say how evidence becomes verdicts."""
    share = f"{100 * result.level:g} %"
    if result.bayes is not None:
        if result.rope == 0:
            return (
                "A pair is decided when the posterior probability that one wins more often than it"
                f" loses is at least {share}, and undecided otherwise. No region of equivalence is"
                " set."
            )
        return (
            "A pair is decided when the posterior probability that one wins with a probability"
            f" above {0.5 + result.rope:g} is at least {share}; it is equivalent when the"
            f" probability that this lies {region(result)} is at least {share}; otherwise it is"
            " undecided."
        )
    alpha = f"{100 * result.alpha:.3g} %"
    test = "adjusted p-value"
    if result.alternative != "two-sided":
        side = "more" if result.alternative == "better" else "less"
        test = f"adjusted one-sided p-value, that first wins {side} often than it loses,"
    decided = f"decided when the {test} of its odds is at most {alpha}"
    if result.rope == 0:
        return f"A pair is {decided}, and undecided otherwise. No region of equivalence is set."
    return (
        "A pair is equivalent when the adjusted test that the probability of winning lies"
        f" {region(result)} rejects at {alpha}; otherwise it is {decided}; otherwise it is"
        " undecided."
    )


def formula(result: "WinsComparison") -> str:
    """Write the model in one line."""
    own = " + departure of the data set" if result.departures else ""
    odds = f"log odds that first wins = log worth(first) - log worth(second){own}"
    return f"{odds}; P(tie) ~ nu sqrt(P(first) P(second))" if result.modelled_ties else odds


def scope(result: "WinsComparison") -> str:
    """Say what claims are about."""
    if result.counted.by == "published":
        return "by wins as published"
    d = len(result.setting.coverage.datasets)
    if d == 1:
        return f"by wins on replications of the data set {result.setting.coverage.datasets[0]}"
    what = "data sets" if result.counted.by == "datasets" else "replications"
    return f"by wins on {what} of the domain that the {d} data sets stand for"


def counting(result: "WinsComparison") -> str:
    """Say what was counted, and what a tie is."""
    total = result.counted.tally.total
    n = int(total.n.sum())
    by = {
        "datasets": "on the means of each data set with scores of both",
        "replications": "on each replication with scores of both",
        "published": "as published",
    }[result.counted.by]
    measure = result.counted.scored.measure
    return (
        f"Wins by {measure.name} ({measure.better} is better) were counted for each pair {by}:"
        f" {count(n, 'contest')}, of which {total.ties.sum():g} ties; {result.counted.ties}"
    )


def model(result: "WinsComparison") -> str:
    """Say which model was fitted, and how."""
    ties = _TIES[str(result.provenance.arguments["ties"])]
    ties = f"; {ties}" if result.counted.tally.ties.sum() else ""
    if result.bayes is None:
        how = "penalised maximum likelihood (Firth)" if result.penalised else "maximum likelihood"
        errors = {
            "robust": "errors are from the spread of data sets (sandwich), as contests of a data"
            f" set depend on each other, with {count(result.clusters - 1, 'degree')} of freedom",
            "independent": "errors take all contests as independent",
        }[result.errors]
        return f"A Bradley-Terry model was fitted by {how}{ties}; {errors}"
    settled = result.bayes.convergence
    chains, draws, _ = result.bayes.draws.log_worth.shape
    own = (
        ", with worths of each data set that depart from the common ones"
        if (result.departures)
        else ", all contests taken as independent given the worths"
    )
    return (
        f"A Bayesian Bradley-Terry model was fitted{own}{ties}. The posterior was sampled by"
        f" Hamiltonian Monte Carlo ({chains} chains of {draws:,} draws, seed"
        f" {result.provenance.seed}; largest R-hat"
        f" {max(settled.r_hat, settled.r_hat_effects):.3f})"
    )


def method(result: "WinsComparison") -> str:
    """Say what was done, in sentences for a methods section."""
    adjusted = result.provenance.adjustment
    return f"{counting(result)}. {model(result)}. {adjusted}. {SIZES}."
