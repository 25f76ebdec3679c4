"""Comparison by meta-analysis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, override

import numpy as np

from benchinfer.analyses.meta import diagnostics, influence, prediction, tables
from benchinfer.analyses.meta.evidence import (
    evidence_of,
    family_of,
    placed,
    third_level,
    with_evidence,
)
from benchinfer.analyses.meta.numerics.pooling import Method
from benchinfer.analyses.meta.options import MetaOptions
from benchinfer.analyses.meta.pooling import (
    Interval,
    NetworkFit,
    PairFits,
    errors_of,
    network,
    of_pairs,
    pairwise,
    require_noise,
)
from benchinfer.analyses.meta.studies import Studies
from benchinfer.comparison.adjustment import ADJUSTMENTS, JOINT, sidak, words
from benchinfer.comparison.comparison import TestedComparison
from benchinfer.comparison.evidence import Level, Setting, decide, mean_ranks, positions
from benchinfer.comparison.further import best
from benchinfer.comparison.further.influence import Influence
from benchinfer.comparison.further.prediction import NewDataset
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.arguments import check_jobs, checked
from benchinfer.core.numbers import count, join, sentence
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.covariance import all_pairs
from benchinfer.numerics.directions.rank_sets import RankSets

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.contrasts import ContrastFamily


_METHODS = {
    "reml": "restricted maximum likelihood",
    "paule-mandel": "Paule and Mandel's method",
    "dersimonian-laird": "DerSimonian and Laird's moments",
    "fixed": "inverse variances",
}
_EFFECTS = {
    "difference": "mean differences",
    "standardised": "standardised mean differences (Hedges' g)",
    "log-ratio": "log ratios of means",
}


@checked
@savable
@shaped(studies=SAME)
@dataclass(frozen=True, eq=False, repr=False)
class MetaComparison(TestedComparison):
    """Verdicts from a meta-analysis.

    Attributes
    ----------
    studies
        The effects that were pooled.
    fit
        All algorithms jointly; of pairwise pooling None.
    alone
        The compared pairs, each by itself, from direct evidence only.
    third
        What data sets lie within, ``"study"`` or ``"domain"``; empty for two levels.
    """

    _home: ClassVar[str] = "benchinfer.analyses.meta"

    studies: Studies
    fit: NetworkFit | None
    alone: PairFits
    third: str = ""

    _title: ClassVar[str] = "Meta-analysis"
    _leans_on: ClassVar[str] = "normally distributed effects"

    @property
    def _relative(self) -> bool:
        """True if levels are relative to the mean of the algorithms: effects have no level."""
        return not np.isfinite(self.studies.levels).any()

    options: ClassVar[StoredOptions[MetaOptions]] = StoredOptions(MetaOptions)

    @property
    def joint(self) -> bool:
        """True if all algorithms were estimated jointly."""
        return self.fit is not None

    @property
    def fixed(self) -> bool:
        """True if effects are fixed: claims are about these data sets."""
        return self.options.method == "fixed"

    @property
    def interval(self) -> Interval:
        """Kind of the contrasts' standard errors, with ``"auto"`` resolved."""
        if self.fit is not None:
            return self.fit.interval
        return of_pairs(self.studies, self.options.errors)

    @property
    def estimator(self) -> Method:
        """Estimator of the variance between data sets."""
        return self.options.method

    @property
    def formula(self) -> str:
        """The model in one line."""
        slopes = "".join(f" + algorithm:{name}" for name in self.studies.covariates)
        outer = f" + (1|{self.third}:algorithm)" if self.third else ""
        return f"effect ~ algorithm{slopes}{outer} + (1|dataset:algorithm), sampling errors known"

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        d = len(self.studies.datasets)
        what = f"{_EFFECTS[str(self.options.effect)].capitalize()} in {self.measure.noun}"
        how = "restricted maximum likelihood" if self.third else _METHODS[self.estimator]
        if self.fit is not None:
            model = "a network meta-analysis" if len(self.algorithms) > 2 else "a meta-analysis"
            if self.fixed:
                model += " with fixed effects"
            else:
                model += " with random effects, one heterogeneity variance for all pairs"
            if self.interval == "robust":
                model += " as weights"
            if self.third:
                model += f", data sets within each {self.third}"
        else:
            effects = "fixed" if self.fixed else "random"
            model = f"{effects} effects, each pair from the data sets that hold both"
        along = join(list(self.studies.covariates))
        slopes = f" Algorithms have slopes along {along}." if along else ""
        units = "studies" if self.third == "study" else f"{self.third or 'data set'}s"
        errors = (
            f"robust errors of each contrast from the spread of the {units} (CR2) and t tests"
            " with Satterthwaite degrees of freedom"
            if self.interval == "robust"
            else f"t tests with {self.fit.df:g} degrees of freedom"
            if self.third and self.fit is not None and np.isfinite(self.fit.df)
            else "Hartung and Knapp's errors, never below Wald's, and t tests"
            if self.interval == "hartung-knapp"
            else "t tests of the effects with equal weights, no error below that of sampling"
            if self.interval == "equal-weights" and len(self.algorithms) == 2
            else "equal weights of the data sets, robust errors of each contrast (CR2), none below"
            " that of sampling, and t tests with Satterthwaite degrees of freedom"
            if self.interval == "equal-weights"
            else "Wald tests"
        )
        if n := int(self.alone.equal.sum()) * (not self.joint):
            errors += (
                f"; {count(n, 'pair')} with few or unevenly exact effects by equal weights and t"
                " tests"
            )
        source = f" Sampling covariances are {self.studies.covariance}."
        return (
            f"{what} on {count(d, 'data set')} were pooled by {model}, estimated by {how}, with"
            f" {errors}.{source}{slopes} {sentence(self.provenance.adjustment)}."
        )

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        from benchinfer.analyses.meta.numerics import network, pooling
        from benchinfer.analyses.meta.numerics.effects import rows_of, standardised
        from benchinfer.analyses.meta.numerics.moderation import moderated
        from benchinfer.analyses.meta.numerics.nested import nested
        from benchinfer.numerics import multiplicity
        from benchinfer.numerics.covariance import cluster_robust
        from benchinfer.numerics.max_t import max_t

        used: list[object] = [MetaOptions, pooling.pool, pooling.heterogeneity]
        if self.studies.prior_df:
            used.append(moderated)
        if self.options.effect != "difference":
            used.append(standardised)
        if self.third:
            used.append(nested)
        if self.fit is not None and self.fit.own_errors:
            used += [network.clusters, cluster_robust]
        if self.interval == "equal-weights" or self.alone.equal.any():
            used.append(pooling.pool_equally)
        if self.fit is not None and len(self.algorithms) > 2:
            used += [rows_of, network.by_design, tables.p_scores]
        _, chosen = self._family()
        if chosen in JOINT:
            used.append(max_t)
        if source := ADJUSTMENTS[chosen].source:
            used.append(source)
        if chosen in {"holm", "shaffer"}:
            used += [multiplicity.holm, sidak]
        return used

    def summary(self) -> pd.DataFrame:
        """One row per algorithm: ``measure algorithm estimate n rank [prob_best prob_near_best]``.

        Estimates of published or standardised effects are relative to the mean of the algorithms.
        The probabilities are those of the average effect, from the joint distribution of the
        estimates; pairwise pooling has none. Networks of three algorithms or more have ``p_score``,
        the mean certainty to be better than another one.
        """
        return tables.ranked(self, super().summary())

    def heterogeneity(self) -> pd.DataFrame:
        """Heterogeneity of effects between data sets: Q, tau^2 with its interval, I^2 and H^2.

        Returns
        -------
        pandas.DataFrame
            ``measure tau2 tau2_low tau2_high i2 i2_low i2_high h2 q df p_value``: one row for the
            network, or one per pair (with ``first`` and ``second``) where each was pooled alone.
            tau^2 is on the modelling scale, I^2 in percent. Intervals are Q-profile ones, NaN where
            they are empty, as effects are more alike than their sampling errors leave them. Three
            levels have ``tau2`` within and ``tau2_between`` studies, without intervals.
        """
        return tables.heterogeneity(self)

    def predict(self) -> NewDataset:
        """Predict the contrasts and which algorithm is best on a data set not yet seen.

        With robust errors (two levels, no covariates) each pair varies between data sets as those
        that hold both show, if there are three, shrunk to the estimate of all pairs; else all pairs
        have the same variance.

        Raises
        ------
        DesignError
            Each pair was pooled alone, so that ranks have no joint distribution.
        """
        return prediction.predict(self)

    def influence(self, most: int | None = None, *, n_jobs: int | None = None) -> pd.DataFrame:
        """Return the influence of each data set: Cook's distance, shifts, changed verdicts.

        Parameters
        ----------
        most
            How many to refit without: those that move the estimates most by one step, at the
            tau^2 of all. By default all of them.
        n_jobs
            As in `per_dataset`.

        Returns
        -------
        pandas.DataFrame
            One row per data set: Cook's distance, the contrast that moves most with its ``shift``
            in standard errors, ``tau2`` without it, and the verdicts that change; ``refitted`` is
            False where the rest does not hold together or cannot be analysed with the same errors,
            and for those beyond `most`, whose distance is that of one step.
        """
        return without_datasets(self, most, n_jobs).table()

    def egger(self) -> pd.DataFrame:
        """Test each pair's funnel for asymmetry: effects regressed on their standard errors.

        Returns
        -------
        pandas.DataFrame
            ``first second n_datasets slope std_error df statistic p_value estimate``, for pairs
            with three data sets or more; the estimate is the effect at a standard error of 0.
            P-values are of each pair alone. Asymmetry has other causes than unpublished results:
            small data sets may truly show other effects, and the standard error of a ratio depends
            on the ratio itself.
        """
        return tables.egger(self)

    def consistency(self) -> pd.DataFrame:
        """Test whether direct and indirect evidence agree.

        Returns
        -------
        pandas.DataFrame
            ``term test statistic df df_residual p_value``: Q within and between designs (sets of
            algorithms compared on a data set), the design-by-treatment test with random effects,
            and one row per pair whose evidence could be split (node splitting), with p-values of
            each alone. These tests take the variances of all pairs as equal, except for splits
            called robust: their errors are from the spread of the data sets, and no data set alone
            separates direct from indirect evidence.

        Raises
        ------
        DesignError
            There is no network: two algorithms, pairs pooled alone, covariates or three levels.
        """
        return tables.consistency(self)

    def network(self) -> pd.DataFrame:
        """Direct, indirect and joint evidence of each pair.

        Returns
        -------
        pandas.DataFrame
            ``first second n_datasets estimate direct indirect`` with standard errors on the
            modelling scale; a pair with ``n_datasets`` 0 rests on indirect evidence only. NaN where
            there is no such evidence or it cannot be distinguished. Errors of direct and indirect
            evidence apart are as in `consistency`.

        Raises
        ------
        DesignError
            As for `consistency`.
        """
        return tables.evidence(self)

    def subgroups(self) -> pd.DataFrame:
        """Pool within each domain (or study), and test whether these differ.

        Returns
        -------
        pandas.DataFrame
            ``domain first second n_datasets estimate conf_low conf_high std_error df statistic
            p_raw tau2 q_between df_between p_between``: intervals and tests are of each pair and
            domain alone; the last three columns test the domains of a pair against each other.

        Raises
        ------
        DesignError
            The data sets have no domains.
        """
        return tables.subgroups(self)

    def slopes(self) -> pd.DataFrame:
        """Contrasts of the algorithms' slopes along the covariates, per unit of them.

        Raises
        ------
        DesignError
            There are no covariates.
        """
        return tables.slopes(self)

    @override
    def _rank_sets(self) -> RankSets:
        """Return the sets of the best and of ranks, of a network by its joint distribution."""
        if self.fit is None:
            return best.of_raw_p_values(self)
        levels, errors = errors_of(self.studies, self.fit, all_pairs(len(self.algorithms))[1])
        return best.of_normal(levels, errors, self._alpha, self.measure.margin)

    def _family(self) -> tuple[ContrastFamily, str]:
        """Return the contrasts that were requested, and their adjustment."""
        return family_of(self.algorithms, self.options, self.levels.means, self.fit)


