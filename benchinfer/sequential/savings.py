"""How many runs an experiment has needed, and how many of the planned ones it does without."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.sequential.course import GO_ON, VERDICTS

if TYPE_CHECKING:
    from benchinfer.sequential.monitor_comparison import MonitorComparison


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of an experiment: of one algorithm, on one replication of one data set each.

    Attributes
    ----------
    counted
        Those that some pair has used.
    most
        Those that may be used at most, as decided pairs retire; None where there is no last stage.
    planned
        Those of all algorithms up to the last stage; None where there is no last stage.
    ended
        Whether no pair goes on.
    """

    counted: int
    most: int | None
    planned: int | None
    ended: bool

    def __str__(self) -> str:
        """Say it in a sentence."""
        if not self.counted:
            return "Nothing is counted before the first stage is whole."
        said = f"{self.counted:,} run{'' if self.counted == 1 else 's'}"
        if self.planned is None or self.most is None:
            return f"{said} counted{'' if self.ended else ' so far; there is no last stage'}."
        saved = self.planned - self.most
        share = f"{saved:,} ({100 * saved / self.planned:.0f} %)"
        if not self.ended and not saved:
            return f"{said} counted so far, of at most {self.planned:,}."
        if not self.ended:
            return (
                f"{said} counted so far; at most {self.most:,} of {self.planned:,} will be needed,"
                f" {share} are saved."
            )
        if not saved:
            return f"All {self.planned:,} planned runs were needed."
        return f"{self.counted:,} of {self.planned:,} planned runs were enough; {share} are saved."


def runs(*results: "MonitorComparison") -> Runs:
    """Count the runs of a monitored experiment; results are those of its measures.

    An algorithm is run as long as one of its pairs goes on, on whatever measure; a run gives the
    scores of all measures.
    """
    design, setting = results[0].design, results[0].setting
    d = len(setting.coverage.datasets)
    last = None if design.last_stage is None else design.last_stage * design.stage
    pairs = np.vstack([one.pairs for one in results])
    used = np.concatenate([one.course.used for one in results])
    live = np.concatenate([one.course.live for one in results])
    counted, most = 0, 0
    watched = np.unique(pairs)
    for k in watched:
        mine = (pairs == k).any(axis=1)
        most_used = int(used[mine].max())
        counted += d * most_used
        most += d * (last if last is not None and live[mine].any() else most_used)
    if last is None:
        return Runs(counted, None, None, not live.any())
    return Runs(counted, most, d * len(watched) * last, not live.any())


def decided(result: "MonitorComparison") -> list[tuple[str, int]]:
    """Say which pairs are decided, each with its replications, the first ones first."""
    found: list[tuple[str, int]] = []
    sides = result.named_sides()
    for i in np.argsort(result.course.used, kind="stable"):
        end, (first, second) = result.course.ends[i], sides[i]
        if VERDICTS[end] <= VERDICTS[GO_ON]:
            continue
        text = {
            "first": f"{first} is better than {second}",
            "second": f"{second} is better than {first}",
        }.get(end, f"{first} and {second} are equivalent")
        found.append((text, int(result.course.used[i])))
    return found
