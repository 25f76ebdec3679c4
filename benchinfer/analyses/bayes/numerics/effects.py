"""Conditional draws of effects and interactions, in one chain.

theta_m = beta + B' x_m + g_d(m) + w_m,  g_d ~ N(0, s_g^2 I)

with covariates x centred and scaled, domains d, and interactions w. Given scales everything is
normal, ``z_m ~ N(X_m (theta_m - w_m), lam_m X_m Sigma X_m' + sigma_m^2 D_m)``: beta and B are drawn
together, with w and the domains' g integrated out; then g with w integrated out; then w. Few
domains tie g and s_g closely, so that s_g is drawn twice, given g and given ``g / s_g``
(interweaving).

On whole data sets, where X is the identity and ``D = c I``, the eigenvectors of Sigma turn all data
sets into independent numbers at once; the others take one small system each.
"""

from math import exp, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import (
    CompiledModel,
    CompiledPriors,
    GibbsState,
    inlined,
    part,
)
from benchinfer.analyses.bayes.numerics.covariance import (
    add,
    add_block,
    apply,
    block,
    composed,
    copy,
    draw_normal,
    eigen,
    factorise,
    product,
    scaled,
    solve,
    solve_lower,
    solve_upper,
    transposed,
)
from benchinfer.analyses.bayes.numerics.scales import (
    WIDTH,
    draw_effect_sd,
    log_half_t,
    slice_sampler,
)
from benchinfer.numerics.types import Array


class EffectLikelihood(NamedTuple):
    """Likelihood of the effects on the data sets, the interactions integrated out.

    Attributes
    ----------
    z, turned
        (M, J) contrasts, and those of whole data sets along the eigenvectors of Sigma.
    between, error
        (M, J) and (M,) their variances by interactions and by noise.
    mixed
        (R, J, J) maps of the other data sets from standard normal variables to what their contrasts
        see of the interactions.
    factor
        (R, J, J) their contrasts' covariances, factorised. Contrasts that a data set does not
        identify are independent, with variance 1.
    """

    z: Array
    turned: Array
    between: Array
    error: Array
    mixed: Array
    factor: Array


@part
def residual_variances(model: CompiledModel, log_sd: Array) -> Array:
    """Return (M,) residual variances, 0 where there are no residuals."""
    variances = np.empty(len(log_sd))
    for m in range(len(log_sd)):
        variances[m] = model.pooled * exp(2 * log_sd[m])
    return variances


@part
def centres(model: CompiledModel, now: GibbsState, c: int) -> Array:
    """Return (M, J) what the data sets' effects depart from in chain c."""
    (m, j), (q, g) = now.interaction.shape[1:], (now.slopes.shape[1], now.domains.shape[1])
    centre = np.empty((m, j))
    for i in range(m):
        for k in range(j):
            centre[i, k] = now.average[c, k]
            for a in range(q):
                centre[i, k] += model.covariates[i, 1 + a] * now.slopes[c, a, k]
            if g:
                centre[i, k] += now.domains[c, model.domain[i], k]
    return centre


@part
def likelihood(model: CompiledModel, now: GibbsState, c: int) -> EffectLikelihood:
    """Return the likelihood of the effects in chain c."""
    z, vectors = model.z[min(c, len(model.z) - 1)], now.vectors[c]
    noise, (m, j) = residual_variances(model, now.log_sd[c]), z.shape
    between, root = np.empty((m, j)), np.empty(j)
    for k in range(j):
        root[k] = sqrt(now.values[c, k])
        for i in range(m):
            between[i, k] = now.mixing[c, i] * now.values[c, k]
    r = len(model.others)
    mixed, factor, roots = np.empty((r, j, j)), np.empty((r, j, j)), scaled(vectors, root)
    for i in range(r):
        o = model.others[i]
        seen = product(model.design[o], roots)
        for k in range(j):
            for b in range(j):
                mixed[i, k, b] = sqrt(now.mixing[c, o]) * seen[k, b]
        total = product(mixed[i], transposed(mixed[i]))
        for k in range(j):
            total[k, k] += noise[o] * model.variance[o, k] if k < model.rank[o] else 1.0
        factorise(total)
        copy(factor[i], total)
    for i in range(m):
        noise[i] *= model.variance[i, 0]
    return EffectLikelihood(z, product(z, vectors), between, noise, mixed, factor)


