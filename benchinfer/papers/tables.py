"""Tables of results for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from benchinfer.analyses.choice.answer import Answer
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import unknown
from benchinfer.core.hints import literal
from benchinfer.core.numbers import amount
from benchinfer.papers.algorithms import by_algorithm, by_pair, numbers, reference, words
from benchinfer.papers.datasets import by_dataset, by_leaf, each_dataset
from benchinfer.papers.factors import by_factor
from benchinfer.papers.measures import by_measure
from benchinfer.papers.styler import PaperTable
from benchinfer.relations.consensus.consensus import Consensus
from benchinfer.relations.consensus.sections import positions

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable

type Rows = Literal["algorithms", "pairs", "datasets", "leaves"]


def table(
    result: Comparison | Comparisons | Consensus | Subgroups | Factors | Answer,
    rows: Rows | None = None,
    *,
    scores: ScoreTable | None = None,
    against: str | None = None,
    top: int | None = None,
) -> PaperTable:
    """Return the table of a result for a paper; see `Comparison.table`."""
    if rows is not None and rows not in get_args(Rows.__value__):
        raise ArgumentError(unknown("rows", rows, get_args(Rows.__value__)))
    if top is not None and top < 1:
        raise ArgumentError(f"top is {top}: at least one algorithm has to be shown.")
    if isinstance(result, Answer) and len(result) == 1:
        (result,) = result.values()
    if isinstance(result, Consensus):
        _refuse("a consensus", rows=rows, scores=scores, against=against)
        return _consensus(result, top)
    if isinstance(result, Comparisons):
        _refuse("comparisons per data set", rows=rows and rows != "datasets", scores=scores)
        return each_dataset(result, against, top)
    if isinstance(result, Answer):
        return _measures(result, top, rows=rows, scores=scores, against=against)
    if isinstance(result, Factors):
        _refuse("effects of factors", rows=rows, scores=scores, against=against)
        return by_factor(result, top)
    if isinstance(result, Subgroups):
        return _groups(result, rows, top, scores=scores, against=against)
    return _comparison(result, rows, scores, against, top)


def _measures(answer: Answer, top: int | None, **arguments: object) -> PaperTable:
    """Return the table of several measures; any other argument raises an ArgumentError."""
    for name, value in arguments.items():
        if value is not None:
            raise ArgumentError(
                f"{name}=... goes with one measure, and there are {len(answer)}.",
                hint=f"name one: measure={literal(next(iter(answer)))}.",
            )
    if effects := answer._effects:
        raise ArgumentError(
            "there is no table of the factors on several measures.",
            hint=f"answer[{literal(next(iter(effects)))}].table() shows one.",
        )
    return by_measure(answer._comparisons, top)


def _groups(
    groups: Subgroups, rows: Rows | None, top: int | None, **arguments: object
) -> PaperTable:
    """Return the table of groups of data sets; other arguments raise an ArgumentError."""
    strange = [f"{name}=..." for name, value in arguments.items() if value is not None]
    if rows in ("pairs", "datasets"):
        strange.append(f"rows={literal(rows)}")
    elif not strange:
        return by_leaf(groups, rows or "algorithms", top)
    raise ArgumentError(
        f"{strange[0]} does not go with groups of data sets.",
        hint="rows are algorithms or leaves; the comparison of one group, as in"
        f" groups[{next(iter(groups))!r}], has the other tables.",
    )


def _comparison(
    result: Comparison,
    rows: Rows | None,
    scores: ScoreTable | None,
    against: str | None,
    top: int | None,
) -> PaperTable:
    """Return the table of one comparison, with algorithms, pairs or data sets in rows."""
    if rows == "leaves":
        raise ArgumentError(unknown("rows", rows, ("algorithms", "pairs", "datasets")))
    if rows is None:
        complete = not result.pairs.averages and reference(result, against) is not None
        rows = "algorithms" if complete else "pairs"
    if rows == "pairs":
        _refuse("a table of pairs", scores=scores, against=against, top=top)
        return by_pair(result)
    if rows == "datasets":
        return by_dataset(result, scores, against, top)
    _refuse("a table of algorithms", scores=scores)
    return by_algorithm(result, against, top)


def _refuse(what: str, **arguments: object) -> None:
    """Raise an ArgumentError where an argument does not apply to a table."""
    for name, value in arguments.items():
        if value:
            raise ArgumentError(
                f"{name}=... does not go with {what}.",
                hint="leave it out, or ask for other rows: rows='datasets'.",
            )


def _consensus(consensus: Consensus, top: int | None) -> PaperTable:
    """Return the table of a consensus with one row per algorithm, best first."""
    printed = positions(consensus)
    rows = printed.frame.head(top or len(printed.frame))
    places = [
        str(low) if low == high else f"{low}\N{EN DASH}{high}"
        for low, high in zip(rows["rank_low"], rows["rank_high"], strict=True)
    ]
    columns = [
        words("algorithm", rows["algorithm"].tolist(), "algorithm", "name"),
        words("ranks", places, "ranks"),
    ]
    if "score" in rows:
        columns.append(numbers("score", rows["score"], amount, "points"))
    many = len(consensus.algorithms)
    caption = f"{printed.caption} by {consensus.method}: {many} algorithms, best first."
    return PaperTable.of(columns, "consensus", caption, (printed.note,))
