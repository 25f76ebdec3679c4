"""Posteriors of the tests of the literature as ArviZ reads them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.numerics.bayes.dirichlet import Walsh, concentrations, weights
from benchinfer.numerics.bayes.pair_tail import draw_hyperparameters

if TYPE_CHECKING:
    from xarray import DataTree

    from benchinfer.compare.bayes_pairs_comparison import BayesPairsComparison

_SHARES = 4000  # draws of the outcomes' probabilities, which no result holds
_OUTCOMES = ("first", "equivalent", "second")


def tree(result: "BayesPairsComparison") -> "DataTree":
    """Return draws and observations.

    Parameters
    ----------
    result
        The comparison.
    """
    from xarray import Dataset, DataTree

    names = [" vs ".join(pair) for pair in result.named_sides()]
    rng = np.random.default_rng(result.provenance.seed)
    axes: dict[str, Any] = {"pair": names, "dataset": list(result.setting.coverage.datasets)}
    seen = result.differences
    there = seen.n > 0
    observed = Dataset(
        {
            "difference": (("pair", "dataset"), np.where(there, seen.mean, np.nan)),
            "n": (("pair", "dataset"), seen.n),
        },
        coords=axes,
    )
    groups = {"posterior": _posterior(result, names, rng), "observed_data": observed}
    return DataTree.from_dict(groups)


def _posterior(result: "BayesPairsComparison", names: list[str], rng: np.random.Generator) -> Any:
    """Return the draws as a data set."""
    from xarray import Dataset

    if (kept := result.draws) is None:
        shares = np.stack([_shares(result, p, rng) for p in range(len(names))], axis=1)
        return Dataset(
            {"share": (("chain", "draw", "pair", "outcome"), shares[None])},
            coords={
                "chain": [0],
                "draw": np.arange(len(shares)),
                "pair": names,
                "outcome": list(_OUTCOMES),
            },
        )
    alpha, beta = draw_hyperparameters(kept.nu, rng)
    found = {"delta0": kept.centre, "std0": kept.std, "nu": kept.nu, "alpha": alpha, "beta": beta}
    _, chains, draws = kept.nu.shape
    return Dataset(
        {name: (("chain", "draw", "pair"), np.moveaxis(x, 0, 2)) for name, x in found.items()},
        coords={"chain": np.arange(chains), "draw": np.arange(draws), "pair": names},
    )


def _shares(result: "BayesPairsComparison", p: int, rng: np.random.Generator) -> Array:
    """Draw (N, 3) probabilities of the outcomes of one pair."""
    seen, margin, prior = result.differences, result.measure.margin, result.prior
    z = seen.mean[p][seen.n[p] > 0]
    strength = 0.0 if prior is None else prior.strength or 0.0
    side = 1 if prior is None else _OUTCOMES.index(prior.place)
    if result.preset == "signed-rank":
        at = (np.inf, 0.0, -np.inf)[side]
        walsh = Walsh.of(z, margin, seen.size, strength, at)
        drawn = weights(walsh.concentration, _SHARES, rng)
        return np.concatenate([walsh.outcomes(part) for part in drawn])
    alpha = concentrations(z, margin, seen.size, strength * np.eye(3)[side])
    drawn = np.concatenate(list(weights(alpha, _SHARES, rng)))
    drawn /= drawn.sum(axis=1, keepdims=True)
    if margin > 0:
        return drawn
    half = drawn[:, 1] / 2
    return np.stack([drawn[:, 0] + half, np.zeros(len(drawn)), drawn[:, 2] + half], axis=1)
