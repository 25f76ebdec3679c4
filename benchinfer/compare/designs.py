"""Which terms a design can estimate, and which are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from benchinfer.compare.comparison import Target
from benchinfer.compare.evidence import Setting
from benchinfer.compare.fixed import Domains
from benchinfer.compare.phrases import count, join
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.reml import COMPONENTS
from benchinfer.saving import savable

type Structure = Literal["auto", "common", "diagonal", "unstructured", "pairwise"]
type Residual = Literal["constant", "algorithm", "dataset"]

_RANDOM = COMPONENTS[:-1]


@savable
@dataclass(frozen=True, slots=True)
class Design:
    """The terms of a mixed model.

    Attributes
    ----------
    measure
        Name of the measure, for the formula.
    components
        Random terms as the user names them.
    one_dataset
        Whether there is one data set, whose replications then play the part of data sets.
    reason
        Why these terms, in a sentence.
    target
        What the claims are about.
    structure
        How algorithms vary between data sets.
    residual
        What the residual variance depends on: nothing, the algorithm or the data set.
    domains
        Whether domains are taken as one, are a random level, or have levels of their own.
    covariates
        Covariates with a slope for each algorithm.
    each
        Whether each of several data sets is fitted by itself.
    by_run
        Whether some covariate varies within data sets, so that scores are fitted one by one.
    """

    measure: str
    components: tuple[str, ...]
    one_dataset: bool
    reason: str
    target: Target
    structure: Structure = "common"
    residual: Residual = "constant"
    domains: Domains = "pooled"
    covariates: tuple[str, ...] = ()
    each: bool = False
    by_run: bool = False

    @property
    def fitted(self) -> tuple[str, ...]:
        """The terms as the engine names them."""
        return ("dataset",) if self.one_dataset and self.components else self.components

    @property
    def between(self) -> Literal["common", "diagonal", "unstructured"]:
        """The covariance of the algorithms between data sets in the model that is fitted."""
        return "common" if self.structure in ("auto", "pairwise") else self.structure

    @property
    def formula(self) -> str:
        """The model as R users write it, and where it is fitted."""
        return self.model + (", on each data set by itself" if self.each else "")

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
        """Name a fitted component as the formula does."""
        return "replication" if self.one_dataset and component == "dataset" else component


def choose(
    setting: Setting, terms: Literal["auto"] | Sequence[str], target: Literal["auto"] | Target
) -> Design:
    """Choose the random terms that the design can estimate, or check the ones asked for.

    Parameters
    ----------
    setting
        What is compared.
    terms
        ``"auto"`` or names among `COMPONENTS` without the residual.
    target
        What the claims are to be about; ``"auto"`` is the domain where there are several data sets.

    Returns
    -------
    Design
        The terms with the reason for them.

    Raises
    ------
    DesignError
        A term cannot be estimated, or the algorithms cannot be compared at all.
    """
    coverage = setting.coverage
    one = len(coverage.datasets) == 1
    _check_target(target, one=one)
    if target == "datasets" and not one:
        return _each_dataset(setting, terms)
    check_connected(setting)
    several = bool((coverage.found > 1).any())
    refused = _refusals(setting, one=one, several=several)
    if isinstance(terms, str):
        if terms != "auto":
            raise DesignError(
                message(
                    f"terms is {terms!r}.",
                    hint=f'"auto", or a list of terms, as in terms=["{_RANDOM[0]}"].',
                )
            )
        chosen = tuple(name for name in _RANDOM if name not in refused)
    else:
        chosen = _requested(terms, refused)
    if one and not several and not chosen:
        raise DesignError(
            message(
                "one data set with one score per algorithm leaves nothing to estimate noise from.",
                hint="add replications or data sets; compare_points describes such a table.",
            )
        )
    # Without the term, algorithms are taken to differ alike on every data set there could be: then
    # the replications at hand speak only of the data sets at hand.
    these = one or (several and "dataset:algorithm" not in chosen)
    return Design(
        measure=setting.measure.name,
        components=chosen,
        one_dataset=one,
        reason=_reason(refused, chosen, asked=not isinstance(terms, str)),
        target="datasets" if these else "domain",
    )


def _check_target(target: str, *, one: bool) -> None:
    if target not in ("auto", "domain", "datasets"):
        raise DesignError(unknown("target", target, ["auto", "domain", "datasets"]))
    if target == "domain" and one:
        raise DesignError(
            message(
                "one data set says nothing about a domain of data sets.",
                hint='target="datasets" makes claims about this data set.',
            )
        )


def _each_dataset(setting: Setting, terms: Literal["auto"] | Sequence[str]) -> Design:
    """Return the design for claims about these data sets: each is fitted by itself."""
    if terms != "auto":
        raise DesignError(
            message(
                'target="datasets" fits each data set by itself, with the terms that it supports.',
                hint='leave out terms=, or ask for target="domain".',
            )
        )
    found = setting.coverage.found
    short = np.flatnonzero((found < 2).any(axis=1))
    if len(short):
        raise DesignError(
            message(
                f"{len(short)} of {count(len(found), 'data set')} have an algorithm with fewer than"
                " two scores, which leaves nothing to estimate its noise from.",
                where=[
                    ("dataset", "fewest scores"),
                    *((setting.coverage.datasets[d], int(found[d].min())) for d in short),
                ],
                hint='scores.subset(datasets=[...]) leaves them out; target="domain" takes the'
                " noise from the spread between data sets.",
            )
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


def with_fixed_effects(
    design: Design, domains: Domains, covariates: tuple[str, ...], *, by_run: bool
) -> Design:
    """Return the design with what is asked of domains and covariates.

    Raises
    ------
    DesignError
        The word for domains is not known, data sets are taken by themselves, or domains or
        structures are asked for along with covariates that vary within data sets.
    """
    if domains not in (known := get_args(Domains.__value__)):
        raise DesignError(unknown("domains", domains, known))
    if by_run:
        plain = domains == "pooled" and design.structure == "common"
        if design.each or not plain or design.residual != "constant":
            raise DesignError(
                message(
                    "some covariate varies within data sets, which one variance per source goes"
                    " with and nothing else.",
                    hint='structure="common", residual="constant", domains="pooled" and'
                    ' target="auto".',
                )
            )
        return replace(design, covariates=covariates, by_run=True)
    if domains == "random" and covariates:
        raise DesignError(
            message(
                'domains="random" takes no covariates of data sets.',
                hint='domains="separate" takes them.',
            )
        )
    asked = domains != "pooled" or bool(covariates)
    if asked and (design.one_dataset or design.each):
        raise DesignError(
            message(
                "domains and covariates say how data sets differ; here"
                f" {'there is one' if design.one_dataset else 'each is taken by itself'}.",
                hint='target="domain" with several data sets compares along them.',
            )
        )
    return replace(design, domains=domains, covariates=covariates)


def check_missing(setting: Setting, missing: str, otherwise: str = "use") -> None:
    """Refuse cells that lack scores, if asked to.

    Parameters
    ----------
    setting, missing
        What is compared, and what was asked for.
    otherwise
        What else can be asked for: to ``"use"`` what is there, or its ``"complete"`` part.

    Raises
    ------
    DesignError
        Cells lack scores and ``missing="error"``; the message counts and names them.
    """
    if missing not in (otherwise, "error"):
        raise DesignError(unknown("missing", missing, [otherwise, "error"]))
    coverage = setting.coverage
    lack = np.argwhere(coverage.found < coverage.expected[:, None])
    if missing == "error" and setting.absent:
        raise DesignError(
            message(
                f"no scores of measure {setting.measure.name!r} for {join(setting.absent)}.",
                hint=f'compare with missing="{otherwise}" to leave them out.',
            )
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
    raise DesignError(
        message(
            f"{len(lack)} of {coverage.found.size} cells lack scores for measure"
            f" {setting.measure.name!r}.",
            where=[("dataset", "algorithm", "found", "expected"), *rows],
            hint=[
                'compare with missing="use" to let the model use what is there,',
                f"or scores.complete({setting.measure.name!r}) to keep what is whole.",
            ]
            if otherwise == "use"
            else 'compare with missing="complete" to keep data sets and algorithms without an empty'
            " cell.",
        )
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
    """Return why replications have no variance of their own, empty where they have."""
    # Repeats that were kept are several scores of one replication.
    if not several or (setting.paired and (setting.coverage.expected < 2).all()):
        return "there is one replication"
    return "" if setting.paired else "replications are not shared by the algorithms"


def _requested(terms: Sequence[str], refused: dict[str, str]) -> tuple[str, ...]:
    if strange := [name for name in terms if name not in _RANDOM]:
        raise DesignError(unknown("term", strange[0], list(_RANDOM)))
    if wrong := [name for name in terms if name in refused]:
        raise DesignError(
            message(
                f"{len(wrong)} of the terms asked for cannot be estimated from this table.",
                where=[("term", "reason"), *((name, refused[name]) for name in wrong)],
                hint='terms="auto" keeps what the design can estimate.',
            )
        )
    return tuple(name for name in _RANDOM if name in terms)


def _reason(refused: dict[str, str], chosen: tuple[str, ...], *, asked: bool) -> str:
    if asked:
        return "The random terms were given by the user."
    if not refused:
        return "The design supports every random term."
    reasons: dict[str, list[str]] = {}
    for name, why in refused.items():
        reasons.setdefault(why, []).append(name)
    parts = [f"no {join(names, 'or')} term, as {why}" for why, names in reasons.items()]
    kept = "" if chosen else " Scores were taken as independent."
    return f"There is {join(parts)}.{kept}"


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
            message(
                f"no data set, nor chain of data sets, connects {join(apart)} with {join(rest)}.",
                hint="compare each group by itself with scores.subset(algorithms=[...]).",
            )
        )
