"""Sections of any comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchinfer.comparison.comparison import Comparison, TestedComparison, stated_proviso
from benchinfer.comparison.effects import Write, effect_columns, equivalence_columns, level_columns
from benchinfer.comparison.further.best import BestSets
from benchinfer.comparison.further.sections import best_section, rank_range
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.comparison.wording import equivalent, level_title, proviso, reversals
from benchinfer.core import sections
from benchinfer.core.frames import GLOSSARY
from benchinfer.core.numbers import (
    amount,
    brief,
    count,
    degrees,
    join,
    level_percent,
    p_error,
    p_value,
    places,
    sentence,
    significant,
    within,
)
from benchinfer.core.result import registered
from benchinfer.core.sections import (
    Cell,
    Column,
    Figure,
    Fold,
    Refusal,
    Request,
    Rows,
    Section,
    Table,
    names,
    number,
)
from benchinfer.core.verdict import Verdict
from benchinfer.relations.sections import (
    MOST_IN_ORDER,
    MOST_PAIRS,
    ORDER_CAPTION,
    SIGNS,
    TILES,
    legend,
    on_one_line,
    order_lines,
    outcome,
    verdict_table,
)
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.evidence import Setting
    from benchinfer.core.measure import Measure
    from benchinfer.scores.coverage import Coverage, Finding


_HEADS = {
    "std_error": "std. error",
    "p_value": "p",
    "p_equivalence": "p (equivalence)",
    "p_noninferiority": "p not worse",
    "p_raw": "p (unadjusted)",
    "p_error": "p error",
    "prob_first": "P first",
    "prob_equivalent": "P equivalent",
    "prob_second": "P second",
    "prob_error": "Monte Carlo error",
    "log_e": "log e",
    "p_dominant": "share of draws with this outcome ahead",
    "prob_win": "P(first wins)",
    "prob_more_wins": "P(first wins more often)",
    "n_contests": "contests",
}
_WRITERS: Mapping[str, Write] = {
    **dict.fromkeys(("p_value", "p_equivalence", "p_noninferiority", "p_raw"), p_value),
    **dict.fromkeys(("prob_first", "prob_equivalent", "prob_second"), places(3)),
    **dict.fromkeys(("p_dominant", "prob_win", "prob_more_wins"), places(3)),
    **dict.fromkeys(("wins", "ties", "losses", "n_contests", "n_used", "n"), amount),
    **dict.fromkeys(("statistic", "log_e"), places(2)),
    "df": places(1),
    "p_error": p_error,
}
# When a narrow table goes without a column, and the sentence in its place.
_SPARE = {"p_value": (2, ""), "prob_second": (1, "P second is what the others leave to 1.")}
RANKING_CAPTION = "Differences of the algorithms from the best one, or from the control."
_NAMES = ("contrast", "first", "second")
_TESTS = ("p_value", "p_noninferiority")
_SHARES = ("prob_first", "prob_equivalent", "prob_second")


def favours(measure: Measure) -> str:
    """Return a sentence on the values of a contrast that favour the algorithm named first.

    Examples
    --------
    >>> from benchinfer.core.measure import Measure
    >>> favours(Measure("error", better="lower"))
    'A difference below 0 favours the algorithm named first.'
    """
    side = "below" if measure.better == "lower" else "above"
    article = "An" if measure.scale == "logit" else "A"
    return (
        f"{article} {measure.effect_name} {side} {measure.neutral:g} favours the algorithm named"
        " first."
    )


def better_side(measure: Measure) -> str:
    """Return a clause on the values of a departure that are better than expected.

    Examples
    --------
    >>> from benchinfer.core.measure import Measure
    >>> better_side(Measure("error", better="lower"))
    'below 0 is better than expected'
    """
    side = "below" if measure.better == "lower" else "above"
    return f"{side} {measure.neutral:g} is better than expected"


def direction(comparison: Comparison) -> str:
    """Return a clause that defines a contrast and states which of its values favour the first."""
    measure, word = comparison.measure, comparison._comparative.first
    side = "above" if measure.better == "higher" else "below"
    if measure.scale == "identity":
        return f"{measure.noun} of first minus second; {side} 0 the first is {word}"
    what = "odds of " if measure.scale == "logit" else ""
    return f"{what}{measure.noun} of first divided by second; {side} 1 the first is {word}"


def contrasts(comparison: Comparison, basis: str = "") -> Table:
    """Return the table of contrasts in ranking order, with a note on the basis of the p-values."""
    measure, data = comparison.measure, comparison.contrasts(all=True)
    kind = "interval" if comparison.alternative == "two-sided" else "bound"
    largest = float(data["p_error"].max()) if "p_error" in data else 0.0
    bounded = "conf_low" in data
    decide = [name for name in (*_TESTS, *_SHARES) if name in data and bounded]
    # With two tests there is no room for a column of errors; the note has the largest.
    columns = _drawn(data["p_error"]) if "p_error" in data else {}
    decide += ["p_error"] if largest > 0 and len({*_TESTS} & {*decide}) == 1 else []
    shown = {*_NAMES, *decide, "measure", "quantity", "estimate", "conf_low", "conf_high"}
    shown |= {"verdict", "winner", "equivalence_low", "equivalence_high"}
    shown |= {"p_error"} if largest == 0 else set()
    return Table(
        name="contrasts",
        caption=f"Contrasts: {direction(comparison)}",
        frame=comparison.pairs.in_order(data),
        data=data,
        columns=(
            *names(*(name for name in _NAMES if name in data)),
            outcome(comparison._comparative, equivalence_label(measure)),
            *effect_columns(measure, data, f"{level_percent(comparison.level)} {kind}"),
            *(columns.get(name) or _column(name) for name in decide),
            *equivalence_columns(measure, data),
            *(_column(name, brief=False) for name in map(str, data.columns) if name not in shown),
        ),
        note=f"{decision(comparison, 0.0 if 'p_error' in decide else largest)} {basis}".strip(),
    )


def equivalence_label(measure: Measure) -> str:
    """Return the verdict of equivalence, with the difference that does not matter if it is set."""
    return equivalent(measure) if measure.tolerance > 0 else Verdict.EQUIVALENT.label


def decisive_columns(data: pd.DataFrame) -> tuple[Column, ...]:
    """Return the columns of p-values, or of the probabilities of verdicts, if there are any."""
    drawn = _drawn(data["p_error"]) if "p_error" in data else {}
    idle = {"prob_equivalent"} if "prob_first" in data and not data["prob_equivalent"].any() else ()
    shown = [name for name in (*_TESTS, *_SHARES) if name in data and name not in idle]
    return tuple(drawn.get(name) or _column(name) for name in shown)


def _column(name: str, *, brief: bool = True) -> Column:
    head, write = _HEADS.get(name, name), _WRITERS.get(name, significant)
    spare, instead = _SPARE.get(name, (0, ""))
    return number(name, head, write, brief=brief, spare=spare, instead=instead)


def _drawn(errors: pd.Series[float]) -> dict[str, Column]:
    """Return the columns of p-values and of their Monte Carlo errors.

    The smallest p-value that draws can give is marked.
    """
    return {
        "p_value": number("p_value", _HEADS["p_value"], p_value, also=("p_error",), spare=2),
        "p_error": number(
            "p_error",
            _HEADS["p_error"],
            p_error,
            spare=1,
            instead=_largest_error(float(errors.max())),
        ),
    }


def decision(comparison: Comparison, error: float = 0.0) -> str:
    """Return a note on the adjustment, the decision rule and any unshown Monte Carlo error."""
    parts = [comparison.rule]
    if inferential(comparison):
        parts.insert(0, f"{sentence(comparison.provenance.adjustment)}.")
    if error > 0:
        parts.append(_largest_error(error))
    one_sided = comparison.measure.tolerance > 0 and comparison.alternative != "two-sided"
    if one_sided and isinstance(comparison, TestedComparison):
        shown = [f"{a} against {b}" for a, b in comparison.noninferior()]
        parts.append(f"Shown not to be worse by the tolerance: {join(shown) or 'none'}.")
    return " ".join(parts)


def _largest_error(error: float) -> str:
    return f"Monte Carlo errors of p-values: at most {p_error(error)}."


_POSSIBLE_RANKS = number("rank_low", "ranks", rank_range, also=("rank_high",))


def summary(comparison: Comparison, *, details: bool = True) -> Table:
    """Return the table of levels, one row per algorithm, best first."""
    data = comparison.summary()
    # A measure may be a rank itself.
    place = "place" if comparison.level_name == "rank" else "rank"
    in_blocks = "mean_rank" in data and comparison.levels.name != "mean rank"
    mean = "rank in blocks" if comparison.measure.name == "rank" else "mean rank"
    ranks = (number("mean_rank", mean, places(2)),) if in_blocks else ()
    shown = {"rank", "algorithm", "estimate", "conf_low", "conf_high", "mean", "mean_rank", "n"}
    shown |= {"measure", "rank_low", "rank_high"}
    ranges = () if comparison.pairs.averages else (_POSSIBLE_RANKS,)
    # The headline has the direction of the measure; that of another statistic is its own.
    turned = comparison.level_better != comparison.measure.better
    about = f"{comparison.level_better} is better" if turned else ""
    where = f" {comparison._level_words}" if comparison._level_words else ""
    note = ""
    if comparison._relative:
        about = "; ".join(filter(None, ("relative to the mean of the algorithms", about)))
    elif "conf_low" in data and details:
        note = (
            "Intervals are of each algorithm alone; overlap of two intervals is no test of their"
            " difference."
        )
        note += f" {sentence(exact)}." if (exact := rounded(comparison)) else ""
    return Table(
        name="summary",
        caption=f"Levels{where}: {level_title(comparison)}{f' ({about})' if about else ''}",
        frame=data.iloc[[*comparison.pairs.best_first]],
        data=data,
        columns=(
            number("rank", place, brief, spare=2, instead="Best first."),
            *names("algorithm"),
            *level_columns(comparison, data),
            *ranks,
            *ranges,
            number("n", "units" if comparison.setting.units else "scores", amount, spare=1),
            *(
                number(name, name.replace("_", " "), brief, brief=False)
                for name in map(str, data.columns)
                if name not in shown
            ),
        ),
        note=" ".join(filter(None, (reversals(comparison), comparison._level_note, note))),
    )


def rounded(comparison: Comparison) -> str:
    """Return a clause on printed levels whose differences are the contrasts; else empty."""
    levels, scale = comparison.levels, comparison.measure.scale
    if levels.order is not None or levels.better or scale == "logit":
        return ""
    return f"{'ratios' if scale == 'log' else 'differences'} are of unrounded levels"


def slopes(frame: pd.DataFrame, comparison: Comparison, evidence: tuple[Column, ...]) -> Table:
    """Return the table of slopes, one row for each covariate and pair."""
    measure = comparison.measure
    kind = f"{level_percent(comparison.level)} interval"
    ordered = comparison.pairs.in_order(frame)
    return Table(
        name="slopes",
        caption=f"Slopes: {measure.effect_name} per unit of the covariate",
        frame=ordered.sort_values("covariate", kind="stable"),
        data=frame,
        columns=(
            *names("covariate", "first", "second"),
            *effect_columns(measure, frame, kind),
            *evidence,
        ),
    )


def columns_of_tests() -> tuple[Column, ...]:
    """Return the columns of tests with unadjusted p-values."""
    return (
        number("statistic", "statistic", lambda value: significant(value, 4)),
        number("df", "df", degrees, also=("df_residual",)),
        number("p_value", "p", p_value, defined=False),
    )


def counts(coverage: Coverage) -> Table:
    """Return the table of scores per cell, with incomplete cells marked."""
    import pandas as pd

    # By number: an algorithm may be called as another column is.
    cells = pd.DataFrame(coverage.counts, columns=[str(k) for k in range(len(coverage.algorithms))])
    cells.insert(0, "expected", coverage.expected)
    cells.insert(0, "dataset", list(coverage.datasets))
    return Table(
        name="",
        caption="Scores per cell",
        frame=cells,
        columns=(
            Column("dataset", "data set", role="name"),
            number("expected", "expected", str),
            *(
                number(
                    str(k),
                    name,
                    lambda n, of: Cell(str(n), "empty" if n == 0 else "thin" if n < of else "full"),
                    also=("expected",),
                )
                for k, name in enumerate(coverage.algorithms)
            ),
        ),
        note="Expected: the replications that the data set has. Shaded: fewer, or none.",
    )


def findings(records: Sequence[Finding]) -> Table:
    """Return the table of findings of a score table, the most severe first."""
    import pandas as pd

    rank = {"error": 0, "warning": 1, "note": 2}
    ordered = sorted(records, key=lambda f: rank.get(f.severity, 3))
    fields = {"severity": "severity", "rule": "rule", "where": "what", "hint": "hint"}
    return Table(
        name="",
        caption="What the checks of the table found",
        # Hints keep their parts in a column of objects.
        frame=pd.DataFrame(
            {n: [getattr(f, key) for f in ordered] for n, key in fields.items()}, dtype=object
        ),
        columns=(
            Column(
                "severity",
                "severity",
                lambda word: Cell(word, "note" if word == "note" else "fail"),
            ),
            Column("rule", "rule"),
            Column("where", "what", role="prose"),
            Column("hint", "what to do", role="prose"),
        ),
    )


def explained(tables: Sequence[Table]) -> tuple[tuple[str, str, str], ...]:
    """Return head, name and definition of each table column that is in the glossary."""
    columns = [column for table in tables for column in table.columns[::-1] if column.defined]
    seen = {name: c.head for c in columns for name in c.also if name in GLOSSARY}
    seen |= {c.name: c.head for c in columns if c.name in GLOSSARY}
    seen |= {"conf_high": seen["conf_low"]} if {"conf_low", "conf_high"} <= {*seen} else {}
    return tuple((seen[name], name, text) for name, text in GLOSSARY.items() if name in seen)


_RESAMPLING = {
    "independent": "independent repetitions on fresh data",
    "bootstrap": "bootstrap samples of each data set, which speak of the data sets as drawn",
    "holdout": "repeated random splits, whose learning samples overlap",
    "cv": "folds of a cross-validation, whose learning samples overlap",
    "seeds": "random starts",
    "items": "test items",
    "runs": "runs of a tool that times programs",
}
WITHIN = (
    "P-values are adjusted within each data set, not over data sets. Of many data sets some have"
    " such verdicts by chance."
)


def inferential(comparison: Comparison) -> bool:
    """Return whether a comparison has intervals."""
    return "conf_low" in comparison._effects()


def verdict(
    comparison: Comparison, request: Request, *, main: bool = True, rows: Table | None = None
) -> Section:
    """Return the section of one comparison: verdict, figures and tables."""
    rows, levels = rows or contrasts(comparison), summary(comparison, details=request.details)
    figures, tables, fold = (), (levels, rows), None
    if not main:
        checks = sections.checks_table(comparison._checks)
        tables, fold = (), Fold("Tables of this comparison", (), (levels, rows, checks))
    elif request.details:
        figures, tables, fold = _pairs(comparison, levels, rows)
    ordered = not comparison.pairs.averages  # averages are in no order
    relation = comparison.relation()
    lines, left = order_lines(relation) if ordered else ([], [])
    return Section(
        title=comparison._heading,
        lead=comparison.headline(),
        order=tuple(lines),
        open_pairs=tuple(left),
        legend=legend(relation, signs=SIGNS.format(comparison._comparative.has)) if ordered else (),
        text=tuple(said for said in (_irrelevant(comparison), comparison._interval_note()) if said),
        figures=figures,
        tables=tables,
        checks=comparison._checks if main else (),
        fold=fold,
    )


def _pairs(
    comparison: Comparison, levels: Table, rows: Table
) -> tuple[tuple[Figure, ...], tuple[Table, ...], Fold | None]:
    """Return the figures and tables of a comparison, and a fold for those of many contrasts."""
    n, k = len(comparison.pairs), len(comparison.algorithms)
    forest = Figure(comparison, "forest", favours(comparison.measure))
    ranking = Figure(comparison, "ranking", RANKING_CAPTION)
    hasse = Figure(comparison, "hasse", ORDER_CAPTION)
    few = n <= MOST_PAIRS
    wanted = ((ranking, k > 2), (forest, few), (hasse, k <= MOST_IN_ORDER))
    shown = tuple(figure for figure, there in wanted if there)
    if few:
        return shown, (levels, rows), None
    order = comparison.pairs.best_first
    matrix = verdict_table(comparison.relation(), order, comparison._comparative)
    fold = Fold(f"Figure and table of the {n:,} contrasts", (forest,), (rows,))
    return shown, (levels, matrix), fold


def _irrelevant(comparison: Comparison) -> str:
    """Return a sentence on the pairs that differ significantly but by less than the tolerance."""
    pairs = comparison.pairs.oriented(comparison.irrelevant()).values()
    if not pairs:
        return ""
    said = "; ".join(map(" and ".join, pairs))
    return (
        f"Significant but irrelevant: {said} differ, by less than the tolerance, and are called"
        " equivalent."
    )


def each_dataset(results: Comparisons) -> Section:
    """Return the section of comparisons per data set: their orders, verdicts and rules."""
    import pandas as pd

    first, relations = next(iter(results.values())), results.relations()
    measure = first.measure
    tested = any("p_value" in result.contrasts(all=True) for result in results.values())
    analyses = dict.fromkeys(within(result._heading) for result in results.values())
    orders = Table(
        name="",
        caption="Order on each data set, best first",
        frame=pd.DataFrame(
            {
                "dataset": list(relations),
                "order": [on_one_line(relation) for relation in relations.values()],
            }
        ),
        columns=(
            Column("dataset", "data set", role="name"),
            Column("order", "order", role="order", defined=False),
        ),
    )
    tiles = Figure(results, "verdicts", "The algorithm with more wins stands first.")
    tables = [orders]
    if results.refused:
        tables.append(not_compared(results.refused, "data set"))
    within_each = WITHIN if tested else ""
    text = (results.counted(), _stopped(results), *results.rules, within_each)
    return Section(
        title=f"Each data set by itself: {join(list(analyses))}",
        lead=f"{measure.noun} ({measure.better} is better) on {count(len(results), 'data set')},"
        " each by itself.",
        legend=legend(*relations.values(), signs=SIGNS.format(first._comparative.has)),
        text=tuple(filter(None, text)),
        figures=(tiles,) if sum(len(result.pairs) for result in results.values()) <= TILES else (),
        tables=tuple(tables),
        fold=_shared_checks(results),
    )


def _stopped(results: Comparisons) -> str:
    """Return a sentence on the number of data sets with stopped runs; empty without any."""
    held = [one for result in results.values() if (one := result.setting.stopped) is not None]
    shares = [one.stopped.sum() / max(int(one.n.sum()), 1) for one in held]
    if not any(shares):
        return ""
    every = sum(share == 1 for share in shares)
    return (
        f"Runs were stopped at the limit of {held[0].limit:,.6g} on"
        f" {sum(share > 0 for share in shares):,} of the {count(len(results), 'data set')}"
        f"{' that were compared' if results.refused else ''}"
        f"{f', all runs on {every:,}' if every else ''}: algorithms whose runs"
        " were all stopped are equal up to the limit alone."
    )


def not_compared(refused: Mapping[str, str], group: str) -> Table:
    """Return the table of groups of scores that could not be compared, with the reason."""
    import pandas as pd

    return Table(
        name="",
        caption=f"{count(len(refused), group)} could not be compared",
        frame=pd.DataFrame([*refused.items()], columns=["group", "reason"]),
        columns=(
            Column("group", group, role="name"),
            Column("reason", "reason", role="prose"),
        ),
    )


def _shared_checks(results: Comparisons) -> Fold | None:
    """Return a fold of the failed checks, each with the number of data sets on which it fails."""
    import pandas as pd

    failed = [check for result in results.values() for check in result._checks if not check.ok]
    # A remedy may name particulars of a data set: the first one stands for all.
    remedies = {check.check: check.remedy for check in failed[::-1]}
    times = Counter(check.check for check in failed).most_common()
    rows = [(name, f"{n} of {len(results)}", remedies[name]) for name, n in times]
    if not rows:
        return None
    table = Table(
        name="",
        caption="Diagnostics that ask for attention",
        frame=pd.DataFrame(rows, columns=["check", "n_datasets", "remedy"], dtype=object),
        columns=(
            Column("check", "check"),
            number("n_datasets", "data sets", str),
            Column("remedy", "how to read it", role="prose"),
        ),
    )
    return Fold("Diagnostics that ask for attention", (), (table,))


def data_section(setting: Setting) -> Section:
    """Return the section of one measure's scores: coverage, findings and distributions."""
    coverage = setting.coverage
    complete = not coverage.empty and not coverage.thin
    tables = [] if complete else [counts(coverage)]
    if coverage.findings:
        tables.append(findings(coverage.findings))
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
        tables=tuple(tables),
    )


