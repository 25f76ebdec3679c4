"""The reference meta-analyses of `tests/golden/meta/fit.R`."""

import json
from pathlib import Path

import numpy as np

from benchinfer.analyses.meta.numerics.effects import Block
from benchinfer.analyses.meta.numerics.pooling import NetworkPart

VALUES = json.loads(
    (Path(__file__).parents[3] / "golden" / "meta" / "meta.json").read_text(encoding="utf-8")
)


def pair():
    """Return effects, sampling variances, covariate and studies."""
    return (np.array(VALUES["pair"][name], dtype=float) for name in ("y", "v", "x", "study"))


def part(*, along=False):
    """Return the one pair as a part."""
    y, v, x, _ = pair()
    columns = [np.ones(len(y)), x] if along else [np.ones(len(y))]
    return NetworkPart(y, np.column_stack(columns), v)


def blocks():
    """Return the network's blocks, algorithms counted from 0."""
    found = VALUES["network"]["blocks"]
    return [
        Block(
            np.array(b["arms"]) - 1,
            np.atleast_1d(np.array(b["y"], dtype=float)),
            np.atleast_2d(np.array(b["cov"], dtype=float)),
        )
        for b in found
    ]
