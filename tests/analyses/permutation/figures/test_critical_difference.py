from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.permutation.figures import layout_critical_difference
from benchinfer.comparison.figures import critical_difference

CROSS = "\N{MULTIPLICATION SIGN}"
NEMENYI = {"on": "ranks", "pairs": "pooled", "null": "asymptotic"}


def drawn(k, d, *, step=0.02, seed=1):
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{i}", f"algorithm_{a:02d}", a * step + 0.1 * rng.normal())
        for i in range(d)
        for a in range(k)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    return bi.read_scores(frame, measures=bi.Measure("score", "higher"))


@pytest.fixture(scope="module")
def bootstrap():
    return bi.load_example("sklearn_bootstrap")


@pytest.fixture(scope="module")
def nemenyi(bootstrap):
    return bi.compare_permutation(bootstrap, "seconds", seed=1, **NEMENYI)


def place(laid, name):
    return next(label.x for label in laid.labels if name in " ".join(label.text))


def test_better_is_on_the_side_of_the_measure(nemenyi):
    laid = layout_critical_difference(nemenyi)
    ranks = nemenyi.summary().set_index("algorithm")["mean_rank"]
    x = [place(laid, name) for name in ranks.sort_values().index]
    assert all(a < b for a, b in pairwise(x))
    assert laid.axis == "mean rank, 1 is best: better to the left"
    for label in laid.labels:
        assert label.side == (1 if label.x >= place(laid, "svm") else -1)
    assert laid.labels[0].text == ("lda  1.42",)
    assert laid.labels[-1].text == ("6.00  rf",)
    higher = layout_critical_difference(bi.compare_permutation(drawn(3, 12), seed=1, **NEMENYI))
    assert higher.axis.endswith("better to the right")
    assert higher.labels[0].side == 1
    assert higher.labels[0].x > higher.labels[-1].x


def test_ruler_is_the_critical_difference(nemenyi):
    laid = layout_critical_difference(nemenyi)
    low, high, text = laid.ruler
    inch = place(laid, "rf") - place(laid, "lda")
    rank = nemenyi.ranks.mean_ranks.max() - nemenyi.ranks.mean_ranks.min()
    assert (high - low) / inch * rank == pytest.approx(nemenyi.critical_difference(), rel=1e-9)
    assert text == "critical difference 2.18 (Nemenyi, 95 %)"


def test_bars_are_the_verdicts(nemenyi):
    laid, relation = layout_critical_difference(nemenyi), nemenyi.relation()
    x = np.array([place(laid, name) for name in relation.algorithms])
    under = [(low <= x) & (x <= high) for low, high, _ in laid.bars]
    joined = np.any([np.outer(u, u) for u in under], axis=0)
    apart = relation.strict | relation.strict.T
    assert (joined == ~apart | np.eye(len(x), dtype=bool)).all()
    rows = sorted(laid.bars, key=lambda bar: (bar[2], bar[0]))
    assert all(a[1] < b[0] for a, b in pairwise(rows) if a[2] == b[2])


@pytest.mark.parametrize(
    "options",
    [
        {"on": "aligned-ranks"},
        {"on": "ranks", "pairs": "pooled", "null": "monte-carlo", "resamples": 2000},
        {**NEMENYI, "adjust": "holm"},
        {**NEMENYI, "contrasts": "dunnett", "control": "best", "adjust": "bonferroni"},
        {**NEMENYI, "alternative": "better"},
    ],
)
def test_no_ruler_where_it_did_not_decide(bootstrap, options):
    laid = layout_critical_difference(
        bi.compare_permutation(bootstrap, "seconds", seed=1, **options)
    )
    assert laid.ruler is None
    assert any("not of the distance between mean ranks" in line for line in laid.notes)


def test_ties_have_no_one_critical_difference():
    tied = bi.compare_permutation(bi.load_example("demsar2006"), seed=1, **NEMENYI)
    assert tied.ranks.tied
    assert layout_critical_difference(tied).ruler is None


def test_control_by_bonferroni_and_dunn(bootstrap):
    options = {**NEMENYI, "contrasts": "dunnett", "adjust": "bonferroni"}
    found = bi.compare_permutation(bootstrap, "seconds", control="svm", seed=1, **options)
    laid = layout_critical_difference(found)
    assert laid.bars == ()
    assert "Bonferroni-Dunn" in laid.ruler[2]
    (bold,) = [label for label in laid.labels if label.bold]
    assert bold.text == ("3.67  svm",)
    assert bold.symbol == ""
    verdict = found.contrasts(all=True).set_index("first")["verdict"]
    symbols = {"first": "●", "second": "◆", "undecided": "○", "equivalent": "■"}
    for name, word in verdict.items():
        (label,) = [one for one in laid.labels if name in " ".join(one.text)]
        assert label.symbol == symbols[word]
    assert laid.notes[0].startswith("bold: the control svm; against it ")


