"""NUTS for the hierarchical model, by nutpie, and its draws in the form of the Gibbs sampler's.

References
----------
Hoffman, M. D. & Gelman, A. (2014). The No-U-Turn sampler: adaptively setting path lengths in
Hamiltonian Monte Carlo. Journal of Machine Learning Research 15, 1593-1623.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from benchinfer.numerics.bayes.covariance import Covariance, common
from benchinfer.numerics.bayes.domains import DomainEffects
from benchinfer.numerics.bayes.effects import Effects, draw_interactions
from benchinfer.numerics.bayes.gibbs import Draws, Model, State, collected, residual_variance
from benchinfer.numerics.bayes.residual_scales import ResidualScales
from benchinfer.numerics.bayes.slopes import Slopes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchinfer.compare.asked import Progress
    from benchinfer.compare.evidence import Array
    from benchinfer.compare.pymc_model import PyMCModel

TARGET_ACCEPT, CAREFUL = 0.95, 0.99
WARM_UP = 1000
_COMPILING = "compiling the model, about a minute the first time"
_RATE = 200  # milliseconds between two reports of progress
_KEPT = ("diverging", "energy", "logp", "depth", "n_steps", "step_size", "mean_tree_accept")
# Names of ArviZ, where nutpie's differ.
_ARVIZ = {"logp": "lp", "depth": "tree_depth", "mean_tree_accept": "acceptance_rate"}


@dataclass(frozen=True, slots=True)
class Nuts:
    """A compiled model.

    Attributes
    ----------
    model
        What is sampled.
    compiled
        The model of nutpie.
    progress
        Told of compiling and of draws.
    """

    model: Model
    compiled: Any
    progress: "Progress | None"

    @classmethod
    def of(cls, model: Model, progress: "Progress | None") -> Self:
        """Compile a model, after saying so."""

        def built() -> "PyMCModel":
            from benchinfer.compare.pymc_model import pymc_model

            return pymc_model(model)

        return cls(model, compiled(built, progress), progress)

    def sample(
        self,
        chains: int,
        n: int,
        task: str,
        rng: np.random.Generator,
        accept: float = TARGET_ACCEPT,
    ) -> Draws:
        """Draw n points of each chain after a warm-up.

        Parameters
        ----------
        chains, n
            Chains, and even number of draws of each.
        task
            What progress is told to be about.
        rng
            Random numbers.
        accept
            Acceptance rate that step sizes aim at.
        """
        told = nuts_told(self.progress, task, chains, n + WARM_UP)
        values, statistics = sampled(self.compiled, chains, n, rng, told, accept)
        draws, _ = collected(self.model, states(self.model, values, rng), n)
        return replace(draws, statistics=statistics)


def compiled(built: "Callable[[], PyMCModel]", progress: "Progress | None") -> Any:
    """Build a model and compile it, after saying so.

    Parameters
    ----------
    built
        Builds the model.
    progress
        Told of compiling; without it standard error is.
    """
    if progress is None:
        sys.stderr.write(f"benchinfer: {_COMPILING} ...\n")
    else:
        progress(_COMPILING, 0, 1)
    import nutpie

    found = nutpie.compile_pymc_model(built())
    if progress is not None:
        progress(_COMPILING, 1, 1)
    return found


def sampled(
    of: Any,
    chains: int,
    n: int,
    rng: np.random.Generator,
    told: "Callable[[list[Any]], None] | None",
    accept: float,
) -> tuple[dict[str, "Array"], dict[str, "Array"]]:
    """Draw n points of each chain of a compiled model.

    Parameters
    ----------
    of
        The model of nutpie.
    chains, n, rng, accept
        As in `Nuts.sample`.
    told
        What nutpie calls with the progress of its chains.

    Returns
    -------
    values, statistics
        (C, T, ...) draws by the names of the model, and (C, T) numbers of the sampler.
    """
    import nutpie

    found: Any = nutpie.sample(
        of,
        draws=n,
        tune=WARM_UP,
        chains=chains,
        seed=int(rng.integers(2**32)),
        target_accept=accept,
        save_warmup=False,
        progress_bar=False,
        progress_callback=told,
        progress_rate=_RATE,
    )
    values = {name: x.to_numpy() for name, x in found["posterior"].data_vars.items()}
    stats = found["sample_stats"]
    return values, {_ARVIZ.get(k, k): stats[k].to_numpy() for k in _KEPT if k in stats}


def nuts_told(
    progress: "Progress | None", task: str, chains: int, total: int
) -> Callable[[list[Any]], None] | None:
    """Return what nutpie calls with the progress of its chains."""
    if progress is None:
        return None
    before = 0

    def told(now: list[Any]) -> None:
        nonlocal before
        done = sum(chain.finished_draws for chain in now) // chains
        if done > before:
            progress(task, done - before, total)
            before = done

    return told


def states(
    model: Model, values: "Mapping[str, Array]", rng: np.random.Generator
) -> Iterator[State]:
    """Complete draws of all chains by interactions from their conditional distribution.

    Parameters
    ----------
    model
        What was sampled.
    values
        (C, T, ...) draws by the names of `pymc_model`.
    rng
        Random numbers.

    Yields
    ------
    State
        One for each of the T draws.
    """
    data = model.data
    chains, n, j = values["contrasts"].shape
    shape = (chains, len(data.z))
    for i in range(n):
        now = {name: x[:, i] for name, x in values.items()}
        domains = None
        if model.domain is not None:
            effects = now["domain_scale"][:, None, None] * now["domain_unit"]
            domains = DomainEffects(effects, now["domain_scale"], model.domain)
        nothing = np.zeros(chains)
        scales = ResidualScales(
            now.get("log_sigma", np.zeros(shape)),
            now.get("residual_centre", nothing),
            now.get("residual_spread", nothing),
        )
        mixing = now.get("mixing", np.ones(shape))
        sigma = common(now["scale"], j)
        if model.structure == "unstructured":
            eigenvalues, vectors = np.linalg.eigh(now["covariance"])
            sigma = Covariance(vectors, eigenvalues, now["scale"], now["shrinkage"])
        slopes = None
        if model.covariates is not None:
            slopes = Slopes(now["slopes"], model.covariates)
        average = now["contrasts"]
        centre = Effects(average, np.zeros((*shape, j)), domains, slopes).centre
        noise = residual_variance(data, scales)
        w = draw_interactions(data, sigma, mixing, noise, centre, rng)
        nu = 1 + now["tail"] if "tail" in now else None
        yield State(Effects(average, w, domains, slopes), scales, sigma, mixing, nu)
