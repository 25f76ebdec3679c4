"""Changes of verdicts with level, tolerance, scale, failures, and on smaller tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.mixed import influence
from benchinfer.analyses.mixed.compare import compare_mixed
from benchinfer.analyses.mixed.comparison import MixedComparison, compared
from benchinfer.analyses.mixed.influence import Leave
from benchinfer.analyses.mixed.options import MixedOptions
from benchinfer.analyses.robustness.failures import worst_case
from benchinfer.comparison.comparison import TestedComparison
from benchinfer.comparison.evidence import decide
from benchinfer.comparison.wording import becomes
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.frames import frame, records
from benchinfer.core.measure import Measure
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.ties import ranked_rows
from benchinfer.numerics.types import Flags, States
from benchinfer.scores.read import read_scores

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.scores.table import ScoreTable

LEVELS = (0.9, 0.95, 0.99)
_TIMES = (0.0, 0.5, 1.0, 2.0)  # of the tolerance
_PARTS = (0.25, 0.5, 1.0)  # of the median difference, where there is no tolerance
_BETTER = (Verdict.FIRST, Verdict.SECOND)
MOST = 50_000  # verdicts on smaller tables; more take longer than a report should


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A change of the question or the table, and the verdicts that change with it."""

    # kind, what: what kind of change it is (``"level"``, ``"tolerance"``, ``"failures"``,
    # ``"scale"``, ``"data set"`` or ``"algorithm"``), and which
    kind: str
    what: str
    n_pairs: int  # pairs that have a verdict with it, too
    # n_changed, n_reversed: verdicts that change, and those of them in which the other algorithm
    # becomes the better one
    n_changed: int
    n_reversed: int
    changes: str  # the verdicts that change, in words


@dataclass(frozen=True, slots=True, eq=False)
class VerdictChanges:
    """Verdicts of a comparison under other choices and smaller tables.

    Attributes
    ----------
    comparison
        The comparison.
    levels, tolerances
        Those of the grid.
    codes
        (levels, tolerances, P) verdicts on the grid.
    rows
        One for each change, in the order of their kinds.
    untried
        What was not tried, and why.
    """

    comparison: TestedComparison
    levels: tuple[float, ...]
    tolerances: tuple[float, ...]
    codes: States
    rows: tuple[VerdictChange, ...]
    untried: tuple[str, ...]

    def table(self) -> pd.DataFrame:
        """One row per change: ``kind what n_pairs n_changed n_reversed changes``."""
        names = ("kind", "what", "n_pairs", "n_changed", "n_reversed", "changes")
        return records(self.rows, names)

    def grid(self) -> pd.DataFrame:
        """One row per level and tolerance: ``level tolerance n_better n_equivalent n_undecided``.

        With ``n_changed`` verdicts that are not those of the comparison.
        """
        rows: list[tuple[float, float, int, int, int, int]] = []
        for i, level in enumerate(self.levels):
            for j, tolerance in enumerate(self.tolerances):
                codes = self.codes[i, j]
                n = [
                    int(np.isin(codes, _BETTER).sum()),
                    int((codes == Verdict.EQUIVALENT).sum()),
                    int((codes == Verdict.UNDECIDED).sum()),
                ]
                changed = int((codes != self.comparison.pairs.codes).sum())
                rows.append((level, tolerance, n[0], n[1], n[2], changed))
        names = ("level", "tolerance", "n_better", "n_equivalent", "n_undecided", "n_changed")
        return frame(
            {
                name: list(column)
                for name, column in zip(names, zip(*rows, strict=True), strict=True)
            }
        )


