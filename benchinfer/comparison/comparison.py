"""Comparison: a verdict for every pair of algorithms, with its evidence.

Every analysis returns a `Comparison`; relations, figures and reports see nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.comparison import wording
from benchinfer.comparison.evidence import (
    Array,
    Evidence,
    Level,
    Provenance,
    Setting,
    alpha_of,
    checks_frame,
    decide,
)
from benchinfer.core.citations import bibtex
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.frames import frame
from benchinfer.core.hints import Option
from benchinfer.core.measure import Measure
from benchinfer.core.result import Showable
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict, verdict_columns
from benchinfer.relations.relation import Relation

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.options import TestedOptions


type Alternative = Literal["two-sided", "better", "worse"]
type Target = Literal["domain", "datasets"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Showable):
    """Verdicts and evidence for every pair of algorithms on one measure.

    Attributes
    ----------
    setting
        What was compared.
    pairs
        (P, 2) index pairs into ``setting.algorithms``; -1 for a side that is an average of several.
    codes
        (P,) `Verdict` codes of the pairs.
    level
        Confidence level.
    target
        What the claims are about: ``"domain"`` (the population the data sets come from) or
        ``"datasets"`` (these data sets).
    levels
        Level of each algorithm.
    checks
        Diagnostics.
    provenance
        Where the result comes from.
    sides
        (P,) names of both sides where some side is an average of several algorithms, else empty.
    names
        (P,) names that the user gave to the contrasts, else empty.
    """

    home: ClassVar[str] = "benchinfer.comparison"
    formula_name: ClassVar[str] = "Statistic"

    setting: Setting
    pairs: NDArray[np.int64]
    codes: NDArray[np.int8]
    level: float
    target: Target
    levels: Level
    checks: tuple[Check, ...]
    provenance: Provenance
    sides: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    names: tuple[str, ...] = field(default=(), kw_only=True)

    # What the analysis is called in headings.
    title: ClassVar[str] = "Comparison"
    # What goes before "better" in a headline.
    shown: ClassVar[str] = "shown to be "

    @property
    def heading(self) -> str:
        """Name of the analysis in headings."""
        return self.title

    @property
    def measure(self) -> Measure:
        """The measure compared."""
        return self.setting.measure

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms' names, sorted."""
        return self.setting.algorithms

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        raise NotImplementedError

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        raise NotImplementedError

    @property
    def formula(self) -> str:
        """The model or statistic in one line."""
        raise NotImplementedError

    @property
    def intervals(self) -> str:
        """Description of the contrasts' intervals; empty if there are none."""
        return ""

    def effects(self) -> Mapping[str, Array]:
        """Return the columns of `contrasts` that hold numbers, in the measure's own unit."""
        raise NotImplementedError

    def contrasts(self) -> "pd.DataFrame":
        """One row per pair of algorithms.

        Returns
        -------
        pandas.DataFrame
            ``measure first second estimate ... verdict winner``; see the glossary.
        """
        named = verdict_columns(self.named_sides(), self.codes)
        return frame(
            {
                "measure": [self.measure.name] * len(self.pairs),
                **({"contrast": list(self.names)} if self.names else {}),
                "first": named["first"],
                "second": named["second"],
                **self.effects(),
                "verdict": named["verdict"],
                "winner": named["winner"],
            }
        )

    def named_sides(self) -> list[tuple[str, str]]:
        """Return the names of both sides of each contrast."""
        names = self.algorithms
        return list(self.sides) or [(names[int(i)], names[int(j)]) for i, j in self.pairs]

    def summary(self) -> "pd.DataFrame":
        """One row per algorithm: ``measure algorithm estimate [conf_low conf_high] n rank``.

        The estimate is the algorithm's level in the measure's own unit; rank 1 is best.
        """
        from scipy.stats import rankdata

        columns: dict[str, object] = {
            "measure": [self.measure.name] * len(self.algorithms),
            "algorithm": list(self.algorithms),
            "estimate": self.measure.level_of(self.levels.estimate),
        }
        if self.levels.low is not None and self.levels.high is not None:
            low, high = self.measure.level_interval(self.levels.low, self.levels.high)
            columns |= {"conf_low": low, "conf_high": high}
        columns |= {
            "n": self.setting.coverage.found.sum(axis=0),
            "rank": rankdata(-self.levels.estimate),
        }
        return frame(columns)

    def diagnostics(self) -> "pd.DataFrame":
        """One row per check: ``check value direction limit ok remedy``."""
        return checks_frame(self.checks)

    def relation(self, rule: str = "evidence") -> Relation:
        """Return the preference relation.

        Parameters
        ----------
        rule
            ``"evidence"``: the verdicts themselves.

        Raises
        ------
        DesignError
            The rule does not exist for this comparison.
        """
        if rule != "evidence":
            raise DesignError(unknown("rule", rule, ["evidence"]))
        real = (self.pairs >= 0).all(axis=1)
        return Relation.from_codes(self.algorithms, self.pairs[real], self.codes[real], self.rule)

    def irrelevant(self) -> list[tuple[str, str]]:
        """Return the pairs that differ significantly, but by less than the tolerance."""
        return []

    def headline(self) -> str:
        """Return the verdict in one sentence, with direction and unit of generalisation."""
        if self.sides:
            return wording.claims(self.named_sides(), self.codes, self.measure, self.scope())
        levels, scope = self.levels.estimate, self.scope()
        return wording.headline(self.relation(), self.measure, scope, levels, shown=self.shown)

    @property
    def level_words(self) -> str:
        """What the levels of the summary are about where that is not the mean, in words."""
        return ""

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        return wording.scope(self.setting, self.target)

    @property
    def relative(self) -> bool:
        """True if levels are relative to the mean of the algorithms: effects have no level."""
        return False

    def citations(self) -> str:
        """Return BibTeX entries of the methods used."""
        return bibtex(self.sources())

    def sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Return the headline."""
        return self.headline()

    def __repr__(self) -> str:
        """Return the kind of comparison, its measure, and the order."""
        return f"<{type(self).__name__} of {self.measure.name}: {self.relation()}>"


@dataclass(frozen=True, eq=False, repr=False)
class TestedComparison(Comparison):
    """A comparison by tests and simultaneous intervals, or by posterior probabilities of pairs.

    Attributes
    ----------
    evidence
        Tests and intervals of the pairs.
    """

    evidence: Evidence

    @property
    def bayesian(self) -> bool:
        """Whether verdicts rest on posterior probabilities."""
        return False

    @property
    def options(self) -> "TestedOptions":
        """The arguments of the analysis."""
        raise NotImplementedError

    @property
    def alpha(self) -> float:
        """Family-wise error rate: one minus the level, free of rounding."""
        return alpha_of(self.level)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        return wording.tested_rule(self.measure, self.level, self.alternative)

    @property
    def intervals(self) -> str:
        """What the intervals of the contrasts are, in words."""
        if self.bayesian:
            return f"{100 * self.level:g} % credible intervals of each pair alone"
        alone = self.options.adjust == "none"
        shape = "intervals" if self.alternative == "two-sided" else "one-sided bounds"
        kind = f"{shape} of each pair alone" if alone else f"simultaneous {shape}"
        return f"{100 * self.level:g} % {kind}{self._over_equality()}"

    def _over_equality(self) -> str:
        """Say of how many decided pairs, whose marks are filled, the interval includes equality."""
        decided = (self.codes == Verdict.FIRST) | (self.codes == Verdict.SECOND)
        n = int((decided & (self.evidence.low <= 0) & (self.evidence.high >= 0)).sum())
        if not n:
            return ""
        which = "a filled mark is" if n == 1 else f"{n} filled marks are"
        return f"; {which} on an interval that includes equality, where the test decides"

    @property
    def alternative(self) -> Alternative:
        """Alternative hypothesis: a difference, or that first is better or worse."""
        return self.options.alternative

    def headline(self) -> str:
        """Return the verdict in one sentence, and what two data sets can show."""
        few = self.target == "domain" and not self.bayesian and (self.evidence.df == 1).all()
        return f"{super().headline()}{wording.TWO if few else ''}"

    def effects(self) -> Mapping[str, Array]:
        """Return estimate, interval and test of the pairs, in the measure's own unit."""
        e = self.evidence
        low, high = self.measure.effect_interval(e.low, e.high)
        return {
            "estimate": self.measure.effect(e.estimate),
            "conf_low": low,
            "conf_high": high,
            "std_error": e.std_error,
            "df": e.df,
            "statistic": e.statistic,
            "p_value": e.p_value,
            **({} if e.p_error is None else {"p_error": e.p_error}),
            "p_raw": e.p_raw,
            "p_equivalence": e.p_equivalence,
            **({} if e.p_noninferiority is None else {"p_noninferiority": e.p_noninferiority}),
        }

    def irrelevant(self) -> list[tuple[str, str]]:
        """Return the pairs that differ significantly, but by less than the tolerance."""
        if self.bayesian:
            return []
        small = (self.codes == Verdict.EQUIVALENT) & (self.evidence.p_value <= self.alpha)
        return [pair for pair, one in zip(self.named_sides(), small, strict=True) if one]

    def noninferior(self) -> list[tuple[str, str]]:
        """Return the pairs (a, b) of which a is shown not to be worse than b by the tolerance.

        One-sided tests with a tolerance show it; else the list is empty.
        """
        p = self.evidence.p_noninferiority
        if p is None:
            return []
        turn = 1 if self.alternative == "better" else -1
        found = zip(self.named_sides(), p <= self.alpha, strict=True)
        return [(pair[0], pair[1])[::turn] for pair, shown in found if shown]  # pyright: ignore[reportReturnType]

    def relation(self, rule: str = "evidence") -> Relation:
        """Return the preference relation.

        Parameters
        ----------
        rule
            ``"evidence"``: the verdicts themselves. ``"not-significant"``: the legacy rule of
            published benchmark relations, which calls every pair equivalent whose difference is
            not significant and ignores the tolerance.

        Raises
        ------
        DesignError
            The rule does not exist, or needs p-values that there are not.
        """
        if rule == "evidence":
            return super().relation()
        if rule != "not-significant":
            raise DesignError(unknown("rule", rule, ["evidence", "not-significant"]))
        if self.bayesian:
            raise DesignError(
                message(
                    "posterior probabilities are not significant or otherwise.",
                    hint=f"{Option('rule', 'evidence')} takes the verdicts as they stand.",
                )
            )
        nothing = np.ones(len(self.pairs))
        codes = decide(self.evidence.estimate, self.evidence.p_value, nothing, self.alpha)
        codes[codes == Verdict.UNDECIDED] = Verdict.EQUIVALENT
        text = f"not significant at {self.alpha:.4g} is called equivalent (legacy rule)"
        real = (self.pairs >= 0).all(axis=1)
        return Relation.from_codes(self.algorithms, self.pairs[real], codes[real], text)


def pair_order(comparison: Comparison, pairs: NDArray[np.int64] | None = None) -> list[int]:
    """Return the pairs in the order of their better, then their worse placed algorithm."""
    places = np.sort(pair_places(comparison, comparison.pairs if pairs is None else pairs), axis=1)
    return [int(i) for i in np.lexsort((places[:, 1], places[:, 0]))]


def pair_places(comparison: Comparison, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (P, 2) places of both sides among the algorithms; averages come after them."""
    k = len(comparison.algorithms)
    place = np.full(k + 1, k)
    place[np.argsort(-comparison.levels.estimate, kind="stable")] = np.arange(k)
    return place[pairs]
