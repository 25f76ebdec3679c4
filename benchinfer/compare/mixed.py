"""Linear mixed-effects models of scores, with simultaneous contrasts of the algorithms.

References
----------
Eugster, M. J. A., Hothorn, T. & Leisch, F. (2012). Domain-based benchmark experiments: exploratory
and inferential analysis. Austrian Journal of Statistics 41, 5-26.
https://doi.org/10.17713/ajs.v41i1.185
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer import version
from benchinfer.compare import designs, families, structures
from benchinfer.compare.comparison import TestedComparison
from benchinfer.compare.evidence import (
    Array,
    Check,
    Evidence,
    Level,
    Provenance,
    Setting,
    alpha_of,
    decide,
)
from benchinfer.compare.phrases import join
from benchinfer.errors import DesignError, FitError, message, unknown
from benchinfer.frames import frame
from benchinfer.numerics import degrees, tukey
from benchinfer.numerics.score_model import ScoreModelFit, fit
from benchinfer.numerics.sufficient import Statistics, from_blocks, from_cells
from benchinfer.saving import savable
from benchinfer.scores import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

type DfMethod = Literal["kenward-roger", "satterthwaite", "asymptotic"]

_df_words = {
    "kenward-roger": "Kenward-Roger small-sample covariance and degrees of freedom",
    "satterthwaite": "Satterthwaite degrees of freedom",
    "asymptotic": "normal theory (infinite degrees of freedom)",
}


_pairwise_words = {
    False: "a standard error for each pair from the spread of the data sets' own differences"
    " (cluster-robust, CR2) with Satterthwaite degrees of freedom",
    True: "a standard error for each pair from the spread of the data sets' own differences"
    " (cluster-robust, CR2) and normal theory (infinite degrees of freedom)",
}


@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MixedComparison(TestedComparison):
    """Verdicts from a linear mixed-effects model.

    Attributes
    ----------
    design
        The terms of the model and why.
    model
        The fit.
    structure
        ``"common"`` (one interaction variance, one standard error for like pairs) or ``"pairwise"``
        (each pair its own).
    critical
        (P,) critical values of the intervals.
    """

    design: designs.Design
    model: ScoreModelFit
    structure: structures.Structure
    critical: Array

    title: ClassVar[str] = "Mixed model"

    @property
    def formula(self) -> str:
        """The model as R users write it."""
        return self.design.formula

    @property
    def method(self) -> str:
        """What was done, in sentences for a methods section."""
        arguments = self.provenance.arguments
        scale = "" if self.measure.scale == "identity" else f"{self.measure.scale} "
        if self.structure == "pairwise":
            small = _pairwise_words[arguments["df"] == "asymptotic"]
        else:
            small = _df_words[str(arguments["df"])]
        correction = designs.overlap_words(self.setting)
        return (
            f"The {scale}scores of {self.measure.name} were modelled as {self.formula} by"
            f" restricted maximum likelihood, with {small}. {self.design.reason}{correction}"
            f" {self.provenance.adjustment}."
        )

    def rests_on(self) -> list[str]:
        """Return the modules and functions used whose docstrings name their sources."""
        adjust = str(self.provenance.arguments["adjust"])
        if adjust == "auto":
            adjust = "single-step" if self.structure == "common" else "holm"
        df = str(self.provenance.arguments["df"]).replace("-", "_")
        names = ["benchinfer.compare.mixed", "benchinfer.numerics.reml"]
        if self.structure == "pairwise":
            names.append("benchinfer.numerics.robust")
        else:
            names.append(f"benchinfer.numerics.degrees:{df}")
        if adjust in {"shaffer", "westfall"}:
            names.append(f"benchinfer.numerics.closed_pairs:{adjust}")
        if adjust in {"holm", "shaffer"}:
            names += ["benchinfer.numerics.multiplicity", "benchinfer.compare.families:sidak"]
        if self.structure == "common":
            names.append("benchinfer.numerics.tukey")
        if designs.overlap_words(self.setting):
            names.append("benchinfer.compare.designs:overlap_variance")
        return names

    def variances(self) -> "pd.DataFrame":
        """Variance components: ``source variance share``, on the modelling scale.

        The share is that of the sum over the sources: how much of the spread of single scores is
        between data sets, between data sets in how algorithms differ, and so on.
        """
        held = {name: value for name, value in self._components() if name in self.model.terms}
        names = [self.design.source(name) for name in held]
        values = np.array(list(held.values()))
        return frame({"source": names, "variance": values, "share": values / values.sum()})

    def _components(self) -> list[tuple[str, float]]:
        return list(zip(designs.COMPONENTS, self.model.variances.tolist(), strict=True))


def compare_mixed(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    terms: Literal["auto"] | Sequence[str] = "auto",
    structure: structures.Structure = "auto",
    df: DfMethod = "kenward-roger",
    contrasts: families.Contrasts = "tukey",
    control: str | None = None,
    adjust: families.Adjust = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
) -> MixedComparison:
    """Compare algorithms by a linear mixed-effects model and simultaneous contrasts.

    ``value ~ algorithm + (1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)``, fitted by
    REML on the measure's scale, from which the design keeps the terms that it can estimate.

    Parameters
    ----------
    scores
        The table; cells may be missing.
    measure
        Name of the measure; may be omitted where there is one.
    terms
        ``"auto"``, or the random terms among ``"dataset"``, ``"dataset:algorithm"`` and
        ``"dataset:replication"``.
    structure
        ``"common"``: one interaction variance, hence one standard error for all pairs, as lme4
        users type it; too small for erratic algorithms and too large for near-duplicates.
        ``"pairwise"``: the model sets the weights, and each pair has its own standard error from
        the data sets' differences (CR2; on a complete table the paired t-test on data set means).
        ``"auto"``: pairwise across data sets, common on one data set.
    df
        ``"kenward-roger"``, ``"satterthwaite"`` or ``"asymptotic"``. Pair-specific errors have
        Satterthwaite degrees of freedom under the first two.
    contrasts, control
        ``"tukey"`` (all pairs), or ``"dunnett"``: each other algorithm against the control.
    adjust
        ``"single-step"`` (``max |t|``), ``"westfall"``, ``"shaffer"``, ``"holm"``, ``"none"``, or
        ``"auto"``: single-step with a common error, Holm with pair-specific ones. Intervals are
        single-step or Sidak's.
    level
        Confidence level of the family of pairs.
    missing
        ``"use"`` the scores that are there, or ``"error"`` where a cell lacks some.

    Returns
    -------
    MixedComparison
        With adjusted p-values and simultaneous intervals.

    Raises
    ------
    DesignError
        The table cannot answer the question: fewer than two algorithms, terms that cannot be
        estimated, an algorithm that shares no data set with the others, scores without variation,
        or overlapping resamples on one data set whose overlap is not declared.

    References
    ----------
    Eugster, Hothorn & Leisch (2012), https://doi.org/10.17713/ajs.v41i1.185

    Examples
    --------
    >>> import benchinfer as bi
    >>> mixed = compare_mixed(bi.load_example("simulated/balanced"))
    >>> mixed.formula
    'score ~ algorithm + (1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)'
    >>> mixed.contrasts().columns.tolist()[:5]
    ['measure', 'first', 'second', 'estimate', 'conf_low']
    """
    alpha = alpha_of(level)
    if df not in degrees.METHODS:
        raise DesignError(unknown("df", df, list(degrees.METHODS)))
    setting, scores = Setting.of(scores, measure)
    designs.check_missing(setting, missing)
    design = designs.choose(setting, terms)
    kind = structures.resolve(structure, design, setting)
    family = families.family_of(setting.algorithms, contrasts, control)
    method = families.resolve(adjust, contrasts, common=kind == "common")
    stats, model = _fit(scores, setting, design)
    extra = designs.overlap_variance(setting, model)
    errors = structures.Errors.of(stats, model, family, df, extra, one=design.one_dataset)
    chosen = errors.of_structure(kind)
    evidence, critical, p_error = families.evidence_of(
        family, model.beta, chosen.first(len(family.pairs)), method, alpha, setting.measure.margin
    )
    arguments = {
        "terms": terms if isinstance(terms, str) else tuple(terms),
        "structure": structure,
        "df": df,
        "contrasts": contrasts,
        "control": control,
        "adjust": adjust,
        "level": level,
        "missing": missing,
    }
    return MixedComparison(
        setting=setting,
        pairs=family.pairs,
        codes=decide(evidence.estimate, evidence.p_value, evidence.p_equivalence, alpha),
        level=level,
        target=design.target,
        levels=_levels(model, chosen, len(family.pairs), alpha),
        checks=(
            *_checks(design, model, evidence, p_error),
            *structures.checks(setting, family, evidence, errors, kind, method, alpha),
            *designs.checks(setting, design),
        ),
        provenance=_provenance(setting, _adjustment_words[method], family, arguments),
        evidence=evidence,
        design=design,
        model=model,
        structure=kind,
        critical=critical,
    )


_adjustment_words = {
    "single-step": "p-values and intervals are single-step (max-|t|) over {family}",
    "westfall": "p-values are Westfall's and intervals single-step (max-|t|) over {family}",
    "shaffer": "p-values are Shaffer's and intervals Sidak's over {family}",
    "holm": "p-values are Holm's and intervals Sidak's over {family}",
    "none": "p-values and intervals are those of each pair alone, not adjusted for {family}",
}


def _levels(model: ScoreModelFit, errors: degrees.Adjusted, skip: int, alpha: float) -> Level:
    """Return each algorithm's level with an interval of its own."""
    # Rounding may leave the variance of a constant algorithm just below zero.
    error = np.sqrt(np.maximum(errors.cov.diagonal(), 0.0))
    spread = tukey.critical_t(errors.df[skip:], alpha) * error
    return Level(model.beta, model.beta - spread, model.beta + spread)


