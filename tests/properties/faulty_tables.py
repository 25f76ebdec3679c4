"""Odd small tables, and what one may ask of them."""

import numpy as np
import pandas as pd

VALUES = {
    "plain": lambda x: x,
    "shares": lambda x: 1 / (1 + np.exp(-x)),
    "right or wrong": lambda x: (x > 0).astype(float),
    "always right": np.ones_like,
    "per cent": lambda x: np.round(100 / (1 + np.exp(-x)), 1),
    "seconds": lambda x: np.exp(2 * x),
    "below zero": lambda x: -np.exp(x),
    "two values": lambda x: np.round(x / 2),
    "counts": lambda x: np.round(np.exp(3 + x)),
    "huge": lambda x: 1e140 * x,
    "too large": lambda x: 1e200 * x,
    "tiny": lambda x: 1e-170 * x,
    "nearly equal": lambda x: 1e6 + 1e-7 * x,
    "heavy tails": lambda x: x**5,
    "skewed": lambda x: np.exp(3 * x) - 5,
    "bounded": lambda x: np.clip(x, 0, 1),
}
NAMES = ["a=b", "c,d", 'e "f"', "g\nh", "é ü", "-i", " j ", "k:l", "{m}", "n'o", "0", "domain x"]


def odd_frame(rng: np.random.Generator) -> pd.DataFrame:
    """Return a table of scores with up to four oddities."""
    d, r, k = (
        rng.choice([1, 1, 2, 3, 5, 8, 12]),
        rng.choice([1, 1, 2, 3, 5, 10]),
        rng.choice([1, 2, 2, 2, 2, 3, 3, 3, 4, 5]),
    )
    x = (
        rng.normal(size=(d, 1, 1))
        + 0.7 * rng.normal(size=(d, 1, k))
        + rng.normal(size=(d, r, k)) / 2
    )
    i, j, a = np.indices(x.shape).reshape(3, -1)
    value = VALUES[rng.choice(list(VALUES))](x).ravel()
    names = [*rng.permutation(NAMES)[:k]] if rng.random() < 0.2 else [f"a{n}" for n in range(k)]
    frame = pd.DataFrame(
        {
            "dataset": [f"d{n + 1}" for n in i],
            "replication": j + 1,
            "algorithm": [names[n] for n in a],
            "score": value,
        }
    )
    for oddity in rng.choice(ODDITIES, rng.choice([0, 1, 1, 1, 2, 3]), replace=False):
        frame = oddity(frame, rng)
    return frame.reset_index(drop=True)


def _missing_cells(frame, rng):
    return frame[rng.random(len(frame)) > rng.choice([0.1, 0.5])] if len(frame) > 3 else frame


def _one_lacks_data_sets(frame, _):
    keep = (frame.iloc[:, 2] != frame.iloc[0, 2]) | (frame.iloc[:, 0] == frame.iloc[0, 0])
    return frame[keep]


def _apart(frame, _):
    early = frame.iloc[:, 0].astype(str) < "d3"
    first = frame.iloc[:, 2] == frame.iloc[0, 2]
    return frame[early == first] if (early == first).any() else frame


def _without_scores(frame, rng):
    score = frame["score"].astype(object).copy()
    score[rng.random(len(frame)) < 0.2] = rng.choice(np.array([np.nan, "timeout", "inf"], object))
    return frame.assign(score=score)


def _duplicates(frame, rng):
    return pd.concat([frame, frame.iloc[: max(1, len(frame) // rng.choice([1, 3]))]])


def _without_replications(frame, _):
    return frame.drop(columns="replication", errors="ignore")


def _times(frame, rng):
    return frame.assign(
        **{str(rng.choice(["fit_time", "utc", "seconds", "n"])): rng.random(len(frame))}
    )


def _attempts(frame, _):
    key = [name for name in ("dataset", "algorithm") if name in frame]
    return frame.assign(attempt=frame.groupby(key).cumcount() if key else 0)


def _row_numbers(frame, rng):
    frame = frame.copy()
    frame.insert(0, str(rng.choice(["", "Unnamed: 0", "id"])), np.arange(len(frame)))
    return frame


def _odd_columns(frame, rng):
    names = {name: str(rng.choice(NAMES)) for name in frame.columns if rng.random() < 0.4}
    return frame.rename(columns=names) if len({*names.values()}) == len(names) else frame


def _two_candidates(frame, rng):
    role = str(rng.choice(["replication", "dataset", "algorithm"]))
    near = {
        "replication": ("fold", "seed"),
        "dataset": ("task", "problem"),
        "algorithm": ("model", "method"),
    }
    if role not in frame:
        return frame
    one, two = near[role]
    return frame.rename(columns={role: one}).assign(**{two: rng.integers(1, 3, len(frame))})


def _several_measures(frame, rng):
    if "measure" in frame or "score" not in frame:
        return frame
    other = frame.assign(measure="time", score=rng.random(len(frame)))
    return pd.concat([frame.assign(measure="acc"), other])


def _measure_columns(frame, rng):
    return frame.rename(columns={"score": "acc"}).assign(loss=rng.random(len(frame)))


def _wide(frame, _):
    keys = [name for name in ("dataset", "replication") if name in frame]
    if not keys or "algorithm" not in frame or "score" not in frame:
        return frame
    wide = frame.drop_duplicates([*keys, "algorithm"])
    wide = wide.set_index([*keys, "algorithm"])["score"].unstack().reset_index()  # noqa: PD010
    return wide.rename_axis(columns=None)


def _text(frame, rng):
    score = frame["score"].map(str)
    return frame.assign(score=score.str.replace(".", ",") if rng.random() < 0.5 else score)


def _domains(frame, rng):
    return frame.assign(domain=np.where(rng.random(len(frame)) < 0.5, "x", "y"))


def _empty_labels(frame, rng):
    name = frame.columns[rng.integers(min(3, frame.shape[1]))]
    label = frame[name].astype(object).copy()
    label.iloc[0] = None
    return frame.assign(**{name: label})


def _no_rows(frame, _):
    return frame.iloc[:0]


def _swapped(frame, _):
    return frame.rename(columns={"dataset": "replication", "replication": "dataset"})


def _of_the_score(oddity):
    return lambda frame, rng: oddity(frame, rng) if "score" in frame else frame


def _of_places(oddity):
    def careful(frame, rng):
        return oddity(frame, rng) if frame.shape[1] > 3 and len(frame) else frame

    return careful


ODDITIES = [
    *map(_of_places, (_missing_cells, _one_lacks_data_sets, _apart, _duplicates, _empty_labels)),
    *map(_of_the_score, (_without_scores, _several_measures, _measure_columns, _text)),
    *(_without_replications, _times, _attempts, _row_numbers, _odd_columns, _two_candidates),
    *(_wide, _domains, _swapped, _no_rows),
]  # fmt: skip

READING = {
    "resampling": ["cv", "holdout", "seeds", "items", "cv:3", "bootstrap", "independent"],
    "failed": ["error", "worst", 0.5],
    "paired": [True, False],
    "layout": ["long", "wide-algorithms", "wide-measures", "rows-are-algorithms"],
    "columns": [{"fold": "replication"}, {"score": "value"}, {"dataset": "fold"}],
    "covariates": [("attempt",), ("fit_time",)],
    "dataset": ["iris"],
    "repeats": ["keep"],
}
