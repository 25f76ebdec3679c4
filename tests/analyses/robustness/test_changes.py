"""Each change against a comparison of the table that it makes."""

from dataclasses import replace

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.robustness.changes import changes
from benchinfer.analyses.robustness.sections import sensitivity
from benchinfer.core.verdict import Verdict


@pytest.fixture(scope="module")
def found(mixed, table):
    return changes(mixed, table)


def codes_of(comparison):
    pairs = zip(
        comparison.contrasts(all=True)["first"],
        comparison.contrasts(all=True)["second"],
        strict=True,
    )
    return dict(zip(pairs, comparison.pairs.codes.tolist(), strict=True))


def expected(before, after):
    """Return how many verdicts change, and how many turn round, of pairs that both have."""
    before, after = codes_of(before), codes_of(after)
    better = {Verdict.FIRST, Verdict.SECOND}
    changed = [pair for pair in after if after[pair] != before[pair]]
    turned = [p for p in changed if {before[p], after[p]} <= better]
    return len(after), len(changed), len(turned)


def row(found, kind, what):
    own = [r for r in found.rows if (r.kind, r.what) == (kind, what)]
    assert len(own) == 1
    return own[0].n_pairs, own[0].n_changed, own[0].n_reversed


@pytest.mark.parametrize("level", [0.9, 0.99])
def test_levels(found, mixed, table, level):
    again = bi.compare_mixed(table, level=level)
    assert row(found, "level", f"{100 * level:g} %") == expected(mixed, again)


def test_tolerances_and_grid(found, mixed, table):
    grid = found.grid()
    for level, tolerance in ((0.95, 2 * mixed.measure.tolerance), (0.9, 0.0)):
        scores = table.declare(replace(mixed.measure, tolerance=tolerance))
        again = bi.compare_mixed(scores, level=level)
        line = grid[(grid["level"] == level) & (grid["tolerance"] == tolerance)].iloc[0]
        counted = [int(np.isin(again.pairs.codes, kinds).sum()) for kinds in ([3, 4], [2], [1])]
        assert [line["n_better"], line["n_equivalent"], line["n_undecided"]] == counted
        assert line["n_changed"] == (again.pairs.codes != mixed.pairs.codes).sum()


def test_without_a_data_set_or_an_algorithm(found, mixed, table):
    name = table.datasets[3]
    rest = table.subset(datasets=[d for d in table.datasets if d != name])
    assert row(found, "data set", name) == expected(mixed, bi.compare_mixed(rest))
    name = table.algorithms[0]
    rest = table.subset(algorithms=[a for a in table.algorithms if a != name])
    assert row(found, "algorithm", name) == expected(mixed, bi.compare_mixed(rest))


def test_logarithms_have_a_tolerance_of_the_same_share(found, mixed, table):
    typical = float(np.median(mixed.summary()["estimate"]))
    measure = replace(mixed.measure, scale="log", tolerance=mixed.measure.tolerance / typical)
    again = bi.compare_mixed(table.declare(measure))
    what = f"logarithms, tolerance {measure.tolerance:.2g}"
    assert row(found, "scale", what) == expected(mixed, again)


def test_ranks_leave_equivalent_pairs_out(found, mixed):
    own = next(r for r in found.rows if r.what == "ranks on each data set")
    assert own.n_pairs == (mixed.pairs.codes != Verdict.EQUIVALENT).sum()


def test_other_tests_are_tried_at_other_levels_only(permuted, table):
    found = changes(permuted, table)
    assert {r.kind for r in found.rows} == {"level"}
    assert len(found.tolerances) == 1


def test_section_counts_what_the_rows_say(found):
    section = sensitivity(found)
    moving = sum(r.n_changed > 0 for r in found.rows)
    said = f"{moving} of {len(found.rows)} changes" if moving else f"None of {len(found.rows)}"
    assert section.text[0].startswith(said)
    assert [t.caption for t in section.tables] == [
        "Verdicts that change, one change at a time",
        "Verdicts by level and tolerance",
    ]