def _fit(
    scores: ScoreTable, setting: Setting, design: designs.Design
) -> tuple[Statistics, ScoreModelFit]:
    """Reduce the table and fit the model."""
    stats = _statistics(scores, setting, design)
    try:
        return stats, fit(stats, design.fitted)
    except FitError as error:
        raise DesignError(
            message(
                str(error),
                hint="a test needs scores that vary: scores.findings() names constant and identical"
                " algorithms; of identical replications keep one, with"
                " scores.subset(replications=[...]); compare_points describes such a table.",
            )
        ) from None


def _provenance(
    setting: Setting, words: str, family: families.Family, arguments: Mapping[str, object]
) -> Provenance:
    return Provenance(
        analysis="compare_mixed",
        version=version.__version__,
        arguments={"measure": setting.measure.name, **arguments},
        adjustment=words.format(family=family.words),
        digest=setting.digest,
    )


def _statistics(scores: ScoreTable, setting: Setting, design: designs.Design) -> Statistics:
    """Reduce the table: cells suffice where replications are not modelled."""
    name = setting.measure.name
    if "dataset:replication" not in design.components:
        cells = scores.cells(name)
        within = np.where(cells.n > 1, (cells.n - 1) * np.nan_to_num(cells.sd) ** 2, 0.0)
        return from_cells(cells.n, cells.mean, within)
    blocks = scores.blocks(name)
    if design.one_dataset:
        # The replications of the one data set play the part of the data sets.
        rows = np.arange(len(blocks.dataset))
        mean = np.where(blocks.count > 0, blocks.mean, np.nan)
        stats = from_cells(blocks.count, mean, np.zeros_like(blocks.mean))
        return replace(stats, square=stats.square + _spread(blocks.within, stats, len(rows)))
    return from_blocks(blocks.dataset, blocks.count, blocks.mean, blocks.within)


