"""The fixture `gate` in a suite of its own."""

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
# Whether or not the environment was installed with the entry point.
PLUGIN = "benchinfer.analyses.gate.fixture"
ALONE = ("--disable-plugin-autoload", "-p", PLUGIN, "-p", "no:cacheprovider")

SUITE = """
    import pandas as pd
    import pytest
    import benchinfer as bi

    NASTY = "n\\x1b[2J\\u202e\\n::error::x ##[error]y"

    def nasty():
        frame = bi.load_example("simulated/balanced").to_frame()
        return frame.replace({"alg2": NASTY, "score": "accuracy"})

    def test_names_are_shown(gate):
        gate(bi.read_scores(nasty(), measures="accuracy:higher"), baseline="alg1", candidate=NASTY)

    def test_names_are_shown_in_errors(gate):
        gate(pd.concat([nasty(), nasty()]), baseline="alg1", candidate=NASTY)

    @pytest.mark.parametrize(
        ("tolerance", "candidate"), [(0.02, "alg2"), (0.01, "alg2"), (0.01, "alg3")]
    )
    def test_candidate(gate, tolerance, candidate):
        scores = bi.load_example("simulated/balanced").to_frame()
        scores = bi.read_scores(scores, measures=f"score:higher:{tolerance}")
        assert gate(scores, baseline="alg1", candidate=candidate).passed
"""


@pytest.mark.slow
def test_a_test_passes_where_the_gate_does(pytester):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess(*ALONE)
    result.assert_outcomes(passed=1, failed=4)
    undecided = ["*_ test_candidate[[]0.01-alg2] _*", "*Undecided, on average*"]
    more = ["*score: 5 more data sets*", "*_ test_candidate[[]0.01-alg3] _*"]
    result.stdout.fnmatch_lines([*undecided, *more, "*Fail, on average*"])
    text = result.stdout.str()
    assert r"n\x1b[2J\u202e" in text
    assert not {"\x1b", "\u202e"} & set(text)
    assert not re.search(r"^\s*::\w|##\[", text, re.MULTILINE)


@pytest.mark.slow
def test_the_example_of_the_page_runs_as_printed(pytester):
    page = Path(__file__).parents[3] / "docs" / "how-to" / "gate.md"
    code = re.search(r"```python\n(def test_candidate.*?)```", page.read_text("utf-8"), re.DOTALL)
    lines = [f"d{i},{name},0.{70 + i}{gain}" for i in range(9) for name, gain in
             (("main", i % 3), ("branch", 4 + i % 2))]  # fmt: skip
    pytester.path.joinpath("scores.csv").write_text(
        "\n".join(["dataset,algorithm,accuracy", *lines]), encoding="utf-8"
    )
    pytester.makepyfile(code[1])
    result = pytester.runpytest_subprocess(*ALONE)
    result.assert_outcomes(passed=1)
