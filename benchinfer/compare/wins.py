"""Who wins how often: Bradley-Terry models of wins, ties and losses on data sets.

References
----------
Bradley, R. A. & Terry, M. E. (1952). Rank analysis of incomplete block designs: I. The method of
paired comparisons. Biometrika 39, 324-345. https://doi.org/10.1093/biomet/39.3-4.324

Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in paired
comparison experiments. Journal of the American Statistical Association 65, 317-328.
https://doi.org/10.1080/01621459.1970.10481082

Wainer, J. (2023). A Bayesian Bradley-Terry model to compare multiple ML algorithms on multiple data
sets. Journal of Machine Learning Research 24(341), 1-34.
"""

import math
from typing import TYPE_CHECKING, Literal, get_args

from benchinfer.compare.adjust import Adjust, check_alternative
from benchinfer.compare.comparison import Alternative
from benchinfer.compare.contrasts import Contrasts, implied
from benchinfer.compare.evidence import alpha_of
from benchinfer.compare.wins_comparison import WinsComparison
from benchinfer.compare.wins_concluded import by_likelihood, by_posterior
from benchinfer.compare.wins_counted import By, counted
from benchinfer.drawn import seed_of
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.wins.posterior import WinPriors
from benchinfer.numerics.wins.tally import Ties
from benchinfer.progress import Progress, reporting
from benchinfer.scores import ScoreTable, Wins

if TYPE_CHECKING:
    from benchinfer.compare.wins_counted import Counted

type Inference = Literal["likelihood", "bayes"]
type Errors = Literal["auto", "robust", "independent"]

_FEWEST_CHAINS, _FEWEST_DRAWS = 4, 100
# Pairs of all data sets with departures; of so many chains take four minutes, and hardly settle.
_MOST_PAIRS = 6000


