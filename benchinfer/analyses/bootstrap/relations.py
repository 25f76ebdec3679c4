"""Relations of bootstrap resamples of a data set."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from benchinfer.analyses.bootstrap.numerics import resampling
from benchinfer.analyses.bootstrap.sample import refuse_undrawable
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.per_dataset import check_travels, per_dataset
from benchinfer.core.arguments import check_count, check_jobs, checked, seed_of
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.parallel import in_order, workers
from benchinfer.numerics.types import Codes
from benchinfer.relations.ensemble import Ensemble
from benchinfer.scores.read import read_scores
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd


type Drawn = Literal["both", "replications"]


@checked
def resample_relations(
    compare: Callable[..., Comparison],
    scores: ScoreTable,
    measure: str | None = None,
    *,
    resample: Drawn = "both",
    resamples: int = 200,
    rule: str = "evidence",
    seed: int | None = 1,
    n_jobs: int | None = None,
    **arguments: object,
) -> Iterator[Ensemble]:
    """Yield ensembles of relations per data set, found anew from resampled replications.

    For `bootstrap_consensus`, whose `resampled` they are.

    Parameters
    ----------
    compare
        One of the ``compare_*`` functions; it is called for each data set of each resample.
    scores
        The table. Replications that algorithms share are drawn together.
    measure
        Name of the measure; may be omitted where there is one.
    resample
        ``"both"``: data sets are drawn, and replications within each one drawn, anew each time it
        is drawn; ``"replications"`` within the data sets at hand.
    resamples
        Their number.
    rule
        By which comparisons become relations, as in `Comparisons.relations`.
    seed
        Of the draws; None draws one. It also seeds `compare` where that takes a seed and is given
        none.
    n_jobs
        As in `per_dataset`.
    **arguments
        Passed on to `compare`. Those that are named like arguments here can be bound by
        ``functools.partial(compare, resamples=999)``.

    Yields
    ------
    Ensemble
        Relations named by data set, with a number from the second draw of a data set on; without
        those that could not be compared.

    Raises
    ------
    DesignError
        There are not several data sets or replications to draw from, or replications overlap
        (cross-validation, repeated splits).

    Notes
    -----
    Replications that are drawn twice count as two for the test, so that a resample has more
    verdicts than new scores would give: two equal algorithms, at a level of 95 %, are found
    different in about one resample in six. Shares show how far verdicts vary, not
    what new scores would show.

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("simulated/balanced")
    >>> ensembles = bi.stability.resample_relations(bi.compare_points, scores, resamples=2, seed=1)
    >>> [len(ensemble) for ensemble in ensembles]
    [10, 10]
    """
    if resample not in (known := get_args(Drawn.__value__)):
        raise DesignError(unknown("resample", resample, known))
    check_count("resamples", resamples, 1, "a whole number from 1.")
    check_jobs(n_jobs)
    setting, scores = Setting.of(scores, measure)
    blocks = scores.blocks(setting.measure.name)
    if blocks.size is not None:
        raise DesignError(
            "units hold different numbers of items, which resampled tables would not know.",
            hint='with Declaration(unit_weights="units") units count alike.',
        )
    sample = resampling.lay_out(blocks.mean, blocks.count > 0, blocks.dataset)
    refuse_undrawable(setting, sample, resample)
    table = _Table.of(setting, scores)
    work = _Resample(partial(compare, **arguments), table, resample, seed_of(seed), rule)
    n = workers(n_jobs)
    if n > 1:
        check_travels(work)
    return in_order(work, range(resamples), n, processes=True)


@dataclass(frozen=True, slots=True)
class _Resample:
    """Function of the number of a resample that returns its relations, in any process."""

    compare: Callable[..., Comparison]
    table: _Table
    resample: Drawn
    seed: int
    rule: str

    def __call__(self, number: int) -> Ensemble:
        parameter = inspect.signature(self.compare).parameters.get("seed")
        rng = np.random.default_rng([self.seed, number])
        chosen = np.arange(len(self.table.starts) - 1)
        if self.resample == "both":
            chosen = np.sort(rng.choice(chosen, len(chosen)))
        seeded: dict[str, int] = {}
        if parameter is not None and parameter.default is None:
            seeded["seed"] = int(rng.integers(2**32))
        drawn = self.table.drawn(chosen, rng)
        measure = self.table.setting.measure.name
        return per_dataset(self.compare, drawn, measure, **seeded).relations(self.rule)


@dataclass(frozen=True, slots=True)
class _Table:
    """Scores of one measure in the order of data set, unit and algorithm.

    A unit is what is drawn: a replication, or one of an algorithm where they do not share them.
    """

    setting: Setting  # what is compared
    frame: pd.DataFrame  # the N scores
    starts: Codes  # (D + 1,) where the rows of each data set begin, and where the last end
    # stratum, unit: (N,) codes: units are drawn within strata: data sets, or cells where algorithms
    # do not share replications
    stratum: Codes
    unit: Codes

    @staticmethod
    def of(setting: Setting, scores: ScoreTable) -> _Table:
        names = ["dataset"] if setting.paired else ["dataset", "algorithm"]
        frame = scores.to_frame(setting.measure.name)
        frame = frame.sort_values([*names, "replication"], kind="stable", ignore_index=True)
        frame = frame[["dataset", "algorithm", "replication", "value"]]
        datasets = frame["dataset"].to_numpy()
        starts = np.r_[0, np.flatnonzero(datasets[1:] != datasets[:-1]) + 1, len(frame)]
        groups: Any = frame.groupby
        return _Table(
            setting,
            frame,
            starts,
            groups(names, sort=False).ngroup().to_numpy(),
            groups([*names, "replication"], sort=False).ngroup().to_numpy(),
        )

    def drawn(self, chosen: Codes, rng: np.random.Generator) -> ScoreTable:
        """Draw units within each chosen data set, and name data sets and replications anew."""
        rows: list[Codes] = []
        labels: list[Codes] = []
        names: list[str] = []
        times = dict.fromkeys(chosen.tolist(), 0)
        for d in chosen.tolist():
            times[d] += 1
            start, end = int(self.starts[d]), int(self.starts[d + 1])
            drawn_rows, label = _draw(self.stratum[start:end], self.unit[start:end], rng)
            rows.append(start + drawn_rows)
            labels.append(label)
            name = self.setting.coverage.datasets[d]
            names += [name if times[d] == 1 else f"{name} ({times[d]})"] * len(drawn_rows)
        table = self.frame.take(np.concatenate(rows)).assign(
            dataset=names, replication=np.concatenate(labels)
        )
        setting = self.setting
        return read_scores(
            table.reset_index(drop=True),
            measures=[setting.measure],
            resampling=setting.resampling,
            paired=setting.paired,
            repeats="keep",
        )


def _draw(stratum: Codes, unit: Codes, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Return rows of units drawn within each stratum, and a new number of the unit for each row.

    Rows of a unit, and units of a stratum, are adjacent.
    """
    first = np.flatnonzero(np.r_[True, unit[1:] != unit[:-1]])
    size = np.diff(np.r_[first, len(unit)])
    of = stratum[first] - stratum[0]
    begin = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
    many = np.diff(np.r_[begin, len(of)])
    picked = np.concatenate([b + rng.integers(0, m, m) for b, m in zip(begin, many, strict=True)])
    label = np.repeat(np.arange(len(picked)), size[picked])
    within = np.arange(len(label)) - np.repeat(np.cumsum(size[picked]) - size[picked], size[picked])
    return first[picked][label] + within, label
