"""Which random terms a design can estimate, and what its resampling means for the claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchinfer.compare.comparison import Target
from benchinfer.compare.evidence import Check, Setting
from benchinfer.compare.phrases import join
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.reml import COMPONENTS
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.saving import savable

_RANDOM = COMPONENTS[:-1]


@savable
@dataclass(frozen=True, slots=True)
class Design:
    """The random terms of a mixed model.

    Attributes
    ----------
    measure
        Name of the measure, for the formula.
    components
        Terms as the user names them.
    one_dataset
        Whether there is one data set, whose replications then play the part of data sets.
    reason
        Why these terms, in a sentence.
    target
        What the claims are about.
    """

    measure: str
    components: tuple[str, ...]
    one_dataset: bool
    reason: str
    target: Target

    @property
    def fitted(self) -> tuple[str, ...]:
        """The terms as the engine names them."""
        return ("dataset",) if self.one_dataset and self.components else self.components

    @property
    def formula(self) -> str:
        """The model as R users write it."""
        terms = [f"(1|{'replication' if self.one_dataset else name})" for name in self.components]
        name = self.measure if self.measure.isidentifier() else f"`{self.measure}`"
        return " + ".join([f"{name} ~ algorithm", *terms])

    def source(self, component: str) -> str:
        """Name a fitted component as the formula does."""
        return "replication" if self.one_dataset and component == "dataset" else component


def choose(setting: Setting, terms: Literal["auto"] | Sequence[str]) -> Design:
    """Choose the random terms that the design can estimate, or check the ones asked for.

    Parameters
    ----------
    setting
        What is compared.
    terms
        ``"auto"`` or names among `COMPONENTS` without the residual.

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
    _check_connected(setting)
    one = len(coverage.datasets) == 1
    several = bool((coverage.found > 1).any())
    refused = _refusals(setting, one=one, several=several)
    if isinstance(terms, str):
        if terms != "auto":
            raise DesignError(unknown("terms", terms, ["auto", *_RANDOM]))
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
    return Design(
        measure=setting.measure.name,
        components=chosen,
        one_dataset=one,
        reason=_reason(refused, chosen, asked=not isinstance(terms, str)),
        # Without the term, algorithms are taken to differ alike on every data set there could be:
        # then the replications at hand speak only of the data sets at hand.
        target="datasets" if one or (several and "dataset:algorithm" not in chosen) else "domain",
    )


def check_missing(setting: Setting, missing: str) -> None:
    """Refuse cells that lack scores, if asked to.

    Raises
    ------
    DesignError
        Cells lack scores and ``missing="error"``; the message counts and names them.
    """
    if missing not in ("use", "error"):
        raise DesignError(unknown("missing", missing, ["use", "error"]))
    coverage = setting.coverage
    lack = np.argwhere(coverage.found < coverage.expected[:, None])
    if missing == "error" and setting.absent:
        raise DesignError(
            message(
                f"no scores of measure {setting.measure.name!r} for {join(setting.absent)}.",
                hint='compare with missing="use" to leave them out.',
            )
        )
    if missing == "use" or not len(lack):
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
            ],
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
    if not several:
        refused["dataset:replication"] = "there is one replication"
    elif not setting.paired:
        refused["dataset:replication"] = "replications are not shared by the algorithms"
    return refused


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


def _check_connected(setting: Setting) -> None:
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


def overlap_variance(setting: Setting, model: ScoreModelFit) -> float:
    """Return the variance that overlapping resamples add to an algorithm's mean on one data set.

    ``residual * rho / (1 - rho)``, with rho the test fraction (Nadeau & Bengio 2003,
    https://doi.org/10.1023/A:1024068626366 ): scores from resamples of one sample are correlated,
    and more replications do not average that out. Across data sets the data set x algorithm term
    holds it already.

    Raises
    ------
    DesignError
        Resamples overlap and by how much is not declared.
    """
    resampling = setting.resampling
    if len(setting.coverage.datasets) > 1 or resampling is None:
        return 0.0
    rho = resampling.overlap
    if rho is None:
        wanted = "folds=10" if resampling.kind == "cv" else "test_fraction=0.1"
        raise DesignError(
            message(
                f"scores on one data set come from {resampling.kind!r}, whose training sets"
                " overlap, and by how much is not declared.",
                hint=f'declare it, as in resampling=Resampling("{resampling.kind}", {wanted}).',
            )
        )
    return float(model.variances[3]) * rho / (1 - rho)


