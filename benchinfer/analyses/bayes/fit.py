"""Posterior draws of the hierarchical model for a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bayes.numerics import gibbs, next_dataset
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData, helmert, reduce_contrasts
from benchinfer.analyses.bayes.numerics.dataset_levels import (
    DatasetMeans,
    average_means,
    with_errors,
)
from benchinfer.analyses.bayes.numerics.gibbs import GibbsDraws, GibbsModel, Interactions
from benchinfer.analyses.bayes.numerics.predictive import (
    Thinned,
    compared_cells,
    draw_prior,
    log_marginals,
    log_priors,
    observed_effects,
    predictive,
    shared_prior,
)
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.subgroups import Along
from benchinfer.comparison.checks.groups import domain_codes
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.posterior import Convergence, segments_r_hat, settled
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.numbers import count, join
from benchinfer.core.progress import of_task
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.rows.reductions import squares_of

if TYPE_CHECKING:
    from xarray import DataTree

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.core.progress import Progress
    from benchinfer.scores.table import ScoreTable


type Structure = Literal["auto", "common", "unstructured"]
type Domains = Literal["pooled", "random"]
WARM_UP = 500
_FEWEST_DOMAINS = 3
# Names of dimensions and values, by name.
type Group = Mapping[str, tuple[tuple[str, ...], NDArray[np.floating]]]
_DRAW: tuple[str, ...] = ("chain", "draw")
# Dimensions of a draw of what is not one number.
_DIMS = {"effect": ("algorithm",), "slope": ("covariate", "algorithm")}
# Names of what is one number a draw: in draws, and as users see them.
_NUMBERS = {
    "effective_scale": "interaction_scale",
    "effect_scale": "effect_scale",
    "df": "degrees_of_freedom",
    "shrinkage": "shrinkage",
    "residual_centre": "residual_centre",
    "residual_spread": "residual_spread",
    "domain_scale": "domain_scale",
}
# The same of what has a prior.
PARAMETERS = {
    **_NUMBERS,
    "scale": "interaction_scale",
    "average": "effect",
    "slopes": "slope",
}


def converged(draws: GibbsDraws) -> Convergence:
    """Return the convergence diagnostics of draws."""
    effects = draws.average @ helmert(draws.average.shape[2] + 1)
    looked_at = [*np.moveaxis(effects, 2, 0), draws.effective_scale]
    if draws.slopes is not None:
        slopes = draws.slopes @ helmert(draws.average.shape[2] + 1)
        looked_at += list(np.moveaxis(slopes.reshape(*slopes.shape[:2], -1), 2, 0))
    scales = draws.effect_scale, draws.df, draws.domain_scale
    looked_at += [x for x in scales if x is not None]
    between = segments_r_hat(draws.mean, draws.square, draws.average.shape[1])
    return settled(looked_at, between, None)


@dataclass(frozen=True, slots=True)
class BayesFit:
    """Draws with their convergence diagnostics."""

    model: GibbsModel  # what was sampled
    draws: GibbsDraws
    convergence: Convergence  # convergence diagnostics, which the gates judge
    extended: bool  # whether the chains were run on, as the first draws had not passed


def reduced(scores: ScoreTable, setting: Setting) -> ContrastData:
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
            hint="a comparison needs scores that differ: scores.findings() names constant and"
            " identical algorithms; compare_points describes such a table.",
        ) from None


def _correlation(setting: Setting) -> float:
    """Return the correlation of replications whose training sets overlap, else 0."""
    resampling = setting.resampling
    return 0.0 if resampling is None else resampling.overlap or 0.0


def dataset_means(
    scores: ScoreTable, setting: Setting, data: ContrastData, target: Target
) -> DatasetMeans:
    """Return the means of the data sets, with their errors where claims are about these alone."""
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


def domain_level(setting: Setting, data: ContrastData) -> Codes:
    """Return the domain of each data set in the model."""
    names, codes = domain_codes(setting)
    domain = np.array(codes)[data.dataset]
    n = len(np.unique(domain))
    if n < _FEWEST_DOMAINS:
        raise DesignError(
            f"the data sets are of {count(n, 'domain')}: {join(names)}.",
            hint=f"how domains vary shows from {_FEWEST_DOMAINS} of them on;"
            ' domains="pooled" takes them as one,'
            " scores.subset(domains=...) compares in one.",
        )
    return domain


def modelled(
    data: ContrastData,
    interactions: Interactions,
    structure: Structure,
    priors: Priors,
    domain: Codes | None = None,
    covariates: Array | None = None,
    means: DatasetMeans | None = None,
) -> GibbsModel:
    """Return the model to be sampled."""
    # Of two algorithms Sigma is one number: scale and matrix would say the same thing twice.
    one = structure == "common" or data.n_algorithms == 2
    kind = "common" if one else "unstructured"
    return GibbsModel(data, interactions, kind, priors, domain, covariates, means)


def fit(
    model: GibbsModel,
    size: tuple[int, int],
    rng: np.random.Generator,
    progress: Progress | None,
) -> BayesFit:
    """Sample the model; continue the chains once where the draws fail the convergence checks."""
    from threadpoolctl import threadpool_limits

    try:
        # Matrices are small: with more threads than one a fit of 40 algorithms takes four times as
        # long, waiting.
        with threadpool_limits(1, user_api="blas"):
            chains, n = size
            start = gibbs.start(model, chains, rng)
            callback = of_task(progress, "warm-up", WARM_UP)
            warm = gibbs.sweep(model, start, rng, WARM_UP, callback=callback)
            draws, now = gibbs.sample(model, warm, n, rng, callback=of_task(progress, "draws", n))
            convergence = converged(draws)
            if convergence.passed:
                return BayesFit(model, draws, convergence, extended=False)
            # What has not settled is no evidence: it becomes part of the warm-up.
            callback = of_task(progress, "more draws", 2 * n)
            draws, _ = gibbs.sample(model, now, 2 * n, rng, callback=callback)
            return BayesFit(model, draws, converged(draws), extended=True)
    except np.linalg.LinAlgError:
        raise DesignError(
            "differences are the same on several data sets to the last digit: the posterior of the"
            " interactions' size has a spike at 0 that cannot be sampled.",
            hint="compare_permutation needs no model; or give scores with more digits.",
        ) from None


@savable
@shaped(average="C T", these="C T", slopes="C T", domains="C T G", new_domain="C T")
@dataclass(frozen=True, slots=True)
class CommonLevels:
    """Common part of the algorithms' levels, C chains of length T, on the modelling scale.

    An algorithm's level is its effect on top of these.
    """

    # average, these: (C, T) of the average effects, and over the data sets at hand
    average: Array
    these: Array
    slopes: Mapping[str, Array]  # (C, T) slopes along each covariate, per unit of it; by covariate
    domains: Array | None = None  # (C, T, G) of the effects in each domain, None without them
    new_domain: Array | None = None  # (C, T) of the effects in a new domain


@savable
@shaped(
    effects="C T K",
    these="C T K",
    following="C T K",
    common=SAME,
    parameters="C T",
    dataset_mean="M J",
    dataset_sd="M J [0,inf)",
    domains="C T G K",
    new_domain="C T K",
    slopes="C T K",
)
@dataclass(frozen=True, slots=True)
class PosteriorDraws:
    """Draws of C chains of length T, on the modelling scale, larger is better."""

    effects: Array  # (C, T, K) average effects of the algorithms; they sum to 0
    these: Array  # (C, T, K) effects averaged over the data sets at hand
    following: Array  # (C, T, K) effects on a next data set
    common: CommonLevels  # what levels of the algorithms have in common
    # (C, T) numbers by name: ``interaction_scale`` (root of the mean variance of the interactions'
    # contrasts), ``effect_scale`` (standard deviation of the average effects' contrasts),
    # ``degrees_of_freedom``, ``shrinkage``, ``residual_centre``, ``residual_spread`` (of log
    # residual standard deviations) and ``domain_scale``, where the model has them
    parameters: Mapping[str, Array]
    # dataset_mean, dataset_sd: (M, K - 1) posterior means and standard deviations of the
    # orthonormal contrasts of the effects on each data set
    dataset_mean: Array
    dataset_sd: Array
    thinned: Thinned  # some of the draws of what data sets share, by which the model is checked
    domains: Array | None  # (C, T, G, K) effects in each domain that the model has, else None
    new_domain: Array | None  # (C, T, K) effects in a new domain
    statistics: Mapping[str, Array]  # (C, T) numbers that tell how the sampler fared, by name
    # (C, T, K) slopes of the effects along each covariate, per unit of it; by covariate
    slopes: Mapping[str, Array] = field(default_factory=dict[str, Array])


def posterior_draws(
    fitted: BayesFit, centre: Array | None, along: Along | None, rng: np.random.Generator
) -> PosteriorDraws:
    """Return the draws of a fit on the modelling scale.

    Parameters
    ----------
    fitted
        The fit.
    centre
        (C, T, J) contrasts of the effects in a new domain; None without domains.
    along
        Covariates of the data sets; None without them.
    rng
        Random numbers.
    """
    drawn, data = fitted.draws, fitted.model.data
    scale, h = data.scale, helmert(data.n_algorithms)
    domains, slopes = None, {}
    if drawn.domain is not None:
        domains = scale * (drawn.average[:, :, None, :] + drawn.domain) @ h
    if drawn.slopes is not None and along is not None:
        each = scale * (drawn.slopes / along.spread[:, None]) @ h
        slopes = {name: each[:, :, i] for i, name in enumerate(along.names)}
    n = drawn.average.shape[1] / len(drawn.mean)
    mean = drawn.mean.mean(axis=(0, 1))
    between = ((drawn.mean - mean) ** 2).mean(axis=(0, 1))
    return PosteriorDraws(
        effects=scale * (drawn.average @ h),
        these=scale * (drawn.these @ h),
        following=scale * next_dataset.next_effects(drawn, rng, centre),
        common=_common(fitted, centre, along, rng.spawn(1)[0]),
        parameters=_parameters({name: getattr(drawn, name) for name in _NUMBERS}, data),
        dataset_mean=scale * mean,
        dataset_sd=scale * np.sqrt(drawn.square.mean(axis=(0, 1)) / n + between),
        thinned=Thinned.of(drawn),
        domains=domains,
        new_domain=None if centre is None else scale * (centre @ h),
        statistics={"log_likelihood": drawn.log_likelihood.sum(axis=2)},
        slopes=slopes,
    )


def _common(
    fitted: BayesFit, centre: Array | None, along: Along | None, rng: np.random.Generator
) -> CommonLevels:
    """Return the common part of the algorithms' levels, on the modelling scale."""
    scale, drawn, levels = fitted.model.data.scale, fitted.draws, fitted.draws.levels
    if levels is None:  # variants of the model, whose levels nobody reads
        nothing = np.zeros(drawn.average.shape[:2])
        slopes = {} if along is None else dict.fromkeys(along.names, nothing)
        return CommonLevels(nothing, nothing, slopes)
    slopes, domains, new = {}, None, None
    if along is not None:
        each = scale * levels.along / along.spread
        slopes = {name: each[:, :, i] for i, name in enumerate(along.names)}
    if drawn.domain is not None and centre is not None:
        rest = np.einsum("ctj,ctgj->ctg", levels.slopes, drawn.domain)
        domains = scale * (levels.average[:, :, None] + levels.domain + rest)
        departure = levels.domain_scale * rng.standard_normal(levels.average.shape)
        rest = (levels.slopes * (centre - drawn.average)).sum(axis=2)
        new = scale * (levels.average + departure + rest)
    return CommonLevels(scale * levels.average, scale * levels.these, slopes, domains, new)


