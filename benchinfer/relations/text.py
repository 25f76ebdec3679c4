"""Relations as text, read and written.

Each function returns the names of the algorithms and their states (K, K).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count
from benchinfer.core.verdict import MIRROR, WORDS, States, Verdict, code, unrelated
from benchinfer.numerics.ties import joined_rows, rounding
from benchinfer.numerics.types import Flags
from benchinfer.relations.numerics import posets

if TYPE_CHECKING:
    from benchinfer.relations.relation import Relation


type Read = tuple[tuple[str, ...], States]
type Convention = Literal["better", "at-least-as-good", "relations"]
_SHORT = 60  # characters of pairs that are listed
CONVENTIONS = ("better", "at-least-as-good", "relations")
# A name that needs no quotes.
BARE = r"""[^\s>~?<=,;"'\\]+"""
_TOKEN = re.compile(
    rf"""\s*(?:([>~?])|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|({BARE}))""", flags=re.DOTALL
)


def from_text(text: str, algorithms: Sequence[str] | None = None) -> Read:
    """Read an order such as ``svm ~ rpart > rf ? knn``; see `Relation.from_text`."""
    names, marks = _tokens(text)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DesignError(
            f"{len(twice):,} of {len(set(names)):,} names stand more than once:"
            f" {', '.join(twice)}.",
            hint="name each algorithm once, best first.",
        )
    listed = tuple(names) if algorithms is None else tuple(algorithms)
    if strange := [name for name in names if name not in listed]:
        raise DesignError(
            f"{len(strange):,} of {len(names):,} names are not among the algorithms:"
            f" {', '.join(strange)}.",
            hint="the algorithms are " + ", ".join(listed) + ".",
        )
    # Algorithms share a rank up to the next ">", and a run up to the next "?".
    rank = np.cumsum([0, *(mark == ">" for mark in marks)])
    run = np.cumsum([0, *(mark != "~" for mark in marks)])
    codes = np.where(run[:, None] == run, Verdict.EQUIVALENT, Verdict.UNDECIDED)
    codes[rank[:, None] < rank] = Verdict.FIRST
    codes[rank[:, None] > rank] = Verdict.SECOND
    states = unrelated(len(listed))
    at = [listed.index(name) for name in names]
    states[np.ix_(at, at)] = codes
    return listed, states


def _tokens(text: str) -> tuple[list[str], list[str]]:
    """Split a text into names and the marks between them."""
    tokens: list[tuple[bool, str]] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unreadable(text, at)
        mark, double, single, bare = match.groups()
        name = (
            bare
            if bare is not None
            else re.sub(r"\\(.)", r"\1", double or single or "", flags=re.DOTALL)
        )
        tokens.append((mark is not None, mark or name))
        # Names and marks take turns, a name first.
        if tokens[-1][0] == len(tokens) % 2:
            raise _unreadable(text, at)
        at = match.end()
    if not len(tokens) % 2:
        raise _unreadable(text, len(text))
    return [word for is_mark, word in tokens if not is_mark], [w for m, w in tokens if m]


def _unreadable(text: str, at: int) -> DesignError:
    rest = text[at:].strip()
    where = f"at {rest[:20]!r}" if rest else "at its end"
    return DesignError(
        f"the order {text!r} cannot be read {where}.",
        hint=(
            "write names with >, ~ or ? between them, best first, as in 'svm ~ rpart > knn';",
            "put names that hold other than letters, digits and - _ . in quotes.",
        ),
    )


def from_incidence(
    matrix: Any, algorithms: Sequence[str] | None, convention: str, both: str, neither: str
) -> Read:
    """Read an incidence matrix; see `Relation.from_incidence`."""
    if convention not in CONVENTIONS:
        raise DesignError(unknown("convention", convention, CONVENTIONS))
    names, values = _square(matrix, algorithms)
    if values.dtype.kind in "OUT":
        words = [
            ["equivalent" if i == j else code(v).label for j, v in enumerate(row)]
            for i, row in enumerate(values.tolist())
        ]
        return names, np.array([[WORDS.index(word) for word in row] for row in words], np.int8)
    absent = np.isnan(values)
    if (strange := ~np.isin(values, (0, 1)) & ~absent).any():
        i, j = np.argwhere(strange)[0].tolist()
        raise DesignError(
            f"{int(strange.sum()):,} of {values.size:,} entries of the matrix are not 0 or 1,"
            f" the first {values[i, j]:g} at ({names[i]!r}, {names[j]!r}).",
            hint="Relation.from_scores compares values; NaN stands for a pair not compared.",
        )
    held = (values.T if convention == "relations" else values) == 1
    if convention == "better":
        _refuse_circles_of_two(names, held)
    states = np.full(held.shape, code(neither), dtype=np.int8)
    states[held & held.T] = code(both)
    states[held & ~held.T], states[held.T & ~held] = Verdict.FIRST, Verdict.SECOND
    states[absent | absent.T] = Verdict.MISSING
    np.fill_diagonal(states, Verdict.EQUIVALENT)
    return names, states


def _square(matrix: Any, algorithms: Sequence[str] | None) -> tuple[tuple[str, ...], Any]:
    """Return names and values of a square array or frame, in the order of the names."""
    is_frame = hasattr(matrix, "columns")
    if algorithms is None and not is_frame:
        raise DesignError(
            "an array has no names.", hint="give algorithms=[...] for rows and columns."
        )
    columns = [str(n) for n in (matrix.columns if is_frame else algorithms or ())]
    rows = [str(n) for n in matrix.index] if hasattr(matrix, "iloc") else columns
    values = np.asarray(matrix)
    if values.shape != (len(columns), len(columns)) or sorted(rows) != sorted(columns):
        raise DesignError(
            f"{len(columns)} algorithms need a {len(columns)} x {len(columns)} matrix with the"
            f" same names for rows and columns, not one of shape {values.shape}.",
            hint="rows and columns are the same algorithms.",
        )
    names = columns if algorithms is None else [str(n) for n in algorithms]
    if strange := [name for name in names if name not in columns]:
        raise DesignError(
            f"the matrix has no algorithm {', '.join(strange)}.",
            hint=f"it has {', '.join(columns)}.",
        )
    values = values[np.ix_([rows.index(n) for n in names], [columns.index(n) for n in names])]
    return tuple(names), values if values.dtype.kind in "OUT" else values.astype(np.float64)


def _refuse_circles_of_two(names: Sequence[str], held: Any) -> None:
    wrong = [(names[i], names[j]) for i, j in np.argwhere(np.triu(held & held.T)).tolist()]
    if wrong:
        raise DesignError(
            f"each algorithm is better than the other: {len(wrong)} such pairs.",
            where=[("first", "second"), *wrong],
            hint='convention="at-least-as-good" reads 1 as "not worse".',
        )


def from_scores(scores: Mapping[str, float], better: str, tolerance: float) -> Read:
    """Read values of the algorithms; see `Relation.from_scores`."""
    if better not in {"higher", "lower"}:
        raise DesignError(unknown("direction", better, ["higher", "lower"]))
    if not tolerance >= 0:
        raise DesignError(f"a tolerance is 0 or above, not {tolerance!r}.")
    # The keys of a pandas series are not what iterating over it gives.
    keys = list(scores.keys())
    names = tuple(str(key) for key in keys)
    try:
        values = np.array([float(scores[key]) for key in keys])
    except (TypeError, ValueError):
        raise DesignError(
            "the scores are not all numbers.", hint="give one number per algorithm."
        ) from None
    if (infinite := np.isinf(values)).any():
        raise DesignError(
            f"{int(infinite.sum()):,} of {len(values):,} scores are infinite.",
            where=[
                ("algorithm", "score"),
                *((names[i], values[i]) for i in np.flatnonzero(infinite)),
            ],
            hint="NaN says that a score is missing.",
        )
    gap = (values[:, None] - values) * (1 if better == "higher" else -1)
    # A difference of just the tolerance counts as one, whatever the last digit of its computation.
    same = joined_rows(values[None])[0]
    reach = tolerance + np.maximum.outer(rounding(values), rounding(values)) if tolerance else 0.0
    near = (np.abs(gap) <= reach) | (same[:, None] == same)
    states = np.where(gap > 0, Verdict.FIRST, Verdict.SECOND).astype(np.int8)
    states[near] = Verdict.EQUIVALENT
    states[np.isnan(gap)] = Verdict.MISSING
    np.fill_diagonal(states, Verdict.EQUIVALENT)
    return names, states


def from_pairs(algorithms: Sequence[str], verdicts: Mapping[tuple[str, str], str]) -> Read:
    """Read named pairs; see `Relation.from_pairs`."""
    index = {name: i for i, name in enumerate(algorithms)}
    if strange := sorted({n for pair in verdicts for n in pair if n not in index}):
        raise DesignError(
            f"pairs name unknown algorithms: {', '.join(strange)}.",
            hint=f"the relation is of {', '.join(algorithms)}.",
        )
    states = unrelated(len(algorithms))
    for (a, b), word in verdicts.items():
        i, j, verdict = index[a], index[b], code(word)
        if i == j or ((b, a) in verdicts and MIRROR[code(verdicts[b, a])] != verdict):
            raise DesignError(
                f"the pair ({a!r}, {b!r}) contradicts itself.",
                hint="name each pair of two algorithms once.",
            )
        states[i, j], states[j, i] = verdict, MIRROR[verdict]
    return tuple(algorithms), states


def ranking_text(relation: Relation, *, quoted: bool = False) -> str:
    """Write a ranking, class by class; quoted, it can be read back."""
    relation = relation.arranged()
    names = list(relation.algorithms)
    if quoted:  # names that hold spaces or signs
        marks = str.maketrans({"\\": r"\\", '"': r"\""})
        names = [n if re.fullmatch(BARE, n) else f'"{n.translate(marks)}"' for n in names]
    levels = posets.levels(relation.strict)
    return " > ".join(_class_text(names, relation.equivalent, level) for level in levels)


def pairs_text(relation: Relation) -> str:
    """Return the cover pairs and the pairs in other states as text."""
    relation = relation.arranged()
    names = relation.algorithms
    parts = [", ".join(f"{a} > {b}" for a, b in relation.covers())]
    i, j = np.triu_indices(len(names), 1)
    for state in (Verdict.EQUIVALENT, Verdict.UNDECIDED, Verdict.MISSING):
        mark = "~" if state == Verdict.EQUIVALENT else "?"
        pairs = [
            f"{names[a]} {mark} {names[b]}"
            for a, b in zip(i, j, strict=True)
            if relation.states[a, b] == state
        ]
        if pairs and state == Verdict.MISSING:
            few = f"{len(pairs):,} of {len(i):,} pairs" if len(i) > 1 else "the pair"
            parts.append(f"not compared: {few}")
        elif pairs:
            parts.append(f"{state.label}: {', '.join(pairs)}")
    return "; ".join(part for part in parts if part)


def in_brief(relation: Relation) -> str:
    """Return a linear or short order as text, or the number of decided pairs of any other."""
    text = str(relation)
    linear = relation.kind == "linear order"
    if linear or len(relation.algorithms) == 2 or len(text) <= _SHORT:
        return text
    states = relation.states[np.triu_indices(len(relation.algorithms), 1)]
    decided, compared = (states >= Verdict.EQUIVALENT).sum(), (states != Verdict.MISSING).sum()
    return f"{decided:,} of {count(int(compared), 'pair')} decided, {relation.standing[0]} first"


def _class_text(names: Sequence[str], equal: Flags, members: list[int]) -> str:
    """Write a class in an order in which neighbours are equivalent where possible."""
    chain, rest = [members[0]], members[1:]
    while rest:
        follow = next((m for m in rest if equal[chain[-1], m]), rest[0])
        chain.append(follow)
        rest.remove(follow)
    # "~" between neighbours would suggest that the whole run is equivalent.
    runs = [[chain[0]]]
    for before, after in pairwise(chain):
        joined = all(equal[m, after] for m in runs[-1]) and equal[before, after]
        runs[-1].append(after) if joined else runs.append([after])
    return " ? ".join(" ~ ".join(names[m] for m in run) for run in runs)
