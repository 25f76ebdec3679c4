"""Posterior draws of the hierarchical model for a table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData, helmert, reduce_contrasts
from benchinfer.analyses.bayes.numerics.dataset_levels import (
    DatasetMeans,
    average_means,
    with_errors,
)
from benchinfer.analyses.bayes.numerics.gibbs import GibbsDraws, GibbsModel, Interactions
from benchinfer.analyses.bayes.numerics.predictive import (
    Shared,
    Thinned,
    draw_prior,
    log_marginals,
    log_priors,
    observed,
    present,
    replicate,
)
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import Array
from benchinfer.comparison.groups import domain_codes
from benchinfer.comparison.posterior import Convergence, segments_r_hat, settled
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.hints import Call, Either, Option
from benchinfer.core.numbers import count, join
from benchinfer.core.saving import savable
from benchinfer.scores.reductions import squares_of

if TYPE_CHECKING:
    from xarray import DataTree

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.comparison.evidence import Setting
    from benchinfer.core.progress import Progress
    from benchinfer.scores.table import ScoreTable


type Structure = Literal["auto", "common", "unstructured"]
type Sampler = Literal["auto", "gibbs", "nuts", "nutpie", "pymc"]
type Domains = Literal["pooled", "random"]
# Of NUTS: names as they are written in a methods section.
ENGINES: Mapping[Sampler, str] = {"nutpie": "NUTS (PyMC, nutpie)", "pymc": "NUTS (PyMC)"}


# Names of dimensions and values, by name.
type Group = Mapping[str, tuple[tuple[str, ...], NDArray[np.floating]]]


def converged(draws: GibbsDraws) -> Convergence:
    """Return the convergence diagnostics of draws."""
    effects = draws.average @ helmert(draws.average.shape[2] + 1)
    looked_at = [*np.moveaxis(effects, 2, 0), draws.effective_scale]
    if draws.slopes is not None:
        slopes = draws.slopes @ helmert(draws.average.shape[2] + 1)
        looked_at += list(np.moveaxis(slopes.reshape(*slopes.shape[:2], -1), 2, 0))
    scales = draws.effect_scale, draws.df, draws.domain_scale
    looked_at += [x for x in scales if x is not None]
    diverging = draws.statistics.get("diverging")
    between = segments_r_hat(draws.mean, draws.square, draws.average.shape[1])
    return settled(looked_at, between, None if diverging is None else int(diverging.sum()))


WARM_UP = 500
_FEWEST_DOMAINS = 3


@dataclass(frozen=True, slots=True)
class BayesFit:
    """Draws with their convergence diagnostics.

    Attributes
    ----------
    model
        What was sampled.
    draws
        The draws.
    convergence
        Convergence diagnostics, which the gates judge.
    extended
        Whether the chains were run on, as the first draws had not passed.
    """

    model: GibbsModel
    draws: GibbsDraws
    convergence: Convergence
    extended: bool


def reduced(scores: "ScoreTable", setting: "Setting") -> ContrastData:
    """Reduce a table to the contrasts of its data sets."""
    name, correlation = setting.measure.name, _correlation(setting)
    try:
        if setting.paired:
            blocks = scores.weighted_blocks(name)
            return reduce_contrasts(
                blocks.dataset,
                blocks.count,
                blocks.mean,
                blocks.within.sum(axis=1),
                correlation,
                blocks.resolution,
                blocks.weight,
            )
        cells = scores.cells(name)
        index, within = np.arange(len(cells.n)), squares_of(cells).sum(axis=1)
        return reduce_contrasts(index, cells.n, np.nan_to_num(cells.mean), within, correlation)
    except FitError as error:
        raise DesignError(
            str(error),
            hint="a comparison needs scores that differ:"
            f" {Either('scores.findings()', 'benchinfer check')} names constant and"
            f" identical algorithms; {Call('compare_points')} describes such a table.",
        ) from None


def _correlation(setting: "Setting") -> float:
    """Return the correlation of replications whose training sets overlap, else 0."""
    resampling = setting.resampling
    return 0.0 if resampling is None else resampling.overlap or 0.0


def dataset_means(
    scores: "ScoreTable", setting: "Setting", data: ContrastData, target: Target
) -> DatasetMeans:
    """Return the means of the data sets; with their errors where claims are about just these."""
    name = setting.measure.name
    cells = scores.cells(name)
    means = average_means(data, cells.mean, cells.n)
    if target == "domain":
        return means
    parts = np.arange(len(cells.n)), cells.n, cells.mean
    if setting.paired:
        blocks = scores.blocks(name)
        parts = blocks.dataset, blocks.count, blocks.mean
    return with_errors(means, data, parts, _correlation(setting))


def domain_level(setting: "Setting", data: ContrastData) -> NDArray[np.int64]:
    """Return the domain of each data set that the model learns from."""
    names, codes = domain_codes(setting)
    domain = np.array(codes)[data.dataset]
    n = len(np.unique(domain))
    if n < _FEWEST_DOMAINS:
        raise DesignError(
            f"the data sets are of {count(n, 'domain')}: {join(names)}.",
            hint=f"how domains vary shows from {_FEWEST_DOMAINS} of them on;"
            f" {Option('domains', 'pooled')} takes them as one,"
            f" {Either('scores.subset(domains=...)', 'a table of some domains')}"
            " compares in one.",
        )
    return domain


def modelled(
    data: ContrastData,
    interactions: Interactions,
    structure: Structure,
    priors: Priors,
    domain: NDArray[np.int64] | None = None,
    covariates: "Array | None" = None,
    means: DatasetMeans | None = None,
) -> GibbsModel:
    """Return what is to be sampled."""
    # Of two algorithms Sigma is one number: scale and matrix would say the same thing twice.
    one = structure == "common" or data.n_algorithms == 2
    kind = "common" if one else "unstructured"
    return GibbsModel(data, interactions, kind, priors, domain, covariates, means)


def fit(
    model: GibbsModel,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: "Progress | None",
    sampler: Sampler = "auto",
) -> BayesFit:
    """Sample the model; run the chains on once where the draws do not pass the gates."""
    if sampler not in {"auto", "gibbs"}:
        return _nuts(model, size, rng, progress, sampler)
    from threadpoolctl import threadpool_limits

    try:
        # Matrices are small: with more threads than one a fit of 40 algorithms takes four times as
        # long, waiting.
        with threadpool_limits(1, user_api="blas"):
            return _gibbs(model, size, rng, progress)
    except np.linalg.LinAlgError:
        raise DesignError(
            "differences are the same on several data sets to the last digit: the posterior of"
            " the interactions' size has a spike at 0 that cannot be sampled.",
            hint=f"{Call('compare_permutation')} needs no model; or give scores with more digits.",
        ) from None


def _gibbs(
    model: GibbsModel, size: tuple[int, int], rng: np.random.Generator, progress: "Progress | None"
) -> BayesFit:
    """Sample by Gibbs; run the chains on once where the gates are not passed."""
    chains, n = size
    start = gibbs.start(model, chains, rng)
    callback = _callback(progress, "warm-up", WARM_UP)
    warm = gibbs.sweep(model, start, rng, WARM_UP, callback=callback)
    draws, now = gibbs.sample(model, warm, n, rng, callback=_callback(progress, "draws", n))
    convergence = converged(draws)
    if convergence.passed:
        return BayesFit(model, draws, convergence, extended=False)
    # What has not settled is no evidence: it becomes part of the warm-up.
    callback = _callback(progress, "more draws", 2 * n)
    draws, _ = gibbs.sample(model, now, 2 * n, rng, callback=callback)
    return BayesFit(model, draws, converged(draws), extended=True)


def _nuts(
    model: GibbsModel,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: "Progress | None",
    engine: Sampler,
) -> BayesFit:
    """Sample by NUTS; once more, longer and with smaller steps, where the gates are not passed."""
    from benchinfer.analyses.bayes.pymc_model import CAREFUL, Nuts

    chains, n = size
    nuts = Nuts.of(model, progress, engine)
    draws = nuts.sample(chains, n, "draws", rng)
    convergence = converged(draws)
    if convergence.passed:
        return BayesFit(model, draws, convergence, extended=False)
    draws = nuts.sample(chains, 2 * n, "more draws", rng, CAREFUL)
    return BayesFit(model, draws, converged(draws), extended=True)


def _callback(progress: "Progress | None", task: str, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(task, done, total)


_DRAW: tuple[str, ...] = ("chain", "draw")
# Names of what has a prior, as users see them.
PARAMETERS = {
    "average": "effect",
    "scale": "interaction_scale",
    "effect_scale": "effect_scale",
    "shrinkage": "shrinkage",
    "df": "degrees_of_freedom",
    "residual_centre": "residual_centre",
    "residual_spread": "residual_spread",
    "domain_scale": "domain_scale",
    "slopes": "slope",
}
# Dimensions of a draw of what is not one number.
_DIMS = {"effect": ("algorithm",), "slope": ("covariate", "algorithm")}


def groups(result: "BayesComparison") -> dict[str, "Group"]:
    """Return groups of the posterior's tree: names to dimensions and values."""
    from benchinfer.analyses.bayes.posterior import prior_draws

    model, thinned = result.sampled, result.draws.thinned
    rng = np.random.default_rng(result.provenance.seed)
    n = result.draws.effects.shape[1]
    prior = prior_draws(model, n, rng, result.along)
    shared = thinned.shared(result.domain, rng, model.covariates)
    shape = (*thinned.scale.shape, len(result.data.z))
    likelihood = log_marginals(result.data, shared)[0].reshape(shape)
    before = shared_prior(model, n, rng)
    new = predictive(model, shared, rng)
    return {
        "prior": {name: ((*_DRAW, *_DIMS.get(name, ())), x) for name, x in prior.items()},
        "log_likelihood": {"scores": ((*_DRAW, "dataset"), likelihood)},
        "log_prior": {
            PARAMETERS[name]: (_DRAW, x) for name, x in log_priors(model, thinned).items()
        },
        "prior_predictive": _effects(model.data, predictive(model, before, rng)[None]),
        "posterior_predictive": _effects(
            model.data, new.reshape(*thinned.scale.shape, *new.shape[1:])
        ),
    }


