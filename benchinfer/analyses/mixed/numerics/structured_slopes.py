"""Slopes along covariates with structured covariances.

Second derivatives by pairs of variances reduce to traces of K x K matrices. What the levels above
a data set contribute is the covariance Omega of its mean profile given all scores; it is pulled
down, so that no matrices for pairs of variances are carried up.

References
----------
Gilmour, A. R., Thompson, R. & Cullis, B. R. (1995). Average information REML. Biometrics 51,
1440-1450. https://doi.org/10.2307/2533274
"""

from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.mixed.numerics.likelihood import Derivatives
from benchinfer.analyses.mixed.numerics.structured_likelihood import (
    Evaluation,
    StructuredModel,
    over_data_sets,
    over_domains,
    over_pairs,
    paired_traces,
    symmetric,
    weighted_products,
)
from benchinfer.numerics.types import Array


@dataclass(frozen=True, slots=True)
class Products:
    """Products with single variances; r act within blocks, b between data sets, g on domains.

    Attributes
    ----------
    blocks, blocks_z
        (D, r, K, K) ``Z' R^-1 R_i R^-1 Z`` and (D, r, K) ``Z' R^-1 R_i P y``.
    within, within_x, within_z
        (D, r, K, K) ``H_i = E Z' R^-1 R_i R^-1 Z E'``, (D, r, K, p) ``H_i X`` for the design less
        its prediction, and (D, r, K) ``E Z' R^-1 R_i P y``.
    between, between_x, between_z
        (D, b, K, K) ``H_j = Q S_j Q``, (D, b, K, p) ``H_j X`` and (D, b, K) ``Q S_j z``.
    domain_x, domain_z
        (G, g, K, p) ``W_j Z' V^-1 X`` and (G, g, K) ``W_j Z' P y``.
    omega
        (D, K, K) covariance of the data sets' mean profiles, as far as the criterion knows of it.
    omega_blocks
        (D, K, K) the same of the profiles with the data sets' own effects.
    """

    blocks: Array
    blocks_z: Array
    within: Array
    within_x: Array
    within_z: Array
    between: Array
    between_x: Array
    between_z: Array
    domain_x: Array
    domain_z: Array
    omega: Array
    omega_blocks: Array

    @staticmethod
    def of(model: StructuredModel, at: Evaluation) -> "Products":
        """Compute them at an evaluation."""
        layout, keep, q, x = model.layout, at.data.keep, at.data.information, at.design
        blocks = at.blocks.first()
        blocks_z = at.blocks.applied(at.profile)
        within = keep[:, None] @ blocks @ keep[:, None].swapaxes(-1, -2)
        omega = (x @ at.phi @ x.transpose(0, 2, 1)) * model.reml + model.of_domain(at.domains.cov)
        return Products(
            blocks=blocks,
            blocks_z=blocks_z,
            within=within,
            within_x=within @ x[:, None],
            within_z=blocks_z @ keep.transpose(0, 2, 1),
            between=q[:, None] @ layout.between @ q[:, None],
            between_x=q[:, None] @ (layout.between @ (q @ x)[:, None]),
            between_z=np.einsum("jkl,dl->djk", layout.between, at.z) @ q,
            domain_x=layout.domain @ at.domain_design[:, None],
            domain_z=np.einsum("jkl,gl->gjk", layout.domain, model.by_domain(at.z)),
            omega=omega,
            omega_blocks=at.data.cov + keep.transpose(0, 2, 1) @ omega @ keep,
        )

    def fixed(self, model: StructuredModel, at: Evaluation) -> tuple[Array, Array]:
        """Return ``X' V^-1 V_i V^-1 X`` (c, p, p) and ``X' V^-1 V_i P y`` (c, p)."""
        x = at.design.transpose(0, 2, 1)
        f = over_data_sets(model.layout, x[:, None] @ self.within_x, x[:, None] @ self.between_x)
        v = over_data_sets(model.layout, self.within_z @ at.design, self.between_z @ at.design)
        g = slice(model.layout.outer, model.layout.inner)
        f[g] = np.einsum("gkp,gjkq->jpq", at.domain_design, self.domain_x)
        v[g] = np.einsum("gkp,gjk->jp", at.domain_design, self.domain_z)
        return symmetric(f), v


def derivatives(model: StructuredModel, at: Evaluation) -> Derivatives:
    """Return the derivatives at an evaluation, over the c variances and covariances.

    The result is as that of `benchinfer.analyses.mixed.numerics.likelihood.derivatives`, but for
    ``ff``, of which degrees of freedom need a weighted sum only (`second`).
    """
    first = Products.of(model, at)
    f, v = first.fixed(model, at)
    expected, average = _within_data_sets(model, at, first)
    phi_f = at.phi @ f * model.reml
    expected += np.einsum("ipq,jqp->ij", phi_f, phi_f, optimize=True)
    average -= v @ at.phi @ v.T
    if len(model.member):
        _add_domains(model, at, first, expected, average)
    return Derivatives(
        score=_score(model, at, first),
        expected=symmetric(expected),
        average=symmetric(average),
        f=f,
        ff=np.empty((0, 0, *at.phi.shape)),
        z=at.z @ at.blocks.basis.T,
    )


def _outer(z: Array) -> Array:
    return z[:, :, None] * z[:, None, :]


def _domain_p(model: StructuredModel, at: Evaluation, share: float) -> Array:
    """Return ``Z' V^-1 Z`` of the domains less `share` of what the fixed effects explain."""
    b = at.domain_design
    phi = at.phi * (share * model.reml)
    return at.domains.information - b @ phi @ b.transpose(0, 2, 1)


