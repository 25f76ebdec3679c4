"""Results of all kinds with one value changed, 400 each: refused, or used without a raw error."""

import json
import random

import pytest

from tests.resealed import KINDS, changed, drawn, outcome, scores

pytestmark = pytest.mark.calibration


@pytest.mark.parametrize("kind", KINDS)
def test_resealed(tmp_path, kind):
    document = json.loads(KINDS[kind](scores()).save(tmp_path / "result.json").read_text())
    del document["sha256"]
    draw = random.Random(530)  # noqa: S311 - changes, no secrets
    found = {
        (place, repr(value)): outcome(changed(document, place, value), tmp_path, report=i % 3 == 0)
        for i, (place, value) in enumerate(drawn(document, 400, draw))
    }
    assert {at: text for at, text in found.items() if text not in ("used", "refused")} == {}