def _effects(data: ContrastData, found: "Array") -> "Group":
    """Return (..., M, K) effects by cell; ArviZ plots predictions along one dimension."""
    dims = (*_DRAW, "cell") if found.ndim > 2 else ("cell",)
    return {"effect_estimate": (dims, found[..., compared_cells(data)])}


def compared_cells(data: ContrastData) -> NDArray[np.bool_]:
    """Return (M, K) whether a data set compares an algorithm with others."""
    return np.stack([present(data, m) for m in range(len(data.z))])


def observed_effects(data: ContrastData) -> "Array":
    """Return (M, K) least-squares effects of the data sets, on the modelling scale."""
    found = [observed(data, m).effects[0] for m in range(len(data.z))]
    return data.scale * np.stack(found)


def predictive(model: "GibbsModel", shared: Shared, rng: np.random.Generator) -> "Array":
    """Return (N, M, K) least-squares effects of data sets drawn anew, on the modelling scale."""
    last = shared.centre.shape[1] - 1
    drawn = [
        replicate(
            model.data, m, replace(shared, centre=shared.centre[:, [min(m, last)]]), rng
        ).effects
        for m in range(len(model.data.z))
    ]
    return model.data.scale * np.stack(drawn, axis=1)


def shared_prior(model: "GibbsModel", n: int, rng: np.random.Generator) -> Shared:
    """Draw what data sets share from the priors."""
    drawn = draw_prior(model, n, rng)
    average, j = drawn["average"], model.data.n_algorithms - 1
    centre = average[:, None, :]
    if model.domain is not None:
        g = int(model.domain.max()) + 1
        departure = drawn["domain_scale"][:, None, None] * rng.standard_normal((n, g, j))
        centre = centre + departure[:, model.domain]
    if model.covariates is not None:
        centre = centre + model.covariates @ drawn["slopes"]
    covariance = drawn.get("covariance")
    if covariance is None:
        covariance = drawn["scale"][:, None, None] ** 2 * np.eye(j)
    return Shared(
        centre=centre,
        covariance=covariance,
        df=drawn.get("df"),
        residual_centre=drawn.get("residual_centre"),
        residual_spread=drawn.get("residual_spread"),
    )


