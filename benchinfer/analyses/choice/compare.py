"""The function `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchinfer.analyses import ANALYSES
from benchinfer.analyses.choice.answer import Answer
from benchinfer.analyses.choice.choice import Choice, choose
from benchinfer.analyses.factors.compare import compare_factors, has_units
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.meta.effects import Effects
from benchinfer.analyses.robustness.failures import worst_case
from benchinfer.analyses.wins.counts import Wins
from benchinfer.comparison.adjustment import Interval
from benchinfer.comparison.checks import gaps
from benchinfer.comparison.checks.groups import units_of_domains
from benchinfer.comparison.comparison import Alternative, Comparison, Target
from benchinfer.comparison.evidence import PairVerdicts, Scores, as_table
from benchinfer.core.arguments import ArgumentError, check_level, checked, names_of
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.hints import literal
from benchinfer.core.numbers import join
from benchinfer.core.progress import Progress
from benchinfer.scores.checks.findings import COUNTED_RUNS
from benchinfer.scores.normalisation import Normalise
from benchinfer.scores.read import read_scores
from benchinfer.scores.rows.factors import full_cell
from benchinfer.scores.rows.statistics import SufficientStatistics
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable

# Arguments that go with comparisons of cells, and their defaults.
_OF_CELLS = {
    "alternative": "two-sided",
    "interval": "compatible",
    "target": "auto",
    "missing": "use",
}


@checked
def compare(
    scores: Scores | Wins | Effects | object,
    measure: str | Sequence[str] | None = None,
    *,
    control: str | None = None,
    alternative: Alternative = "two-sided",
    interval: Interval = "compatible",
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    normalise: Normalise | None = None,
    seed: int | None = 1,
    progress: Progress | bool | None = None,
) -> Answer:
    """Compare the algorithms by the analysis that fits the table.

    The analysis is chosen before any verdict, by what the scores are and how they came about, for
    each measure by itself. Another one that answers the same question under other assumptions runs
    beside it, and the answer says on how many pairs both give the same verdict. Of a table with
    factors their levels are compared (`compare_factors`), and the answer holds a `Factors` for each
    measure; with a ``control``, where a factor has one level, and on one data set without
    replications that are independent the cells are. In an ablation that changes one factor at a
    time they are compared with the full cell.

    Parameters
    ----------
    scores
        The table; or published wins (`read_wins`), which `compare_wins` compares, or effects
        (`read_effects`), which `compare_meta` pools. A frame or a path is first read as by
        ``read_scores(scores, measures=measure)``.
    measure
        Name of a measure, or several names; by default all measures of the table. Of a frame or
        path with the direction, ``"auc:higher"``, unless the name says it.
    control
        Algorithm that each other one is compared with, or ``"best"``: the one with the best
        level. By default all pairs are compared.
    alternative
        As in `compare_mixed`.
    interval
        As in `compare_mixed`, where the analysis tests in steps.
    target
        As in `compare_mixed`.
    level
        Confidence level, within each measure.
    missing
        As in `compare_mixed`.
    normalise
        A scale of its own for each data set, as in `ScoreTable.normalise`.
    seed
        Seed of the random numbers; None draws one.
    progress
        As in `compare_permutation`.

    Returns
    -------
    Answer
        A mapping from each measure to its comparison, or to the effects of factors, with the choice
        and its reason.

    Raises
    ------
    DesignError
        No measure can be compared, or an argument does not go with the analysis that fits.
    ScoreTableError
        A frame or a file has faults, as of `read_scores`.

    Notes
    -----
    The rules are asked in this order. They rest on the table of means of D data sets and K
    algorithms, and none of them looks at which algorithm is better; what is missing is left out.

    1. Kind of scores. All the same: `compare_points`. Ranks: sign flips of mean ranks
       (`compare_permutation`). 0 and 1 on three data sets or more: the rules from 4 on for the
       rates of the data sets, with permutation tests of their differences (``on="values"``).
    2. One or two data sets, or ``target="datasets"``: claims about these. 0 and 1: exact tests, of
       two algorithms on one data set or of items that are not shared by `compare_pair`, else flips
       of whole items (`compare_permutation`). One data set: tests of
       two algorithms (`compare_pair`); of more a permutation test where scores lie far out, else
       the mixed model, each pair with its own error. Several: the mixed model of each data set.
    3. Units. With s_d the spread of a data set, of scores without row means and column medians,
       ``R^2 = (q90 / q10 of s_d^2) / (q90 / q10 of chi-squared with K - 1 degrees of freedom)``,
       the smallest one without an algorithm; of two algorithms the median takes the place of q10.
       Where R is above 5, or above 15 with the medians left in, scores are compared on another
       scale: logarithms, if all are above 0, end at no largest value, and have one unit; else
       ranks within data sets, by sign flips; where data sets are too few for these, in standard
       deviations of each data set, by the mixed model. Scores with a limit, or normalised by the
       user, keep their unit.
    4. Tails. A permutation test where scores pile up on a bound, a fifth of the differences are
       ties, 1 % of the residuals (at least two) lie far out, or a data set spreads 20 times as much
       as the median one. It takes 7 data sets that a pair shares, of up to three algorithms 6.
    5. Skewness. A permutation test where the differences of more than a tenth of the pairs are too
       skew for claims about means: beyond three standard errors, and 0.05 sqrt(D). Of fewer pairs
       the mixed model leaves these undecided, and below 30 data sets its claims hold if differences
       are symmetric.
    6. Else the mixed model.
    7. Gaps come last, and change none of the above: the mixed model compares each pair on the data
       sets that both have (``missing="shared"``), if each pair shares three; else it draws on all
       scores.

    Data sets of one domain are like each other. Where the table names domains, of which some hold
    several data sets, five or more of them are the units: the rules are those of the table of
    means over the data sets of each domain (`ScoreTable.domain_means`), each domain with the same
    weight, by t with G - 1 degrees of freedom or, from seven on, flips of signs. G = 2 to 4 domains
    are no sample of domains. Claims are then about these, by the mixed model with a level of each
    algorithm in each domain: the error of a mean over domains is ``sum s_g^2 / D_g / G^2``, of the
    D_g data sets of each with the spread s_g, which of single data sets is the pooled one.

    Choosing and then testing has an error rate of its own, which ``make calibrate`` checks.

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("sklearn_bootstrap")
    >>> answer = bi.compare(scores, "error")
    >>> print(answer.choices["error"].analysis)
    permutation

    A frame is read by its structure:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"task": [*"aabbcc"], "model": ["svm", "knn"] * 3,
    ...                       "auc": [0.91, 0.84, 0.82, 0.80, 0.95, 0.83]})
    >>> bi.compare(frame, "auc:higher")["auc"].ranking()
    ('svm', 'knn')
    """
    check_level(level)
    if not isinstance(scores, ScoreTable | SufficientStatistics | Wins | Effects):
        scores, measure = read_scores(scores, measures=measure), None
    table = scores if isinstance(scores, Wins | Effects) else as_table(scores)
    every = (table.measure(),) if isinstance(table, Wins) else table.measures
    names = [m.name for m in every] if measure is None else list(names_of(measure))
    if normalise is not None:
        if not isinstance(table, ScoreTable):
            raise ArgumentError("normalise=... goes with scores, and these are published.")
        table = table.normalise(normalise, names)
    names = [table.measure(name).name for name in names]  # normalised measures have other ones
    arguments: dict[str, Any] = {
        "control": control,
        "alternative": alternative,
        "interval": interval,
        "level": level,
        "missing": missing,
        "seed": seed,
        "progress": progress,
    }
    results: dict[str, Comparison | Factors] = {}
    choices: dict[str, Choice] = {}
    others: dict[str, PairVerdicts | str] = {}
    refused: dict[str, DesignError | FitError] = {}
    for name in names:
        try:
            if isinstance(table, ScoreTable) and has_effects(table, name, control):
                results[name], choices[name] = _effects(table, name, target, arguments)
                continue
            choice, of_cells = _one_at_a_time(choose(table, name, target), table, name, arguments)
            results[name] = result = chosen(choice, table, name, **of_cells)
        except (DesignError, FitError) as error:
            if isinstance(error, ArgumentError) or len(names) == 1:
                raise
            refused[name] = error
            continue
        choices[name] = with_pairing(choice, table, name, result, of_cells)
        if choice.second:
            others[name] = _second(choice, table, name, result.target, of_cells)
    if not results:
        raise DesignError(
            f"none of the {len(names)} measures can be compared.",
            where=[
                ("measure", "reason"),
                *((m, str(e).splitlines()[0]) for m, e in refused.items()),
            ],
            hint=next(iter(refused.values())).hint,
        )
    return Answer(results, choices, others, {m: str(e) for m, e in refused.items()})


def has_effects(scores: ScoreTable, measure: str, control: str | None) -> bool:
    """Return whether a table has factors whose levels are compared, and not their cells."""
    return (
        control is None
        and len(scores.factors) > 1
        and all(len(levels) > 1 for levels in scores.factors.values())
        and has_units(scores, measure)
        and _full(scores, measure) is None
    )


def _full(scores: ScoreTable, measure: str) -> str | None:
    """Return the cell from which others differ in one factor each; None without such factors."""
    return full_cell(scores.summary.of(measure).algorithms) if scores.factors else None


def _one_at_a_time(
    choice: Choice,
    scores: ScoreTable | Wins | Effects,
    measure: str,
    arguments: Mapping[str, Any],
) -> tuple[Choice, Mapping[str, Any]]:
    """Return choice and arguments, those of an ablation with the full cell as the control."""
    full = _full(scores, measure) if isinstance(scores, ScoreTable) else None
    if arguments["control"] is not None or full is None:
        return choice, arguments
    reason = (
        f"{choice.reason}; each other cell differs from {full} in one factor, and interactions were"
        " not run"
    )
    return replace(choice, reason=reason), {**arguments, "control": full}


def _effects(
    scores: ScoreTable, measure: str, target: str, arguments: Mapping[str, Any]
) -> tuple[Factors, Choice]:
    """Return the effects of factors, and the choice with its reason."""
    given = {**arguments, "target": target}
    for name, default in _OF_CELLS.items():
        if given[name] != default:
            raise ArgumentError(
                f"{name}={literal(given[name])} does not go with factors, of which the levels are"
                " compared.",
                hint="with control=... the cells are compared.",
            )
    result = compare_factors(scores, measure, level=arguments["level"], seed=arguments["seed"])
    choice = Choice("factors", f"algorithms are the cells of {join([*scores.factors])}")
    return result, choice


def chosen(
    choice: Choice, scores: ScoreTable | Wins | Effects, measure: str, **arguments: Any
) -> Comparison:
    """Return the comparison of a measure by the analysis that was chosen."""
    table, options = choice.applied(scores, measure), dict(choice.options)
    if arguments.get("missing") == "error":
        options.pop("missing", None)
    result = _run(choice.analysis, table, measure, arguments, options)
    result = replace(
        result,
        provenance=replace(result.provenance, choice=choice.reason),
        stored_checks=(*result.stored_checks, *units_of_domains(result.setting, choice.units)),
    )
    if not isinstance(scores, ScoreTable) or not gaps.in_doubt(result.setting).any():
        return result
    return gaps.with_worst_case(result, worst_case(result, scores))


def with_pairing(
    choice: Choice,
    scores: ScoreTable | Wins | Effects,
    measure: str,
    result: Comparison,
    arguments: Mapping[str, Any],
) -> Choice:
    """Return the choice with the number of verdicts that rest on runs being paired by number.

    Runs of different algorithms that are only counted need not share anything: without pairs these
    data sets have other verdicts, perhaps.
    """
    if (
        not isinstance(scores, ScoreTable)
        or result.target != "datasets"
        or all(finding.rule != COUNTED_RUNS for finding in scores.notes)
    ):
        return choice
    try:
        apart = chosen(choice, replace(scores, paired=False), measure, **arguments)
    except (DesignError, FitError):
        return choice
    if not np.array_equal(apart.pairs.index, result.pairs.index):
        return choice
    return replace(choice, unpaired=int((apart.pairs.codes != result.pairs.codes).sum()))


def _second(
    choice: Choice,
    scores: ScoreTable | Wins | Effects,
    measure: str,
    target: Target,
    arguments: Mapping[str, Any],
) -> PairVerdicts | str:
    """Return the verdicts of the second analysis on the same scores, or why there are none."""
    module = import_module(ANALYSES[choice.second])
    same = {
        name: arguments[name] for name in ("control", "alternative", "interval", "level", "seed")
    }
    if same["control"] == "best":  # the best was picked from all pairs, and verdicts are of these
        same["control"] = None
    options = {"target": target, **choice.second_options}
    try:
        return module.verdicts(choice.applied(scores, measure), measure, **same, **options)
    except (DesignError, FitError) as error:
        return str(error).splitlines()[0]


def _run(
    analysis: str,
    scores: Scores | Wins | Effects,
    measure: str,
    arguments: Mapping[str, Any],
    options: Mapping[str, object],
) -> Comparison:
    """Run an analysis with those of the arguments that it has."""
    module = import_module(ANALYSES[analysis])
    function: Callable[..., Comparison] = getattr(module, f"compare_{analysis}")
    known = signature(function).parameters
    given = {name: value for name, value in arguments.items() if name in known}
    if arguments.get("alternative", "two-sided") != "two-sided" and "alternative" not in known:
        raise ArgumentError(
            f"alternative={literal(arguments['alternative'])} does not go with the analysis that"
            f" fits {measure}, compare_{analysis}.",
            hint="probabilities are of each direction: leave it out.",
        )
    if arguments.get("control") is not None and "control" not in known:
        raise ArgumentError(
            f"control=... does not go with the analysis that fits {measure},"
            f" compare_{analysis}, which tests nothing."
        )
    return function(scores, measure, **{**given, **options})