def changes(comparison: TestedComparison, scores: ScoreTable | None = None) -> VerdictChanges:
    """Return the verdicts under other levels, tolerances and scales, and on other tables.

    No model is fitted from rows but those of ranks, of logarithms, and with the worst score for
    failed runs and missing scores: levels compare p-values with other limits, tolerances test the
    same estimates again, and data sets and algorithms are left out of moments. Pairs that are
    undecided for what is missing are compared with the worst score alone.

    Parameters
    ----------
    comparison
        By tests; of one by a mixed model everything is tried, of others levels and failures.
    scores
        Its table, which algorithms are left out of, which is put on other scales, and in which
        what is missing gets the worst score.

    Raises
    ------
    DesignError
        The verdicts do not rest on tests.
    """
    if comparison._bayesian or comparison.pairs.averages:
        raise DesignError("verdicts of averages, or by probabilities, are not tried again.")
    failures, untried = _with_worst(comparison, scores)
    if not isinstance(comparison, MixedComparison):
        return _of_levels(comparison, [comparison], failures, untried)
    setting, fitted, options = comparison.setting, comparison.fitted, comparison.options
    measures = [replace(setting.measure, tolerance=t) for t in _tolerances(comparison)]
    decided_again = [
        comparison
        if measure == setting.measure
        else compared(replace(setting, measure=measure), fitted, options)
        for measure in measures
    ]
    rows = failures
    for what, tried in (
        ("another scale", lambda: _on_logarithms(comparison, scores)),
        ("ranks", lambda: _on_ranks(comparison, scores)),
        ("leaving out data sets", lambda: _left_out(comparison, "dataset", scores)),
        ("leaving out algorithms", lambda: _left_out(comparison, "algorithm", scores)),
    ):
        try:
            rows += tried()
        except (DesignError, FitError) as error:
            untried.append(f"{what}: {str(error).partition('\n')[0]}")
    return _of_levels(comparison, decided_again, rows, untried)


def _of_levels(
    comparison: TestedComparison,
    with_tolerances: Sequence[TestedComparison],
    rows: Sequence[VerdictChange],
    untried: Sequence[str],
) -> VerdictChanges:
    """Decide at other levels, with each tolerance."""
    levels = tuple(sorted({*LEVELS, comparison.level}))
    codes = np.array([[_at(one, level) for one in with_tolerances] for level in levels])
    tolerances = tuple(one.measure.tolerance for one in with_tolerances)
    used = tolerances.index(comparison.measure.tolerance)
    choices = [
        _change(comparison, "level", f"{100 * level:g} %", codes[i, used])
        for i, level in enumerate(levels)
        if level != comparison.level
    ]
    choices += [
        _change(comparison, "tolerance", f"{tolerance:g}", codes[levels.index(comparison.level), j])
        for j, tolerance in enumerate(tolerances)
        if j != used
    ]
    return VerdictChanges(comparison, levels, tolerances, codes, (*choices, *rows), tuple(untried))


def _at(comparison: TestedComparison, level: float) -> States:
    """Decide at a level: adjusted p-values do not depend on it."""
    if level == comparison.level:
        return comparison.pairs.codes
    e = comparison.evidence
    return decide(e.estimate, e.p_value, e.p_equivalence, round(1 - level, 12))


def _change(
    comparison: TestedComparison, kind: str, what: str, codes: States, shared: Flags | None = None
) -> VerdictChange:
    """Compare verdicts with those of the comparison, where there are both."""
    both = codes != Verdict.MISSING if shared is None else shared
    if kind != "failures":
        both = both & ~comparison._withheld
    changed = both & (codes != comparison.pairs.codes)
    back = changed & np.isin(codes, _BETTER) & np.isin(comparison.pairs.codes, _BETTER)
    sides = comparison.pairs.sides
    listed = [
        becomes(sides[p], int(comparison.pairs.codes[p]), int(codes[p]), pair)
        for p, pair in comparison.pairs.oriented().items()
        if changed[p]
    ]
    return VerdictChange(
        kind, what, int(both.sum()), int(changed.sum()), int(back.sum()), "; ".join(listed)
    )


def _with_worst(
    comparison: TestedComparison, scores: ScoreTable | None
) -> tuple[list[VerdictChange], list[str]]:
    """Return what changes with the worst score for what is missing, or why it was not tried."""
    coverage = comparison.setting.coverage
    if coverage.gaps is None or not (coverage.lost.any() or coverage.gaps.missing.any()):
        return [], []
    case = comparison.worst_case
    if case is not None:
        untried, codes = case.untried, case.codes
    else:
        verdicts = "its table is not at hand" if scores is None else worst_case(comparison, scores)
        untried = verdicts if isinstance(verdicts, str) else ""
        codes = None if isinstance(verdicts, str) else verdicts.of(comparison.pairs.sides)
    if codes is None or untried:
        return [], [f"failures as the worst score: {untried}"]
    return [_change(comparison, "failures", "as the worst score", codes)], []


