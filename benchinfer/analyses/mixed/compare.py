"""The function `compare_mixed`."""

from collections.abc import Sequence
from typing import Literal, get_args

from benchinfer.analyses.mixed import design
from benchinfer.analyses.mixed import design as mixed_design
from benchinfer.analyses.mixed.closure import Adjust
from benchinfer.analyses.mixed.comparison import DfMethod, MixedComparison, compared
from benchinfer.analyses.mixed.fit import fit_design
from benchinfer.analyses.mixed.fixed_effects import Domains
from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.comparison import checks
from benchinfer.comparison.adjustment import check_alternative
from benchinfer.comparison.comparison import Alternative, Target
from benchinfer.comparison.contrasts import Contrasts, check_number, implied
from benchinfer.comparison.evidence import Setting, alpha_of
from benchinfer.comparison.groups import check_constant
from benchinfer.core.arguments import seed_of
from benchinfer.core.errors import DesignError, unknown
from benchinfer.numerics import rotations
from benchinfer.numerics.rotations import Reference
from benchinfer.scores.table import ScoreTable


def compare_mixed(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    terms: Literal["auto"] | Sequence[str] = "auto",
    structure: design.Structure = "auto",
    residual: design.Residual = "constant",
    domains: Domains = "pooled",
    covariates: str | Sequence[str] = (),
    df: DfMethod = "kenward-roger",
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "auto",
    reference: Reference = "rotation",
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    seed: int = rotations.SEED,
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
        ``"diagonal"``: each algorithm its own interaction variance. ``"unstructured"``: any
        covariance of the algorithms between data sets. Both take each pair's error from that model.
        ``"auto"``: pairwise across data sets, common on one data set.
    residual
        Residual variance: ``"constant"``, one per ``"algorithm"``, or one per ``"dataset"``.
    domains
        Domains of the data sets, if the table names them: ``"pooled"`` takes them as one,
        ``"separate"`` gives algorithms levels of their own in each domain (the comparison is of
        their mean over domains; `MixedComparison.by_domain` compares in each), ``"random"`` takes
        the domains as a sample of domains.
    covariates
        Names of covariates of the data sets: each algorithm has a slope along them. The comparison
        is at their means; `MixedComparison.at` compares at other values.
    df
        ``"kenward-roger"``, ``"satterthwaite"`` or ``"asymptotic"``. Pair-specific errors have
        Satterthwaite degrees of freedom under the first two.
    contrasts, control
        ``"tukey"`` (all pairs), ``"dunnett"`` (each other algorithm against the control, a name or
        ``"best"``, which is adjusted for all pairs as the best was picked from them; a control
        alone asks for it), ``"mean"``
        (each against the mean of all), ``"sequential"`` (each against the one before it by name),
        a list of names (the same in that order), or contrasts with names and weights, such as
        ``{"trees - svm": {"cart": 0.5, "rf": 0.5, "svm": -1}}``.
    alternative
        ``"two-sided"``, or what one-sided tests are to show of the first algorithm of a contrast:
        ``"better"`` or ``"worse"``. With a tolerance these also test non-inferiority.
    adjust
        ``"rotation"``, the exact closed test of all pairs, or of those with a control, for complete
        tables of three or more data sets and up to eight algorithms; ``"single-step"``
        (``max |t|``), ``"westfall"``, ``"bergmann-hommel"``, ``"shaffer"``, ``"holm"``, ``"none"``,
        or ``"auto"``: single-step with a common error; with pair-specific ones rotation where it
        goes, else Bergmann and Hommel's for all pairs of up to 15 algorithms, else Holm's.
        Equivalence is tested by Holm's steps beside closed tests. Intervals are single-step or
        Sidak's (one-sided: Bonferroni's).
    reference
        Of the closed test: ``"rotation"`` of the data sets' means, exact if these are normal, or
        ``"flips"`` of their signs, exact if differences are symmetric, however heavy their tails;
        of fewer than six data sets flips decide nothing at 95 %.
    target
        What claims are about: ``"domain"``, the population of the data sets, or ``"datasets"``,
        these data sets alone, of which each is then fitted by itself and the estimates averaged.
        ``"auto"``: the domain, if there are several data sets.
    level
        Confidence level of the family of contrasts.
    missing
        ``"use"`` the scores that are there, or ``"error"`` where a cell lacks some.
    seed
        Of the random rotations or flips, whose errors are in the column ``p_error``.

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
    alpha_of(level)
    check_alternative(alternative)
    if reference not in (known := get_args(Reference.__value__)):
        raise DesignError(unknown("reference", reference, known))
    if df not in degrees.METHODS:
        raise DesignError(unknown("df", df, list(degrees.METHODS)))
    setting, scores = Setting.of(scores, measure)
    check_number(setting.algorithms, contrasts, control)
    checks.check_missing(setting, missing)
    names = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    arguments = {
        "measure": setting.measure.name,
        "terms": terms if isinstance(terms, str) else tuple(terms),
        "structure": structure,
        "residual": residual,
        "domains": domains,
        "covariates": names,
        "df": df,
        "contrasts": implied(contrasts, control),
        "control": control,
        "alternative": alternative,
        "adjust": adjust,
        "reference": reference,
        "target": target,
        "level": level,
        "missing": missing,
        "seed": seed_of(seed),
    }
    design = mixed_design.choose(setting, terms, target)
    check_constant(scores, setting.measure.name, names)
    design = mixed_design.resolve(structure, residual, design, setting)
    design = mixed_design.with_fixed_effects(design, domains, names)
    return compared(setting, fit_design(scores, setting, design), arguments)
