"""Command-line options of `compare mixed`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.options.tests import ComparisonArguments, Target, checked, listed, wrong

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


Adjust = Annotated[
    Literal[
        "auto", "rotation", "single-step", "westfall", "bergmann-hommel", "shaffer", "holm", "none"
    ],
    typer.Option(
        metavar="NAME",
        help="Adjustment for many contrasts: rotation (the exact closed test of complete tables),"
        " single-step or westfall (with --structure common), bergmann-hommel, shaffer, holm or"
        " none; auto takes what goes.",
    ),
]
Reference = Annotated[
    Literal["rotation", "flips"],
    typer.Option(
        help="The closed test of all pairs rotates data sets' means (exact if normal) or flips"
        " their signs (exact if symmetric)."
    ),
]
Seed = Annotated[
    int,
    typer.Option(metavar="INTEGER", min=0, max=2**64 - 1, help="Of the random rotations or flips."),
]
Terms = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="Random terms: auto, none, or some of dataset, dataset:algorithm,"
        " dataset:replication, separated by commas.",
    ),
]
Structure = Annotated[
    Literal["auto", "common", "diagonal", "unstructured", "pairwise"],
    typer.Option(
        help="How algorithms vary between data sets: one standard error for all pairs (common),"
        " each pair its own (pairwise), or variances of their own in the model (diagonal,"
        " unstructured)."
    ),
]
Residual = Annotated[
    Literal["constant", "algorithm", "dataset"],
    typer.Option(help="Residual variance: one, or one per algorithm or data set."),
]
Domains = Annotated[
    Literal["pooled", "random", "separate"],
    typer.Option(
        help="Domains of the data sets: taken as one, as a sample of domains, or with levels of"
        " their own."
    ),
]
Covariate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Give each algorithm a slope along this covariate. Once per covariate.",
    ),
]
Df = Annotated[
    Literal["kenward-roger", "satterthwaite", "asymptotic"],
    typer.Option(help="Degrees of freedom."),
]


@dataclass(frozen=True)
class MixedQuestion(ComparisonArguments):
    """Options of `compare mixed`, as typed."""

    adjust: Adjust = "auto"
    reference: Reference = "rotation"
    target: Target = "auto"
    structure: Structure = "auto"
    residual: Residual = "constant"
    domains: Domains = "pooled"
    covariate: Covariate = None
    terms: Terms = "auto"
    df: Df = "kenward-roger"
    seed: Seed = 1

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_mixed`; options may exclude each other."""
        from benchinfer.analyses.mixed.closure import CLOSED
        from benchinfer.comparison.adjustment import resolve

        self._check_datasets(each=each)
        shared = self.shared()
        # As far as the options tell: whether a table has pair-specific errors is for it to say.
        common = self.structure in {"auto", "common"} and self.residual == "constant"
        if self.adjust not in CLOSED:
            given = self.adjust, shared["contrasts"], self.alternative
            checked("--adjust", resolve, *given, common=common)
        return {
            "terms": _terms(self.terms),
            "structure": self.structure,
            "residual": self.residual,
            "domains": self.domains,
            "covariates": tuple(self.covariate or ()),
            "df": self.df,
            "adjust": self.adjust,
            "reference": self.reference,
            "seed": self.seed,
            "target": self.target,
            **shared,
        }

    def check_names(self, scores: "ScoreTable") -> None:
        """Find the algorithms and covariates that are named; a wrong name is wrong usage."""
        if self.covariate:
            from benchinfer.comparison.groups import known_covariates

            checked("--covariate", known_covariates, scores, tuple(self.covariate))
        super().check_names(scores)

    def _check_datasets(self, *, each: bool) -> None:
        """Refuse what says how data sets differ where each is taken by itself."""
        alone = "--per-dataset" if each else "--target datasets"
        if not each and self.target != "datasets":
            return
        between = {
            "--target domain": self.target == "domain",
            f"--structure {self.structure}": self.structure not in {"auto", "common"},
            "--residual dataset": self.residual == "dataset",
            f"--domains {self.domains}": self.domains != "pooled",
        }
        if other := [option for option, asked in between.items() if asked]:
            raise wrong(alone, f"takes each data set by itself, and {other[0]} does not.")


def _terms(text: str) -> str | tuple[str, ...]:
    """Read a list of random terms; ``none`` is the empty one."""
    from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS

    names = listed(text)
    if names in {("auto",), ("none",)}:
        return "auto" if names == ("auto",) else ()
    if strange := [name for name in names if name not in COMPONENTS[:-1]]:
        raise wrong("--terms", f"{strange[0]!r} is none of {', '.join(COMPONENTS[:-1])}.")
    return names
