"""Patterns of the names of columns and files: constant text with variable parts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

_SEPARATORS = re.compile(r"( - |[/_.:|@=, -])")
_FOLDER = "\0"  # stands for the name of the folder in that of a file
_POINT = "\1"  # stands for the point of a decimal number, which separates nothing
_DECIMAL = re.compile(r"(?<![\d.])(\d+)\.(?=\d+(?![\d.]))")
_COUNTED = re.compile(rf"(\D*?)[_-]?(\d+(?:{_POINT}\d+)?)")


@dataclass(frozen=True, slots=True)
class Pattern:
    """The pattern that all names of a list have.

    Attributes
    ----------
    texts
        Constant texts: before the first variable part, between parts, and after the last one.
    labels
        For each variable part, its labels in the order of the names.
    """

    texts: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    def written(self, roles: Sequence[str]) -> str:
        """Write the pattern with the roles of its variable parts in braces.

        Examples
        --------
        >>> pattern_of(["svm_1", "svm_2", "knn_1"]).written(["algorithm", "replication"])
        '{algorithm}_{replication}'
        """
        parts = [f"{{{role}}}{text}" for role, text in zip(roles, self.texts[1:], strict=True)]
        folder = next(
            (
                role
                for role, text in zip(roles, self.texts[1:], strict=True)
                if text.startswith("/")
            ),
            "",
        )
        return "".join([self.texts[0], *parts]).replace(_FOLDER, f"{{{folder}}}")


def pattern_of(names: Sequence[str]) -> Pattern:
    """Return the pattern of names: their constant text and their variable parts.

    Parts that say the same are one, as in ``ppo-large`` and ``dqn-small``.

    Examples
    --------
    >>> pattern_of(["run-ppo_1-tag-return", "run-dqn_2-tag-return", "run-dqn_1-tag-return"]).texts
    ('run-', '_', '-tag-return')
    >>> pattern_of(["svm_noise0.1", "svm_noise0.2", "knn_noise0.1"]).labels[1]
    ('0.1', '0.2', '0.1')
    """
    pattern = _pattern_of([_DECIMAL.sub(rf"\1{_POINT}", name) for name in names])
    labels = (tuple(label.replace(_POINT, ".") for label in part) for part in pattern.labels)
    return Pattern(tuple(text.replace(_POINT, ".") for text in pattern.texts), tuple(labels))


def _pattern_of(names: Sequence[str]) -> Pattern:
    """Return the pattern of names in which no decimal number has a point."""
    head, tail = _constant(names)
    inner = [name[len(head) : len(name) - len(tail)] for name in names]
    texts, labels = [head], list[tuple[str, ...]]()
    for between, column in _parts(inner):
        values = tuple(column)
        if len(set(values)) == 1 and between:
            texts[-1] += between + values[0]
        elif labels and _same_parts(labels[-1], values):
            labels[-1] = tuple(f"{a}{between}{b}" for a, b in zip(labels[-1], values, strict=True))
        else:
            texts[-1] += between
            matches = [_COUNTED.fullmatch(value) for value in values]
            stems = {match[0][: match.start(2)] if match else "" for match in matches}
            stem = stems.pop() if len(stems) == 1 else ""
            texts[-1] += stem
            texts.append("")
            labels.append(tuple(value.removeprefix(stem) for value in values))
    texts[-1] += tail
    return Pattern(tuple(texts), tuple(labels))


def pattern_of_files(names: Sequence[str]) -> Pattern:
    """Return the pattern of names of files, in which that of the folder stands for itself.

    Examples
    --------
    >>> names = ["svm_rbf/iris_svm_rbf_auc", "knn/wine_knn_auc", "knn/iris_set_knn_auc"]
    >>> pattern_of_files(names).written(["algorithm", "dataset"])
    '{algorithm}/{dataset}_{algorithm}_auc'
    """
    parts = [name.rpartition("/") for name in names]
    folders = [head.rpartition("/")[2] for head, _, _ in parts]
    if len({*folders}) < 2 or not all(
        f and f in name for f, (*_, name) in zip(folders, parts, strict=True)
    ):
        return pattern_of(names)
    pattern = pattern_of(
        [
            f"{head}/{name.replace(f, _FOLDER)}"
            for f, (head, _, name) in zip(folders, parts, strict=True)
        ]
    )
    return pattern if tuple(folders) in pattern.labels else pattern_of(names)


def _constant(names: Sequence[str]) -> tuple[str, str]:
    """Return the common beginning and end of all names, up to a separator."""
    head = _start(names)
    head = head[: max((m.end() for m in _SEPARATORS.finditer(head)), default=0)]
    rest = [name[len(head) :] for name in names]
    tail = _start([name[::-1] for name in rest])[::-1]
    starts = [m.start() for m in _SEPARATORS.finditer(tail)]
    return head, tail[starts[0] :] if starts else ""


def _start(names: Sequence[str]) -> str:
    letters = zip(*names, strict=False)
    return "".join(same[0] for same in takewhile(lambda letter: len({*letter}) == 1, letters))


def _parts(names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Split names into parts, each with the separator before it; one part where they differ."""
    split = [_SEPARATORS.split(name) for name in names]
    separators = {tuple(parts[1::2]) for parts in split}
    if len(separators) == 1:
        between = ["", *separators.pop()]
        columns = [list(column) for column in zip(*(p[::2] for p in split), strict=True)]
        return list(zip(between, columns, strict=True))
    folders = [name.split("/") for name in names]
    if len({*map(len, folders)}) == 1 and len(folders[0]) > 1:
        columns = [list(column) for column in zip(*folders, strict=True)]
        return [("/" if i else "", column) for i, column in enumerate(columns)]
    # Names of one kind may hold separators themselves: split off the last part, or the first.
    for pick, rest in ((-1, slice(None, -2)), (0, slice(2, None))):
        if min(map(len, split)) < 3:
            break
        short = [parts[pick] for parts in split]
        signs = {parts[-2 if pick else 1] for parts in split}
        if len(signs) == 1 and len(set(short)) < len(names):
            long = ["".join(parts[rest]) for parts in split]
            sign = signs.pop()
            return [("", long), (sign, short)] if pick else [("", short), (sign, long)]
    return [("", list(names))]


def _same_parts(first: Iterable[str], second: Iterable[str]) -> bool:
    """Return whether each of two parts determines the other."""
    pairs = set(zip(first, second, strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
