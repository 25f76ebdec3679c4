"""Layouts of the columns of numbers: scores of measures, of algorithms, or of data sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import combinations

import numpy as np

from benchinfer.numerics.types import Array
from benchinfer.scores.roles.companions import aggregates, companions, differences
from benchinfer.scores.roles.crossing import MOST_ALGORITHMS, Crossing
from benchinfer.scores.roles.dependencies import decides, joint_codes
from benchinfer.scores.roles.directions import direction, places_of_measure, plain
from benchinfer.scores.roles.labels import known_labels
from benchinfer.scores.roles.names import AGGREGATE, OWN, VALUES
from benchinfer.scores.roles.profile import ColumnProfile
from benchinfer.scores.roles.reading import TableReading
from benchinfer.scores.roles.structure import Structure
from benchinfer.scores.roles.vetoes import DECLARED

_ROWS = 3000  # rows that are looked at
_COUNTED = re.compile(r"(fold|seed|run|split|rep)?[ _]?\d+", re.IGNORECASE)


class Layouts:
    """Completions of the roles of labels by those of numbers; what several share is kept."""

    def __init__(self, table: Structure) -> None:
        """Begin with a table."""
        self._table = table
        self._decided = cache(decides)
        self._aggregates = cache(aggregates)
        self._scale = cache(_Scale)
        self._joint = cache(lambda keys: joint_codes(keys, table.rows))
        self._companions = cache(lambda numbers, keys: companions(numbers, self._joint(keys)[0]))

    @cached_property
    def _differences(self) -> dict[str, str]:
        """Columns that are the difference of two others, of which no algorithm is one."""
        return differences(self._table.columns)

    def complete(self, crossing: Crossing) -> Iterator[TableReading]:
        """Yield the readings of a choice of labels, in each layout that fits."""
        if self._joint(tuple(crossing.of("algorithm", "factor")))[1] > MOST_ALGORITHMS:
            return
        datasets = tuple(crossing.of("dataset"))
        roles, numbers = self._without_attributes(crossing)
        known = dict(self._companions(numbers, datasets)) if len(numbers) > 1 else {}
        known |= {
            c.name: "nothing explains it" for c in numbers if c.name in self._table.unexplained
        }
        cells = tuple(crossing.of("algorithm", "dataset", "factor", "measure"))
        repeats = max(1, round(self._table.rows / max(1, self._joint(cells)[1])))
        n_datasets = self._joint(datasets)[1]
        block, odd = _one_scale([c for c in numbers if c.name not in self._differences], known)
        summed = self._aggregates(block) | self._differences
        wide = tuple(c for c in block if c.name not in summed and c.kind != "boolean")
        base = dict.fromkeys((c.name for c in numbers), "companion") | roles
        base |= dict.fromkeys(known, "companion")
        if crossing.algorithm is not None and crossing.algorithm.n >= 2:
            shape = (crossing.algorithm.n, n_datasets, repeats)
            yield from self._long(crossing, numbers, known, wide, base, shape)
        single = crossing.algorithm is None and "algorithm" in roles.values()
        if len(wide) < 2 or _share_named(wide) >= 0.5 or single:
            return
        base = dict.fromkeys((c.name for c in numbers), "ignored: aggregate by its name") | roles
        base |= dict.fromkeys(known, "companion") | dict.fromkeys((c.name for c in wide), "score")
        base |= {n: f"ignored: {why}" for n, why in summed.items()}
        base |= dict.fromkeys(odd, "attribute of row")
        yield from self._wide(crossing, wide, base, n_datasets, repeats)

    def _without_attributes(
        self, crossing: Crossing
    ) -> tuple[dict[str, str], tuple[ColumnProfile, ...]]:
        """Return the roles, and the numbers that neither algorithm nor data set decides.

        A named score that one of them decides is an attribute beside others of which none is.
        """
        roles, rest = dict(crossing.roles), list[ColumnProfile]()
        owners = {c.name: self._owner(c, crossing) for c in self._table.numbers}
        scores = [c.name for c in self._table.numbers if c.named("score")]
        free = any(not owners[name] for name in scores)
        for column in self._table.numbers:
            owner = owners[column.name]
            if owner and (free or column.name not in scores) and self._table.row_label is None:
                roles[column.name] = f"attribute of {owner}"
            else:
                rest.append(column)
        return roles, tuple(rest)

    def _owner(self, column: ColumnProfile, crossing: Crossing) -> str:
        """Return the role whose labels decide a column; empty if none does."""
        for role, by in (("algorithm", crossing.algorithm), ("dataset", crossing.dataset)):
            fits = by is not None and not by.unique and self._table.rows >= 2 * by.n
            if by is not None and fits and column.n > 1 and self._decided(by, column):
                return role
        return ""

    def _long(
        self,
        crossing: Crossing,
        numbers: Sequence[ColumnProfile],
        known: dict[str, str],
        wide: tuple[ColumnProfile, ...],
        base: dict[str, str],
        shape: tuple[int, int, int],
    ) -> Iterator[TableReading]:
        """Yield the reading of one row for each score, or of one column for each measure."""
        scores = [c for c in numbers if c.name not in known]
        if not all(c.integral for c in scores):
            scores = [
                c
                for c in scores
                if not c.integral or c.kind == "boolean" or c.n <= 2 or c.named("score")
            ]
        # Beside named scores, numbers without a name are offered, not taken.
        scores = [c for c in scores if c.named("score")] or scores
        if "measure" in crossing.roles.values():  # columns of other measures are no values
            scores = [
                c for c in scores if plain(c.name) in VALUES or c.named("score") >= DECLARED
            ] or scores
        if not scores:
            return
        weight = crossing.weight + (1.2 if crossing.dataset else -1.2)
        weight += 0.3 * (len(wide) == 1 or crossing.dataset is not None)
        if len(wide) >= 2 and crossing.dataset is None:
            named, scale = _share_named(wide), self._scale(wide)
            weight += 1.5 * named - (scale.overlap + 1.5 * (len(wide) > 12)) * (1 - named)
            weight += 0.5 * min(scale.orders, 2) + scale.opposed - 0.3 * (named == 0)
        roles = base | dict.fromkeys((c.name for c in scores), "score")
        yield from self._made(roles, scores, "long", shape, weight)

    def _wide(
        self,
        crossing: Crossing,
        wide: tuple[ColumnProfile, ...],
        roles: dict[str, str],
        n_datasets: int,
        repeats: int,
    ) -> Iterator[TableReading]:
        """Yield readings of one column of scores for each algorithm, data set or replication."""
        algorithm, dataset, n = crossing.algorithm, crossing.dataset, len(wide)
        scale, named = self._scale(wide), _share_named(wide)
        weight = crossing.weight + 2.2 * scale.overlap - 1.4 - 3 * named - 1.0 * (n == 2)
        weight -= 0.8 * min(scale.orders, 2) * (scale.overlap < 0.5) + 2 * scale.opposed
        names = [c.name for c in wide]
        like = 1.5 * known_labels(names)
        larger = float(np.clip(0.5 * (scale.rows - scale.columns), -1.2, 1.2))

        def size(ratio: float) -> float:
            return float(np.clip(0.5 * np.log2(ratio), -1.1, 1.1))

        if algorithm is None and dataset is not None:
            weight += like + larger + size(n_datasets / n) + 0.3
            yield from self._made(roles, wide, "wide-algorithms", (n, n_datasets, repeats), weight)
        elif algorithm is None and crossing.of("measure"):  # a row for each measure
            yield from self._made(roles, wide, "wide-algorithms", (n, 1, 1), weight + like)
        elif algorithm is None and any(
            c.named("algorithm", "dataset") < OWN for c in crossing.of("replication")
        ):
            yield from self._made(
                roles, wide, "wide-algorithms", (n, 1, repeats), weight + like - 0.8
            )
        elif algorithm is not None and all(_COUNTED.fullmatch(name) for name in names):
            shape = (algorithm.n, n_datasets, repeats * n)
            yield from self._made(roles, wide, "wide-replications", shape, crossing.weight + 2.0)
        elif algorithm is not None and dataset is None and algorithm.n >= 2:
            weight += size(n / algorithm.n) + 0.3 - like - larger
            shape = (algorithm.n, n, repeats)
            yield from self._made(roles, wide, "rows-are-algorithms", shape, weight)

    def _made(
        self,
        roles: dict[str, str],
        scores: Sequence[ColumnProfile],
        layout: str,
        shape: tuple[int, int, int],
        weight: float,
    ) -> Iterator[TableReading]:
        """Yield a reading, its weight reduced by what it leaves unexplained."""
        roles = {c.name: roles.get(c.name, "ignored: no role") for c in self._table.columns}
        for column in self._table.columns:
            role = roles[column.name]
            aside = role.startswith(("ignored", "attribute")) and column.named("score") >= OWN
            aside = aside and column.kind in ("real", "boolean")
            weight -= 0.5 * (role == "ignored: no role" or aside)
            other = bool(column.suggested) and not column.named("score")
            weight -= 0.2 * (role == "score" and layout == "long" and other)
        directions = {c.name: direction(c.name) for c in scores}
        yield TableReading(roles, directions, layout, shape, float(weight))


def _share_named(columns: Sequence[ColumnProfile]) -> float:
    """Return the share of columns that are named as scores; none where they share one measure."""
    if places_of_measure([c.name for c in columns]):
        return 0.0
    return sum(c.named("score") >= 2 for c in columns) / len(columns) if columns else 0.0


def _one_scale(
    numbers: Sequence[ColumnProfile], known: dict[str, str]
) -> tuple[tuple[ColumnProfile, ...], list[str]]:
    """Return the columns that may be of one scale, and the names of those of another order."""
    block = [
        c
        for c in numbers
        if not known.get(c.name, "").startswith(("the same", "rank"))
        and not AGGREGATE.fullmatch(plain(c.name))
    ]
    if places := places_of_measure([c.name for c in block]):
        block = [
            c
            for c in block
            if c.name not in places or not AGGREGATE.fullmatch(plain(c.name).rpartition("_")[0])
        ]
    orders = {c.name: c.magnitude for c in block}
    middle = float(np.median(list(orders.values()))) if orders else 0.0
    few_named = sum(bool(c.named("score")) for c in numbers) < len(block) / 2
    few_named = few_named or bool(places)
    integral = all(c.integral for c in block)

    def is_odd(column: ColumnProfile) -> bool:
        far = abs(orders[column.name] - middle)
        named = bool(column.named("score")) and few_named and far > 0.7
        return (column.integral and far > 1.0 and not integral) or named

    odd = [c.name for c in block if len(block) >= 3 and is_odd(c)]
    return tuple(c for c in block if c.name not in odd), odd


class _Scale:
    """How far columns share one scale.

    `overlap` is 0 to 1; `rows` and `columns` are log ratios of their effects to the rest; `orders`
    are orders of magnitude between columns; `opposed` is the share of pairs of opposite direction.
    """

    def __init__(self, block: Sequence[ColumnProfile]) -> None:
        """Measure the columns."""
        table = np.column_stack([c.values[:_ROWS] for c in block])
        self.overlap = _overlap(table)
        self.rows, self.columns = _two_way(table)
        self.orders = float(np.ptp(np.log10(np.nanmedian(np.abs(table), axis=0) + 1e-9)))
        self.opposed = _opposed(table[:, :12])


def _overlap(table: Array) -> float:
    """Return the mean overlap of the ranges of columns, less where only some have negatives."""
    low, high = np.nanquantile(table, 0.1, axis=0), np.nanquantile(table, 0.9, axis=0)
    shares: list[float] = []
    for i, j in combinations(range(min(12, table.shape[1])), 2):
        common = max(0.0, float(min(high[i], high[j]) - max(low[i], low[j])))
        least = max(1e-12, float(min(high[i] - low[i], high[j] - low[j])))
        shares.append(min(1.0, common / least))
    signs = np.mean((table < 0).any(axis=0))
    return float(min(1.0, np.mean(shares))) * (1.0 if signs in (0, 1) else 0.7)


def _two_way(table: Array) -> tuple[float, float]:
    """Return the effects of rows and of columns on ranks, as logs of ratios of mean squares."""
    from scipy.stats import rankdata

    integral = table[~np.isnan(table).any(axis=1)]
    integral = (
        integral if len(integral) >= 2 else np.nan_to_num(table, nan=float(np.nanmean(table)))
    )
    ranks = rankdata(integral).reshape(integral.shape)
    rows, columns, mean = ranks.mean(1), ranks.mean(0), ranks.mean()
    n, k = len(ranks), table.shape[1]
    rest = float(((ranks - rows[:, None] - columns + mean) ** 2).sum())
    rest = rest / max(1, (n - 1) * (k - 1)) + 1e-9
    by_row = float(((rows - mean) ** 2).sum()) * k / max(1, n - 1)
    by_column = float(((columns - mean) ** 2).sum()) * n / max(1, k - 1)
    return float(np.log((by_row + 1e-9) / rest)), float(np.log((by_column + 1e-9) / rest))


def _opposed(table: Array) -> float:
    """Return how many pairs of columns have opposite orders, between 0 and 1."""
    from scipy.stats import rankdata

    table = table[~np.isnan(table).any(axis=1)]
    if len(table) < 5 or (np.ptp(table, axis=0) == 0).any():
        return 0.0
    ranks = np.apply_along_axis(rankdata, 0, table)
    return min(1.0, 2.0 * float(np.mean(np.corrcoef(ranks, rowvar=False) < -0.4)))