def scores_section(scores: ScoreTable) -> Section:
    """Return the section of a score table: its size, measures and findings."""
    measures = [
        (m.on_scale(m.name), f"{m.better} is better, tolerance {m.tolerance:g}")
        for m in scores.measures
    ]
    return Section(
        title="Scores",
        lead=scores.description().removeprefix("ScoreTable(").removesuffix(")"),
        facts=tuple(measures),
        tables=(findings(scores.finding_records),),
    )


def _coverage(setting: Setting) -> str:
    coverage = setting.coverage
    d, k = coverage.counts.shape
    start = (
        f"{coverage.n:,} scores of {count(k, 'algorithm')} on {count(d, 'data set')}"
        f" ({setting.measure.title}, {setting.measure.better} is better)"
    )
    if coverage.empty or coverage.thin:
        return (
            f"{start}. {len(coverage.empty):,} of {count(d * k, 'cell')} {_have(coverage.empty)} no"
            f" score and {len(coverage.thin)} {_have(coverage.thin)} fewer than the others of their"
            " data set."
        )
    low, high = int(coverage.expected.min()), int(coverage.expected.max())
    each = f"{low}" if low == high else f"{low} to {high}"
    return f"{start}, {each} in each cell: nothing is missing."


def _have(things: Sequence[object]) -> str:
    return "has" if len(things) == 1 else "have"


