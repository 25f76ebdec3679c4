"""Yao et al. (2024): tau-bench, one agent's four trials of 50 tasks of an airline."""

from collections.abc import Mapping
from pathlib import Path

import benchinfer as bi
from benchinfer.reproductions.entry import Entry, SourceFile, numbers

_PASSED = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}


def scores_of(path: Path | str, trials: int = 1) -> bi.ScoreTable:
    """Read the probability that trials of a task, drawn without return, all succeed."""
    return bi.read_scores(path, repeats=f"pass^{trials}")


def _compute(path: Path) -> Mapping[str, float]:
    return {
        f"pass^{k}": float(scores_of(path, k).describe("reward")["mean"].iloc[0]) for k in _PASSED
    }


ENTRY = Entry(
    name="yao2024",
    study="yao2024",
    title="tau-bench, tasks of an airline by GPT-4o",
    files=(
        SourceFile(
            "gpt-4o-airline.json",
            "sierra-research/tau-bench, historical_trajectories, commit 59a200c6",
            "e9e6c0297660c537f83d4fd9c476ce7a9a86ecd2784874b7bfc13be598e37bfa",
        ),
    ),
    licence="MIT",
    published=numbers("README", {f"pass^{k}": v for k, v in _PASSED.items()}, 0.0005),
    compute=_compute,
)
