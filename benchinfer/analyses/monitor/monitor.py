"""The functions `monitor` and `monitor_measures`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchinfer.analyses.monitor import comparison
from benchinfer.analyses.monitor.anytime import anytime
from benchinfer.analyses.monitor.comparison import MonitorComparison
from benchinfer.analyses.monitor.course import VERDICTS, Course
from benchinfer.analyses.monitor.design import (
    Method,
    MonitorDesign,
    MonitorMeasuresOptions,
    MonitorOptions,
    Null,
    Test,
    check,
    pairs_of,
)
from benchinfer.analyses.monitor.diagnostics import checks
from benchinfer.analyses.monitor.feed import Feed, StageDifferences, next_cells
from benchinfer.analyses.monitor.measures import MonitoredMeasures, columns, refuse_unlike, split
from benchinfer.analyses.monitor.numerics.stages import Rule, Spending
from benchinfer.analyses.monitor.stagewise import group_sequential, recursive
from benchinfer.analyses.monitor.state import Memory, StateFile
from benchinfer.comparison.checks.validation import refuse_overlap, refuse_runs
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.evidence import Level, Setting, mean_ranks
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.numerics.types import Codes
from benchinfer.scores.checks.units import UNEQUAL, one_unit
from benchinfer.scores.coverage import Finding
from benchinfer.scores.table import ScoreTable

_LAST = 5
_DISPLAY = {"unit", "label"}


@checked
def monitor(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    pairs: Literal["all"] | tuple[str, str] = "all",
    control: str | None = None,
    method: Method = "recursive",
    rule: Rule = "constant",
    spending: Spending = "obrien-fleming",
    stage: int = 50,
    last_stage: int | Literal["auto"] | None = "auto",
    test: Test = "t",
    null: Null = "symmetry",
    alternative: Alternative = "two-sided",
    target: Literal["datasets"] = "datasets",
    level: float = 0.95,
    state: str | Path | StateFile | None = None,
) -> MonitorComparison:
    """Compare algorithms while an experiment runs, with control of the error over all looks.

    The error over all pairs and all looks is at most ``1 - level``. Pairs retire when they are
    decided; replications are used in the natural order of their names.

    Parameters
    ----------
    scores
        The scores so far. Algorithms share replications, which are independent.
    measure
        Name of the measure; may be omitted where there is one. `monitor_measures` takes several.
    pairs, control
        ``"all"`` pairs, one pair of names, or each other algorithm with a `control`.
    method
        ``"recursive"``: combination tests stage by stage; ``"anytime"``: e-processes, which may be
        looked at after every replication and give intervals; ``"group-sequential"``: a fixed
        number of looks planned in advance at all scores so far.
    rule
        Boundaries of a recursion, given the stages before: ``"constant"``,
        ``"application"``, ``"scenario2"``, the latter two also with ``"-power"``.
        ``"literal"`` and ``"literal-scenario2"`` are the printed rules, which break down.
    spending
        Of group sequential tests: ``"obrien-fleming"`` or ``"pocock"``.
    stage
        Replications per data set and stage.
    last_stage
        The stage declared last, at which a recursion uses what is left of its level; the number of
        looks of a group sequential test; on the anytime route the budget, in stages. None: no last
        one. ``"auto"``: 5, and none on the anytime route.
    test
        Of the differences: ``"t"``, ``"signed-rank"`` (exact up to 500 differences, zeros left
        out) or ``"sign-flip"`` (its normal limit).
    null
        On the anytime route, what is bet against, and what intervals are of: ``"symmetry"`` of the
        differences about 0, or a ``"mean"`` of 0, which needs `Measure.bounds`.
    alternative
        ``"two-sided"``, or what is to be shown of the first algorithm of a pair: ``"better"`` or
        ``"worse"``.
    target
        ``"datasets"``: the claim is about these data sets taken together, which have to be
        independent of each other.
    level
        One minus the family-wise error rate.
    state
        A JSON file, made if absent, that remembers what each stage used: then a past that has
        changed is an error, and rows may come in any order.

    Returns
    -------
    MonitorComparison
        With `decision`, `stages()`, `path()` and `next_cells()`.

    Raises
    ------
    DesignError
        The table or the design cannot answer the question: replications overlap or are not shared.
    ScoreTableError
        Scores of a stage that was decided on have changed.
    BenchinferError
        The state is of another design.

    Notes
    -----
    With m pairs each recursion is designed at ``(1 - level) / m`` from the start, two-sided at half
    of that in each direction. Its overall p-value is multiplied in the same way; where a pair goes
    on it is provisional, as a part of the level is kept for later stages. Recursions and group
    sequential tests give no intervals. Stopping for futility is no evidence of equality.

    Nested units of unequal size enter with the differences of their sums over items, which are 0 on
    the mean, or symmetric, where the ratios of sums do not differ; with a variance of its own for
    each unit the t test keeps levels up to 5 % (Ibragimov & Mueller 2010). Estimates are ratios,
    ``sum d / sum n``, and confidence sequences hold the centres m for which ``d - m n`` is
    symmetric. A unit counts once all algorithms have all its items.

    Several data sets are combined in each stage by the mean of the normal quantiles of their
    p-values; e-values multiply. What is rejected is that no difference in that direction exists on
    any of them.

    References
    ----------
    Brannath, Posch & Bauer (2002), https://doi.org/10.1198/016214502753479374

    Ibragimov & Mueller (2010), https://doi.org/10.1198/jbes.2009.08046

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("sklearn_bootstrap")
    >>> found = monitor(scores, "error", pairs=("knn", "svm"), stage=5)
    >>> found.decision, found.contrasts()["winner"].tolist()
    ('decided', ['svm'])
    """
    settings, scores = _settings(scores, [measure], pairs)
    design, watched = _design(scores, settings, locals())
    name = settings[0].measure.name
    options = MonitorOptions.from_call(locals(), measure=name, design=design)
    return _Watched(scores, settings, watched, options).results(state)[name]


@checked
def monitor_measures(
    scores: ScoreTable,
    measures: Sequence[str],
    *,
    pairs: Literal["all"] | tuple[str, str] = "all",
    control: str | None = None,
    method: Method = "recursive",
    rule: Rule = "constant",
    spending: Spending = "obrien-fleming",
    stage: int = 50,
    last_stage: int | Literal["auto"] | None = "auto",
    test: Test = "t",
    null: Null = "symmetry",
    alternative: Alternative = "two-sided",
    target: Literal["datasets"] = "datasets",
    level: float = 0.95,
    state: str | Path | StateFile | None = None,
) -> MonitoredMeasures:
    """Compare algorithms by several measures while an experiment runs, with one error over all.

    The error over all measures, pairs and looks is at most ``1 - level``. A pair retires on a
    measure when it is decided there, and an algorithm runs on as long as some measure needs it.

    Parameters
    ----------
    scores
        As in `monitor`; measures have scores of the same algorithms on the same data sets.
    measures
        Names of the measures that are decided together.
    pairs, control, method, rule, spending, stage, last_stage, test, null, alternative, target
        As in `monitor`.
    level
        One minus the error rate over all measures and pairs.
    state
        As in `monitor`; one file for all measures.

    Returns
    -------
    MonitoredMeasures
        A mapping from measure to `MonitorComparison`, with a `decision` and `next_cells()` of all.

    Raises
    ------
    DesignError
        The table or the design cannot answer the question, or the measures differ in their
        algorithms or data sets.
    ScoreTableError
        Scores of a stage that was decided on have changed.
    BenchinferError
        The state is of another design.

    Notes
    -----
    Recursions and group sequential tests are designed at an equal share of the level for each pair
    on each measure; e-processes are adjusted by Holm's steps over all of them.

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("sklearn_bootstrap")
    >>> found = monitor_measures(scores, ["error", "seconds"], pairs=("knn", "svm"), stage=5)
    >>> found.decision, list(found)
    ('decided', ['error', 'seconds'])
    """
    settings, scores = _settings(scores, measures, pairs)
    design, watched = _design(scores, settings, locals())
    options = MonitorMeasuresOptions.from_call(
        locals(),
        measure=settings[0].measure.name,
        measures=tuple(measures),
        design=design,
    )
    return MonitoredMeasures(_Watched(scores, settings, watched, options).results(state))


def _design(
    scores: ScoreTable, settings: list[Setting], arguments: Mapping[str, Any]
) -> tuple[MonitorDesign, Codes]:
    """Return the design of a call, which fits all its measures, and the (P, 2) watched pairs."""
    watched = pairs_of(settings[0].algorithms, arguments["pairs"], arguments["control"])
    values = {f.name: arguments[f.name] for f in fields(MonitorDesign) if f.name in arguments}
    if values["last_stage"] == "auto":
        values["last_stage"] = None if values["method"] == "anytime" else _LAST
    n = len(settings)
    design = MonitorDesign(**values, n_pairs=n * len(watched), n_measures=n)
    for setting in settings:
        check(design, setting.measure, unequal=scores.rows.has_unequal_units)
        _check_replications(setting)
    return design, watched


def _settings(
    scores: ScoreTable, names: Sequence[str | None], pairs: str | tuple[str, str]
) -> tuple[list[Setting], ScoreTable]:
    """Return the setting of each measure, and the part of the table that is watched."""
    if isinstance(pairs, tuple) and len(pairs) == 2:
        scores = scores.subset(algorithms=sorted(set(pairs)))
    if not names or len(set(names)) < len(names):
        raise DesignError(
            f"measures is {list(names)}.", hint="name each measure once, as in ['a', 'b']."
        )
    if len(names) > 1:
        refuse_runs(scores, "monitor_measures")
    both = [Setting.of(scores, name) for name in names]
    settings = [_on_lasting_scale(setting) for setting, _ in both]
    refuse_unlike(settings)
    if len(both) == 1:
        return settings, both[0][1]
    one = settings[0]
    return settings, scores.subset(datasets=one.coverage.datasets, algorithms=one.algorithms)


def _on_lasting_scale(setting: Setting) -> Setting:
    """Raise a DesignError where later scores would change the scale of earlier ones.

    Else return the setting, with ranks as the scale that its findings propose.
    """
    scale = setting.measure.normalised
    if scale is not None and scale.of_scores and scale.kind != "ranks":
        raise DesignError(
            f"{setting.measure.noun} rests on all scores so far: each look would have another"
            " scale.",
            hint="references from elsewhere stay as they are, as a file of numbers has them;"
            ' so do ranks, scores.normalise("ranks").',
        )
    findings = tuple(
        _by_ranks(one) if one.rule == UNEQUAL else one for one in setting.coverage.findings
    )
    return replace(setting, coverage=replace(setting.coverage, findings=findings))


def _by_ranks(unequal: Finding) -> Finding:
    """Return the finding on unequal spread with ranks as the scale that it proposes."""
    ways = {name: "ranks" if name == "normalise" else value for name, value in unequal.proposes}
    return replace(unequal, hint=one_unit(ways), proposes=tuple(ways.items()))


def _check_replications(setting: Setting) -> None:
    """Raise a DesignError where replications overlap or are not shared by the algorithms."""
    refuse_overlap(setting, of_domains=False)
    if setting.paired:
        return
    name = setting.measure.name
    raise DesignError(
        f"the algorithms do not share the replications of measure {name!r}.",
        hint=[
            ("where they do (same resample, same seed), say so: read_scores(..., paired=True);"),
            ("compare_mixed compares scores that are not paired, once and at the end."),
        ],
    )


@dataclass(frozen=True, slots=True)
class _Watched:
    """Monitored experiment: its scores, measures, pairs and options."""

    scores: ScoreTable
    settings: list[Setting]
    pairs: Codes
    options: MonitorOptions

    def results(self, state: str | Path | StateFile | None) -> dict[str, MonitorComparison]:
        """Run the design on all scores so far, and return the comparison by each measure."""
        file = state if state is None or isinstance(state, StateFile) else StateFile(state)
        with file or nullcontext():
            return self.compared(*self.followed(file))

    def followed(self, file: StateFile | None) -> tuple[StageDifferences, Course]:
        """Run the design on all scores so far, and record the stages in the state file."""
        measures, k = [s.measure for s in self.settings], len(self.settings[0].algorithms)
        plain = [{n: v for n, v in asdict(m).items() if n not in _DISPLAY} for m in measures]
        design = {
            **MonitorOptions.arguments(self.options),
            "measure": plain if len(plain) > 1 else plain[0],
            "datasets": self.settings[0].coverage.datasets,
            "algorithms": self.settings[0].algorithms,
        }
        blocks = columns(self.scores, [m.name for m in measures])
        if blocks.items is not None:  # bets on sums are none on means
            design["units"] = "sums over items"
        memory = Memory(design) if file is None else file.read(design)
        feed = Feed(blocks, self.options.design.stage, memory.pins)
        if feed.broken and file is not None:
            raise file.refuse(feed.broken)
        pairs = np.vstack([self.pairs + i * k for i in range(len(measures))])
        gathered = StageDifferences(feed, pairs)
        if self.options.design.method == "anytime":
            each = [m for m in measures for _ in self.pairs]
            if memory.bets is not None and file is not None:
                lengths = [len(stage[0].labels) for stage in memory.pins]
                if not memory.bets.fit(lengths, len(each), gathered.n_datasets):
                    raise file.forged([])
            course, bets = anytime(gathered, self.options.design, each, memory.bets)
        else:
            follow = recursive if self.options.design.method == "recursive" else group_sequential
            course, bets = follow(gathered, self.options.design), None
        if file is not None:
            pins = feed.pins(joined=self.options.design.method == "anytime")
            if feed.recalling:
                what = "not the stage that the scores before it lead to"
                raise file.forged([(len(pins) + 1, "", what)])
            file.write(Memory(memory.design, pins, bets))
        return gathered, course

    def compared(self, gathered: StageDifferences, course: Course) -> dict[str, MonitorComparison]:
        """Return the comparison by each measure."""
        design, results = self.options.design, dict[str, MonitorComparison]()
        parts, cells = (
            split(course, len(self.settings)),
            next_cells(gathered, course, design),
        )
        for i, (setting, part) in enumerate(zip(self.settings, parts, strict=True)):
            mean = self.scores.cells(setting.measure.name).mean
            codes = np.array([VERDICTS[end] for end in part.ends], dtype=np.int8)
            # Over the data sets that an algorithm has scores on.
            levels, ranks = Level(np.nanmean(mean, axis=0)), mean_ranks(mean)
            levels = Level.of_pairs(levels, self.pairs, part.estimate, codes, ranks, units=True)
            results[setting.measure.name] = MonitorComparison(
                setting=setting,
                pairs=ComparedPairs.between(
                    self.pairs, setting, codes, levels, directed=len(design.sides) == 1
                ),
                level=design.level,
                target="datasets",
                levels=levels,
                stored_checks=checks(setting, design, part, gathered.part(i, part)),
                provenance=replace(self.options, measure=setting.measure.name).provenance(
                    setting.digest, comparison.adjustment(design)
                ),
                course=part,
                cells=cells[i],
            )
        return results
