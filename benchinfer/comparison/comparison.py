"""Comparison: a verdict for every pair of algorithms, with its evidence.

Every analysis returns a `Comparison`; relations, figures and reports see nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Literal, override

import numpy as np

from benchinfer.comparison import wording
from benchinfer.comparison.evidence import (
    Evidence,
    Level,
    Setting,
    WorstCase,
    alpha_of,
    decide,
)
from benchinfer.comparison.further import best
from benchinfer.comparison.further.best import BestSets
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.arguments import checked
from benchinfer.core.citations import bibtex
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import READ, checks_frame, frame
from benchinfer.core.measure import Better, Measure
from benchinfer.core.provenance import Provenance
from benchinfer.core.result import Tabular
from benchinfer.core.saving import SAME, shaped
from benchinfer.core.sections import Check
from benchinfer.core.verdict import BETTER, Comparative, Verdict, verdict_columns
from benchinfer.numerics.directions.rank_sets import RankSets
from benchinfer.numerics.multiplicity import FALSE_DISCOVERY
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array, Flags
from benchinfer.relations.relation import Relation
from benchinfer.relations.text import in_brief

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.options import TestedOptions
    from benchinfer.core.provenance import StoredOptions


type Alternative = Literal["two-sided", "better", "worse"]
type Target = Literal["domain", "datasets"]
# Condition of claims about means of few data sets.
IF_SYMMETRIC = "if differences are symmetric"
# Of the rows of a table of contrasts: as stored, by the result, or by a ranking of names.
type Order = Literal["fixed", "result"] | Sequence[str]


def stated_proviso(comparison: Comparison) -> str:
    """Return the condition of claims as the headline has it: empty where nothing is decided."""
    silent = np.isin(comparison.pairs.codes, (Verdict.UNDECIDED, Verdict.MISSING)).all()
    return "" if silent else comparison.proviso


@checked
@shaped(
    setting=SAME,
    pairs=SAME,
    levels=SAME,
    worst_case=SAME,
    level="(0,1)",
)
@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Tabular):
    """Verdicts and evidence for every pair of algorithms on one measure.

    Attributes
    ----------
    setting
        What was compared.
    pairs
        The contrasts with their verdicts.
    level
        Confidence level, or the probability that a verdict takes.
    target
        What the claims are about: ``"domain"`` (the population the data sets come from) or
        ``"datasets"`` (these data sets).
    levels
        Level of each algorithm.
    stored_checks
        Diagnostics that were worked out with the verdicts.
    provenance
        Where the result comes from.
    worst_case
        Verdicts with the worst score in place of failed runs and missing scores; None where these
        were not compared.
    """

    _home: ClassVar[str] = "benchinfer.comparison"
    _formula_name: ClassVar[str] = "Statistic"

    setting: Setting
    pairs: ComparedPairs
    level: float
    target: Target
    levels: Level
    stored_checks: tuple[Check, ...]
    provenance: Provenance
    worst_case: WorstCase | None = field(default=None, kw_only=True)

    # What the analysis is called in headings.
    _title: ClassVar[str] = "Comparison"
    # Words for the algorithm that a verdict puts first, and for the other one.
    _comparative: ClassVar[Comparative] = BETTER
    # Why it may decide a pair that another analysis leaves undecided, and the reverse.
    _decides_sooner: ClassVar[str] = "it rests on other assumptions"
    _decides_later: ClassVar[str] = "it rests on other assumptions"
    # What verdicts rely on where data sets are too few for tests that assume less.
    _leans_on: ClassVar[str] = ""

    @property
    def _checks(self) -> tuple[Check, ...]:
        """All diagnostic checks, including those that are computed on request."""
        return self.stored_checks

    @property
    def _heading(self) -> str:
        """Title of the analysis in headings."""
        return self._title

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

    # Whether verdicts are of tests or probabilities: what only describes scores decides nothing.
    _tested: ClassVar[bool] = True

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        raise NotImplementedError

    @property
    def proviso(self) -> str:
        """Condition of the claims that so few data sets cannot show, in words; empty without."""
        return ""

    @property
    def formula(self) -> str:
        """The model or statistic in one line."""
        raise NotImplementedError

    @property
    def _intervals(self) -> str:
        """Description of the contrasts' intervals; empty if there are none."""
        return ""

    @property
    def _withheld(self) -> Flags:
        """(P,) pairs that are undecided for failed runs and missing scores."""
        none = np.zeros(len(self.pairs), np.bool_)
        return none if self.worst_case is None else self.worst_case.withheld

    def _interval_note(self, pairs: Sequence[int] | None = None) -> str:
        """Reason why intervals or estimates of all or some pairs are unbounded; else empty."""
        if not (n := int(self._withheld[slice(None) if pairs is None else pairs].sum())):
            return ""
        have = "1 interval has no bound, as its verdict turns"
        have = have if n == 1 else f"{n:,} intervals have no bounds, as their verdicts turn"
        return f"{have} with the worst score for what is missing."

    def _effects(self) -> Mapping[str, Array]:
        """Return the columns of `contrasts` that hold numbers, in the measure's own unit."""
        raise NotImplementedError

    def contrasts(self, *, order: Order = "fixed", all: bool = False) -> pd.DataFrame:  # noqa: A002
        """One row per pair of algorithms.

        Parameters
        ----------
        all
            Whether to return all columns. Else those that reports show, eight at most: both sides,
            the estimate with its interval, the adjusted p-value or the probabilities (the last of
            three is what the others leave to 1), the verdict, and, where there is room, the winner.
        order
            ``"fixed"``: pairs as stored, the same for every analysis of a table. ``"result"``: the
            better-ranked algorithm (`ranking`) first in each row, and rows by the ranking; the
            index is the row's number in the fixed order. A sequence of names: by that ranking.
            Rows stay as they were tested where the test is one-sided, the user named them, or a
            side is an average.

        Returns
        -------
        pandas.DataFrame
            ``first second estimate ... verdict``, with `all` also ``measure``; see the glossary.
            P-values are numbers, and printed as people write them.
        """
        if isinstance(order, str) and order not in ("fixed", "result"):
            raise DesignError(unknown("order", order, ["fixed", "result"]))
        named = verdict_columns(self.pairs.sides, self.pairs.codes)
        table = frame(
            {
                "measure": [self.measure.name] * len(self.pairs),
                **({"contrast": list(self.pairs.names)} if self.pairs.names else {}),
                "first": named["first"],
                "second": named["second"],
                **self._effects(),
                "verdict": named["verdict"],
                "winner": named["winner"],
            }
        )
        if order != "fixed":
            ranking = self.ranking() if isinstance(order, str) else order
            table = self.pairs.in_order(table, ranking=ranking)
        if all:
            return table
        unread = {"prob_equivalent"} if self.measure.tolerance == 0 else set[str]()
        there = [name for name in READ if name in table and name not in unread]
        return table[[name for name in table.columns if name in there[:8]]]

    def ranking(self) -> tuple[str, ...]:
        """Return the algorithms, best first: the one order of all figures, tables and sentences.

        By the statistic that is tested. Ties go by the number of algorithms that one
        is decided to be better than less those better than it, then by name.
        """
        return self.pairs.ranking

    @property
    def alternative(self) -> Alternative:
        """Alternative hypothesis: a difference, or that first is better or worse."""
        return "two-sided"

    def summary(self) -> pd.DataFrame:
        """One row per algorithm: ``measure algorithm estimate [conf_low conf_high mean] n rank``.

        The estimate is the algorithm's level (`level_name`), in the measure's own unit unless that
        is a rank or a score. Rank 1 is best by the statistic that is tested. The mean of the scores
        is beside the level where that is another statistic. Then follow what the verdicts leave
        open: ``may_be_best``, as none is decided to be better, and the ranks from
        ``rank_low`` to ``rank_high``.
        """
        ranges = self.pairs.possible_ranks.values()
        columns: dict[str, object] = {
            "measure": [self.measure.name] * len(self.algorithms),
            "algorithm": list(self.algorithms),
            "estimate": self.levels.shown(self.measure),
        }
        if self.levels.low is not None and self.levels.high is not None:
            low, high = self.measure.level_interval(self.levels.low, self.levels.high)
            columns |= {"conf_low": low, "conf_high": high}
        if self.levels.mean is not None and not self._relative:
            columns["mean"] = self.measure.level_of(self.levels.mean)
        columns |= {
            "n": self.setting.coverage.counts.sum(axis=0),
            "rank": _ranks(self.levels.quality),
            "may_be_best": self.pairs.may_be_best,
            "rank_low": [low for low, _ in ranges],
            "rank_high": [high for _, high in ranges],
        }
        return frame(columns)

    def best(self) -> BestSets:
        """Return the sets of the best algorithm and of ranks, by tests of their own.

        Another question than that of the pairs, with a level of its own: which algorithms no other
        one is better than, by one-sided tests (Hsu 1984), and which ranks are possible
        by tests in steps (Mogstad et al. 2024). What the verdicts leave open is in `summary`.

        Raises
        ------
        DesignError
            The analysis has no such sets: it has no inference, its tests are not of differences of
            levels, contrasts are of averages, decided pairs run in a circle, or verdicts are
            withheld for what is missing.

        References
        ----------
        Hsu, J. C. (1984), https://doi.org/10.1214/aos/1176346732. Mogstad, M., Romano, J. P.,
        Shaikh, A. M. & Wilhelm, D. (2024), https://doi.org/10.1093/restud/rdad006.

        Examples
        --------
        >>> import benchinfer as bi
        >>> scores = bi.load_example("sklearn_bootstrap")
        >>> sets = bi.compare_mixed(scores, "error").best().table()
        >>> sets.loc[sets["not_beaten"], "algorithm"].tolist()
        ['svm', 'mlp', 'rf', 'lda']
        """
        return best.sets_of(self, self._rank_sets)

    def _rank_sets(self) -> RankSets:
        raise DesignError(
            f"{self._title.lower()}: without tests there is no set of the best.",
            hint="compare, compare_mixed and compare_bayes have one.",
        )

    @property
    def _differences_of_levels(self) -> bool:
        """Whether what is tested of a pair is the difference of two levels."""
        return True

    def diagnostics(self) -> pd.DataFrame:
        """One row per check: ``check value direction limit ok sentence remedy``."""
        return checks_frame(self._checks)

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
        return self.pairs.relation(self.rule)

    def letters(self) -> dict[str, str]:
        """Return letters in ranking order; empty unless all pairs of algorithms are compared.

        Two that share a letter are undecided or equivalent.
        """
        return self.pairs.letters()

    def irrelevant(self) -> list[tuple[str, str]]:
        """Return the pairs that differ significantly, but by less than the tolerance."""
        return []

    def headline(self) -> str:
        """Return the verdict in one sentence, with direction and unit of generalisation."""
        read = self.setting.members or self.setting.coverage
        gaps = wording.gaps(read)
        scope, measure = self.scope(), self.measure
        if condition := stated_proviso(self):
            scope = f"{scope}, {condition}"
        if self.pairs.averages:
            return f"{wording.claims_of(self, measure, scope)}{gaps}"
        relation, levels = self.pairs.relation(), self.levels.quality
        words = ("lower", "higher") if len(levels) == 2 else ("lowest", "highest")
        better = (self.levels.order is None and self.levels.better) or measure.better
        most = f"the {words[better == 'higher']} {self.levels.ordered_by(measure)}"
        thin = wording.resting(read)
        first = wording.headline(relation, measure, scope, levels, most, thin)
        return f"{first}{gaps}"

    def sentence(self) -> str:
        """Return sentences for a results section, with the numbers of `table` in its order.

        The headline; each verdict against the best, or the control, with estimate, interval and
        adjusted p-value or probability; and what is decided among the other algorithms.
        `benchinfer.papers.latex` writes them for LaTeX.
        """
        return import_module("benchinfer.papers.sentences").sentence(self)

    @property
    def level_name(self) -> str:
        """Statistic that is tested, whose values are the levels of the summary, in words."""
        return self.levels.name.replace("{}", self.measure.name) or self.measure.name

    @property
    def level_better(self) -> Better:
        """Direction in which levels are better: lower for ranks."""
        return self.levels.better or self.measure.better

    @property
    def _level_words(self) -> str:
        """Description of the estimand of the levels where it is not the mean, else empty."""
        return ""

    @property
    def _level_note(self) -> str:
        """Description of the estimator of the levels where the default needs an explanation."""
        order, quality = joined_levels(self.levels.estimate), self.levels.quality
        known = np.flatnonzero(np.isfinite(order) & np.isfinite(quality))
        apart = np.diff(order[known[np.argsort(quality[known], kind="stable")]])
        if self.levels.order is None or (apart >= 0).all():
            return ""
        return (
            "Ranks are by the differences of pairs, which are tested; levels are each algorithm's"
            " own."
        )

    def scope(self) -> str:
        """Return the scope of the claims in words: a domain, these data sets or one data set."""
        return wording.scope(self.setting, self.target)

    @property
    def _given_domains(self) -> bool:
        """True if claims are about the domains of the table, of which data sets are samples."""
        return False

    @property
    def _relative(self) -> bool:
        """True if levels are relative to the mean of the algorithms: effects have no level."""
        return False

    def citations(self) -> str:
        """Return BibTeX entries of the methods used."""
        return bibtex(self._sources())

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Return the headline."""
        return self.headline()

    def description(self) -> str:
        """Return the kind of comparison, its measure, and the order."""
        return f"<{type(self).__name__} of {self.measure.name}: {in_brief(self.relation())}>"


@checked
@shaped(evidence=SAME)
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
    def _bayesian(self) -> bool:
        """Whether verdicts rest on posterior probabilities."""
        return False

    if TYPE_CHECKING:
        options: ClassVar[StoredOptions[TestedOptions]]

    @property
    def _alpha(self) -> float:
        """Error rate of the family: one minus the level, free of rounding."""
        return alpha_of(self.level)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        rule = wording.tested_rule(self.measure, self.level, self.alternative)
        if self._controls_rate:
            rule += wording.rate_of_rule(self.measure, self.level)
        return rule

    @property
    def _controls_rate(self) -> bool:
        """Whether p-values of several contrasts control the false discovery rate."""
        requested = self.options.adjust in FALSE_DISCOVERY
        return requested and len(self.pairs) > 1 and not self._bayesian

    @property
    def _intervals(self) -> str:
        """Description of the intervals of the contrasts: their level, kind and adjustment."""
        if self._bayesian:
            return f"{100 * self.level:g} % credible intervals of each pair alone"
        alone = self.options.adjust == "none" or self.options.statement == "pairwise"
        shape = "intervals" if self.alternative == "two-sided" else "one-sided bounds"
        kind = f"{shape} of each pair alone" if alone else f"simultaneous {shape}"
        return f"{100 * self.level:g} % {kind}"

    @property
    @override
    def alternative(self) -> Alternative:
        return self.options.alternative

    def headline(self) -> str:
        """Return the verdict in one sentence, with a caveat where data sets are very few."""
        one = bool(np.isclose(self.evidence.df, 1.0, rtol=1e-9).all())
        few = self.target == "domain" and not self._bayesian and one
        units = "data sets" if self.setting.members is None else "domains"
        two = len(self.setting.coverage.datasets) == 2
        caveat = wording.ONE_DF.format(f"{'Two' if two else 'These'} {units}") * few
        return f"{super().headline()}{caveat}{self._by_name}"

    @property
    def _by_name(self) -> str:
        """Sentence on a false discovery rate, or on directions by name of all pairs; else empty."""
        if self._bayesian:
            return ""
        options = self.options
        if self._controls_rate:
            return wording.discovery(self.level)
        alphabetical = options.contrasts == "tukey" and getattr(options, "pair", None) is None
        if not alphabetical or self.alternative == "two-sided":
            return ""
        return (
            " Of each pair only this was tested: that the algorithm earlier by name is"
            f" {self.alternative}. One-sided tests are for comparisons with a control, or in an"
            " order fixed beforehand."
        )

    def _effects(self) -> Mapping[str, Array]:
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
            **({} if e.equivalence_low is None else self._of_equivalence()),
            **({} if e.p_noninferiority is None else {"p_noninferiority": e.p_noninferiority}),
        }

    def _of_equivalence(self) -> Mapping[str, Array]:
        """Return the intervals of equivalent pairs, NaN for the others; empty where none is."""
        low, high = self.evidence.equivalence_low, self.evidence.equivalence_high
        equal = self.pairs.codes == Verdict.EQUIVALENT
        if low is None or high is None or not equal.any():
            return {}
        low, high = (np.where(equal, end, np.nan) for end in (low, high))
        low, high = self.measure.effect_interval(low, high)
        return {"equivalence_low": low, "equivalence_high": high}

    def irrelevant(self) -> list[tuple[str, str]]:
        """Return the pairs that differ significantly, but by less than the tolerance."""
        if self._bayesian:
            return []
        small = (self.pairs.codes == Verdict.EQUIVALENT) & (self.evidence.p_value <= self._alpha)
        return [pair for pair, one in zip(self.pairs.sides, small, strict=True) if one]

    def noninferior(self) -> list[tuple[str, str]]:
        """Return the pairs (a, b) in which a is non-inferior to b at the tolerance.

        One-sided tests with a tolerance show it; else the list is empty.
        """
        p = self.evidence.p_noninferiority
        if p is None:
            return []
        turn = 1 if self.alternative == "better" else -1
        tested = zip(self.pairs.sides, p <= self._alpha, strict=True)
        return [(pair[0], pair[1])[::turn] for pair, shown in tested if shown]  # pyright: ignore[reportReturnType]

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
        if self._bayesian:
            raise DesignError(
                "posterior probabilities are not significant or otherwise.",
                hint='rule="evidence" takes the verdicts as they stand.',
            )
        nothing = np.ones(len(self.pairs))
        codes = decide(self.evidence.estimate, self.evidence.p_value, nothing, self._alpha)
        codes[codes == Verdict.UNDECIDED] = Verdict.EQUIVALENT
        text = f"not significant at {self._alpha:.4g} is called equivalent (legacy rule)"
        return self.pairs.relation(text, codes)


def _ranks(levels: Array) -> Array:
    """Return ranks of levels, 1 for the best and mean ranks for ties; all NaN where any is NaN."""
    # SciPy's rankdata would load all of its statistics.
    ordered = np.sort(-levels)
    below, to = (np.searchsorted(ordered, -levels, side) for side in ("left", "right"))
    return np.where(np.isnan(levels).any(), np.nan, (below + to + 1) / 2)
