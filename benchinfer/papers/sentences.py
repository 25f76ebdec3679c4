"""Sentences for the results section of a paper."""

from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.sections import effect_writer
from benchinfer.comparison.wording import named
from benchinfer.core.numbers import count, interval, join, p_value, places
from benchinfer.papers.algorithms import SHARES, WORDS, departures, p_head, reference, wider

if TYPE_CHECKING:
    import pandas as pd

_LISTED = 5  # of more algorithms with one verdict, the range says enough
# By verdict: the column of its probability.
_SHARE = {"first": "prob_first", "second": "prob_second", "equivalent": "prob_equivalent"}
_DECIDED = ("first", "second", "equivalent")


def sentence(result: Comparison) -> str:
    """Say what a comparison shows, with the numbers of its table; see `Comparison.sentence`."""
    chosen = None if result.sides else reference(result)
    if chosen is None:
        rows = result.contrasts(order="result")
        return f"{result.headline()} In all{_basis(result)}, {_contrasts(result, rows)}."
    rows = departures(result, chosen).rename_axis("first").reset_index()
    told = f"Compared with {chosen}{_basis(result)}, {_by_verdict(result, rows)}."
    return " ".join([result.headline(), told, *_others(result, chosen), *wider(result)])


def _basis(result: Comparison) -> str:
    """Say what the numbers in brackets are, in brackets."""
    rows = result.contrasts()
    kinds = [result.intervals.partition(";")[0]] if "conf_low" in rows else []
    if "prob_first" in rows:
        kinds.append("probabilities")
    elif "p_value" in rows:
        kinds.append(f"{p_head(result)}-values")
    beside = f" with {join(kinds)}" if kinds else ""
    return f" ({result.measure.effect_name}s{beside})"


def _by_verdict(result: Comparison, rows: "pd.DataFrame") -> str:
    """Say of each verdict which algorithms have it, with their evidence."""
    found: list[str] = []
    for code in ("second", "first", "equivalent", "undecided"):
        own = rows[rows["verdict"] == code]
        if own.empty:
            continue
        verb = "is" if len(own) == 1 else "are"
        if len(own) > _LISTED:
            who = f"{len(own)} algorithms ({_range(result, own, code)})"
        else:
            who = join([f"{row['first']} ({evidence(result, row)})" for _, row in own.iterrows()])
        found.append(f"{who} {verb} {WORDS[code]}")
    return "; ".join(found)


def evidence(result: Comparison, row: "pd.Series[Any]") -> str:
    """Write estimate, interval, and p-value or probability of a contrast."""
    measure, rows = result.measure, result.contrasts()
    write = effect_writer(measure, rows)
    parts = [write(row["estimate"])]
    if "conf_low" in rows:
        lowest = -np.inf if measure.scale == "identity" else 0.0
        parts.append(interval(row["conf_low"], row["conf_high"], write, lowest))
    if "prob_first" in rows:
        likely = max(_SHARE.values(), key=lambda name: row[name])
        name = _SHARE.get(row["verdict"], likely)
        parts.append(f"{SHARES[name]} = {places(3)(row[name])}")
    elif "p_value" in rows:
        parts.append(f"p {_equals(p_value(row['p_value'], row.get('p_error', 0.0)))}")
    return ", ".join(parts)


def _equals(text: str) -> str:
    """Set a sign of equality before a number that has no sign of its own."""
    return f"{text[0]} {text[1:]}" if text[0] in "<>\N{LESS-THAN OR EQUAL TO}" else f"= {text}"


def _range(result: Comparison, rows: "pd.DataFrame", code: str) -> str:
    """Say between which values the evidence of several contrasts lies."""
    write = effect_writer(result.measure, result.contrasts())
    parts = [f"{write(rows['estimate'].min())} to {write(rows['estimate'].max())}"]
    decided = code in _DECIDED
    if "prob_first" in rows and decided:
        name = _SHARE[code]
        parts.append(f"{SHARES[name]} at least {places(3)(rows[name].min())}")
    elif "p_value" in rows and code != "equivalent":
        least, most = rows["p_value"].min(), rows["p_value"].max()
        parts.append(
            f"p {'at most' if decided else 'at least'} {p_value(most if decided else least)}"
        )
    return ", ".join(parts)


def _others(result: Comparison, chosen: str) -> list[str]:
    """Say what is decided among the other algorithms."""
    rows = result.contrasts(order="result")
    rows = rows[(rows["first"] != chosen) & (rows["second"] != chosen)]
    return [f"Among the other algorithms, {_contrasts(result, rows)}."] if len(rows) else []


def _contrasts(result: Comparison, rows: "pd.DataFrame") -> str:
    """Say how many contrasts are decided, and which ones if they are few."""
    decided = rows[rows["verdict"].isin(["first", "second"])]
    equal, n, noun = int((rows["verdict"] == "equivalent").sum()), len(decided), "pair"
    if result.sides:
        noun = "contrast"
    more = f", {count(equal, noun)} equivalent" if equal else ""
    if not n:
        none = f"no {noun} is" if len(rows) > 1 else f"the one {noun} is not"
        return f"{none} decided{more}"
    start = f"{n} of {count(len(rows), noun)} {'is' if n == 1 else 'are'} decided{more}"
    if n == len(rows):
        start = f"all {n} {noun}s are decided" if n > 1 else f"the one {noun} is decided"
    if n > _LISTED:
        return start
    wins = [
        f"{named(row['first'])} is {WORDS[row['verdict']]} than {named(row['second'])}"
        f" ({evidence(result, row)})"
        for _, row in decided.iterrows()
    ]
    return f"{start}: {join(wins)}"