@pytest.mark.slow
def test_letters_are_the_verdicts(bootstrap):
    found = bi.compare_permutation(bootstrap, "error", seed=1)
    laid, relation = layout_critical_difference(found), found.relation()
    assert laid.bars == ()
    held = {}
    for label in laid.labels:
        words = " ".join(label.text).replace("(", "").replace(")", "").split()
        words = words if label.side < 0 else words[1:]
        held[words[0]] = set(words[1])
    for i, a in enumerate(relation.algorithms):
        for j, b in enumerate(relation.algorithms):
            apart = relation.strict[i, j] or relation.strict[j, i]
            assert bool(held[a] & held[b]) == (not apart)
    assert laid.notes[0] == (
        "algorithms that share a letter are undecided or equivalent;"
        " bars could not show all verdicts"
    )
    assert "Those that share a letter are undecided or equivalent: svm a" in laid.alt


@pytest.mark.slow
def test_of_many_the_ranks_that_verdicts_leave_stand_in_place_of_letters():
    rng = np.random.default_rng(4)
    at = pd.DataFrame(np.ndindex(20, 16), columns=["dataset", "algorithm"])
    at["x"] = rng.normal(0.2 * at["algorithm"])
    at["algorithm"] = "a" + at["algorithm"].astype(str).str.zfill(2)
    found = bi.compare_permutation(bi.read_scores(at, measures="x:lower"), seed=1)
    laid, left = layout_critical_difference(found), found.pairs.possible_ranks
    assert laid.bars == ()
    said = " ".join(" ".join(label.text) for label in laid.labels)
    for name, (low, high) in left.items():
        ranks = f"{low}" if low == high else f"{low}\N{EN DASH}{high}"
        assert f"{name} ({ranks})" in said
    assert laid.notes[0].startswith("in brackets: the ranks, of 16, that verdicts leave")
    assert "Ranks that the verdicts leave" in laid.alt


def test_pairs_without_a_verdict_are_marked():
    found = bi.compare_permutation(drawn(4, 12), contrasts="sequential", seed=1)
    laid = layout_critical_difference(found)
    assert laid.notes[-1] == f"{CROSS}: 3 pairs without a verdict; these are not joined"
    assert all(CROSS in " ".join(label.text) for label in laid.labels)


def test_equal_ranks_share_a_stem():
    rows = [(f"d{d}", a, v) for d in range(6) for a, v in zip("cab", (1, 1, d + 2), strict=True)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m"])
    scores = bi.read_scores(frame, measures={"m": "lower"})
    result = bi.compare_permutation(scores, seed=1)
    laid = layout_critical_difference(result)
    assert [label.text for label in laid.labels] == [("a  1.50", "c"), ("3.00  b",)]
    (axes,) = result.plot("critical-difference").axes
    ends = np.vstack([line.get_xydata() for line in axes.lines if len(line.get_xydata()) % 3 == 0])
    low, high = ends[::3], ends[1::3]
    joins = (low[:, 0] == high[:, 0]) & (low[:, 0] < 0) & (high[:, 1] > low[:, 1])
    y = laid.labels[0].y
    assert np.column_stack([low, high])[joins].tolist() == [[-0.12, y, -0.12, y + 1]]


@pytest.mark.parametrize("width", [6.9, 3.3])
def test_labels_of_many_do_not_overlap(width):
    found = bi.compare_permutation(drawn(40, 12), seed=1, **NEMENYI)
    laid = layout_critical_difference(found, width)
    assert sum(len(label.text) for label in laid.labels) >= 38
    for side in (1, -1):
        own = sorted((label for label in laid.labels if label.side == side), key=lambda v: v.y)
        assert all(a.y + len(a.text) <= b.y for a, b in pairwise(own))
        # Outer stems end above inner ones, so that no line crosses another one.
        assert all(side * a.x > side * b.x for a, b in pairwise(own))
    assert max(y for *_, y in laid.bars) < min(label.y for label in laid.labels)


def test_a_critical_difference_longer_than_the_axis():
    laid = layout_critical_difference(bi.compare_permutation(drawn(3, 2), seed=1, **NEMENYI))
    assert laid.ruler is None
    assert laid.notes[-1].endswith("longer than the axis")


def test_names_are_drawn_as_they_are(bootstrap):
    laid = layout_critical_difference(bi.compare_permutation(bootstrap, "error", seed=1))
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    critical_difference.draw(laid, ax)
    texts = [text.get_text() for text in ax.texts]
    assert "svm (a)  1.67" in texts


def test_averages_have_no_ranks(bootstrap):
    found = bi.compare_permutation(bootstrap, "error", contrasts="mean", pairs="pooled", seed=1)
    with pytest.raises(bi.DesignError) as caught:
        bi.plot(found, "critical-difference")
    assert str(caught.value) == (
        "no pair of algorithms has a verdict that an axis could join.\n"
        'Hint: contrasts="tukey" compares all pairs.'
    )
