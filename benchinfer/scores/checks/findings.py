"""Findings about a table worth knowing.

Faults that make a table unfit are in `faults`; no finding stops reading.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw
import numpy as np

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join
from benchinfer.numerics.types import Counts
from benchinfer.scores.checks import advice, families, gaps, kinds, units
from benchinfer.scores.checks.facts import Facts, Rule, least_datasets, least_flips, rows_finding
from benchinfer.scores.checks.failures import without_states
from benchinfer.scores.columns.engines import FAILED
from benchinfer.scores.columns.roles import ITEMS, STATUS, Roles, common_name
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.format import BATTLE, Format
from benchinfer.scores.resampling import FOLDS, REPEATED, SPLITS, Resampling, declaration
from benchinfer.scores.rows.nesting import LACKING, REVERSED, counted, noun, plural
from benchinfer.scores.sources.layouts import grouping_column
from benchinfer.scores.sources.runs import CONTEXTS

if TYPE_CHECKING:
    from benchinfer.scores.checks.faults import Reading
    from benchinfer.scores.sources.frames import Source

_SHOWN = 5
FEW = "few data sets"
# Differences below vanish when they are squared.
_TINY = 1e-150
# Labels that only count: 3, fold_3, rep 1/3.
_COUNTED = re.compile(r"([a-z]+[\s_.-]*)?\d+([/_.-]\d+)*", re.IGNORECASE)
# Names of what each algorithm does anew: equal numbers are no shared replications.
_ATTEMPT = re.compile(
    r"(attempt|trial|epoch|try|rollout|generation|completion)s?([ _.-]?(id|no|number|index|idx))?",
    re.IGNORECASE,
)
_SHARE = 0.05  # of the scores that are equal to the worst one
_FEWEST = 10  # of them
_VALUES = 20  # different scores, without which the scale is of grades
_NATURAL = (0.0, 1.0, 100.0)  # ends of shares and percentages, which scores reach by themselves
_THESE = 2  # data sets of which claims are about these, not about a domain
_STATES = ("status", "state", "outcome", "exit", "result", "verdict", "termination")
_FOLD = re.compile(
    r"(fold|cv|rep\w*|seed|run|split|resample|boot\w*|iter\w*|trial)[\s_.-]*\d+", re.IGNORECASE
)


def _incomplete(facts: Facts, *, empty: bool) -> Finding | None:
    """List the cells without a score, or those with fewer replications than the data set."""
    s = facts.summary
    expected = np.broadcast_to(s.expected(paired=facts.paired)[:, :, None], s.n.shape)
    n = s.replications
    cells = (n == 0) & (expected > 0) if empty else (n > 0) & (n < expected)
    many = len(s.measures) > 1
    rows = [
        (s.datasets[d], s.algorithms[k], *s.measures[m : m + many], n[m, d, k], expected[m, d, k])
        for m, d, k in np.argwhere(cells)
    ]
    total = int((s.shared > 0).sum()) * len(s.algorithms)
    has = "has" if len(rows) == 1 else "have"
    lack = "no score" if empty else "fewer replications than the data set"
    return rows_finding(
        "missing cells" if empty else "thin cells",
        "warning",
        f"{len(rows):,} of {total:,} cells {has} {lack}.",
        ("dataset", "algorithm", *(["measure"] if many else []), "found", "expected"),
        rows,
        "scores.complete() keeps the data sets that are whole.",
    )


def constant_algorithms(facts: Facts) -> Finding | None:
    """List algorithms whose scores are all the same, but for those that solve nothing."""
    s = facts.summary
    stopped = {m.name: m.stopped_score for m in facts.measures}
    rows: list[tuple[str, ...]] = []
    for m, measure in enumerate(s.measures):
        for k, algorithm in enumerate(s.algorithms):
            there = s.n[m, :, k] > 0
            low, high = s.minimum[m, there, k], s.maximum[m, there, k]
            solves_nothing = low.min(initial=np.inf) == stopped.get(measure)
            if s.n[m, :, k].sum() > 1 and low.min() == high.max() and not solves_nothing:
                rows.append((algorithm, measure, f"{low[0]:.6g}"))
    what = f"{len(rows)} {'algorithm has' if len(rows) == 1 else 'algorithms have'}"
    return rows_finding(
        "constant algorithms",
        "warning",
        f"{what} the same score everywhere.",
        ("algorithm", "measure", "value"),
        rows,
        "a failed run, or a score that was never computed?",
    )


def identical_algorithms(facts: Facts) -> Finding | None:
    """List algorithms that have the same scores as another one, if they solve anything."""
    s = facts.summary
    stopped = {m.name: m.stopped_score for m in facts.measures}
    rows: list[tuple[str, str, str]] = []
    for m, measure in enumerate(s.measures):
        groups: dict[bytes, list[int]] = {}
        for k in np.flatnonzero(s.n[m].sum(axis=0) > 2):
            if np.nanmin(s.minimum[m, :, k]) == stopped.get(measure):
                continue
            # Counts and extremes are exact in every engine; moments are rounded.
            parts = (s.n[m, :, k], s.minimum[m, :, k], s.maximum[m, :, k])
            groups.setdefault(b"".join(p.tobytes() for p in parts), []).append(int(k))
        for group in groups.values():
            first = group[0]
            rows += [
                (s.algorithms[first], s.algorithms[k], measure)
                for k in group[1:]
                if np.allclose(s.mean[m, :, k], s.mean[m, :, first], 1e-12, 0.0, equal_nan=True)
                and np.allclose(s.squares[m, :, k], s.squares[m, :, first], 1e-9, 0.0)
            ]
    what = f"{len(rows)} {'algorithm has' if len(rows) == 1 else 'algorithms have'}"
    return rows_finding(
        "identical algorithms",
        "warning",
        f"{what} the same scores as another.",
        ("algorithm", "same as", "measure"),
        [(b, a, m) for a, b, m in rows],
        "one algorithm under two names, or a copied column?",
    )


def one_algorithm(facts: Facts) -> Finding | None:
    """Report a table with a single algorithm, which leaves nothing to compare."""
    names = facts.summary.algorithms
    if len(names) != 1:
        return None
    what = f"there is one algorithm only: {names[0]}."
    return Finding("one algorithm", "warning", 1, what, (), "a comparison needs two.")


def one_dataset(facts: Facts) -> Finding | None:
    """Report a table with a single data set, which permits no claim about a domain."""
    names = facts.summary.datasets
    if len(names) != 1:
        return None
    what = f"there is one data set only: {names[0]}."
    hint = "claims are about this data set, not about a domain."
    return Finding("one data set", "note", 1, what, (), hint)


def few_datasets(facts: Facts) -> Finding | None:
    """Report too few data sets for rank or sign tests to decide any pair, whatever the scores.

    Of D differences 2 of 2^D assignments of signs are the most extreme, and Holm's procedure
    multiplies the smallest p-value by the number of pairs. D is what the pair shares.
    """
    s = facts.summary
    held = s.n.any(axis=0)
    k = int(held.any(axis=0).sum())
    pairs = k * (k - 1) // 2
    if len(s.datasets) < 2 or not pairs:
        return None
    shared = gaps.shared_datasets(held[:, held.any(axis=0)])
    d, enough = int(shared.min()), least_datasets(pairs)
    if d >= enough:
        return None
    call = gaps.supported(held[held.any(axis=1)][:, held.any(axis=0)])
    hint = _enough(k) + (f"; {call} relies on normality instead." if call else ".")
    if d < shared.max():
        alone, few = least_datasets(1), int((shared < least_datasets(1)).sum())
        fewer = f", and {few} fewer than the {alone} that it takes alone" if few else ""
        what = (
            f"{int((shared < enough).sum()):,} of {count(pairs, 'pair')} share fewer than the"
            f" {enough} data sets that a signed-rank or sign-flip test takes to decide a pair at"
            f" 5 % by Holm's adjustment{fewer}."
        )
        return Finding(FEW, "note", d, what, (), hint)
    raw, single = 2.0 ** (1 - d), d < least_datasets(1)
    many = f", and {min(1.0, pairs * raw):.3g} by Holm's for {pairs:,} pairs"
    return Finding(
        FEW,
        "note",
        d,
        f"with {d} data sets the smallest p-value of a signed-rank or sign-flip test of a pair is"
        f" {raw:.3g}{many if pairs > 1 else ''}: {'' if single else 'adjusted so, '}it can decide"
        " none at 5 %.",
        (),
        hint,
    )


def _enough(k: int) -> str:
    """Return a phrase on the number of data sets that rank or sign tests of k algorithms need."""
    if k == 2:
        return f"{least_datasets(1)} are enough"
    return (
        f"{least_datasets(k * (k - 1) // 2)} are enough by Holm's, {least_datasets(k - 1)} for the"
        f" {k - 1} comparisons with a control that is named beforehand (control=...), and"
        f" {least_flips(k)} where whole data sets are flipped for all pairs at once"
    )


def similar_names(facts: Facts) -> Finding | None:
    """List names that differ only in case, space, dots or dashes."""
    rows: list[tuple[str, str, str]] = []
    for role, names in (
        ("dataset", facts.summary.datasets),
        ("algorithm", facts.summary.algorithms),
        ("measure", facts.summary.measures),
    ):
        first: dict[str, str] = {}
        for name in names:
            # A dot or dash between digits counts: v1.0 is not v10.
            plain = re.sub(r"\s+|(?<!\d)[_.\-]|[_.\-](?!\d)", "", name.casefold())
            if plain in first:
                rows.append((role, repr(first[plain]), repr(name)))
            first.setdefault(plain, name)
    what = f"{len(rows)} {'pair' if len(rows) == 1 else 'pairs'} of names"
    return rows_finding(
        "similar names",
        "warning",
        f"{what} {'differs' if len(rows) == 1 else 'differ'} only in case, space, dots or dashes.",
        ("role", "name", "other name"),
        rows,
        "write them alike if they are the same.",
    )


def outside_the_scale(facts: Facts) -> Finding | None:
    """List cells with scores that have no finite value on the scale of their measure."""
    s = facts.summary
    rows: list[tuple[str, ...]] = []
    scales: dict[str, str] = {}
    for m, measure in facts.declared:
        if measure.scale == "identity":
            continue
        # Comparisons with NaN, where there is no score, are false.
        bad = s.minimum[m] <= 0
        if measure.scale == "logit":
            bad |= s.maximum[m] >= 1
        for d, k in np.argwhere(bad):
            span = (f"{s.minimum[m, d, k]:.6g}", f"{s.maximum[m, d, k]:.6g}")
            rows.append((s.datasets[d], s.algorithms[k], measure.name, *span))
            takes = "above 0" if measure.scale == "log" else "between 0 and 1, both excluded"
            scales[measure.name] = f"{measure.scale} scale of {measure.name!r} ({takes})"
    return rows_finding(
        "outside the scale",
        "warning",
        f"{len(rows):,} {'cell has' if len(rows) == 1 else 'cells have'} scores outside the"
        f" {', the '.join(scales.values())}; they cannot be compared there.",
        ("dataset", "algorithm", "measure", "minimum", "maximum"),
        rows,
        'another scale, such as Measure(scale="identity"); or add an offset to the scores, and say'
        " so.",
    )


def too_small(facts: Facts) -> Finding | None:
    """List measures with differences of scores so small that their squares underflow."""
    s = facts.summary
    log = {measure.name for measure in facts.measures if measure.scale == "log"}
    rows: list[tuple[str, str, str]] = []
    for m, measure in enumerate(s.measures):
        low, high = np.nanmin(s.minimum[m]), np.nanmax(s.maximum[m])
        if measure not in log and 0 < high - low < _TINY:
            rows.append((measure, f"{low:.6g}", f"{high:.6g}"))
    return rows_finding(
        "too small to square",
        "warning",
        f"the scores differ by less than {_TINY:g}: {', '.join(row[0] for row in rows)}.",
        ("measure", "minimum", "maximum"),
        rows,
        ('change the unit, or say Measure(scale="log"); variances of such scores are taken as 0.'),
    )


_AS_READ = (*kinds.RULES, *units.MIXING)
# Findings that put any conclusion from a table in doubt.
OVERLAP = "overlap of unknown size"
REPETITIONS = "repetitions of unknown kind"
COUNTED_RUNS = "runs paired by number"
DOUBTS = (
    OVERLAP,
    REPETITIONS,
    CONTEXTS,
    kinds.PILED,
    gaps.NOT_AT_RANDOM,
    *units.MIXED,
    units.UNEQUAL,
    LACKING,
    REVERSED,
)
RULES: tuple[Rule, ...] = (
    partial(_incomplete, empty=True),
    partial(_incomplete, empty=False),
    constant_algorithms,
    identical_algorithms,
    one_algorithm,
    one_dataset,
    few_datasets,
    similar_names,
    outside_the_scale,
    too_small,
    *kinds.RULES,
    *gaps.RULES,
    *units.RULES,
    *families.RULES,
    *advice.RULES,
)


def check(facts: Facts) -> tuple[Finding, ...]:
    """Run every rule; rules on the kind of scores skip normalised measures."""
    as_read = facts.as_read
    of = dict.fromkeys(_AS_READ, as_read if as_read.summary.measures else None)
    rules = ((rule, of.get(rule, facts)) for rule in RULES)
    return tuple(f for rule, at in rules if at is not None and (f := rule(at)) is not None)


def swapped_roles(datasets: Sequence[str], replications: Sequence[str]) -> Finding | None:
    """Report replications that look like data sets, or the reverse.

    Examples
    --------
    >>> swapped_roles(["fold1", "fold2"], ["iris", "wine"]).what
    'the data sets look like replications: fold1, fold2.'
    """
    hint = "columns={...} says which column is which."
    if all(_FOLD.fullmatch(name) for name in datasets):
        what = f"the data sets look like replications: {', '.join(datasets[:_SHOWN])}."
        return Finding("swapped roles", "warning", len(datasets), what, (), hint)
    words = len(replications) > 1 and not any(map(_COUNTED.fullmatch, replications))
    counted = len(datasets) == 1 or all(map(_COUNTED.fullmatch, datasets))
    if words and counted:
        what = f"the replications look like data sets: {', '.join(replications[:_SHOWN])}."
        return Finding("swapped roles", "warning", len(replications), what, (), hint)
    return None


def by_names(
    names: Sequence[str], labels: Sequence[str], shared: Counts, *, cv: bool = False
) -> Resampling | None:
    """Return the resampling that names and labels of replications say, None where they say none.

    Folds are parts of a data set that are each tested once, so that their labels tell how many
    there are: those of a column called fold, also within repeats. Splits of a data set are drawn
    anew each time, and their labels do not tell how much of it is held out. Claims about a domain
    do not need that, and splits of three data sets or more are left open.

    Parameters
    ----------
    names
        Common names of the columns of replications, outermost first.
    labels
        All labels of replications; of two columns joined by a slash.
    shared
        Number of labels on each of D data sets.
    cv
        Whether cross-validation is declared, whatever the names.

    Examples
    --------
    >>> by_names(["fold"], ["1", "2", "3", "4", "5"], np.array([5])).folds
    5
    >>> by_names(["repeat", "fold"], ["1/1", "1/2", "2/1", "2/2"], np.array([4])).folds
    2
    """
    if cv or (names and names[-1] in FOLDS):
        folds = {label.rpartition("/")[2] if len(names) > 1 else label for label in labels}
        k = len(folds)
        if k > 1 and (shared % k == 0).all() and (len(names) > 1 or (shared == k).all()):
            return Resampling("cv", folds=k)
        return None
    if len(names) == 1 and names[0] in SPLITS and len(shared) <= _THESE and len(labels) > 1:
        return Resampling("holdout")
    return None


def resampling_of(
    reading: Reading, scheme: Resampling | None
) -> tuple[Resampling | None, list[Finding]]:
    """Return how replications came about, where names and labels say what was not declared."""
    names = [common_name(name) for name in reading.roles.of.get("replication", ())]
    bare = scheme is not None and scheme.kind == "cv" and scheme.folds is None
    if reading.roles.units or not reading.summary.measures or not (names and (bare or not scheme)):
        return scheme, []
    shared = reading.summary.shared.max(axis=0)
    shared = shared[shared > 0]
    implied = by_names(names, list(reading.rows.replications()), shared, cv=bare)
    if implied is None:
        repeats = names in ([name] for name in REPEATED)
        return scheme, [_repeats(names[0])] if repeats and len(shared) <= _THESE else []
    columns = reading.roles.of["replication"]
    column = f"column {columns[0]} is" if len(columns) == 1 else f"columns {join(columns)} are"
    if implied.kind == "holdout":
        of = "one data set" if len(shared) == 1 else "two data sets"
        what = (
            f"the {column} taken for random splits of {of}, whose training sets overlap by an"
            " amount that is not declared."
        )
        hint = f"{declaration('holdout', 1)} declares the share that is held out."
        return implied, [Finding(OVERLAP, "warning", 1, what, (), hint)]
    repeated = "repeated " if len(names) > 1 else ""
    what = f"the {column} taken for {repeated}{implied.folds}-fold cross-validation."
    hint = 'resampling="independent", if they are not.'
    return implied, [Finding("resampling", "note", 1, what, (), hint)]


def _repeats(name: str) -> Finding:
    """Report repetitions that may be of splits of a data set, or of runs of their own."""
    what = (
        f"the {name}s are taken as independent; if they are of cross-validation or of random"
        " splits, their training sets overlap, and errors are larger."
    )
    hint = f'{declaration("holdout", 1)} declares splits, resampling="seeds" runs of their own.'
    return Finding(REPETITIONS, "warning", 1, what, (), hint)


def refuse_battles(origin: Source) -> None:
    """Raise a ScoreTableError on a table whose rows are battles of two models."""
    if set(origin.names) >= BATTLE:
        raise ScoreTableError(
            f"{origin.name!r} holds battles of two models each, not scores.",
            hint="read_wins counts them.",
        )


def tool_findings(tool: Format) -> list[Finding]:
    """Report the tool that wrote a table, if there is one."""
    note = f"; {tool.note}" if tool.note else ""
    hint = 'layout="long" reads the columns as they are.'
    what = f"taken for results of {tool.tool}{note}."
    return [Finding("tool recognised", "note", 1, what, (), hint)] if tool.tool else []


def only_count(labels: Sequence[str]) -> bool:
    """Return whether labels are all numbers from 0 or 1 on, which may be each algorithm's own.

    Examples
    --------
    >>> only_count(["0", "2", "1"]), only_count(["1", "7", "9"]), only_count(["a", "b"])
    (True, False, False)
    """
    if len(labels) < 2 or not all(label.isdecimal() for label in labels):
        return False
    numbers = sorted(map(int, labels))
    return numbers[0] in (0, 1) and numbers == [*range(numbers[0], numbers[0] + len(numbers))]


def pairing(
    reading: Reading,
    resampling: Resampling | None,
    *,
    paired: bool | None,
) -> tuple[bool, Finding]:
    """Decide whether algorithms share replications, and report why.

    Replications that each algorithm does anew, such as attempts, are shared only where their
    labels do more than count.
    """
    summary, roles = reading.summary, reading.roles.of
    several = int(summary.shared.max(initial=0)) > 1
    used = summary.replications.sum(axis=2)
    shared = int((used - summary.shared).clip(min=0).sum()) > 0
    n = int(summary.shared.sum())
    declared, by = paired, f"{paired=}"
    if paired is None and resampling is not None:
        declared, by = resampling.pairs, f"resampling {resampling.kind!r}"
    if declared is None:
        hint = "paired=... changes that."
        columns = roles.get("replication", ())
        name = columns[0] if len(columns) == 1 and "level_2" not in roles else ""
        separate = _ATTEMPT.fullmatch(name) is not None and only_count(reading.rows.replications())
        if not several or len(summary.algorithms) < 2:
            one = "algorithm" if several else "replication per data set"
            what = f"one {one}: there is nothing to pair."
        elif shared and separate:
            what = (
                f"the column of replications is {name}, whose labels only count: each algorithm"
                " has its own; taken as not paired."
            )
            hint = "paired=True, if they are shared."
        elif shared:
            what = "algorithms share the labels of replications: taken as paired."
            hint = (
                "are they the same folds, resamples, items or runs for all algorithms? If so,"
                ' paired=True; if each algorithm had its own, resampling="seeds" or paired=False.'
            )
        else:
            what = "no two algorithms share the label of a replication: taken as not paired."
        return several and shared and not separate, Finding("pairing", "note", n, what, (), hint)
    if declared and several and not shared and len(summary.algorithms) > 1:
        what = by + " says paired, but no two algorithms share the label of a replication."
        hint = "label the replications alike, or say paired=False."
        return declared, Finding("pairing", "warning", n, what, (), hint)
    what = f"replications are {'' if declared else 'not '}paired, " + by + " says."
    return declared, Finding("pairing", "note", n, what)


def scores_at_a_limit(reading: Reading, source: Source) -> list[Finding]:
    """Report measures of which many scores equal the worst one, as those of time-outs do."""
    hits: list[tuple[Measure, float, int]] = []
    for measure in reading.measures:
        if measure.name not in reading.summary.measures or measure.limit is not None:
            continue
        s = reading.summary.of(measure.name)
        worst = float(np.nanmin(s.minimum) if measure.sign > 0 else np.nanmax(s.maximum))
        if worst in _NATURAL or worst in (measure.bounds or ()):
            continue
        n = int(s.at_ends[..., 0 if measure.sign > 0 else 1].sum())
        if n < max(_FEWEST, _SHARE * s.n.sum()) or reading.rows.distinct(measure.name) < _VALUES:
            continue
        hits.append((measure, worst, n))
    notes: list[Finding] = []
    state, known = _state(source) if hits else None, "failure" in reading.roles.of
    said = f", and {state[0]} says {' or '.join(state[1])}" if state else ""
    for measure, worst, n in hits:
        end = "smallest" if measure.sign > 0 else "largest"
        what = f"{count(n, 'score')} of {measure.name} equal the {end} ({worst:,g}){said}."
        hint = _hint(measure, worst, state, known=known)
        notes.append(Finding("scores at a limit", "warning", n, what, (), hint))
    return notes


def times_of_failures(reading: Reading, source: Source) -> list[Finding]:
    """Report times of runs that failed, by a column of states that has no role.

    Of measures of which less is better alone: a score of 0 may be what failed means.
    """
    roles = reading.roles
    scores = roles.scores
    used = {name for names in roles.of.values() for name in names} | {*scores}
    state = _state(source, without=used)
    lower = any(m.better == "lower" for m in reading.measures)
    if not lower or not scores or state is None or {"failure", "status"} & {*roles.of}:
        return []
    name, _ = state
    frame, _ = source.load([name], scores, [])
    # A dash or a question mark beside a time is no word for what became of the run.
    named = [word for word in FAILED if word.strip("-?")]
    failed = nw.col(name).cast(nw.String).str.to_lowercase().is_in(named)
    scored = nw.any_horizontal(*(~nw.col(n).is_null() for n in scores), ignore_nulls=True)
    rows: Any = frame.filter(failed & scored).select(name).collect().to_arrow().column(name)
    if not (n := len(rows)):
        return []
    words = sorted(map(str, rows.unique().to_pylist()))
    runs = f"{count(n, 'score')} {'is' if n == 1 else 'are'} of runs that failed"
    hint = (
        f"columns={ {name: 'status'}!r} with a limit of time counts them as stopped runs;"
        f" {without_states(name, words)} leaves them out, which favours what fails on hard data"
        " sets."
    )
    what = f"{runs}, as {name} says: {', '.join(map(repr, words))}."
    return [Finding("scores of failures", "warning", n, what, (), hint)]


def _state(source: Source, without: Collection[str] = ()) -> tuple[str, list[str]] | None:
    """Return a column of states and its words for runs that failed, if there are any."""
    names = [
        name
        for name in source.names
        if name not in without and any(part in name.casefold() for part in _STATES)
    ]
    for name in names:
        frame, _ = source.load([name], [], [])
        text = nw.col(name).cast(nw.String)
        failed = nw.col("state").str.to_lowercase().is_in(FAILED)
        rows = frame.select(text.alias("state")).filter(failed).unique()
        words = sorted(cast("Any", rows.collect().to_arrow()).column("state").to_pylist())
        if words:
            return name, words
    return None


def _hint(
    measure: Measure, worst: float, state: tuple[str, list[str]] | None, *, known: bool
) -> str:
    """Return a hint on scores that are limits of time and not times."""
    if measure.better == "lower" and worst > 0:
        limit = f"measures={literal(f'{measure.name}:lower:limit={worst:g}')}"
        name = "" if state is None or common_name(state[0]) in STATUS else state[0]
        states = f", with columns={ {name: 'status'}!r} as their states"
        return (
            "if these are runs that were stopped, they took longer than their score says: declare"
            f" the limit, {limit}{states if name else ''}, and every comparison counts them as"
            " stopped."
        )
    if state is None:
        return (
            "a time at which runs are stopped is no time that they took: means and intervals of"
            " such scores depend on the limit; compare_wins and"
            " ranks depend on it least."
        )
    name, words = state
    role = f" columns={ {name: 'failure'}!r} names the state, and"
    return (
        f"these are no times that runs took;{'' if known else role}"
        f" {without_states(name, words)} leaves them out, which favours what fails on hard data"
        " sets."
    )


def _answers_as_replications(roles: Roles) -> Finding | None:
    """Warn where the answers to one item count as independent replications."""
    names = roles.of.get("replication", ())
    items = [n for n in names if common_name(n) in ITEMS]
    inner = [name for name in names if name not in items]
    if not items or not inner:
        return None
    what = (
        f"replications are named by {' and '.join(names)}: the answers to one {items[0]} count as"
        " independent ones, which they are not."
    )
    hint = (
        f"units={literal((*items, *inner))} averages over {' and '.join(inner)} and counts"
        f" {items[0]}; tests of joined answers claim too much."
    )
    return Finding("joined replications", "warning", len(names), what, (), hint)


def _in_groups(origin: Source, roles: Roles, role: str) -> list[Finding]:
    """Warn where items or data sets that count as independent are in groups, by their column."""
    if (group := grouping_column(origin, roles, role)) is None:
        return []
    name, groups, n = group
    if role == "replication":
        rule, members = "items in groups", counted(n, roles.of[role][0])
        hint = (
            f"units={literal((name, *roles.of[role]))} counts {plural(name)}, and says how"
            " much the others depend on each other."
        )
    else:
        rule, members = "data sets in groups", count(n, "data set")
        hint = (
            f"columns={ {name: 'domain'}!r} names the groups; compare_mixed with"
            f' domains="random" takes the {plural(name)} as the sample.'
        )
    what = (
        f"the column {name} puts {members} in {counted(groups, name)}: those of one {noun(name)}"
        " may depend on each other, and count as independent."
    )
    return [Finding(rule, "warning", groups, what, (), hint)]


def reading_notes(reading: Reading, scheme: Resampling | None, origin: Source) -> list[Finding]:
    """Report findings that need the rows, their source and the declarations together."""
    findings: list[Finding] = []
    summary = reading.summary
    unused = [m.name for m in reading.measures if m.name not in summary.measures]
    if unused and summary.measures and reading.roles.has("measure"):
        what = f"declared, but without scores: {', '.join(unused)}."
        hint = f"the table has scores of: {', '.join(summary.measures)}."
        findings.append(Finding("measure without scores", "warning", len(unused), what, (), hint))
    if (joined := _answers_as_replications(reading.roles)) is not None:
        findings.append(joined)
    items = scheme is not None and scheme.kind == "items"
    names = map(common_name, reading.roles.of.get("replication", ()))
    of_items = (items or not ITEMS.isdisjoint(names)) and not reading.roles.units
    grouped = _in_groups(origin, reading.roles, "replication") if of_items else []
    if not grouped and "domain" not in reading.roles.of:
        grouped = _in_groups(origin, reading.roles, "dataset")
    findings += grouped
    nested = reading.roles.has("level_2")  # whose labels are paths of several
    if reading.roles.has("replication") and summary.datasets and not (items or nested):
        swapped = swapped_roles(summary.datasets, reading.rows.replications())
        findings += [swapped] if swapped else []
    at_a_limit = scores_at_a_limit(reading, origin)
    return [*findings, *(at_a_limit or times_of_failures(reading, origin))]
