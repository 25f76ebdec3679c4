"""Seeds and counts that random draws start from."""

import pytest

from benchinfer.core.arguments import check_count, seed_of
from benchinfer.core.errors import DesignError


def test_seeds():
    assert seed_of(2**64 - 1) == 2**64 - 1
    assert 0 <= seed_of(None) < 2**32
    for wrong in (-1, 2**64, 1.0, True, "1"):
        with pytest.raises(DesignError, match="seed is"):
            seed_of(wrong)


@pytest.mark.parametrize(("number", "even"), [(9, False), (10.0, False), (11, True), (True, False)])
def test_counts(number, even):
    check_count("draws", 10, 10, "an even number from 10.", even=True)
    with pytest.raises(DesignError, match=f"draws is {number}"):
        check_count("draws", number, 10, "at least 10.", even=even)
