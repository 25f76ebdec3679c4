"""The draws that a result holds, and the posterior that they make."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.saving import savable

if TYPE_CHECKING:
    from xarray import DataTree

    from benchinfer.compare.evidence import Setting
    from benchinfer.numerics.bayes.reduction import ContrastData


@savable
@dataclass(frozen=True, slots=True)
class Kept:
    """Draws of C chains of length T, on the modelling scale, larger is better.

    Attributes
    ----------
    effects
        (C, T, K) average effects of the algorithms; they sum to 0.
    these
        (C, T, K) effects averaged over the data sets at hand.
    following
        (C, T, K) effects on a next data set.
    parameters
        (C, T) numbers by name: ``interaction_scale`` (root of the mean variance of the
        interactions' contrasts), ``degrees_of_freedom``, ``shrinkage``, ``residual_centre`` and
        ``residual_spread`` (of log residual standard deviations), where the model has them.
    dataset_mean, dataset_sd
        (M, K - 1) posterior means and standard deviations of the orthonormal contrasts of the
        effects on each data set.
    """

    effects: Array
    these: Array
    following: Array
    parameters: Mapping[str, Array]
    dataset_mean: Array
    dataset_sd: Array

    def tree(self, setting: "Setting", data: "ContrastData") -> "DataTree":
        """Return the posterior and what was observed, as ArviZ reads them."""
        from xarray import Dataset, DataTree

        axes = ("chain", "draw")
        by_algorithm = {
            "effect": self.effects,
            "effect_these": self.these,
            "effect_next": self.following,
        }
        chains, draws, _ = self.effects.shape
        posterior = Dataset(
            {
                **{name: ((*axes, "algorithm"), x) for name, x in by_algorithm.items()},
                **{name: (axes, x) for name, x in self.parameters.items()},
            },
            coords={
                "chain": np.arange(chains),
                "draw": np.arange(draws),
                "algorithm": list(setting.algorithms),
            },
        )
        wide = ("dataset", "contrast")
        identified = np.arange(data.z.shape[1]) < data.rank[:, None]
        observed = Dataset(
            {
                "contrast_estimate": (wide, np.where(identified, data.scale * data.z, np.nan)),
                "residual_square": ("dataset", data.scale**2 * data.rss),
                "residual_df": ("dataset", data.df),
            },
            coords={
                "dataset": [setting.coverage.datasets[m] for m in data.dataset],
                "contrast": np.arange(data.z.shape[1]),
            },
        )
        return DataTree.from_dict({"posterior": posterior, "observed_data": observed})
