"""Random tables whose candidate is worse than its baseline by twice the tolerance."""

from unittest.mock import patch

import numpy as np
import pandas as pd

import benchinfer as bi

NOISE = (
    lambda rng, n: rng.normal(size=n),
    lambda rng, n: rng.standard_cauchy(n),
    lambda rng, n: rng.exponential(size=n),
    lambda rng, n: np.where(
        rng.random(n) < 0.15, -rng.exponential(20, n), 0.01 * rng.normal(size=n)
    ),
)


def _long(old, new, dataset):
    """Return a frame of scores (D,) of both on these data sets."""
    return pd.DataFrame(
        {
            "dataset": [*dataset, *dataset],
            "algorithm": ["old"] * len(old) + ["new"] * len(new),
            "value": np.r_[old, new],
        }
    )


def _differences(rng, d):
    """Return differences of whatever shape and size, whose mean is below 0."""
    noise = NOISE[rng.integers(len(NOISE))](rng, d) * 10.0 ** rng.integers(-3, 3)
    differences = noise - abs(rng.normal()) * np.abs(noise).mean() * rng.choice([0, 0.1, 2])
    return differences if differences.mean() < 0 else -differences


def of_datasets(rng, _):
    d = int(rng.integers(3, 40))
    differences = _differences(rng, d)
    base = rng.normal(0, 3, d)
    frame = _long(base, base + differences, [f"d{i:02}" for i in range(d)])
    return frame, "acc:higher", differences.mean()


def of_crashes(rng, _):
    """Either of both lacks some data sets; means are of those that both have scores on."""
    frame, measure, _ = of_datasets(rng, None)
    names = frame["dataset"].unique()
    if len(names) < 6:
        return of_crashes(rng, None)
    lost = frame["algorithm"].eq(rng.choice(["old", "new"])) & frame["dataset"].isin(names[:2])
    frame = frame[~lost]
    wide = frame.pivot_table(index="dataset", columns="algorithm", values="value").dropna()
    return frame, measure, (wide["new"] - wide["old"]).mean()


def of_limits(rng, _):
    """Times up to a limit, at which the candidate is stopped more often."""
    d = int(rng.integers(8, 40))
    old = np.minimum(100.0, rng.lognormal(2, 1, d))
    new = np.where(rng.random(d) < 0.3, 100.0, old * rng.uniform(0.3, 1.2, d)).clip(0, 100)
    frame = _long(old, new, [f"d{i:02}" for i in range(d)])
    return frame, "seconds:lower:{}:identity:limit=100", (old - new).mean()


def of_units(rng, _):
    """Items of units of unequal size on one data set."""
    sizes = rng.integers(1, 9, int(rng.integers(6, 14)))
    unit = np.repeat(np.arange(len(sizes)), sizes)
    differences = _differences(rng, len(sizes))[unit] + 0.1 * rng.normal(size=len(unit))
    base = rng.normal(size=len(unit))
    frame = _long(base, base + differences, ["d"] * len(unit))
    frame["passage"] = [f"p{u}" for u in [*unit, *unit]]
    frame["item"] = [*range(len(unit))] * 2
    return frame, "acc:higher", differences.mean()


def of_items(rng, _):
    """Items that are right or wrong, on one data set or several."""
    d, n = int(rng.choice([1, 6])), int(rng.integers(20, 80))
    old = (rng.random((d, n)) < 0.8).astype(float)
    new = np.where(rng.random((d, n)) < 0.3, rng.random((d, n)) < 0.4, old).astype(float)
    index = np.indices((d, n)).reshape(2, -1)
    frame = _long(old.ravel(), new.ravel(), [f"d{i}" for i in index[0]])
    frame["item"] = [*index[1], *index[1]]
    return frame, "acc:higher", (new - old).mean()


def of_two_files(rng, folder):
    """A file for each side, which are read together."""
    frame, measure, mean = of_datasets(rng, None)
    paths = [folder / f"{name}.csv" for name in ("old", "new")]
    for path in paths:
        part = frame[frame["algorithm"] == path.stem].rename(columns={"value": "acc"})
        part[["dataset", "acc"]].to_csv(path, index=False)
    return paths, measure, mean


KINDS = (of_datasets, of_crashes, of_limits, of_units, of_items, of_two_files)
OPTIONS = {
    of_units: {"units": ["passage", "item"]},
    of_items: {"columns": {"item": "replication"}, "resampling": "items"},
}


def verdict(seed, folder):
    """Return the verdict by default on the random table of a seed; none where none is worse."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    source, measure, mean = kind(rng, folder)
    tolerance = -float(mean) / 2
    if tolerance <= 0:
        return ""
    measure = measure.format(repr(tolerance)) if "{}" in measure else f"{measure}:{tolerance!r}"
    scores = bi.read_scores(source, measures=measure, **OPTIONS.get(kind, {}))
    # Plans of undecided tables would take most of the time.
    with patch("benchinfer.analyses.gate.gate.need_of", return_value=None):
        return bi.gate(scores, baseline="old", candidate="new").verdict
