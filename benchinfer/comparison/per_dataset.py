"""One comparison per data set.

References
----------
Eugster, M. J. A., Hothorn, T. & Leisch, F. (2012). Domain-based benchmark experiments: exploratory
and inferential analysis. Austrian Journal of Statistics 41, 5-26.
https://doi.org/10.17713/ajs.v41i1.185
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

import numpy as np

from benchinfer.comparison.adjustment import ADJUSTMENTS
from benchinfer.comparison.comparison import Comparison, Order, TestedComparison
from benchinfer.comparison.evidence import alpha_of
from benchinfer.comparison.further.best import one_sided
from benchinfer.core.arguments import ArgumentError, check_jobs, checked
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count, level_percent, within
from benchinfer.core.parallel import in_order, workers
from benchinfer.core.result import Tabular
from benchinfer.core.saving import savable
from benchinfer.numerics.multiplicity import partial_conjunction
from benchinfer.relations.ensemble import Ensemble
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd


class Compared(Protocol):
    """Protocol of a comparison, or of several: what tables over groups are made of."""

    def contrasts(self, *, order: Order = "fixed", all: bool = False) -> pd.DataFrame:  # noqa: A002
        """Return one row per contrast."""
        ...

    def summary(self) -> pd.DataFrame:
        """Return one row per algorithm or level."""
        ...

    def diagnostics(self) -> pd.DataFrame:
        """Return one row per check."""
        ...


@checked
class ResultGroups[C: Compared](Mapping[str, C]):
    """A mapping from the names of groups to their results.

    Attributes
    ----------
    group
        What a group is: the name of the column that leads the tables of all groups.
    results
        Name to result.
    """

    __slots__ = ()
    group: ClassVar[str]

    results: Mapping[str, C]

    def __getitem__(self, name: str) -> C:
        """Return the result of one group."""
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the groups."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.results)

    def contrasts(self, *, order: Order = "fixed", all: bool = False) -> pd.DataFrame:  # noqa: A002
        """Return all contrasts with a leading column that names the group.

        Rows are turned, where asked, by the ranking in their own group, or by the one given; `all`
        columns are shown, or those that people read.
        """
        return self._stack({name: r.contrasts(order=order, all=all) for name, r in self.items()})

    def summary(self) -> pd.DataFrame:
        """Return all summaries with a leading column that names the group."""
        return self._stack({name: result.summary() for name, result in self.items()})

    def diagnostics(self) -> pd.DataFrame:
        """Return all diagnostics with a leading column that names the group."""
        return self._stack({name: result.diagnostics() for name, result in self.items()})

    def _stack(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        import pandas as pd

        for name, table in tables.items():
            if self.group not in table:
                table.insert(0, self.group, name)
        stacked = list(tables.values())
        return pd.concat([t for t in stacked if len(t)] or stacked[:1], ignore_index=True)


class ComparisonGroups[C: Comparison](ResultGroups[C]):
    """A mapping from the names of groups to their comparisons."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return one order per group."""
        width = max((len(name) for name in self), default=0)
        return "\n".join(f"{name.ljust(width)}  {r.relation()}" for name, r in self.items())