def _parameters(parameters: Mapping[str, Array | None], data: ContrastData) -> dict[str, Array]:
    """Return parameters by the names that users see, on the modelling scale."""
    known = {name: x for name in _NUMBERS if (x := parameters.get(name)) is not None}
    for name in {"effective_scale", "effect_scale", "domain_scale"} & set(known):
        known[name] = data.scale * known[name]
    if "residual_centre" in known:
        known["residual_centre"] = known["residual_centre"] + data.log_sd + np.log(data.scale)
    return {_NUMBERS[name]: x for name, x in known.items()}


def predictive_groups(result: BayesComparison) -> dict[str, Group]:
    """Return the groups of the tree for priors, predictions and densities, drawn when requested."""
    model, thinned = result.sampled, result.draws.thinned
    rng = np.random.default_rng(result.provenance.seed)
    n = result.draws.effects.shape[1]
    drawn, h = draw_prior(model, n, rng), helmert(model.data.n_algorithms)
    scale = model.data.scale
    prior = {"effect": scale * drawn["average"] @ h, **_parameters(drawn, model.data)}
    if result.along is not None:
        prior["slope"] = scale * (drawn["slopes"] / result.along.spread[:, None]) @ h
    shared = thinned.shared(result.domain, rng, model.covariates)
    shape = (*thinned.scale.shape, len(result.data.z))
    likelihood = log_marginals(result.data, shared)[0].reshape(shape)
    before = shared_prior(model, n, rng)
    new = predictive(model, shared, rng)
    densities = log_priors(model, thinned).items()
    return {
        "prior": {name: ((*_DRAW, *_DIMS.get(name, ())), x[None]) for name, x in prior.items()},
        "log_likelihood": {"scores": ((*_DRAW, "dataset"), likelihood)},
        "log_prior": {PARAMETERS[name]: (_DRAW, x) for name, x in densities},
        "prior_predictive": _cell_effects(model.data, predictive(model, before, rng)[None]),
        "posterior_predictive": _cell_effects(
            model.data, new.reshape(*thinned.scale.shape, *new.shape[1:])
        ),
    }


