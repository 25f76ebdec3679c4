"""The draws that a result holds, and the posterior that they make."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.numerics.bayes.thinned import Thinned
from benchinfer.saving import savable

if TYPE_CHECKING:
    from xarray import DataTree

    from benchinfer.compare.evidence import Setting
    from benchinfer.numerics.bayes.reduction import ContrastData

# Names of dimensions and values, by name.
type Group = Mapping[str, tuple[tuple[str, ...], NDArray[np.floating]]]
_DRAW: tuple[str, ...] = ("chain", "draw")


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
        interactions' contrasts), ``degrees_of_freedom``, ``shrinkage``, ``residual_centre``,
        ``residual_spread`` (of log residual standard deviations) and ``domain_scale``, where the
        model has them.
    dataset_mean, dataset_sd
        (M, K - 1) posterior means and standard deviations of the orthonormal contrasts of the
        effects on each data set.
    thinned
        Some of the draws of what data sets share, by which the model is checked.
    domains
        (C, T, G, K) effects in each domain that the model has, else None.
    new_domain
        (C, T, K) effects in a new domain.
    statistics
        (C, T) numbers that tell how the sampler fared, by name.
    slopes
        (C, T, K) slopes of the effects along each covariate, per unit of it; by covariate.
    """

    effects: Array
    these: Array
    following: Array
    parameters: Mapping[str, Array]
    dataset_mean: Array
    dataset_sd: Array
    thinned: Thinned
    domains: Array | None
    new_domain: Array | None
    statistics: Mapping[str, Array]
    slopes: Mapping[str, Array] = field(default_factory=dict[str, Array])

    def tree(
        self, setting: "Setting", data: "ContrastData", more: Mapping[str, Group]
    ) -> "DataTree":
        """Return the posterior and what was observed, as ArviZ reads them.

        Parameters
        ----------
        setting, data
            What was compared, and what the model saw of it.
        more
            Further groups, by name.
        """
        from xarray import Dataset, DataTree

        coords: dict[str, Any] = {
            "algorithm": list(setting.algorithms),
            "dataset": [setting.coverage.datasets[m] for m in data.dataset],
            "domain": sorted(set(setting.domains)),
            "covariate": list(self.slopes),
        }

        def group(of: Group) -> Dataset:
            axes = [axis for dims, x in of.values() for axis in zip(dims, x.shape, strict=True)]
            used = {name: coords.get(name, np.arange(n)) for name, n in axes}
            if "draw" in used and (n := len(used["draw"])) < self.effects.shape[1]:
                used["draw"] = self.thinned.step * np.arange(n)
            return Dataset({name: (dims, x) for name, (dims, x) in of.items()}, coords=used)

        groups: dict[str, Group] = {
            "posterior": self._posterior(),
            "observed_data": _observed(data),
            **more,
        }
        if self.statistics:
            groups["sample_stats"] = {name: (_DRAW, x) for name, x in self.statistics.items()}
        return DataTree.from_dict({name: group(of) for name, of in groups.items()})

    def _posterior(self) -> Group:
        """Return the draws with their dimensions."""
        by_algorithm = {
            "effect": self.effects,
            "effect_these": self.these,
            "effect_next": self.following,
            **({} if self.new_domain is None else {"effect_new_domain": self.new_domain}),
        }
        found: dict[str, tuple[tuple[str, ...], Array]] = {
            **{name: ((*_DRAW, "algorithm"), x) for name, x in by_algorithm.items()},
            **{name: (_DRAW, x) for name, x in self.parameters.items()},
        }
        if self.domains is not None:
            found["effect_domain"] = ((*_DRAW, "domain", "algorithm"), self.domains)
        if self.slopes:
            each = np.stack(list(self.slopes.values()), axis=2)
            found["slope"] = ((*_DRAW, "covariate", "algorithm"), each)
        return found


def _observed(data: "ContrastData") -> Group:
    """Return what the model saw, on the modelling scale, with its dimensions."""
    identified = np.arange(data.z.shape[1]) < data.rank[:, None]
    return {
        "contrast_estimate": (
            ("dataset", "contrast"),
            np.where(identified, data.scale * data.z, np.nan),
        ),
        "residual_square": (("dataset",), data.scale**2 * data.rss),
        "residual_df": (("dataset",), data.df),
    }