@checked
@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparisons(ComparisonGroups[Comparison], Tabular):
    """One comparison per data set: a mapping from data set to comparison.

    Attributes
    ----------
    results
        Data set name to comparison.
    refused
        Data set name to why it could not be compared.

    Notes
    -----
    Tests are adjusted for many pairs within each data set, and not over data sets.
    """

    _home: ClassVar[str] = "benchinfer.comparison"
    group: ClassVar[str] = "dataset"

    results: Mapping[str, Comparison]
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    def description(self) -> str:
        """Return the number of data sets compared and refused."""
        refused = f", {len(self.refused)} refused" if self.refused else ""
        return f"<Comparisons of {count(len(self), 'data set')}{refused}>"

    def relations(self, rule: str = "evidence") -> Ensemble:
        """Return the relations of the data sets: an ensemble in which each has weight 1."""
        return Ensemble({name: result.relation(rule) for name, result in self.results.items()})

    def counts(
        self,
        combine: Literal["fisher", "bonferroni"] = "fisher",
        adjust: Literal["auto", "holm", "bh", "by", "none"] = "auto",
    ) -> pd.DataFrame:
        """Return lower confidence bounds on the number of data sets where one algorithm is better.

        Parameters
        ----------
        combine
            How p-values of data sets are combined: by ``"fisher"``, as data sets are independent,
            or by ``"bonferroni"``, whatever their dependence.
        adjust
            How p-values are adjusted for ``named``: by ``"holm"``, as ``"auto"`` is, which keeps
            the chance of naming any data set falsely; with a false discovery rate by ``"bh"``
            (Benjamini and Hochberg's) on independent data sets or ``"by"`` (Benjamini and
            Yekutieli's) on any: on average at most one minus the level of those named for a pair
            are false; or not at all (``"none"``).

        Returns
        -------
        pandas.DataFrame
            ``measure first second n_datasets better_at_least worse_at_least named`` of all ordered
            pairs. At the level of the comparisons, the first is better on ``better_at_least`` data
            sets or more; ``named`` are those on which it is, as `adjust` says. Each statement is of
            its pair and direction alone. With a false discovery rate ``named`` can hold more data
            sets than ``better_at_least``, which keeps the chance of a false claim.

        Raises
        ------
        DesignError
            The comparisons have no p-values.

        References
        ----------
        Benjamini & Heller (2008), https://doi.org/10.1111/j.1541-0420.2007.00984.x; Dror, R.,
        Baumer, G., Bogomolov, M. & Reichart, R. (2017). Replicability analysis for natural language
        processing: testing significance with multiple datasets. Transactions of the Association for
        Computational Linguistics 5, 471-486. https://doi.org/10.1162/tacl_a_00074

        Examples
        --------
        >>> import benchinfer as bi
        >>> local = bi.per_dataset(bi.compare_pair, bi.load_example("sklearn_bootstrap"), "error")
        >>> local.counts().columns.tolist()[2:]
        ['second', 'n_datasets', 'better_at_least', 'worse_at_least', 'named']
        """
        step = ADJUSTMENTS["holm" if adjust == "auto" else adjust].adjust
        p_values = self._one_sided()
        alpha = alpha_of(next(iter(self.values())).level)
        rows: list[tuple[object, ...]] = []
        at_least = {
            sides: int((partial_conjunction(np.array([*each.values()]), combine) <= alpha).sum())
            for sides, each in p_values.items()
        }
        for (first, second), each in p_values.items():
            shown = step(np.array([*each.values()])) <= alpha
            named = ", ".join(name for name, one in zip(each, shown, strict=True) if one)
            counts = at_least[first, second], at_least[second, first]
            rows.append((first, second, len(each), *counts, named))
        columns = ("first", "second", "n_datasets", "better_at_least", "worse_at_least", "named")
        measure = next(iter(self.values())).measure.name
        table = {name: [row[n] for row in rows] for n, name in enumerate(columns)}
        return frame({"measure": [measure] * len(rows), **table})

    def counted(self, most: int = 5) -> str:
        """Return a sentence with the pairs of the largest `counts`; empty without any."""
        try:
            table = self.counts()
        except DesignError:
            return ""
        table = table[table["better_at_least"] > 0].sort_values(
            ["better_at_least", "n_datasets"], ascending=[False, True], kind="stable"
        )
        said = [
            f"{row['first']} is better than {row['second']} on at least {row['better_at_least']} of"
            f" {count(int(row['n_datasets']), 'data set')}"
            for _, row in table.head(most).iterrows()
        ]
        if not said:
            return ""
        level = level_percent(next(iter(self.values())).level)
        more = f"; and so on for {len(table) - len(said)} more" if len(table) > len(said) else ""
        return f"Of each pair alone ({level}): {'; '.join(said)}{more}."

    def _one_sided(self) -> dict[tuple[str, str], dict[str, float]]:
        """Return one-sided p-values that the first is better, by ordered pair and data set."""
        p_values: dict[tuple[str, str], dict[str, float]] = {}
        for dataset, result in self.items():
            if (
                not isinstance(result, TestedComparison)
                or result._bayesian
                or result.pairs.averages
            ):
                raise DesignError(
                    f"{within(result._heading)} has no p-values of pairs, which counts of data sets"
                    " combine.",
                    hint="per_dataset(compare_pair, scores) has them.",
                )
            p = one_sided(result)
            for i, j in result.pairs.index.tolist():
                for a, b in ((i, j), (j, i)):
                    sides = result.algorithms[a], result.algorithms[b]
                    p_values.setdefault(sides, {})[dataset] = float(p[a, b])
        return p_values

    @property
    def rules(self) -> tuple[str, ...]:
        """Decision rules of the verdicts; several with the number of data sets of each analysis."""
        headings = [result._heading for result in self.values()]
        rules = {result._heading: result.rule for result in self.values()}
        if len(set(rules.values())) == 1:
            return (next(iter(rules.values())),)
        return tuple(
            f"{heading}, on {count(headings.count(heading), 'data set')}: {rule}"
            for heading, rule in rules.items()
        )

    def sentence(self) -> str:
        """Return sentences for a results section on the verdicts over all data sets.

        How many contrasts are decided, and how often each of the first algorithms is better and
        worse; numbers are in `table`.
        """
        return import_module("benchinfer.papers.sentences").sentence(self)


