"""Arguments of `compare_bayes` and `compare_bayes_pairs`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

from benchinfer.analyses.bayes.fit import Domains, Structure
from benchinfer.analyses.bayes.numerics.gibbs import Interactions
from benchinfer.analyses.bayes.numerics.priors import Priors, PseudoObservation
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.options import ContrastOptions
from benchinfer.core.arguments import MOST, MOST_CHAINS, ArgumentError, check_count
from benchinfer.core.errors import message
from benchinfer.core.provenance import Provenance

type Quantity = Literal["average", "next"]
type PairTest = Literal["corani2017", "signed-rank", "sign"]
type PairQuantity = Literal["next", "average", "dominant"]
type Likelihood = Literal["normal", "binomial"]
type Sensitivity = Literal["none", "quick"]
_FEWEST_CHAINS, _FEWEST_DRAWS = 4, 100
_DRAWS, _CHAINS = 1000, 8


@dataclass(frozen=True, kw_only=True)
class PosteriorOptions(ContrastOptions):
    """Arguments of an analysis by draws from posteriors; see `compare_bayes`."""

    missing: Literal["use", "error"]
    draws: int | None
    chains: int | None
    seed: int | None

    def check_size(self) -> None:
        """Raise an ArgumentError where there are too few draws or chains."""
        if self.chains is not None:
            enough = f"at least {_FEWEST_CHAINS}, to see whether chains agree."
            check_count("chains", self.chains, _FEWEST_CHAINS, enough, most=MOST_CHAINS)
        if self.draws is not None:
            enough, most = f"an even number from {_FEWEST_DRAWS}.", MOST // (self.chains or _CHAINS)
            check_count("draws", self.draws, _FEWEST_DRAWS, enough, even=True, most=most)

    @property
    def size(self) -> tuple[int, int]:
        """Chains and draws of each."""
        return (
            _CHAINS if self.chains is None else self.chains,
            _DRAWS if self.draws is None else self.draws,
        )


@dataclass(frozen=True, kw_only=True)
class BayesOptions(PosteriorOptions):
    """Arguments of `compare_bayes`; see there.

    References
    ----------
    Corani et al. (2017), https://doi.org/10.1007/s10994-017-5641-9
    """

    analysis: ClassVar[str] = "compare_bayes"

    interactions: Interactions
    structure: Structure
    domains: Domains
    covariates: tuple[str, ...]
    likelihood: Likelihood
    trials: str | None
    quantity: Quantity | None
    target: Literal["auto"] | Target
    priors: Priors | None
    sensitivity: Sensitivity

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.quantity, self.target) == ("next", "datasets"):
            raise ArgumentError(
                'target="datasets" is about these data sets, quantity="next" about another.',
                hint='target="domain" goes with it.',
            )
        self._check_likelihood()

    def _check_likelihood(self) -> None:
        """Raise an ArgumentError for options that only the other likelihood has."""
        likelihood = f"likelihood={self.likelihood!r}"
        if self.likelihood == "normal":
            refused: dict[str, bool] = {
                f"trials={self.trials!r}": self.trials is not None,
            }
            other = 'likelihood="binomial"'
        else:
            # On the command line covariates are given one by one.
            covariates = f"covariates={self.covariates!r}"
            refused = {
                covariates: bool(self.covariates),
                f"sensitivity={self.sensitivity!r}": self.sensitivity != "none",
            }
            other = 'likelihood="normal"'
        for part, is_given in refused.items():
            if is_given:
                text = message(f"{part} does not go with {likelihood}.", hint=f"{other} has it.")
                raise ArgumentError(text)

    def completed(self) -> Self:
        """Return the arguments of one model of all algorithms with its defaults."""
        chains, draws = self.size
        quantity = self.quantity or "average"
        return replace(
            self,
            quantity=quantity,
            draws=draws,
            chains=chains,
            priors=self.model_priors,
        )

    def joint_provenance(self, digest: str, family: ContrastFamily) -> Provenance:
        """Return the provenance of a comparison by one model of all algorithms."""
        shrinkage = ""
        if self.model_priors.effect_sd is None:
            shrinkage = ", which shrinks the algorithms' effects by an estimated scale"
        return self.provenance(
            digest,
            f"Probabilities of {family.words} are those of one joint model{shrinkage}; none is"
            " adjusted for the number of pairs",
            self.seed,
        )

    @property
    def model_priors(self) -> Priors:
        """Priors of the model."""
        return self.priors or Priors()


@dataclass(frozen=True, kw_only=True)
class BayesPairsOptions(PosteriorOptions):
    """Arguments of `compare_bayes_pairs`; see there."""

    analysis: ClassVar[str] = "compare_bayes_pairs"

    test: PairTest
    quantity: PairQuantity | None
    priors: PseudoObservation | None
