"""What a reader must beware of: the design, the claims it bears, and overlapping resamples."""

from benchinfer.compare.comparison import Target
from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Check, Setting
from benchinfer.compare.phrases import join
from benchinfer.errors import DesignError, message
from benchinfer.measure import Measure


def overlap_share(setting: Setting) -> float:
    """Return what overlapping resamples add to the variance of an algorithm's mean on a data set.

    In residual variances: ``rho / (1 - rho)``, with rho the test fraction (Nadeau & Bengio 2003,
    https://doi.org/10.1023/A:1024068626366 ): scores from resamples of one sample are correlated,
    and more replications do not average that out. Across data sets the data set x algorithm term
    holds it already.

    Raises
    ------
    DesignError
        Resamples overlap and by how much is not declared.
    """
    resampling = setting.resampling
    if resampling is None:
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
    return rho / (1 - rho)


def overlap_words(setting: Setting, design: Design) -> str:
    """Say that and how the overlap of resamples enters, as a sentence; empty where it does not."""
    resampling = setting.resampling
    if resampling is None or resampling.overlap == 0:
        return ""
    if not (design.one_dataset or design.each):
        held = "dataset:algorithm" in design.components
        return (
            f" Training sets overlap ({resampling.kind}), so that the scores of an algorithm on a"
            " data set are correlated; the dataset:algorithm variance holds that correlation, and"
            " more replications do not average it out."
            if held
            else ""
        )
    rho = resampling.overlap
    if rho is None:
        return ""
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
    return [
        *left_out(setting),
        number_of_datasets(setting) if design.target == "domain" else resampling(setting),
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
    """Name what has no scores of the measure."""
    if not setting.absent:
        return []
    return [
        Check.of(
            "data sets and algorithms without scores of the measure",
            len(setting.absent),
            0.0,
            ok=False,
            remedy=f"left out: {join(setting.absent)}",
        )
    ]


def number_of_datasets(setting: Setting) -> Check:
    """Count the data sets that a claim about their domain rests on."""
    d = len(setting.coverage.datasets)
    return Check.of(
        "number of data sets",
        d,
        10.0,
        ok=d >= 10,
        remedy="few data sets: a claim about their domain rests on them being typical of it",
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


def resampling(setting: Setting) -> Check:
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
