"""From scores, or from published counts, to the wins that are compared."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.contrasts import Contrasts, check_number
from benchinfer.compare.designs import check_missing
from benchinfer.compare.evidence import Array, Setting
from benchinfer.errors import DesignError, message
from benchinfer.measure import Measure
from benchinfer.numerics import ties
from benchinfer.numerics.wins.tally import Tally, count, spread
from benchinfer.saving import savable
from benchinfer.scores import ScoreTable, Wins

type By = Literal["datasets", "replications"]


@savable
@dataclass(frozen=True, slots=True)
class Counted:
    """Wins with what they were counted from.

    Attributes
    ----------
    scored
        The setting of the scores, on their own measure; of published counts without scores.
    tally
        The counts, by data set; by replication where there is one data set.
    by
        ``"datasets"``, ``"replications"`` or ``"published"``.
    tie, local
        Differences that are ties: in the unit of the measure, and in standard deviations of a data
        set's differences (0 for none).
    rounded
        Scores that count as equal to another one of their row though they differ.
    """

    scored: Setting
    tally: Tally
    by: str
    tie: float
    local: float
    rounded: int = 0

    @property
    def clustered(self) -> bool:
        """Whether it is known which contests go together."""
        return self.by != "published"

    @property
    def ties(self) -> str:
        """What a tie is, in words."""
        if self.by == "published":
            return "ties are those of the published table"
        measure, what = self.scored.measure, "means" if self.by == "datasets" else "scores"
        exact = f"{what} that are equal but for rounding"
        if self.tie > 0:
            unit = f" {measure.unit}" if measure.unit else ""
            size = {"identity": "", "log": " relative to each other", "logit": " in log odds"}
            exact = f"{what} that differ by at most {self.tie:g}{unit}{size[measure.scale]}"
        if self.local == 0:
            return f"{exact} are ties"
        kind = "of their differences" if self.scored.paired else "of their scores"
        return (
            f"{exact}, or by at most {self.local:g} standard deviations {kind} on the data set,"
            " are ties"
        )


def counted(
    scores: ScoreTable | Wins,
    measure: str | None,
    by: By,
    tie_tolerance: float | None,
    local_rope: float | None,
    missing: str,
    family: tuple[Contrasts, str | None],
) -> Counted:
    """Count wins.

    Parameters
    ----------
    scores, measure, by, tie_tolerance, local_rope, missing
        As in `compare_wins`.
    family
        Contrasts and control.

    Raises
    ------
    DesignError
        There are too many pairs, or the table cannot be counted as asked for.
    """
    for name, value in (("tie_tolerance", tie_tolerance), ("local_rope", local_rope)):
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise DesignError(message(f"{name} is {value!r}.", hint="0 or more, as in 0.01."))
    if isinstance(scores, Wins):
        check_number(scores.algorithms, *family)
        return _published(scores, measure, by, tie_tolerance, local_rope)
    setting, scores = Setting.of(scores, measure)
    check_number(setting.algorithms, *family)
    check_missing(setting, missing)
    own = setting.measure
    tie = own.tolerance if tie_tolerance is None else tie_tolerance
    margin = replace(own, tolerance=tie).margin
    local = local_rope or 0.0
    if by == "replications":
        if local:
            raise DesignError(
                message(
                    "a local ROPE is about means of replications, which are counted one by one.",
                    hint='by="datasets" goes with local_rope, tie_tolerance with either.',
                )
            )
        values, cluster = _replications(scores, setting)
        reach = None
    else:
        values = scores.cells(own.name).mean
        cluster = np.arange(len(values))
        reach = local * _spreads(scores, setting) if local else None
    rounded = 0 if margin else int((values > ties.joined_rows(values)).sum())
    return Counted(setting, count(values, cluster, margin, reach), by, tie, local, rounded)


def _replications(scores: ScoreTable, setting: Setting) -> tuple[Array, NDArray[np.int64]]:
    """Return scores of each replication, and which go together: those of a data set."""
    if not setting.paired:
        raise DesignError(
            message(
                "the algorithms do not share replications, so none can be won.",
                hint='by="datasets" compares their means.',
            )
        )
    blocks = scores.blocks(setting.measure.name)
    values = np.where(blocks.count > 0, blocks.mean, np.nan)
    # On one data set its replications are all that could go together, or not.
    one = len(setting.coverage.datasets) == 1
    _, cluster = np.unique(blocks.dataset, return_inverse=True)
    return values, np.arange(len(values)) if one else cluster.astype(np.int64)


def _spreads(scores: ScoreTable, setting: Setting) -> Array:
    """Return (D, P) standard deviations that differences of means are held against.

    Of paired scores those of the differences, else the root mean square of the algorithms' own.
    """
    name = setting.measure.name
    if not (setting.coverage.found > 1).any():
        raise DesignError(
            message(
                "a local ROPE needs several scores of an algorithm on a data set.",
                hint="tie_tolerance=... says which difference of single scores is a tie.",
            )
        )
    if setting.paired:
        blocks = scores.blocks(name)
        return spread(np.where(blocks.count > 0, blocks.mean, np.nan), blocks.dataset)
    sd = np.nan_to_num(scores.cells(name).sd)
    i, j = np.triu_indices(sd.shape[1], 1)
    return np.sqrt((sd[:, i] ** 2 + sd[:, j] ** 2) / 2)


def _published(
    wins: Wins,
    measure: str | None,
    by: By,
    tie_tolerance: float | None,
    local_rope: float | None,
) -> Counted:
    """Take published counts as they are."""
    if (tie_tolerance, local_rope) != (None, None) or by != "datasets":
        raise DesignError(
            message(
                "published wins are counted already.",
                hint="by, tie_tolerance and local_rope go with scores.",
            )
        )
    coverage = wins.coverage()
    k = len(wins.algorithms)
    own, tied, lost = (x[None] for x in wins.counts())
    pairs = np.column_stack(np.triu_indices(k, 1)).astype(np.int64)
    setting = Setting(
        measure=wins.measure(measure),
        algorithms=wins.algorithms,
        coverage=coverage,
        quantiles=np.full((1, k, 5), np.nan),
        absent=(),
        domains=(),
        resampling=None,
        paired=False,
        digest=wins.digest,
    )
    return Counted(setting, Tally(pairs, own, tied, lost), "published", 0.0, 0.0)


def told_as(found: Counted, rope: float) -> Setting:
    """Return the setting of the comparison: its measure is the probability of winning.

    Parameters
    ----------
    found
        What was counted.
    rope
        Probabilities within that of 1/2 do not matter.
    """
    name = f"wins by {found.scored.measure.name}"
    won = Measure(
        name,
        better="higher",
        tolerance=math.log((0.5 + rope) / (0.5 - rope)),
        scale="logit",
        bounds=(0.0, 1.0),
        label=f"chance to win by {found.scored.measure.name}",
    )
    nothing = np.full_like(found.scored.quantiles, np.nan)
    return replace(found.scored, measure=won, quantiles=nothing)
