"""What a report says about a running experiment beyond its verdicts."""

from typing import TYPE_CHECKING

from benchinfer.compare.phrases import count, join
from benchinfer.errors import DesignError
from benchinfer.reports import monitor_design
from benchinfer.reports.monitor_stages import stages
from benchinfer.reports.pictures import picture
from benchinfer.reports.records import Fold, Section
from benchinfer.sequential.monitor_comparison import MonitorComparison
from benchinfer.sequential.savings import decided, runs
from benchinfer.sequential.upcoming import said

if TYPE_CHECKING:
    from benchinfer.compare.comparison import Comparison
    from benchinfer.scores import ScoreTable

_LISTED = 8  # decided pairs that are named
_WORK = 100_000  # differences beyond which random orders take too long
_CAPTIONS = {
    "path": "Each stage between the boundaries that decide.",
    "e-process": "What a bet of 1 on a difference has become.",
    "sequence": "What the differences may be, as replications came in.",
}


def beyond(comparison: "Comparison", scores: "ScoreTable | None" = None) -> tuple[Section, ...]:
    """Return the sections that follow the verdicts of a comparison.

    Parameters
    ----------
    comparison
        Any comparison; only monitored experiments have such sections.
    scores
        The table that was monitored, if it is at hand: random orders need it.
    """
    if not isinstance(comparison, MonitorComparison):
        return ()
    found = [standing(comparison), monitor_design.section(comparison)]
    if scores is not None:
        found += _orders(comparison, scores)
    return tuple(found)


def standing(result: MonitorComparison) -> Section:
    """Say what is decided, what to run next, and how many runs it took."""
    kinds = ["path"] if result.design.method != "anytime" else ["e-process"]
    if result.course.low is not None:
        kinds.append("sequence")
    fold = None
    if result.course.stages:
        noun = "stages" if result.design.method == "recursive" else "looks"
        fold = Fold(f"Table of all {noun}", (), (stages(result),))
    return Section(
        title="Where the experiment stands",
        lead=result.standing,
        text=_text(result),
        facts=_next(result),
        pictures=tuple(picture(result, kind, _CAPTIONS[kind]) for kind in kinds),
        fold=fold,
    )


def _text(result: MonitorComparison) -> tuple[str, ...]:
    found: list[str] = []
    known = decided(result)
    if known:
        listed = [f"{text} (after {n:,})" for text, n in known[:_LISTED]]
        more = f"; and {count(len(known) - _LISTED, 'more pair')}" if len(known) > _LISTED else ""
        did = "were looked at" if result.design.method == "anytime" else "it took"
        found.append(
            f"Decided, with the replications per data set that {did}: {'; '.join(listed)}{more}."
        )
    waiting = int(result.course.provisional.sum())
    if waiting:
        who, are = count(waiting, "pair"), "is" if waiting == 1 else "are"
        found.append(
            f"The p-value of {who} {are} provisional: a part of the level is kept for later stages,"
            " so that it decides nothing yet, however small it is, and may grow again."
        )
    ended = [end for end in ("futile", "not rejected") if end in result.course.ends]
    if ended:
        found.append(
            f"Pairs that ended without a verdict ({join(ended)}) are not known to be alike: a"
            " difference could not be shown."
        )
    by = "" if result.design.n_measures == 1 else "By this measure alone: "
    return (*found, f"{by}{runs(result)}")


def _next(result: MonitorComparison) -> tuple[tuple[str, str], ...]:
    """Say what to run next, a line per data set."""
    lines = said(result.next_cells())
    return tuple(("Run next" if i == 0 else "", line) for i, line in enumerate(lines[:_LISTED])) + (
        (("", f"and on {count(len(lines) - _LISTED, 'more data set')}"),)
        if len(lines) > _LISTED
        else ()
    )


def _orders(result: MonitorComparison, scores: "ScoreTable") -> list[Section]:
    """Show what random orders would have led to, where that takes no long time."""
    if int(result.setting.coverage.found.sum()) * len(result.pairs) > _WORK:
        return []
    try:
        found = result.consecutive(scores, permutations=100, seed=1)
    except DesignError:
        return []  # another table, or nothing in it yet
    text = (
        "Replications came in one order out of many. The shares say how often each of two"
        " algorithms would have been found better by this design, had they come in another one;"
        " they describe the experiment and decide nothing."
    )
    return [
        Section(
            title="What is owed to the order",
            lead=str(found),
            text=(text,),
            pictures=(picture(found, "order", "Growing samples in random orders."),),
        )
    ]
