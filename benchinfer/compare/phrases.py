"""Words in sentences: lists and numbers."""

from collections.abc import Sequence


def join(names: Sequence[str], last: str = "and") -> str:
    """Join names as in prose.

    Examples
    --------
    >>> join(["a", "b", "c"])
    'a, b and c'
    """
    return f" {last} ".join(text for text in (", ".join(names[:-1]), *names[-1:]) if text)


def count(n: int, noun: str) -> str:
    """Say how many, in the singular or plural.

    Examples
    --------
    >>> count(1, "pair"), count(2, "data set")
    ('1 pair', '2 data sets')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"