@savable
@dataclass(frozen=True, slots=True)
class CommonLevels:
    """What algorithms' levels have in common, C chains of length T, on the modelling scale.

    An algorithm's level is its effect on top of these.

    Attributes
    ----------
    average, these
        (C, T) of the average effects, and over the data sets at hand.
    slopes
        (C, T) slopes along each covariate, per unit of it; by covariate.
    domains
        (C, T, G) of the effects in each domain, None without them.
    new_domain
        (C, T) of the effects in a new domain.
    """

    average: Array
    these: Array
    slopes: Mapping[str, Array]
    domains: Array | None = None
    new_domain: Array | None = None


@savable
@dataclass(frozen=True, slots=True)
class PosteriorDraws:
    """Draws of C chains of length T, on the modelling scale, larger is better.

    Attributes
    ----------
    effects
        (C, T, K) average effects of the algorithms; they sum to 0.
    these
        (C, T, K) effects averaged over the data sets at hand.
    following
        (C, T, K) effects on a next data set.
    common
        What levels of the algorithms have in common.
    parameters
        (C, T) numbers by name: ``interaction_scale`` (root of the mean variance of the
        interactions' contrasts), ``effect_scale`` (standard deviation of the average effects'
        contrasts), ``degrees_of_freedom``, ``shrinkage``, ``residual_centre``,
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
    common: CommonLevels
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
        """Return the posterior and what was observed, as ArviZ reads them."""
        from xarray import Dataset, DataTree

        datasets = [setting.coverage.datasets[m] for m in data.dataset]
        cells = [(datasets[m], setting.algorithms[k]) for m, k in np.argwhere(compared_cells(data))]
        coords: dict[str, Any] = {
            "algorithm": list(setting.algorithms),
            "dataset": datasets,
            "domain": sorted(set(setting.domains)),
            "covariate": list(self.slopes),
        }
        of_cells = {
            "dataset": ("cell", [dataset for dataset, _ in cells]),
            "algorithm": ("cell", [algorithm for _, algorithm in cells]),
        }

        def group(of: Group) -> Dataset:
            axes = [axis for dims, x in of.values() for axis in zip(dims, x.shape, strict=True)]
            used = {name: coords.get(name, np.arange(n)) for name, n in axes}
            if "draw" in used and (n := len(used["draw"])) < self.effects.shape[1]:
                used["draw"] = self.thinned.step * np.arange(n)
            found = Dataset({name: (dims, x) for name, (dims, x) in of.items()}, coords=used)
            return found.assign_coords(of_cells) if "cell" in used else found

        groups: dict[str, Group] = {
            "posterior": self._posterior(),
            "observed_data": _effects(data, observed_effects(data)),
            "constant_data": _statistics(data),
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
            "level": self.common.average[:, :, None] + self.effects,
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


def _statistics(data: "ContrastData") -> Group:
    """Return the statistics that the model saw, on the modelling scale, with their dimensions."""
    identified = np.arange(data.z.shape[1]) < data.rank[:, None]
    return {
        "contrast_estimate": (
            ("dataset", "contrast"),
            np.where(identified, data.scale * data.z, np.nan),
        ),
        "residual_square": (("dataset",), data.scale**2 * data.rss),
        "residual_df": (("dataset",), data.df),
    }
