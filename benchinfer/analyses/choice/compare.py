"""The function `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

from benchinfer.analyses import ANALYSES
from benchinfer.analyses.choice.answer import Answer
from benchinfer.analyses.choice.choice import Choice, choose
from benchinfer.analyses.meta.effects import Effects
from benchinfer.analyses.wins.counts import Wins
from benchinfer.comparison.comparison import Alternative, Comparison, Target
from benchinfer.comparison.evidence import Scores, as_table
from benchinfer.core.arguments import ArgumentError, check_level, names_of
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.hints import literal
from benchinfer.scores.normalisation import Normalise
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchinfer.core.progress import Progress


def compare(
    scores: Scores | Wins | Effects,
    measure: str | Sequence[str] | None = None,
    *,
    control: str | None = None,
    alternative: Alternative = "two-sided",
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
    beside it, and the answer says on how many pairs both give the same verdict.

    Parameters
    ----------
    scores
        The table; or published wins (`read_wins`), which `compare_wins` compares, or effects
        (`read_effects`), which `compare_meta` pools.
    measure
        Name of a measure, or several names; by default all measures of the table.
    control
        Algorithm that each other one is compared with, or ``"best"``: the one with the best
        level. By default all pairs are compared.
    alternative
        As in `compare_mixed`.
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
        A mapping from each measure to its comparison, with the choice and its reason.

    Raises
    ------
    DesignError
        No measure can be compared, or an argument does not go with the analysis that fits.

    Notes
    -----
    The rules, in this order: scores that are all the same are compared as they are
    (`compare_points`); scores of 0 and 1 on several data sets by the binomial model
    (`compare_bayes`); ranks by a permutation test on ranks; one data set by tests of two
    algorithms (`compare_pair`), a permutation test where scores lie far out, else a mixed model;
    two data sets by a mixed model for these. On several, tables with gaps by a mixed model; a
    permutation test where scores are normalised by themselves, a few data sets outweigh all others,
    scores pile up on a bound, a fifth of the differences are ties, or residuals of the two-way
    table lie far out (1 % of them, at least two); else a mixed model.

    None of these looks at which algorithm is better. Choosing and then testing has an error rate of
    its own, which ``make calibrate`` checks.

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("sklearn_bootstrap")
    >>> answer = bi.compare(scores, "error")
    >>> print(answer.choices["error"].analysis)
    permutation
    """
    check_level(level)
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
        "level": level,
        "missing": missing,
        "seed": seed,
        "progress": progress,
    }
    results: dict[str, Comparison] = {}
    choices: dict[str, Choice] = {}
    others: dict[str, Comparison | str] = {}
    refused: dict[str, DesignError | FitError] = {}
    for name in names:
        try:
            choice = choose(table, name, target)
            results[name] = chosen(choice, table, name, **arguments)
        except (DesignError, FitError) as error:
            if isinstance(error, ArgumentError) or len(names) == 1:
                raise
            refused[name] = error
            continue
        choices[name] = choice
        if choice.second:
            try:
                about = {"target": results[name].target}
                others[name] = _run(choice.second, table, name, arguments, about)
            except (DesignError, FitError) as error:
                others[name] = str(error).splitlines()[0]
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


def chosen(
    choice: Choice, scores: Scores | Wins | Effects, measure: str, **arguments: Any
) -> Comparison:
    """Return the comparison of a measure by the analysis that was chosen."""
    result = _run(choice.analysis, scores, measure, arguments, choice.options)
    return replace(result, provenance=replace(result.provenance, choice=choice.reason))


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
    return function(scores, measure, **given, **options)