def compare_wins(
    scores: ScoreTable | Wins,
    measure: str | None = None,
    *,
    inference: Inference = "likelihood",
    by: By = "datasets",
    ties: Ties = "davidson",
    tie_tolerance: float | None = None,
    local_rope: float | None = None,
    rope: float = 0.05,
    errors: Errors = "auto",
    penalised: bool = False,
    departures: bool = False,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    draws: int = 1000,
    chains: int = 8,
    priors: WinPriors | None = None,
    seed: int | None = None,
    progress: Progress | bool | None = None,
) -> WinsComparison:
    """Compare algorithms by how often they win against each other, by whatever margin.

    Algorithm i wins against j with the odds of their worths. A win is a better mean on a data set;
    how much better does not count. Use it where sizes of differences cannot be compared between
    data sets, or where only a win table is published; else models of the scores say more.

    Parameters
    ----------
    scores
        A score table, or published counts from `read_wins`.
    measure
        Name of the measure; may be omitted where there is one.
    inference
        ``"likelihood"``: maximum likelihood, tests and simultaneous intervals. ``"bayes"``: the
        posterior probability that one wins more often (Wainer 2023).
    by
        What is won: ``"datasets"`` (by means), or ``"replications"`` that algorithms share. Those
        of a data set depend on each other, which robust errors or `departures` allow for.
    ties
        ``"davidson"``: a parameter of their own; ``"half"`` a win for each side; or ``"drop"``.
    tie_tolerance
        Differences of at most this are ties, in the unit of the measure; by default its tolerance.
        Equal but for rounding is a tie in any case.
    local_rope
        Differences of means of at most so many standard deviations on the data set are ties, too
        (of the differences where replications are shared); Wainer takes 0.4.
    rope
        Probabilities of winning within this of 1/2 are equivalent; 0 for none.
    errors
        Of the likelihood. ``"robust"``: from the spread of the data sets, whose contests depend on
        each other. ``"independent"``: as if none did. ``"auto"``: robust from five data sets on;
        two to four are refused. Counts of published tables and of few replications of one data set
        are taken as independent.
    penalised
        Whether to use Firth's penalty, under which worths are finite even where some algorithm
        always wins. Not with Davidson's ties.
    departures
        Of a posterior: whether each data set has worths of its own, normal about the common ones,
        so that its contests depend on each other. Ties are halved or dropped then.
    contrasts, control
        As in `compare_mixed`.
    alternative, adjust
        As in `compare_mixed`, for the likelihood.
    level
        Confidence level of the family of contrasts, or the probability that a verdict takes.
    missing
        ``"use"`` the scores that are there: a pair is counted where both have some; or ``"error"``.
    draws, chains, priors, seed
        Of a posterior: draws of each chain after warming up, number of chains, `WinPriors`, and
        any integer from 0 to 2^64 - 1 (by default one is drawn and recorded).
    progress
        As in `compare_bayes`.

    Returns
    -------
    WinsComparison
        With worths, their quasi-standard errors, the win table and what the model says of it.

    Raises
    ------
    DesignError
        The counts cannot answer the question: one data set, algorithms that never met, only ties,
        or, for the likelihood, algorithms that always win (they are listed).

    Notes
    -----
    A preference by wins is about how often, and says nothing of sizes: who wins on most data sets
    may be worse on average over them.

    References
    ----------
    Bradley & Terry (1952), https://doi.org/10.1093/biomet/39.3-4.324; Davidson (1970),
    https://doi.org/10.1080/01621459.1970.10481082; Wainer (2023).

    Examples
    --------
    >>> import benchinfer as bi
    >>> found = compare_wins(bi.load_example("demsar2006"))
    >>> columns = ["first", "second", "wins", "ties", "losses", "prob_win"]
    >>> found.contrasts()[columns].head(2).round(2)
      first   second  wins  ties  losses  prob_win
    0  C4.5  C4.5+cf   4.0   6.0     4.0      0.39
    1  C4.5   C4.5+m   0.0   8.0     6.0      0.12
    """
    _check(inference, by, ties, errors, rope, level)
    if inference == "bayes":
        _check_bayes(errors, alternative, adjust, (chains, draws), penalised=penalised)
    else:
        _check_likelihood(ties, alternative, priors, penalised=penalised, departures=departures)
    family = contrasts, control
    found = counted(scores, measure, by, tie_tolerance, local_rope, missing, family)
    _check_counts(found, departures=departures, davidson=ties == "davidson")
    arguments = {
        "measure": found.scored.measure.name,
        "inference": inference,
        "by": by,
        "ties": ties,
        "tie_tolerance": found.tie,
        "local_rope": found.local,
        "rope": rope,
        "errors": errors,
        "penalised": penalised,
        "departures": departures,
        "contrasts": implied(contrasts, control),
        "control": control,
        "alternative": alternative,
        "adjust": adjust,
        "level": level,
        "missing": missing,
    }
    if inference == "likelihood":
        return by_likelihood(found, arguments)
    sampling = {"draws": draws, "chains": chains, "priors": priors or WinPriors()}
    arguments |= {**sampling, "seed": seed_of(seed)}
    with reporting(progress=progress, doing="Sampling:") as told:
        return by_posterior(found, arguments, told)


def _check(inference: str, by: str, ties: str, errors: str, rope: float, level: float) -> None:
    """Refuse what is not known."""
    alpha_of(level)
    for name, value, kind in (
        ("inference", inference, Inference),
        ("by", by, By),
        ("ties", ties, Ties),
        ("errors", errors, Errors),
    ):
        if value not in (known := get_args(kind.__value__)):
            raise DesignError(unknown(name, value, known))
    if not (math.isfinite(rope) and 0 <= rope < 0.5):
        raise DesignError(
            message(
                f"rope is {rope!r}.",
                hint="from 0 to below 0.5: with 0.05 probabilities from 0.45 to 0.55 are"
                " equivalent.",
            )
        )


