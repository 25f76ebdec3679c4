"""The comparison that a running experiment gives: verdicts so far, and what to run next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer.compare import wording
from benchinfer.compare.comparison import Comparison
from benchinfer.compare.evidence import Array, Setting
from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.saving import savable
from benchinfer.scores import ScoreTable
from benchinfer.sequential import group, retraced, words
from benchinfer.sequential.course import GO_ON, VERDICTS, Columns, Course
from benchinfer.sequential.design import MonitorDesign
from benchinfer.sequential.feed import Feed
from benchinfer.sequential.gathered import whole_differences
from benchinfer.sequential.rearranged import Consecutive

if TYPE_CHECKING:
    import pandas as pd

type Standing = Literal["decided", "go on", "undecidable"]


@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MonitorComparison(Comparison):
    """Verdicts from an experiment that is watched while it runs.

    Attributes
    ----------
    design
        How it is watched.
    course
        How each pair stands.
    cells
        Columns of `next_cells`.
    """

    design: MonitorDesign
    course: Course
    cells: Columns

    title: ClassVar[str] = "Monitored experiment"

    @property
    def decision(self) -> Standing:
        """Whether the experiment can stop.

        ``"decided"``: every pair has a verdict. ``"go on"``: some pair needs more replications.
        ``"undecidable"``: no pair goes on, and some ended without a verdict.
        """
        if GO_ON in self.course.ends:
            return "go on"
        decided = all(VERDICTS[end] > VERDICTS[GO_ON] for end in self.course.ends)
        return "decided" if decided else "undecidable"

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        return words.rule(self.design, self.measure)

    @property
    def method(self) -> str:
        """What was done, in sentences for a methods section."""
        return words.method(self.design, self.setting, self.provenance.adjustment)

    @property
    def formula(self) -> str:
        """The statistic in one line."""
        return words.formula(self.design)

    @property
    def intervals(self) -> str:
        """What the intervals are; empty where the method has none."""
        if self.course.low is None:
            return ""
        return f"{100 * self.level:g} % simultaneous confidence sequences, valid at all times"

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        return wording.scope(self.setting, self.target, where="taken together over")

    def headline(self) -> str:
        """Return the verdict in one sentence, and whether to go on."""
        return f"{Comparison.headline(self)} {self.standing}"

    @property
    def standing(self) -> str:
        """How many pairs are decided, and whether to go on, in one sentence."""
        whole = self.design.n_measures == 1
        return words.standing(self.course.ends, self.decision, whole=whole)

    def effects(self) -> Mapping[str, Array]:
        """Return what is known of the pairs, in the measure's own unit."""
        c = self.course
        found: dict[str, Array] = {"estimate": self.measure.effect(c.estimate)}
        if c.low is not None and c.high is not None:
            low, high = self.measure.effect_interval(c.low, c.high)
            found |= {"conf_low": low, "conf_high": high}
        if c.log_e is not None:
            found["log_e"] = c.log_e
        return {
            **found,
            "p_value": c.p_value,
            "p_raw": c.p_raw,
            "provisional": c.provisional,  # pyright: ignore[reportReturnType]
            "n_used": c.used,  # pyright: ignore[reportReturnType]
            "state": np.array(c.ends, dtype=object),
        }

    def stages(self) -> "pd.DataFrame":
        """One row per pair, data set and stage, in recursions also per direction.

        Returns
        -------
        pandas.DataFrame
            ``first second dataset stage n ...``. In recursions ``p_dataset`` is the p-value of the
            data set's own differences in the stage, ``p_stage`` that of all data sets together,
            which is held against ``reject_at`` and ``accept_above``. ``state`` is how the pair
            stood after the stage.
        """
        return self._named(self.course.stages)

    def path(self, *, per_dataset: bool = False) -> "pd.DataFrame":
        """One row per pair and replication, about 200 per pair where there are more.

        Parameters
        ----------
        per_dataset
            What each data set says by itself, in one row per pair, data set and replication.

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
            both = {**c.path, **retraced.standing(c, self.design)}
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
        found = {k: v for k, v in columns.items() if k not in {"low", "high"}}
        if "low" in columns:
            low, high = self.measure.effect_interval(columns["low"], columns["high"])
            found |= {"conf_low": low, "conf_high": high}
        return found

    def next_cells(self) -> "pd.DataFrame":
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
        self, scores: ScoreTable, *, permutations: int = 200, seed: int | None = None
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
        if isinstance(pair := self.provenance.arguments["pairs"], tuple):
            scores = scores.subset(algorithms=sorted(str(name) for name in pair))
        setting, scores = Setting.of(scores, self.measure.name)
        if setting.digest != self.setting.digest:
            raise DesignError(
                message(
                    "these are not the scores that were monitored.",
                    hint="give the table that went into monitor().",
                )
            )
        feed = Feed(scores.blocks(self.measure.name), self.design.stage)
        differences = [whole_differences(feed, int(i), int(j)) for i, j in self.pairs]
        sides = tuple(self.named_sides())
        return Consecutive.of(sides, differences, self.design, self.measure, permutations, seed)

    def redesign(self) -> "pd.DataFrame":
        """Return the levels at which the rest of the experiment may be designed anew.

        By the conditional rejection principle, any test of new replications alone at this level
        keeps the error of the whole, whatever has been seen.

        Returns
        -------
        pandas.DataFrame
            One row per pair that goes on and direction: ``first second side conditional_level``;
            side is the one that would be shown to be better.

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
                message(
                    "an e-process has no design to change.",
                    hint="stop, go on and add replications at will.",
                )
            )
        if not self.course.live.any():
            raise DesignError(message("no pair goes on.", hint="start a new experiment."))
        return self._named(group.redesigned(self.course, self.design))

    def _named(self, columns: Columns) -> "pd.DataFrame":
        """Put names in place of the codes of pairs, data sets and directions."""
        sides = self.named_sides()
        pair = columns.get("pair", np.empty(0, dtype=np.int64))
        found: dict[str, object] = {
            "first": [sides[i][0] for i in pair],
            "second": [sides[i][1] for i in pair],
        }
        for name, values in columns.items():
            if name == "dataset":
                found[name] = [self.setting.coverage.datasets[d] for d in values]
            elif name == "side":
                both = zip(pair, values, strict=True)
                found[name] = [sides[i][0 if side > 0 else 1] for i, side in both]
            elif name != "pair":
                found["state" if name == "decision" else name] = values
        return frame(found)

    def rests_on(self) -> list[str]:
        """Return the modules and functions used whose docstrings name their sources."""
        home = {
            "recursive": ["benchinfer.numerics.stages", "benchinfer.sequential.monitor:monitor"],
            "anytime": ["benchinfer.numerics.betting"],
            "group-sequential": ["benchinfer.sequential.group"],
        }
        return home[self.design.method]

    def __str__(self) -> str:
        """Return the headline."""
        return self.headline()

    def __repr__(self) -> str:
        """Return measure, order and state."""
        order = self.relation()
        pairs = count(len(self.pairs), "pair")
        return f"<MonitorComparison of {self.measure.name}: {order}; {pairs}, {self.decision}>"
