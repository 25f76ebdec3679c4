"""Random terms and fixed effects of the mixed model that a table can estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.structured_covariance import Between, Residual
from benchinfer.comparison.checks.groups import check_covariates, domain_codes
from benchinfer.comparison.checks.validation import check_connected
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, join
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array

type Domains = Literal["pooled", "random", "separate"]
type Structure = Literal["auto", "common", "diagonal", "unstructured", "pairwise"]
_RANDOM = COMPONENTS[:-1]
_MOST_BYTES = 4 * 2**30


@savable
@dataclass(frozen=True, slots=True)
class Design:
    """The terms of a mixed model."""

    measure: str  # name of the measure, for the formula
    components: tuple[str, ...]  # random terms as the user names them
    # Whether there is one data set, whose replications then play the part of data sets
    one_dataset: bool
    reason: str  # why these terms, in a sentence
    target: Target  # what the claims are about
    structure: Structure = "common"  # how algorithms vary between data sets
    # What the residual variance depends on: nothing, the algorithm or the data set
    residual: Residual = "constant"
    # Whether domains are taken as one, are a random level, or have levels of their own
    domains: Domains = "pooled"
    covariates: tuple[str, ...] = ()  # covariates with a slope for each algorithm
    each: bool = False  # whether each of several data sets is fitted by itself
    shared: bool = False  # whether each pair is compared on the data sets that hold both

    @property
    def fitted(self) -> tuple[str, ...]:
        """The variance components under their names in the likelihood."""
        return ("dataset",) if self.one_dataset and self.components else self.components

    @property
    def between(self) -> Between:
        """The covariance of the algorithms between data sets in the model that is fitted."""
        return "common" if self.structure in ("auto", "pairwise") else self.structure

    @property
    def by_replications(self) -> bool:
        """Whether each pair has an error of its own from replications on given data sets."""
        return self.structure == "pairwise" and (self.one_dataset or self.each)

    @property
    def by_datasets(self) -> bool:
        """Whether each pair has an error of its own from data sets of one domain."""
        alone = self.one_dataset or self.each
        plain = self.domains == "pooled" and not self.covariates and self.residual == "constant"
        return self.structure == "pairwise" and plain and not alone

    @property
    def test(self) -> str:
        """The test of each pair by its replications, or on the data sets it shares, in words."""
        shared = self.shared or "dataset:replication" in self.components
        return "the paired t-test" if shared else "Welch's t-test"

    @property
    def formula(self) -> str:
        """The model as R users write it, where it is fitted, and the test of pairs on their own."""
        pairs = f", each pair by {self.test}" if self.by_replications or self.shared else ""
        return self.model + (", on each data set by itself" if self.each else "") + pairs

    @property
    def model(self) -> str:
        """The model as R users write it."""
        name = self.measure if self.measure.isidentifier() else f"`{self.measure}`"
        fixed = "domain:algorithm" if self.domains == "separate" else "algorithm"
        slopes = [f"algorithm:{covariate}" for covariate in self.covariates]
        alone = self.one_dataset or self.each
        terms = [f"(1|{'replication' if alone else name})" for name in self.components]
        if self.between != "common":
            inner = "(0 + algorithm|dataset)"
            if self.between == "diagonal":
                inner = "(1|dataset) + (0 + algorithm||dataset)"
            rest = [t for t in terms if t not in ("(1|dataset)", "(1|dataset:algorithm)")]
            terms = [inner, *rest]
        if self.domains == "random":
            terms = ["(1|domain)", "(1|domain:algorithm)", *terms]
        return f"{name} ~ " + " + ".join([fixed, *slopes, *terms])

    def source(self, component: str) -> str:
        """Return the name of a variance component in the formula of the model."""
        return "replication" if self.one_dataset and component == "dataset" else component


def choose(
    setting: Setting,
    terms: Literal["auto"] | Sequence[str],
    target: Literal["auto"] | Target,
    domains: Domains = "pooled",
    covariates: tuple[str, ...] = (),
) -> Design:
    """Choose the random terms that the design can estimate, or check the ones requested."""
    coverage = setting.coverage
    one = len(coverage.datasets) == 1
    if domains == "random" and covariates:
        raise ArgumentError(
            'domains="random" takes no covariates of data sets.',
            hint='domains="separate" takes them.',
        )
    if (domains != "pooled" or covariates) and (one or target == "datasets"):
        raise DesignError(
            "domains and covariates say how data sets differ; here"
            f" {'there is one' if one else 'each is taken by itself'}.",
            hint="leave out domains= and covariates=."
            if one
            else 'target="domain" compares along them.',
        )
    if target == "domain" and one:
        raise DesignError(
            "one data set says nothing about a domain of data sets.",
            hint='target="datasets" makes claims about this data set.',
        )
    if target == "datasets" and not one:
        return _each_dataset(setting, terms)
    check_connected(setting)
    several = bool((coverage.counts > 1).any())
    refused = _refusals(setting, one=one, several=several)
    if isinstance(terms, str):
        if terms != "auto":
            example = f'terms=["{_RANDOM[0]}"]'
            raise ArgumentError(
                f"terms is {terms!r}.", hint=f'"auto", or a list of terms, as in {example}.'
            )
        chosen = tuple(name for name in _RANDOM if name not in refused)
    else:
        chosen = _requested(terms, refused)
    if one and not several and not chosen:
        raise DesignError(
            "one data set with one score per algorithm leaves nothing to estimate noise from.",
            hint="add replications or data sets; compare_points describes such a table.",
        )
    # Without the term, the differences of algorithms are taken as equal on all data sets: then
    # the replications at hand speak only of the data sets at hand.
    these = one or (several and "dataset:algorithm" not in chosen)
    return Design(
        measure=setting.measure.name,
        components=chosen,
        one_dataset=one,
        reason=_reason(refused, chosen, requested=not isinstance(terms, str)),
        target="datasets" if these else "domain",
        domains=domains,
        covariates=covariates,
    )


def _each_dataset(setting: Setting, terms: Literal["auto"] | Sequence[str]) -> Design:
    """Return the design for claims about these data sets: each is fitted by itself."""
    if terms != "auto":
        raise DesignError(
            'target="datasets" fits each data set by itself, with the terms that it supports.',
            hint='leave out terms=, or ask for target="domain".',
        )
    n_scores = setting.coverage.counts
    short = np.flatnonzero((n_scores < 2).any(axis=1))
    if len(short):
        raise DesignError(
            f"{len(short):,} of {count(len(n_scores), 'data set')} have an algorithm with fewer"
            " than two scores, which leaves nothing to estimate its noise from.",
            where=[
                ("dataset", "fewest scores"),
                *((setting.coverage.datasets[d], int(n_scores[d].min())) for d in short),
            ],
            hint='scores.subset(datasets=[...]) leaves them out; target="domain" takes'
            " the noise from the spread between data sets.",
        )
    why = _no_replication_term(setting, several=True)
    return Design(
        measure=setting.measure.name,
        components=() if why else ("dataset:replication",),
        one_dataset=False,
        reason="Each data set was fitted by itself and their estimates averaged with equal weight,"
        " as the claims are about these data sets" + (f"; {why}." if why else "."),
        target="datasets",
        each=True,
    )


def _refusals(setting: Setting, *, one: bool, several: bool) -> dict[str, str]:
    """Return the terms that cannot be estimated, each with the reason."""
    refused: dict[str, str] = {}
    if one:
        refused["dataset"] = "there is one data set"
        refused["dataset:algorithm"] = "there is one data set"
    elif not several:
        refused["dataset:algorithm"] = (
            "with one score per data set and algorithm it cannot be told from the residual"
        )
    if why := _no_replication_term(setting, several=several):
        refused["dataset:replication"] = why
    return refused


def _no_replication_term(setting: Setting, *, several: bool) -> str:
    """Return the reason why the model has no replication term; empty if it has one."""
    # Repeats that were kept are several scores of one replication.
    if not several or (setting.paired and (setting.coverage.expected < 2).all()):
        return "there is one replication"
    return "" if setting.paired else "replications are not shared by the algorithms"


def _requested(terms: Sequence[str], refused: dict[str, str]) -> tuple[str, ...]:
    if strange := [name for name in terms if name not in _RANDOM]:
        raise ArgumentError(unknown("term", strange[0], list(_RANDOM)))
    if wrong := [name for name in terms if name in refused]:
        raise DesignError(
            f"{len(wrong)} of the terms asked for cannot be estimated from this table.",
            where=[("term", "reason"), *((name, refused[name]) for name in wrong)],
            hint='terms="auto" keeps what the design can estimate.',
        )
    return tuple(name for name in _RANDOM if name in terms)


def _reason(refused: dict[str, str], chosen: tuple[str, ...], *, requested: bool) -> str:
    if requested:
        return "The random terms were given by the user."
    if not refused:
        return "The design supports every random term."
    reasons: dict[str, list[str]] = {}
    for name, why in refused.items():
        reasons.setdefault(why, []).append(name)
    parts = [f"no {join(names, 'or')} term, as {why}" for why, names in reasons.items()]
    rest = "" if chosen else " Scores were taken as independent."
    return f"There is {join(parts)}.{rest}"


def resolve(structure: Structure, residual: Residual, design: Design, setting: Setting) -> Design:
    """Return the design with the structure that ``"auto"`` means, or the one requested, checked."""
    alone = design.one_dataset or design.each
    if structure == "auto":
        # Of two algorithms on given data sets it is the t-test with one variance.
        two = alone and len(setting.algorithms) == 2
        structure = "common" if two else "pairwise"
    if alone and (structure not in ("common", "pairwise") or residual != "constant"):
        here = "there is one" if design.one_dataset else "each is taken by itself"
        raise DesignError(
            f"{structure=} with {residual=} describes how data sets differ: {here}.",
            hint='structure="pairwise" or structure="common", with residual="constant",'
            " compares on given data sets.",
        )
    if alone:
        return replace(design, structure=structure)
    seen = (setting.coverage.counts > 0).sum(axis=0)
    if structure != "common" and (seen < 2).any():
        few = [setting.algorithms[k] for k in np.flatnonzero(seen < 2)]
        raise DesignError(
            f"{join(few)} {'has' if len(few) == 1 else 'have'} scores on one data set only: there"
            " is no spread between data sets to take an error from.",
            hint="leave it out with scores.subset(algorithms=[...]);"
            ' compare_mixed(..., structure="common") lends it the error of the'
            " others.",
        )
    _check_estimable(structure, residual, design, setting)
    if structure != "diagonal":
        _check_room(structure, len(setting.algorithms), len(setting.coverage.datasets))
    # Errors that come from the spread between data sets speak of their domain, whatever the terms.
    target = "domain" if structure != "common" else design.target
    return replace(design, structure=structure, residual=residual, target=target)


def on_shared(design: Design) -> Design:
    """Return the design of pairs that are compared on the data sets that hold both."""
    if design.by_datasets:
        return replace(design, shared=True)
    raise DesignError(
        'missing="shared" compares pairs by the data sets that they share, and there is one.',
        hint='missing="use" compares each pair by its replications.',
    )


def memory(structure: Structure, k: int, d: int) -> int:
    """Return the approximate peak memory, in bytes, of a fit of K algorithms on D data sets.

    Six (D, K, K) arrays for each parameter of an unstructured covariance, else 21 of them and four
    of all pairs by K.
    """
    if structure == "unstructured":
        return 8 * k**2 * (3 * d * k * (k + 1) + 4 * k**2)
    return 8 * k**2 * (21 * d + 2 * k)


def _check_room(structure: Structure, k: int, d: int) -> None:
    """Raise a DesignError where the model needs more memory than the limit."""
    if (room := memory(structure, k, d)) <= _MOST_BYTES:
        return
    if structure == "unstructured":
        what = f"the covariance of {k} algorithms has {k * (k + 1) // 2} parameters, which need"
        fewer = (
            'structure="pairwise" or structure="diagonal" takes more'
            " algorithms; scores.subset(algorithms=[...]) keeps some."
        )
    else:
        what = f"the model of {k} algorithms needs"
        fewer = (
            "compare fewer, with scores.subset(algorithms=[...]) or scores.subset(datasets=[...])."
        )
    raise DesignError(
        f"{what} about {room / 2**30:.1f} GB of memory on {d} data sets; the limit is"
        f" {_MOST_BYTES / 2**30:.0f} GB.",
        hint=fewer,
    )


def _check_estimable(structure: str, residual: str, design: Design, setting: Setting) -> None:
    """Raise a DesignError where the variances of a structure are not identified by the table."""
    k, several = len(setting.algorithms), bool((setting.coverage.counts > 1).any())
    if structure in ("diagonal", "unstructured") and "dataset:algorithm" not in design.components:
        raise DesignError(
            f"{structure=} gives algorithms variances of their own between data sets, and this"
            " model has no dataset:algorithm term.",
            hint='with one score per cell structure="pairwise" gives each pair its own error.',
        )
    if structure == "diagonal" and k < 3:
        raise DesignError(
            'structure="diagonal" needs three algorithms: of two, only'
            " the variance of the difference can be told.",
            hint='structure="pairwise" is enough for one pair.',
        )
    if residual != "constant" and not several:
        raise DesignError(
            f"{residual=} needs several scores per data set and algorithm.",
            hint='residual="constant" is what one score per cell supports.',
        )


@savable
@shaped(
    x="N K p (-inf,inf)",
    at="K p (-inf,inf)",
    domains="g",
    sizes="g",
    covariates="q",
    centre="q (-inf,inf)",
    spread="q (0,inf)",
)
@dataclass(frozen=True, slots=True)
class Fixed:
    """Design of the fixed effects and how levels of the algorithms follow from them."""

    x: Array | None  # (D, K, p) design, None for one mean per algorithm
    # (K, p) levels as combinations of the fixed effects: the mean over domains, covariates at their
    # means
    at: Array
    domains: tuple[str, ...] = ()  # names of the domains with levels of their own, else empty
    sizes: tuple[int, ...] = ()  # numbers of their data sets
    covariates: tuple[str, ...] = ()  # names of the q covariates
    # centre, spread: (q,) what was taken off the covariates, and what they were divided by
    centre: Array | None = None
    spread: Array | None = None

    def levels_in(self, domain: str) -> Array:
        """Return (K, p) the levels in one domain, covariates at their means."""
        if domain not in self.domains:
            raise DesignError(unknown("domain", domain, self.domains))
        k, g = len(self.at), self.domains.index(domain)
        rows = np.zeros_like(self.at)
        rows[:, g * k : (g + 1) * k] = np.eye(k)
        return rows

    def slopes(self, covariate: str) -> Array:
        """Return (K, p) the algorithms' slopes along a covariate, per unit of it."""
        if covariate not in self.covariates or self.spread is None:
            raise DesignError(unknown("covariate", covariate, self.covariates))
        k, i = len(self.at), self.covariates.index(covariate)
        rows = np.zeros_like(self.at)
        first = rows.shape[1] - k * (len(self.covariates) - i)
        rows[:, first : first + k] = np.eye(k) / self.spread[i]
        return rows

    def levels_at(self, values: Mapping[str, float]) -> Array:
        """Return (K, p) the levels at given values of covariates; others at their means."""
        rows = self.at.copy()
        for name, value in values.items():
            slopes = self.slopes(name)
            rows += (value - float(np.asarray(self.centre)[self.covariates.index(name)])) * slopes
        return rows


