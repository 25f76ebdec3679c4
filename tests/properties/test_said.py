"""What was found and what follows are said once each, of odd tables by every analysis."""

import pytest

from benchinfer.core.errors import BenchinferError
from tests.properties.said import check_sentences, shared_words
from tests.properties.test_hints import drawn


@pytest.mark.slow
@pytest.mark.parametrize(
    "start",
    [
        *range(0, 60, 30),
        *(pytest.param(n, marks=pytest.mark.calibration) for n in range(60, 480, 30)),
    ],
)
def test_no_remedy_repeats_its_sentence(start: int) -> None:
    told = 0
    for seed in range(start, start + 30):
        attempt = drawn(seed)
        try:
            result = attempt.call(attempt.read())
        except (BenchinferError, TypeError):  # what is asked may not fit the table
            continue
        results = result.values() if attempt.alone else [result]
        for one in results:
            told += check_sentences(one)
    assert told > 0


def test_words_in_a_row_are_counted() -> None:
    found = "The model learns from only 3 domains, which leaves much to the priors."
    assert shared_words(found, "So few domains leave much to the priors: add some.") == 4
    assert shared_words(found, "The model learns from only 3 domains.") == 7
    assert shared_words(found, "Add some.") == 0
