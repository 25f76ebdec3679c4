"""Wins of algorithms over each other, counted or read."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.analyses.wins.numerics.tally import Tally, count, spread
from benchinfer.comparison.checks.validation import check_missing, refuse_overlap
from benchinfer.comparison.evidence import Scores, Setting
from benchinfer.core.arguments import ArgumentError, checked
from benchinfer.core.errors import DesignError, ScoreTableError
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure, one_measure
from benchinfer.core.result import Readable
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics import ties
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.columns.engines import engine_errors
from benchinfer.scores.columns.tables import column_roles, holds, label, missing_columns, numbers
from benchinfer.scores.coverage import Coverage, Finding, listed, refuse
from benchinfer.scores.formats.format import BATTLE
from benchinfer.scores.sources.files import as_files, open_source
from benchinfer.scores.sources.frames import Source, of_frame
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.wins.options import WinsOptions


type By = Literal["datasets", "replications"]


@checked
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Wins(Readable):
    """Wins, ties and losses of N pairs of algorithms.

    Made by `read_wins`.

    Attributes
    ----------
    name
        What winning is about, as the name of a measure.
    first, second
        (N,) names; each pair occurs once.
    wins, ties, losses
        (N,) how often the first wins, neither does, and the second wins.
    source
        Name of the file or kind of frame.
    notes
        What was found on reading.
    """

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    wins: Array
    ties: Array
    losses: Array
    source: str
    notes: tuple[Finding, ...]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, sorted."""
        return tuple(sorted({*self.first, *self.second}))

    def counts(self) -> tuple[Array, Array, Array]:
        """Return (P,) wins, ties and losses of all pairs i < j of the sorted algorithms."""
        code = {name: k for k, name in enumerate(self.algorithms)}
        k = len(code)
        won, tied = np.zeros((k, k)), np.zeros((k, k))
        i = [code[name] for name in self.first]
        j = [code[name] for name in self.second]
        won[i, j], won[j, i] = self.wins, self.losses
        tied[i, j] = tied[j, i] = self.ties
        upper = np.triu_indices(k, 1)
        return won[upper], tied[upper], won.T[upper]

    def measure(self, name: str | None = None) -> Measure:
        """Return the measure that was compared, of which higher is better.

        Raises
        ------
        DesignError
            It has another name.
        """
        return one_measure((Measure(self.name, better="higher"),), name)

    def coverage(self) -> Coverage:
        """Count the contests of each algorithm."""
        wins, ties, losses = self.counts()
        upper = np.triu_indices(len(self.algorithms), 1)
        n = np.zeros((len(self.algorithms),) * 2)
        n[upper] = wins + ties + losses
        contests = np.rint((n + n.T).sum(axis=0, keepdims=True)).astype(np.int64)
        return Coverage(
            self.name, (self.source,), self.algorithms, contests, contests.max(axis=1), self.notes
        )

    def findings(self) -> pd.DataFrame:
        """Return a table of the findings on reading: ``rule severity count where hint``."""
        return listed(self.notes)

    def to_frame(self) -> pd.DataFrame:
        """One row per pair: ``first second wins ties losses``."""
        return frame(
            {
                "first": self.first,
                "second": self.second,
                "wins": self.wins,
                "ties": self.ties,
                "losses": self.losses,
            }
        )

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any count or name, not with their order."""
        text = f"{self.name}{self.algorithms}{[x.tolist() for x in self.counts()]}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def description(self) -> str:
        """Return the numbers of pairs, algorithms and contests as text."""
        n = int(self.coverage().counts.sum()) // 2
        return (
            f"Wins({self.source}: {len(self.first):,} pairs of {len(self.algorithms)} algorithms,"
            f" {n} contests)"
        )


@savable
@shaped(scored=SAME, tie="[0,inf)", local="[0,inf)")
@dataclass(frozen=True, slots=True)
class Counted:
    """Wins with the setting and the scores that they were counted from."""

    # The setting of the scores, on their own measure; of published counts without scores
    scored: Setting
    tally: Tally  # the counts, by data set; by replication where there is one data set
    by: str  # ``"datasets"``, ``"replications"`` or ``"published"``
    # tie, local: differences that are ties: in the unit of the measure, and in standard deviations
    # of a data set's differences (0 for none)
    tie: float
    local: float
    rounded: int = 0  # scores that count as equal to another one of their row though they differ

    @property
    def clustered(self) -> bool:
        """True if clusters of contests are known."""
        return self.by != "published"

    @property
    def ties(self) -> str:
        """Definition of a tie, in words."""
        if self.by == "published":
            return "ties are those of the published table"
        measure, what = self.scored.measure, "means" if self.by == "datasets" else "scores"
        exact = f"{what} that are equal but for rounding"
        if self.tie > 0:
            size = {"identity": "", "log": " relative to each other", "logit": " in log odds"}
            tie = measure.in_unit(f"{self.tie:g}")
            exact = f"{what} that differ by at most {tie}{size[measure.scale]}"
        if self.local == 0:
            return f"{exact} are ties"
        kind = "of their differences" if self.scored.paired else "of their scores"
        return (
            f"{exact}, or by at most {self.local:g} standard deviations {kind} on the data set,"
            " are ties"
        )


def count_wins(scores: Scores | Wins, options: WinsOptions) -> Counted:
    """Count wins."""
    by, tie_tolerance, local_rope = options.by, options.tie_tolerance, options.local_rope
    if isinstance(scores, Wins):
        options.check_family(scores.algorithms)
        return _published(scores, options)
    setting, scores = Setting.of(scores, options.measure)
    options.check_family(setting.algorithms)
    check_missing(setting, options.missing)
    score = setting.measure
    tie = score.tolerance if tie_tolerance is None else tie_tolerance
    margin = replace(score, tolerance=tie).margin
    local = local_rope or 0.0
    if by == "replications":
        if local:
            raise ArgumentError(
                "a local ROPE is about means of replications, which are counted one by one.",
                hint='local_rope=... goes with by="datasets", tie_tolerance=... with either.',
            )
        values, cluster = _replications(scores, setting)
        rounding, reach = ties.rounding(score.sizes(values)), None
    else:
        cells = scores.cells(score.name)
        values, rounding = cells.mean, cells.rounding
        cluster = np.arange(len(values))
        reach = local * _spreads(scores, setting) if local else None
    rounded = 0 if margin else int((values > ties.joined_rows(values, rounding)).sum())
    tally = count(values, cluster, margin, reach, rounding)
    return Counted(setting, tally, by, tie, local, rounded)


def _replications(scores: ScoreTable, setting: Setting) -> tuple[Array, Codes]:
    """Return the scores of each replication, and its cluster, the data set."""
    if not setting.paired:
        raise DesignError(
            "the algorithms do not share replications, so none can be won.",
            hint='by="datasets" compares their means.'
            if len(setting.coverage.datasets) > 1
            else "compare_mixed compares their means.",
        )
    one = len(setting.coverage.datasets) == 1
    if one:
        refuse_overlap(setting)
    blocks = scores.blocks(setting.measure.name)
    values = np.where(blocks.count > 0, blocks.scores, np.nan)
    # On one data set its replications are all that could go together, or not.
    _, cluster = np.unique(blocks.dataset, return_inverse=True)
    return values, np.arange(len(values)) if one else cluster.astype(np.int64)


def _spreads(scores: ScoreTable, setting: Setting) -> Array:
    """Return (D, P) standard deviations that scale differences of means.

    Of paired scores those of the differences, else the root mean square of the algorithms' own.
    """
    name = setting.measure.name
    if not (setting.coverage.counts > 1).any():
        raise DesignError(
            "a local ROPE needs several scores of an algorithm on a data set.",
            hint="tie_tolerance=... says which difference of single scores is a tie.",
        )
    if setting.paired:
        blocks = scores.blocks(name)
        return spread(np.where(blocks.count > 0, blocks.mean, np.nan), blocks.dataset)
    sd = np.nan_to_num(scores.cells(name).sd)
    i, j = np.triu_indices(sd.shape[1], 1)
    return np.sqrt((sd[:, i] ** 2 + sd[:, j] ** 2) / 2)


def _published(wins: Wins, options: WinsOptions) -> Counted:
    """Return published counts as the contests of a comparison."""
    if (options.by, options.tie_tolerance, options.local_rope) != ("datasets", None, None):
        raise ArgumentError(
            "published wins are counted already.",
            hint="by=..., tie_tolerance=... and local_rope=... go with scores.",
        )
    coverage = wins.coverage()
    k = len(wins.algorithms)
    won, tied, lost = (x[None] for x in wins.counts())
    pairs = np.column_stack(np.triu_indices(k, 1)).astype(np.int64)
    setting = Setting(
        measure=wins.measure(options.measure),
        algorithms=wins.algorithms,
        coverage=coverage,
        quantiles=np.full((1, k, 5), np.nan),
        absent=(),
        domains=(),
        resampling=None,
        paired=False,
        digest=wins.digest,
    )
    return Counted(setting, Tally(pairs, won, tied, lost), "published", 0.0, 0.0)


def wins_setting(counted: Counted, rope: float) -> Setting:
    """Return the setting of the comparison: its measure is the probability of winning."""
    score = counted.scored.measure
    probability = Measure(
        f"wins by {score.name}",
        better="higher",
        tolerance=math.log((0.5 + rope) / (0.5 - rope)),
        scale="logit",
        bounds=(0.0, 1.0),
        label=f"chance to win by {score.noun}",
    )
    unknown = np.full_like(counted.scored.quantiles, np.nan)
    return replace(counted.scored, measure=probability, quantiles=unknown)


_COMMON: dict[str, tuple[str, ...]] = {
    "first": ("first", "algorithm_1", "algorithm1", "player1"),
    "second": ("second", "algorithm_2", "algorithm2", "player2"),
    "wins": ("wins", "win", "win1", "wins1", "won"),
    "ties": ("ties", "tie", "draws", "tied"),
    "losses": ("losses", "loss", "win2", "wins2", "lost"),
}
_COUNTS = ("wins", "ties", "losses")
_SHOWN = 5
_WHAT = {
    "label missing": "{} rows lack a name.",
    "one algorithm": "{} rows are of an algorithm with itself.",
    "repeated": "{} rows are of a pair that is there already, in one order or the other.",
    "count missing": "{} rows lack a count.",
    "below 0": "{} rows have a count below 0.",
}


@checked
def read_wins(
    source: object, *, name: str = "score", columns: Mapping[str, str] | None = None
) -> Wins:
    """Read a published table of wins, ties and losses, and check it.

    Parameters
    ----------
    source
        A frame or a path, as `read_scores` takes. One row per pair: ``first``, ``second``, ``wins``
        of the first, ``losses`` (wins of the second), and ``ties`` if there are any. Or one row per
        battle of an arena: ``model_a``, ``model_b`` and ``winner`` (``model_a``, ``model_b`` or
        ``tie``).
    name
        What winning is about: the measure that was compared.
    columns
        Column to role where names are not common ones: ``{"A beats B": "wins"}``.

    Returns
    -------
    Wins
        For `compare_wins`.

    Raises
    ------
    ScoreTableError
        All faults at once.

    Examples
    --------
    >>> import pandas as pd
    >>> read_wins(pd.DataFrame({"first": ["a", "a", "b"], "second": ["b", "c", "c"],
    ...     "wins": [6, 7, 5], "ties": [1, 0, 0], "losses": [3, 3, 5]}))
    Wins(DataFrame: 3 pairs of 3 algorithms, 30 contests)
    """
    origin = open_source(as_files(source), None)
    if not columns and set(origin.names) >= BATTLE:
        origin = of_frame(_battles(origin), origin.name)
    of, findings = column_roles(origin.names, columns or {}, _COMMON)
    if lacking := [role for role in _COMMON if role not in of and role != "ties"]:
        findings.append(missing_columns(lacking, origin.names))
    refuse(findings, origin.name)
    text, number, notes = _read(origin, of)
    findings += [*notes, *_faults(text, number)]
    refuse(findings, origin.name)
    return Wins(
        name=name,
        first=tuple(text["first"]),
        second=tuple(text["second"]),
        wins=number["wins"],
        ties=number["ties"],
        losses=number["losses"],
        source=origin.name,
        notes=tuple(findings),
    )


def _battles(origin: Source) -> pd.DataFrame:
    """Count the battles of an arena: each names two models, and the winner or a tie."""
    import pandas as pd

    with engine_errors(origin.name):
        frame, _ = origin.load(sorted(BATTLE), [], [])
        table: pd.DataFrame = frame.collect().to_arrow().to_pandas()
    winner = table["winner"].astype(str).str.strip().str.casefold()
    ties = winner.str.startswith("tie")
    odd = ~(ties | winner.isin(["model_a", "model_b"]))
    if n := int(odd.sum()):
        said = ", ".join(sorted(set(table["winner"][odd].astype(str)))[:3])
        raise ScoreTableError(
            f"{n} of {len(table)} battles of {origin.name!r} have another winner than model_a,"
            f" model_b or a tie: {said}.",
            hint="leave these rows out, or say who has won.",
        )
    models = table[["model_a", "model_b"]].astype(str)
    turned = models["model_a"] > models["model_b"]
    counts = pd.DataFrame(
        {
            "first": models["model_a"].where(~turned, models["model_b"]),
            "second": models["model_b"].where(~turned, models["model_a"]),
            "wins": (~ties & ((winner == "model_a") != turned)).astype(int),
            "ties": ties.astype(int),
            "losses": (~ties & ((winner == "model_a") == turned)).astype(int),
        }
    )
    return counts.groupby(["first", "second"], as_index=False).sum()


def holds_wins(names: Sequence[str], given: Mapping[str, str]) -> bool:
    """Return whether columns are those of published wins, not of scores of algorithms.

    Examples
    --------
    >>> holds_wins(["first", "second", "won", "lost"], {})
    True
    >>> holds_wins(["first", "second", "estimate"], {})
    False
    """
    return set(names) >= BATTLE or holds(
        names, given, _COMMON, ("first", "second", "wins", "losses")
    )


def _read(
    origin: Source, of: Mapping[str, str]
) -> tuple[dict[str, list[str]], dict[str, Array], list[Finding]]:
    """Return labels, counts and findings."""
    with engine_errors(origin.name):
        frame, findings = origin.load(list(of.values()), [], [])
        table = frame.collect().to_arrow()
    values = {role: table.column(name).to_pylist() for role, name in of.items()}
    text = {role: [label(v) for v in values[role]] for role in ("first", "second")}
    number: dict[str, Array] = {}
    for role in _COUNTS:
        if role in of:
            number[role], bad = numbers(of[role], values[role])
            findings += bad
    if "ties" not in number:
        number["ties"] = np.zeros(len(text["first"]))
        findings.append(Finding("ties", "note", 1, "no column of ties: taken as none."))
    return text, number, findings


def _faults(text: Mapping[str, Sequence[str]], number: Mapping[str, Array]) -> list[Finding]:
    """Check pairs and counts, all of them."""
    pairs = list(zip(text["first"], text["second"], strict=True))
    counts = np.column_stack([number[role] for role in _COUNTS])
    complete = np.isfinite(counts).all(axis=1)
    good = np.nan_to_num(counts)
    seen: dict[frozenset[str], int] = {}
    repeated = [r for r, pair in enumerate(pairs) if seen.setdefault(frozenset(pair), r) != r]
    rules = (
        ("label missing", [r for r, pair in enumerate(pairs) if not all(pair)], "name them."),
        ("one algorithm", [r for r, (a, b) in enumerate(pairs) if a == b != ""], "correct them."),
        ("repeated", repeated, "one row per pair, in one order: add up its counts."),
        ("count missing", np.flatnonzero(~complete).tolist(), "write 0 where there was none."),
        ("below 0", np.flatnonzero((good < 0).any(axis=1)).tolist(), "correct them."),
    )
    findings: list[Finding] = []
    for rule, rows, hint in rules:
        if rows:
            what, n = _WHAT[rule].format(len(rows)), len(rows)
            where = (("row", "first", "second"), *((str(r + 1), *pairs[r]) for r in rows[:_SHOWN]))
            findings.append(Finding(rule, "error", n, what, where, hint))
    if not pairs:
        findings.append(Finding("empty", "error", 1, "there are no rows.", (), "one row per pair."))
    if (broken := (good != np.rint(good)).any(axis=1)).any():
        what = f"{int(broken.sum()):,} pairs have counts that are not whole: taken as they are."
        findings.append(Finding("not whole", "note", int(broken.sum()), what))
    return findings
