"""The narrow waist: a verdict for every pair of algorithms, with its evidence.

Every analysis returns a `Comparison`; relations, figures and reports see nothing else.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare import wording
from benchinfer.compare.citing import bibtex
from benchinfer.errors import DesignError, message, unknown
from benchinfer.frames import frame
from benchinfer.measure import Measure
from benchinfer.order.relation import Relation, Verdict, verdict_columns
from benchinfer.saving import savable
from benchinfer.scores import Coverage, Resampling, ScoreTable
from benchinfer.showable import Showable

if TYPE_CHECKING:
    import pandas as pd

type Array = NDArray[np.float64]
type Target = Literal["domain", "datasets"]


@savable
@dataclass(frozen=True, slots=True)
class Setting:
    """What was compared, without the rows.

    Attributes
    ----------
    measure
        The measure.
    algorithms
        The K names, sorted; pairs are index pairs into them.
    coverage
        Counts per cell and findings.
    quantiles
        (D, K, 5) minimum, quartiles and maximum of the scores in the measure's own unit, NaN where
        a cell is empty.
    resampling, paired
        How replications came about, and whether algorithms share them.
    digest
        Fingerprint of the table.
    """

    measure: Measure
    algorithms: tuple[str, ...]
    coverage: Coverage
    quantiles: Array
    resampling: Resampling | None
    paired: bool
    digest: str

    @staticmethod
    def of(scores: ScoreTable, measure: str | None = None) -> "Setting":
        """Take down the setting of one measure of a table.

        Raises
        ------
        DesignError
            There are fewer than two algorithms.
        """
        chosen = scores.measure(measure)
        coverage = scores.coverage(chosen.name)
        if len(coverage.algorithms) < 2:
            raise DesignError(
                message(
                    f"{len(coverage.algorithms)} algorithm has scores of measure {chosen.name!r}.",
                    hint="a comparison needs at least two.",
                )
            )
        table = scores.describe(chosen.name)
        shape = len(coverage.datasets), len(coverage.algorithms)
        quantiles = np.full((*shape, 5), np.nan)
        d = {name: i for i, name in enumerate(coverage.datasets)}
        k = {name: i for i, name in enumerate(coverage.algorithms)}
        quantiles[[d[x] for x in table["dataset"]], [k[x] for x in table["algorithm"]]] = table[
            ["minimum", "q25", "median", "q75", "maximum"]
        ].to_numpy()
        return Setting(
            measure=chosen,
            algorithms=coverage.algorithms,
            coverage=coverage,
            quantiles=quantiles,
            resampling=scores.resampling,
            paired=scores.paired,
            digest=scores.digest,
        )


@savable
@dataclass(frozen=True, slots=True)
class Check:
    """One row of `Comparison.diagnostics`: a value held against a limit.

    Attributes
    ----------
    check, value, limit
        What was checked, its value, and the limit it is held against.
    ok
        Whether the check passed.
    remedy
        What to do or how to read it; empty where the check passed.
    """

    check: str
    value: float
    limit: float
    ok: bool
    remedy: str

    @staticmethod
    def of(check: str, value: float, limit: float, *, ok: bool, remedy: str) -> "Check":
        """Make a row; the remedy is kept only where the check failed."""
        return Check(check, float(value), float(limit), bool(ok), "" if ok else remedy)


@savable
@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a result comes from.

    Attributes
    ----------
    analysis
        The function that made it.
    version
        Version of the package.
    arguments
        Every argument, defaults included.
    adjustment
        How p-values and intervals are adjusted for many pairs, in words.
    digest
        Fingerprint of the table.
    seed
        Seed of the random numbers, None where there are none.
    """

    analysis: str
    version: str
    arguments: Mapping[str, object]
    adjustment: str
    digest: str
    seed: int | None = None


@savable
@dataclass(frozen=True, slots=True)
class Level:
    """Level of each of K algorithms on the modelling scale, larger is better; (K,) arrays."""

    estimate: Array
    low: Array | None = None
    high: Array | None = None


