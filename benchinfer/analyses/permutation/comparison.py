"""Comparison by permutation tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, override

import numpy as np

from benchinfer.analyses.permutation import overall
from benchinfer.analyses.permutation.adjustment import Procedure
from benchinfer.analyses.permutation.blocks import Exchangeable
from benchinfer.analyses.permutation.numerics import friedman
from benchinfer.analyses.permutation.options import PermutationOptions
from benchinfer.analyses.permutation.overall import GlobalRow, RankSums
from benchinfer.analyses.permutation.pairs import ordered_terms
from benchinfer.analyses.permutation.pooled import PooledTests
from benchinfer.comparison import wording
from benchinfer.comparison.adjustment import ADJUSTMENTS, needs, sidak
from benchinfer.comparison.comparison import IF_SYMMETRIC, TestedComparison
from benchinfer.comparison.contrasts import some_of
from benchinfer.comparison.further import best
from benchinfer.comparison.wording import zeros
from benchinfer.core.arguments import seed_of
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count, join
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.directions.rank_sets import RankSets, TermReference, rank_sets
from benchinfer.numerics.rotations import all_flips
from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.scores.numerics.skewness import FEWEST

if TYPE_CHECKING:
    import pandas as pd


_ALONE = {
    "values": "the mean difference of the pair against random signs of its differences",
    "aligned-ranks": "the signed ranks of the pair's differences",
    "ranks": "the signed ranks of the pair's differences",
    "normal-scores": "the signed normal scores of the pair's differences",
    "dispersion": "the mean difference of the pair's spreads against random signs",
}
_REPEATED = {
    "values": "the difference of the pair's means within data sets",
    "aligned-ranks": "the joint ranks of the pair's scores without their data set's mean",
    "ranks": "the ranks of the pair's scores within data sets",
    "normal-scores": "normal scores of the joint ranks of the pair's aligned scores",
    "dispersion": "the distances of the pair's scores from their common median within data sets",
}
_POOLED = {
    "values": "the scores of all algorithms",
    "aligned-ranks": "ranks of all scores without their block's mean",
    "ranks": "ranks of all algorithms within blocks",
    "normal-scores": "normal scores of the ranks of all scores without their block's mean",
    "dispersion": "the spreads of all algorithms",
}
_NULLS = {
    "exact": "all equally likely arrangements",
    "monte-carlo": "random arrangements",
    "asymptotic": "the normal limit",
}


def by_kind(kinds: Sequence[str], words: Mapping[str, str]) -> str:
    """Return null distributions in words, with the number of pairs of each if they differ.

    Examples
    --------
    >>> by_kind(["exact", "exact", "monte-carlo"], {"exact": "all", "monte-carlo": "drawn"})
    'all (2 pairs) and drawn (1 pair)'
    """
    n = Counter(kinds)
    return join([words[one] + f" ({count(n[one], 'pair')})" * (len(n) > 1) for one in n])


def draws_flips(adjusted: str, n_blocks: int) -> bool:
    """Return whether an adjustment draws flips of the signs of blocks."""
    return needs(adjusted, "flips") and not all_flips(n_blocks)


type NullDistribution = Literal["exact", "monte-carlo", "asymptotic"]


@savable
@shaped(p_error="P", zeros="P")
@dataclass(frozen=True, eq=False, repr=False)
class PermutationComparison(TestedComparison):
    """Verdicts from permutation tests within blocks.

    Attributes
    ----------
    unit
        What a block is, in words.
    repeated
        Whether a block can hold several scores of an algorithm.
    outcomes
        Whether scores in blocks are 0 or 1, so that differences are of rates.
    p_error
        (P,) standard error of the evaluation of the adjusted p-values: 0 where exact.
    zeros
        (P,) number of differences of zero, which tests of a pair's differences leave out.
    endless
        (P,) whether the pair's own test has no end at the level of the interval, which runs between
        the least and the largest difference then.
    adjusted
        The adjustment.
    kinds
        Null distribution behind the p-value of each pair alone.
    pooled
        Tests with scores that all algorithms share, of the same pairs.
    rows
        Global tests.
    ranks
        Sums of within-block ranks.
    blocks
        Scores in blocks, where differences of means change their signs together; else None.
    """

    _home: ClassVar[str] = "benchinfer.analyses.permutation"

    unit: str
    repeated: bool
    outcomes: bool
    p_error: Array
    zeros: Codes
    endless: Flags
    adjusted: Procedure
    kinds: tuple[NullDistribution, ...]
    pooled: PooledTests
    rows: tuple[GlobalRow, ...]
    ranks: RankSums
    blocks: Exchangeable | None = None

    _title: ClassVar[str] = "Permutation tests"
    _decides_sooner: ClassVar[str] = "extreme data sets weigh less, consistent ones more"
    _decides_later: ClassVar[str] = "extreme data sets weigh less, and p-values are coarse"

    options: ClassVar[StoredOptions[PermutationOptions]] = StoredOptions(PermutationOptions)

    @property
    def on(self) -> str:
        """Scores of the tests: values, ranks, aligned ranks, normal scores or dispersion."""
        return self.options.on

    @property
    def pairwise(self) -> bool:
        """True if each pair was tested on its own scores."""
        return self.options.pairs == "pairwise"

    @property
    def formula(self) -> str:
        """The statistic in one line."""
        if self.pairwise:
            return (_REPEATED if self.repeated else _ALONE)[self.on]
        return f"standardised sums over blocks of {_POOLED[self.on]}"

    @property
    def proviso(self) -> str:
        """Condition of claims about means that so few data sets cannot show; empty without one."""
        scale = self.measure.normalised  # equal algorithms have symmetric differences of ranks
        ranks = scale is not None and scale.kind == "ranks"
        of_means = self.on == "values" and not (self.rates or self.repeated or ranks)
        few = self.target == "domain" and self.ranks.n_blocks < FEWEST
        return IF_SYMMETRIC if of_means and few else ""

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        blocks = f"{count(self.ranks.n_blocks, 'block')}, each a {self.unit}"
        nulls = by_kind(self.kinds, _NULLS)
        scale = "" if self.measure.scale == "identity" else f"{self.measure.scale} "
        how = (
            f"Each pair was tested on its own scores: {self.formula}"
            if self.pairwise
            else f"Pairs were tested by {self.formula}, which controls errors over pairs only if"
            " all algorithms are alike"
        )
        margin = ""
        if self.measure.tolerance > 0:
            tested = "shifting the pair's own scores by the tolerance either way"
            if self.rates:
                tested = "two one-sided tests, by inversion of these intervals"
            adjusted = "" if self.pairwise else ", with adjustment by Holm"
            margin = f" Equivalence was tested by {tested}{adjusted}."
        units = (
            " scores were divided by their data set's standard deviation within blocks, in tests"
            " only;"
            if self.options.scale == "dataset"
            else ""
        )
        return (
            f"{wording.units(self.setting)}"
            f"The {scale}scores of {self.measure.noun} were compared by permutation within"
            f" {blocks}. {how};{units} p-values are from {nulls}."
            f"{self._drawn}{zeros(self.zeros) if self.pairwise else ''} Estimates are"
            f" {self._estimates}.{margin} {self.provenance.adjustment}."
            f"{wording.proviso(self.proviso)}"
        )

    @property
    def drawn(self) -> bool:
        """Whether random arrangements or sign flips are behind the p-values of pairs."""
        flips = self.pairwise and draws_flips(self.adjusted, self.ranks.n_blocks)
        return flips or bool(self.p_error.any()) or "monte-carlo" in self.kinds

    @property
    def _drawn(self) -> str:
        """Number and seed of random arrangements and flips, as a sentence behind another."""
        if not self.drawn:
            return ""
        n = f"{self.options.resamples:,}"
        return (
            f" Of random arrangements and sign flips up to {n} were drawn for a test, seed"
            f" {self.provenance.seed}."
        )

    @property
    def rates(self) -> bool:
        """True if estimates are differences of rates, as all scores are 0 or 1."""
        return self.outcomes and self.on != "dispersion"

    @property
    def _estimates(self) -> str:
        if self.rates:
            paired = "" if self.repeated else " for paired rates"
            return (
                f"differences of rates, as all scores are 0 or 1, with Newcombe's intervals{paired}"
            )
        if self.on in ("values", "dispersion"):
            return "mean differences with t intervals, each pair with a standard error of its own"
        return "Hodges-Lehmann shifts with intervals by inversion of the pair's own rank test"

    @property
    @override
    def _differences_of_levels(self) -> bool:
        return self.of_means or not self.pairwise

    @override
    def _rank_sets(self) -> RankSets:
        """Return the sets of the best and of ranks: by flips of whole blocks where these go."""
        if (data := self.blocks) is None:
            return best.of_raw_p_values(self)
        procedure = self.options.procedure(self.measure.margin)
        flips = TermReference(lambda margin: ordered_terms(data, procedure, margin), procedure.seed)
        return rank_sets(flips, procedure.alpha, procedure.margin)

    @property
    def of_means(self) -> bool:
        """True if verdicts are about means, and not about a typical block."""
        return self.rates or self.on in ("values", "dispersion")

    @override
    def _interval_note(self, pairs: Sequence[int] | None = None) -> str:
        """Note on intervals whose test has no end at their level: what they run between."""
        of_gaps = super()._interval_note(pairs)
        endless = (self.endless & ~self._withheld)[slice(None) if pairs is None else pairs]
        n = int(endless.sum())
        if not n:
            return of_gaps
        which = "1 interval runs" if n == 1 else f"{n:,} intervals run"
        which = "All intervals run" if n == len(endless) > 1 else which
        alone, d = "", self.ranks.n_blocks
        of_all = self.ranks.complete and not self.repeated
        if of_all:
            level = 1 - 2.0 ** (1 - d) if self.alternative == "two-sided" else 1 - 2.0**-d
            alone = f" Of one pair alone they hold at {100 * level:.4g} %."
        note = (
            f"{which} between the least and largest of {f'the {d}' if of_all else 'its'}"
            f" differences, as the test of so few {self.unit}s has no end at the level of the"
            f" intervals.{alone}"
        )
        return f"{note} {of_gaps}" if of_gaps else note

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        typical = wording.TYPICAL if self.target == "domain" else f"on a typical {self.unit} of"
        over = wording.AVERAGE if self.of_means else typical
        where = wording.scope(self.setting, self.target, where=over)
        return f"in the spread of scores, {where}" if self.on == "dispersion" else where

    def headline(self) -> str:
        """Return the verdict in one sentence, and which decided pairs do not differ as a rule."""
        none = self.pairs.decided & (self.evidence.estimate == 0)
        if not none.any():
            return super().headline()
        which = some_of(self.pairs.oriented(), none)
        return (
            f"{super().headline()} The typical difference is 0, as most are ties, of {which}: there"
            " the verdict is about the other differences."
        )

    def _effects(self) -> Mapping[str, Array]:
        """Return estimate, interval and test of the pairs, in the measure's own unit."""
        columns = dict(super()._effects())
        del columns["std_error"], columns["df"]
        ordered = ("estimate", "conf_low", "conf_high", "statistic", "p_value")
        return {
            **{name: columns.pop(name) for name in ordered},
            "p_error": self.p_error,
            **columns,
        }

    def summary(self) -> pd.DataFrame:
        """One row per algorithm: ``measure algorithm estimate [mean] n rank mean_rank``.

        The estimate is the mean of pooled scores (a mean rank, a mean aligned rank), or of pairs
        alone the median (of tests of means the mean) of the algorithm's own scores over the blocks
        that it has, and a mean rank where such levels contradict a verdict or data sets have
        several units. The mean is over blocks, of incomplete ones that of an additive fit of blocks
        and algorithms; the mean rank is within blocks, 1 for the best.
        """
        table = super().summary()
        table["mean_rank"] = self.ranks.mean_ranks
        return table

    def tests(self, order: Sequence[str] | None = None) -> pd.DataFrame:
        """Test all algorithms together.

        Parameters
        ----------
        order
            All algorithms, best first: adds Page's one-sided test that scores fall in that order,
            which must have been fixed before the scores were seen. By default the `trend` of
            `compare_permutation`.

        Returns
        -------
        pandas.DataFrame
            ``test null statistic df df_residual p_value p_error``. None of them decides a pair.

        Raises
        ------
        DesignError
            The order does not name each algorithm once.
        """
        order = self.options.trend if order is None else order
        if order is None:
            return overall.table(self.rows)
        overall.check_order(self.algorithms, order)
        places = np.array([len(order) - order.index(name) for name in self.algorithms], np.float64)
        options, seed = self.options, self.provenance.seed
        seed = seed_of(options.seed) if seed is None else seed
        row = overall.trend(
            self.ranks, places, options.null, resamples=options.resamples, seed=seed
        )
        return overall.table((*self.rows, row))

    def post_hoc(self) -> pd.DataFrame:
        """Test the pairs with scores that all algorithms share: ``test first second ...``.

        Returns
        -------
        pandas.DataFrame
            ``test null first second statistic p_value p_error``: the single-step and step-down
            p-values of the chosen scores, and Nemenyi's on complete blocks. They control errors
            over pairs only if all algorithms have equal distributions; a third algorithm can decide
            between two.
        """
        pooled, named = self.pooled, self.pairs.sides
        parts = {"single-step": pooled.single_step, "step-down": pooled.step_down}
        rows = [
            (test, pooled.kind, *names, z, p, error)
            for test, values in parts.items()
            for names, z, p, error in zip(named, pooled.statistic, *values, strict=False)
        ]
        if self.ranks.complete and not self.pairs.averages:
            k, n = len(self.algorithms), self.ranks.n_blocks
            i, j = self.pairs.index.T
            better = self.ranks.mean_ranks[j] - self.ranks.mean_ranks[i]
            z, p = better / friedman.std_error(k, n), friedman.nemenyi(better, k, n)
            rows += [
                ("Nemenyi", "asymptotic", *names, *numbers, 0.0)
                for names, *numbers in zip(named, z, p, strict=True)
            ]
        columns = ("test", "null", "first", "second", "statistic", "p_value", "p_error")
        return frame({name: [row[i] for row in rows] for i, name in enumerate(columns)})

    def critical_difference(self, kind: str = "nemenyi") -> float:
        """Return the difference of mean ranks that is significant.

        Parameters
        ----------
        kind
            ``"nemenyi"`` for all pairs, ``"bonferroni-dunn"`` for comparisons with a control.

        Raises
        ------
        DesignError
            Blocks are not complete, or the kind does not exist.

        Notes
        -----
        It controls errors over pairs only if all algorithms have equal distributions.
        """
        kinds = {
            "nemenyi": friedman.nemenyi_difference,
            "bonferroni-dunn": friedman.bonferroni_dunn_difference,
        }
        if kind not in kinds:
            raise DesignError(unknown("kind", kind, list(kinds)))
        if not self.ranks.complete:
            raise DesignError(
                "one critical difference for all pairs needs every algorithm once in each block.",
                hint="scores.complete() keeps the blocks that are whole.",
            )
        return kinds[kind](len(self.algorithms), self.ranks.n_blocks, self._alpha)

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        from benchinfer.analyses.permutation.numerics.blocks import aligned
        from benchinfer.numerics import signs
        from benchinfer.numerics.rates import newcombe, newcombe_paired
        from benchinfer.numerics.shifts import hodges_lehmann

        used: list[object] = [PermutationOptions]
        if self.rates:
            used.append(newcombe if self.repeated else newcombe_paired)
        if self.on in ("aligned-ranks", "ranks", "normal-scores"):
            used += [] if self.rates else [hodges_lehmann]
            if self.pairwise and not self.repeated:
                used.append(signs.sign_flip)
        if self.on == "aligned-ranks":
            used.append(aligned)
        if self.options.trend:
            used.append(overall.trend)
        if self.drawn:
            used.append(signs.sign_tests)
        if source := ADJUSTMENTS[self.adjusted].source:
            used.append(source)
        return [*used, sidak]
