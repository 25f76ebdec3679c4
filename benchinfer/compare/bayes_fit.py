"""From a table to draws of the hierarchical model, with the gates that they must pass."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.convergence import Convergence, converged
from benchinfer.compare.fixed import domain_codes
from benchinfer.compare.phrases import count, join
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics.bayes import gibbs
from benchinfer.numerics.bayes.gibbs import Draws, Interactions, Model
from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.reduction import ContrastData, reduce_contrasts

if TYPE_CHECKING:
    from benchinfer.compare.evidence import Array, Setting
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable

type Structure = Literal["auto", "common", "unstructured"]
type Sampler = Literal["auto", "gibbs", "nuts"]
type Domains = Literal["pooled", "random"]

WARM_UP = 500
_FEWEST_DOMAINS = 3


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


def domain_level(setting: "Setting", data: ContrastData) -> NDArray[np.int64]:
    """Return the domain of each data set that the model learns from.

    Raises
    ------
    DesignError
        The data sets are of fewer than three domains.
    """
    names, codes = domain_codes(setting)
    found = np.array(codes)[data.dataset]
    n = len(np.unique(found))
    if n < _FEWEST_DOMAINS:
        raise DesignError(
            message(
                f"the data sets are of {count(n, 'domain')}: {join(names)}.",
                hint=f"how domains vary shows from {_FEWEST_DOMAINS} of them on;"
                ' domains="pooled" takes them as one, scores.subset(domains=...) compares in one.',
            )
        )
    return found


def modelled(
    data: ContrastData,
    interactions: Interactions,
    structure: Structure,
    priors: Priors,
    domain: NDArray[np.int64] | None = None,
    covariates: "Array | None" = None,
) -> Model:
    """Return what is to be sampled.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    interactions, structure, priors
        As in `compare_bayes`.
    domain
        Domain of each data set, None where they are taken as one.
    covariates
        (M, q) covariates of the data sets, centred and scaled.
    """
    # Of two algorithms Sigma is one number: scale and matrix would say the same thing twice.
    one = structure == "common" or data.n_algorithms == 2
    kind = "common" if one else "unstructured"
    return Model(data, interactions, kind, priors, domain, covariates)


def fit(
    model: Model,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: "Progress | None",
    sampler: Sampler = "auto",
) -> Fitted:
    """Sample the model; run the chains on once where the draws do not pass the gates.

    Parameters
    ----------
    model
        What is sampled.
    size
        Chains, and draws of each.
    rng
        Random numbers.
    progress
        Told of the sweeps.
    sampler
        As in `compare_bayes`.

    Raises
    ------
    DesignError
        Scores repeat so exactly that the posterior cannot be sampled.
    """
    if sampler == "nuts":
        return _nuts(model, size, rng, progress)
    try:
        return _gibbs(model, size, rng, progress)
    except np.linalg.LinAlgError:
        raise DesignError(
            message(
                "differences are the same on several data sets to the last digit: the posterior of"
                " the interactions' size has a spike at 0 that cannot be sampled.",
                hint="compare_permutation needs no model; or give scores with more digits.",
            )
        ) from None


def _gibbs(
    model: Model, size: tuple[int, int], rng: np.random.Generator, progress: "Progress | None"
) -> Fitted:
    """Sample by Gibbs; run the chains on once where the gates are not passed."""
    chains, n = size
    start = gibbs.start(model, chains, rng)
    # The draws of the warm-up are let go at once: of many algorithms they are large.
    warm = gibbs.sample(model, start, WARM_UP, rng, told=_told(progress, "warm-up", WARM_UP))[1]
    draws, now = gibbs.sample(model, warm, n, rng, told=_told(progress, "draws", n))
    found = converged(draws)
    if found.passed:
        return Fitted(model, draws, found, extended=False)
    # What has not settled is no evidence: it becomes part of the warm-up.
    told = _told(progress, "more draws", 2 * n)
    draws, _ = gibbs.sample(model, now, 2 * n, rng, told=told)
    return Fitted(model, draws, converged(draws), extended=True)


def _nuts(
    model: Model, size: tuple[int, int], rng: np.random.Generator, progress: "Progress | None"
) -> Fitted:
    """Sample by NUTS; once more, longer and with smaller steps, where the gates are not passed."""
    from benchinfer.compare.nuts import CAREFUL, Nuts

    chains, n = size
    nuts = Nuts.of(model, progress)
    draws = nuts.sample(chains, n, "draws", rng)
    found = converged(draws)
    if found.passed:
        return Fitted(model, draws, found, extended=False)
    draws = nuts.sample(chains, 2 * n, "more draws", rng, CAREFUL)
    return Fitted(model, draws, converged(draws), extended=True)


def _told(progress: "Progress | None", task: str, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(task, done, total)