def _cell_effects(data: ContrastData, effects: Array) -> Group:
    """Return (..., M, K) effects by cell; ArviZ plots predictions along one dimension."""
    dims = (*_DRAW, "cell") if effects.ndim > 2 else ("cell",)
    return {"effect_estimate": (dims, effects[..., compared_cells(data)])}


def tree(
    draws: PosteriorDraws, setting: Setting, data: ContrastData, more: Mapping[str, Group]
) -> DataTree:
    """Return draws and observations, as ArviZ reads them."""
    from xarray import Dataset, DataTree

    datasets = [setting.coverage.datasets[m] for m in data.dataset]
    cells = [(datasets[m], setting.algorithms[k]) for m, k in np.argwhere(compared_cells(data))]
    coords: dict[str, Any] = {
        "algorithm": list(setting.algorithms),
        "dataset": datasets,
        "domain": sorted(set(setting.domains)),
        "covariate": list(draws.slopes),
    }
    of_cells = {
        "dataset": ("cell", [dataset for dataset, _ in cells]),
        "algorithm": ("cell", [algorithm for _, algorithm in cells]),
    }

    def dataset(group: Group) -> Dataset:
        axes = [axis for dims, x in group.values() for axis in zip(dims, x.shape, strict=True)]
        used = {name: coords.get(name, np.arange(n)) for name, n in axes}
        if "draw" in used and (n := len(used["draw"])) < draws.effects.shape[1]:
            used["draw"] = draws.thinned.step * np.arange(n)
        variables = Dataset({name: (dims, x) for name, (dims, x) in group.items()}, coords=used)
        return variables.assign_coords(of_cells) if "cell" in used else variables

    identified = np.arange(data.z.shape[1]) < data.rank[:, None]
    estimates = np.where(identified, data.scale * data.z, np.nan)
    groups: dict[str, Group] = {
        "posterior": _posterior(draws),
        "observed_data": _cell_effects(data, observed_effects(data)),
        "constant_data": {
            "contrast_estimate": (("dataset", "contrast"), estimates),
            "residual_square": (("dataset",), data.scale**2 * data.rss),
            "residual_df": (("dataset",), data.df),
        },
        **more,
    }
    if draws.statistics:
        groups["sample_stats"] = {name: (_DRAW, x) for name, x in draws.statistics.items()}
    return DataTree.from_dict({name: dataset(group) for name, group in groups.items()})


