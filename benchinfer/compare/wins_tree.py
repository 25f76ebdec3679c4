"""Posteriors of wins as ArviZ reads them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.errors import DesignError, message
from benchinfer.numerics.wins.posterior import WinDraws, prior_draws

if TYPE_CHECKING:
    from xarray import Dataset, DataTree

    from benchinfer.compare.wins_comparison import WinsComparison


def tree(result: "WinsComparison") -> "DataTree":
    """Return draws of the posterior and of the prior, and the counts.

    Parameters
    ----------
    result
        The comparison.

    Raises
    ------
    DesignError
        It was made by maximum likelihood.
    """
    from xarray import Dataset, DataTree

    if result.bayes is None:
        raise DesignError(
            message(
                "maximum likelihood has no posterior.",
                hint='compare_wins(..., inference="bayes") draws one.',
            )
        )
    rng = np.random.default_rng(result.provenance.seed)
    _, draws, _ = result.bayes.draws.log_worth.shape
    seen = result.counted.tally.taken(result.ties).total
    names = result.algorithms
    observed = Dataset(
        {
            "wins": ("pair", seen.wins[0]),
            "ties": ("pair", seen.ties[0]),
            "losses": ("pair", seen.losses[0]),
        },
        coords={"pair": [f"{names[i]} vs {names[j]}" for i, j in seen.pairs]},
    )
    groups = {
        "posterior": _group(result.bayes.draws, names),
        "prior": _group(prior_draws(result.model, draws, rng), names),
        "observed_data": observed,
    }
    return DataTree.from_dict(groups)


def _group(draws: WinDraws, names: tuple[str, ...]) -> "Dataset":
    """Return draws by name with their dimensions."""
    from xarray import Dataset

    chains, n, _ = draws.log_worth.shape
    numbers = {"worth_scale": draws.scale, "log_nu": draws.tie, "departure_scale": draws.departure}
    found: dict[str, Any] = {"log_worth": (("chain", "draw", "algorithm"), draws.log_worth)}
    found |= {name: (("chain", "draw"), x) for name, x in numbers.items() if x is not None}
    axes = {"chain": np.arange(chains), "draw": np.arange(n), "algorithm": list(names)}
    return Dataset(found, coords=axes)
