"""Sentences for the results section of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.comparison import Comparison, TestedComparison
from benchinfer.comparison.effects import (
    Write,
    effect_interval,
    effect_writer,
    interval_writer,
    row_writers,
)
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.comparison.wording import direction, named, reversals, spanning
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join, p_clause, p_error, p_value, places
from benchinfer.papers.algorithms import departures, p_head, probability, reference, withheld

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

_LISTED = 5  # of more algorithms with one verdict, the range says enough
# By verdict: the column of its probability.
_SHARE = {"first": "prob_first", "second": "prob_second", "equivalent": "prob_equivalent"}
_DECIDED = ("first", "second", "equivalent")


def sentence(result: Comparison | Comparisons) -> str:
    """Return the verdicts of a comparison as sentences; see `Comparison.sentence`."""
    if isinstance(result, Comparisons):
        return _of_datasets(result)
    fixed = result.contrasts(all=True)
    rows = result.pairs.in_order(fixed)
    chosen = None if result.pairs.averages else reference(result)
    if chosen is None:
        basis = _basis(result, fixed, "of the first named", "the second")
        sentences = [f"In all ({basis}), {_contrasts(result, rows, fixed)}."]
    else:
        against = departures(result, chosen).rename_axis("first").reset_index()
        basis = _basis(result, fixed, "of each algorithm", chosen)
        sentences = [f"Compared with {chosen} ({basis}), {_by_verdict(result, against, fixed)}."]
        others = rows[(rows["first"] != chosen) & (rows["second"] != chosen)]
        if not others.empty and result._tested:
            link = "minus" if result.measure.scale == "identity" else "divided by"
            about = f" (the first named {link} the second)" if _listed(others) else ""
            sentences += [
                f"Among the other algorithms{about}, {_contrasts(result, others, fixed)}."
            ]
    texts = (result._interval_note(), reversals(result))
    note = [text for text in texts if text]
    note += withheld(result, fixed)
    if result._tested:
        # That no tolerance is set is said with the rule.
        checks = (check for check in result._checks if check.check != "tolerance")
        note += [check.sentence for check in checks if not check.ok]
    return " ".join([result.headline(), *sentences, *note])


def _of_datasets(results: Comparisons) -> str:
    """Return sentences on the numbers of data sets on which each algorithm is better and worse."""
    frame, one = results.contrasts(all=True), next(iter(results.values()))
    decided = frame["verdict"].isin(["first", "second"])
    loser = frame["first"].where(frame["verdict"] == "second", frame["second"])
    won = frame.loc[decided, "winner"].value_counts()
    lost = loser[decided].value_counts()
    names = dict.fromkeys(name for result in results.values() for name in result.algorithms)
    order = sorted(names, key=lambda name: (lost.get(name, 0) - won.get(name, 0), name))
    words = one._comparative
    each = [
        f"{name} is {words.first} {won.get(name, 0)} and {words.second} {lost.get(name, 0)} times"
        for name in order[:_LISTED]
    ]
    more = len(order) - len(each)
    listed = "; ".join([*each, *([f"and so on for {more} more"] if more else [])])
    equal = int((frame["verdict"] == "equivalent").sum())
    equivalent = f", {equal} equivalent" if equal else ""
    refused = f" {count(len(results.refused), 'data set')} could not be compared."
    unadjusted = " P-values are adjusted within each data set, not over data sets."
    if isinstance(one, TestedComparison) and one._controls_rate:
        unadjusted = " P-values keep the false discovery rate in each data set, not over data sets."
    counted = f" {said}" if (said := results.counted()) else ""
    return (
        f"On {count(len(results), 'data set')}, each by itself ({direction(one.measure)}),"
        f" {int(decided.sum()):,} of {count(len(frame), 'contrast')} are decided{equivalent}:"
        f" {listed}."
        f"{refused if results.refused else ''}{unadjusted if 'p_value' in frame else ''}"
        f"{counted}"
    )


def _basis(result: Comparison, rows: pd.DataFrame, side: str, other: str) -> str:
    """Return a clause that explains the numbers in brackets: sides, intervals and p-values."""
    kinds = [result._intervals] if "conf_low" in rows else []
    error = float(rows["p_error"].max()) if "p_error" in rows else 0.0
    if "prob_first" in rows:
        kinds.append("probabilities")
    elif "p_value" in rows:
        drawn = f", Monte Carlo errors at most {p_error(error)}" if error > 0 else ""
        kinds.append(f"{p_head(result)}-values{drawn}")
    shown = f", with {join(kinds)}" if kinds else ""
    if "equivalence_low" in rows:
        shown += "; of equivalent ones the interval of that test, which lies within the tolerance"
    link = "minus" if result.measure.scale == "identity" else "divided by"
    return f"{result.measure.effect_name}s {side} {link} {other}{shown}"


def _by_verdict(result: Comparison, rows: pd.DataFrame, fixed: pd.DataFrame) -> str:
    """Return a clause that lists, by verdict, the algorithms with their evidence."""
    clauses, word = list[str](), result._comparative.words
    for label in ("second", "first", "equivalent", "undecided"):
        part = rows[rows["verdict"] == label]
        if part.empty:
            continue
        verb = "is" if len(part) == 1 else "are"
        if len(part) > _LISTED:
            shown = _range(result.measure, part, label, effect_writer(result.measure, fixed))
            who = f"{len(part)} algorithms ({shown})"
        else:
            numbers = evidence(result.measure, part, row_writers(result.measure, fixed, part))
            who = join(
                [f"{name} ({text})" for name, text in zip(part["first"], numbers, strict=True)]
            )
        clauses.append(f"{who} {verb} {word[label]}")
    return "; ".join(clauses)


def evidence(measure: Measure, rows: pd.DataFrame, writes: Sequence[Write]) -> list[str]:
    """Return estimate, interval, and p-value or probability of each contrast as text."""
    texts = list[str]()
    over = spanning(rows, measure)
    for span, write, (_, row) in zip(over, writes, rows.iterrows(), strict=True):
        parts = [write(row["estimate"])]
        low, high = row.get("equivalence_low", np.nan), row.get("equivalence_high", np.nan)
        if not np.isnan(low):
            texts.append(f"{parts[0]}, within {interval_writer(write, measure.effect)(low, high)}")
            continue
        if "conf_low" in rows and not span:
            ends = row["conf_low"], row["conf_high"], row["verdict"]
            parts.append(effect_interval(*ends, measure=measure, write=write))
        if "prob_first" in rows:
            likely = max(_SHARE.values(), key=lambda name: row[name])
            name = _SHARE.get(row["verdict"], likely)
            parts.append(f"{probability(name, measure)} = {places(3)(row[name])}")
        elif "p_value" in rows:
            parts.append(p_clause(row["p_value"], row.get("p_error", 0.0)))
        texts.append(", ".join(parts))
    return texts


def _range(measure: Measure, rows: pd.DataFrame, code: str, write: Write) -> str:
    """Return the range of estimates of contrasts, with a bound on their p-values, as text."""
    values = rows["estimate"]
    parts = [interval_writer(write, measure.effect)(values.min(), values.max())]
    decided = code in _DECIDED
    if "prob_first" in rows and decided:
        name = _SHARE[code]
        parts.append(f"{probability(name, measure)} at least {places(3)(rows[name].min())}")
    elif "p_value" in rows and code != "equivalent":
        errors = rows["p_error"] if "p_error" in rows else rows["p_value"] * 0
        at = rows["p_value"].argmax() if decided else rows["p_value"].argmin()
        bound = p_value(rows["p_value"].iloc[at], errors.iloc[at])
        signed = bound[0] in "<>\N{LESS-THAN OR EQUAL TO}"
        word = "at most" if decided else "at least"
        parts.append(f"p {bound[0]} {bound[1:]}" if signed else f"p {word} {bound}")
    return ", ".join(parts)


def _listed(rows: pd.DataFrame) -> bool:
    """Return whether the decided contrasts are few enough to be listed."""
    return 0 < int(rows["verdict"].isin(["first", "second"]).sum()) <= _LISTED


def _contrasts(result: Comparison, rows: pd.DataFrame, fixed: pd.DataFrame) -> str:
    """Return a clause with the number of decided contrasts, and their list if they are few."""
    decided = rows[rows["verdict"].isin(["first", "second"])]
    equal, n, noun = int((rows["verdict"] == "equivalent").sum()), len(decided), "pair"
    if result.pairs.averages:
        noun = "contrast"
    more = f", {count(equal, noun)} equivalent" if equal else ""
    if not n:
        none = f"no {noun} is" if len(rows) > 1 else f"the one {noun} is not"
        return f"{none} decided{more}"
    start = f"{n:,} of {count(len(rows), noun)} {'is' if n == 1 else 'are'} decided{more}"
    if n == len(rows):
        start = f"all {n} {noun}s are decided" if n > 1 else f"the one {noun} is decided"
    if not _listed(rows):
        return start
    writes, word = row_writers(result.measure, fixed, decided), result._comparative.words
    numbers = evidence(result.measure, decided, writes)
    columns = decided["first"], decided["verdict"], decided["second"], numbers
    wins = [
        f"{named(first)} is {word[verdict]} than {named(second)} ({text})"
        for first, verdict, second, text in zip(*columns, strict=True)
    ]
    return f"{start}: {join(wins)}"
