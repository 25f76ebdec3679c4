"""Verdicts and evidence from the draws of the hierarchical model."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from benchinfer.analyses.bayes import diagnostics
from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.bayes.fit import BayesFit, CommonLevels, PosteriorDraws
from benchinfer.analyses.bayes.numerics import next_dataset
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData, helmert
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.predictive import Thinned, draw_prior
from benchinfer.analyses.bayes.options import BayesOptions
from benchinfer.analyses.bayes.subgroups import Along
from benchinfer.comparison import checks
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import Array, Setting
from benchinfer.comparison.posterior import codes_of, level_of
from benchinfer.core.provenance import Provenance
from benchinfer.numerics import outcome_probabilities
from benchinfer.numerics.outcome_probabilities import Outcomes, Ranks

# Names of parameters: in draws, and as users see them.
_NAMES = {
    "effective_scale": "interaction_scale",
    "effect_scale": "effect_scale",
    "df": "degrees_of_freedom",
    "shrinkage": "shrinkage",
    "residual_centre": "residual_centre",
    "residual_spread": "residual_spread",
    "domain_scale": "domain_scale",
}


def compared(
    setting: Setting,
    fitted: BayesFit,
    target: Target,
    options: BayesOptions,
    rng: np.random.Generator,
    along: Along | None = None,
) -> BayesComparison:
    """Return the comparison of a fit."""
    scale, margin, level = fitted.model.data.scale, setting.measure.margin, options.level
    centre = next_dataset.new_domain(fitted.draws, rng)
    stored = replace(_stored(fitted, centre, along, rng), slopes=_slopes(fitted, along))
    domain = target == "domain"
    effects = stored.effects if domain else stored.these
    common = stored.common.average if domain else stored.common.these
    levels = level_of(common[:, :, None] + effects, level)
    family = options.family(setting.algorithms, levels.estimate)
    matrix, ranks = family.matrix[family.wanted], outcome_probabilities.ranks(effects, margin)
    average = outcome_probabilities.average_outcomes(effects, matrix, margin, level)
    new = following = None
    if domain:
        setup = matrix, margin / scale, level, centre
        unscaled = next_dataset.next_outcomes(fitted.draws, stored.following / scale, *setup)
        new = _scaled(unscaled, scale)
        following = outcome_probabilities.ranks(stored.following, margin)
    chosen = new if options.quantity == "next" and new is not None else average
    error = _largest_error(average, ranks, new, following)
    codes = codes_of(chosen, level, settled=fitted.convergence.settled)
    sides = family.read_sides(setting.algorithms, levels.estimate)
    turned = diagnostics.other_sign(setting, fitted.model.data, matrix, sides, codes)
    rows = diagnostics.checks(setting, fitted, error, target, turned)
    return BayesComparison(
        setting=setting,
        pairs=family.pairs[family.wanted],
        codes=codes,
        level=level,
        target=target,
        levels=levels,
        stored_checks=(*rows, *checks.legal(setting, levels)),
        provenance=provenance(setting, family, options),
        sides=family.sides[family.wanted],
        names=family.names[family.wanted],
        quantity="next" if options.quantity == "next" else "average",
        structure=fitted.model.structure,
        average=average,
        following=new,
        ranks=ranks,
        ranks_following=following,
        data=fitted.model.data,
        convergence=fitted.convergence,
        extended=fitted.extended,
        draws=stored,
        domain=fitted.model.domain,
        along=along,
    )


def _largest_error(*parts: Outcomes | Ranks | None) -> float:
    """Return the largest Monte Carlo error of a probability."""
    return max(float(part.error.max()) for part in parts if part is not None)


def _stored(
    fitted: BayesFit, centre: Array | None, along: Along | None, rng: np.random.Generator
) -> PosteriorDraws:
    """Return the draws that results hold, on the modelling scale."""
    drawn, data = fitted.draws, fitted.model.data
    scale, h = data.scale, helmert(data.n_algorithms)
    domains = None
    if drawn.domain is not None:
        domains = scale * (drawn.average[:, :, None, :] + drawn.domain) @ h
    n = drawn.average.shape[1] / len(drawn.mean)
    mean = drawn.mean.mean(axis=(0, 1))
    between = ((drawn.mean - mean) ** 2).mean(axis=(0, 1))
    return PosteriorDraws(
        effects=scale * (drawn.average @ h),
        these=scale * (drawn.these @ h),
        following=scale * next_dataset.next_effects(drawn, rng, centre),
        common=_common(fitted, centre, along, rng.spawn(1)[0]),
        parameters=_parameters({name: getattr(drawn, name) for name in _NAMES}, data),
        dataset_mean=scale * mean,
        dataset_sd=scale * np.sqrt(drawn.square.mean(axis=(0, 1)) / n + between),
        thinned=Thinned.of(drawn),
        domains=domains,
        new_domain=None if centre is None else scale * (centre @ h),
        statistics={
            "log_likelihood": drawn.log_likelihood.sum(axis=2),
            **drawn.statistics,
        },
    )


def _slopes(fitted: BayesFit, along: Along | None) -> dict[str, Array]:
    """Return (C, T, K) slopes per unit of each covariate, on the modelling scale."""
    slopes, data = fitted.draws.slopes, fitted.model.data
    if slopes is None or along is None:
        return {}
    each = data.scale * (slopes / along.spread[:, None]) @ helmert(data.n_algorithms)
    return {name: each[:, :, i] for i, name in enumerate(along.names)}


def _common(
    fitted: BayesFit, centre: Array | None, along: Along | None, rng: np.random.Generator
) -> CommonLevels:
    """Return what levels have in common, on the modelling scale."""
    scale, drawn, levels = fitted.model.data.scale, fitted.draws, fitted.draws.levels
    if levels is None:  # other models beside the comparison, whose levels nobody reads
        nothing = np.zeros(drawn.average.shape[:2])
        return CommonLevels(nothing, nothing, {})
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
    known = {name: x for name in _NAMES if (x := parameters.get(name)) is not None}
    for name in {"effective_scale", "effect_scale", "domain_scale"} & set(known):
        known[name] = data.scale * known[name]
    if "residual_centre" in known:
        known["residual_centre"] = known["residual_centre"] + data.log_sd + np.log(data.scale)
    return {_NAMES[name]: x for name, x in known.items()}


def prior_draws(
    model: GibbsModel, n: int, rng: np.random.Generator, along: Along | None = None
) -> dict[str, Array]:
    """Draw the priors on the modelling scale."""
    drawn = draw_prior(model, n, rng)
    scale, h = model.data.scale, helmert(model.data.n_algorithms)
    known = {"effect": scale * drawn["average"] @ h, **_parameters(drawn, model.data)}
    if along is not None:
        known["slope"] = scale * (drawn["slopes"] / along.spread[:, None]) @ h
    return {name: x[None] for name, x in known.items()}


def _scaled(outcomes: Outcomes, scale: float) -> Outcomes:
    return replace(
        outcomes,
        estimate=scale * outcomes.estimate,
        low=scale * outcomes.low,
        high=scale * outcomes.high,
    )


def provenance(setting: Setting, family: ContrastFamily, options: BayesOptions) -> Provenance:
    """Return the provenance of a comparison by one model of all algorithms."""
    shrinkage = ""
    if options.model_priors.effect_sd is None:
        shrinkage = ", which shrinks the algorithms' effects by an estimated scale"
    return options.provenance(
        setting.digest,
        f"Probabilities of {family.words} are those of one joint model{shrinkage};"
        " none is adjusted for the number of pairs",
        options.seed,
    )