@savable
@dataclass(frozen=True, slots=True)
class Evidence:
    """Test and interval of each of P pairs on the modelling scale, larger is better; (P,) arrays.

    Attributes
    ----------
    estimate
        First minus second.
    std_error, df, statistic
        Of the difference.
    p_value, p_raw
        Adjusted for the family of pairs, and of the pair alone.
    p_equivalence
        Adjusted p-value of the two one-sided tests at the measure's tolerance.
    low, high
        Simultaneous interval.
    """

    estimate: Array
    std_error: Array
    df: Array
    statistic: Array
    p_value: Array
    p_raw: Array
    p_equivalence: Array
    low: Array
    high: Array


def decide(estimate: Array, p: Array, p_equivalence: Array, alpha: float) -> NDArray[np.int8]:
    """Turn adjusted p-values into verdicts.

    Equivalent where the equivalence test rejects at alpha (even if the difference is significant:
    significant but irrelevant), else first or second where the difference test does, else
    undecided. Not significant is not equal.

    Parameters
    ----------
    estimate
        (P,) differences, positive where first is better.
    p, p_equivalence
        (P,) adjusted p-values of the difference and of the equivalence tests.
    alpha
        One minus the level.

    Returns
    -------
    numpy.ndarray
        (P,) `Verdict` codes.

    Examples
    --------
    >>> estimate, p = np.array([0.2, 0.0, -0.1]), np.array([0.01, 0.9, 0.4])
    >>> decide(estimate, p, np.array([1, 0.02, 0.6]), alpha=0.05)
    array([3, 2, 1], dtype=int8)
    """
    if np.isnan([estimate, p, p_equivalence]).any():
        raise DesignError("a verdict cannot rest on NaN: a pair has no estimate.")
    better = np.where(estimate > 0, Verdict.FIRST, Verdict.SECOND)
    codes = np.where(p <= alpha, better, Verdict.UNDECIDED)
    return np.where(p_equivalence <= alpha, Verdict.EQUIVALENT, codes).astype(np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Showable):
    """Verdicts and evidence for every pair of algorithms on one measure.

    Attributes
    ----------
    setting
        What was compared.
    pairs
        (P, 2) index pairs into ``setting.algorithms``.
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
    """

    setting: Setting
    pairs: NDArray[np.int64]
    codes: NDArray[np.int8]
    level: float
    target: Target
    levels: Level
    checks: tuple[Check, ...]
    provenance: Provenance

    # What the analysis is called in headings, and the modules whose references it rests on.
    title: ClassVar[str] = "Comparison"
    rests_on: ClassVar[tuple[str, ...]] = ()

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
        """What was done, in sentences for a methods section."""
        raise NotImplementedError

    @property
    def formula(self) -> str:
        """The model or statistic in one line."""
        raise NotImplementedError

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
        named = verdict_columns(self.algorithms, self.pairs, self.codes)
        return frame(
            {
                "measure": [self.measure.name] * len(self.pairs),
                "first": named["first"],
                "second": named["second"],
                **self.effects(),
                "verdict": named["verdict"],
                "winner": named["winner"],
            }
        )

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
        """One row per check: ``check value limit ok remedy``."""
        names = ("check", "value", "limit", "ok", "remedy")
        return frame({name: [getattr(row, name) for row in self.checks] for name in names})

    def relation(self, rule: str = "evidence") -> Relation:
        """Return the preference relation.

        Parameters
        ----------
        rule
            ``"evidence"``: the verdicts as they stand.

        Raises
        ------
        DesignError
            The rule does not exist for this comparison.
        """
        if rule != "evidence":
            raise DesignError(unknown("rule", rule, ["evidence"]))
        return Relation.from_codes(self.algorithms, self.pairs, self.codes, self.rule)

    def headline(self) -> str:
        """Return the verdict in one sentence, with direction and unit of generalisation."""
        return wording.headline(self.relation(), self.measure, self.scope())

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        return wording.scope(self.setting, self.target)

    def citations(self) -> str:
        """Return BibTeX entries of the methods used."""
        return bibtex(self.rests_on)

    def __str__(self) -> str:
        """Return the headline."""
        return self.headline()