def _replications(setting: Setting) -> str:
    if int(setting.coverage.expected.max()) < 2:
        return "There is one score in each cell, so nothing is known of its variation."
    if setting.resampling is None:
        how = "How the replications came about is not declared"
    else:
        how = f"The replications are {_RESAMPLING[setting.resampling.kind]}"
    shared = "are taken as shared by" if setting.paired else "are not shared by"
    return f"{how}; they {shared} the algorithms."


def method_section(comparison: Comparison, *, each: bool = False) -> Section:
    """Return the section on the method: formula, decision rule, level and scope of the claims."""
    scope = "on each data set by itself" if each else comparison.scope()
    claims = [f"{scope[0].upper()}{scope[1:]}."]
    d = len(comparison.setting.coverage.datasets)
    if comparison.target == "domain" and not each:
        unit, of = "data set", "that domain"
        if comparison.setting.members is not None:
            unit, of = "domain", "domains"
        elif comparison._given_domains:
            of = "these domains"
        claims.append(
            f"The {count(d, unit)} are taken as a sample of {of}. Nothing in the"
            f" table says that they were drawn at random, and {unit}s of convenience are no random"
            f" sample: claims about other {unit}s hold as far as these are typical of them."
        )
    resampling = comparison.setting.resampling
    if resampling is not None and resampling.kind == "bootstrap":
        claims.append("Bootstrap replications speak of the data sets as drawn.")
    level = "" if not inferential(comparison) else f"{100 * comparison.level:g} %"
    # What the headline has, and a formula that is in the sentences, are said once.
    method = comparison.method.replace(proviso(stated_proviso(comparison)), "")
    formula = "" if comparison.formula in method else comparison.formula
    return Section(
        title=f"Method: {within(comparison._heading)}{' on each data set' if each else ''}",
        facts=tuple(
            (name, text)
            for name, text in (
                (comparison._formula_name, formula),
                ("Method", method),
                ("Rule", comparison.rule),
                ("Level", level),
                ("Claims", " ".join(claims)),
            )
            if text
        ),
    )