def _score(model: StructuredModel, at: Evaluation, first: Products) -> Array:
    """Return ``tr(P V_i) - y' P V_i P y`` (c,), without the fixed effects' share under ML."""
    layout, p, e, q = model.layout, model.patterns, at.blocks.residual, at.data.information
    inside = at.blocks.total_inverse() - at.blocks.spread(first.omega_blocks)
    inside -= at.blocks.outer(at.profile)
    between = (q - q @ first.omega @ q - _outer(at.z)).sum(axis=0)
    score = np.zeros(len(layout.names))
    score[: layout.outer] = np.einsum("jkl,kl->j", layout.between, between)
    domain = (_domain_p(model, at, 1.0) - _outer(model.by_domain(at.z))).sum(axis=0)
    score[layout.outer : layout.inner] = np.einsum("jkl,kl->j", layout.domain, domain)
    np.add.at(score, layout.home, at.blocks.once(inside, p.free / e - p.square / e**2))
    return score


def _within_data_sets(
    model: StructuredModel, at: Evaluation, first: Products
) -> tuple[Array, Array]:
    """Return the (c, c) informations as far as pairs of variances act on the same data set."""
    layout, p, e, basis = model.layout, model.patterns, at.blocks.residual, model.layout.between
    q, t, omega = at.data.information, at.data.cov, first.omega
    # Expected information: tr(P V_i P V_j) of a data set, omega standing for all above it.
    inside = at.blocks.total_inverse() - 2 * at.blocks.spread(first.omega_blocks)
    weight = 2 * first.omega_blocks - t
    local = at.blocks.twice(inside, p.free / e**2) + np.einsum(
        "drkl,dslk->drs", weight[:, None] @ first.blocks, t[:, None] @ first.blocks, optimize=True
    )
    q_omega = q @ omega
    mixed = first.within - 2 * symmetric(q_omega[:, None] @ first.within)
    expected = over_pairs(
        layout,
        local,
        np.einsum("drkl,jkl->drj", mixed, basis, optimize=True),
        paired_traces(basis, q, q - 2 * q_omega @ q),
    )
    # Average information: (V_i P y)' V^-1 (V_j P y).
    rest = at.blocks.outer(at.profile)
    local = at.blocks.twice(rest, p.square / e**3)
    local -= first.blocks_z @ t @ first.blocks_z.transpose(0, 2, 1)
    s_z = np.einsum("jkl,dl->djk", basis, at.z)
    average = over_pairs(
        layout,
        local,
        first.within_z @ s_z.transpose(0, 2, 1),
        paired_traces(basis, q, _outer(at.z)),
    )
    return expected, average


def _add_domains(
    model: StructuredModel, at: Evaluation, first: Products, expected: Array, average: Array
) -> None:
    """Add to the informations what data sets of a domain share, in place."""
    g = slice(model.layout.outer, model.layout.inner)
    t, keep, phi = at.domains.cov, at.domains.keep, at.phi * model.reml
    h = over_domains(model, first.within, first.between)
    n = over_domains(model, first.within_x, first.between_x)
    h_z = over_domains(model, first.within_z, first.between_z)
    t_h = t[:, None] @ h
    expected += np.einsum("gikl,gjlk->ij", t_h, t_h, optimize=True)
    expected += 2 * np.einsum("gikp,gjkp->ij", t[:, None] @ n @ phi, n, optimize=True)
    average -= np.einsum("gik,gkl,gjl->ij", h_z, t, h_z, optimize=True)
    h, n = keep[:, None] @ h @ keep[:, None].swapaxes(-1, -2), keep[:, None] @ n
    side = np.einsum("gikl,jkl->ij", h, model.layout.domain, optimize=True)
    side -= 2 * np.einsum("gikp,gjkp->ij", n @ phi, first.domain_x, optimize=True)
    side_z = np.einsum("gik,gjk->ij", h_z @ keep.transpose(0, 2, 1), first.domain_z)
    q, basis = at.domains.information, model.layout.domain
    within = paired_traces(basis, q, _domain_p(model, at, 2.0))
    within_z = paired_traces(basis, q, _outer(model.by_domain(at.z)))
    for total, crossed, both in ((expected, side, within), (average, side_z, within_z)):
        total[:, g] += crossed
        total[g, :] += crossed.T
        total[g, g] += both


def second(model: StructuredModel, at: Evaluation, weight: Array) -> Array:
    """Return ``sum_ij w_ij X' V^-1 V_i V^-1 V_j V^-1 X`` (p, p) for symmetric weights (c, c).

    The terms themselves, (p, p) for each pair of c parameters, are never held.
    """
    first, layout = Products.of(model, at), model.layout
    q, x, home, b = at.data.information, at.design, layout.home, layout.outer
    s_x = layout.between @ (q @ x)[:, None]
    below = at.data.keep.transpose(0, 2, 1) @ x
    blocks_x = first.blocks @ below[:, None]
    local = weight[home[:, :, None], home[:, None, :]]
    total = np.einsum("drs,drspq->pq", local, at.blocks.between(below))
    total -= weighted_products(local, blocks_x, at.data.cov[:, None] @ blocks_x)
    total += 2 * weighted_products(weight[home, :b], first.within_x, s_x)
    total += weighted_products(weight[:b, :b], s_x, q[:, None] @ s_x)
    if len(model.member):
        g = slice(layout.outer, layout.inner)
        n = over_domains(model, first.within_x, first.between_x)
        domain_x, t = first.domain_x, at.domains
        total -= weighted_products(weight, n, t.cov[:, None] @ n)
        total += 2 * weighted_products(weight[:, g], t.keep[:, None] @ n, domain_x)
        total += weighted_products(weight[g, g], domain_x, t.information[:, None] @ domain_x)
    return symmetric(total)
