"""Likelihood with structured covariances.

``y_mbk = X_mk b + w_gk + u_mk + r_mb + e_mbk`` for data set m of domain g, replication b and
algorithm k, with ``u_m ~ N(0, S)`` and ``w_g ~ N(0, W)``. A block with counts n has values ``m``
(means of repeats) with covariance ``replication J + diag(residual / n)``; ``O`` is its inverse,
zero where an algorithm is absent. Blocks are summed within data sets, the algorithm effects u of
the data sets are integrated out, then those of the domains. Each level needs only the K x K
information from the level below, so an evaluation costs D small problems, whatever the number of
replications. Levels above the blocks use the coordinates of `contrast_basis`: the variance between
data sets, often the largest by far, stays in the first coordinate and does not swamp the
differences between algorithms.

Second derivatives by pairs of variances reduce to traces of K x K matrices. What the levels above
a data set contribute is the covariance Omega of its mean level given all scores; it is pulled
down, so that no matrices for pairs of variances are carried up.

References
----------
Gilmour, A. R., Thompson, R. & Cullis, B. R. (1995). Average information REML. Biometrics 51,
1440-1450. https://doi.org/10.2307/2533274
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from benchinfer.analyses.mixed.numerics.likelihood import Derivatives, inverted
from benchinfer.analyses.mixed.numerics.moments import Patterns
from benchinfer.analyses.mixed.numerics.structured_covariance import (
    FLAT,
    BlockLevel,
    CovarianceLayout,
    contrast_basis,
)
from benchinfer.numerics.types import Array


@dataclass(frozen=True, slots=True)
class StructuredModel:
    """Data and structure of a model: D data sets, K algorithms, p fixed effects, G domains.

    It is searched by the square roots psi of its variances.
    """

    fisher_steps: ClassVar[int] = 3  # how many first steps use the expected information
    halvings: ClassVar[int] = 40  # of a step, before none is downhill

    stats: Patterns  # sufficient statistics
    layout: CovarianceLayout  # the variances
    x: Array  # (D, K, p) design of the fixed effects, its rows in contrast coordinates
    # (G, D) one where the data set is of the domain, else zero; G is 0 without a domain level
    member: Array
    reml: bool  # restricted or full maximum likelihood

    def start(self) -> Array:
        """Return start values of the variances from moments of the cells."""
        stats, layout = self.stats, self.layout
        d, k = stats.free.shape
        n = stats.n
        weight = stats.rows[:, None] * stats.counts
        cell = stats.by_dataset(weight * stats.mean) / np.maximum(n, 1)
        square = stats.by_dataset(
            stats.counts * np.einsum("mkk->mk", stats.cross)
            + weight * (stats.mean - cell[stats.dataset]) ** 2
        )
        square, free = square + stats.square, np.maximum(n - 1, 0)
        interaction = max(float((cell**2).sum() / (n > 0).sum()), 0.01)
        share = 2.0 if len(self.member) else 1.0
        simple = {
            "dataset": max(float(np.var(stats.delta)), 0.01),
            "dataset:algorithm": interaction,
            "dataset:replication": 1 / 3,
        }
        theta = np.zeros(len(layout.names))
        for i, name in enumerate(layout.names[: layout.inner + layout.replicated]):
            theta[i] = simple[name.replace("domain", "dataset").split("[")[0]] / share
        if layout.factored:
            level = cell + stats.delta[:, None]
            level = (level - level.mean(axis=0)) @ contrast_basis(k)
            matrix = (0.7 * level.T @ level / d + 0.3 * interaction * np.eye(k)) / share
            theta[: layout.outer] = matrix[np.tril_indices(k)]
        # A third of a degree of freedom at the pooled value keeps cells without repeats in.
        pooled = (square.sum() + 1 / 3) / (free.sum() + 1)
        axis = {"constant": (0, 1), "algorithm": (0,), "dataset": (1,)}[layout.residual]
        variance = (square.sum(axis=axis) + pooled) / (free.sum(axis=axis) + 1)
        theta[layout.inner + layout.replicated :] = np.maximum(variance, 1e-6)
        return theta

    def even_start(self) -> Array:
        """Return start values that give each source of variation the same variance.

        All but the distance between data sets, which may be larger by any factor: from a start that
        is far too small the first step leads out of double precision.
        """
        layout, k = self.layout, self.x.shape[1]
        theta = np.full(len(layout.names), 1 / 3)
        level = max(float(np.var(self.stats.delta)), 1 / 3)
        if layout.factored:
            theta[: layout.outer] = np.eye(k)[np.tril_indices(k)] / 3
            theta[0] = k * level
        elif layout.names[0] == "dataset":
            theta[0] = level
        return theta

    def evaluate(self, theta: Array) -> Evaluation:
        """Evaluate the criterion at the variances and covariances `theta` (c,).

        References
        ----------
        Patterson, H. D. & Thompson, R. (1971). Recovery of inter-block information when block sizes
        are unequal. Biometrika 58, 545-554. https://doi.org/10.1093/biomet/58.3.545

        Longford, N. T. (1987). A fast scoring algorithm for maximum likelihood estimation in
        unbalanced mixed models with nested random effects. Biometrika 74, 817-827.
        https://doi.org/10.1093/biomet/74.4.817
        """
        layout, stats, x = self.layout, self.stats, self.x
        s, w, replication, residual = layout.split(theta)
        blocks = BlockLevel.of(
            stats, layout.residual, residual, replication, replicated=layout.replicated
        )
        data = Lift.of(blocks.information, s)
        # A solution is exact relative to its own size, which a product with the inverse is not.
        c = np.linalg.solve(data.inner, blocks.moment[:, :, None])[:, :, 0]
        # The data sets' centres come back only now: the first row of the information is exact.
        c += self.centre[:, :1] * data.information[:, 0]
        q_x = data.information @ x
        information = np.einsum("dkp,dkq->pq", x, q_x, optimize=True)
        right = np.einsum("dkp,dk->p", x, c)
        domains = Lift.of(self.by_domain(data.information), w)
        b, c_g = self.by_domain(q_x), self.by_domain(c)
        t_b = domains.cov @ b
        lower, phi = inverted(information - np.einsum("gkp,gkq->pq", b, t_b, optimize=True))
        beta = phi @ (right - np.einsum("gkp,gk->p", t_b, c_g))
        effect = np.einsum("gkl,gl->gk", domains.cov, c_g - b @ beta)
        mean = x @ beta + self.of_domain(effect)
        z = c - np.einsum("dkl,dl->dk", data.information, mean)
        level = mean + z @ s - self.centre
        z_g = self.by_domain(z)
        # A sum of positive terms, least at the predicted effects, so that their rounding cancels.
        y_p_y = blocks.square(level) + float(((z @ s) * z).sum() + ((z_g @ w) * z_g).sum())
        n, p = stats.n_scores, len(beta)
        criterion = blocks.log_det + data.log_det + domains.log_det + y_p_y
        criterion += 2 * float(np.log(lower.diagonal()).sum()) * self.reml
        criterion += (n - p * self.reml) * np.log(2 * np.pi)
        return Evaluation(
            theta=theta,
            blocks=blocks,
            data=data,
            domains=domains,
            design=x - self.of_domain(t_b),
            domain_design=domains.keep @ b,
            phi=phi,
            beta=beta,
            domain_effect=effect,
            z=z,
            level=level,
            y_p_y=y_p_y,
            criterion=float(criterion),
        )

    def derivatives(self, at: Evaluation) -> Derivatives:
        """Return the derivatives at an evaluation, over the c variances and covariances.

        The result is as that of `CommonModel.derivatives`, but for ``ff``, of which degrees of
        freedom need a weighted sum only (`second`).
        """
        first = Products.of(self, at)
        f, v = first.fixed(self, at)
        expected, average = _within_data_sets(self, at, first)
        phi_f = at.phi @ f * self.reml
        expected += np.einsum("ipq,jqp->ij", phi_f, phi_f, optimize=True)
        average -= v @ at.phi @ v.T
        if len(self.member):
            _add_domains(self, at, first, expected, average)
        return Derivatives(
            score=_score(self, at, first),
            expected=symmetric(expected),
            average=symmetric(average),
            f=f,
            ff=np.empty((0, 0, *at.phi.shape)),
            z=at.z @ at.blocks.basis.T,
        )

    def second(self, at: Evaluation, weight: Array) -> Array:
        """Return ``sum_ij w_ij X' V^-1 V_i V^-1 V_j V^-1 X`` (p, p) for symmetric weights (c, c).

        The terms themselves, (p, p) for each pair of c parameters, are never held.
        """
        first, layout = Products.of(self, at), self.layout
        q, x, home, b = at.data.information, at.design, layout.home, layout.outer
        s_x = layout.between @ (q @ x)[:, None]
        below = at.data.keep.transpose(0, 2, 1) @ x
        blocks_x = first.blocks @ below[:, None]
        local = weight[home[:, :, None], home[:, None, :]]
        total = np.einsum("drs,drspq->pq", local, at.blocks.between(below))
        total -= weighted_products(local, blocks_x, at.data.cov[:, None] @ blocks_x)
        total += 2 * weighted_products(weight[home, :b], first.within_x, s_x)
        total += weighted_products(weight[:b, :b], s_x, q[:, None] @ s_x)
        if len(self.member):
            g = slice(layout.outer, layout.inner)
            n = over_domains(self, first.within_x, first.between_x)
            domain_x, t = first.domain_x, at.domains
            total -= weighted_products(weight, n, t.cov[:, None] @ n)
            total += 2 * weighted_products(weight[:, g], t.keep[:, None] @ n, domain_x)
            total += weighted_products(weight[g, g], domain_x, t.information[:, None] @ domain_x)
        return symmetric(total)

    def theta(self, psi: Array) -> Array:
        """Return the variances and covariances for their square roots."""
        return self.layout.theta(psi)

    def moved(self, psi: Array, step: Array) -> Array:
        """Return the square roots after a step."""
        return psi + step

    def direction(self, psi: Array, der: Derivatives, *, fisher: bool) -> tuple[Array, float]:
        """Return a step downhill and its decrement.

        Directions of negative curvature are followed downhill, so that saddle points, such as a
        variance near 0 that belongs elsewhere, do not hold the search.
        """
        gradient = self.layout.jacobian(psi).T @ der.score
        unit, values, vectors = self.curvature(psi, der, fisher=fisher)
        values = np.maximum(np.abs(values), FLAT * np.abs(values).max())
        along = vectors.T @ (unit * gradient)
        return -unit * (vectors @ (along / values)), float((along**2 / values).sum() / 2)

    def curvature(
        self, psi: Array, der: Derivatives, *, fisher: bool
    ) -> tuple[Array, Array, Array]:
        """Return units in which the Hessian by psi has diagonal 1, its eigenvalues and vectors.

        Of its expectation where `fisher`.
        """
        jacobian = self.layout.jacobian(psi)
        hessian = jacobian.T @ (der.expected if fisher else der.observed) @ jacobian
        hessian += 0 if fisher else self.layout.bend(der.score)
        size = np.abs(hessian.diagonal())
        # A variance at zero may have no curvature at all.
        unit = 1 / np.sqrt(np.maximum(size, 1e-14 * size.max()))
        values, vectors = np.linalg.eigh(hessian * unit * unit[:, None])
        return unit, values, vectors

    @property
    def centre(self) -> Array:
        """(D, K) the data sets' centres, as levels in contrast coordinates."""
        d, k = self.x.shape[:2]
        centre = np.zeros((d, k))
        centre[:, 0] = self.stats.delta * np.sqrt(k)
        return centre

    def by_domain(self, values: Array) -> Array:
        """Sum values of data sets (D, ...) within domains to (G, ...)."""
        return np.tensordot(self.member, values, 1)

    def of_domain(self, values: Array) -> Array:
        """Return for each data set (D, ...) the value of its domain (G, ...), 0 without domains."""
        return np.tensordot(self.member.T, values, 1)


