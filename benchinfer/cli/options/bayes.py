"""Command-line options of `compare bayes`."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.options.tests import Contrasted, Seed, Target, checked, open_unit, wrong

if TYPE_CHECKING:
    from benchinfer.analyses.bayes.numerics.priors import Priors, PseudoObservation
    from benchinfer.scores.table import ScoreTable


Preset = Annotated[
    Literal["corani2017", "signed-rank", "sign"] | None,
    typer.Option(
        help="A test of the literature for each pair by itself, in place of one model of all.",
        show_default=False,
    ),
]
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
    Literal["normal", "binomial"],
    typer.Option(
        help="How scores come about; binomial is for right or wrong, and compiles the model first"
        " (a minute)."
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
    Literal["average", "next", "dominant"] | None,
    typer.Option(
        help="What verdicts are about: differences on average (the default), or on the next data"
        " set (the default with --preset), or, as papers decide, the most probable outcome"
        " (--preset only).",
        show_default=False,
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
    int | None,
    typer.Option(
        metavar="INTEGER",
        min=100,
        help="Draws of each chain; an even number. 1000 by default, signed-rank 50000 in all.",
        show_default=False,
    ),
]
Chains = Annotated[
    int | None,
    typer.Option(
        metavar="INTEGER", min=4, help="Number of chains, 8 by default.", show_default=False
    ),
]
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
        help="A prior other than the default, such as effect_sd=1; once per prior. For signed-rank"
        " and sign: strength=0.6, place=first.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class BayesQuestion(Contrasted):
    """Options of `compare bayes`, as typed."""

    level: Level = 0.95
    preset: Preset = None
    interactions: Interactions = "t"
    structure: Structure = "auto"
    quantity: Quantity = None
    target: Target = "auto"
    prior: Prior = None
    draws: Draws = None
    chains: Chains = None
    sampler: Sampler = "auto"
    domains: Domains = "pooled"
    sensitivity: Sensitivity = "quick"
    covariate: Covariate = None
    likelihood: Likelihood = "normal"
    trials: Trials = None
    seed: Seed = None

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_bayes`; one data set by itself has no model."""
        del each
        if self.quantity == "next" and self.target == "datasets":
            raise wrong("--quantity", "next goes without --target datasets.")
        if self.quantity == "dominant" and self.preset is None:
            raise wrong("--quantity", "dominant goes with --preset.")
        plain = self.preset is None and self.likelihood == "normal"
        tests = self.preset in {"signed-rank", "sign"}
        return {
            "preset": self.preset,
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
            "priors": _pseudo(self.prior) if tests else _priors(self.prior),
            "sensitivity": self.sensitivity if plain else "none",
            "seed": self.seed,
            "progress": True,
            **super().shared(),
        }

    def check_names(self, scores: "ScoreTable") -> None:
        """Find the algorithms and covariates that are named; a wrong name is wrong usage."""
        from benchinfer.comparison.groups import known_covariates

        if self.trials is not None and self.likelihood != "binomial":
            raise wrong("--trials", "goes with --likelihood binomial.")
        for option, names in (
            ("--covariate", tuple(self.covariate or ())),
            ("--trials", () if self.trials is None else (self.trials,)),
        ):
            checked(option, known_covariates, scores, names)
        super().check_names(scores)


def _priors(texts: list[str] | None) -> "Priors | None":
    """Read NAME=NUMBER."""
    from benchinfer.analyses.bayes.numerics.priors import Priors

    if texts is None:
        return None
    named = _named(texts, [field.name for field in fields(Priors)])
    given = {name: _number(name, text) for name, text in named.items()}
    return checked("--prior", Priors, **given)


def _pseudo(texts: list[str] | None) -> "PseudoObservation | None":
    """Read strength=NUMBER and place=NAME."""
    from benchinfer.analyses.bayes.numerics.priors import PseudoObservation

    if texts is None:
        return None
    named = _named(texts, ["strength", "place"])
    given: dict[str, object] = dict(named)
    if "strength" in named:
        given["strength"] = _number("strength", named["strength"])
    return checked("--prior", PseudoObservation, **given)


def _named(texts: list[str], known: list[str]) -> dict[str, str]:
    """Split NAME=VALUE, with one of the known names."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if name not in known:
            raise wrong("--prior", f"{text!r} is not NAME=NUMBER with one of {', '.join(known)}.")
        found[name] = value
    return found


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise wrong("--prior", f"{text!r} in '{name}={text}' is no number.") from None