def _spread(within: Array, stats: Statistics, n_rows: int) -> Array:
    """Spread the sum of squares of repeats evenly; only its total enters the likelihood."""
    return np.full(n_rows, within.sum() / stats.scale**2 / n_rows)


def _checks(
    design: designs.Design, model: ScoreModelFit, evidence: Evidence, p_error: float
) -> tuple[Check, ...]:
    """Hold the fit against what a reader must know."""
    few = "replications" if design.one_dataset else "data sets"
    absent = [design.source(name) for name in model.singular]
    df = float(evidence.df.min())
    return (
        Check.of(
            "optimiser converged",
            float(model.optimizer.converged),
            1.0,
            ok=model.optimizer.converged,
            remedy="the optimum is not certain: report this table to the developers",
        ),
        Check.of(
            "variance components at zero",
            len(model.singular),
            0.0,
            ok=not model.singular,
            remedy=f"no evidence of variation from {join(absent)}; the fit stands",
        ),
        Check.of(
            "degrees of freedom",
            df,
            5.0,
            ok=df >= 5,
            remedy=f"few degrees of freedom: intervals lean on normality; add {few}",
        ),
        Check.of(
            "error of adjusted p-values",
            p_error,
            1e-3,
            ok=p_error <= 1e-3,
            remedy="p-values near the level may fall on either side of it",
        ),
    )