def _check_likelihood(
    ties: Ties,
    alternative: Alternative,
    priors: WinPriors | None,
    *,
    penalised: bool,
    departures: bool,
) -> None:
    """Refuse what goes with a posterior alone, and a penalty that there is not."""
    check_alternative(alternative)
    if departures or priors is not None:
        name = "departures" if departures else "priors"
        raise DesignError(
            message(f"{name} is of a posterior.", hint='inference="bayes" goes with it.')
        )
    if penalised and ties == "davidson":
        raise DesignError(
            message(
                "the penalty is for wins and losses alone.",
                hint='ties="half" or ties="drop" goes with penalised=True.',
            )
        )


def _check_bayes(
    errors: Errors,
    alternative: Alternative,
    adjust: Adjust,
    size: tuple[int, int],
    *,
    penalised: bool,
) -> None:
    """Refuse what goes with tests alone, and samples that are too small."""
    chains, draws = size
    given = {
        "errors": errors != "auto",
        "penalised": penalised,
        "alternative": alternative != "two-sided",
        "adjust": adjust != "auto",
    }
    if wrong := [name for name, is_given in given.items() if is_given]:
        raise DesignError(
            message(
                f"{wrong[0]} is of tests, which a posterior has not.",
                hint='inference="likelihood" goes with it.',
            )
        )
    if draws < _FEWEST_DRAWS or draws % 2:
        raise DesignError(
            message(f"draws is {draws!r}.", hint=f"an even number from {_FEWEST_DRAWS}.")
        )
    if chains < _FEWEST_CHAINS:
        raise DesignError(
            message(
                f"chains is {chains!r}.",
                hint=f"at least {_FEWEST_CHAINS}, to see whether chains agree.",
            )
        )


def _check_counts(found: "Counted", *, departures: bool, davidson: bool) -> None:
    """Refuse counts that no model of wins can use."""
    tally = found.tally
    if departures and (found.by == "published" or len(tally.wins) < 2):
        raise DesignError(
            message(
                "departures of data sets show where the contests of several are known.",
                hint="departures=False goes with published counts, and with one data set.",
            )
        )
    if departures and tally.n.size > _MOST_PAIRS:
        d, k = len(tally.wins), tally.n_algorithms
        raise DesignError(
            message(
                f"worths of each of {d:,} data sets are too many to sample: with {k} algorithms"
                f" {tally.n.size:,} pairs, and {_MOST_PAIRS:,} take about four minutes.",
                hint='inference="likelihood" allows for the dependence at any size, by robust'
                " errors; or compare fewer algorithms: scores.subset(algorithms=[...]).",
            )
        )
    if departures and davidson and tally.ties.sum():
        raise DesignError(
            message(
                f"{tally.ties.sum():g} contests are ties: with departures, the odds of winning on"
                " average over data sets are not known where ties have a parameter.",
                hint='ties="half" or ties="drop" goes with departures=True.',
            )
        )
    if found.by == "datasets" and len(tally.wins) == 1:
        raise DesignError(
            message(
                "one data set is a single contest of each pair.",
                hint='by="replications" counts the replications that algorithms share, if any.',
            )
        )
    _check_meetings(found)


def _check_meetings(found: "Counted") -> None:
    """Refuse counts in which some algorithms never meet, or nobody wins."""
    tally, names = found.tally, found.scored.algorithms
    if not tally.n.sum():
        raise DesignError(
            message(
                "no pair of algorithms met.",
                hint="a contest needs scores of both algorithms on one data set.",
            )
        )
    parts = tally.parts()
    if len(parts) > 1:
        raise DesignError(
            message(
                f"the algorithms are in {len(parts)} parts that never met.",
                where=[("part", "algorithms"), *_listed(parts, names)],
                hint="compare each part by itself, with scores.subset(algorithms=[...]).",
            )
        )
    if not (tally.wins.sum() or tally.losses.sum()):
        raise DesignError(
            message(
                f"all {tally.n.sum():g} contests are ties: {found.ties}.",
                hint="a smaller tie_tolerance tells more apart; compare_mixed with a tolerance can"
                " show that algorithms are equivalent.",
            )
        )


def _listed(groups: list[list[int]], names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(str(n), ", ".join(names[k] for k in own)) for n, own in enumerate(groups, 1)]