def overlap_words(setting: Setting) -> str:
    """Say that and how the overlap of resamples enters, as a sentence; empty where it does not."""
    resampling = setting.resampling
    if len(setting.coverage.datasets) > 1 or resampling is None or not resampling.overlap:
        return ""
    rho = resampling.overlap
    return (
        f" As training sets overlap ({resampling.kind}, test fraction {rho:.3g}), the variance of"
        f" each algorithm's mean was raised by {rho / (1 - rho):.3g} residual variances (corrected"
        " resampled t-test of Nadeau and Bengio)."
    )


def checks(setting: Setting, design: Design) -> list[Check]:
    """Return the diagnostics rows that concern the design."""
    coverage = setting.coverage
    d, empty = len(coverage.datasets), coverage.empty
    first = ", ".join(f"{algorithm} on {dataset}" for dataset, algorithm in empty[:3])
    more = " ..." if len(empty) > 3 else ""
    left_out = Check.of(
        "data sets and algorithms without scores of the measure",
        len(setting.absent),
        0.0,
        ok=False,
        remedy=f"left out: {join(setting.absent)}",
    )
    return [
        *([left_out] if setting.absent else []),
        Check.of(
            "number of data sets",
            d,
            10.0,
            ok=d >= 10,
            remedy="few data sets: a claim about their domain rests on them being typical of it",
        )
        if d > 1
        else _resampling(setting),
        *(_generalisation(setting, design) if d > 1 else ()),
        Check.of(
            "empty cells",
            len(empty),
            0.0,
            ok=not empty,
            remedy=f"no scores of {first}{more}: the model uses the rest, which is fair only if"
            " scores are not missing because they are bad",
        ),
        Check.of(
            "thin cells",
            len(coverage.thin),
            0.0,
            ok=not coverage.thin,
            remedy="some replications are missing in these cells; the model uses what is there",
        ),
        Check.of(
            "tolerance",
            setting.measure.tolerance,
            0.0,
            ok=setting.measure.tolerance > 0,
            remedy="no tolerance is set, so no pair can be called equivalent: set"
            " Measure(tolerance=...) to the difference that does not matter",
        ),
    ]


def _generalisation(setting: Setting, design: Design) -> list[Check]:
    """Say where a claim about a domain would overreach."""
    domains = len(set(setting.domains))
    return [
        Check.of(
            "domains taken as one",
            domains,
            1.0,
            ok=domains <= 1,
            remedy="the table names several domains: scores.subset(domains=[...]) compares within"
            " one",
        ),
        Check.of(
            "claims go beyond these data sets",
            float(design.target == "domain"),
            1.0,
            ok=design.target == "domain",
            remedy="without the dataset:algorithm term replications count as evidence, so that the"
            " claims hold for these data sets only",
        ),
    ]


def _resampling(setting: Setting) -> Check:
    """Say what the replications on one data set stand for."""
    resampling = setting.resampling
    if resampling is not None and resampling.kind == "bootstrap":
        return Check.of(
            "conditional on the learning sample",
            1.0,
            0.0,
            ok=False,
            remedy="bootstrap replications speak of this data set as drawn: with more of them any"
            " difference becomes significant",
        )
    if resampling is not None and resampling.folds is not None:
        found = int(setting.coverage.expected.max())
        return Check.of(
            "replications are a multiple of the folds",
            found,
            resampling.folds,
            ok=found % resampling.folds == 0,
            remedy=f"{resampling.folds} folds are declared, which sets the correction for their"
            " overlap",
        )
    return Check.of(
        "resampling declared",
        float(resampling is not None),
        1.0,
        ok=resampling is not None,
        remedy="say how replications came about (resampling=...): without it p-values hold only"
        " for independent replications",
    )
