"""No-U-Turn sampling by nutpie, which comes with the extra ``bayes``.

A density is a function of one unconstrained vector, compiled by Numba, with its gradient written
out: it needs no compiler of models, and an evaluation takes microseconds. The sampler calls it
from C, without Python: with 54 data sets a draw then takes a quarter of the time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from benchinfer.core.errors import optional

if TYPE_CHECKING:
    from benchinfer.core.progress import Progress
    from benchinfer.numerics.types import Array, Flags

# Share of proposals to be accepted, and that of a second try, whose steps are smaller.
TARGET_ACCEPT, CAREFUL = 0.95, 0.99
WARM_UP = 1000
_RATE = 200  # milliseconds between two reports of progress
_STATISTICS = {"diverging", "energy", "lp", "tree_depth", "n_steps", "step_size", "acceptance_rate"}
# Names of ArviZ, where nutpie's differ.
_ARVIZ = {"logp": "lp", "depth": "tree_depth", "mean_tree_accept": "acceptance_rate"}


def library() -> Any:
    """Import nutpie; raise a MissingExtra where it is not installed.

    It imports ArviZ, with all its figures, for draws in the form of ArviZ alone. Here draws stay
    Arrow tables, so that ArviZ is imported where something of it is asked for.
    """
    with _deferred("arviz"):
        return optional("nutpie", "bayes")


class _Deferred(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def _deferred(name: str) -> Generator[None]:
    """Defer the import of a module by those that are imported in the meantime."""
    if name in sys.modules:
        yield
        return
    module = sys.modules[name] = _Deferred(name)
    try:
        yield
    finally:
        if sys.modules.get(name) is module:
            del sys.modules[name]


class Density(Protocol):
    """Log density of unconstrained parameters, without a constant."""

    @property
    def size(self) -> int:
        """Number of parameters."""
        ...

    def __call__(self, x: Array) -> tuple[float, Array]:
        """Return the log density and its gradient at (size,) parameters."""
        ...


@runtime_checkable
class CompiledDensity(Density, Protocol):
    """Log density that C can call.

    Attributes
    ----------
    arrays
        Its arrays, for `callbacks.table_of`.
    """

    arrays: tuple[Any, ...]

    def callback(self) -> Any:
        """Return the compiled function; see `callbacks.compiled`."""
        ...


@dataclass(frozen=True, slots=True)
class NutsDraws:
    """T draws of C chains."""

    points: Array  # (C, T, size) parameters
    statistics: Mapping[str, Array]  # (C, T) numbers that tell how the sampler fared, by name
    again: bool  # whether these are the second try

    @property
    def divergences(self) -> int:
        """Number of divergent transitions."""
        return int(self.statistics["diverging"].sum())


def until_settled[F](
    density: Density,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: Progress | None,
    fit: Callable[[NutsDraws], tuple[F, bool]],
    *,
    accept: float = TARGET_ACCEPT,
    warm_up: int = WARM_UP,
) -> F:
    """Draw from a density; draw more, with smaller steps, where the first draws have not settled.

    Parameters
    ----------
    density
        Density to sample.
    size
        Number of chains, and of draws of each; the second try has twice as many.
    rng, progress
        Random numbers, and a callback.
    fit
        From draws to what is returned, and whether chains have settled.
    accept, warm_up
        Share of proposals to be accepted, and draws to warm up, of the first try.
    """
    prepared, (chains, n) = _prepared(density), size

    def fitted(task: str, length: int, accept: float, warm_up: int) -> tuple[F, bool]:
        callback = callback_of(progress, task, chains, length + warm_up)
        values, statistics = sample(
            prepared, chains, length, rng, callback, accept=accept, warm_up=warm_up
        )
        return fit(NutsDraws(values["parameters"], statistics, again=accept == CAREFUL))

    result, settled = fitted("draws", n, accept, warm_up)
    return result if settled else fitted("more draws", 2 * n, CAREFUL, WARM_UP)[0]


def _prepared(density: Density) -> Any:
    """Return a density in the form that nutpie samples."""

    def initial(seed: int) -> Array:
        return np.random.default_rng(seed).uniform(-1, 1, density.size)

    if isinstance(density, CompiledDensity):
        with suppress(AttributeError, TypeError):  # of a nutpie whose models have other fields
            return _called_from_c(density, initial)
    return library().compiled_pyfunc.from_pyfunc(
        density.size,
        lambda: density,
        lambda *_: lambda x: {"parameters": x},
        [np.dtype(np.float64)],
        [(density.size,)],
        ["parameters"],
        make_initial_point_fn=initial,
    )


def _called_from_c(density: CompiledDensity, initial: Callable[[int], Array]) -> Any:
    """Return a density as nutpie has compiled models of PyMC: two functions and their data."""
    from benchinfer.numerics.posterior import callbacks

    shape = (density.size,)
    return library().compile_pymc.CompiledPyMCModel(
        dims=None,
        reparameterized_names=None,
        compiled_logp_func=density.callback(),
        compiled_expand_func=callbacks.compiled_copy(),
        initial_point_func=initial,
        shared_data={str(i): array for i, array in enumerate(density.arrays)},
        shared_var_keys={},
        user_data=callbacks.table_of(density.arrays),
        n_expanded=density.size,
        shape_info=(["parameters"], [slice(0, density.size)], [shape]),
        logp_func=None,
        expand_func=None,
        _n_dim=density.size,
        _shapes={"parameters": shape},
        _coords={},
    )


def sample(
    model: Any,
    chains: int,
    n: int,
    rng: np.random.Generator,
    callback: Callable[[int], None] | None,
    *,
    accept: float = TARGET_ACCEPT,
    warm_up: int = WARM_UP,
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Draw n points of each chain, after warming up; return draws and statistics by name.

    References
    ----------
    Neal, R. M. (2011). MCMC using Hamiltonian dynamics. In: Handbook of Markov Chain Monte Carlo.
    https://doi.org/10.1201/b10905-6

    Hoffman, M. D. & Gelman, A. (2014). The No-U-Turn sampler: adaptively setting path lengths in
    Hamiltonian Monte Carlo. Journal of Machine Learning Research 15, 1593-1623.
    """

    def report(states: Any) -> None:
        if callback is not None:
            callback(sum(chain.finished_draws for chain in states))

    running: Any = library().sample(
        model,
        draws=n,
        tune=warm_up,
        chains=chains,
        target_accept=accept,
        seed=int(rng.integers(2**32)),
        save_warmup=False,
        progress_bar=False,
        progress_callback=None if callback is None else report,
        progress_rate=_RATE,
        return_raw_trace=True,
        blocking=False,
    )
    try:
        trace = running.wait()
    except BaseException:  # interrupted, nutpie itself would return the draws so far as if complete
        running.cancel()
        raise
    draws, statistics = trace.get_arrow_trace()
    drawn = [np.logical_not(_column(chain, "tuning")) for chain in statistics]
    values = {name: _chains(draws, drawn, name) for name in draws[0].schema.names}
    named = ((_ARVIZ.get(name, name), name) for name in statistics[0].schema.names)
    return values, {
        ours: _chains(statistics, drawn, name) for ours, name in named if ours in _STATISTICS
    }


def _chains(parts: Sequence[Any], drawn: Sequence[Flags], name: str) -> Array:
    """Return a column of Arrow tables, one of each chain, without the draws of warming up."""
    return np.stack([_column(part, name)[rows] for part, rows in zip(parts, drawn, strict=True)])


def _column(part: Any, name: str) -> Array:
    """Return a column of an Arrow table; arrays have the shape that their field names."""
    column, about = part.column(name), part.schema.field(name).metadata or {}
    sizes = [int(size) for size in about.get(b"shape", b"").decode().split(",") if size]
    flat = optional("arro3.core", "bayes").list_flatten(column) if sizes else column
    return flat.to_numpy().reshape(len(column), *sizes)


def callback_of(
    progress: Progress | None, task: str, chains: int, total: int
) -> Callable[[int], None] | None:
    """Return the callback of a task, which takes the total number of draws of all chains."""
    if progress is None:
        return None
    before = 0

    def report(draws: int) -> None:
        nonlocal before
        done = draws // chains
        if done > before:
            progress(task, done - before, total)
            before = done

    return report