def _tolerances(comparison: MixedComparison) -> tuple[float, ...]:
    """Return half and twice the tolerance; without one, parts of the median difference."""
    tolerance = comparison.measure.tolerance
    if tolerance > 0:
        return tuple(tolerance * times for times in _TIMES)
    middle = float(np.median(np.abs(comparison.evidence.estimate)))
    if comparison.measure.scale == "log":
        middle = float(np.expm1(middle))
    return (0.0, *sorted({float(f"{middle * part:.1g}") for part in _PARTS} - {0.0}))


def _left_out(
    comparison: MixedComparison, leave: Leave, scores: ScoreTable | None
) -> Iterator[VerdictChange]:
    """Yield the changes of verdicts without each data set, or each algorithm."""
    d, k = comparison.setting.coverage.counts.shape
    times = (d if leave == "dataset" else k) * len(comparison.pairs)
    if times > MOST:
        raise DesignError(f"{times:,} verdicts take too long.")
    deletion = influence.left_out(comparison, leave, scores)
    kind = "data set" if deletion.unit == "dataset" else deletion.unit
    for i, name in enumerate(deletion.names):
        if deletion.refitted[i]:
            yield _change(comparison, kind, name, deletion.codes[i])


def _on_logarithms(
    comparison: MixedComparison, scores: ScoreTable | None
) -> Iterator[VerdictChange]:
    """Yield the change of verdicts on logarithms, or without them if scores are on these."""
    measure = _rescaled(comparison)
    if measure is None or scores is None:
        return
    rescaled = _refitted(comparison, scores.declare(measure), comparison.options)
    what = "logarithms" if measure.scale == "log" else "no logarithms"
    limit = f", tolerance {measure.tolerance:.2g}" if measure.tolerance else ""
    yield _change(comparison, "scale", what + limit, rescaled.pairs.codes)


def _refitted(
    comparison: MixedComparison, scores: ScoreTable, options: MixedOptions
) -> MixedComparison:
    """Fit a model to another table of the same algorithms."""
    refit = compare_mixed(scores, **vars(options))
    if refit.algorithms != comparison.algorithms or len(refit.pairs) != len(comparison.pairs):
        raise DesignError("some algorithms have no scores there.")
    return refit


def _rescaled(comparison: MixedComparison) -> Measure | None:
    """Return the measure on the other of identity and log scale; None where that is impossible.

    The tolerance is the same share of the median level.
    """
    measure = comparison.measure
    typical = float(np.median(measure.level_of(comparison.levels.estimate)))
    if measure.scale == "log":
        return replace(measure, scale="identity", tolerance=measure.tolerance * typical)
    lowest = float(np.nanmin(comparison.setting.quantiles))
    if measure.scale != "identity" or lowest <= 0 or typical <= 0:
        return None
    return replace(measure, scale="log", tolerance=measure.tolerance / typical)


def _on_ranks(comparison: MixedComparison, scores: ScoreTable | None) -> Iterator[VerdictChange]:
    """Yield the change of verdicts on ranks of the data sets' means."""
    if scores is None or len(comparison.setting.coverage.datasets) < 2:
        return
    import pandas as pd

    cells = scores.cells(comparison.measure.name)
    complete = (cells.n > 0).all(axis=1)
    if complete.sum() < 2 or cells.algorithms != comparison.algorithms:
        raise DesignError("fewer than two data sets have scores of all algorithms.")
    ranks = ranked_rows(cells.mean[complete], cells.rounding[complete])
    d, k = ranks.shape
    table = pd.DataFrame(
        {
            "dataset": np.repeat(np.arange(d).astype(str), k),
            "algorithm": np.tile(np.array(cells.algorithms, dtype=object), d),
            "value": ranks.ravel(),
        }
    )
    measure = Measure(comparison.measure.name, better="higher")
    ranked = read_scores(table, measures=measure)
    # An algorithm whose rank is the same everywhere leaves nothing to check residuals by.
    with np.errstate(invalid="ignore", divide="ignore"):
        options = replace(comparison.options, domains="pooled", covariates=())
        of_ranks = _refitted(comparison, ranked, options)
    # Equivalence has no meaning on ranks.
    shared = comparison.pairs.codes != Verdict.EQUIVALENT
    yield _change(comparison, "scale", "ranks on each data set", of_ranks.pairs.codes, shared)
