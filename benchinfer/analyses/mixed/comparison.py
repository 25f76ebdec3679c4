"""Comparison by a linear mixed model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, override

from benchinfer.analyses.mixed import diagnostics, influence, method, tables
from benchinfer.analyses.mixed.design import Design, Structure
from benchinfer.analyses.mixed.evidence import (
    Adjustment,
    Errors,
    evidence_of,
    family_of,
    levels_of,
    rank_sets_of,
    untested,
)
from benchinfer.analyses.mixed.fit import AnyFit, MixedFit
from benchinfer.analyses.mixed.influence import Leave
from benchinfer.analyses.mixed.options import MixedOptions
from benchinfer.analyses.mixed.prediction import new_dataset
from benchinfer.comparison import wording
from benchinfer.comparison.comparison import IF_SYMMETRIC, TestedComparison
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import PairVerdicts, Setting, alpha_of, decide
from benchinfer.comparison.further.prediction import NewDataset
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import join, some
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.core.sections import Check
from benchinfer.numerics.directions.rank_sets import RankSets
from benchinfer.numerics.types import Array
from benchinfer.scores.numerics.skewness import FEWEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from benchinfer.scores.table import ScoreTable


@checked
@savable
@shaped(fitted=SAME, rows="K p")
@dataclass(frozen=True, eq=False, repr=False)
class MixedComparison(TestedComparison):
    """Verdicts from a linear mixed-effects model.

    Attributes
    ----------
    fitted
        The model with its fit.
    rows
        (K, p) combinations of the fixed effects that are the levels.
    about
        Which levels are compared, where these are not those of the average data set.
    """

    _home: ClassVar[str] = "benchinfer.analyses.mixed"
    _formula_name: ClassVar[str] = "Model"

    fitted: MixedFit
    rows: Array
    about: str = ""

    _title: ClassVar[str] = "Mixed model"
    _leans_on: ClassVar[str] = "normally distributed differences"

    @property
    def _checks(self) -> tuple[Check, ...]:
        """All diagnostics, with those of the residuals."""
        setting, residuals = self.setting, self.fitted.residuals
        if residuals is None:
            return self.stored_checks
        rows = diagnostics.residual_checks(
            residuals,
            setting.coverage.datasets,
            setting.algorithms,
            setting.measure,
            robust=self.structure == "pairwise",
            scales=setting.scales,
        )
        return (*self.stored_checks, *rows)

    options: ClassVar[StoredOptions[MixedOptions]] = StoredOptions(MixedOptions)

    @override
    def _rank_sets(self) -> RankSets:
        """Return the sets of the best and of ranks, by rotations if valid, else by t."""
        return rank_sets_of(
            self.setting, self.fitted, self.options, self.rows, self.fitted.levels(self.rows)
        )

    @override
    def _interval_note(self, pairs: Sequence[int] | None = None) -> str:
        """Reason why intervals of all or some pairs are unbounded; else empty."""
        of_gaps = super()._interval_note(pairs)
        skew = untested(self.evidence) & ~self._withheld
        oriented = self.pairs.oriented()
        sides = [oriented[p] for p in (oriented if pairs is None else pairs) if skew[p]]
        if not sides:
            return of_gaps
        text = (
            f"Undecided without a test, as differences are too skew for a claim about means:"
            f" {some(sides)}."
        )
        return " ".join(filter(None, (of_gaps, text)))

    @property
    def design(self) -> Design:
        """The terms of the model and why."""
        return self.fitted.design

    @property
    def model(self) -> AnyFit:
        """The fit."""
        return self.fitted.model

    @property
    def structure(self) -> Structure:
        """Covariance structure; ``"pairwise"`` gives each pair an error of its own."""
        return self.design.structure

    @property
    def formula(self) -> str:
        """The model as R users write it."""
        return self.design.formula

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        apart = self.about and self.design.domains == "separate"
        where = wording.scope(self.setting, self.target, "one" if apart else self.design.domains)
        return f"{where}, {self.about}" if self.about else where

    @property
    def _given_domains(self) -> bool:
        """True if claims are about the domains of the table, of which data sets are samples."""
        return self.design.domains == "separate"

    @property
    def proviso(self) -> str:
        """Condition of claims about means that so few data sets cannot show; empty without one."""
        few = self.target == "domain" and len(self.setting.coverage.datasets) < FEWEST
        return IF_SYMMETRIC if few else ""

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        return method.sentences(self)

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        return method.sources(self)

    def by_domain(self) -> Comparisons:
        """Compare the algorithms in each domain, adjusted for many pairs within each.

        Raises
        ------
        DesignError
            The domains have no levels of their own: ask for ``domains="separate"``.
        """
        if not self.fitted.fixed.domains:
            raise DesignError(
                "the domains have no levels of their own in this model.",
                hint='compare_mixed(..., domains="separate") gives them.',
            )
        fitted, fixed, options = self.fitted, self.fitted.fixed, self.options
        parts = {name: (fixed.levels_in(name), f"in the domain {name}") for name in fixed.domains}
        return Comparisons(
            {name: compared(self.setting, fitted, options, *part) for name, part in parts.items()}
        )

    def at(self, **covariates: float) -> MixedComparison:
        """Compare the algorithms at given values of covariates, others at their means.

        Raises
        ------
        DesignError
            A covariate is not in the model.
        """
        if not covariates:
            raise DesignError("no covariate is given.", hint="at(NAME=value).")
        values = join([f"{name} = {value:g}" for name, value in covariates.items()])
        at = self.fitted.fixed.levels_at(covariates)
        return compared(self.setting, self.fitted, self.options, at, f"at {values}")

    def slopes(self) -> pd.DataFrame:
        """Contrasts of the algorithms' slopes along the covariates, per unit of them.

        Returns
        -------
        pandas.DataFrame
            The columns of `contrasts` after a leading ``covariate``: the algorithm with the better
            slope gains more as the covariate grows. No tolerance applies. P-values are adjusted for
            many contrasts within each covariate.
        """
        import pandas as pd

        tables: list[pd.DataFrame] = []
        exact = replace(self.setting, measure=replace(self.measure, tolerance=0.0))
        for name in self.fitted.fixed.covariates:
            rows = self.fitted.fixed.slopes(name)
            table = compared(exact, self.fitted, self.options, rows).contrasts(all=True)
            table.insert(0, "covariate", name)
            tables.append(table)
        if not tables:
            raise DesignError(
                "the model has no covariates.",
                hint="compare_mixed(..., covariates=[...])",
            )
        return pd.concat(tables, ignore_index=True)

    def _family(self) -> tuple[ContrastFamily, Adjustment]:
        """Return the contrasts that were requested, and their adjustment."""
        levels = self.levels.estimate
        return family_of(self.algorithms, self.fitted, self.options, levels)

    def variances(self, level: float | None = None) -> pd.DataFrame:
        """Variance components: ``source variance share``, on the modelling scale.

        The share is that of the sum over the sources: how much of the spread of single scores is
        between data sets, between data sets in how algorithms differ, and so on.

        Parameters
        ----------
        level
            Confidence level of profile intervals ``conf_low conf_high``; None for none.

        Raises
        ------
        DesignError
            Intervals are requested of a model with several variances per source.
        """
        if level is not None:
            alpha_of(level)
        return tables.variances(self.fitted, level)

    def correlations(self) -> pd.DataFrame:
        """Intraclass correlations: ``shared correlation``.

        The correlation of two scores that share a data set, and whatever else.
        """
        return tables.correlations(self.variances())

    def departures(self) -> pd.DataFrame:
        """Predict the departures of data sets from the average, and of algorithms on each of them.

        Returns
        -------
        pandas.DataFrame
            ``source dataset algorithm estimate conf_low conf_high std_error``, in the unit of
            contrasts: what R calls random effects. Intervals are of each effect alone.

        Raises
        ------
        DesignError
            The model has no data set effects.
        """
        return tables.departures(self.setting, self.fitted, self.level)

    def direct(self) -> pd.DataFrame:
        """Compare the model's estimate of each pair with that of the data sets that both have.

        Returns
        -------
        pandas.DataFrame
            ``first second estimate std_error direct direct_error n_datasets``: with gaps in the
            table the model also draws on data sets that only one of the two has. NaN where no data
            set has both.

        Raises
        ------
        DesignError
            The model is not one of several data sets with one variance per source.
        """
        return tables.direct(self)

    def influence(
        self,
        leave: Leave = "dataset",
        scores: ScoreTable | None = None,
        *,
        n_jobs: int | None = None,
    ) -> pd.DataFrame:
        """Return the changes of estimates and verdicts without each data set, or each algorithm.

        Parameters
        ----------
        leave
            ``"dataset"`` (of one data set its replications) or ``"algorithm"``.
        scores
            The table, which leaving out algorithms reads again.
        n_jobs
            As in `per_dataset`.

        Returns
        -------
        pandas.DataFrame
            One row per unit left out: Cook's distance of the differences between algorithms, the
            contrast that moves most with its ``shift`` in standard errors, ratios of the variances
            without / with, and the verdicts that change. Of more than 200 data sets the 200 that
            move a contrast most are fitted again (``refitted``), the others have no verdicts.

        Raises
        ------
        DesignError
            The model is not one that can be fitted again from its moments, or the table is missing.
        """
        return influence.left_out(self, leave, scores, n_jobs).table()

    def predict(self, replications: int | None = None) -> NewDataset:
        """Predict the contrasts and which algorithm is best on a data set not yet seen.

        Predictions are those of the model, which with ``missing="shared"`` draws on all scores.

        Parameters
        ----------
        replications
            Predict means over so many replications there; None for the true differences.

        Returns
        -------
        NewDataset
            With ``contrasts()`` and ``summary()``.

        Raises
        ------
        DesignError
            The model says nothing about other data sets.
        """
        return new_dataset(self, replications)

    def anova(self) -> pd.DataFrame:
        """Test whole terms: ``term test statistic df df_residual p_value``.

        F tests of the algorithms' levels (and of domains and covariates), with the method of the
        degrees of freedom that was requested; likelihood-ratio tests of the algorithms and of each
        variance. None of them decides a pair.
        """
        return tables.anova(self.fitted, self.options.df)

    def structures(self, scores: ScoreTable) -> pd.DataFrame:
        """Fit every covariance structure that the table supports, and compare the fits.

        Parameters
        ----------
        scores
            The table that was compared.

        Returns
        -------
        pandas.DataFrame
            One row per ``structure`` and ``residual``, least ``aic`` first: ``n_parameters
            log_likelihood aic bic`` of the restricted likelihood, which may be compared as the
            fixed effects are the same, and ``statistic df p_value`` of the likelihood-ratio test
            against the common structure with constant residual variance, which lies within all
            others. The chi-squared reference errs on the safe side where a variance may be zero.

        Raises
        ------
        DesignError
            The table is another one or supports one structure only, or each data set is fitted by
            itself.

        References
        ----------
        Pinheiro, J. C. & Bates, D. M. (1996). Unconstrained parametrizations for
        variance-covariance matrices. Statistics and Computing 6, 289-296.
        https://doi.org/10.1007/BF00140873

        Examples
        --------
        >>> import benchinfer as bi
        >>> scores = bi.load_example("sklearn_bootstrap")
        >>> table = bi.compare_mixed(scores, "error").structures(scores)
        >>> table[["structure", "residual", "n_parameters"]].head(2)
              structure residual  n_parameters
        0  unstructured  dataset            40
        1      diagonal  dataset            26
        """
        return tables.structures(self.setting, self.design, scores)


def compared(
    setting: Setting,
    fitted: MixedFit,
    options: MixedOptions,
    at: Array | None = None,
    about: str = "",
) -> MixedComparison:
    """Return the comparison of a fit, tested by the options of `compare_mixed`."""
    design, alpha = fitted.design, options.alpha
    rows = fitted.fixed.at if at is None else at
    estimates = fitted.levels(rows)
    family, adjusted = family_of(setting.algorithms, fitted, options, estimates)
    errors = Errors.of(fitted, rows, family, options.df)
    method = adjusted.method
    tests, p_error = evidence_of(setting, fitted, options, family, method, estimates, errors)
    codes = decide(tests.estimate, tests.p_value, tests.p_equivalence, alpha)
    levels = levels_of(setting, design, estimates, errors, alpha)
    seed = options.seed if method == "rotation" else None
    result = MixedComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, setting, codes, levels, directed=options.directed),
        level=options.level,
        target=design.target,
        levels=levels,
        stored_checks=(),
        provenance=options.provenance(setting.digest, adjusted.words(family, options), seed),
        evidence=tests,
        fitted=fitted,
        rows=rows,
        about=about,
    )
    checks = diagnostics.checks(result, family, method, errors, p_error)
    return replace(result, stored_checks=checks)


def verdicts_of(setting: Setting, fitted: MixedFit, options: MixedOptions) -> PairVerdicts:
    """Turn a fit into verdicts alone."""
    rows, names = fitted.fixed.at, setting.algorithms
    levels = fitted.levels(rows)
    family, adjusted = family_of(names, fitted, options, levels)
    errors = Errors.of(fitted, rows, family, options.df)
    tests, _ = evidence_of(setting, fitted, options, family, adjusted.method, levels, errors)
    codes = decide(tests.estimate, tests.p_value, tests.p_equivalence, options.alpha)
    return PairVerdicts(
        MixedComparison._title, tuple(family.named_sides(names)[family.wanted]), codes
    )
