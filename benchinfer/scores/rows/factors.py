"""Factors, of which the algorithms of a table are the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import number_of
from benchinfer.scores.columns.roles import COMMON, common_name
from benchinfer.scores.coverage import Finding

FACTOR = "factor"  # the role of a column
JOIN = "/"  # between the levels of a cell: "vit/mixup/adam"
MOST = 6


def factor_columns(columns: Mapping[str, str] | None, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of factors; with some, a column of algorithms is one, too.

    Examples
    --------
    >>> factor_columns({"aug": "factor"}, ["dataset", "model", "aug", "score"])
    ('model', 'aug')
    """
    roles = dict(columns or {})
    if FACTOR not in roles.values():
        return ()
    factors = [name for name, role in roles.items() if role in (FACTOR, "algorithm")]
    if "algorithm" not in roles.values():
        others = [name for name in names if name not in roles]
        factors = [n for n in others if common_name(n) in COMMON["algorithm"]][:1] + factors
    if len(factors) < 2:
        raise ScoreTableError(
            f"{factors[0]} is the only factor.",
            hint=f"columns={ {factors[0]: 'algorithm'}!r} compares its levels.",
        )
    if len(factors) > MOST:
        raise ScoreTableError(
            f"{len(factors)} factors: {', '.join(factors)}.",
            hint=f"at most {MOST}; where=... selects a level of one.",
        )
    return tuple(factors)


def as_algorithm(
    columns: Mapping[str, str] | None, factors: Sequence[str]
) -> Mapping[str, str] | None:
    """Return the roles of columns, of which factors are joined to the algorithm."""
    if not factors:
        return columns
    others = {name: role for name, role in (columns or {}).items() if name not in factors}
    return others | dict.fromkeys(factors, "algorithm")


def levels_of(cells: Sequence[str], factors: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the levels of each factor in their order, numbers by size and before other names.

    Examples
    --------
    >>> levels_of(["a/10", "b/10", "a/9"], ["net", "size"])
    {'net': ('a', 'b'), 'size': ('9', '10')}
    """
    parts = [cell.split(JOIN) for cell in cells]
    return {
        name: tuple(sorted({part[f] for part in parts}, key=_place))
        for f, name in enumerate(factors)
    }


def full_cell(cells: Sequence[str]) -> str | None:
    """Return the cell from which each other one differs in one factor, as in ablations; else None.

    Several factors have to differ, one at a time.

    Examples
    --------
    >>> full_cell(["vit/mixup", "vit/none", "resnet/mixup"])
    'vit/mixup'
    """
    parts = [cell.split(JOIN) for cell in cells]
    if len(cells) > 1 + sum(len(set(of)) - 1 for of in zip(*parts, strict=True)):
        return None
    for cell, levels in zip(cells, parts, strict=True):
        changed = [
            [f for f, (a, b) in enumerate(zip(levels, other, strict=True)) if a != b]
            for other in parts
            if other != levels
        ]
        if all(len(at) == 1 for at in changed) and len({at[0] for at in changed}) > 1:
            return cell
    return None


def _place(level: str) -> tuple[bool, float, str]:
    number = number_of(level)
    number = None if number is None or number != number else number  # noqa: PLR0124 (NaN)
    return (number is None, 0.0 if number is None else number, level)


def factor_findings(cells: Sequence[str], factors: Sequence[str]) -> list[Finding]:
    """Report factors, and as a fault cells whose names do not show the level of each."""
    odd = [name for name in cells if name.count(JOIN) != len(factors) - 1]
    if not factors:
        return []
    if not odd:
        what = f"algorithms are the cells of {len(factors)} factors, {', '.join(factors)}."
        hint = "compare_factors compares the levels of each, other analyses all pairs of cells."
        return [Finding("factors", "note", len(cells), what, (), hint)]
    what = f"levels of factors contain {JOIN!r}, which stands between those of a cell."
    where = (("algorithm",), *((name,) for name in odd[:5]))
    hint = "write them with another sign."
    return [Finding("levels of factors", "error", len(odd), what, where, hint)]