@part
def log_densities(model: CompiledModel, seen: EffectLikelihood, now: GibbsState, c: int) -> Array:
    """Return (M,) log densities of the contrasts in chain c."""
    z, centre = seen.z, centres(model, now, c)
    turned = product(centre, now.vectors[c])
    j, densities = z.shape[1], np.empty(len(z))
    for m in range(len(z)):
        core = 0.0
        for k in range(j):
            total = seen.between[m, k] + seen.error[m]
            core += (seen.turned[m, k] - turned[m, k]) ** 2 / total + log(total)
        densities[m] = -(core + j * log(2 * pi)) / 2
    for i in range(len(model.others)):
        m, factor = model.others[i], seen.factor[i]
        missed = apply(model.design[m], centre[m])
        for k in range(j):
            missed[k] = z[m, k] - missed[k]
        solve_lower(factor, missed)
        core = model.rank[m] * log(2 * pi)
        for k in range(j):
            core += missed[k] ** 2 + 2 * log(factor[k, k])
        densities[m] = -core / 2
    return densities


def draws_jointly(model: CompiledModel, now: GibbsState) -> bool | None:
    """Return True with covariates, domains or gaps, None where contrasts are independent.

    None is known when code is compiled, and saves to compile what is not called.
    """
    more = model.covariates.shape[1] > 1 or now.domains.shape[1] or len(model.others)
    return True if more else None


@part
def draw_effects(
    model: CompiledModel,
    now: GibbsState,
    c: int,
    joint: bool | None,  # noqa: FBT001
    rng: np.random.Generator,
) -> None:
    """Draw average effects, slopes along covariates, departures of domains, and interactions.

    They change in place in chain c, with the scales of average effects and domains. `joint` is as
    in `draws_jointly`.

    References
    ----------
    Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
    Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
    """
    seen = likelihood(model, now, c)
    if joint is None:
        _draw_average(model.prior, seen, now, c, rng)
    else:
        g = now.domains.shape[1]
        precision, shift = _information(model, seen, now.vectors[c], max(g, 1))
        _draw_coefficients(precision, shift, model.prior, now, c, rng)
        if g:
            _draw_domains(precision, shift, model.prior, now, c, rng)
    _draw_interactions(model, seen, now, c, rng)


@part
def _draw_average(
    prior: CompiledPriors, seen: EffectLikelihood, now: GibbsState, c: int, rng: np.random.Generator
) -> None:
    """Draw average effects and their scale where all data sets are whole."""
    m, j = seen.z.shape
    precision, shift = np.zeros(j), np.zeros(j)
    for i in range(m):
        for k in range(j):
            weight = 1 / (seen.between[i, k] + seen.error[i])
            precision[k] += weight
            shift[k] += weight * seen.turned[i, k]
    now.effect_sd[c] = draw_effect_sd(now.effect_sd[c], now.scale[c], precision, shift, prior, rng)
    for k in range(j):
        precision[k] += now.effect_sd[c] ** -2
        shift[k] = shift[k] / precision[k] + rng.standard_normal() / sqrt(precision[k])
    average = apply(now.vectors[c], shift)
    for k in range(j):
        now.average[c, k] = average[k]


@part
def _information(
    model: CompiledModel, seen: EffectLikelihood, vectors: Array, g: int
) -> tuple[Array, Array]:
    """Return (G, p J, p J) precisions and (G, p J) shifts of coefficients of the covariates."""
    j, p = seen.z.shape[1], model.covariates.shape[1]
    precision, shift = np.zeros((g, p * j, p * j)), np.zeros((g, p * j))
    weight, along = _sums(model, seen, g)
    for d in range(g):
        for a in range(p):
            add(shift[d], a * j, 1.0, apply(vectors, along[d, a]))
            for b in range(p):
                add_block(precision[d], a * j, b * j, 1.0, composed(vectors, weight[d, a, b]))
    half = np.empty((j + 1, j))
    for i in range(len(model.others)):
        o = model.others[i]
        d, x = model.domain[o], model.covariates[o]
        copy(half, transposed(model.design[o]))
        for k in range(j):
            half[j, k] = seen.z[o, k]
            solve_lower(seen.factor[i], half[k])
        solve_lower(seen.factor[i], half[j])
        full, pulled = product(half[:j], transposed(half[:j])), apply(half[:j], half[j])
        for a in range(p):
            add(shift[d], a * j, x[a], pulled)
            for b in range(p):
                add_block(precision[d], a * j, b * j, x[a] * x[b], full)
    return precision, shift


