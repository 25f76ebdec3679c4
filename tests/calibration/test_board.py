"""How often a board has a false record, and how many true ones it finds.

`make calibrate`;
`python tests/calibration/test_board.py` prints the tables of benchmarks/results/running.
"""

import sys
from functools import partial

import numpy as np
import pytest

from benchinfer.analyses.board.numerics.pooled import squares_about_means
from benchinfer.analyses.board.numerics.spending import next_level, shares
from benchinfer.analyses.board.tests import BoardTests
from benchinfer.analyses.pair.scores import PairedScores

BOARDS, ENTRIES, ALPHA = 400, 100, 0.05
MOST = ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / BOARDS)
RULES = ("5 % each", "alpha", "fallback", "horizon", "lond")
NULL = np.zeros(ENTRIES)
# A true step of 2.5 standard deviations at every tenth entry, kept by the entries after it.
STAIRS = 2.5 * (np.arange(ENTRIES) // 10)


def board_tests(table, *, paired=True, outcomes=False):
    """Return the tests of a table (R, E), larger is better."""
    noise = np.zeros(table.shape)
    data = PairedScores(table, noise, None, None, paired, None, 0.0, None, outcomes)
    test = "mcnemar" if outcomes else "t" if paired else "welch"
    return BoardTests(data, test, 0.0, "auto", *squares_about_means(table))


def shared(rng, means, n):
    """Draw scores on shared replications that vary as much as entries do on them."""
    return board_tests(rng.normal(0, 1, (n, 1)) + rng.normal(means, 1, (n, len(means))))


def own(rng, means, n):
    return board_tests(rng.normal(means, 1, (n, len(means))), paired=False)


def items(rng, means, n):
    """Draw right and wrong answers to shared items of unlike difficulty."""
    hard = rng.normal(0, 1.5, (n, 1))
    right = rng.random((n, len(means))) < 1 / (1 + np.exp(hard - 0.15 * means))
    return board_tests(right.astype(float), outcomes=True)


SCORES = {
    "3 replications, shared": partial(shared, n=3),
    "8 replications, shared": partial(shared, n=8),
    "3 replications each": partial(own, n=3),
    "8 replications each": partial(own, n=8),
    "300 items, right or wrong": partial(items, n=300),
}


def records(tests, rule):
    """Return the entries that are records after the first one, and the holders they beat."""
    share = shares(ENTRIES - 1, ENTRIES - 1 if rule == "horizon" else None)
    before, found, now = [], [], 0
    for i in range(1, ENTRIES):
        level = ALPHA
        if rule != "5 % each":
            spending = "fallback" if rule == "horizon" else rule
            level = next_level(float(share[i - 1]), ALPHA, spending, before)
        better = tests.compared(i, now).p <= level
        before.append((level, better))
        if better:
            found.append((i, now))
            now = i
    return found


def boards(draw, means, rule, n=BOARDS, seed=1):
    """Return the share of boards with a false record, the share of false records, and true ones."""
    rng = np.random.default_rng(seed)
    any_false, share_false, true = 0, 0.0, 0
    for _ in range(n):
        found = records(draw(rng, means), rule)
        false = sum(means[i] <= means[holder] for i, holder in found)
        any_false += false > 0
        share_false += false / max(len(found), 1)
        true += len(found) - false
    return any_false / n, share_false / n, true / n


@pytest.mark.calibration
@pytest.mark.parametrize("means", [NULL, STAIRS], ids=["null", "stairs"])
@pytest.mark.parametrize("rule", RULES[1:])
@pytest.mark.parametrize("scores", SCORES)
def test_few_boards_have_a_false_record(scores, rule, means):
    false, share, _ = boards(SCORES[scores], means, rule)
    assert (share if rule == "lond" else false) <= MOST


@pytest.mark.calibration
def test_five_percent_each_make_false_records():
    assert boards(SCORES["8 replications, shared"], NULL, "5 % each", 100)[0] > 0.7


@pytest.mark.slow
def test_boards_of_equal_entries_keep_the_level():
    """A few boards, in each run of the tests."""
    draw = SCORES["3 replications, shared"]
    assert boards(draw, NULL, "fallback", n=40)[0] <= 0.15
    assert boards(draw, NULL, "5 % each", n=10)[0] >= 0.4


def main():
    lines = ["| scores | rule | null: false | stairs: false | true records of 9 |"]
    lines += ["|---|---|--:|--:|--:|"]
    for name, draw in SCORES.items():
        for rule in RULES:
            null, stairs = (boards(draw, means, rule) for means in (NULL, STAIRS))
            shown = [one[1] if rule == "lond" else one[0] for one in (null, stairs)]
            shares_false = " | ".join(f"{one:.3f}" for one in shown)
            lines.append(f"| {name} | {rule} | {shares_false} | {stairs[2]:.1f} |")
            sys.stdout.write("\n".join(lines) + "\n")
            sys.stdout.flush()
            lines = []


if __name__ == "__main__":
    main()