def fixed_effects(
    setting: Setting, domains: Domains, covariates: tuple[str, ...], values: Array
) -> Fixed:
    """Build the fixed effects."""
    d, k = setting.coverage.counts.shape
    base, at, names, sizes = np.tile(np.eye(k), (d, 1, 1)), np.eye(k), (), ()
    if domains == "separate":
        names, base, at = _by_domain(setting, slopes=bool(covariates))
        sizes = tuple(setting.domains.count(name) for name in names)
    if not covariates:
        return Fixed(base if names else None, at, names, sizes)
    check_covariates(covariates, values)
    centre, spread = values.mean(axis=0), values.std(axis=0)
    z = (values - centre) / spread
    parts = [base, *(z[:, i, None, None] * np.eye(k) for i in range(len(covariates)))]
    zeros = np.zeros((k, k * len(covariates)))
    return Fixed(
        np.concatenate(parts, axis=2),
        np.concatenate([at, zeros], axis=1),
        names,
        sizes,
        covariates,
        centre,
        spread,
    )


def _by_domain(setting: Setting, *, slopes: bool) -> tuple[tuple[str, ...], Array, Array]:
    """Return the domains' names, the design of levels by domain, and their mean over domains.

    Domains of one data set have the error of the others, which it takes one of several for, and
    none beside `slopes`.
    """
    names, codes = domain_codes(setting)
    n_scores, k = setting.coverage.counts, len(setting.algorithms)
    member = np.eye(len(names))[codes]
    held = (member.T @ (n_scores > 0)).astype(np.int64)
    # One data set in a domain says nothing of how algorithms vary within it: others do.
    sizes = member.sum(axis=0)
    least = np.where((sizes == 1) & (sizes.max() > 1) & (not slopes), 1, 2)
    lacking = np.argwhere(held < least[:, None])
    if len(lacking):
        raise DesignError(
            f"{count(len(lacking), 'algorithm')} with scores on fewer than two data sets of a"
            " domain.",
            where=[
                ("domain", "algorithm", "data sets"),
                *((names[g], setting.algorithms[i], int(held[g, i])) for g, i in lacking),
            ],
            hint='domains="pooled" takes the domains as one, "random" as a'
            " sample; scores.subset(domains=[...]) leaves domains out.",
        )
    base = np.einsum("dg,kl->dkgl", member, np.eye(k)).reshape(len(n_scores), k, -1)
    return names, base, np.tile(np.eye(k), len(names)) / len(names)
