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

from math import exp, inf, log, sqrt

import numpy as np

from benchinfer.analyses.bayes.numerics.chains import (
    CompiledModel,
    CompiledPriors,
    GibbsState,
)
from benchinfer.analyses.bayes.numerics.covariance import (
    add,
    add_block,
    apply,
    block,
    composed,
    copy,
    draw_normal,
    factorise,
    scaled,
    solve,
    solve_lower,
    solve_upper,
    transposed,
)
from benchinfer.analyses.bayes.numerics.lapack import eigen, product
from benchinfer.analyses.bayes.numerics.scales import draw_effect_sd, half_t
from benchinfer.analyses.bayes.numerics.slices import LOG_SD, STRETCH, WIDTH, moved
from benchinfer.numerics.compilation import inlined, part
from benchinfer.numerics.types import Array, Codes, Flags


@part
def residual_variances(pooled: float, log_sd: Array) -> Array:
    """Return (M,) residual variances, 0 where there are no residuals."""
    variances = np.empty(len(log_sd))
    for m in range(len(log_sd)):
        variances[m] = pooled * exp(2 * log_sd[m])
    return variances


@part
def centres(
    covariates: Array, domain: Codes, average: Array, slopes: Array, domains: Array
) -> Array:
    """Return (M, J) centres of the data sets' effects."""
    centre = np.empty((len(domain), len(average)))
    for i in range(len(domain)):
        for k in range(len(average)):
            centre[i, k] = average[k]
            for a in range(len(slopes)):
                centre[i, k] += covariates[i, 1 + a] * slopes[a, k]
            if len(domains):
                centre[i, k] += domains[domain[i], k]
    return centre


@part
def likelihood(
    z: Array, noise: Array, variance: Array, mixing: Array, vectors: Array, values: Array
) -> tuple[Array, Array, Array]:
    """Return the likelihood of the effects on balanced data sets, the interactions integrated out.

    Returns
    -------
    turned
        (M, J) contrasts along the eigenvectors of Sigma.
    between, error
        (M, J) and (M,) their variances by interactions and by noise.
    """
    between, error, j = np.empty(z.shape), np.empty(len(z)), len(values)
    for i in range(len(z)):
        error[i] = noise[i] * variance[i, 0]
        for k in range(j):
            between[i, k] = mixing[i] * values[k]
    return product(z, vectors), between, error


@part
def likelihood_with_gaps(
    others: Codes,
    design: Array,
    variance: Array,
    rank: Codes,
    noise: Array,
    mixing: Array,
    vectors: Array,
    values: Array,
) -> tuple[Array, Array]:
    """Return the likelihood of the effects on unbalanced data sets.

    Returns
    -------
    mixed
        (R, J, J) maps from standard normal variables to what contrasts see of the interactions.
    factor
        (R, J, J) covariances of the contrasts, factorised. Contrasts that a data set does not
        identify are independent, with variance 1.
    """
    r, j, root = len(others), len(values), np.empty(len(values))
    for k in range(j):
        root[k] = sqrt(values[k])
    mixed, factor, roots = np.empty((r, j, j)), np.empty((r, j, j)), scaled(vectors, root)
    for i in range(r):
        o = others[i]
        seen = product(design[o], roots)
        for k in range(j):
            for b in range(j):
                mixed[i, k, b] = sqrt(mixing[o]) * seen[k, b]
        total = product(mixed[i], transposed(mixed[i]))
        for k in range(j):
            total[k, k] += noise[o] * variance[o, k] if k < rank[o] else 1.0
        factorise(total)
        copy(factor[i], total)
    return mixed, factor


def draws_jointly(model: CompiledModel, now: GibbsState) -> bool | None:
    """Return True with covariates, domains or gaps, None where contrasts are independent.

    None is known when code is compiled, and saves to compile what is not called.
    """
    more = model.covariates.shape[1] > 1 or now.domains.shape[1] or len(model.others)
    return True if more else None


