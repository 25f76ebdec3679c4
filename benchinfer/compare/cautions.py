"""What a reader must beware of: the design, the claims it bears, and overlapping resamples."""

from benchinfer.compare.comparison import Target
from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Check, Setting
from benchinfer.compare.phrases import join, several
from benchinfer.measure import Measure

PRIOR_MATTERS = 5  # data sets or domains: of fewer much of what a posterior says is the prior's
_ERROR = 0.02


def checks(setting: Setting, design: Design) -> list[Check]:
    """Return the diagnostics rows that concern the design."""
    coverage = setting.coverage
    d, empty = len(coverage.datasets), coverage.empty
    first = ", ".join(f"{algorithm} on {dataset}" for dataset, algorithm in empty[:3])
    more = " ..." if len(empty) > 3 else ""
    return [
        *left_out(setting),
        number_of_datasets(setting) if design.target == "domain" else replications(setting),
        *(_generalisation(setting, design) if d > 1 else ()),
        Check.of(
            "empty cells",
            len(empty),
            0.0,
            ok=not empty,
            remedy=f"no scores of {first}{more}: the model uses the rest, which is fair only if"
            " scores are not missing because they are bad",
        ),
        thin_cells(setting, "the model"),
        tolerance(setting.measure),
    ]


def left_out(setting: Setting) -> list[Check]:
    """Name the data sets and algorithms that are left out, if there are some."""
    row = Check.of(
        "data sets and algorithms without scores of the measure",
        len(setting.absent),
        0.0,
        ok=False,
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
        0.0,
        ok=False,
        remedy=f"left out: {named}. Of the algorithms those with the most empty cells, and data"
        " sets on which one of the others has no score, so that the fewest scores are lost;"
        " compare_mixed uses all scores",
    )
    return [*([row] if setting.absent else []), *([incomplete] if named else [])]


def number_of_datasets(setting: Setting) -> Check:
    """Say whether there are many data sets to speak of their domain."""
    d = len(setting.coverage.datasets)
    return Check.of(
        "number of data sets",
        d,
        10.0,
        ok=d >= 10,
        remedy="few data sets: a claim about their domain rests on them being typical of it",
    )


def learnt_from(setting: Setting, datasets: int) -> list[Check]:
    """Say what a hierarchical model learns from: how many data sets, and which cells are empty."""
    empty = setting.coverage.empty
    return [
        Check.of(
            "data sets that the model learns from",
            datasets,
            PRIOR_MATTERS,
            ok=datasets >= PRIOR_MATTERS,
            remedy="so few data sets leave much to the priors: compare with other priors=...",
        ),
        Check.of(
            "empty cells",
            len(empty),
            0.0,
            ok=not empty,
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
        ok=error <= _ERROR,
        remedy="probabilities near the level may fall on either side of it: more draws",
    )


def thin_cells(setting: Setting, user: str) -> Check:
    """Count the cells that have fewer scores than others."""
    thin = setting.coverage.thin
    return Check.of(
        "thin cells",
        len(thin),
        0.0,
        ok=not thin,
        remedy=f"some replications are missing in these cells; {user} uses what is there",
    )


def tolerance(measure: Measure) -> Check:
    """Say where no pair can be called equivalent."""
    return Check.of(
        "tolerance",
        measure.tolerance,
        0.0,
        ok=measure.tolerance > 0,
        remedy="no tolerance is set, so no pair can be called equivalent: set"
        " Measure(tolerance=...) to the difference that does not matter",
    )


def _generalisation(setting: Setting, design: Design) -> list[Check]:
    """Say where a claim about a domain would overreach."""
    domains = len(set(setting.domains))
    return [
        Check.of(
            "domains taken as one",
            domains,
            1.0,
            ok=domains <= 1 or design.domains != "pooled",
            remedy='the table names several domains: domains="separate" compares within each and'
            ' over them, domains="random" takes them as a sample of domains',
        ),
        beyond(design.target),
    ]


def beyond(target: Target) -> Check:
    """Say whether claims go beyond these data sets."""
    return Check.of(
        "claims go beyond these data sets",
        float(target == "domain"),
        1.0,
        ok=target == "domain",
        remedy="replications count as evidence, so that the claims hold for these data sets only",
    )


def replications(setting: Setting) -> Check:
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
