"""What a Bayesian comparison is asked: choices that exist, numbers that will do, and defaults."""

from collections.abc import Mapping
from typing import Any, get_args

from benchinfer.compare.bayes_beside import Sensitivity
from benchinfer.compare.bayes_comparison import Quantity
from benchinfer.compare.bayes_fit import Domains, Sampler, Structure
from benchinfer.compare.bayes_pairs_comparison import PairQuantity
from benchinfer.compare.evidence import alpha_of
from benchinfer.compare.responses import Likelihood
from benchinfer.drawn import check_count, seed_of
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.bayes.gibbs import Interactions
from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.pseudo import PseudoObservation

_FEWEST_CHAINS, _FEWEST_DRAWS = 4, 100
_DRAWS, _CHAINS = 1000, 8
_CHOICES = {
    "interactions": Interactions,
    "structure": Structure,
    "sampler": Sampler,
    "domains": Domains,
    "likelihood": Likelihood,
    "sensitivity": Sensitivity,
}


def checked(asked: Mapping[str, Any], preset: str | None) -> dict[str, Any]:
    """Return the arguments with a seed, once each is one that there is.

    Parameters
    ----------
    asked
        Arguments of `compare_bayes`, by name.
    preset
        The preset, which has quantities of its own.

    Raises
    ------
    DesignError
        A choice is not known, or a number is too small.
    """
    alpha_of(asked["level"])
    kinds = {**_CHOICES, "quantity": Quantity if preset is None else PairQuantity}
    for name, kind in kinds.items():
        value = asked[name]
        if value is not None and value not in (known := get_args(kind.__value__)):
            raise DesignError(unknown(name, value, known))
    if (draws := asked["draws"]) is not None:
        enough = f"an even number from {_FEWEST_DRAWS}."
        check_count("draws", draws, _FEWEST_DRAWS, enough, even=True)
    if (chains := asked["chains"]) is not None:
        enough = f"at least {_FEWEST_CHAINS}, to see whether chains agree."
        check_count("chains", chains, _FEWEST_CHAINS, enough)
    return {**asked, "seed": seed_of(asked["seed"])}


def completed(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a model of all algorithms, with its defaults.

    Parameters
    ----------
    asked
        Arguments that have been checked.

    Raises
    ------
    DesignError
        The priors are those of another model.
    """
    if isinstance(asked["priors"], PseudoObservation):
        raise DesignError(
            message(
                "a PseudoObservation is the prior of preset='signed-rank' and preset='sign'.",
                hint="priors=Priors(...) are those of the model of all algorithms.",
            )
        )
    defaults = {
        "quantity": "average",
        "draws": _DRAWS,
        "chains": _CHAINS,
        "priors": Priors(),
    }
    missing = {name: value for name, value in defaults.items() if asked[name] is None}
    return {**asked, **missing}