@inlined
def draw_effects(
    z: Array,
    design: Array,
    variance: Array,
    rank: Codes,
    balanced: Flags,
    others: Codes,
    domain: Codes,
    covariates: Array,
    prior: CompiledPriors,
    noise: Array,
    vectors: Array,
    values: Array,
    mixing: Array,
    scale: float,
    effect_sd: float,
    domain_scale: float,
    average: Array,
    slopes: Array,
    domains: Array,
    interaction: Array,
    joint: bool | None,  # noqa: FBT001
    rng: np.random.Generator,
) -> tuple[Array, float, float]:
    """Draw average effects, slopes along covariates, departures of domains, and interactions.

    They change in place: the last four arrays. Arguments are as in `CompiledModel` and, of one
    chain, in `GibbsState`; `noise` is (M,) residual variances, `joint` as in `draws_jointly`.

    Returns
    -------
    centre
        (M, J) what the data sets' effects depart from.
    effect_sd, domain_scale
        New standard deviations of average effects and of domains' departures.

    References
    ----------
    Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
    Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
    """
    turned, between, error = likelihood(z, noise, variance, mixing, vectors, values)
    if joint is None:
        effect_sd = _draw_average(
            turned, between, error, vectors, effect_sd, scale, prior, average, rng
        )
        centre = centres(covariates, domain, average, slopes, domains)
        _draw_interactions(turned, between, error, centre, balanced, vectors, interaction, rng)
    else:
        mixed, factor = likelihood_with_gaps(
            others, design, variance, rank, noise, mixing, vectors, values
        )
        g = len(domains)
        precision, shift = _information(
            turned, between, error, balanced, covariates, domain, vectors, max(g, 1)
        )
        _add_gaps(precision, shift, z, factor, others, design, covariates, domain)
        effect_sd = _draw_coefficients(
            precision, shift, prior, effect_sd, scale, domain_scale, average, slopes, g, rng
        )
        if g:
            domain_scale = _draw_domains(
                precision, shift, prior, average, slopes, domains, domain_scale, rng
            )
        centre = centres(covariates, domain, average, slopes, domains)
        _draw_interactions(turned, between, error, centre, balanced, vectors, interaction, rng)
        _draw_interactions_with_gaps(
            z,
            centre,
            others,
            design,
            variance,
            rank,
            noise,
            mixed,
            factor,
            mixing,
            vectors,
            values,
            interaction,
            rng,
        )
    return centre, effect_sd, domain_scale


@part
def _draw_average(
    turned: Array,
    between: Array,
    error: Array,
    vectors: Array,
    effect_sd: float,
    scale: float,
    prior: CompiledPriors,
    average: Array,
    rng: np.random.Generator,
) -> float:
    """Draw average effects in place where all data sets are balanced; return their new scale."""
    (m, j) = turned.shape
    precision, shift = np.zeros(j), np.zeros(j)
    for i in range(m):
        for k in range(j):
            weight = 1 / (between[i, k] + error[i])
            precision[k] += weight
            shift[k] += weight * turned[i, k]
    effect_sd = draw_effect_sd(effect_sd, scale, precision, shift, prior, rng)
    for k in range(j):
        precision[k] += effect_sd**-2
        shift[k] = shift[k] / precision[k] + rng.standard_normal() / sqrt(precision[k])
    drawn = apply(vectors, shift)
    for k in range(j):
        average[k] = drawn[k]
    return effect_sd


@part
def _information(
    turned: Array,
    between: Array,
    error: Array,
    balanced: Flags,
    covariates: Array,
    domain: Codes,
    vectors: Array,
    g: int,
) -> tuple[Array, Array]:
    """Return (G, p J, p J) precisions and (G, p J) shifts of coefficients of the covariates.

    Of balanced data sets: of each domain sums along the eigenvectors of Sigma, turned back.
    """
    (m, j), p = turned.shape, covariates.shape[1]
    weight, along = np.zeros((g, p, p, j)), np.zeros((g, p, j))
    for i in range(m):
        d = domain[i]
        for k in range(j if balanced[i] else 0):
            inverse = 1 / (between[i, k] + error[i])
            for a in range(p):
                along[d, a, k] += covariates[i, a] * (inverse * turned[i, k])
                for b in range(p):
                    weight[d, a, b, k] += covariates[i, a] * covariates[i, b] * inverse
    precision, shift = np.zeros((g, p * j, p * j)), np.zeros((g, p * j))
    for d in range(g):
        for a in range(p):
            add(shift[d], a * j, 1.0, apply(vectors, along[d, a]))
            for b in range(p):
                add_block(precision[d], a * j, b * j, 1.0, composed(vectors, weight[d, a, b]))
    return precision, shift


@part
def _add_gaps(
    precision: Array,
    shift: Array,
    z: Array,
    factor: Array,
    others: Codes,
    design: Array,
    covariates: Array,
    domain: Codes,
) -> None:
    """Add the unbalanced data sets to precisions and shifts, in place."""
    j, p = z.shape[1], covariates.shape[1]
    half = np.empty((j + 1, j))
    for i in range(len(others)):
        o = others[i]
        d, x = domain[o], covariates[o]
        copy(half, transposed(design[o]))
        for k in range(j):
            half[j, k] = z[o, k]
            solve_lower(factor[i], half[k])
        solve_lower(factor[i], half[j])
        full, pulled = product(half[:j], transposed(half[:j])), apply(half[:j], half[j])
        for a in range(p):
            add(shift[d], a * j, x[a], pulled)
            for b in range(p):
                add_block(precision[d], a * j, b * j, x[a] * x[b], full)


