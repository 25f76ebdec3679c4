"""`monitor`: decide while a benchmark experiment runs, with error control."""

from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer import version
from benchinfer.compare.comparison import Alternative
from benchinfer.compare.evidence import Level, Provenance, Setting
from benchinfer.compare.exchangeable import refuse_overlap
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.boundaries import Rule
from benchinfer.numerics.spending import Spending
from benchinfer.scores import ScoreTable
from benchinfer.sequential import words
from benchinfer.sequential.anytime import anytime
from benchinfer.sequential.course import VERDICTS, Course
from benchinfer.sequential.design import Method, MonitorDesign, Null, Test, check, pairs_of
from benchinfer.sequential.feed import Feed
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.group import group_sequential
from benchinfer.sequential.monitor_checks import checks
from benchinfer.sequential.monitor_comparison import MonitorComparison
from benchinfer.sequential.recursive import recursive
from benchinfer.sequential.state import Memory, StateFile
from benchinfer.sequential.upcoming import next_cells

if TYPE_CHECKING:
    from pathlib import Path

_LAST = 5
_DISPLAY = {"unit", "label"}


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
    state: "str | Path | StateFile | None" = None,
) -> MonitorComparison:
    """Decide, while an experiment runs, which pairs of algorithms are decided.

    The error over all pairs and all looks is at most ``1 - level``. Pairs retire when they are
    decided; replications are used in the natural order of their names.

    Parameters
    ----------
    scores
        The scores so far. Algorithms share replications, which are independent.
    measure
        Name of the measure; may be omitted where there is one.
    pairs, control
        ``"all"`` pairs, one pair of names, or each other algorithm with a `control`.
    method
        ``"recursive"``: combination tests stage by stage; ``"anytime"``: e-processes, which may be
        looked at after every replication and give intervals; ``"group-sequential"``: a fixed
        number of looks planned in advance at all scores so far.
    rule
        How boundaries of a recursion follow from the stages before: ``"constant"``,
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

    Several data sets are combined in each stage by the mean of the normal quantiles of their
    p-values; e-values multiply. What is rejected is that no difference in that direction exists on
    any of them.

    References
    ----------
    Brannath, Posch & Bauer (2002), https://doi.org/10.1198/016214502753479374

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("sklearn_bootstrap")
    >>> found = monitor(scores, "error", pairs=("knn", "svm"), stage=5)
    >>> found.decision, found.contrasts()["winner"].tolist()
    ('decided', ['svm'])
    """
    if target != "datasets":
        raise DesignError(unknown("target", target, ["datasets"]))
    if isinstance(pairs, tuple) and len(pairs) == 2:
        scores = scores.subset(algorithms=sorted(set(pairs)))
    setting, scores = Setting.of(scores, measure)
    chosen = pairs_of(setting.algorithms, pairs, control)
    if last_stage == "auto":
        last_stage = None if method == "anytime" else _LAST
    design = MonitorDesign(
        method, rule, spending, stage, last_stage, test, null, alternative, level, len(chosen)
    )
    check(design, setting.measure)
    _check_replications(setting)
    arguments: dict[str, Any] = {
        "measure": setting.measure.name,
        "pairs": pairs,
        "control": control,
        **{name: value for name, value in asdict(design).items() if name != "n_pairs"},
        "target": target,
    }
    file = state if state is None or isinstance(state, StateFile) else StateFile(state)
    with file or nullcontext():
        gathered, course = _followed(scores, setting, chosen, design, file, arguments)
    return MonitorComparison(
        setting=setting,
        pairs=chosen,
        codes=np.array([VERDICTS[end] for end in course.ends], dtype=np.int8),
        level=level,
        target=target,
        levels=Level(_levels(scores, setting)),
        checks=checks(setting, design, course, gathered),
        provenance=Provenance(
            analysis="monitor",
            version=version.__version__,
            arguments=arguments,
            adjustment=words.adjustment(design),
            digest=setting.digest,
        ),
        design=design,
        course=course,
        cells=next_cells(gathered, course),
    )


def _check_replications(setting: Setting) -> None:
    """Refuse replications that are not shared, or overlap."""
    refuse_overlap(setting)
    if setting.paired:
        return
    name = setting.measure.name
    raise DesignError(
        message(
            f"the algorithms do not share the replications of measure {name!r}.",
            hint=[
                "where they do (same resample, same seed), say so: read_scores(..., paired=True);",
                "compare_mixed compares scores that are not paired, once and at the end.",
            ],
        )
    )


def _followed(
    scores: ScoreTable,
    setting: Setting,
    pairs: NDArray[np.int64],
    design: MonitorDesign,
    file: StateFile | None,
    arguments: dict[str, Any],
) -> tuple[Gathered, Course]:
    """Follow the experiment from its beginning, and remember how far."""
    whole = {
        **arguments,
        "measure": {k: v for k, v in asdict(setting.measure).items() if k not in _DISPLAY},
        "datasets": setting.coverage.datasets,
        "algorithms": setting.algorithms,
    }
    memory = Memory(whole) if file is None else file.read(whole)
    feed = Feed(scores.blocks(setting.measure.name), design.stage, memory.pins)
    if feed.broken and file is not None:
        raise file.refuse(feed.broken)
    gathered, sums = Gathered(feed, pairs), []
    if design.method == "anytime":
        measures = [setting.measure] * len(pairs)
        course, sums = anytime(gathered, design, measures, memory.sums)
    else:
        follow = recursive if design.method == "recursive" else group_sequential
        course = follow(gathered, design)
    if file is not None:
        pins = feed.pins(joined=design.method == "anytime")
        file.write(Memory(memory.design, pins, sums))
    return gathered, course


def _levels(scores: ScoreTable, setting: Setting) -> NDArray[np.float64]:
    """Return (K,) means over the data sets that an algorithm has scores on."""
    mean = scores.cells(setting.measure.name).mean
    there = np.isfinite(mean)
    return np.where(there, mean, 0.0).sum(axis=0) / there.sum(axis=0)