@dataclass(frozen=True, slots=True)
class Lift:
    """Random effects with covariance C integrated out of U units with information G."""

    inner: Array  # (U, K, K) ``I + G C``
    keep: Array  # (U, K, K) ``E = (I + G C)^-1``: what is left of a direction of the information
    cov: Array  # (U, K, K) ``T = C E = (C^-1 + G)^-1``, the effects' covariance given the scores
    information: Array  # (U, K, K) ``Q = E G``
    log_det: float  # ``sum log|I + G C|``

    @staticmethod
    def of(information: Array, covariance: Array) -> Lift:
        """Integrate effects with covariance (K, K) out of (U, K, K) information."""
        inner = np.eye(len(covariance)) + information @ covariance
        keep = np.linalg.inv(inner)
        # The upper triangle, mirrored: the first row belongs to the data sets' intercepts, and is
        # exact relative to its small size.
        left = np.linalg.solve(inner, information)
        return Lift(
            inner=inner,
            keep=keep,
            cov=symmetric(covariance @ keep),
            information=np.triu(left) + np.triu(left, 1).swapaxes(-1, -2),
            log_det=float(np.linalg.slogdet(inner)[1].sum()),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The likelihood at given variances, with intermediate results for derivatives."""

    theta: Array  # (c,) variances and covariances
    # blocks, data, domains: the three levels
    blocks: BlockLevel
    data: Lift
    domains: Lift
    design: Array  # (D, K, p) X less its prediction by the domains' effects
    domain_design: Array  # (G, K, p) ``Z' V^-1 X`` summed over a domain
    phi: Array  # (p, p) covariance of the fixed effects
    beta: Array  # (p,) fixed effects of the centred scores
    domain_effect: Array  # (G, K) predicted effects of the domains
    z: Array  # (D, K) ``Z' P y``
    # (D, K) fitted value of a score, by all effects of its data set, less the data set's centre
    level: Array
    y_p_y: float  # ``y' P y``
    criterion: float  # -2 log (restricted) likelihood on the scale of the centred scores


def symmetric(matrices: Array) -> Array:
    """Return the symmetric part."""
    return (matrices + matrices.swapaxes(-1, -2)) / 2


def over_data_sets(layout: CovarianceLayout, within: Array, between: Array) -> Array:
    """Sum (D, r, ...) within blocks and (D, b, ...) between data sets to (c, ...)."""
    total = np.zeros((len(layout.names), *within.shape[2:]))
    total[: layout.outer] = between.sum(axis=0)
    np.add.at(total, layout.home, within)
    return total


def over_domains(model: StructuredModel, within: Array, between: Array) -> Array:
    """Sum as `over_data_sets` does, but within domains, to (G, c, ...)."""
    layout = model.layout
    total = np.zeros((len(model.member), len(layout.names), *within.shape[2:]))
    total[:, : layout.outer] = model.by_domain(between)
    # Each data set is of one domain, so this lists the data sets once each.
    domain, dataset = np.nonzero(model.member)
    np.add.at(total, (domain[:, None], layout.home[dataset]), within[dataset])
    return total


def over_pairs(layout: CovarianceLayout, local: Array, mixed: Array, outer: Array) -> Array:
    """Sum pairs of variances over data sets to (c, c, ...).

    `local` (D, r, r, ...) are pairs that act within blocks, `mixed` (D, r, b, ...) pairs of one
    within blocks and one between data sets, `outer` (b, b, ...) pairs between data sets, summed
    already.
    """
    c, b = len(layout.names), layout.outer
    total = np.zeros((c, c, *outer.shape[2:]))
    total[:b, :b] = outer
    np.add.at(total, (layout.home[:, :, None], layout.home[:, None, :]), local)
    side = np.zeros((c, *mixed.shape[2:]))
    np.add.at(side, layout.home, mixed)
    total[:, :b] += side
    total[:b, :] += side.swapaxes(0, 1)
    return total


def paired_traces(basis: Array, left: Array, right: Array) -> Array:
    """Return ``sum_u tr(B_i L_u B_j R_u)`` (b, b) for symmetric (U, K, K) L and R."""
    k = basis.shape[1]
    both = left.reshape(-1, k * k).T @ right.reshape(-1, k * k)
    # An entry at (kl, mn) of L (x) R meets B_i at (n, k) and B_j at (l, m).
    both = both.reshape(k, k, k, k).transpose(3, 0, 1, 2).reshape(k * k, k * k)
    flat = basis.reshape(-1, k * k)
    return flat @ both @ flat.T


def weighted_products(weight: Array, left: Array, right: Array) -> Array:
    """Return ``sum_uij w_ij L_ui' R_uj`` (p, p) of (U, i, K, p) and (U, j, K, p).

    Weights are (i, j), or (U, i, j) if each u has its own.
    """
    p = left.shape[3]
    summed = weight @ right.reshape(*right.shape[:2], -1)
    return left.reshape(-1, p).T @ summed.reshape(-1, p)


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
        (D, K, K) covariance of the data sets' mean levels, as far as the criterion knows of it.
    omega_blocks
        (D, K, K) the same of the levels with the data sets' own effects.
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
    def of(model: StructuredModel, at: Evaluation) -> Products:
        """Return the products at an evaluation."""
        layout, keep, q, x = model.layout, at.data.keep, at.data.information, at.design
        blocks = at.blocks.first()
        blocks_z = at.blocks.applied(at.level)
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


def _outer(z: Array) -> Array:
    return z[:, :, None] * z[:, None, :]


def _domain_p(model: StructuredModel, at: Evaluation, share: float) -> Array:
    """Return ``Z' V^-1 Z`` of the domains less `share` of the part that fixed effects explain."""
    b = at.domain_design
    phi = at.phi * (share * model.reml)
    return at.domains.information - b @ phi @ b.transpose(0, 2, 1)


def _score(model: StructuredModel, at: Evaluation, first: Products) -> Array:
    """Return ``tr(P V_i) - y' P V_i P y`` (c,), without the fixed effects' share under ML."""
    layout, p, e, q = model.layout, model.stats, at.blocks.residual, at.data.information
    inside = at.blocks.total_inverse() - at.blocks.spread(first.omega_blocks)
    inside -= at.blocks.outer(at.level)
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
    layout, p, e, basis = model.layout, model.stats, at.blocks.residual, model.layout.between
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
    rest = at.blocks.outer(at.level)
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
    """Add the terms that data sets of a domain share to the informations, in place."""
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
