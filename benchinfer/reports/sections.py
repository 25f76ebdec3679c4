"""What a report says about each result: pure functions from results to sections."""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.mixed_comparison import MixedComparison
from benchinfer.compare.phrases import count, join, within
from benchinfer.reports import tables
from benchinfer.reports.pictures import picture
from benchinfer.reports.records import Cell, Column, Fold, Picture, Section, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchinfer.compare.comparison import Comparison
    from benchinfer.compare.evidence import Setting
    from benchinfer.compare.local import Comparisons
    from benchinfer.order.relation import Relation
    from benchinfer.reports.gather import Refusal

_RESAMPLING = {
    "independent": "independent repetitions on fresh data",
    "bootstrap": "bootstrap samples of each data set, which speak of the data sets as drawn",
    "holdout": "repeated random splits, whose learning samples overlap",
    "cv": "folds of a cross-validation, whose learning samples overlap",
    "seeds": "random starts",
    "items": "test items",
}

TILES = 2000
_PAIRS = 45  # of more pairs a matrix of the verdicts says more than a line for each
_LOCAL = "Each line is about that data set alone."
_WITHIN = (
    "P-values are adjusted within each data set, not over data sets: of many data sets some have"
    " such verdicts by chance."
)
_ORDER = "What the verdicts say about the order, and no more."


def inferential(comparison: "Comparison") -> bool:
    """Whether a comparison has intervals."""
    return "conf_low" in comparison.effects()


def verdict(comparison: "Comparison", *, main: bool) -> Section:
    """Verdict, figures and tables of one comparison.

    Parameters
    ----------
    comparison
        Any comparison.
    main
        Whether figures are drawn and tables stand open. Of many pairs the forest and the contrasts
        are folded, behind a matrix of the verdicts.
    """
    pictures, found, fold = _pairs(comparison) if main else ((), [], None)
    found.append(tables.summary(comparison))
    found.append(tables.diagnostics(comparison.checks))
    if not main:
        found = [tables.contrasts(comparison), *found]
        fold, found = Fold("Tables of this comparison", (), tuple(found)), []
    order, open_pairs = _order(comparison.relation())
    return Section(
        title=comparison.heading,
        lead=comparison.headline(),
        order=order,
        open_pairs=open_pairs,
        text=(_irrelevant(comparison),) if _irrelevant(comparison) else (),
        pictures=pictures,
        tables=tuple(found),
        fold=fold,
    )


def _pairs(comparison: "Comparison") -> tuple[tuple[Picture, ...], list[Table], Fold | None]:
    """Return figures, tables and what is folded of the pairs."""
    forest = picture(comparison, "forest", tables.favours(comparison.measure))
    hasse = picture(comparison, "hasse", _ORDER)
    rows, n = tables.contrasts(comparison), len(comparison.pairs)
    if n <= _PAIRS:
        return (forest, hasse), [rows], None
    best_first = np.argsort(-comparison.levels.estimate, kind="stable")
    matrix = tables.matrix(comparison.relation(), [int(k) for k in best_first])
    return (hasse,), [matrix], Fold(f"Figure and table of the {n} contrasts", (forest,), (rows,))


def _order(result: "Relation") -> tuple[str, str]:
    """Split the order in words into what is established and what is open."""
    text = str(result)
    established = ", ".join(f"{a} > {b}" for a, b in result.covers())
    if result.is_weak_order() or not text.startswith(established):
        return text, ""
    return established, text[len(established) :].removeprefix("; ")


def _irrelevant(comparison: "Comparison") -> str:
    """Name the pairs that differ significantly but by less than matters."""
    pairs = [f"{first} and {second}" for first, second in comparison.irrelevant()]
    if not pairs:
        return ""
    return (
        f"Significant but irrelevant: {'; '.join(pairs)} differ, by less than the tolerance, and"
        " are called equivalent."
    )


def relation(result: "Relation", number: int) -> Section:
    """Order, diagram and verdicts of a relation."""
    rows, fold = tables.incidence(result), None
    if (n := len(rows.rows)) > _PAIRS:
        fold = Fold(f"Table of the {n} verdicts", (), (rows,))
        won = result.strict.sum(axis=1) - result.strict.sum(axis=0)
        rows = tables.matrix(result, [int(k) for k in np.argsort(-won, kind="stable")])
    broken = [f"{kind}: {a}, {b}, {c}" for kind, a, b, c in result.violations()[:5]]
    return Section(
        title=f"Relation {number}",
        order=_order(result)[0],
        open_pairs=_order(result)[1],
        facts=tuple(
            (name, text)
            for name, text in (("Rule", result.rule), ("Against a ranking", "; ".join(broken)))
            if text
        ),
        pictures=(picture(result, "hasse", _ORDER),),
        tables=(rows,),
        fold=fold,
    )


def each_dataset(results: "Comparisons") -> Section:
    """One relation per data set."""
    first = next(iter(results.values()))
    rows = [
        (Cell(name, "name"), Cell(str(relation), "order"))
        for name, relation in results.relations().items()
    ]
    rows += [
        (Cell(name, "name"), Cell(f"not compared: {why}", "prose"))
        for name, why in results.refused.items()
    ]
    orders = Table(
        caption=f"Order on each data set, best first; {first.measure.title},"
        f" {first.measure.better} is better",
        columns=(Column("dataset", "data set"), Column("order", "order")),
        rows=tuple(rows),
        note="> preferred to, ~ equivalent, ? not told apart",
    )
    checks = _shared_checks(results)
    return Section(
        title=f"Each data set by itself: {within(first.heading)}",
        text=(f"{_LOCAL} {_WITHIN}" if inferential(first) else _LOCAL,),
        pictures=_tiles(results),
        tables=(orders, checks) if checks.rows else (orders,),
    )


