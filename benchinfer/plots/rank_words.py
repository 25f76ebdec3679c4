"""What a diagram of mean ranks says in words, and where it has a critical difference."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.phrases import count, join
from benchinfer.order.relation import Verdict
from benchinfer.plots.style import MARKS, words

if TYPE_CHECKING:
    from benchinfer.compare.permutation_comparison import PermutationComparison
    from benchinfer.plots.rank_groups import Groups


def ruler(comparison: "PermutationComparison") -> tuple[float, str] | None:
    """Return the critical difference in ranks if it is what decided each pair."""
    asked, ranks = comparison.provenance.arguments, comparison.ranks
    adjust = "single-step" if asked["adjust"] == "auto" else str(asked["adjust"])
    kinds = {
        ("tukey", "single-step"): ("nemenyi", "Nemenyi"),
        ("dunnett", "bonferroni"): ("bonferroni-dunn", "Bonferroni-Dunn"),
    }
    named = kinds.get((str(asked["contrasts"]), adjust))
    if (
        named is None
        or (asked["pairs"], asked["on"], asked["control"] == "best") != ("pooled", "ranks", False)
        or (comparison.alternative, set(comparison.kinds)) != ("two-sided", {"asymptotic"})
        or not ranks.complete
        or ranks.tied
    ):
        return None
    cd = comparison.critical_difference(named[0])
    i, j = comparison.pairs.T
    apart = np.abs(ranks.mean_ranks[i] - ranks.mean_ranks[j]) >= cd
    if not (apart == np.isin(comparison.codes, (Verdict.FIRST, Verdict.SECOND))).all():
        return None
    return cd, f"critical difference {cd:.2f} ({named[1]}, {100 * comparison.level:g} %)"


def _joined(comparison: "PermutationComparison") -> str:
    return "not told apart" + (" or equivalent" if comparison.measure.tolerance > 0 else "")


def note(comparison: "PermutationComparison", found: "Groups") -> tuple[str, ...]:
    """Say how to read bars, letters or marks, and which pairs have no verdict."""
    what, k = _joined(comparison), len(comparison.algorithms)
    if found.kind == "control":
        name = comparison.algorithms[found.control]
        against = np.delete(comparison.relation().states[:, found.control], found.control)
        codes = sorted({int(c) for c in against}, reverse=True)
        marks = [f"{MARKS[Verdict(c)].symbol} {_verdict(Verdict(c))}" for c in codes]
        first = f"bold: the control {name}; against it {', '.join(marks)}"
    elif found.kind == "letters":
        first = f"algorithms that share a letter are {what}; bars could not show all verdicts"
    elif found.bars:
        first = f"a bar joins algorithms of which each two are {what}"
    elif k == 2:
        first = "the two are told apart"
    else:
        first = "no bar: each two that were compared are told apart"
    notes = [first, "verdicts are those of the contrasts, not of the distance between mean ranks"]
    if ruler(comparison) is not None:
        notes[1:] = []
    if len(found.missing) and found.kind != "control":
        notes.append(
            f"\N{MULTIPLICATION SIGN}: {count(len(found.missing), 'pair')} without a verdict;"
            " these are not joined"
        )
    return tuple(notes)


def _verdict(verdict: Verdict) -> str:
    return {Verdict.FIRST: "better", Verdict.SECOND: "worse"}.get(
        verdict, words(verdict, "", "").replace("undecided", "not told apart")
    )


def alt(comparison: "PermutationComparison", found: "Groups", name: str) -> str:
    """Return the text alternative: ranks, groups, and the order."""
    ranks, algorithms = comparison.ranks.mean_ranks, comparison.algorithms
    order = [m for tie in found.ties for m in tie]
    said = join([f"{algorithms[m]} {ranks[m]:.2f}" for m in order])
    groups = ""
    if found.kind == "bars":
        runs = [
            join([algorithms[m] for tie in found.ties[first : last + 1] for m in tie])
            for first, last, _ in found.bars
        ]
        groups = f" Bars join what is {_joined(comparison)}: {'; '.join(runs) or 'nothing'}."
    elif found.kind == "letters":
        texts = join([f"{algorithms[m]} {found.letters[m]}" for m in order])
        groups = f" Those that share a letter are {_joined(comparison)}: {texts}."
    return f"Mean ranks in {name}, 1 is best: {said}.{groups} {comparison.relation()}."
