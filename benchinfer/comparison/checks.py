"""Checks of a design that several analyses share."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchinfer.comparison.comparison import Comparison, Target
from benchinfer.comparison.contrasts import Sides
from benchinfer.comparison.evidence import Array, Evidence, Level, Setting
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.hints import Call, Either, Field, Option, Phrase, Subset, joined
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import join, several
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict
from benchinfer.numerics import ties
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Flags
from benchinfer.scores.checks.advice import ADVICE
from benchinfer.scores.checks.facts import least_datasets
from benchinfer.scores.checks.findings import DOUBTS, FEW
from benchinfer.scores.checks.gaps import (
    BLOCKS,
    dataset_levels,
    fewest_lost,
    in_common,
    shared_datasets,
)
from benchinfer.scores.checks.kinds import BINOMIAL, PILED, WHOLE, ZERO_ONE
from benchinfer.scores.checks.units import UNEQUAL
from benchinfer.scores.coverage import Finding
from benchinfer.scores.resampling import declaration
from benchinfer.scores.table import ScoreTable


def check_missing(setting: Setting, missing: str, *, complete: bool = False) -> None:
    """Refuse cells that lack scores, if requested.

    Analyses that need complete tables otherwise take a `complete` part.
    """
    if missing not in ("use", "error"):
        raise DesignError(unknown("missing", missing, ["use", "error"]))
    coverage = setting.coverage
    lack = np.argwhere(coverage.found < coverage.expected[:, None])
    if missing == "error" and setting.absent:
        raise DesignError(
            f"no scores of measure {setting.measure.name!r} for {join(setting.absent)}.",
            hint=f"compare with {Option('missing', 'use')} to leave them out.",
        )
    if missing != "error" or not len(lack):
        return
    rows = [
        (
            coverage.datasets[d],
            coverage.algorithms[k],
            int(coverage.found[d, k]),
            int(coverage.expected[d]),
        )
        for d, k in lack
    ]
    table = Either(f"scores.complete({setting.measure.name!r}) to keep", "read a table of")
    raise DesignError(
        f"{len(lack):,} of {coverage.found.size:,} cells lack scores for measure"
        f" {setting.measure.name!r}.",
        where=[("dataset", "algorithm", "found", "expected"), *rows],
        hint=f"compare with {Option('missing', 'use')} to keep data sets and algorithms without an"
        " empty cell."
        if complete
        else [
            f"compare with {Option('missing', 'use')} to let the model use what is there,",
            Phrase("or ", table, " what is whole."),
        ],
    )


def check_connected(setting: Setting) -> None:
    """Refuse algorithms that no chain of shared data sets connects with the others."""
    held = setting.coverage.found > 0
    reached = np.zeros(held.shape[1], dtype=np.bool_)
    reached[0] = True
    for _ in range(held.shape[1]):
        data_sets = (held & reached).any(axis=1)
        reached |= held[data_sets].any(axis=0)
    if not reached.all():
        apart = [setting.algorithms[k] for k in np.flatnonzero(~reached)]
        rest = [setting.algorithms[k] for k in np.flatnonzero(reached)]
        raise DesignError(
            f"no data set, nor chain of data sets, connects {join(apart)} with {join(rest)}.",
            hint=f"compare each group by itself with {Subset('algorithms')}.",
        )


LEFT_OUT = "left out"
RATES = "scores of 0 and 1, compared by the rates of data sets"
NEAR = "pairs within the Monte Carlo error of the level"
ATTAINABLE = "smallest attainable adjusted p-value"
PRIOR_MATTERS = 5  # data sets or domains: of fewer much of what a posterior says is the prior's
OTHER_SIGN = "mean difference of the other sign, decided pairs"
_OVER = "decided pairs whose interval includes equality"
_ERROR = 0.02


def left_out(setting: Setting) -> list[Check]:
    """Name the data sets and algorithms that are left out, if there are some."""
    row = Check.of(
        "data sets and algorithms without scores of the measure",
        len(setting.absent),
        remedy=f"left out: {join(setting.absent)}",
    )
    parts = (
        ("data sets", setting.datasets_left_out),
        ("algorithms", setting.algorithms_left_out),
    )
    named = "; ".join(f"{what} {several(names)}" for what, names in parts if names)
    incomplete = Check.of(
        "scores left out of the complete part",
        setting.scores_left_out,
        ok=False,
        remedy=f"left out: {named}. Of the algorithms those with the most empty cells,"
        " and data sets on which one of the others has no score, so that the"
        f" fewest scores are lost; {Call('compare_mixed')} uses all scores",
    )
    return [*([row] if setting.absent else []), *([incomplete] if named else [])]


def of_table(
    setting: Setting, *, means: bool = True, rates: bool = True, ranks: bool = False
) -> list[Check]:
    """Say what puts a table in doubt: what is left out of it, and its findings of that kind.

    Parameters
    ----------
    setting
        What is compared.
    means
        Whether means over data sets are compared, to which data sets in other units matter.
    rates
        Whether scores of 0 and 1 are compared as others are, by their means.
    ranks
        Whether ranks or wins are compared, in which scores on a bound are ties as others are.
    """
    rows = [
        Check.of(
            finding.rule,
            finding.count,
            ok=False,
            remedy=Phrase(
                finding.what
                if finding.what.endswith("?")
                else f"{finding.what.removesuffix('.')}:",
                " ",
                Phrase(finding.hint).marked.removesuffix("."),
            ),
        )
        for finding in doubts(setting)
        if means or finding.rule != UNEQUAL
        if rates or finding.rule != ZERO_ONE
        if not (ranks and finding.rule == PILED)
    ]
    several = len(setting.coverage.datasets) > 1
    rates = rates and several and setting.zero_one
    return [*left_out(setting), *rows, *([_rates(setting)] if rates else [])]


def doubts(setting: Setting) -> list[Finding]:
    """Return the findings that put any conclusion from the table in doubt."""
    one = len(setting.coverage.datasets) == 1  # of several the rates are scores like others
    rules = (*DOUBTS, ZERO_ONE) if one else DOUBTS
    return [finding for finding in setting.coverage.findings if finding.rule in rules]


def _rates(setting: Setting) -> Check:
    """Say that rates of data sets count alike, however they vary."""
    return Check.of(
        RATES,
        setting.coverage.n,
        remedy="all rates count alike, though those near 0 and 1, or of few items, vary otherwise:"
        f" {BINOMIAL} models right and wrong, or compare a table of smoothed rates,"
        " (right + 1/2) / (n + 1), on the logit scale",
    )


def caveats(result: Comparison) -> Mapping[str, Phrase]:
    """Return what a reader needs to know before the verdict: the name of each fact and a line."""
    findings = {one.rule: one for one in result.setting.coverage.findings}
    failed = {check.check: check.remedy for check in result.checks if not check.ok}
    stated = {
        rule: findings[rule] for rule in (*DOUBTS, ZERO_ONE) if rule in findings and rule in failed
    }
    lines = {rule: Phrase(one.what, " ", one.hint) for rule, one in stated.items()}
    if RATES in failed:
        lines[ZERO_ONE] = Phrase(
            "the rates of the data sets are compared like other scores;"
            f" {BINOMIAL} models right and wrong."
        )
    if WHOLE in findings:
        lines[WHOLE] = Phrase(findings[WHOLE].what, " ", findings[WHOLE].hint)
    if text := _ahead(result.setting):
        lines[LEFT_OUT] = text
    if result.setting.coverage.empty:
        lines[BLOCKS] = _in_common(result)
    if text := _few(result, failed, few=FEW in findings):
        lines[FEW] = text
    if ADVICE in findings and not _taken(result, findings[ADVICE].hint):
        lines[ADVICE] = advice(result.setting)
    return lines


def _ahead(setting: Setting) -> Phrase | None:
    """Say which algorithms are left out though they do better than those that are compared."""
    out = setting.algorithms_left_out
    if not (n := setting.ahead_left_out):
        return None
    of = len(out) + len(setting.algorithms)
    who, does = ("it is", "does") if n == 1 else ("they are", "do")
    return Phrase(
        f"{len(out)} of {of} algorithms lack data sets and are not compared, among them"
        f" {several(out[:n], 3)}: for the data sets that {who} on {who.split()[0]} {does} better"
        f" than any that is compared; {Call('compare_mixed')} compares all."
    )


def advice(setting: Setting) -> Phrase:
    """Say which analysis fits a table, and why; empty where there is nothing to compare."""
    for one in setting.coverage.findings:
        if one.rule == ADVICE:
            return Phrase(_open(one.hint), ", as ", one.what)
    return Phrase()


def _in_common(result: Comparison) -> Phrase:
    """Say how many data sets pairs share, and on what verdicts on those that share none rest."""
    coverage, ranking = result.setting.coverage, result.ranking()
    held = coverage.found > 0
    held = held[:, [coverage.algorithms.index(name) for name in ranking]]
    real = result.pairs[(result.pairs >= 0).all(axis=1) & (result.codes != Verdict.MISSING)]
    shared = held.astype(np.int64).T @ held
    place = np.array([ranking.index(name) for name in coverage.algorithms])
    alone = bool(len(real)) and bool((shared[tuple(place[real].T)] == 0).any())
    model = ": what is said of these rests on other algorithms and the model alone" if alone else ""
    return Phrase(f"{in_common(ranking, held)}{model}.")


def _few(result: Comparison, failed: Mapping[str, str], *, few: bool) -> Phrase | None:
    """Say that no test by ranks or signs could decide a pair, and what verdicts lean on then."""
    if ATTAINABLE in {check.check for check in result.checks}:
        return Phrase(failed[ATTAINABLE], ".") if ATTAINABLE in failed else None
    if not few or result.target != "domain" or not result.leans_on:
        return None
    shared = shared_datasets(result.setting.coverage.found > 0)
    # Of one pair, and of all of them.
    for tests, by in ((1, ""), (len(shared), f" by Holm's adjustment for {len(shared):,} pairs")):
        least = least_datasets(tests)
        if n := int((shared < least).sum()):
            fewer = f"{n:,} of {len(shared):,} pairs {'has' if n == 1 else 'have'} fewer"
            fewer = "the pair has fewer" if len(shared) == 1 else fewer
            return Phrase(
                f"a test by ranks or signs takes {least} data sets to decide a pair at 5 %{by}, and"
                f" {fewer};"
                f" verdicts lean on {result.leans_on}."
            )
    return None


def _taken(result: Comparison, advised: str) -> bool:
    """Tell whether the analysis that is advised is the one that was taken."""
    made = result.provenance
    arguments = {**made.arguments, "target": result.target}
    options = [Option(name, value) for name, value in arguments.items() if isinstance(value, str)]
    calls = [Call(made.analysis), *(Call(made.analysis, option) for option in options)]
    return str(advised).removesuffix(".") in map(str, calls)


def _open(text: str) -> Phrase:
    """Return a sentence without its full stop."""
    return Phrase(Phrase(text).marked.removesuffix("."))


def number_of_datasets(setting: Setting) -> Check:
    """Say whether there are many data sets to speak of their domain: those that pairs share."""
    few = "few data sets: a claim about their domain rests on them being typical of it"
    d, name = len(setting.coverage.datasets), "number of data sets"
    if setting.coverage.empty:
        shared = shared_datasets(setting.coverage.found > 0)
        name, few = "data sets that a pair shares, fewest", f"of {d} data sets; {few}"
        d = int(shared.min())
    return Check.of(name, d, 10.0, least=True, remedy=few)


def learnt_from(setting: Setting, datasets: int) -> list[Check]:
    """Say what a hierarchical model learns from: how many data sets, and which cells are empty."""
    empty = setting.coverage.empty
    return [
        Check.of(
            "data sets that the model learns from",
            datasets,
            PRIOR_MATTERS,
            least=True,
            remedy=f"so few data sets leave much to the priors: compare with other"
            f" {Option('priors')}",
        ),
        Check.of(
            "empty cells",
            len(empty),
            remedy="the model takes what is missing from the other data sets and algorithms, which"
            " is fair only if scores are not missing because they are bad",
        ),
    ]


def monte_carlo_error(error: float) -> Check:
    """Say whether draws are enough to tell on which side of the level a probability is."""
    return Check.of(
        "largest Monte Carlo error of a probability",
        error,
        _ERROR,
        remedy="probabilities near the level may fall on either side of it: more draws",
    )


def within_error(p: Array, error: Array, alpha: float) -> Flags:
    """Tell which p-values are within two Monte Carlo errors of the level."""
    return (error > 0) & (np.abs(p - alpha) < 2 * error)


def near_level(near: Flags, sides: Sides, more: str) -> Check:
    """Name the pairs whose p-value is within its Monte Carlo error of the level."""
    return Check.of(
        NEAR,
        int(near.sum()),
        remedy=Phrase(f"{sides.some(near)}: other random numbers may decide otherwise; ", more),
    )


def other_sign(direction: Array, mean: Array, sides: Sides, remedy: str) -> Check:
    """Name the decided pairs whose mean difference favours the other algorithm."""
    turned = np.sign(direction) * np.sign(mean) < 0
    return Check.of(
        OTHER_SIGN,
        int(turned.sum()),
        remedy=Phrase(
            f"{sides.some(turned)}: a few large differences outweigh many small ones, so that"
            " the mean favours the other algorithm; ",
            remedy,
        ),
    )


def other_sign_of_means(codes: NDArray[np.int8], mean: Array, sides: Sides) -> Check:
    """Name the pairs decided by probability whose mean difference favours the other algorithm."""
    direction = (codes == Verdict.FIRST) * 1.0 - (codes == Verdict.SECOND)
    return other_sign(direction, mean, sides, Phrase(f"{Call('compare_mixed')} compares means"))


def over_equality(evidence: Evidence, alpha: float, sides: Sides, *, stepwise: bool) -> Check:
    """Name the decided pairs whose interval includes equality, its ends among it."""
    over = (evidence.p_value <= alpha) & (evidence.low <= 0) & (evidence.high >= 0)
    n, names = int(over.sum()), sides.some(over)
    if stepwise:
        remedy = f"{names}: the stepwise test decides where the interval, which is wider, does not"
        return Check.informing(_OVER, n, remedy)
    remedy = f"{names}: the test decides where the interval, which is of another statistic or more"
    return Check.of(_OVER, n, remedy=f"{remedy} cautious, does not")


def informed[C: Comparison](result: C) -> C:
    """Return a Bayesian comparison with the row on decided pairs whose interval includes equality.

    One direction decides, and an interval has two ends.
    """
    over = result.over_equality()
    share, rest = (f"{100 * part:.4g} %" for part in (result.level, (1 - result.level) / 2))
    row = Check.informing(
        _OVER,
        int(over.sum()),
        f"{result.sides_read().some(over)}: a verdict needs a probability of {share} for one"
        f" direction, while the interval leaves {rest} at each end",
    )
    others = [check for check in result.stored_checks if check.check != _OVER]
    return replace(result, stored_checks=(*others, row))


def differences_of_zero(zeros: NDArray[np.int64], n: NDArray[np.int64], sides: Sides) -> Check:
    """Say how many differences of zero a test leaves out."""
    most = 2 * zeros > n
    worst = int((zeros / np.maximum(n, 1)).argmax())
    return Check.of(
        "differences of zero left out, largest number of a pair",
        int(zeros[worst]),
        n[worst] / 2,
        ok=not most.any(),
        remedy=f"{sides.some(most)}: most differences say nothing and are left out of the test;"
        " the verdict rests on the others",
    )


def tied(n: int, setting: Setting, *, alone: bool) -> list[Check]:
    """Count the scores that are ties though they differ, if there are some.

    `alone` says whether a data set by itself can be compared.
    """
    ways: list[str] = []
    if "log" in setting.scales:
        ways.append(Phrase(f"relative scores ({Call('Measure', Option('scale', 'log'))})"))
    if alone:
        ways.append(Phrase(f"each data set by itself ({Either('per_dataset', '--per-dataset')})"))
    row = Check.of(
        "scores taken as equal to another though they differ",
        n,
        remedy=Phrase(
            f"differences of at most {ties.SHARE:g} of the range of scores count as rounding;"
            " if they matter, compare ",
            joined(" or ", ways or ["scores in units of their data set"]),
        ),
    )
    return [row] if n else []


def thin_cells(setting: Setting, user: str) -> Check:
    """Count the cells that have fewer scores than others."""
    thin = setting.coverage.thin
    return Check.of(
        "thin cells",
        len(thin),
        remedy=f"some replications are missing in these cells; {user} uses what is there",
    )


def tolerance(measure: Measure) -> Check:
    """Say where no pair can be called equivalent."""
    declared = Option("normalise", "HOW:TOLERANCE") if measure.normalised else Field("tolerance")
    return Check.of(
        "tolerance",
        measure.tolerance,
        None,
        ok=measure.tolerance > 0,
        remedy="no tolerance is set, so no pair can be called equivalent: set"
        f" {declared} to the difference that does not matter",
    )


def legal(setting: Setting, levels: Level) -> list[Check]:
    """Compare intervals of levels with the bounds of the measure, declared or apparent.

    Scores that all lie between 0 and 1 look like shares; where no bounds are declared, the row
    informs.
    """
    measure = setting.measure
    if levels.low is None or levels.high is None:
        return []
    low, high = measure.level_interval(levels.low, levels.high)
    if measure.bounds is None:
        least, most = np.nanmin(setting.quantiles), np.nanmax(setting.quantiles)
        n = int(((low < 0) | (high > 1)).sum())
        remedy = Phrase(
            f"all scores lie between 0 and 1, and an interval from {low.min():.3g} to"
            f" {high.max():.3g} says how little is known of levels: declare"
            f" {Field('bounds', (0, 1))}, and see whether more data sets or a logit"
            " scale are needed"
        )
        row = Check.informing("intervals of levels beyond 0 and 1, where all scores lie", n, remedy)
        return [row] if n and least >= 0 and most <= 1 else []
    beyond = (low < measure.bounds[0]) | (high > measure.bounds[1])
    first, last = (f"{bound:g}" for bound in measure.bounds)
    return [
        Check.of(
            "intervals of levels beyond the measure's bounds",
            int(beyond.sum()),
            remedy=f"no score is below {first} or above {last}, and an interval from"
            f" {low.min():.3g} to {high.max():.3g} says how little is known of levels:"
            " more data sets, or a scale with the same bounds, such as"
            f" {Field('scale', 'logit')}",
        )
    ]


def beyond(target: Target) -> Check:
    """Say whether claims go beyond these data sets."""
    return Check.of(
        "claims go beyond these data sets",
        float(target == "domain"),
        1.0,
        least=True,
        remedy="replications count as evidence, so that the claims hold for these data sets only",
    )


def replications(setting: Setting) -> Check:
    """Say what the replications on one data set stand for."""
    resampling = setting.resampling
    if resampling is not None and resampling.kind == "bootstrap":
        return Check.of(
            "conditional on the learning sample",
            1.0,
            remedy="bootstrap replications speak of this data set as drawn: with more of them any"
            " difference becomes significant",
        )
    if resampling is not None and resampling.folds is not None:
        largest = int(setting.coverage.expected.max())
        return Check.of(
            "replications are a multiple of the folds",
            largest,
            None,
            ok=largest % resampling.folds == 0,
            remedy=f"{resampling.folds} folds are declared, which sets the correction for their"
            " overlap",
        )
    return Check.of(
        "resampling declared",
        float(resampling is not None),
        1.0,
        least=True,
        remedy=f"say how replications came about ({Option('resampling')}): without it"
        " p-values hold only for independent replications",
    )


def overlap_share(setting: Setting) -> float:
    """Return what overlapping resamples add to the variance of an algorithm's mean on a data set.

    In residual variances: ``rho / (1 - rho)``, with rho the test fraction (Nadeau & Bengio 2003,
    https://doi.org/10.1023/A:1024068626366 ): scores from resamples of one sample are correlated,
    and more replications do not average that out. Across data sets the data set x algorithm term
    holds it already.
    """
    resampling = setting.resampling
    if resampling is None:
        return 0.0
    rho = resampling.overlap
    if rho is None:
        example = declaration(resampling.kind, int(setting.coverage.expected.max()))
        raise DesignError(
            f"scores on one data set come from {resampling.kind!r}, whose training sets"
            " overlap, and by how much is not declared.",
            hint=f"declare it, as in {example}.",
        )
    return rho / (1 - rho)


def without_error(flat: NDArray[np.bool_], sides: Sides) -> Check:
    """Name the pairs without spread between data sets."""
    return Check.of(
        "pairs with the same difference on every data set",
        int(flat.sum()),
        remedy=f"{sides.some(flat)}: without spread there is no error to test against; are they"
        " the same algorithm?",
    )


def refuse_overlap(setting: Setting, *, of_domains: bool = True) -> None:
    """Refuse replications whose training sets overlap: they are not independent blocks.

    With `of_domains` the analysis has claims about a domain, too, which the hint names.
    """
    resampling = setting.resampling
    if resampling is None or (kind := resampling.kind) not in ("cv", "holdout"):
        return
    undeclared = resampling.overlap is None
    example = declaration(kind, int(setting.coverage.expected.max()), "")
    once = Phrase(f", once it is declared, as in {example}") if undeclared else ""
    hints = [
        Phrase(
            f"{Call('compare_mixed', Option('target', 'datasets'))} corrects for the overlap",
            once,
            ".",
        )
    ]
    if of_domains and len(setting.coverage.datasets) > 1:
        hints.insert(
            0, Phrase(f"{Option('target', 'domain')} takes the mean of each data set as one block;")
        )
    raise DesignError(
        f"scores on one data set come from {kind!r}, whose training sets overlap: its"
        " replications are not exchangeable blocks.",
        hint=hints,
    )


def complete_part(
    setting: Setting, scores: ScoreTable, missing: str, named: Iterable[object] = ()
) -> tuple[Setting, ScoreTable]:
    """Narrow a table to a part in which every algorithm has scores on every data set.

    An average over other data sets than those of its rivals would flatter an algorithm that lacks
    the hard ones.
    """
    check_missing(setting, missing, complete=True)
    coverage = setting.coverage
    if not coverage.empty:
        return setting, scores
    fixed = np.isin(coverage.algorithms, [name for name in named if isinstance(name, str)])
    datasets, algorithms = fewest_lost(coverage.found, fixed)
    if not datasets.any():
        name = setting.measure.name
        raise DesignError(
            f"{len(coverage.empty):,} of {coverage.found.size:,} cells have no score for"
            f" measure {name!r}, and no part of the table is complete.",
            where=[("dataset", "algorithm"), *coverage.empty],
            hint=f"{Call('compare_mixed')} uses all scores that are there.",
        )
    part = scores.subset(
        measures=[setting.measure.name],
        datasets=names_of(coverage.datasets, datasets),
        algorithms=names_of(coverage.algorithms, algorithms),
    )
    order, ahead = _best_first(scores.cells(setting.measure.name).mean, algorithms)
    part_setting, part = Setting.of(part)
    return replace(
        part_setting,
        measure=setting.measure,
        absent=setting.absent,
        digest=setting.digest,
        datasets_left_out=names_of(coverage.datasets, ~datasets),
        algorithms_left_out=tuple(coverage.algorithms[k] for k in order),
        ahead_left_out=ahead,
        scores_left_out=coverage.n - part_setting.coverage.n,
    ), part


def _best_first(means: Array, included: Flags) -> tuple[list[int], int]:
    """Order the algorithms that are not kept, and count those ahead of all that are.

    By their means less the levels of the data sets, which the other algorithms' scores tell.
    """
    level, _ = dataset_levels(means)
    relative = joined_levels(np.nanmean(means - level[:, None], axis=0))
    order = [k for k in np.argsort(-relative, kind="stable").tolist() if not included[k]]
    return order, int((relative[order] > relative[included].max()).sum())


def names_of(names: tuple[str, ...], chosen: Flags) -> tuple[str, ...]:
    """Return the names that are chosen."""
    return tuple(name for name, one in zip(names, chosen, strict=True) if one)