def _tiles(results: "Comparisons") -> tuple[Picture, ...]:
    """Draw the verdicts, unless there are more than a reader can take in."""
    if sum(len(result.pairs) for result in results.values()) > TILES:
        return ()
    return (picture(results, "verdicts", "Columns are pairs, the one with more wins first."),)


def _shared_checks(results: "Comparisons") -> Table:
    """Return the failed checks with the number of data sets that they fail on."""
    failed = [check for result in results.values() for check in result.checks if not check.ok]
    # A remedy may name particulars of a data set: the first one stands for all.
    remedies = {check.check: check.remedy for check in failed[::-1]}
    times = Counter(check.check for check in failed)
    return Table(
        caption="Diagnostics that ask for attention",
        columns=(
            Column("check", "check"),
            Column("n_datasets", "data sets", numeric=True),
            Column("remedy", "how to read it"),
        ),
        rows=tuple(
            (Cell(name), Cell(f"{n} of {len(results)}"), Cell(remedies[name], "prose"))
            for name, n in times.most_common()
        ),
    )


def data(setting: "Setting") -> Section:
    """Coverage, findings and distributions of the scores of one measure."""
    coverage = setting.coverage
    whole = not coverage.empty and not coverage.thin
    found = [] if whole else [tables.counts(coverage)]
    if coverage.findings:
        found.append(tables.findings(coverage.findings))
    return Section(
        title="Scores",
        text=(_coverage(setting), _replications(setting)),
        pictures=(
            picture(
                setting,
                "distributions",
                "Algorithms from the best on, data sets from the hardest on.",
            ),
        ),
        tables=tuple(found),
    )


def _coverage(setting: "Setting") -> str:
    coverage = setting.coverage
    d, k = coverage.found.shape
    start = (
        f"{coverage.n:,} scores of {count(k, 'algorithm')} on {count(d, 'data set')}"
        f" ({setting.measure.title}, {setting.measure.better} is better)"
    )
    if coverage.empty or coverage.thin:
        return (
            f"{start}. {len(coverage.empty)} of {count(d * k, 'cell')} {_have(coverage.empty)} no"
            f" score and {len(coverage.thin)} {_have(coverage.thin)} fewer than the others of their"
            " data set."
        )
    low, high = int(coverage.expected.min()), int(coverage.expected.max())
    each = f"{low}" if low == high else f"{low} to {high}"
    return f"{start}, {each} in each cell: nothing is missing."


def _have(things: "Sequence[object]") -> str:
    return "has" if len(things) == 1 else "have"


def _replications(setting: "Setting") -> str:
    if int(setting.coverage.expected.max()) < 2:
        return "There is one score in each cell, so nothing is known of its variation."
    if setting.resampling is None:
        how = "How the replications came about is not declared"
    else:
        how = f"The replications are {_RESAMPLING[setting.resampling.kind]}"
    shared = "are taken as shared by" if setting.paired else "are not shared by"
    return f"{how}; they {shared} the algorithms."


def method(comparison: "Comparison", *, each: bool = False) -> Section:
    """Say what was done, by which rule, and what the claims are about.

    Parameters
    ----------
    comparison
        The comparison, or the first one of those per data set.
    each
        Whether it stands for the comparisons of each data set.
    """
    scope = "on each data set by itself" if each else comparison.scope()
    claims = [f"{scope[0].upper()}{scope[1:]}."]
    d = len(comparison.setting.coverage.datasets)
    if comparison.target == "domain" and not each:
        claims.append(
            f"The {count(d, 'data set')} are taken as a sample of that domain. Nothing in the"
            " table says that they were drawn at random, and data sets of convenience are no random"
            " sample: claims about other data sets hold as far as these are typical of them."
        )
    resampling = comparison.setting.resampling
    if resampling is not None and resampling.kind == "bootstrap":
        claims.append("Bootstrap replications speak of the data sets as drawn.")
    level = "" if not inferential(comparison) else f"{100 * comparison.level:g} %"
    modelled = isinstance(comparison, MixedComparison)
    return Section(
        title=f"Method: {within(comparison.heading)}{' on each data set' if each else ''}",
        facts=tuple(
            (name, text)
            for name, text in (
                ("Model" if modelled else "Statistic", comparison.formula),
                ("Method", comparison.method),
                ("Rule", comparison.rule),
                ("Level", level),
                ("Claims", " ".join(claims)),
            )
            if text
        ),
    )


def refused(refusals: "Sequence[Refusal]") -> Section:
    """Say what the table cannot answer, in the words of the errors."""
    names = list(dict.fromkeys(refusal.analysis.lower() for refusal in refusals))
    return Section(
        title="Not answered",
        text=(f"The table does not support: {join(names)}.",),
        warnings=tuple(f"{refusal.analysis}: {refusal.why}" for refusal in refusals),
    )
