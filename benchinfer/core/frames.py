"""Tidy tables and the glossary of columns.

Every table that the package gives out is built by `frame`, which knows only the columns of
`GLOSSARY`; ``docs/glossary.md`` is generated from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.errors import BenchinferError
from benchinfer.core.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd


GLOSSARY: dict[str, str] = {
    "domain": "the domain that a data set belongs to",
    "dataset": "data set (problem, task)",
    "replication": "repetition within a data set: resample, fold, seed or item",
    "algorithm": "algorithm (method, model, learner)",
    "measure": "name of the performance measure",
    "value": "a score, or a value of a covariate; in diagnostics, the value that was checked",
    "first": "first algorithm of a pair",
    "second": "second algorithm of a pair",
    "estimate": "contrasts: first minus second in the measure's own unit (on log and logit scales"
    " the ratio or odds ratio first / second, neutral value 1); summary: the algorithm's level in"
    " the measure's own unit: the mean over data sets, an aggregate, where tests are of typical"
    " differences the median over data sets; or a mean rank",
    "conf_low": "lower end of the interval: simultaneous over all pairs in contrasts, of"
    " the algorithm alone in summary",
    "conf_high": "upper end of the interval: simultaneous over all pairs in contrasts, of"
    " the algorithm alone in summary",
    "std_error": "standard error of the difference on the modelling scale; of a posterior, its"
    " standard deviation",
    "shrunken": "what a model of all data sets makes of the estimate on one of them",
    "df": "degrees of freedom of the test statistic",
    "statistic": "test statistic, of a pair positive where the first algorithm is better",
    "p_value": "p-value; in contrasts adjusted for the family (the method says how), in"
    " tests of whole terms that of the test alone",
    "p_error": "standard error of p_value by Monte Carlo, 0 where it is exact or asymptotic",
    "p_raw": "p-value of the pair alone, not adjusted",
    "p_equivalence": "p-value, equally adjusted, of the two one-sided tests at the tolerance",
    "equivalence_low": "lower end of the interval that shows a pair to be equivalent: it is within"
    " the tolerance, and leaves out the level of the pair's one-sided tests on either side",
    "equivalence_high": "upper end of that interval",
    "p_noninferiority": "p-value, equally adjusted, of the one-sided test that the algorithm to be"
    " shown better is not worse by the tolerance",
    "tolerance": "difference that does not matter, as the measure has it",
    "p_pass": "p-value of the one-sided test for what a gate wants of the candidate",
    "p_fail": "p-value of the one-sided test that the candidate of a gate is worse by more than the"
    " tolerance, adjusted for the number of measures by Holm's steps",
    "p_fail_raw": "the same of the measure alone",
    "outcome": "pass, fail or undecided",
    "contrast": "name that the user gave to the contrast",
    "verdict": "first or second (is better), equivalent, undecided, or missing; of means on fewer"
    " than 30 data sets it holds if differences are symmetric",
    "winner": "name of the better algorithm, empty where there is none",
    "entry": "number of the entry of a board, in the order in which entries came",
    "holder": "record holder on the day of the entry",
    "p_record": "p-value of the hypothesis that the entry is not better than the record holder of"
    " its day by more than is asked",
    "level_spent": "level at which the entry was tested",
    "record": "whether the entry is a record",
    "shown_worse": "whether it is shown to be worse than the record holder of its day, tested at"
    " one minus the level alone",
    "contender": "whether it is not shown to be worse than the present record, tested at one minus"
    " the level alone",
    "n": "number of scores; in tables of monitored experiments, of replications per data set",
    "n_datasets": "number of data sets with a score, or in a planned experiment",
    "n_replications": "replications per data set in a planned experiment",
    "power": "probability to show what is planned for, for one pair; its mean over the uncertainty"
    " of the pilot",
    "power_low": "its lower end by the uncertainty of the pilot",
    "power_high": "its upper end by the uncertainty of the pilot",
    "power_estimate": "power if the variances were the estimates of the pilot",
    "needed_low": "lower end, by the uncertainty of the pilot, of the number that is needed",
    "needed_high": "upper end, by the uncertainty of the pilot, of the number that is needed",
    "detectable": "least difference, or margin, that has the power wanted",
    "floor": "data sets that no number of replications can do without",
    "cost": "what the design costs",
    "unit": "level of nested units, such as passage, question or answer",
    "n_pilot": "units of the level in one of the level above it, of the outermost on a data set;"
    " the mean over the pilot",
    "std_error_doubled": "standard error with twice as many units of the level",
    "std_error_least": "standard error that no number of units of the level goes below",
    "n_needed": "number of units of the level that has the wanted error, all else as in the pilot;"
    " infinite where no number has it",
    "n_planned": "number of units of the level in the design with the smallest cost",
    "mean": "arithmetic mean in the measure's own unit; in summary the mean over data sets, taken"
    " on the modelling scale, where the estimate is of another statistic",
    "sd": "standard deviation (n - 1) in the measure's own unit",
    "median": "median",
    "minimum": "smallest score",
    "q25": "lower quartile (linear interpolation)",
    "q75": "upper quartile (linear interpolation)",
    "maximum": "largest score",
    "found": "number of scores present",
    "expected": "number of scores a complete table would have here",
    "mean_rank": "mean rank of the algorithm within blocks, 1 is best",
    "rank": "rank of the estimate, 1 is best, ties share the mean rank",
    "expected_rank": "mean over the posterior of the algorithm's rank, 1 is best",
    "may_be_best": "whether it is decided to be worse than none, by the verdicts on the pairs",
    "p_not_beaten": "p-value of the hypothesis that no other algorithm is better, not adjusted for"
    " the number of algorithms",
    "not_beaten": "whether the algorithm is in the confidence (Bayes: credible) set of the best"
    " algorithm, by a test of its own",
    "p_not_beaten_beyond": "p-value of the hypothesis that no other algorithm is better by more"
    " than the tolerance",
    "not_beaten_beyond": "whether the algorithm is in the confidence set of those that are the best"
    " one or worse by at most the tolerance",
    "better_at_least": "number of data sets on which the first algorithm is better, at least"
    " (partial conjunction)",
    "worse_at_least": "number of data sets on which it is worse, at least",
    "named": "data sets on which the first algorithm is better, by Holm's steps over"
    " the data sets or with a false discovery rate",
    "rank_low": "smallest (best) rank that the verdicts leave open, that a consensus gives, or in"
    " a set of ranks that holds for all algorithms together",
    "rank_high": "largest (worst) such rank",
    "rank_low_alone": "smallest (best) rank in the set of this algorithm's rank alone",
    "rank_high_alone": "largest (worst) such rank",
    "check": "what was checked",
    "direction": "whether a check passes with at most or at least the limit; empty without one",
    "limit": "the limit it is compared with; none where the value informs or does not decide alone",
    "ok": "whether the check passed",
    "sentence": "what was found",
    "remedy": "what follows from it, and what to do",
    "rule": "name of the rule that found it",
    "severity": "error (stops reading), warning or note",
    "count": "how many rows, cells or names are concerned",
    "where": "the first of them",
    "hint": "what to do",
    "source": "source of variation",
    "variance": "variance component on the modelling scale",
    "share": "share of the total variance, of the total weight, of a mixture, or of the resamples"
    " (ties between optima shared out)",
    "shared": "what two scores have in common",
    "correlation": "their correlation under the model",
    "term": "term of the model that is tested",
    "test": "the test",
    "fits": "whether the test is made for how the scores came about",
    "misfit": "why it is not, empty where it is",
    "null": "null distribution: exact, monte-carlo or asymptotic",
    "df_residual": "denominator degrees of freedom of an F test, infinite for a chi-squared test",
    "structure": "how algorithms vary between data sets in the model",
    "residual": "what the residual variance depends on in the model",
    "n_parameters": "number of fixed effects, variances and covariances",
    "log_likelihood": "log (restricted) likelihood",
    "aic": "Akaike's criterion, smaller is better",
    "bic": "Schwarz's criterion, smaller is better",
    "prob_first": "probability that the first is better, by more than the tolerance",
    "prob_equivalent": "probability that both differ by less than the tolerance",
    "prob_second": "probability that the second is better, by more than the tolerance",
    "prob_improvement": "probability that a score of the first, of any replication, is better than"
    " one of the second on the same data set, equal scores half, averaged over data sets",
    "prob_error": "Monte Carlo standard error of the row's probability, or the largest one of"
    " prob_first, prob_equivalent and prob_second",
    "p_dominant": "share of posterior draws in which the outcome that is most probable over all of"
    " them (first, equivalent, second) is the most probable: a vote, not a probability of it",
    "dominant_first": "posterior probability that the most probable outcome is that the first is"
    " better, by more than the tolerance",
    "dominant_equivalent": "posterior probability that the most probable outcome is that both"
    " differ by less than the tolerance",
    "dominant_second": "posterior probability that the most probable outcome is that the second is"
    " better, by more than the tolerance",
    "dominant_error": "largest Monte Carlo standard error of dominant_first, dominant_equivalent"
    " and dominant_second",
    "elpd": "expected log predictive density of the data set by all others; of models, the sum",
    "p_loo": "effective number of parameters: what having seen the data set adds to its density",
    "pareto_k": "tail of the importance weights of leaving the data set out: above 0.7 (less with"
    " few draws) the data set is influential",
    "elpd_difference": "elpd less that of the model with the highest one",
    "difference_error": "standard error of that difference",
    "stacking_weight": "share of the model in the mixture of models that predicts best",
    "largest_k": "largest Pareto k of the data sets",
    "n_refitted": "data sets that the model was sampled anew without",
    "winner_score": "mean log probability, by all other data sets, of the algorithm that is best on"
    " a data set",
    "winner_difference": "winner_score less that of the comparison itself",
    "winner_error": "standard error of that difference",
    "statistic_name": "what of a data set is looked at",
    "predicted": "median of what the model predicts",
    "predicted_low": "lower end of the interval that the model predicts",
    "predicted_high": "upper end of the interval that the model predicts",
    "tail_probability": "probability that the model predicts something as extreme, on either side",
    "parameter": "parameter of the model",
    "prior_sensitivity": "how much the posterior moves with the weight of the priors; 0.05 is much",
    "likelihood_sensitivity": "how much the posterior moves with the weight of the scores",
    "diagnosis": "what that says, in words",
    "variant": "how the model of this row differs from that of the comparison",
    "quantity": "what the probabilities are about: average effects, the next data set, or"
    " which outcome is the most probable (dominant)",
    "prob_best": "probability to be the best algorithm on average",
    "prob_best_next": "probability to be the best algorithm on a new data set of the domain",
    "p_score": "mean over the other algorithms of one minus the one-sided p-value of being better,"
    " from a network (P-score)",
    "prob_near_best": "probability to be within the tolerance of the best one there",
    "cooks_distance": "Cook's distance of the K - 1 differences between algorithms, divided by"
    " K - 1: with variances held of mixed models, with tau2 estimated anew of meta-analyses",
    "shift": "estimate of the whole table minus that without, in standard errors, of the contrast"
    " that moves most",
    "ratio_dataset": "data set variance without / with",
    "ratio_interaction": "data set x algorithm variance without / with",
    "ratio_replication": "replication variance without / with",
    "ratio_residual": "residual variance without / with",
    "refitted": "whether the model was fitted again without it",
    "n_changed": "number of verdicts that change",
    "n_reversed": "number of verdicts that change from one algorithm being better to the other",
    "n_better": "number of pairs in which an algorithm is better",
    "n_equivalent": "number of pairs that are equivalent",
    "n_undecided": "number of pairs that are undecided",
    "n_pairs": "number of pairs",
    "level": "confidence level",
    "kind": "what is changed: level, tolerance, scale, data set, replication or algorithm",
    "what": "what it is changed to, or which one is left out",
    "analysis": "the analysis that gives the verdict",
    "reason": "likely reason why analyses differ on a pair, empty where they do not; of failures,"
    " what the table says, empty where it says nothing",
    "changes": "the verdicts that change, as in a > b becomes undecided: > for better,"
    " ~ for equivalent, ? for undecided",
    "threshold": "profiles: the score to be bettered, or the ratio to the best algorithm;"
    " divisions: values up to it are on the first side, NaN of categories",
    "proportion": "profiles: share of scores better than the threshold, or of data sets on which"
    " the algorithm keeps within the ratio",
    "band_low": "lower end of the band that holds an algorithm's whole curve",
    "band_high": "upper end of the band that holds an algorithm's whole curve",
    "relation": "name of a relation in an ensemble: as a rule that of a data set",
    "weight": "weight of a relation in an ensemble, or of a data set; mean share of an archetype",
    "weight_first": "weight of the relations in which the first is better",
    "weight_equivalent": "weight of the relations in which both are equivalent",
    "weight_second": "weight of the relations in which the second is better",
    "weight_undecided": "weight of the relations in which the pair is undecided",
    "weight_missing": "weight of the relations in which the pair was not compared",
    "score": "points of an algorithm by the scoring method of a consensus, larger is better",
    "support": "share of the weight that compared the pair and agrees with the verdict; missing"
    " where the optima disagree or nothing compared the pair",
    "regret": "what the cheapest order with the pair turned around costs more than the optimum, 0"
    " where the optima disagree",
    "regret_exact": "whether the regret is exact rather than a lower bound",
    "state": "how a pair stands: first or second (is better), equivalent, go on, futile (stopped,"
    " which is no evidence of equality), not rejected (at the last stage) or broken down (a rule"
    " without boundaries)",
    "stage": "number of the stage, or of the look",
    "side": "the algorithm that would be better",
    "n_used": "replications per data set that counted for the pair",
    "provisional": "whether p-values decide nothing yet, as a part of the level is kept for later",
    "p_dataset": "one-sided p-value of the data set's own differences in the stage",
    "p_stage": "one-sided p-value of the stage, over all data sets",
    "conditional_level": "level of the stage, given the stages before",
    "reject_at": "boundary: the stage rejects if its p-value is at most that",
    "accept_above": "boundary: the recursion stops for futility if the p-value is above",
    "critical": "critical value of the product; over the p-value it is the next conditional level",
    "statistic_dataset": "test statistic of the data set's own differences so far",
    "boundary": "size of the statistic that decides",
    "log_e": "natural logarithm of the e-value: of the capital that a bet of 1 has become",
    "point": "point of consecutive significance: the replication from which on the test of all so"
    " far, not adjusted, stays significant; infinite where there is none",
    "share_first": "share of random orders in which the first would have been found better",
    "share_second": "share of random orders in which the second would have been found better",
    "log_e_dataset": "that of the data set alone",
    "position": "place in a consensus order: 1 + the number of algorithms strictly above; a mean of"
    " places where the row is about an algorithm",
    "position_low": "best (smallest) place of an algorithm in most resamples",
    "position_high": "worst (largest) place of an algorithm in most resamples",
    "share_best": "share of the resamples in which none stands above the algorithm",
    "share_above": "share of the resamples in which the first is strictly above the second",
    "share_tied": "share of the resamples in which both are equivalent",
    "share_below": "share of the resamples in which the first is strictly below the second",
    "share_error": "Monte Carlo standard error of the row's share of resamples",
    "observed": "the same share without resampling: 0 or 1, or between where there are several"
    " optima",
    "order": "a consensus order, best first",
    "influence": "half the sum over ordered pairs of what leaving out the relation changes in the"
    " share of optima with the first above the second: how many pairs it turns",
    "n_optima": "number of optimal orders",
    "without": "the share of the optima with the first above the second when the relation is left"
    " out",
    "part": "part of what a consensus is made of: as a rule a measure",
    "weight_low": "lower end of the weights of a part that keep the consensus, others held",
    "weight_high": "upper end of the weights of a part that keep the consensus, others held",
    "share_low": "lower end of an interval of shares of the total weight",
    "share_high": "upper end of an interval of shares of the total weight",
    "on_front": "whether no algorithm dominates it by its levels",
    "p_front": "p-value of the hypothesis that the algorithm is on the Pareto front, adjusted for"
    " all algorithms unless each is judged by itself",
    "may_be_on_front": "whether no other algorithm is shown to dominate it",
    "dominates": "whether the levels of the first are as good on all measures and better on one",
    "shown": "whether the first is shown to be worse than the second on no measure by more than the"
    " tolerance, and better on one",
    "value_low": "smallest value of the covariate in a region",
    "value_high": "largest value of the covariate in a region",
    "archetype": "number of an archetype, from 1: the one that most data sets are like",
    "description": "algorithms that are best and last, in words",
    "nearest": "the data sets that are nearest to an archetype",
    "distance": "distance of a data set to the mixture of archetypes that is nearest to it",
    "n_archetypes": "number of archetypes",
    "objective": "what archetypes minimise: the weighted sum of squared distances of data sets to"
    " mixtures of them, or of their bisquare losses",
    "explained": "share of the objective of one archetype that more of them take away",
    "share_starts": "share of the starts that end in the least objective",
    "jaccard": "number of members that two groups share, divided by the number in either, averaged"
    " over resamples",
    "other": "second data set or relation of a pair",
    "group": "number of a cluster, from 1",
    "members": "names of the members of a cluster",
    "n_relations": "number of relations",
    "moved": "how far resamples move a relation on the map, as a share of the map's spread",
    "covariate": "feature of the data sets along which the algorithms' slopes are compared",
    "x": "position on a map, across",
    "y": "position on a map, upwards",
    "letters": "algorithms that share a letter were compared and are undecided or equivalent",
    "study": "published study that an effect is from",
    "tau2": "variance of a difference between data sets, on the modelling scale",
    "tau2_low": "lower end of its Q-profile interval",
    "tau2_high": "upper end of its Q-profile interval",
    "tau2_between": "variance of a difference between studies or domains, beyond that of data sets"
    " within them",
    "i2": "share, in percent, of the variance of effects that is between data sets",
    "i2_low": "lower end of its interval",
    "i2_high": "upper end of its interval",
    "h2": "variance of effects in units of the sampling variance",
    "q": "Cochran's Q, the weighted sum of squares of effects about the pooled ones",
    "slope": "slope of effects on their standard errors, 0 in a symmetric funnel",
    "direct": "estimate from the data sets that hold both algorithms, unit as estimate",
    "direct_error": "its standard error on the modelling scale",
    "indirect": "estimate from all other data sets, unit as estimate",
    "indirect_error": "its standard error on the modelling scale",
    "q_between": "Q of a pair's pooled effects over domains",
    "df_between": "its degrees of freedom",
    "p_between": "its p-value",
    "wins": "contests that the first algorithm wins; in summary, that the algorithm wins",
    "ties": "contests that neither wins, within the tie tolerance",
    "losses": "contests that the second algorithm wins; in summary, that the algorithm loses",
    "n_contests": "contests of the pair: data sets (or replications) with scores of both",
    "prob_win": "probability that the first wins a contest that is no tie, under the model; in"
    " summary, against an algorithm of average worth, of two algorithms against the other",
    "prob_more_wins": "posterior probability that prob_win is above 1/2, however little",
    "worth": "share of the algorithm in the sum of all worths",
    "log_worth": "logarithm of the worth; the mean over algorithms is 0",
    "quasi_error": "quasi standard error: the root of the sum of two squares is about the standard"
    " error of the difference of the log worths; NaN where the quasi-variance is negative",
    "expected_wins": "wins of the first that the model expects",
    "expected_ties": "ties that the model expects",
    "expected_losses": "wins of the second that the model expects",
    "wins_low": "lower end of what the model predicts for the wins of the first",
    "wins_high": "upper end of what the model predicts for the wins of the first",
    "losses_low": "lower end of what the model predicts for the wins of the second",
    "losses_high": "upper end of what the model predicts for the wins of the second",
    "inside": "whether the wins that were observed lie between the two ends",
    "losses_inside": "the same of the losses",
    "leaf": "group of data sets in which the algorithms are compared, by the conditions that define"
    " it; empty in diagnostics of the tree",
    "node": "number of a node of a tree, 0 for all data sets",
    "chosen": "whether the tree of all data sets divides along the characteristic",
    "share_root": "share of the subsamples whose first division is along the characteristic",
    "threshold_low": "5 % quantile of the thresholds over subsamples, NaN of categories",
    "threshold_high": "95 % quantile of the thresholds over subsamples, NaN of categories",
    "resample": "number of a subsample, 0 for all data sets",
    "depth": "number of divisions above",
    "characteristic": "feature of the data sets along which their models are compared",
    "first_part": "condition of the data sets on the first side of a division",
    "second_part": "condition of the data sets on the second side of a division",
    "n_first": "number of data sets on the first side",
    "n_second": "number of data sets on the second side",
    "gain": "what a division adds to the log likelihood",
    "not_compared": "the algorithms that this one was not compared with",
    "scored": "whether a run without a time has the score of stopped runs",
    "run_state": "state of a run without a time: stopped at the limit, crashed, or missing",
    "solved": "runs that were solved within the limit; of the virtual best, problems",
    "stopped": "runs that were stopped at the limit, with those that crashed and count as stopped",
    "crashed": "runs that crashed and count as stopped",
    "solved_share": "share of the runs that were solved",
    "restricted_mean": "mean over shared data sets of the time up to the limit, min(T, L)",
    "penalised": "mean over shared data sets of the time, stopped runs at a multiple of the"
    " limit (PAR)",
    "best_on": "solved problems on which the algorithm is the best one, ties shared equally",
    "contribution": "what the penalised mean of the virtual best loses without the algorithm",
    "target": "value that a run is to reach",
    "choice": "virtual best, which takes the best algorithm of each problem, or single best",
    "total_time": "sum of the times of all runs, of stopped ones up to the limit",
    "running_time": "expected running time of restarts until the problem is solved: the sum of all"
    " times divided by the number of solved runs; infinite where none was solved",
    "running_time_shown": "the same as text, with > and the sum of all times where it is infinite",
    "difference": "first minus second of the mean times up to the limit",
    "stopped_difference": "first minus second of the shares of stopped runs",
    "sign_turns": "penalty factor of stopped runs at which the difference changes its sign; NaN if"
    " none above 1 does",
    "verdict_turns": "penalty factor of stopped runs at which a paired t test over data sets starts"
    " or ceases to decide; NaN if none above 1 does",
    "factor": "part of the algorithms whose levels are compared",
    "other_factor": "factor on whose levels differences of the first one may depend",
    "other_first": "level of the other factor whose difference is first",
    "other_second": "level of the other factor whose difference is subtracted",
    "at_level": "level of the other factor at which levels are compared",
    "decided": "whether the interaction is shown",
}


# Columns of contrasts by how much a reader needs them: sides, estimate, verdict, interval, what
# decides; `contrasts` shows the first eight of them that there are.
READ = (
    *("contrast", "first", "second", "estimate", "verdict", "conf_low", "conf_high"),
    *("p_value", "prob_first", "prob_equivalent", "prob_second", "p_noninferiority", "state"),
    "winner",
)


def frame(columns: Mapping[str, object]) -> pd.DataFrame:
    """Build a tidy pandas frame whose columns are all in the glossary.

    It shows all its columns, and the least p-values as <0.0001.

    Examples
    --------
    >>> frame({"algorithm": ["svm"], "estimate": [0.1]})
      algorithm  estimate
    0       svm       0.1
    """
    import pandas as pd

    from benchinfer.core.p_values import ReadableFrame

    if strange := [name for name in columns if name not in GLOSSARY]:
        raise BenchinferError(f"columns not in the glossary: {', '.join(strange)}")
    table = pd.DataFrame({name: _without_minus_zero(values) for name, values in columns.items()})
    return ReadableFrame(table)


def records(rows: Sequence[object], names: Sequence[str]) -> pd.DataFrame:
    """Return a table of records, with a row for each and a column for each named attribute."""
    return frame({name: [getattr(row, name) for row in rows] for name in names})


def checks_frame(checks: Sequence[object]) -> pd.DataFrame:
    """Return the table of checks: ``check value direction limit ok sentence remedy``."""
    return records(checks, ("check", "value", "direction", "limit", "ok", "sentence", "remedy"))


def _without_minus_zero(values: Any) -> Any:
    """Return a column with -0.0 replaced by 0.0, which is slower once it is in a frame."""
    if isinstance(values, list | tuple):
        return [each + 0.0 if isinstance(each, float) else each for each in values]
    real = isinstance(values, float) or getattr(getattr(values, "dtype", None), "kind", "") == "f"
    return values + 0.0 if real else values


# Of tables of pairs: columns that change places with the algorithms, effects, signs, probabilities
# that the first is better, words that name a side, and what is the same from either side.
_SWAPPED = (
    ("first", "second"),
    ("prob_first", "prob_second"),
    ("dominant_first", "dominant_second"),
    ("weight_first", "weight_second"),
    ("share_first", "share_second"),
    ("share_above", "share_below"),
    ("wins", "losses"),
    ("expected_wins", "expected_losses"),
    ("wins_low", "losses_low"),
    ("wins_high", "losses_high"),
    ("inside", "losses_inside"),
)
_EFFECTS = ["estimate", "shrunken", "direct", "indirect"]
_SIGNED = ["statistic", "statistic_dataset", "slope", "shift"]
_SHARES = ["prob_win", "prob_more_wins", "prob_improvement"]
_SIDES = ["verdict", "state"]
_ALIKE = frozenset[str]().union(
    ("measure", "dataset", "replication", "algorithm", "study", "domain", "leaf", "covariate"),
    ("quantity", "test", "null"),
    ("fits", "misfit", "stage", "side", "winner", "changes", "n_changed"),
    ("std_error", "df", "n", "n_datasets", "n_contests", "n_used", "ties", "expected_ties"),
    ("p_value", "p_raw", "p_error", "p_equivalence"),
    ("p_noninferiority", "p_dominant", "p_dataset", "p_stage", "provisional"),
    ("prob_equivalent", "prob_error", "dominant_equivalent"),
    ("dominant_error", "log_e", "log_e_dataset"),
    ("conditional_level", "reject_at", "accept_above", "critical", "boundary"),
    ("q", "tau2", "tau2_low", "tau2_high", "tau2_between"),
    ("i2", "i2_low", "i2_high", "h2", "cooks_distance", "refitted"),
    ("ratio_dataset", "ratio_interaction", "ratio_replication", "ratio_residual"),
)


def turned(
    table: pd.DataFrame,
    turn: NDArray[np.bool_],
    neutral: float,
    *,
    undirected: Collection[str] = (),
) -> pd.DataFrame:
    """Return a table of pairs with the sides exchanged in some rows.

    Parameters
    ----------
    table
        One row per pair, with the columns of the glossary.
    turn
        (P,) the rows to turn.
    neutral
        The effect that means "no difference": 0 of differences, 1 of ratios, 0.5 of shares.
    undirected
        Columns that are the same whichever algorithm stands first, beside those that always are.

    Raises
    ------
    BenchinferError
        It is not known how a column turns, or its counterpart is not in the table.

    Examples
    --------
    >>> table = frame({"first": ["a"], "second": ["b"], "estimate": [0.1], "conf_low": [-0.2],
    ...                "conf_high": [0.4], "verdict": ["first"]})
    >>> turned(table, np.array([True]), neutral=0)
      first second  estimate  conf_low  conf_high verdict
    0     b      a      -0.1      -0.4        0.2  second
    """
    here = table.columns.difference([*undirected], sort=False)
    other_side: dict[str, pd.Series] = {
        column: table[other]
        for pair in _SWAPPED
        for column, other in (pair, pair[::-1])
        if column in here and other in here
    }
    for low, high in (("conf_low", "conf_high"), ("equivalence_low", "equivalence_high")):
        if low in here and high in here:
            other_side[low] = _mirrored(table[high], neutral)
            other_side[high] = _mirrored(table[low], neutral)
    names = {Verdict.FIRST.label: Verdict.SECOND.label, Verdict.SECOND.label: Verdict.FIRST.label}
    other_side |= {
        column: _mirrored(table[column], neutral) for column in here.intersection(_EFFECTS)
    }
    other_side |= {column: _mirrored(table[column], 0.0) for column in here.intersection(_SIGNED)}
    other_side |= {column: _mirrored(table[column], 0.5) for column in here.intersection(_SHARES)}
    other_side |= {column: table[column].replace(names) for column in here.intersection(_SIDES)}
    if strange := [name for name in here if name not in other_side and name not in _ALIKE]:
        raise BenchinferError(f"columns that are not known to turn: {', '.join(strange)}")
    return table.assign(
        **{name: table[name].where(~turn, values) for name, values in other_side.items()}
    )


def _mirrored(effects: pd.Series, neutral: float) -> pd.Series:
    """Return effects with the sides of each pair exchanged."""
    if neutral == 1:
        with np.errstate(divide="ignore"):
            return 1 / effects
    return 2 * neutral - effects + 0.0  # no minus zero
