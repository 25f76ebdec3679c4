"""From a table to draws of the hierarchical model, with the gates that they must pass."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.compare.convergence import Convergence, converged
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics.bayes import gibbs
from benchinfer.numerics.bayes.gibbs import Draws, Interactions, Model
from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.reduction import ContrastData, reduce_contrasts

if TYPE_CHECKING:
    from benchinfer.compare.evidence import Array, Setting
    from benchinfer.compare.progress import Progress
    from benchinfer.scores import ScoreTable

type Structure = Literal["auto", "common", "unstructured"]
type Sampler = Literal["auto", "gibbs"]

WARM_UP = 500


@dataclass(frozen=True, slots=True)
class Fitted:
    """Draws that have been looked at.

    Attributes
    ----------
    model
        What was sampled.
    draws
        The draws.
    convergence
        What the gates are held against.
    extended
        Whether the chains were run on, as the first draws had not passed.
    """

    model: Model
    draws: Draws
    convergence: Convergence
    extended: bool


def reduced(scores: "ScoreTable", setting: "Setting") -> ContrastData:
    """Reduce a table to the contrasts of its data sets.

    Raises
    ------
    DesignError
        There is nothing to compare, or no score differs from another.
    """
    name, correlation = setting.measure.name, 0.0
    if setting.resampling is not None and setting.resampling.overlap:
        correlation = setting.resampling.overlap
    try:
        if setting.paired:
            blocks = scores.blocks(name)
            return reduce_contrasts(
                blocks.dataset,
                blocks.count,
                blocks.mean,
                blocks.within.sum(axis=1),
                correlation,
                _resolution(blocks.mean[blocks.count == 1]),
            )
        cells = scores.cells(name)
        squares = np.where(cells.n > 1, (cells.n - 1) * np.nan_to_num(cells.sd) ** 2, 0.0)
        index, within = np.arange(len(cells.n)), squares.sum(axis=1)
        return reduce_contrasts(index, cells.n, np.nan_to_num(cells.mean), within, correlation)
    except FitError as error:
        raise DesignError(
            message(
                str(error),
                hint="a comparison needs scores that differ: scores.findings() names constant and"
                " identical algorithms; compare_points describes such a table.",
            )
        ) from None


def _resolution(values: "Array") -> float:
    """Return the smallest step between scores, 0 where there are none or one."""
    steps = np.diff(np.unique(values))
    large = steps[steps > 1e-12 * np.abs(values).max(initial=0.0)]
    return float(large.min(initial=np.inf)) if len(large) else 0.0


def fit(
    data: ContrastData,
    interactions: Interactions,
    structure: Structure,
    priors: Priors,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: "Progress | None",
) -> Fitted:
    """Sample the model; run the chains on once where the draws do not pass the gates.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    interactions, structure, priors
        As in `compare_bayes`.
    size
        Chains, and draws of each.
    rng
        Random numbers.
    progress
        Told of the sweeps.
    """
    two = data.n_algorithms == 2
    if structure == "auto":
        structure = "common" if two else "unstructured"
    # Of two algorithms Sigma is one number: scale and matrix would say the same thing twice.
    model = Model(data, interactions, "common" if two else structure, priors)
    chains, n = size
    start = gibbs.start(model, chains, rng)
    _, warm = gibbs.sample(model, start, WARM_UP, rng, told=_told(progress, "warm-up", WARM_UP))
    draws, now = gibbs.sample(model, warm, n, rng, told=_told(progress, "draws", n))
    found = converged(draws)
    if found.passed:
        return Fitted(model, draws, found, extended=False)
    # What has not settled is no evidence: it becomes part of the warm-up.
    told = _told(progress, "more draws", 2 * n)
    draws, _ = gibbs.sample(model, now, 2 * n, rng, told=told)
    return Fitted(model, draws, converged(draws), extended=True)


def _told(progress: "Progress | None", task: str, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(task, done, total)
