"""What a check says: what was found, then what follows, in sentences that say nothing twice."""

import re

from tests.properties.odd_tables import ODD

SIGNED = tuple(name for name in ODD if re.search("[<>]", name))
MOST_SHARED = 5  # words in a row that a sentence and its remedy may have in common


def shared_words(first: str, second: str) -> int:
    """Return the length of the longest run of words that two texts share."""
    one, other = (re.findall(r"[\w.'=-]*\w", text.lower()) for text in (first, second))
    longest = 0
    for i in range(len(one)):
        for j in range(len(other)):
            n = 0
            while i + n < len(one) and j + n < len(other) and one[i + n] == other[j + n]:
                n += 1
            longest = max(longest, n)
    return longest


def check_sentences(result: object) -> int:
    """Check sentences and remedies, and return how many there are.

    Names of algorithms and data sets may begin a sentence.
    """
    setting = getattr(result, "setting", None)
    names = [*getattr(result, "algorithms", ())]
    if setting is not None:
        names += [*setting.coverage.datasets, *setting.as_read.datasets, *setting.absent]
    told = 0
    for check in getattr(result, "_checks", ()):
        said, remedy = check.sentence, check.remedy
        assert bool(said) == bool(remedy), check
        if not said:
            assert check.ok, check
            continue
        told += 1
        assert said[0].isupper() or said[0].isdigit() or said.startswith(tuple(names)), said
        assert remedy[0].isupper() or re.match(r"[a-z.]+[_=(]", remedy), remedy
        for text in (said, remedy):
            assert text[-1] in ".?", text
            assert not re.search(r"  |(?<!\w)\(\)|: nan|\.\.$", text), text
        plain = said
        # Data sets that were left out are no longer of the result, but their names are odd, too.
        for name in sorted({*names, *SIGNED}, key=len, reverse=True):
            plain = plain.replace(name, "")
        assert not re.search(r"\bat (most|least)\b|(?<!p )[<>]", plain), said
        assert f"{check.check}:" not in said, said
        assert shared_words(said, remedy) <= MOST_SHARED, f"{said} {remedy}"
    return told