def _posterior(draws: PosteriorDraws) -> Group:
    """Return the draws with their dimensions."""
    by_algorithm = {
        "effect": draws.effects,
        "effect_these": draws.these,
        "effect_next": draws.following,
        "level": draws.common.average[:, :, None] + draws.effects,
        **({} if draws.new_domain is None else {"effect_new_domain": draws.new_domain}),
    }
    variables: dict[str, tuple[tuple[str, ...], Array]] = {
        **{name: ((*_DRAW, "algorithm"), x) for name, x in by_algorithm.items()},
        **{name: (_DRAW, x) for name, x in draws.parameters.items()},
    }
    if draws.domains is not None:
        variables["effect_domain"] = ((*_DRAW, "domain", "algorithm"), draws.domains)
    if draws.slopes:
        each = np.stack(list(draws.slopes.values()), axis=2)
        variables["slope"] = ((*_DRAW, "covariate", "algorithm"), each)
    return variables


def sources(model: GibbsModel, *, overlap: bool) -> list[object]:
    """Return the functions of a fit whose docstrings name their sources."""
    from benchinfer.analyses.bayes.numerics import scales, slices
    from benchinfer.analyses.bayes.numerics.covariance import draw_unstructured
    from benchinfer.analyses.bayes.numerics.effects import draw_effects
    from benchinfer.numerics.posterior.outcome_probabilities import average_outcomes

    used: list[object] = [settled, gibbs.sample, slices.moved, scales.draw_scales, average_outcomes]
    if model.structure == "unstructured":
        used.append(draw_unstructured)
    if model.domain is not None:
        used.append(draw_effects)
    if overlap:
        used.append(reduce_contrasts)
    return used
