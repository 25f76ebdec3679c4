"""What `compare mixed` can be asked: its options, and what they mean as arguments."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.hints import translated
from benchinfer.errors import DesignError

if TYPE_CHECKING:
    from benchinfer.scores import ScoreTable


def _open_unit(value: float) -> float:
    if not 0 < value < 1:
        raise typer.BadParameter("between 0 and 1, as in 0.95.")
    return value


Level = Annotated[
    float,
    typer.Option(
        metavar="NUMBER", callback=_open_unit, help="Confidence level of the family of contrasts."
    ),
]
Target = Annotated[
    Literal["auto", "domain", "datasets"],
    typer.Option(help="Claims about the domain of the data sets, or these data sets alone."),
]
Contrasts = Annotated[
    Literal["tukey", "dunnett", "sequential", "mean"] | None,
    typer.Option(
        help="All pairs (tukey, the default), each against --control (dunnett), each against the"
        " one before it by name (sequential), or against the mean of all (mean).",
        show_default=False,
    ),
]
Control = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Compare each other algorithm with this one; best: the one with the best estimate.",
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Compare each of these algorithms with the one before it; names separated by commas.",
    ),
]
Alternative = Annotated[
    Literal["two-sided", "better", "worse"],
    typer.Option(help="What tests are to show of the first algorithm of a contrast."),
]
Adjust = Annotated[
    Literal["auto", "single-step", "westfall", "shaffer", "holm", "none"],
    typer.Option(help="Adjustment for many contrasts."),
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
Missing = Annotated[
    Literal["use", "error"], typer.Option(help="Cells that lack scores: use the rest, or refuse.")
]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the mixed model, as typed; the fields are options of the command."""

    contrasts: Contrasts = None
    control: Control = None
    order: Order = None
    alternative: Alternative = "two-sided"
    adjust: Adjust = "auto"
    level: Level = 0.95
    target: Target = "auto"
    structure: Structure = "auto"
    residual: Residual = "constant"
    domains: Domains = "pooled"
    covariate: Covariate = None
    terms: Terms = "auto"
    df: Df = "kenward-roger"
    missing: Missing = "use"

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_mixed`; options that exclude each other are wrong usage.

        Parameters
        ----------
        each
            Whether each data set is compared by itself.
        """
        from benchinfer.compare.adjust import resolve

        self._check_datasets(each=each)
        family = self._family()
        # As far as the options tell: whether a table has pair-specific errors is for it to say.
        common = self.structure in {"auto", "common"} and self.residual == "constant"
        _checked("--adjust", resolve, self.adjust, family, self.alternative, common=common)
        return {
            "terms": _terms(self.terms),
            "structure": self.structure,
            "residual": self.residual,
            "domains": self.domains,
            "covariates": tuple(self.covariate or ()),
            "df": self.df,
            "contrasts": family,
            "control": self.control,
            "alternative": self.alternative,
            "adjust": self.adjust,
            "target": self.target,
            "level": self.level,
            "missing": self.missing,
        }

    def check_names(self, scores: "ScoreTable") -> None:
        """Find the algorithms and covariates that are named; a wrong name is wrong usage."""
        if self.covariate:
            from benchinfer.compare.fitted import known_covariates

            _checked("--covariate", known_covariates, scores, tuple(self.covariate))
        if self.control is None and self.order is None:
            return
        import numpy as np

        from benchinfer.compare.contrasts import family_of

        names = scores.algorithms
        _checked(
            "--order" if self.control is None else "--control",
            family_of,
            names,
            self._family(),
            self.control,
            np.zeros(len(names)),
            directed=self.alternative != "two-sided",
        )

    def _family(self) -> str | tuple[str, ...]:
        """Return the family that the three options ask for together."""
        if self.order is not None:
            if self.control is not None or self.contrasts is not None:
                other = "--contrasts" if self.control is None else "--control"
                raise typer.BadParameter(f"goes without {other}.", param_hint="'--order'")
            return _names(self.order)
        if self.control is not None and self.contrasts not in {None, "dunnett"}:
            raise typer.BadParameter("goes with --contrasts dunnett.", param_hint="'--control'")
        if self.control is None and self.contrasts == "dunnett":
            raise typer.BadParameter("dunnett needs --control NAME.", param_hint="'--contrasts'")
        return self.contrasts or ("tukey" if self.control is None else "dunnett")

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
        if wrong := [option for option, asked in between.items() if asked]:
            raise typer.BadParameter(
                f"takes each data set by itself, and {wrong[0]} does not.",
                param_hint=f"'{alone}'",
            )


def _checked(option: str, check: Callable[..., object], *given: object, **named: object) -> None:
    """Let the library check; what it refuses is wrong usage of an option."""
    try:
        check(*given, **named)
    except DesignError as error:
        raise typer.BadParameter(translated(str(error)), param_hint=f"'{option}'") from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _terms(text: str) -> str | tuple[str, ...]:
    """Read a list of random terms; ``none`` is the empty one."""
    from benchinfer.compare.designs import COMPONENTS

    names = _names(text)
    if names in {("auto",), ("none",)}:
        return "auto" if names == ("auto",) else ()
    if strange := [name for name in names if name not in COMPONENTS[:-1]]:
        raise typer.BadParameter(
            f"{strange[0]!r} is none of {', '.join(COMPONENTS[:-1])}.", param_hint="'--terms'"
        )
    return names