@part
def _sums(model: CompiledModel, seen: EffectLikelihood, g: int) -> tuple[Array, Array]:
    """Return sums over whole data sets along the eigenvectors of Sigma, for each domain.

    (G, p, p, J) inverse variances times products of two covariates, and (G, p, J) inverse variances
    times contrasts and a covariate.
    """
    (m, j), x, p = seen.z.shape, model.covariates, model.covariates.shape[1]
    weight, along = np.zeros((g, p, p, j)), np.zeros((g, p, j))
    for i in range(m):
        d = model.domain[i]
        for k in range(j if model.balanced[i] else 0):
            inverse = 1 / (seen.between[i, k] + seen.error[i])
            for a in range(p):
                along[d, a, k] += x[i, a] * (inverse * seen.turned[i, k])
                for b in range(p):
                    weight[d, a, b, k] += x[i, a] * x[i, b] * inverse
    return weight, along


@inlined
def _draw_coefficients(
    precision: Array,
    shift: Array,
    prior: CompiledPriors,
    now: GibbsState,
    c: int,
    rng: np.random.Generator,
) -> None:
    """Draw average effects and slopes together, the domains' departures integrated out.

    Of each of G domains, ``(G, p J, p J)`` precision and ``(G, p J)`` shift say what its data sets
    do of the coefficients.
    """
    (g, n), j = shift.shape, now.average.shape[1]
    total, pulled = np.zeros((n, n)), np.zeros(n)
    for d in range(g):
        if now.domains.shape[1]:
            _integrate_domain(precision[d], shift[d], now.domain_scale[c] ** -2, total, pulled, j)
        else:
            add_block(total, 0, 0, 1.0, precision[d])
            add(pulled, 0, 1.0, shift[d])
    for i in range(j, n):
        total[i, i] += prior.slope_sd**-2
    now.effect_sd[c] = _draw_effect_sd(total, pulled, prior, now, c, rng)
    for i in range(j):
        total[i, i] += now.effect_sd[c] ** -2
    drawn = draw_normal(total, pulled, rng)
    for i in range(n):
        if i < j:
            now.average[c, i] = drawn[i]
        else:
            now.slopes[c, i // j - 1, i % j] = drawn[i]


@part
def _integrate_domain(
    precision: Array, shift: Array, inner: float, total: Array, pulled: Array, j: int
) -> None:
    """Add what a domain's data sets say of the coefficients, its departure integrated out.

    Of (n, n) precision and (n,) shift, where departures have precision `inner`.
    """
    n, middle, held = len(shift), block(precision, 0, j), np.empty((len(shift) + 1, j))
    for i in range(j):
        middle[i, i] += inner
        held[n, i] = shift[i]
        for k in range(n):
            held[k, i] = precision[i, k]
    solve(middle, held)
    # (P^-1 + s^2 I)^-1 = s^-2 I - s^-4 (P + s^-2 I)^-1, also where P is singular.
    for i in range(j):
        pulled[i] += inner * held[n, i]
        for k in range(n):
            total[i, k] += inner * held[k, i]
            if k >= j:
                total[k, i] += inner * held[k, i]
    for i in range(j, n):
        explained = apply(held, precision[i][:j])
        pulled[i] += shift[i] - explained[n]
        for k in range(j, n):
            total[i, k] += precision[i, k] - explained[k]


@part
def _draw_effect_sd(
    total: Array,
    shift: Array,
    prior: CompiledPriors,
    now: GibbsState,
    c: int,
    rng: np.random.Generator,
) -> float:
    """Draw the standard deviation of the J average effects, the slopes integrated out."""
    if prior.effect_sd:
        return now.effect_sd[c]
    j, n = now.average.shape[1], len(total)
    precision, right = block(total, 0, j), np.empty((j + 1, n - j))
    for i in range(j, n):
        right[j, i - j] = shift[i]
        for k in range(j):
            right[k, i - j] = total[i, k]
    solve(block(total, j, n - j), right)
    turned, rest = np.zeros(j), shift[:j].copy()
    for i in range(j):
        for b in range(j, n):
            rest[i] -= total[i, b] * right[j, b - j]
            for k in range(j):
                precision[i, k] -= total[i, b] * right[k, b - j] / 2
                precision[k, i] -= total[i, b] * right[k, b - j] / 2
    values, vectors = eigen(precision)
    for i in range(j):
        for k in range(j):
            turned[k] += vectors[i, k] * rest[i]
    return draw_effect_sd(now.effect_sd[c], now.scale[c], values, turned, prior, rng)


@part
def _log_domain_unit(u: float, given: tuple[float, float, float]) -> float:
    linear, square, scale = given
    s = exp(u)
    return s * linear - s**2 * square / 2 + log_half_t(u, scale)


_move_domain_unit = slice_sampler(_log_domain_unit)


@part
def _log_domain(u: float, given: tuple[int, float, float]) -> float:
    n, square, scale = given
    return -n * u - square * exp(-2 * u) / 2 + log_half_t(u, scale)


_move_domain = slice_sampler(_log_domain)


@part
def _draw_domains(
    precision: Array,
    shift: Array,
    prior: CompiledPriors,
    now: GibbsState,
    c: int,
    rng: np.random.Generator,
) -> None:
    """Draw the domains' departures and their scale, given what they depart from.

    Precision and shift, as in `_draw_coefficients`, change in place.
    """
    (g, n), j = shift.shape, now.average.shape[1]
    coefficients, linear, square = np.empty(n), 0.0, 0.0
    for i in range(n):
        coefficients[i] = now.average[c, i] if i < j else now.slopes[c, i // j - 1, i % j]
    for d in range(g):
        add(shift[d], 0, -1.0, apply(precision[d], coefficients))
        middle = block(precision[d], 0, j)
        for i in range(j):
            middle[i, i] += now.domain_scale[c] ** -2
        drawn = draw_normal(middle, shift[d, :j], rng)
        for i in range(j):
            now.domains[c, d, i] = drawn[i]
            square += drawn[i] ** 2
    given = (g * j, square, prior.domain_scale)
    scale, square = exp(_move_domain(log(now.domain_scale[c]), given, WIDTH, rng)), 0.0
    for d in range(g):
        turned = apply(block(precision[d], 0, j), now.domains[c, d])
        for i in range(j):
            linear += now.domains[c, d, i] * shift[d, i] / scale
            square += now.domains[c, d, i] * turned[i] / scale**2
    moved = (linear, square, prior.domain_scale)
    factor = exp(_move_domain_unit(log(scale), moved, WIDTH, rng)) / scale
    for d in range(g):
        for i in range(j):
            now.domains[c, d, i] *= factor
    now.domain_scale[c] = factor * scale


@part
def _draw_interactions(
    model: CompiledModel, seen: EffectLikelihood, now: GibbsState, c: int, rng: np.random.Generator
) -> None:
    """Draw interactions given what they depart from."""
    (m, j), centre, vectors = seen.z.shape, centres(model, now, c), now.vectors[c]
    turned, normal = product(centre, vectors), np.empty(j)
    for i in range(m):
        for k in range(j if model.balanced[i] else 0):
            share = seen.between[i, k] / (seen.between[i, k] + seen.error[i])
            missed = seen.turned[i, k] - turned[i, k]
            turned[i, k] = share * missed + sqrt(share * seen.error[i]) * rng.standard_normal()
    copy(now.interaction[c], product(turned, transposed(vectors)))
    for i in range(len(model.others)):
        # Matheron's rule corrects a draw that has not seen the scores.
        o, mixed = model.others[i], seen.mixed[i]
        noise = model.pooled * exp(2 * now.log_sd[c, o])
        for k in range(j):
            normal[k] = rng.standard_normal()
        known, drawn = apply(model.design[o], centre[o]), apply(mixed, normal)
        for k in range(j):
            known[k] = seen.z[o, k] - known[k] - drawn[k]
        for k in range(model.rank[o]):
            known[k] -= sqrt(noise * model.variance[o, k]) * rng.standard_normal()
        solve_lower(seen.factor[i], known)
        solve_upper(seen.factor[i], known)
        more = apply(transposed(mixed), known)
        for k in range(j):
            normal[k] = (normal[k] + more[k]) * sqrt(now.mixing[c, o] * now.values[c, k])
        interaction = apply(vectors, normal)
        for k in range(j):
            now.interaction[c, o, k] = interaction[k]