@dataclass(frozen=True, slots=True, eq=False)
class TestedComparison(Comparison):
    """A comparison by tests and simultaneous intervals.

    Attributes
    ----------
    evidence
        Tests and intervals of the pairs.
    """

    evidence: Evidence

    @property
    def alpha(self) -> float:
        """Family-wise error rate: one minus the level, free of rounding."""
        return alpha_of(self.level)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        return wording.tested_rule(self.measure, self.level)

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
            "p_raw": e.p_raw,
            "p_equivalence": e.p_equivalence,
        }

    def relation(self, rule: str = "evidence") -> Relation:
        """Return the preference relation.

        Parameters
        ----------
        rule
            ``"evidence"``: the verdicts as they stand. ``"not-significant"``: the legacy rule of
            published benchmark relations, which calls every pair equivalent whose difference is
            not significant and ignores the tolerance.

        Raises
        ------
        DesignError
            The rule does not exist.
        """
        # Zero-argument super() does not work in a slotted dataclass.
        if rule == "evidence":
            return Comparison.relation(self)
        if rule != "not-significant":
            raise DesignError(unknown("rule", rule, ["evidence", "not-significant"]))
        nothing = np.ones(len(self.pairs))
        codes = decide(self.evidence.estimate, self.evidence.p_value, nothing, self.alpha)
        codes[codes == Verdict.UNDECIDED] = Verdict.EQUIVALENT
        text = f"not significant at {self.alpha:.4g} is called equivalent (legacy rule)"
        return Relation.from_codes(self.algorithms, self.pairs, codes, text)


def alpha_of(level: float) -> float:
    """Return one minus the level, rounded so that 0.95 gives 0.05; check the level.

    Raises
    ------
    DesignError
        The level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise DesignError(message(f"level is {level!r}.", hint="between 0 and 1, as in 0.95."))
    return round(1 - level, 12)


@savable
@dataclass(frozen=True, slots=True, eq=False)
class Comparisons(Mapping[str, Comparison]):
    """One comparison per data set: a mapping from data set to comparison.

    Attributes
    ----------
    results
        Data set name to comparison.
    refused
        Data set name to why it could not be compared.
    """

    results: Mapping[str, Comparison]
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    def __getitem__(self, dataset: str) -> Comparison:
        """Return the comparison on one data set."""
        return self.results[dataset]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the data sets."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of data sets."""
        return len(self.results)

    def relations(self, rule: str = "evidence") -> dict[str, Relation]:
        """Return the relation of each data set."""
        return {name: result.relation(rule) for name, result in self.results.items()}

    def contrasts(self) -> "pd.DataFrame":
        """Return all contrasts with a leading ``dataset`` column."""
        return self._stack([result.contrasts() for result in self.results.values()])

    def summary(self) -> "pd.DataFrame":
        """Return all summaries with a leading ``dataset`` column."""
        return self._stack([result.summary() for result in self.results.values()])

    def diagnostics(self) -> "pd.DataFrame":
        """Return all diagnostics with a leading ``dataset`` column."""
        return self._stack([result.diagnostics() for result in self.results.values()])

    def _stack(self, tables: list["pd.DataFrame"]) -> "pd.DataFrame":
        import pandas as pd

        for name, table in zip(self.results, tables, strict=True):
            table.insert(0, "dataset", name)
        return pd.concat(tables, ignore_index=True)


def per_dataset(
    compare: Callable[..., Comparison],
    scores: ScoreTable,
    measure: str | None = None,
    **arguments: object,
) -> Comparisons:
    """Compare the algorithms on each data set by itself.

    Parameters
    ----------
    compare
        One of the ``compare_*`` functions.
    scores
        The table.
    measure
        Name of the measure; may be omitted where there is one.
    **arguments
        Passed on to `compare`.

    Returns
    -------
    Comparisons
        Data sets on which the question cannot be answered are in ``refused`` with the reason.

    Raises
    ------
    DesignError
        No data set can be compared; the message gives the reasons.
    """
    results: dict[str, Comparison] = {}
    refused: dict[str, str] = {}
    for name, part in scores.by_dataset().items():
        try:
            results[name] = compare(part, measure, **arguments)
        except DesignError as error:
            refused[name] = str(error).partition("\n")[0]
    if not results:
        raise DesignError(
            message(
                f"none of the {len(refused)} data sets can be compared by itself.",
                where=[("dataset", "reason"), *refused.items()],
                hint="one data set needs several replications.",
            )
        )
    return Comparisons(results, refused)
