"""The fixture `gate` of pytest: a test passes where a candidate may take a baseline's place.

pytest finds it where benchinfer is installed; ``-p no:benchinfer`` leaves it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from benchinfer.analyses.gate.result import Gate


class CheckedGate(Protocol):
    """A gate that fails the test unless it passes."""

    def __call__(self, scores: Any, measures: Any = None, /, **options: Any) -> Gate:
        """Decide as `benchinfer.gate` does, from scores or from what `read_scores` reads.

        Of a `ScoreTable` `measures` are names, of all else declarations, as in
        ``"accuracy:higher:0.01"``.

        An undecided gate fails the test, too, with what would decide it, unless
        ``on_undecided="pass"`` is given.
        """
        ...


@pytest.fixture(scope="session")
def gate() -> CheckedGate:
    """Return a function with the arguments of `benchinfer.gate`."""

    def checked(scores: Any, measures: Any = None, /, **options: Any) -> Gate:
        # A suite without gates does not wait for what they load.
        from benchinfer.analyses.gate.gate import gate
        from benchinfer.core.errors import BenchinferError
        from benchinfer.core.numbers import safe, safe_lines
        from benchinfer.scores.read import read_scores
        from benchinfer.scores.table import ScoreTable

        try:
            if isinstance(scores, ScoreTable):
                result = gate(scores, measures, **options)
            else:
                result = gate(read_scores(scores, measures=measures), **options)
        except BenchinferError as error:
            error.args = (safe_lines(str(error)),)
            raise
        if not result.passed:
            needs = [f"{m}: {row.need.text}" for m, row in result.items() if row.need is not None]
            # Names are data: a terminal shows them, and obeys none.
            pytest.fail("\n".join(map(safe, [result.headline(), *needs])), pytrace=False)
        return result

    return checked
