"""Reduction of a table and fit of the mixed model."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.mixed.design import (
    Design,
    Fixed,
    choose,
    fixed_effects,
    resolve,
    with_fixed_effects,
)
from benchinfer.analyses.mixed.numerics import degrees, moments
from benchinfer.analyses.mixed.numerics.leave_out import (
    blocks_without_algorithm,
    cells_without_algorithm,
)
from benchinfer.analyses.mixed.numerics.moments import Patterns, Statistics
from benchinfer.analyses.mixed.numerics.optimum import OptimizerRecord, ScoreModelFit, fit
from benchinfer.analyses.mixed.numerics.residuals import Residuals, of_blocks, of_cells
from benchinfer.analyses.mixed.numerics.robust import of_fit, of_structured
from benchinfer.analyses.mixed.numerics.structured_likelihood import Between, Residual
from benchinfer.analyses.mixed.numerics.structured_optimum import StructuredFit, fit_structured
from benchinfer.comparison import checks
from benchinfer.comparison.evidence import Array, Scores, Setting
from benchinfer.comparison.groups import domain_codes
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.hints import Call, Either, Subset
from benchinfer.core.saving import savable
from benchinfer.numerics import covariance
from benchinfer.numerics.covariance import contrast_variances
from benchinfer.scores.reductions import squares_of

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


type Fit = ScoreModelFit | StructuredFit


type Estimate = SolvedModel | AveragedFit
type AnyFit = Fit | AveragedFit


@savable
@dataclass(frozen=True, slots=True)
class ReducedModel:
    """Reduced scores with a model for them; from it the model can be fitted again.

    Attributes
    ----------
    statistics
        Moments of the scores, by patterns where the model needs them.
    terms
        Random terms as the engine names them.
    x
        (D, K, p) design of the fixed effects, None for one mean per algorithm.
    between, residual
        Structures of the covariances.
    domain
        (D,) codes of the data sets' domains where these are a random level, else None.
    robust
        Whether data sets (or domains) are independent units whose spread gives errors of its own.
    overlap
        What overlapping resamples add to the variance of an algorithm's mean, in residual
        variances; 0 across data sets.
    """

    statistics: Statistics | Patterns
    terms: tuple[str, ...]
    x: Array | None = None
    between: Between = "common"
    residual: Residual = "constant"
    domain: NDArray[np.int64] | None = None
    robust: bool = True
    overlap: float = 0.0

    def solve(self) -> "SolvedModel":
        """Fit the model."""
        try:
            return SolvedModel(self, self._fit())
        except FitError as error:
            raise _refusal(error) from None

    def _fit(self) -> Fit:
        if isinstance(self.statistics, Statistics):
            return fit(self.statistics, self.terms, self.x)
        found = fit_structured(
            self.statistics,
            between=self.between,
            residual=self.residual,
            terms=self.terms,
            domain=self.domain,
            x=self.x,
        )
        if any(name.startswith("residual") for name in found.singular):
            raise FitError("a residual variance goes to zero: some scores repeat each other.")
        return found


@savable
@dataclass(frozen=True, slots=True)
class SolvedModel:
    """A problem with its fit.

    Attributes
    ----------
    problem, model
        What was fitted, and the fit.
    """

    problem: ReducedModel
    model: Fit

    def errors(self, rows: Array, df: str) -> covariance.Adjusted:
        """Return the covariance of the fixed effects and the df of contrasts under the model."""
        found = degrees.METHODS[df](self.model, rows)
        if not self.problem.overlap:
            return found
        extra = self.problem.overlap * float(self.model.variances[3])
        return covariance.Adjusted(found.cov + extra * np.eye(len(found.cov)), found.df)

    def spread(self, rows: Array) -> covariance.Adjusted | None:
        """Return the same from the spread between data sets; None where it tells nothing.

        See `errors` for the parameters; the fit sets the weights of the data sets.
        """
        model, stats, x = self.model, self.problem.statistics, self.problem.x
        if not self.problem.robust:
            return None
        if isinstance(stats, Statistics):
            try:
                return of_fit(stats, model.variances, rows, x)
            except FitError as error:
                # With hardly a data set in common the data set variance may run away.
                raise _refusal(error) from None
        if not isinstance(model, StructuredFit):
            return None
        return of_structured(stats, model, rows, x, self.problem.domain, self.problem.residual)


def _refusal(error: FitError) -> DesignError:
    return DesignError(
        str(error),
        hint="a test needs scores that vary and data sets in common:"
        f" {Either('scores.findings()', 'benchinfer check')} names constant and"
        " identical algorithms; of identical replications keep one, with"
        f" {Subset('replications')}; {Call('compare_points')} describes such a"
        " table.",
    )


@dataclass(frozen=True, slots=True)
class ScoreReduction:
    """What a table is reduced to: cells where replications are not modelled, else blocks.

    Attributes
    ----------
    count, mean, within
        (R, K) number of scores and their mean, and (D, K) sums of squares about the means.
    dataset
        (R,) data set of each block, None for cells, of which there is one per data set.
    weight
        (R,) number of blocks that each stands for, where the table holds statistics; else None.
    """

    count: NDArray[np.int64]
    mean: Array
    within: Array
    dataset: NDArray[np.int64] | None
    weight: Array | None = None

    @staticmethod
    def of(scores: "ScoreTable", name: str, design: "Design") -> "ScoreReduction":
        """Reduce the scores of a measure."""
        if "dataset:replication" not in design.components:
            cells = scores.cells(name)
            return ScoreReduction(cells.n, cells.mean, squares_of(cells), None)
        alone = design.one_dataset or design.each
        blocks = scores.blocks(name) if alone else scores.weighted_blocks(name)
        parts = blocks.count, blocks.mean, blocks.within, blocks.dataset
        return ScoreReduction(*parts, blocks.weight)

    def within_dataset(self, m: int) -> "ScoreReduction":
        """Return what one data set is reduced to."""
        rows = slice(m, m + 1)
        if self.dataset is not None:
            rows = slice(*np.searchsorted(self.dataset, [m, m + 1]))
        of = None if self.dataset is None else self.dataset[rows]
        return ScoreReduction(self.count[rows], self.mean[rows], self.within[m : m + 1], of)

    def statistics(self, *, one: bool, plain: bool) -> Statistics | Patterns:
        """Return the moments that a model needs."""
        if self.dataset is None:
            reduce = moments.from_cells if plain else moments.structured_from_cells
            return reduce(self.count, self.mean, self.within)
        if one:
            return one_dataset(self.count, self.mean, self.within)
        if plain:
            within = self.within.sum(axis=1)
            return moments.from_blocks(self.dataset, self.count, self.mean, within, self.weight)
        parts = self.dataset, self.count, self.mean, self.within
        return moments.structured_from_blocks(*parts, self.weight)

    def without(self, k: int) -> Statistics:
        """Return the moments of several data sets without algorithm k."""
        if self.dataset is None:
            return cells_without_algorithm(self.count, self.mean, self.within, k)
        parts = self.dataset, self.count, self.mean, self.within
        return blocks_without_algorithm(*parts, k, self.weight)

    def residuals(self, stats: Statistics, model: ScoreModelFit) -> Residuals:
        """Diagnose a fit to several data sets."""
        if self.dataset is None:
            return of_cells(stats, model, self.count, self.mean, self.within)
        return of_blocks(stats, model, self.dataset, self.count, self.mean, self.weight)


def one_dataset(count: NDArray[np.int64], mean: Array, within: Array) -> Statistics:
    """Return the statistics of one data set, whose replications play the part of data sets."""
    stats = moments.from_cells(count, np.where(count > 0, mean, np.nan), np.zeros_like(mean))
    repeats = float(within.sum()) / stats.scale**2 / len(count)
    return replace(stats, square=stats.square + repeats)


@savable
@dataclass(frozen=True, slots=True)
class AveragedFit:
    """Fits of each data set by itself, whose replications play the part of data sets.

    Attributes
    ----------
    parts
        One fit per data set.
    """

    parts: tuple[SolvedModel, ...]

    @property
    def beta(self) -> Array:
        """(K,) levels, averaged over data sets with equal weight."""
        return np.mean([part.model.beta for part in self.parts], axis=0)

    @property
    def terms(self) -> tuple[str, ...]:
        """The components in the model."""
        shared = any(len(part.model.terms) > 1 for part in self.parts)
        return ("dataset:replication", "residual") if shared else ("residual",)

    @property
    def variances(self) -> Array:
        """(4,) variances averaged over data sets, in the order of `likelihood.COMPONENTS`."""
        mean = np.mean([part.model.variances for part in self.parts], axis=0)
        return np.array([0.0, 0.0, mean[0], mean[3]])

    @property
    def singular(self) -> tuple[str, ...]:
        """Components that are zero on every data set that has them."""
        zero = all(part.model.variances[0] == 0 for part in self.parts)
        zero &= "dataset:replication" in self.terms
        return ("dataset:replication",) if zero else ()

    @property
    def optimizer(self) -> OptimizerRecord:
        """The record of the data set whose optimum took most steps."""
        return max((part.model.optimizer for part in self.parts), key=lambda record: record.steps)

    def errors(self, rows: Array, df: str) -> covariance.Adjusted:
        """Return the covariance of the averaged levels, and the contrasts' degrees of freedom.

        The variance of a contrast is the mean of its variances on the data sets, divided by their
        number; its degrees of freedom follow Satterthwaite: ``(sum v)^2 / sum(v^2 / df)``.
        """
        d, k = len(self.parts), rows.shape[1]
        cov, spread, weight = np.zeros((k, k)), np.zeros(len(rows)), np.zeros(len(rows))
        for part in self.parts:
            own = part.errors(rows, df)
            v = contrast_variances(rows, own.cov)
            cov += own.cov / d**2
            spread += v
            weight += v**2 / own.df
        with np.errstate(divide="ignore"):
            return covariance.Adjusted(cov, spread**2 / weight)

    def spread(self, rows: Array) -> None:
        """Return nothing: data sets that are the subject itself have no sampling error."""


def each_dataset(
    scores: "ScoreTable", name: str, datasets: tuple[str, ...], design: "Design", overlap: float
) -> AveragedFit:
    """Fit each data set by itself."""
    reduction = ScoreReduction.of(scores, name, design)
    parts: list[SolvedModel] = []
    for m, dataset in enumerate(datasets):
        own = reduction.within_dataset(m)
        stats = own.statistics(one=True, plain=True)
        # One replication, of which repeats were kept, has no variance between replications.
        inner = ("dataset",) if own.dataset is not None and len(own.count) > 1 else ()
        try:
            parts.append(ReducedModel(stats, inner, robust=False, overlap=overlap).solve())
        except DesignError as error:
            raise DesignError(f"data set {dataset}: {error}") from None
    return AveragedFit(tuple(parts))


@savable
@dataclass(frozen=True, slots=True)
class MixedFit:
    """A model with its fit.

    Attributes
    ----------
    design
        The terms and why.
    fixed
        The fixed effects.
    estimate
        The fit, with what it was fitted to where that is kept.
    residuals
        Diagnostics of the fit, for models with one variance per source over several data sets.
    """

    design: Design
    fixed: Fixed
    estimate: Estimate
    residuals: Residuals | None = None

    @property
    def model(self) -> AnyFit:
        """The fit."""
        return self.estimate.model if isinstance(self.estimate, SolvedModel) else self.estimate

    @property
    def peculiarity(self) -> str:
        """What makes the model other than one variance per source and level per algorithm."""
        design = self.design
        reasons = {
            "each data set is fitted by itself": design.each,
            "there are covariates": bool(design.covariates),
            "domains have levels of their own or are a sample": design.domains != "pooled",
            f"the structure is {design.structure}": design.between != "common",
            f"there is a residual variance for each {design.residual}": True,
        }
        return next(words for words, holds in reasons.items() if holds)

    @property
    def plain(self) -> tuple[Statistics, ScoreModelFit] | None:
        """Moments and fit of a model with one variance per source, else None."""
        if isinstance(self.estimate, SolvedModel) and isinstance(self.model, ScoreModelFit):
            stats = self.estimate.problem.statistics
            return (stats, self.model) if isinstance(stats, Statistics) else None
        return None


def reread(setting: Setting, scores: "ScoreTable") -> "ScoreTable":
    """Return the scores of a table that was compared."""
    found, part = Setting.of(scores, setting.measure.name)
    if found.digest != setting.digest:
        raise DesignError(
            "the table is not the one that was compared.", hint="pass the table as it was."
        )
    return part


def fit_design(
    scores: "ScoreTable", setting: Setting, design: Design, *, diagnosed: bool = True
) -> MixedFit:
    """Reduce the scores as the design asks, and fit the model; with its residuals if diagnosed."""
    name = setting.measure.name
    values = np.empty((0, 0))
    if design.covariates:
        known = scores.dataset_covariates(name)
        values = np.column_stack([known.constant[c] for c in design.covariates])
    fixed = fixed_effects(setting, design.domains, design.covariates, values)
    overlap = checks.overlap_share(setting) if design.target == "datasets" else 0.0
    if design.each:
        datasets = setting.coverage.datasets
        parts = each_dataset(scores, name, datasets, design, overlap)
        return MixedFit(design, fixed, parts)
    domain = np.array(domain_codes(setting)[1]) if design.domains == "random" else None
    plain = design.between == "common" and design.residual == "constant" and domain is None
    reduction = ScoreReduction.of(scores, name, design)
    stats = reduction.statistics(one=design.one_dataset, plain=plain)
    problem = ReducedModel(
        stats,
        design.fitted,
        fixed.x,
        between=design.between,
        residual=design.residual,
        domain=domain,
        robust=not design.one_dataset,
        overlap=overlap if design.one_dataset else 0.0,
    )
    found, residuals = MixedFit(design, fixed, problem.solve()), None
    if diagnosed and found.plain is not None and fixed.x is None and not design.one_dataset:
        residuals = reduction.residuals(*found.plain)
    return replace(found, residuals=residuals)


def fit_default(scores: Scores, measure: str | None) -> tuple[Setting, MixedFit]:
    """Fit the model that `compare_mixed` takes by default, without verdicts and diagnostics."""
    setting, scores = Setting.of(scores, measure)
    design = resolve("auto", "constant", choose(setting, "auto", "auto"), setting)
    design = with_fixed_effects(design, "pooled", ())
    return setting, fit_design(scores, setting, design, diagnosed=False)
