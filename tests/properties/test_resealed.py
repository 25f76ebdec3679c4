"""Results with one value changed and sealed anew: refused, or used without a raw error."""

import json
import random

import pytest

from tests.resealed import KINDS, changed, drawn, outcome, scores

QUICK = (
    *("points", "permutation", "sign", "meta", "wins", "monitor", "consensus", "plan", "gate"),
    "board",
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", QUICK)
def test_results_that_are_changed_and_sealed_anew(tmp_path, kind):
    path = KINDS[kind](scores()).save(tmp_path / "result.json")
    document = json.loads(path.read_text())
    del document["sha256"]
    assert outcome(document, tmp_path, report=True) == "used"
    draw = random.Random(53)  # noqa: S311 - changes, no secrets
    for place, value in drawn(document, 15, draw):
        found = outcome(changed(document, place, value), tmp_path, report=False)
        assert found in {"used", "refused"}, (place, value)
