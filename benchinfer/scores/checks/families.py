"""Findings on families of data sets: domains that are declared, and names that share a stem."""

from __future__ import annotations

import re
from collections import Counter

from benchinfer.core.numbers import count
from benchinfer.scores.checks.facts import Facts, Rule, places
from benchinfer.scores.coverage import Finding
from benchinfer.scores.numerics.domains import FEWEST_DOMAINS, units_of

UNITS = "domains"
PROPOSED = "names that share a stem"
_FEWEST = 3  # names of a stem that look like a family
# What counts the names of a stem: _1 of NAB_1, and -03 of ucr-a-03.
_NUMBER = re.compile(r"[\s_./-]*\d+$")
_STEMS = f'table["dataset"].str.replace(r"{_NUMBER.pattern}", "", regex=True)'


def units_of_domains(facts: Facts) -> Finding | None:
    """Report that domains which hold several data sets are the units, or what claims are about."""
    names = facts.summary.datasets
    if facts.domains is None or (units := units_of(facts.domains, names)) == "datasets":
        return None
    sizes = Counter(facts.domains[name] for name in names)
    what = f"{count(len(names), 'data set')} are of {len(sizes)} domains."
    rows = [(name, n) for name, n in sizes.most_common()]
    hint = (
        "compare takes the domains as the units, each as the mean over its data sets."
        if units == "domains"
        else f"fewer than {FEWEST_DOMAINS} domains stand for no others: the claims of compare are"
        " about these."
    )
    where = places(("domain", "data sets"), rows)
    return Finding(UNITS, "note", len(sizes), what, where, hint)


def proposed_domains(facts: Facts) -> Finding | None:
    """Propose the stems of the names of data sets as domains, where none are declared.

    Names decide nothing: data sets that only count have no stems that tell them apart.
    """
    names = facts.summary.datasets
    if facts.domains is not None:
        return None
    stem = {name: _NUMBER.sub("", name) or name for name in names}
    sizes = Counter(stem.values())
    families = [(name, n) for name, n in sizes.most_common() if n >= _FEWEST]
    units = units_of(stem, names)
    if not families or units == "datasets":
        return None
    n = sum(size for _, size in families)
    what = (
        f"{n} of {count(len(names), 'data set')} share the stem of their name with two or more"
        " others, as those of one family do."
    )
    then = (
        f"the {len(sizes)} domains would be the units, in place of {len(names)} data sets"
        if units == "domains"
        else f"claims would be about these {len(sizes)} domains"
    )
    hint = (
        f"if data sets of one stem are like each other, declare domains by a column:"
        f' table["domain"] = {_STEMS}; {then}.'
    )
    where = places(("stem", "data sets"), families)
    return Finding(PROPOSED, "note", len(families), what, where, hint)


RULES: tuple[Rule, ...] = (units_of_domains, proposed_domains)
