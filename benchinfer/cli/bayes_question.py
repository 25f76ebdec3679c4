"""What `compare bayes` can be asked: its options, and what they mean as arguments."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.question import Contrasted, Seed, Target, checked, open_unit, wrong

if TYPE_CHECKING:
    from benchinfer.numerics.bayes.priors import Priors

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
Quantity = Annotated[
    Literal["average", "next"],
    typer.Option(help="What verdicts are about: differences on average, or on the next data set."),
]
Rule = Annotated[
    Literal["threshold", "regret", "vote"],
    typer.Option(
        help="What verdicts go by: a probability of at least the level, what a choice is expected"
        " to cost, or a vote of the draws."
    ),
]
Sensitivity = Annotated[
    Literal["none", "quick"],
    typer.Option(
        help="Also fit the other interactions and other scales by few draws (quick), and say where"
        " they answer otherwise."
    ),
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
    rule: Rule = "threshold"
    target: Target = "auto"
    prior: Prior = None
    draws: Draws = 1000
    chains: Chains = 8
    sampler: Sampler = "auto"
    domains: Domains = "pooled"
    sensitivity: Sensitivity = "quick"
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
            "quantity": self.quantity,
            "rule": self.rule,
            "target": self.target,
            "draws": self.draws,
            "chains": self.chains,
            "priors": None if self.prior is None else _priors(self.prior),
            "sensitivity": self.sensitivity,
            "seed": self.seed,
            "progress": True,
            # Zero-argument super() does not work in a slotted dataclass.
            **Contrasted.shared(self),
        }


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
