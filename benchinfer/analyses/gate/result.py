"""Verdict on a candidate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from benchinfer.analyses.gate.harm import Harm, said
from benchinfer.analyses.gate.missing import Missing
from benchinfer.comparison import wording
from benchinfer.comparison.comparison import Comparison
from benchinfer.core.citations import bibtex
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join, level_percent, sentence
from benchinfer.core.result import Readable, Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.multiplicity import holm

if TYPE_CHECKING:
    import pandas as pd


type Want = Literal["noninferior", "superior"]
type Outcome = Literal["pass", "fail", "undecided"]


@savable
@dataclass(frozen=True, slots=True)
class Need:
    """Further data that would decide an undecided measure.

    Attributes
    ----------
    text
        In words.
    datasets, replications
        How many more data sets, or more replications on each, are needed; None where that is not
        known, or is no way to a verdict.
    """

    text: str
    datasets: int | None = None
    replications: int | None = None


@savable
@shaped(p_pass="[0,1]", p_fail="[0,1]", p_fail_raw="[0,1]")  # noqa: S106 (a p-value)
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GatedMeasure(Readable):
    """Verdict and evidence on one measure.

    Attributes
    ----------
    comparison
        The comparison of candidate and baseline: two-sided, at such a level that each end of its
        interval is a one-sided bound at the level of the gate.
    reason
        Why this analysis was taken.
    estimate, low, high
        Candidate minus baseline on the modelling scale, larger is better, with one-sided bounds.
    p_pass
        P-value of the hypothesis that the candidate is not what is wanted of it.
    p_fail, p_fail_raw
        P-value of the hypothesis that it is not worse by more than the tolerance: adjusted for the
        number of measures by Holm's steps, and of the measure alone.
    verdict
        Pass, fail or undecided.
    need
        What would decide it, None where it is decided.
    missing
        Scores that candidate or baseline lacks.
    counted
        What these count as, in words; empty where they count as missing.
    harm
        The differences of the data sets, None where there are too few to speak of.
    split
        Whether their mean and their typical value lie on different sides of the tolerance, which is
        undecided.
    runs
        How many runs baseline and candidate have of a tool that times programs, None of others.
    withheld
        Whether the evidence is that of a pass, which takes the scores that the candidate lacks.
    fails_only
        Whether it is the share solved of a measure with a limit, of which a loss is a fail and
        nothing else is asked; `p_pass` is then 1.
    """

    comparison: Comparison
    reason: str
    estimate: float
    low: float
    high: float
    p_pass: float
    p_fail: float
    p_fail_raw: float
    verdict: Outcome
    missing: Missing
    counted: str
    withheld: bool
    harm: Harm | None = None
    split: bool = False
    runs: tuple[int, int] | None = None
    need: Need | None = None
    fails_only: bool = False

    def description(self) -> str:
        """Return the measure and the verdict."""
        return f"<GatedMeasure {self.measure.name}: {self.verdict}>"

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.comparison.measure

    @property
    def scope(self) -> str:
        """Population that the claim is about, in words; empty where there is no evidence."""
        return self.comparison.scope() if math.isfinite(self.low + self.high) else ""

    @property
    def few_runs(self) -> bool:
        """True if a side has a single run, which does not tell the code from the machine."""
        return self.runs is not None and min(self.runs) < 2

    def one_run(self) -> str:
        """Return what a single run of a side shows, as a clause."""
        n, m = self.runs or (0, 0)
        runs = "one run each" if n == m == 1 else f"{m} against {count(n, 'run')}"
        over = ""
        if self.harm is not None:
            low, high = sorted(self.harm.ends, key=self.measure.effect)
            ends = f"from {said(self.measure, low)} to {said(self.measure, high)}"
            over = f" ({ends} over {count(self.harm.n_datasets, self.harm.unit)})"
        effect = f"{self.measure.effect_name} {said(self.measure, self.estimate)}"
        return f"{runs}: the {effect}{over} is of the machine as much as of the code"

    def _disagreement(self, *, beyond: bool = False) -> str:
        """Return how mean and typical difference of a split disagree, as a clause.

        `beyond` says that the candidate has to be better by more than a difference.
        """
        if self.harm is None:
            return ""
        mean, typical = (said(self.measure, each) for each in (self.harm.mean, self.harm.typical))
        side = "of the tolerance" if self.measure.tolerance else "of equality"
        side = "of what is asked" if beyond else side
        return (
            f"the mean difference ({mean}) and the typical one ({typical}) are on different sides"
            f" {side}"
        )

    def effects(self) -> tuple[float, float, float]:
        """Return estimate and bounds as the measure reports effects: differences or ratios."""
        low, high = self.measure.effect_interval(self.low, self.high)
        return float(self.measure.effect(self.estimate)), float(low), float(high)


@savable
@shaped(level="(0,1)")
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Gate(Showable, Mapping[str, GatedMeasure]):
    """Verdict on a candidate: a mapping from measure to its evidence.

    Attributes
    ----------
    baseline
        The algorithm that is in place.
    candidate
        The algorithm that is to take its place.
    want
        What a pass shows on each measure: ``"noninferior"`` or ``"superior"``.
    level
        Confidence level.
    on_undecided
        What an undecided gate counts as, None for neither.
    measures
        Name of the measure to its evidence.
    unpaired
        The verdict if replications were not paired, where they are as their labels agree; else
        None.
    notes
        Sentences on what the verdict leaves out, and on where its options come from.
    by_more_than
        What a candidate that is to be better has to be better by, in the unit of the measure, of
        a ratio as a share.
    """

    _home: ClassVar[str] = "benchinfer.analyses.gate"

    baseline: str
    candidate: str
    want: Want
    level: float
    on_undecided: Literal["fail", "pass"] | None
    measures: Mapping[str, GatedMeasure]
    notes: tuple[str, ...]
    unpaired: Outcome | None = None
    by_more_than: float = 0.0

    def __getitem__(self, measure: str) -> GatedMeasure:
        """Return the evidence on one measure."""
        return self.measures[measure]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the measures."""
        return iter(self.measures)

    def __len__(self) -> int:
        """Return the number of measures."""
        return len(self.measures)

    @property
    def verdict(self) -> Outcome:
        """Pass if every measure passes, fail if some measure fails, else undecided.

        References
        ----------
        Berger (1982), https://doi.org/10.1080/00401706.1982.10487790
        """
        if any(row.verdict == "fail" for row in self.values()):
            return "fail"
        judged = {row.verdict for row in self.values() if not row.fails_only}
        return "pass" if judged == {"pass"} else "undecided"

    @property
    def decisive(self) -> dict[str, GatedMeasure]:
        """Measures whose verdict is that of the gate."""
        return {
            name: row
            for name, row in self.items()
            if row.verdict == self.verdict and (self.verdict == "fail" or not row.fails_only)
        }

    @property
    def outcome(self) -> Outcome:
        """The verdict, or what an undecided gate counts as."""
        if self.verdict != "undecided" or self.on_undecided is None:
            return self.verdict
        # A pass would ignore runs that failed, whatever they count as.
        lacking = any(row.missing.of_candidate for row in self.values())
        return self.verdict if lacking and self.on_undecided == "pass" else self.on_undecided

    @property
    def passed(self) -> bool:
        """True if the outcome is a pass."""
        return self.outcome == "pass"

    def headline(self) -> str:
        """Return the verdict in one sentence, with direction, unit of generalisation and gaps."""
        scopes = {row.scope for row in self.decisive.values()}
        where = f", {scopes.pop()}" if len(scopes) == 1 and "" not in scopes else ""
        gaps = f" ({'; '.join(self.gaps())})" if self.gaps() else ""
        counted = ""
        if self.outcome != self.verdict:
            counted = f" Undecided counts as a {self.outcome} here."
        if self.verdict == "pass":
            counted = "".join(
                f" It solved fewer runs ({row.measure.noun}: {100 * row.estimate:+.2g} points),"
                " which does not show that it is worse at that."
                for row in self.values()
                if row.fails_only and row.estimate < 0
            )
        harmed = self._harmed()
        paired = ""
        if self.unpaired not in (None, self.verdict):
            paired = (
                " Replications are taken as paired, as their labels agree; if each algorithm had"
                f" its own, this is {'' if self.unpaired == 'undecided' else 'a '}{self.unpaired}."
            )
        claim = f"{self.verdict.capitalize()}{gaps}{where}: {self._claim()}"
        return f"{claim}.{harmed}{paired}{counted}"

    def _harmed(self) -> str:
        """Return the data sets beyond the tolerance as a sentence; empty where there are none."""
        each = {
            name: (row.measure, row.harm.named(row.measure))
            for name, row in self.items()
            if row.harm is not None and row.harm.beyond and not row.few_runs
        }
        if not each:
            return ""
        parts = [
            ("beyond the tolerance" if measure.tolerance else "worse")
            + f" on {text}"
            + (f" ({name})" if len(self) > 1 else "")
            for name, (measure, text) in each.items()
        ]
        return f" {sentence('; '.join(parts))}."

    def gaps(self) -> list[str]:
        """Return the scores that candidate or baseline lacks, and what they count as."""
        texts: dict[str, list[str]] = {}
        judged = {name: row for name, row in self.items() if not row.fails_only}
        for name, row in judged.items():
            if text := row.missing.text:
                counts = f", which count as {row.counted}" if row.counted else ""
                texts.setdefault(text + counts, []).append(name)
        if [len(judged)] == [len(names) for names in texts.values()]:
            return list(texts)
        return [f"on {join(names)} {text}" for text, names in texts.items()]

    def _claim(self) -> str:
        """Return the claim about the candidate that goes with the verdict, as a clause."""
        named = list(self.decisive)
        withheld = [self[name].measure for name in named if self[name].withheld]
        rows = [self[name].measure for name in named]
        if withheld:
            claim = (
                f"missing scores rule out a pass; where both have scores, {self.candidate} is"
                f" {self._wanted(withheld)}"
            )
            if len(withheld) < len(named):
                others = [name for name in named if not self[name].withheld]
                claim = f"the scores leave {join(others)} open, and {claim}"
            rows, named = withheld, [measure.name for measure in withheld]
        elif self.verdict == "undecided" and (few := [n for n in named if self[n].few_runs]):
            claim, rows, named = self[few[0]].one_run(), [self[few[0]].measure], few[:1]
        elif self.verdict == "undecided" and (split := [n for n in named if self[n].split]):
            claim, rows, named = (
                self[split[0]]._disagreement(beyond=self.by_more_than > 0),
                [self[split[0]].measure],
                split[:1],
            )
        elif self.verdict == "undecided":
            claim = (
                f"the scores show neither that {self.candidate} is {self._wanted(rows)}, nor that"
                f" it is {self._worse(rows)}"
            )
        elif self.verdict == "pass":
            claim = f"{self.candidate} is {self._shown(named)}"
        else:
            claim = f"{self.candidate} is {self._worse(rows)}"
        if len(rows) == 1:
            return f"{claim} ({wording.direction(rows[0])})"
        n = sum(self.verdict == "fail" or not row.fails_only for row in self.values())
        return f"{claim}, on {'each of ' if len(rows) == n else ''}{join(named)}"

    def _shown(self, names: Sequence[str]) -> str:
        """Return the predicate of a pass, with the loss where one within the tolerance is shown."""
        measures = [self[name].measure for name in names]
        if self.want == "noninferior" and all(self[name].high < 0 for name in names):
            return (
                f"not worse than {self.baseline} by {_tolerance(measures)} or more; it is worse, by"
                f" less than {_tolerance(measures)}"
            )
        return self._wanted(measures)

    def _wanted(self, measures: Sequence[Measure]) -> str:
        """Return the predicate that a pass has to show: better, or not worse by the tolerance."""
        if self.want == "superior":
            return f"better than {self.baseline}{self._beyond(measures)}"
        if all(measure.tolerance == 0 for measure in measures):
            return f"better than {self.baseline}, as no tolerance is set"
        return f"not worse than {self.baseline} by {_tolerance(measures)} or more"

    def _beyond(self, measures: Sequence[Measure]) -> str:
        """Return what better has to exceed, as words after it; empty where this is 0."""
        if not self.by_more_than:
            return ""
        return f" by more than {wording.margin(replace(measures[0], tolerance=self.by_more_than))}"

    def _worse(self, measures: Sequence[Measure]) -> str:
        """Return the predicate that a fail has to show: worse by more than the tolerance."""
        if all(measure.tolerance == 0 for measure in measures):
            return f"worse than {self.baseline}"
        return f"worse than {self.baseline} by more than {_tolerance(measures)}"

    def summary(self) -> pd.DataFrame:
        """Return one row per measure.

        Returns
        -------
        pandas.DataFrame
            ``measure first second estimate conf_low conf_high tolerance p_pass p_fail p_fail_raw
            outcome``: first is the candidate, and the interval's ends are one-sided bounds at the
            level of the gate.
        """
        rows = list(self.values())
        effects = [row.effects() for row in rows]
        return frame(
            {
                "measure": list(self),
                "first": [self.candidate] * len(rows),
                "second": [self.baseline] * len(rows),
                **{
                    name: [effect[i] for effect in effects]
                    for i, name in enumerate(("estimate", "conf_low", "conf_high"))
                },
                "tolerance": [row.measure.tolerance for row in rows],
                "p_pass": [row.p_pass for row in rows],
                "p_fail": [row.p_fail for row in rows],
                "p_fail_raw": [row.p_fail_raw for row in rows],
                "outcome": [row.verdict for row in rows],
            }
        )

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        alpha = level_percent(1 - self.level)
        several, measures = len(self) > 1, [r.measure for r in self.values() if not r.fails_only]
        each = " by each measure" if len(measures) > 1 else ""
        holm = ", adjusted by Holm's steps over the measures" if several else ""
        wanted = {
            "superior": f"that the candidate is better{self._beyond(measures)}",
            "noninferior": "that the candidate is not worse by the tolerance or more",
        }
        margins = ". ".join(
            f"The tolerance on {measure.noun} is {wording.margin(measure)}"
            if measure.tolerance
            else f"No tolerance is set on {measure.noun}, where not worse means better"
            for measure in measures
        )
        if shares := [row.measure.noun for row in self.values() if row.fails_only]:
            margins += (
                f". A candidate that is shown to be worse on the {join(shares)} fails, whatever its"
                " times are; a pass rests on the times"
            )
        return (
            f"The gate passes where the one-sided test {wanted[self.want]} rejects at"
            f" {alpha}{each}, and fails where the one-sided test that it is worse by more than the"
            f" tolerance does{holm}; else it is undecided. {margins}."
        )

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        tests = (
            "Each measure is tested once for a pass and once for a fail, one-sided at"
            f" {level_percent(1 - self.level)}; the bounds shown and the power of further data are"
            " those of these tests."
        )
        return " ".join([*dict.fromkeys(row.comparison.method for row in self.values()), tests])

    def citations(self) -> str:
        """Return BibTeX entries of the methods used."""
        sources = [source for row in self.values() for source in row.comparison._sources()]
        return bibtex([*sources, *([Gate.verdict, holm] if len(self) > 1 else [])])

    __str__ = headline

    def description(self) -> str:
        """Return the verdict and the algorithms."""
        return f"<Gate: {self.verdict}, {self.candidate} against {self.baseline}>"


def _tolerance(measures: Sequence[Measure]) -> str:
    return wording.margin(measures[0]) if len(measures) == 1 else "the tolerance"
