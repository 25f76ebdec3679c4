"""Report sections of any comparison."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.figures.forest import order
from benchinfer.core import sections
from benchinfer.core.frames import GLOSSARY
from benchinfer.core.numbers import (
    brief,
    count,
    decimals,
    fixed,
    join,
    p_value,
    significant,
    within,
)
from benchinfer.core.result import registered
from benchinfer.core.sections import Cell, Column, Figure, Fold, Refusal, Section, Table
from benchinfer.relations import sections as relations_sections
from benchinfer.relations.sections import (
    MOST_PAIRS,
    ORDER_CAPTION,
    TILES,
    order_words,
    pair_verdict,
    rows_of,
)

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.evidence import Setting
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.core.measure import Measure
    from benchinfer.scores.coverage import Coverage, Finding
    from benchinfer.scores.table import ScoreTable


type Write = Callable[[float], str]
_HEADS = {
    "conf_low": "from",
    "conf_high": "to",
    "std_error": "std. error",
    "df": "df",
    "statistic": "statistic",
    "p_value": "p (difference)",
    "p_equivalence": "p (equivalence)",
    "p_noninferiority": "p (non-inferiority)",
    "p_raw": "p (unadjusted)",
    "p_error": "Monte Carlo error",
    "prob_first": "P(first better)",
    "prob_equivalent": "P(equivalent)",
    "prob_second": "P(second better)",
    "prob_error": "Monte Carlo error",
    "log_e": "log e",
    "n_used": "replications used",
    "p_dominant": "share of draws with this outcome ahead",
    "prob_win": "P(first wins)",
    "prob_more_wins": "P(first wins more often)",
    "n_contests": "contests",
}
_SHARES = (
    *("prob_first", "prob_equivalent", "prob_second", "p_dominant"),
    *("prob_win", "prob_more_wins"),
)
_COUNTS = ("wins", "ties", "losses", "n_contests")
_P = ("p_value", "p_equivalence", "p_noninferiority", "p_raw")
# Columns of words, and what is said in place of a word.
_TOLD = {"state": {"first": "decided", "second": "decided"},
         "provisional": {"True": "yes", "False": ""}}  # fmt: skip
# What decides comes before what it was computed from: a narrow screen shows the left end.
_DECIDES = ("verdict", "estimate", "conf_low", "conf_high", "p_value", *_P[1:3])


def favours(measure: "Measure") -> str:
    """Say how to read the sign of a contrast.

    Examples
    --------
    >>> from benchinfer.core.measure import Measure
    >>> favours(Measure("error", better="lower"))
    'A difference below 0 favours the algorithm named first, as lower is better.'
    """
    side = "below" if measure.better == "lower" else "above"
    article = "An" if measure.scale == "logit" else "A"
    return (
        f"{article} {measure.effect_name} {side} {measure.neutral:g} favours the algorithm named"
        f" first, as {measure.better} is better."
    )


def better_side(measure: "Measure") -> str:
    """Say which side is better where something departs from what was expected.

    Examples
    --------
    >>> from benchinfer.core.measure import Measure
    >>> better_side(Measure("error", better="lower"))
    'below 0 is better than expected'
    """
    side = "below" if measure.better == "lower" else "above"
    return f"{side} {measure.neutral:g} is better than expected"


def contrasts(comparison: "Comparison") -> Table:
    """One row per pair, in the order of the forest."""
    measure, frame = comparison.measure, comparison.contrasts().iloc[order(comparison)]
    known = [
        name
        for name in frame.columns
        if name not in {"measure", "contrast", "first", "second", "quantity", "winner"}
    ]
    names = [name for name in _DECIDES if name in known]
    names += [name for name in known if name not in names]
    texts = [name for name in ("contrast", "first", "second") if name in frame.columns]
    columns = [Column(name, name) for name in texts]
    cells = [[Cell(str(v), "name") for v in frame[name]] for name in texts]
    writers = _effect_writers(measure, frame)
    for name in names:
        if name == "verdict":
            columns.append(Column(name, "verdict"))
            cells.append(
                [pair_verdict(*row) for row in rows_of(frame, "verdict", "first", "second")]
            )
        elif name == "p_value" and "p_error" in known:
            columns.append(Column(name, _HEADS[name], numeric=True))
            pairs = zip(frame[name], frame["p_error"], strict=True)
            cells.append([Cell(p_value(float(p), float(error))) for p, error in pairs])
        elif name in _TOLD:
            columns.append(Column(name, name))
            cells.append([Cell(_TOLD[name].get(str(v), str(v))) for v in frame[name]])
        else:
            head = effect_head(measure) if name == "estimate" else _HEADS.get(name, name)
            columns.append(Column(name, head, numeric=True))
            cells.append([Cell(writers.get(name, significant)(float(v))) for v in frame[name]])
    interval = f" From, to: {comparison.intervals}." if comparison.intervals else ""
    return Table(
        caption=f"Contrasts in {measure.title}, {measure.better} is better",
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        note=favours(measure) + interval,
    )


def effect_head(measure: "Measure") -> str:
    """Name the contrast column by what it holds."""
    sign = "\N{MINUS SIGN}" if measure.scale == "identity" else "/"
    return f"{measure.effect_name} (first {sign} second)"


def _effect_writers(measure: "Measure", frame: "pd.DataFrame") -> dict[str, Write]:
    """Return how to write the columns of a table of contrasts."""
    if measure.scale == "identity":
        places = decimals(_spreads(frame))

        def effect(value: float) -> str:
            return fixed(value, places)
    else:
        effect = significant
    return {
        **dict.fromkeys(("estimate", "conf_low", "conf_high"), effect),
        **dict.fromkeys(_P, p_value),
        **dict.fromkeys(_SHARES, lambda value: fixed(value, 3)),
        **dict.fromkeys(_COUNTS, lambda value: f"{value:g}"),
        "df": lambda value: fixed(value, 1),
        "statistic": lambda value: fixed(value, 2),
        "log_e": lambda value: fixed(value, 2),
        "n_used": brief,
    }


def _spreads(frame: "pd.DataFrame") -> list[float]:
    if "std_error" in frame:
        return [float(v) for v in frame["std_error"]]
    if "conf_low" in frame:
        return [float(v) / 4 for v in frame["conf_high"] - frame["conf_low"]]
    return [float(v) / 10 for v in frame["estimate"]]


def summary(comparison: "Comparison") -> Table:
    """One row per algorithm, best first."""
    measure = comparison.measure
    frame = comparison.summary().drop(columns="measure").sort_values("rank", kind="stable")
    if measure.scale == "identity":
        places = decimals(_spreads(frame))

        def level(value: float) -> str:
            return fixed(value, places)
    else:
        level = significant
    writers: dict[str, Write] = dict.fromkeys(("estimate", "conf_low", "conf_high"), level)
    columns = [Column("algorithm", "algorithm")]
    cells = [[Cell(str(v), "name") for v in frame["algorithm"]]]
    for name in frame.columns.drop("algorithm"):
        columns.append(Column(name, _HEADS.get(name, name.replace("_", " ")), numeric=True))
        cells.append([Cell(writers.get(name, brief)(float(v))) for v in frame[name]])
    interval = (
        f"From, to: {100 * comparison.level:g} % interval of each algorithm alone; overlap of two"
        " intervals is no test of their difference."
        if "conf_low" in frame
        else ""
    )
    if comparison.relative:
        interval = "Estimates are relative to the mean of the algorithms: effects have no level."
    return Table(
        caption=f"Algorithms by {measure.title}, {measure.better} is better, best first",
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        note=interval,
    )


def counts(coverage: "Coverage") -> Table:
    """Scores per cell, with those marked that lack some."""
    expected = coverage.expected.tolist()
    return Table(
        caption="Scores per cell",
        columns=(
            Column("dataset", "data set"),
            Column("expected", "expected", numeric=True),
            *(Column("", name, numeric=True) for name in coverage.algorithms),
        ),
        rows=tuple(
            (Cell(name, "name"), Cell(str(whole)), *(_count(n, whole) for n in row))
            for name, whole, row in zip(
                coverage.datasets, expected, coverage.found.tolist(), strict=True
            )
        ),
        note="Expected: the replications that the data set has. Shaded: fewer, or none.",
    )


def _count(n: int, whole: int) -> Cell:
    return Cell(str(n), "empty" if n == 0 else "thin" if n < whole else "full")


def findings(records: Sequence["Finding"]) -> Table:
    """One row per finding of the checks."""
    rank = {"error": 0, "warning": 1, "note": 2}
    return Table(
        caption="What the checks of the table found",
        columns=(
            Column("severity", "severity"),
            Column("rule", "rule"),
            Column("where", "what"),
            Column("hint", "what to do"),
        ),
        rows=tuple(
            (
                Cell(f.severity, "note" if f.severity == "note" else "fail"),
                Cell(f.rule),
                Cell(f.what, "prose"),
                Cell(f.hint, "prose"),
            )
            for f in sorted(records, key=lambda f: rank.get(f.severity, 3))
        ),
    )


def explained(tables: Sequence[Table]) -> tuple[tuple[str, str, str], ...]:
    """Return head, name and meaning of each column of the tables that the glossary knows."""
    seen = {column.name: column.head for table in tables for column in table.columns[::-1]}
    return tuple((seen[name], name, text) for name, text in GLOSSARY.items() if name in seen)


_RESAMPLING = {
    "independent": "independent repetitions on fresh data",
    "bootstrap": "bootstrap samples of each data set, which speak of the data sets as drawn",
    "holdout": "repeated random splits, whose learning samples overlap",
    "cv": "folds of a cross-validation, whose learning samples overlap",
    "seeds": "random starts",
    "items": "test items",
}
_LOCAL = "Each line is about that data set alone."
_WITHIN = (
    "P-values are adjusted within each data set, not over data sets: of many data sets some have"
    " such verdicts by chance."
)


def inferential(comparison: "Comparison") -> bool:
    """Return whether a comparison has intervals."""
    return "conf_low" in comparison.effects()


def verdict(comparison: "Comparison", *, main: bool) -> Section:
    """Verdict, figures and tables of one comparison."""
    figures, found, fold = _pairs(comparison) if main else ((), [], None)
    found.append(summary(comparison))
    found.append(sections.checks_table(comparison.checks))
    if not main:
        found = [contrasts(comparison), *found]
        fold, found = Fold("Tables of this comparison", (), tuple(found)), []
    order, open_pairs = order_words(comparison.relation())
    return Section(
        title=comparison.heading,
        lead=comparison.headline(),
        order=order,
        open_pairs=open_pairs,
        text=(_irrelevant(comparison),) if _irrelevant(comparison) else (),
        figures=figures,
        tables=tuple(found),
        fold=fold,
    )


def _pairs(comparison: "Comparison") -> tuple[tuple[Figure, ...], list[Table], Fold | None]:
    """Return figures, tables and what is folded of the pairs."""
    forest = Figure(comparison, "forest", favours(comparison.measure))
    hasse = Figure(comparison, "hasse", ORDER_CAPTION)
    rows, n = contrasts(comparison), len(comparison.pairs)
    if n <= MOST_PAIRS:
        return (forest, hasse), [rows], None
    best_first = np.argsort(-comparison.levels.estimate, kind="stable")
    matrix = relations_sections.verdict_table(comparison.relation(), [int(k) for k in best_first])
    return (hasse,), [matrix], Fold(f"Figure and table of the {n} contrasts", (forest,), (rows,))


def _irrelevant(comparison: "Comparison") -> str:
    """Name the pairs that differ significantly but by less than matters."""
    pairs = [f"{first} and {second}" for first, second in comparison.irrelevant()]
    if not pairs:
        return ""
    return (
        f"Significant but irrelevant: {'; '.join(pairs)} differ, by less than the tolerance, and"
        " are called equivalent."
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
        figures=_tiles(results),
        tables=(orders, checks) if checks.rows else (orders,),
    )


def _tiles(results: "Comparisons") -> tuple[Figure, ...]:
    """Draw the verdicts, unless there are more than a reader can take in."""
    if sum(len(result.pairs) for result in results.values()) > TILES:
        return ()
    return (Figure(results, "verdicts", "Columns are pairs, the one with more wins first."),)


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
    found = [] if whole else [counts(coverage)]
    if coverage.findings:
        found.append(findings(coverage.findings))
    return Section(
        title="Scores",
        text=(_coverage(setting), _replications(setting)),
        figures=(
            Figure(
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
    """Say what was done, by which rule, and what the claims are about."""
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
    return Section(
        title=f"Method: {within(comparison.heading)}{' on each data set' if each else ''}",
        facts=tuple(
            (name, text)
            for name, text in (
                (comparison.formula_name, comparison.formula),
                ("Method", comparison.method),
                ("Rule", comparison.rule),
                ("Level", level),
                ("Claims", " ".join(claims)),
            )
            if text
        ),
    )


def refused(refusals: Sequence[Refusal]) -> Section:
    """Say what the table cannot answer, in the words of the errors."""
    names = list(dict.fromkeys(refusal.analysis.lower() for refusal in refusals))
    return Section(
        title="Not answered",
        text=(f"The table does not support: {join(names)}.",),
        warnings=tuple(f"{refusal.analysis}: {refusal.why}" for refusal in refusals),
    )


def leading(comparison: "Comparison", before: "Sequence[Comparison]") -> Section:
    """Return the verdict of a comparison: in full for the first one and for those with tests."""
    return verdict(comparison, main=not before or inferential(comparison))


def sections_of(
    comparison: "Comparison", before: "Sequence[Comparison]", scores: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections of a comparison, as its folder registers them."""
    write = registered(type(comparison), "sections", "SECTIONS")
    return write(comparison, before, scores)


def _sections(
    comparison: "Comparison", before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    return (leading(comparison, before),)


# By class: what is said of a result, given those shown before and the table.
SECTIONS = {Comparison: _sections}
