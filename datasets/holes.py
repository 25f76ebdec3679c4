"""Make holes in a complete score table: what fails or is skipped in real life."""

import random

from score_file import Row


def without_cell(rows: list[Row], dataset: str, algorithm: str) -> list[Row]:
    """Drop all scores of one algorithm on one data set.

    Parameters
    ----------
    rows
        The table.
    dataset, algorithm
        The cell to empty.

    Returns
    -------
    list of tuple of str
        The other rows, in their order.
    """
    return [row for row in rows if (row[0], row[2]) != (dataset, algorithm)]


def without_share(rows: list[Row], share: float, seed: int) -> list[Row]:
    """Drop a share of the rows completely at random.

    Parameters
    ----------
    rows
        The table.
    share
        Which share to drop; the number of rows is rounded.
    seed
        Seed of the draw.

    Returns
    -------
    list of tuple of str
        The rows that stay, in their order.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret; random() is the same in every Python
    draws = [rng.random() for _ in rows]
    dropped = set(sorted(range(len(rows)), key=draws.__getitem__)[: round(share * len(rows))])
    return [row for position, row in enumerate(rows) if position not in dropped]