def compared(
    setting: Setting,
    studies: Studies,
    options: MetaOptions,
    *,
    published: bool = False,
    lean: bool = False,
) -> MetaComparison:
    """Pool effects into verdicts, as the arguments of `compare_meta` ask."""
    names, joint = setting.algorithms, options.joint
    nested = options.nested if joint and options.method != "fixed" else "none"
    third = third_level(studies, nested, published=published)
    how = options.method, options.errors
    if not lean:
        require_noise(studies, names)
    fit = network(studies, names, *how, three=bool(third)) if joint else None
    means = placed(studies, fit, len(names))
    family, method = family_of(names, options, means, fit)
    alone = pairwise(studies, family.pairs[: 0 if lean and joint else None], *how)
    if fit is None:
        family, alone = with_evidence(family, alone)
    evidence, p_error = evidence_of(setting, studies, family, fit, alone, method, options)
    codes = decide(evidence.estimate, evidence.p_value, evidence.p_equivalence, options.alpha)
    levels = Level(means)
    if fit is None and np.isfinite(studies.levels).any():
        ranks = mean_ranks(studies.levels)
        levels = Level.of_pairs(levels, family.pairs, alone.estimate, codes, ranks, units=True)
    elif fit is None:
        fitted = positions(means, family.pairs, alone.estimate)
        levels = Level(fitted - fitted.mean())
    result = MetaComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, setting, codes, levels, directed=options.directed),
        level=options.level,
        target="datasets" if options.method == "fixed" else "domain",
        levels=levels,
        stored_checks=(),
        provenance=options.provenance(
            setting.digest,
            words(
                method, family, directed=options.directed, interval=options.statement, joint=True
            ),
        ),
        evidence=evidence,
        studies=studies,
        fit=fit,
        alone=alone,
        third=third,
    )
    return replace(result, stored_checks=diagnostics.checks(result, p_error))


def without_datasets(
    meta: MetaComparison, most: int | None = None, n_jobs: int | None = None
) -> Influence:
    """Return the influence of each data set, by refits without it."""
    check_jobs(n_jobs)
    # Without a data set the others are analysed in the same way, or not at all.
    options = meta.options
    if meta.joint:
        options = replace(options, interval=meta.interval)
    published = meta.third == "study"
    again = partial(compared, meta.setting, options=options, published=published, lean=True)
    return influence.left_out(meta, again, most, n_jobs)
