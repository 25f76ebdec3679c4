"""Scores that a candidate or its baseline lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count
from benchinfer.core.saving import savable
from benchinfer.numerics.types import Flags
from benchinfer.scores.checks.failures import scores_of, worst_scores
from benchinfer.scores.coverage import Coverage
from benchinfer.scores.declaration import Failed
from benchinfer.scores.read import read_scores
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

# What missing scores may count as, besides scores and algorithms.
FAILED_WORDS = ("missing", "worst")


@savable
@dataclass(frozen=True, slots=True)
class Missing:
    """Scores of one measure that candidate or baseline lacks."""

    n_datasets: int  # data sets of the table
    # candidate, baseline: data sets on which only the other one has scores
    candidate: int
    baseline: int
    neither: int  # data sets on which neither has
    # candidate_scores, baseline_scores: on data sets that both have scores on, how many scores of
    # the other one, or failures of its own where replications are not shared, have no counterpart
    candidate_scores: int
    baseline_scores: int

    @property
    def any(self) -> bool:
        """True if one algorithm lacks scores that the other has."""
        return self.of_candidate or self.baseline + self.baseline_scores > 0

    @property
    def of_candidate(self) -> bool:
        """True if the candidate lacks scores that the baseline has."""
        return self.candidate + self.candidate_scores > 0

    @property
    def text(self) -> str:
        """Missing scores in words, empty where there are none."""
        parts = [
            _part("candidate", "baseline", self.candidate, self.candidate_scores, self.n_datasets),
            _part("baseline", "candidate", self.baseline, self.baseline_scores, self.n_datasets),
        ]
        if self.neither:
            many = count(self.n_datasets, "data set")
            parts.append(f"neither has scores on {self.neither:,} of {many}")
        return "; ".join(part for part in parts if part)


def _part(role: str, other: str, datasets: int, scores: int, n_datasets: int) -> str:
    """Return the data sets and scores that one algorithm lacks, in words."""
    if datasets:
        more = f" and lacks {count(scores, 'score')} on others" if scores else ""
        return f"{role} has no scores on {datasets:,} of {count(n_datasets, 'data set')}{more}"
    return f"{role} lacks {count(scores, 'score')} that {other} has" if scores else ""


def missing(scores: ScoreTable, measure: str, baseline: str, candidate: str) -> Missing:
    """Count the scores that one of two algorithms of a table lacks."""
    coverage = scores.coverage(measure)
    first, second = scored(coverage, candidate), scored(coverage, baseline)
    lacking = dict.fromkeys((candidate, baseline), 0)
    if scores.paired:
        blocks = scores.blocks(measure)
        counts = [
            blocks.count[:, [k == name for k in blocks.algorithms]].any(axis=1) for name in lacking
        ]
        rows = np.ones(len(blocks.dataset)) if blocks.weight is None else blocks.weight
        shared = np.isin(
            np.array(blocks.datasets)[blocks.dataset], np.array(coverage.datasets)[first & second]
        )
        for name, (present, other) in zip(lacking, (counts, counts[::-1]), strict=True):
            lacking[name] = int(rows[shared & other & ~present].sum())
    else:
        failures = _without_score(scores, measure)
        inside = failures["dataset"].isin(np.array(coverage.datasets)[first & second].tolist())
        for name in lacking:
            lacking[name] = int((inside & (failures["algorithm"] == name)).sum())
    return Missing(
        n_datasets=len(coverage.datasets),
        candidate=int((second & ~first).sum()),
        baseline=int((first & ~second).sum()),
        neither=int((~first & ~second).sum()),
        candidate_scores=lacking[candidate],
        baseline_scores=lacking[baseline],
    )


def _without_score(scores: ScoreTable, measure: str) -> pd.DataFrame:
    """Return the failures of a measure that count as nothing: stopped runs have a score."""
    failures = scores.failures()
    if "measure" in failures:
        failures = failures[failures["measure"] == measure]
    return failures[~failures["scored"].astype(bool)] if "scored" in failures else failures


def scored(coverage: Coverage, name: str) -> Flags:
    """Return (D,) whether an algorithm has scores on a data set; one that always fails has none."""
    return (coverage.counts[:, [k == name for k in coverage.algorithms]] > 0).any(axis=1)


def filled(
    scores: ScoreTable, measure: Measure, names: tuple[str, str], failed: Failed
) -> tuple[ScoreTable, str]:
    """Return the table with the missing scores of two algorithms imputed, and their value in words.

    Replications are those of the other algorithm, or those of failures where they are not shared.
    The worst score is that of the measure in the table, as of any table of two algorithms.
    """
    import pandas as pd

    frame = scores.to_frame(measure.name)
    rows = [_places(scores, frame, measure.name, name, names) for name in names]
    places = pd.concat(rows, ignore_index=True)
    if failed == "worst":
        nowhere = np.full(len(places), -1)
        summary = scores.facts(measure.name).summary
        places["value"] = worst = worst_scores(summary, measure, nowhere, nowhere)
        stopped = measure.stopped_score is not None
        kind = "as runs that were stopped" if stopped else "the worst score of the table"
        words = f"{worst[0]:g}, {kind}"
    elif isinstance(failed, str):
        places["value"], words = scores_of(failed, frame, places), f"those of {failed}"
    else:
        stops = measure.limit is not None and failed >= measure.limit
        places["value"], words = float(failed), "runs that were stopped" if stops else f"{failed:g}"
    both = pd.concat([frame[frame["algorithm"].isin(names)], places], ignore_index=True)
    if measure.limit is not None:
        both["status"] = np.where(both["value"] >= measure.limit, "stopped", "solved")
    table = read_scores(
        both,
        measures=[measure],
        resampling=scores.resampling,
        paired=scores.paired,
        repeats="keep",
    )
    return table, words


def _places(
    scores: ScoreTable, frame: pd.DataFrame, measure: str, name: str, names: tuple[str, str]
) -> pd.DataFrame:
    """Return the rows that one algorithm lacks, without their scores."""
    import pandas as pd

    present, other = (frame[frame["algorithm"] == n] for n in sorted(names, key=name.__ne__))
    keys = ["dataset", "replication"] if scores.paired else ["dataset"]
    there = other.set_index(keys).index.isin(present.set_index(keys).index)
    rows = other[~there]
    if not scores.paired:
        failures = _without_score(scores, measure)
        failed = failures["algorithm"] == name
        inside = failures["dataset"].isin(present["dataset"]) & failed
        if inside.any():
            columns = [column for column in failures if column in rows]
            rows = pd.concat([rows, failures.loc[inside, columns]], ignore_index=True)
    return rows.assign(algorithm=name, measure=measure)
