"""Resamples that overlap: what they do to the noise of a data set's scores, and to claims."""

from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Setting
from benchinfer.errors import DesignError, message


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
        raise DesignError(
            message(
                f"scores on one data set come from {resampling.kind!r}, whose training sets"
                " overlap, and by how much is not declared.",
                hint=f"declare it, as in resampling={declaration(resampling.kind)}.",
            )
        )
    return rho / (1 - rho)


def declaration(kind: str) -> str:
    """Return an example of what declares an overlap."""
    wanted = "folds=10" if kind == "cv" else "test_fraction=0.1"
    return f'Resampling("{kind}", {wanted})'


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
