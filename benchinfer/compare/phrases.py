"""Words in sentences: lists and numbers."""

from collections.abc import Iterable, Sequence


def join(names: Sequence[str], last: str = "and") -> str:
    """Join names as in prose.

    Examples
    --------
    >>> join(["a", "b", "c"])
    'a, b and c'
    """
    return f" {last} ".join(text for text in (", ".join(names[:-1]), *names[-1:]) if text)


def some(sides: Sequence[tuple[str, str]], chosen: Iterable[bool]) -> str:
    """Name the first few of the chosen pairs.

    Examples
    --------
    >>> some([("a", "b"), ("a", "c")], [False, True])
    'a and c'
    """
    pairs = [" and ".join(pair) for pair, one in zip(sides, chosen, strict=False) if one]
    return "; ".join(pairs[:3]) + (" ..." if len(pairs) > 3 else "")


def several(names: Sequence[str], shown: int = 5) -> str:
    """Join the first names, and say how many there are besides.

    Examples
    --------
    >>> several(["a", "b", "c", "d"], shown=2)
    'a, b and 2 more'
    """
    if len(names) <= shown + 1:
        return join(names)
    return join([*names[:shown], f"{len(names) - shown} more"])


def within(title: str) -> str:
    """Write a title as it stands within a sentence; names keep their capitals.

    Examples
    --------
    >>> within("Mixed model"), within("Bayesian sign test")
    ('mixed model', 'Bayesian sign test')
    """
    return title if title.startswith("Bayesian") else title[:1].lower() + title[1:]


def ordinal(n: int) -> str:
    """Say which one.

    Examples
    --------
    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{n}{'th' if n // 10 % 10 == 1 else ends.get(n % 10, 'th')}"


def count(n: int, noun: str) -> str:
    """Say how many, in the singular or plural.

    Examples
    --------
    >>> count(1, "pair"), count(2, "data set")
    ('1 pair', '2 data sets')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"
