"""Comparison by a monitored experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, override

import numpy as np

from benchinfer.analyses.monitor import stagewise
from benchinfer.analyses.monitor.course import GO_ON, VERDICTS, Columns, Course
from benchinfer.analyses.monitor.design import MonitorDesign, MonitorOptions
from benchinfer.analyses.monitor.feed import Feed, complete_differences
from benchinfer.analyses.monitor.reordering import Consecutive
from benchinfer.comparison import wording
from benchinfer.comparison.comparison import Alternative, Comparison
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.wording import margin
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count, join, level_percent, ordinal
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.types import Array
from benchinfer.relations.text import in_brief
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


type Standing = Literal["decided", "go on", "undecidable"]


_TESTS = {"t": "t tests", "signed-rank": "signed-rank tests", "sign-flip": "sign-flip tests"}
_SPENDING = {"obrien-fleming": "O'Brien and Fleming's shape", "pocock": "Pocock's shape"}
_ALONE = {
    "go on": "is not decided yet",
    "futile": "stopped for futility",
    "not rejected": "ended without a verdict",
    "broken down": "broke down",
}


def adjustment(design: MonitorDesign) -> str:
    """Return the adjustment for the number of pairs, in words."""
    if design.n_pairs == 1:
        return "One pair: no adjustment for many"
    if design.method == "anytime":
        return f"Anytime p-values are adjusted for {pair_count(design)} by Holm's steps"
    return f"Each of {pair_count(design)} is tested at an equal share of the level from the start"


def pair_count(design: MonitorDesign) -> str:
    """Return the number of pairs in words, by measure where there are several measures."""
    per_measure = count(design.n_pairs // design.n_measures, "pair")
    return (
        per_measure
        if design.n_measures == 1
        else f"{per_measure} on each of {design.n_measures} measures"
    )


def shared_by(design: MonitorDesign, also: str = "") -> str:
    """Return the dimensions over which the level is shared, in words: measures, pairs, `also`."""
    parts = ["measures"] if design.n_measures > 1 else []
    parts += ["pairs"] if design.n_pairs > design.n_measures or not also else []
    return join([*parts, also] if also else parts)


def standing(ends: Sequence[str], decision: str, *, all_pairs: bool = True) -> str:
    """Return a sentence on the decision to stop or go on, and on the number of decided pairs.

    `all_pairs` is whether these are all pairs: not those of one measure out of several.
    """
    close = {
        "decided": "The experiment can stop",
        "go on": "Go on",
        "undecidable": "The experiment ends, as more replications in this design decide nothing",
    }[decision]
    if not all_pairs and decision != "go on":
        close = "By this measure no pair goes on"
    if len(ends) == 1:
        return f"{close}: the pair {_ALONE.get(ends[0], 'is decided')}."
    counts, n = Counter(ends), len(ends)
    parts = [
        f"{counts[key]} {text}"
        for key, text in (
            ("go on", "going on"),
            ("futile", "stopped for futility"),
            ("not rejected", "ended without a verdict"),
            ("broken down", "broken down"),
        )
        if counts[key]
    ]
    decided = counts["first"] + counts["second"] + counts["equivalent"]
    said = join([f"{decided:,} of {count(n, 'pair')} decided", *parts])
    return f"{close}: {said}."


@checked
@savable
@shaped(course=SAME, cells="c")
@dataclass(frozen=True, eq=False, repr=False)
class MonitorComparison(Comparison):
    """Verdicts from an experiment that is watched while it runs.

    Attributes
    ----------
    course
        State of each pair.
    cells
        Columns of `next_cells`.
    """

    _home: ClassVar[str] = "benchinfer.analyses.monitor"

    course: Course
    cells: Columns

    _title: ClassVar[str] = "Monitored experiment"

    options: ClassVar[StoredOptions[MonitorOptions]] = StoredOptions(MonitorOptions)

    @property
    def design(self) -> MonitorDesign:
        """Design of the experiment."""
        return self.options.design

    @property
    def decision(self) -> Standing:
        """Decision to stop the experiment or to go on.

        ``"decided"``: every pair has a verdict. ``"go on"``: some pair needs more replications.
        ``"undecidable"``: no pair goes on, and some ended without a verdict.
        """
        if GO_ON in self.course.ends:
            return "go on"
        decided = all(VERDICTS[end] > VERDICTS[GO_ON] for end in self.course.ends)
        return "decided" if decided else "undecidable"

    @property
    @override
    def alternative(self) -> Alternative:
        return self.design.alternative

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        design, measure = self.design, self.measure
        alpha, many = level_percent(design.alpha), design.n_pairs > 1
        if design.method == "recursive":
            shared = shared_by(design, "directions" if len(design.sides) > 1 else "")
            over = f" ({alpha} over all {shared})" if design.alpha_one < design.alpha else ""
            return (
                "A pair is decided when one of its recursions rejects at"
                f" {level_percent(design.alpha_one)}{over}. One that stops for futility is"
                " undecided: no evidence of equality. No pair can be called equivalent."
            )
        if design.method == "group-sequential":
            over = f" per pair ({alpha} over all {shared_by(design)})" if many else ""
            return (
                "A pair is decided when its statistic crosses the boundary of a look, and"
                " undecided otherwise; the boundaries spend"
                f" {level_percent(design.alpha_pair)}{over}. No pair can be called equivalent."
            )
        text = f"A pair is decided when its adjusted anytime p-value is at most {alpha}"
        if measure.tolerance > 0:
            return (
                f"A pair is equivalent when its confidence sequence lies within {margin(measure)}"
                f" either way; otherwise {text[0].lower()}{text[1:]}; otherwise it is undecided."
            )
        return f"{text}, and undecided otherwise. No pair can be called equivalent."

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        design = self.design
        d = len(self.setting.coverage.datasets)
        together = "" if d == 1 else f" on each of {d} data sets"
        stage = f"stages of {count(design.stage, 'replication')}{together}"
        test = _TESTS[design.test]
        name = self.measure.noun
        merged = ""
        if d > 1:
            merged = (
                " E-values of data sets were multiplied."
                if design.method == "anytime"
                else " P-values of data sets were combined in each stage by their normal quantiles."
            )
        if design.method == "recursive":
            last = (
                ""
                if design.last_stage is None
                else f", the {ordinal(design.last_stage)} declared last"
            )
            how = (
                f"The {name} of pairs of algorithms was compared in {stage}{last}, by one-sided"
                f" {test} of the differences and recursive combination tests (rule"
                f" {design.rule!r})."
            )
        elif design.method == "group-sequential":
            how = (
                f"The {name} of pairs of algorithms was compared after each of"
                f" {count(design.last_stage or 1, 'planned look')} in {stage}, by {test} of all"
                f" differences so far; the level was spent by {_SPENDING[design.spending]}."
            )
        else:
            null = "are symmetric about 0" if design.null == "symmetry" else "have a mean of 0"
            how = (
                f"The {name} of pairs of algorithms was watched by e-processes that bet against the"
                f" hypothesis that differences {null}."
            )
        return f"{how}{merged} {self.provenance.adjustment}."

    @property
    def formula(self) -> str:
        """The statistic in one line."""
        test = _TESTS[self.design.test]
        return {
            "recursive": f"one-sided {test} per stage, combined by Fisher's product",
            "group-sequential": f"{test} of all differences so far, at planned looks",
            "anytime": "capital of bets on the differences of a pair",
        }[self.design.method]

    @property
    def _intervals(self) -> str:
        """Description of the intervals; empty if the method has none."""
        if self.course.low is None:
            return ""
        return f"{100 * self.level:g} % simultaneous confidence sequences, valid at all times"

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        return wording.scope(self.setting, self.target, where="taken together over")

    def headline(self) -> str:
        """Return the verdict in one sentence, and whether to go on."""
        return f"{super().headline()} {self.standing}"

    @property
    def standing(self) -> str:
        """Sentence on the number of decided pairs and on whether to go on."""
        all_pairs = self.design.n_measures == 1
        return standing(self.course.ends, self.decision, all_pairs=all_pairs)

    def _effects(self) -> Mapping[str, Array]:
        """Return the evidence on the pairs, in the unit of the measure."""
        c = self.course
        estimates: dict[str, Array] = {"estimate": self.measure.effect(c.estimate)}
        if c.low is not None and c.high is not None:
            low, high = self.measure.effect_interval(c.low, c.high)
            estimates |= {"conf_low": low, "conf_high": high}
        if c.log_e is not None:
            estimates["log_e"] = c.log_e
        return {
            **estimates,
            "p_value": c.p_value,
            "p_raw": c.p_raw,
            "provisional": c.provisional,  # pyright: ignore[reportReturnType]
            "n_used": c.used,  # pyright: ignore[reportReturnType]
            "state": np.array(c.ends, dtype=object),
        }

    def stages(self) -> pd.DataFrame:
        """One row per pair, data set and stage, in recursions also per direction.

        Returns
        -------
        pandas.DataFrame
            ``first second dataset stage n ...``. In recursions ``p_dataset`` is the p-value of the
            data set's own differences in the stage, ``p_stage`` that of all data sets together,
            which is compared with ``reject_at`` and ``accept_above``. ``state`` is how the pair
            stood after the stage.
        """
        return self._named(self.course.stages)

    def path(self, *, per_dataset: bool = False) -> pd.DataFrame:
        """One row per pair and replication, about 200 per pair where there are more.

        Parameters
        ----------
        per_dataset
            Whether to return the path of each data set by itself: one row per pair, data set and
            replication.

        Returns
        -------
        pandas.DataFrame
            ``first second n ... p_raw``. On the anytime route ``log_e``, the confidence sequence
            ``conf_low conf_high``, and ``p_raw``, valid at all times; ``p_value`` is adjusted for
            the pairs. Else ``p_raw`` is the p-value that a test of the first n replications alone
            would have, which describes and decides nothing, and ``stage``, ``p_value`` and
            ``state`` are how the pair stood after the last whole stage (missing before the first;
            ``p_value`` is provisional where the pair went on).

            Of data sets: ``first second dataset n p_raw``, on the anytime route also
            ``log_e_dataset`` and the confidence sequence that goes into that of the pair.
        """
        c = self.course
        if not per_dataset:
            both = {**c.path, **stagewise.standing(c, self.design)}
            return self._named(self._in_units(both))
        if len(self.setting.coverage.datasets) > 1:
            return self._named(self._in_units(c.path_each))
        if not c.path:
            return self._named({})
        alone = {"pair": c.path["pair"], "dataset": np.zeros(len(c.path["n"]), int)} | dict(c.path)
        if "log_e" in alone:
            alone["log_e_dataset"] = alone.pop("log_e")
        return self._named(self._in_units(alone))

    def _in_units(self, columns: Columns) -> Columns:
        """Turn ends of intervals on the modelling scale into those of reported effects."""
        renamed = {k: v for k, v in columns.items() if k not in {"low", "high"}}
        if "low" in columns:
            low, high = self.measure.effect_interval(columns["low"], columns["high"])
            renamed |= {"conf_low": low, "conf_high": high}
        return renamed

    def next_cells(self) -> pd.DataFrame:
        """Return the cells to run next: ``dataset replication algorithm``, one row per run.

        They complete the next stage of all pairs that go on. Replications that the table does not
        know yet are numbered on from the last one.
        """
        c = self.cells
        datasets, names = self.setting.coverage.datasets, self.algorithms
        return frame(
            {
                "dataset": [datasets[d] for d in c.get("dataset", ())],
                "replication": list(c.get("replication", ())),
                "algorithm": [names[k] for k in c.get("algorithm", ())],
            }
        )

    def consecutive(
        self, scores: ScoreTable, *, permutations: int = 200, seed: int | None = 1
    ) -> Consecutive:
        """Find the points of consecutive significance, and what other orders would have led to.

        Parameters
        ----------
        scores
            The table that was monitored: results hold no rows.
        permutations
            Random orders of the replications, within data sets.
        seed
            Of the orders; None draws one.

        Returns
        -------
        Consecutive
            With `summary`, one row per pair, and `plot`.

        Raises
        ------
        DesignError
            The table is another one, or a number is not one of orders, or no seed.
        """
        if isinstance(pair := self.options.pairs, tuple):
            scores = scores.subset(algorithms=sorted(pair))
        setting, scores = Setting.of(scores, self.measure.name)
        if setting.digest != self.setting.digest:
            raise DesignError(
                "these are not the scores that were monitored.",
                hint="give the table that went into monitor().",
            )
        feed = Feed(scores.blocks(self.measure.name), self.design.stage)
        differences = [complete_differences(feed, int(i), int(j)) for i, j in self.pairs.index]
        sides, pairs = tuple(self.pairs.sides), self.pairs.oriented()
        turns = tuple(pairs[p] != side for p, side in enumerate(sides))
        return Consecutive.of(
            sides, turns, differences, self.design, self.measure, permutations, seed
        )

    def redesign(self) -> pd.DataFrame:
        """Return the levels at which the rest of the experiment may be designed anew.

        By the conditional rejection principle, any test of new replications alone at this level
        keeps the error of the whole, whatever has been seen.

        Returns
        -------
        pandas.DataFrame
            One row per pair that goes on and direction: ``first second side conditional_level``;
            side is the one that would be decided to be better.

        Raises
        ------
        DesignError
            The method is ``"anytime"``, whose design may be changed at will.

        References
        ----------
        Mueller & Schaefer (2001), https://doi.org/10.1111/j.0006-341X.2001.00886.x
        """
        if self.design.method == "anytime":
            raise DesignError(
                "an e-process has no design to change.",
                hint="stop, go on and add replications at will.",
            )
        if not self.course.live.any():
            raise DesignError("no pair goes on.", hint="start a new experiment.")
        return self._named(stagewise.redesigned(self.course, self.design))

    def _named(self, columns: Columns) -> pd.DataFrame:
        """Return a table with names in place of the codes of pairs, data sets and directions."""
        sides = self.pairs.sides
        pair = columns.get("pair", np.empty(0, dtype=np.int64))
        named: dict[str, object] = {
            "first": [sides[i][0] for i in pair],
            "second": [sides[i][1] for i in pair],
        }
        for name, values in columns.items():
            if name == "dataset":
                named[name] = [self.setting.coverage.datasets[d] for d in values]
            elif name == "side":
                both = zip(pair, values, strict=True)
                named[name] = [sides[i][0 if side > 0 else 1] for i, side in both]
            elif name != "pair":
                named["state" if name == "decision" else name] = values
        return frame(named)

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        from benchinfer.analyses.monitor.numerics.betting import SymmetryBet
        from benchinfer.analyses.monitor.numerics.stages import recursion
        from benchinfer.analyses.monitor.stagewise import group_sequential

        used: dict[str, list[object]] = {
            "recursive": [recursion, MonitorOptions],
            "anytime": [SymmetryBet],
            "group-sequential": [group_sequential],
        }
        return used[self.design.method]

    def description(self) -> str:
        """Return measure, state and order."""
        order = in_brief(self.relation())
        return f"<MonitorComparison of {self.measure.name}: {self.decision}; {order}>"
