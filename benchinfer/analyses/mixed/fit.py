"""Reduction of a table and fit of the mixed model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.mixed.design import (
    Design,
    Fixed,
    choose,
    fixed_effects,
    resolve,
)
from benchinfer.analyses.mixed.numerics import degrees, moments, sampling
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import Patterns, Statistics
from benchinfer.analyses.mixed.numerics.optimum import ModelFit, fit
from benchinfer.analyses.mixed.numerics.replications import (
    ReplicationMeans,
    independent_means,
    paired_means,
)
from benchinfer.analyses.mixed.numerics.residuals import Residuals, residuals_of
from benchinfer.analyses.mixed.numerics.robust import cr2_errors, with_single_datasets
from benchinfer.analyses.mixed.numerics.shared import SharedMeans
from benchinfer.comparison.checks import validation
from benchinfer.comparison.checks.groups import domain_codes
from benchinfer.comparison.evidence import Scores, Setting
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.numbers import join
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.covariance import Adjusted, contrast_variances
from benchinfer.numerics.shifts import freedom_of_units
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.rows.reductions import squares_of

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


type AnyFit = ModelFit | AveragedFit


@dataclass(frozen=True, slots=True)
class ScoreReduction:
    """Counts, means and squares of a table: cells where replications are not modelled, else blocks.

    Attributes
    ----------
    count, mean, within
        (R, K) number of scores and their mean, and (D, K) sums of squares about the means.
    dataset
        (R,) data set of each block, None for cells, of which there is one per data set.
    weight
        (R,) number of blocks that each stands for, where the table holds statistics; else None.
    size
        (R, K) of nested units of unequal size, as in `Blocks`; else None.
    """

    count: Codes
    mean: Array
    within: Array
    dataset: Codes | None
    weight: Array | None = None
    size: Array | None = None

    @staticmethod
    def of(scores: ScoreTable, name: str, design: Design) -> ScoreReduction:
        """Reduce the scores of a measure."""
        if "dataset:replication" not in design.components:
            cells = scores.cells(name)
            return ScoreReduction(cells.n, cells.mean, squares_of(cells), None)
        single = design.one_dataset or design.each
        blocks = scores.blocks(name) if single else scores.weighted_blocks(name)
        parts = blocks.count, blocks.mean, blocks.within, blocks.dataset
        return ScoreReduction(*parts, blocks.weight, blocks.size)

    @property
    def balanced(self) -> bool:
        """Whether all cells hold as many scores, of the same blocks."""
        each = self.count[:, 0] if self.weight is None else self.count[:, 0] * self.weight
        number = each if self.dataset is None else np.bincount(self.dataset, each)
        same = (self.count == self.count[:, :1]).all() and (number == number[0]).all()
        return bool(same and number[0] > 0)

    def freedom(self) -> tuple[float, ...]:
        """Return (D,) degrees of freedom on each data set over those of units of one size."""
        if self.size is None or self.dataset is None:
            return (1.0,) * len(self.within)
        size = self.size.sum(axis=1) / np.maximum(self.count.sum(axis=1), 1)
        parts = [size[self.dataset == d] for d in range(len(self.within))]
        return tuple(freedom_of_units(p / p.sum()) / max(len(p) - 1, 1) for p in parts)

    def rows_of(self, m: int) -> slice:
        """Return the rows of one data set."""
        if self.dataset is None:
            return slice(m, m + 1)
        return slice(*np.searchsorted(self.dataset, [m, m + 1]))

    @property
    def n_replications(self) -> Codes:
        """(D, K) number of replications; of one, of which repeats were kept, that of its scores."""
        parts = [self.count[self.rows_of(m)] for m in range(len(self.within))]
        return np.array([n[0] if len(n) == 1 else (n > 0).sum(axis=0) for n in parts])

    def replications(self, overlap: float) -> ReplicationMeans | None:
        """Return means over replications on each data set; None if an algorithm has one only."""
        if self.n_replications.min() < 2:
            return None
        parts: list[Array] = []
        for m, within in enumerate(self.within):
            rows = self.rows_of(m)
            count, mean = self.count[rows], self.mean[rows]
            size = None if self.size is None else self.size[rows]
            parts.append(
                independent_means(count[0], mean[0], within, overlap)
                if len(count) == 1
                else paired_means(mean, count > 0, overlap, size)
            )
        return ReplicationMeans.of(parts)

    def sampling_variances(self) -> Array:
        """Return (K, K) variances of differences over data sets by the sampling of items alone."""
        if self.dataset is None:
            return sampling.of_cells(self.count, self.within)
        return sampling.of_items(self.dataset, self.count > 0, self.mean, self.weight)

    def within_dataset(self, m: int) -> ScoreReduction:
        """Return the reduction of one data set."""
        rows = self.rows_of(m)
        dataset = None if self.dataset is None else self.dataset[rows]
        return ScoreReduction(self.count[rows], self.mean[rows], self.within[m : m + 1], dataset)

    def one_dataset(self) -> Statistics:
        """Return the moments of one data set, whose replications play the part of data sets."""
        count, mean = self.count, self.mean
        if self.dataset is None:
            return moments.from_cells(count, mean, self.within)
        stats = moments.from_cells(count, np.where(count > 0, mean, np.nan), np.zeros_like(mean))
        repeats = float(self.within.sum()) / stats.scale**2 / len(count)
        return replace(stats, square=stats.square + repeats)

    def statistics(self) -> Statistics:
        """Return the moments of several data sets under one variance per source."""
        if self.dataset is None:
            return moments.from_cells(self.count, self.mean, self.within)
        within = self.within.sum(axis=1)
        return moments.from_blocks(self.dataset, self.count, self.mean, within, self.weight)

    def patterns(self) -> Patterns:
        """Return the moments of several data sets for any model."""
        if self.dataset is None:
            return moments.structured_from_cells(self.count, self.mean, self.within)
        parts = self.dataset, self.count, self.mean, self.within
        return moments.structured_from_blocks(*parts, self.weight)

    def without(self, k: int) -> ScoreReduction:
        """Return the reduction without algorithm k, and without data sets that only k has.

        Without it blocks are smaller and belong to other classes of the moments.
        """
        others = np.arange(self.count.shape[1]) != k
        count, mean, within = self.count[:, others], self.mean[:, others], self.within[:, others]
        rows = count.any(axis=1)
        if self.dataset is None:
            return ScoreReduction(count[rows], mean[rows], within[rows], None)
        left, dataset = np.unique(self.dataset[rows], return_inverse=True)
        weight = None if self.weight is None else self.weight[rows]
        return ScoreReduction(count[rows], mean[rows], within[left], dataset, weight)


@savable
@dataclass(frozen=True, slots=True)
class AveragedFit:
    """Fits of each data set by itself, whose replications play the part of data sets."""

    parts: tuple[ModelFit, ...]  # one fit per data set

    @property
    def beta(self) -> Array:
        """(K,) levels, averaged over data sets with equal weight."""
        return np.mean([part.beta for part in self.parts], axis=0)

    @property
    def terms(self) -> tuple[str, ...]:
        """The components in the model."""
        shared = any(len(part.terms) > 1 for part in self.parts)
        return ("dataset:replication", "residual") if shared else ("residual",)

    @property
    def variances(self) -> Array:
        """(4,) variances averaged over data sets, in the order of `likelihood.COMPONENTS`."""
        mean = np.mean([part.variances for part in self.parts], axis=0)
        return np.array([0.0, 0.0, mean[0], mean[3]])

    @property
    def singular(self) -> tuple[str, ...]:
        """Components that are zero on every data set that has them."""
        zero = all(part.variances[0] == 0 for part in self.parts)
        zero &= "dataset:replication" in self.terms
        return ("dataset:replication",) if zero else ()


@savable
@shaped(
    fixed=SAME,
    model=SAME,
    statistics=SAME,
    domain="N",
    freedom="n?",
    replications=SAME,
    datasets=SAME,
    sampling="K K",
    overlap="[0,inf)",
)
@dataclass(frozen=True, slots=True)
class MixedFit:
    """A mixed model with its fit.

    Attributes
    ----------
    design
        The terms and why.
    fixed
        The fixed effects.
    model
        The fit.
    statistics
        Moments of the scores, by patterns where the model needs them; None where each data set is
        fitted by itself.
    domain
        (D,) codes of the data sets' domains where these are a random level, else None.
    overlap
        What overlapping resamples add to the variance of an algorithm's mean on a data set, in
        variances of its scores there; 0 where claims are about a domain.
    residuals
        Diagnostics of the fit, for models with one variance per source over several data sets.
    freedom
        (D,) degrees of freedom within data sets over those of units of one size, where claims are
        about these data sets; else empty.
    replications
        Means over replications, where claims are about these data sets and each algorithm has two
        replications; else None.
    datasets
        Means over data sets, where each pair is tested on those that it shares; else None.
    sampling
        (K, K) least variances of the pairs' differences, on the diagonal those of the levels:
        what the sampling of items alone gives, where rates are compared; else None.
    """

    design: Design
    fixed: Fixed
    model: AnyFit
    statistics: Statistics | Patterns | None
    domain: Codes | None = None
    overlap: float = 0.0
    residuals: Residuals | None = None
    freedom: tuple[float, ...] = ()
    replications: ReplicationMeans | None = None
    datasets: SharedMeans | None = None
    sampling: Array | None = None

    def least_errors(self, contrasts: Array) -> Array:
        """Return (J,) least standard errors of contrasts (J, K); 0 where no rates are compared."""
        if self.sampling is None:
            return np.zeros(len(contrasts))
        least = sampling.least_errors(self.sampling, contrasts)
        # Pairs on too few data sets have no error.
        return (
            least
            if self.datasets is None
            else np.where(self.datasets.silent(contrasts), 0.0, least)
        )

    @property
    def peculiarity(self) -> str:
        """Reason why the model is not one variance per source and one level per algorithm."""
        design = self.design
        reasons = {
            "each data set is fitted by itself": design.each,
            "there is one data set": design.one_dataset,
            "there are covariates": bool(design.covariates),
            "domains have levels of their own or are a sample": design.domains != "pooled",
            f"the structure is {design.structure}": design.between != "common",
            f"there is a residual variance for each {design.residual}": True,
        }
        return next(words for words, holds in reasons.items() if holds)

    @property
    def across(self) -> ModelFit | None:
        """The fit, None where each data set is fitted by itself."""
        return None if isinstance(self.model, AveragedFit) else self.model

    @property
    def plain(self) -> tuple[Statistics, ModelFit] | None:
        """Moments and fit of a model with one variance per source, else None."""
        model, statistics = self.across, self.statistics
        return (statistics, model) if model and isinstance(statistics, Statistics) else None

    @property
    def dataset_means(self) -> SharedMeans | None:
        """Means over data sets of one domain; None where claims are about others, or of a model."""
        if self.datasets is not None or not self.design.by_datasets or self.plain is None:
            return self.datasets
        return SharedMeans.of_moments(self.plain[0])

    def levels(self, rows: Array) -> Array:
        """Return (K,) levels: combinations of the fixed effects, or means over replications."""
        if self.replications is not None and self.design.by_replications:
            return self.replications.levels
        if self.datasets is not None:
            return self.datasets.levels
        return rows @ self.model.beta

    def errors(self, rows: Array, df: str) -> Adjusted:
        """Return the covariance of the fixed effects and the df of contrasts under the model.

        Of fits averaged over data sets the variance of a contrast is the mean of its variances on
        them, divided by their number; its degrees of freedom follow Satterthwaite:
        ``(sum v)^2 / sum(v^2 / df)``.
        """
        parts = self.model.parts if isinstance(self.model, AveragedFit) else (self.model,)
        d, each = len(parts), list[Adjusted]()
        for part, share in zip(parts, self.freedom or (1.0,) * d, strict=True):
            errors = degrees.METHODS[df](part, rows)
            added = self._overlapping(part) if self.overlap else 0.0
            each.append(Adjusted(errors.cov + added, errors.df * share))
        if d == 1:
            return each[0]
        cov, total, weight = np.zeros_like(each[0].cov), np.zeros(len(rows)), np.zeros(len(rows))
        for errors in each:
            v = contrast_variances(rows, errors.cov)
            cov += errors.cov / d**2
            total += v
            weight += v**2 / errors.df
        with np.errstate(divide="ignore"):
            return Adjusted(cov, total**2 / weight)

    def _overlapping(self, part: ModelFit) -> Array:
        """Return the increase of the covariance (p, p) of fixed effects by overlapping resamples.

        An algorithm's scores on a data set share an effect of variance s, the overlap times the
        residual variance, which gives estimates ``Phi X' V^-1 y`` the further covariance
        ``s Phi X' V^-1 Za Za' V^-1 X Phi``, on D complete ones ``s I / D``. On one data
        set that is ``s I``, and all algorithms share as much of the variance of replications, which
        levels have and differences have not.
        """
        s, phi = self.overlap * float(part.residual.mean()), part.phi
        if self.design.one_dataset or self.design.each:
            return self.overlap * part.between + s * np.eye(len(phi))
        return s * phi @ part.derivatives.f[COMPONENTS.index("dataset:algorithm")] @ phi

    def spread(self, rows: Array, *, asymptotic: bool = False) -> Adjusted | None:
        """Return `errors` from the spread between data sets; None where claims are about these.

        The fit sets the weights of the data sets.
        """
        model, statistics = self.across, self.statistics
        if self.design.one_dataset or statistics is None or model is None:
            return None
        try:
            x, domain = self.fixed.x, self.domain
            errors = cr2_errors(statistics, model, rows, x, domain, asymptotic=asymptotic)
            return with_single_datasets(errors, rows, self.fixed.sizes)
        except FitError as error:
            # With hardly a data set in common the data set variance may run away.
            raise _refusal(error) from None


def _refusal(error: FitError) -> DesignError:
    return DesignError(
        str(error),
        hint="a test needs scores that vary and data sets in common: scores.findings() names"
        " constant and identical algorithms; of identical replications keep one, with"
        " scores.subset(replications=[...]); compare_points describes such a table.",
    )


def fit_statistics(
    statistics: Statistics | Patterns,
    design: Design,
    fixed: Fixed,
    domain: Codes | None = None,
    overlap: float = 0.0,
) -> MixedFit:
    """Fit the model of a design to moments of scores."""
    try:
        model = fit(
            statistics,
            design.fitted,
            fixed.x,
            between=design.between,
            residual=design.residual,
            domain=domain,
        )
    except FitError as error:
        raise _refusal(error) from None
    if any(name.startswith("residual") for name in model.singular):
        raise _refusal(FitError("a residual variance goes to zero: some scores repeat each other."))
    return MixedFit(design, fixed, model, statistics, domain, overlap)


def _each_dataset(reduction: ScoreReduction, datasets: tuple[str, ...]) -> AveragedFit:
    """Fit each data set by itself."""
    parts: list[ModelFit] = []
    for m, dataset in enumerate(datasets):
        part = reduction.within_dataset(m)
        # One replication, of which repeats were kept, has no variance between replications.
        terms = ("dataset",) if part.dataset is not None and len(part.count) > 1 else ()
        try:
            parts.append(fit(part.one_dataset(), terms))
        except FitError as error:
            raise DesignError(f"data set {dataset}: {_refusal(error)}") from None
    return AveragedFit(tuple(parts))


def reread(setting: Setting, scores: ScoreTable) -> ScoreTable:
    """Return the scores of a table that was compared, given as it was compared or as it was read.

    `compare` compares some tables on another scale, or the means over the data sets of domains.
    """
    measure = setting.measure
    origin = measure.normalised
    if origin is not None and scores.measure(origin.measure.name).normalised is None:
        scores = scores.normalise(origin.references or origin.kind, origin.measure.name)
    if scores.measure(measure.name).scale != measure.scale:
        scores = scores.declare(measure)
    if setting.members is not None and scores.members is None:
        scores = scores.domain_means(measure.name)
    same, part = Setting.of(scores, measure.name)
    if same.digest != setting.digest:
        raise DesignError(
            "the table is not the one that was compared.", hint="pass the table as it was."
        )
    return part


def fit_design(
    scores: ScoreTable,
    setting: Setting,
    design: Design,
    *,
    diagnosed: bool = True,
    tested: bool = True,
) -> MixedFit:
    """Reduce the scores by the design, and fit the model.

    With its residuals if diagnosed, and the means of data sets if pairs are tested.
    """
    name = setting.measure.name
    values = np.empty((0, 0))
    if design.covariates:
        known = scores.dataset_covariates(name)
        values = np.column_stack([known.constant[c] for c in design.covariates])
    fixed = fixed_effects(setting, design.domains, design.covariates, values)
    overlap = validation.overlap_share(setting) if design.target == "datasets" else 0.0
    reduction = ScoreReduction.of(scores, name, design)
    given = design.each or design.one_dataset
    replications = reduction.replications(overlap) if given else None
    if replications is None and design.by_replications:
        few = np.flatnonzero((reduction.n_replications < 2).any(axis=0))
        raise DesignError(
            f"{join([setting.algorithms[k] for k in few])} {'has' if len(few) == 1 else 'have'} one"
            " replication: there is no spread to take an error from.",
            hint="leave it out with scores.subset(algorithms=[...]);"
            ' compare_mixed(..., structure="common") lends it the error of the others.',
        )
    if design.each:
        model = _each_dataset(reduction, setting.coverage.datasets)
        fitted = MixedFit(design, fixed, model, None, None, overlap)
        return replace(fitted, freedom=reduction.freedom(), replications=replications)
    domain = np.array(domain_codes(setting)[1]) if design.domains == "random" else None
    plain = design.between == "common" and design.residual == "constant" and domain is None
    if overlap and not plain:
        raise DesignError(
            "training sets overlap, which without the dataset:algorithm term is corrected for"
            " under one variance per source only.",
            hint='terms="auto" keeps the term, which holds what resamples share.',
        )
    if plain:
        stats = reduction.one_dataset() if design.one_dataset else reduction.statistics()
    else:
        stats = reduction.patterns()
    fitted = fit_statistics(stats, design, fixed, domain, overlap)
    if design.by_datasets and (design.shared or (tested and reduction.balanced)):
        fitted = replace(fitted, datasets=SharedMeans(scores.cells(name).mean))
    if design.one_dataset:
        return replace(fitted, freedom=reduction.freedom(), replications=replications)
    if setting.zero_one and _of_rates(setting, design, reduction):
        fitted = replace(fitted, sampling=reduction.sampling_variances())
    if diagnosed and fitted.plain is not None and fixed.x is None:
        parts = reduction.count, reduction.mean, reduction.within
        residuals = residuals_of(*fitted.plain, *parts, reduction.dataset, reduction.weight)
        return replace(fitted, residuals=residuals)
    return fitted


def _of_rates(setting: Setting, design: Design, reduction: ScoreReduction) -> bool:
    """Return whether items, by which rates vary, count alike and each by itself."""
    resampling = setting.resampling
    alone = resampling is None or resampling.overlap == 0
    across = design.domains == "pooled" and not design.covariates
    return alone and across and reduction.size is None


def fit_default(scores: Scores, measure: str | None) -> tuple[Setting, MixedFit]:
    """Fit the model that `compare_mixed` takes by default, without verdicts and diagnostics."""
    setting, scores = Setting.of(scores, measure)
    design = choose(setting, "auto", "auto")
    # On one data set structures differ in the errors of pairs, which are not asked for.
    structure = "common" if design.one_dataset else "auto"
    design = resolve(structure, "constant", design, setting)
    return setting, fit_design(scores, setting, design, diagnosed=False, tested=False)