@part
def _draw_coefficients(
    precision: Array,
    shift: Array,
    prior: CompiledPriors,
    effect_sd: float,
    scale: float,
    domain_scale: float,
    average: Array,
    slopes: Array,
    g: int,
    rng: np.random.Generator,
) -> float:
    """Draw average effects and slopes together in place, the domains' departures integrated out.

    Of each domain, ``(p J, p J)`` precision and ``(p J,)`` shift say what its data sets do of the
    coefficients; g is the number of domains, 0 without. Returns the new scale of average effects.
    """
    n, j = shift.shape[1], len(average)
    total, pulled = np.zeros((n, n)), np.zeros(n)
    for d in range(len(shift)):
        if g:
            _integrate_domain(precision[d], shift[d], domain_scale**-2, total, pulled, j)
        else:
            add_block(total, 0, 0, 1.0, precision[d])
            add(pulled, 0, 1.0, shift[d])
    for i in range(j, n):
        total[i, i] += prior.slope_sd**-2
    effect_sd = _draw_effect_sd(total, pulled, prior, effect_sd, scale, j, rng)
    for i in range(j):
        total[i, i] += effect_sd**-2
    drawn = draw_normal(total, pulled, rng)
    for i in range(n):
        if i < j:
            average[i] = drawn[i]
        else:
            slopes[i // j - 1, i % j] = drawn[i]
    return effect_sd


@part
def _integrate_domain(
    precision: Array, shift: Array, inner: float, total: Array, pulled: Array, j: int
) -> None:
    """Add the information of a domain's data sets on coefficients, its departure integrated out.

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
    effect_sd: float,
    scale: float,
    j: int,
    rng: np.random.Generator,
) -> float:
    """Draw the standard deviation of the J average effects, the slopes integrated out."""
    if prior.effect_sd:
        return effect_sd
    n = len(total)
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
    return draw_effect_sd(effect_sd, scale, values, turned, prior, rng)


@part
def _draw_domains(
    precision: Array,
    shift: Array,
    prior: CompiledPriors,
    average: Array,
    slopes: Array,
    domains: Array,
    domain_scale: float,
    rng: np.random.Generator,
) -> float:
    """Draw the domains' departures in place, given their centre; return their new scale.

    Precision and shift, as in `_draw_coefficients`, change in place.
    """
    (g, n), j = shift.shape, len(average)
    coefficients, linear, square = np.empty(n), 0.0, 0.0
    for i in range(n):
        coefficients[i] = average[i] if i < j else slopes[i // j - 1, i % j]
    for d in range(g):
        add(shift[d], 0, -1.0, apply(precision[d], coefficients))
        middle = block(precision[d], 0, j)
        for i in range(j):
            middle[i, i] += domain_scale**-2
        drawn = draw_normal(middle, shift[d, :j], rng)
        for i in range(j):
            domains[d, i] = drawn[i]
            square += drawn[i] ** 2
    typical, empty = half_t(prior.domain_scale), coefficients
    given = float(g * j), square, 0.0, inf
    x, square = moved(LOG_SD, log(domain_scale), WIDTH, given, typical, empty, empty, rng), 0.0
    scale = exp(x)
    for d in range(g):
        turned = apply(block(precision[d], 0, j), domains[d])
        for i in range(j):
            linear += domains[d, i] * shift[d, i] / scale
            square += domains[d, i] * turned[i] / scale**2
    given = linear, square, 0.0, 0.0
    factor = exp(moved(STRETCH, x, WIDTH, given, typical, empty, empty, rng)) / scale
    for d in range(g):
        add(domains[d], 0, factor - 1, domains[d])
    return factor * scale


@part
def _draw_interactions(
    turned: Array,
    between: Array,
    error: Array,
    centre: Array,
    balanced: Flags,
    vectors: Array,
    interaction: Array,
    rng: np.random.Generator,
) -> None:
    """Draw interactions of balanced data sets in place, given the centres of the effects."""
    (m, j), at = turned.shape, product(centre, vectors)
    for i in range(m):
        for k in range(j if balanced[i] else 0):
            share = between[i, k] / (between[i, k] + error[i])
            missed = turned[i, k] - at[i, k]
            at[i, k] = share * missed + sqrt(share * error[i]) * rng.standard_normal()
    copy(interaction, product(at, transposed(vectors)))


@part
def _draw_interactions_with_gaps(
    z: Array,
    centre: Array,
    others: Codes,
    design: Array,
    variance: Array,
    rank: Codes,
    noise: Array,
    mixed: Array,
    factor: Array,
    mixing: Array,
    vectors: Array,
    values: Array,
    interaction: Array,
    rng: np.random.Generator,
) -> None:
    """Draw interactions of unbalanced data sets in place, given the centres of the effects."""
    j, normal = len(values), np.empty(len(values))
    for i in range(len(others)):
        # Matheron's rule corrects a draw that has not seen the scores.
        o = others[i]
        for k in range(j):
            normal[k] = rng.standard_normal()
        known, drawn = apply(design[o], centre[o]), apply(mixed[i], normal)
        for k in range(j):
            known[k] = z[o, k] - known[k] - drawn[k]
        for k in range(rank[o]):
            known[k] -= sqrt(noise[o] * variance[o, k]) * rng.standard_normal()
        solve_lower(factor[i], known)
        solve_upper(factor[i], known)
        more = apply(transposed(mixed[i]), known)
        for k in range(j):
            normal[k] = (normal[k] + more[k]) * sqrt(mixing[o] * values[k])
        copied = apply(vectors, normal)
        for k in range(j):
            interaction[o, k] = copied[k]