def refused_section(refusals: Sequence[Refusal]) -> Section:
    """Return the section of the analyses that a table does not support, with the error messages."""
    names = list(dict.fromkeys(refusal.analysis.lower() for refusal in refusals))
    return Section(
        title="Not answered",
        text=(f"The table does not support: {join(names)}.",),
        warnings=tuple(f"{refusal.analysis}: {refusal.why}" for refusal in refusals),
    )


def leading(comparison: Comparison, request: Request, rows: Table | None = None) -> Section:
    """Return the section of a comparison, in full for the first one of a measure."""
    main = not request.before
    return verdict(comparison, request, main=main, rows=rows)


def sections_of(result: object, request: Request) -> tuple[Section, ...]:
    """Return the sections of a result from the function registered for its class."""
    shown = registered(type(result), "sections", "SECTIONS")(result, request)
    if request.best and isinstance(result, Comparison):
        return (*shown, best_section(result.best()))
    return shown


# By class: what is said of a result when a reader requests it.
SECTIONS = {
    BestSets: lambda sets, _: (best_section(sets),),
    Comparison: lambda comparison, request: (leading(comparison, request),),
    Comparisons: lambda results, _: (each_dataset(results),),
    ScoreTable: lambda scores, _: (scores_section(scores),),
}
# By key of a document: the type of its value, and what it is.
KEYS: Mapping[str, tuple[object, str]] = {
    "summary": (Rows, "level of each algorithm"),
    "contrasts": (Rows, "verdict and evidence for each pair"),
    "best": (Rows, "sets of the best algorithm and of ranks, where they were asked for"),
}
