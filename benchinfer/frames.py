"""Tidy pandas output, and the column glossary as code.

Every table that the package gives out is built by `frame`, which knows only the columns of
`GLOSSARY`; ``docs/glossary.md`` is generated from it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchinfer.errors import BenchinferError

if TYPE_CHECKING:
    import pandas as pd

GLOSSARY: dict[str, str] = {
    "domain": "the domain that a data set belongs to",
    "dataset": "data set (problem, task)",
    "replication": "repetition within a data set: resample, fold, seed or item",
    "algorithm": "algorithm (method, model, learner)",
    "measure": "name of the performance measure",
    "value": "a score; in diagnostics, the value that was checked",
    "first": "first algorithm of a pair",
    "second": "second algorithm of a pair",
    "estimate": "contrasts: first minus second in the measure's own unit (on log and logit scales"
    " the ratio or odds ratio first / second, neutral value 1); summary: the algorithm's level in"
    " the measure's own unit",
    "conf_low": "lower end of the interval: simultaneous over all pairs in contrasts, of"
    " the algorithm alone in summary",
    "conf_high": "upper end of the interval: simultaneous over all pairs in contrasts, of"
    " the algorithm alone in summary",
    "std_error": "standard error of the difference on the modelling scale",
    "df": "degrees of freedom of the test statistic",
    "statistic": "test statistic, positive where the first algorithm is better",
    "p_value": "p-value; in contrasts adjusted for the family (the method is in provenance), in"
    " tests of whole terms that of the test alone",
    "p_error": "standard error of p_value by Monte Carlo, 0 where it is exact or asymptotic",
    "p_raw": "p-value of the pair alone, not adjusted",
    "p_equivalence": "p-value, equally adjusted, of the two one-sided tests at the tolerance",
    "p_noninferiority": "p-value, equally adjusted, of the one-sided test that the algorithm to be"
    " shown better is not worse by the tolerance",
    "contrast": "name that the user gave to the contrast",
    "verdict": "first or second (is better), equivalent, undecided, or missing",
    "winner": "name of the better algorithm, empty where there is none",
    "n": "number of scores",
    "n_datasets": "number of data sets with a score",
    "mean": "arithmetic mean in the measure's own unit",
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
    "check": "what was checked",
    "limit": "the limit it is held against",
    "ok": "whether the check passed",
    "remedy": "what to do or how to read it",
    "rule": "name of the rule that found it",
    "severity": "error (stops reading), warning or note",
    "count": "how many rows, cells or names are concerned",
    "where": "the first of them",
    "hint": "what to do",
    "source": "source of variation",
    "variance": "variance component on the modelling scale",
    "share": "share of the total variance",
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
    "prob_best_next": "probability to be the best algorithm on a new data set of the domain",
    "prob_near_best": "probability to be within the tolerance of the best one there",
    "cooks_distance": "Cook's distance of the differences between algorithms, variances held",
    "shift": "estimate of the whole table minus that without, in standard errors, of the contrast"
    " that moves most",
    "ratio_dataset": "data set variance without / with",
    "ratio_interaction": "data set x algorithm variance without / with",
    "ratio_replication": "replication variance without / with",
    "ratio_residual": "residual variance without / with",
    "refitted": "whether the model was fitted again without it",
    "n_changed": "number of verdicts that change",
    "changes": "the verdicts that change, > for better, ~ for equivalent, ? for undecided",
    "threshold": "profiles: the score to be bettered, or the ratio to the best algorithm",
    "proportion": "profiles: share of scores better than the threshold, or of data sets on which"
    " the algorithm keeps within the ratio",
    "band_low": "lower end of the band that holds an algorithm's whole curve",
    "band_high": "upper end of the band that holds an algorithm's whole curve",
    "covariate": "feature of the data sets along which the algorithms' slopes are compared",
    "relation": "name of a relation in an ensemble: as a rule that of a data set",
    "weight": "weight of a relation in an ensemble",
    "weight_first": "weight of the relations in which the first is better",
    "weight_equivalent": "weight of the relations in which both are equivalent",
    "weight_second": "weight of the relations in which the second is better",
    "weight_undecided": "weight of the relations in which the pair is undecided",
    "weight_missing": "weight of the relations in which the pair was not compared",
    "x": "position on a map, across",
    "y": "position on a map, upwards",
    "rank_low": "best (smallest) rank that an algorithm can have",
    "rank_high": "worst (largest) rank that an algorithm can have",
    "letters": "algorithms that share a letter were compared and are not told apart",
    "not_compared": "the algorithms that this one was not compared with",
}


def frame(columns: Mapping[str, object]) -> "pd.DataFrame":
    """Build a tidy pandas frame whose columns are all in the glossary.

    Parameters
    ----------
    columns
        Column name to values (a sequence or a scalar; at least one sequence).

    Returns
    -------
    pandas.DataFrame
        Columns in the given order.

    Raises
    ------
    BenchinferError
        A column is not in the glossary: names are fixed, so this is a programming error.

    Examples
    --------
    >>> frame({"algorithm": ["svm"], "estimate": [0.1]})
      algorithm  estimate
    0       svm       0.1
    """
    import pandas as pd

    if strange := [name for name in columns if name not in GLOSSARY]:
        raise BenchinferError(f"columns not in the glossary: {', '.join(strange)}")
    return pd.DataFrame(dict(columns))
