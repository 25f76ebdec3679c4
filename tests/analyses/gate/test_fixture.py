"""The fixture `gate` in a suite of its own."""

pytest_plugins = ["pytester"]

SUITE = """
    import pytest
    import benchinfer as bi

    @pytest.mark.parametrize(
        ("tolerance", "candidate"), [(0.02, "alg2"), (0.01, "alg2"), (0.01, "alg3")]
    )
    def test_candidate(gate, tolerance, candidate):
        scores = bi.load_example("simulated/balanced").to_frame()
        scores = bi.read_scores(scores, measures=f"score:higher:{tolerance}")
        assert gate(scores, baseline="alg1", candidate=candidate).passed
"""


def test_a_test_passes_where_the_gate_does(pytester):
    pytester.makeconftest('pytest_plugins = ["benchinfer.analyses.gate.fixture"]')
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:randomly", "-n", "0")
    result.assert_outcomes(passed=1, failed=2)
    undecided = ["*_ test_candidate[[]0.01-alg2] _*", "*Undecided, on average*"]
    more = ["*score: 5 more data sets*", "*_ test_candidate[[]0.01-alg3] _*"]
    result.stdout.fnmatch_lines([*undecided, *more, "*Fail, on average*"])
