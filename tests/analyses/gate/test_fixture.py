"""The fixture `gate` in a suite of its own."""

import pytest

pytest_plugins = ["pytester"]

SUITE = """
    import benchinfer as bi

    def test_candidate(gate):
        scores = bi.load_example("simulated/balanced").to_frame()
        scores = bi.read_scores(scores, measures="score:higher:{tolerance}")
        assert gate(scores, baseline="alg1", candidate="{candidate}").passed
"""


@pytest.mark.parametrize(
    ("tolerance", "candidate", "words"),
    [
        (0.02, "alg2", None),
        (0.01, "alg2", ["*Undecided, on average*", "*score: 5 more data sets*"]),
        (0.01, "alg3", ["*Fail, on average*"]),
    ],
)
def test_a_test_passes_where_the_gate_does(pytester, tolerance, candidate, words):
    pytester.makeconftest('pytest_plugins = ["benchinfer.analyses.gate.fixture"]')
    pytester.makepyfile(SUITE.format(tolerance=tolerance, candidate=candidate))
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-n", "0")
    result.assert_outcomes(passed=words is None, failed=words is not None)
    result.stdout.fnmatch_lines(words or ["*1 passed*"])
