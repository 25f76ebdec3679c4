"""Tables of answers to items of passages of unequal size."""

import numpy as np
import pandas as pd

import benchinfer as bi

LEVELS = ("passage", "item")


def items_of_passages(sizes, algorithms="ab", datasets=1, seed=0):
    """Return scores of items in passages of some sizes, with algorithms ever better."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{d}", f"p{p:02}", f"q{q}", a, 0.1 * k + shift[k] + hard + 0.3 * rng.normal())
        for d in range(datasets)
        for p, n in enumerate(sizes)
        for shift in [rng.normal(scale=0.3) + rng.normal(scale=0.3, size=len(algorithms))]
        for q in range(n)
        for hard in [rng.normal(scale=0.2)]
        for k, a in enumerate(algorithms)
    ]
    return pd.DataFrame(rows, columns=["dataset", *LEVELS, "algorithm", "acc"])


def read(frame, **options):
    options = {"measures": {"acc": "higher"}, "units": LEVELS, **options}
    return bi.read_scores(frame, **options)


def sums(frame, algorithm):
    """Return the sums and numbers of items of each passage on each data set."""
    part = frame[frame["algorithm"] == algorithm].groupby(["dataset", "passage"])["acc"]
    return part.sum(), part.size()