# What an argument may be that says how data sets differ, where each is taken by itself.
_ALONE: dict[str, tuple[object, ...]] = {
    "target": ("auto", "datasets"),
    "structure": ("auto", "common", "pairwise"),
    "residual": ("constant", "algorithm"),
    "domains": ("pooled",),
    "resample": ("replications",),
    "trend": (None,),
}


def check_alone(what: str, arguments: Mapping[str, object]) -> None:
    """Raise an ArgumentError where an argument concerns differences between data sets."""
    for name, fit in _ALONE.items():
        value = arguments.get(name, fit[0])
        if value not in fit:
            argument = f"{name}={value!r}" if isinstance(value, str) else f"{name}=..."
            raise ArgumentError(
                (what + " takes each data set by itself."),
                hint=f"{argument} is about several of them: leave it out.",
            )


@dataclass(frozen=True, slots=True)
class _Alone:
    """Analysis of a single data set that can be sent to another process."""

    compare: Callable[..., Comparison | ComparisonGroups[Comparison]]
    measure: str
    arguments: Mapping[str, object]

    def __call__(self, part: ScoreTable) -> Comparison | DesignError | FitError:
        try:
            result = self.compare(part, self.measure, **self.arguments)
        except (DesignError, FitError) as error:
            return error
        return result if isinstance(result, Comparison) else result[self.measure]


def check_travels(work: Callable[..., object]) -> None:
    """Raise an ArgumentError where a function or its arguments cannot be pickled."""
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ArgumentError(
            f"other processes cannot be given this analysis: {str(error).rstrip('.')}.",
            hint="a function that a module defines by name, or n_jobs=1.",
        ) from None


@checked
def per_dataset(
    compare: Callable[..., Comparison | ComparisonGroups[Comparison]],
    scores: ScoreTable,
    measure: str | None = None,
    *,
    n_jobs: int | None = None,
    **arguments: object,
) -> Comparisons:
    """Compare the algorithms on each data set by itself.

    Parameters
    ----------
    compare
        One of the ``compare_*`` functions; or `compare`, by which each data set has the analysis
        that fits it.
    scores
        The table.
    measure
        Name of the measure; may be omitted where there is one.
    n_jobs
        Number of processes, -1 for all cores, by default one. Results do not depend on it.

        Each imports benchinfer anew, in 1 to 2.5 CPU seconds: two pay where the work takes one over
        3 to 5 seconds, as `compare_bayes` on several data sets does, and otherwise take longer than
        one. A script then needs ``if __name__ == "__main__":`` round its calls,
        as with ``multiprocessing``.
    **arguments
        Passed on to `compare`.

    Returns
    -------
    Comparisons
        Data sets on which the question cannot be answered, or the fit does not converge, are in
        ``refused`` with the reason.

    Raises
    ------
    DesignError
        No data set can be compared; the message gives the reasons. Or an argument says how data
        sets differ, or other processes cannot be given the analysis.
    """
    check_jobs(n_jobs)
    check_alone("per_dataset", arguments)
    results: dict[str, Comparison] = {}
    refused: dict[str, str] = {}
    unfit: list[ArgumentError] = []
    hints: dict[tuple[str, ...], None] = {}
    # The rows of all data sets are fetched at once.
    parts = scores.by_dataset()
    n = min(workers(n_jobs), len(parts))
    work = _Alone(compare, scores.measure(measure).name, arguments)
    if n > 1:
        check_travels(work)
    for name, outcome in zip(parts, in_order(work, parts.values(), n, processes=True), strict=True):
        if isinstance(outcome, Comparison):
            results[name] = outcome
            continue
        unfit += [outcome] if isinstance(outcome, ArgumentError) else []
        measured = work.measure in {m.name for m in parts[name].measures}
        held = parts[name].runs(work.measure).stopped() if measured else None
        if held is not None and (held.stopped == held.n).all():
            refused[name] = (
                f"all runs were stopped at the limit of {held.limit:,.6g}: up to it they are equal."
            )
        else:
            refused[name] = str(outcome).splitlines()[0]
        hints[outcome.hint] = None
    if not results and len(unfit) == len(refused):
        raise unfit[0]
    if not results:
        # As a rule all are refused for one reason, whose hint is then the one that helps.
        raise DesignError(
            f"none of the {count(len(refused), 'data set')} can be compared by itself.",
            where=[("dataset", "reason"), *refused.items()],
            hint=[line for hint in hints for line in hint],
        )
    return Comparisons(results, refused)
