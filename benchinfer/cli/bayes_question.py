"""What `compare bayes` can be asked: its options, and what they mean as arguments."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.question import Contrasted, Seed, Target, checked, open_unit, wrong

if TYPE_CHECKING:
    from benchinfer.numerics.bayes.priors import Priors
    from benchinfer.scores import ScoreTable

Interactions = Annotated[
    Literal["t", "normal"],
    typer.Option(help="Unusual data sets count less (t), or every data set fully (normal)."),
]
Structure = Annotated[
    Literal["auto", "common", "unstructured"],
    typer.Option(
        help="Covariance between data sets: one variance for all pairs, or any; auto:"
        " unstructured for three algorithms or more."
    ),
]
Sampler = Annotated[
    Literal["auto", "gibbs", "nuts"],
    typer.Option(help="How the posterior is sampled; nuts compiles the model first (a minute)."),
]
Domains = Annotated[
    Literal["pooled", "random"],
    typer.Option(help="Domains of the data sets: taken as one, or as a sample of domains."),
]
Covariate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Give each algorithm a slope along this covariate of data sets. Once per covariate.",
    ),
]
Likelihood = Annotated[
    Literal["normal", "binomial", "beta", "logit-normal"],
    typer.Option(
        help="How scores come about; all but normal are for scores between 0 and 1 (binomial: right"
        " or wrong) and compile the model first (a minute)."
    ),
]
Trials = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Covariate with the number of trials that a score is the share of; for binomial.",
        show_default=False,
    ),
]
Quantity = Annotated[
    Literal["average", "next"],
    typer.Option(help="What verdicts are about: differences on average, or on the next data set."),
]
Draws = Annotated[
    int, typer.Option(metavar="INTEGER", min=100, help="Draws of each chain; an even number.")
]
Chains = Annotated[int, typer.Option(metavar="INTEGER", min=4, help="Number of chains.")]
Level = Annotated[
    float,
    typer.Option(
        metavar="NUMBER",
        callback=open_unit,
        help="Probability that a verdict takes, and of the credible intervals.",
    ),
]
Prior = Annotated[
    list[str] | None,
    typer.Option(
        "--prior",
        metavar="NAME=NUMBER",
        help="A prior other than the default, such as effect_sd=1; once per prior.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class BayesQuestion(Contrasted):
    """What is asked of a hierarchical model, as typed; the fields are options of the command."""

    level: Level = 0.95
    interactions: Interactions = "t"
    structure: Structure = "auto"
    quantity: Quantity = "average"
    target: Target = "auto"
    prior: Prior = None
    draws: Draws = 1000
    chains: Chains = 8
    sampler: Sampler = "auto"
    domains: Domains = "pooled"
    covariate: Covariate = None
    likelihood: Likelihood = "normal"
    trials: Trials = None
    seed: Seed = None

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_bayes`; one data set by itself has no model."""
        del each
        if self.quantity == "next" and self.target == "datasets":
            raise wrong("--quantity", "next goes without --target datasets.")
        return {
            "interactions": self.interactions,
            "structure": self.structure,
            "sampler": self.sampler,
            "domains": self.domains,
            "covariates": tuple(self.covariate or ()),
            "likelihood": self.likelihood,
            "trials": self.trials,
            "quantity": self.quantity,
            "target": self.target,
            "draws": self.draws,
            "chains": self.chains,
            "priors": None if self.prior is None else _priors(self.prior),
            "seed": self.seed,
            "progress": True,
            # Zero-argument super() does not work in a slotted dataclass.
            **Contrasted.shared(self),
        }

    def check_names(self, scores: "ScoreTable") -> None:
        """Find the algorithms and covariates that are named; a wrong name is wrong usage."""
        from benchinfer.compare.fitted import known_covariates

        if self.trials is not None and self.likelihood != "binomial":
            raise wrong("--trials", "goes with --likelihood binomial.")
        for option, names in (
            ("--covariate", tuple(self.covariate or ())),
            ("--trials", () if self.trials is None else (self.trials,)),
        ):
            checked(option, known_covariates, scores, names)
        Contrasted.check_names(self, scores)


def _priors(texts: list[str]) -> "Priors":
    """Read NAME=NUMBER."""
    from benchinfer.numerics.bayes.priors import Priors

    known = [field.name for field in fields(Priors)]
    given: dict[str, float] = {}
    for text in texts:
        name, _, number = (part.strip() for part in text.partition("="))
        if name not in known:
            raise wrong("--prior", f"{text!r} is not NAME=NUMBER with one of {', '.join(known)}.")
        try:
            given[name] = float(number)
        except ValueError:
            raise wrong("--prior", f"{number!r} in {text!r} is no number.") from None
    return checked("--prior", Priors, **given)
