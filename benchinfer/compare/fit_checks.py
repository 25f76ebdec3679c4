"""Diagnostics of a fit: what is zero, how much is known, whether the model suits."""

from benchinfer.compare import soundness
from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Check, Evidence, Setting
from benchinfer.compare.fitted import Fitted
from benchinfer.compare.phrases import join


def checks(
    setting: Setting, fitted: Fitted, evidence: Evidence, p_error: float
) -> tuple[Check, ...]:
    """Hold the fit against what a reader must know.

    Parameters
    ----------
    setting, fitted
        What was compared, and the model.
    evidence
        Of the contrasts.
    p_error
        Largest numerical error of the adjusted p-values.
    """
    design, model = fitted.design, fitted.model
    few = "data sets" if design.target == "domain" else "replications"
    absent = [_readable(name, design, setting) for name in model.singular]
    df = float(evidence.df.min())
    return (
        Check.of(
            "variance components at zero",
            len(model.singular),
            0.0,
            ok=not model.singular,
            remedy=f"no evidence of variation from {join(absent)}; the fit stands",
        ),
        Check.of(
            "degrees of freedom",
            df,
            5.0,
            least=True,
            ok=df >= 5,
            remedy=f"few degrees of freedom: intervals lean on normality; add {few}",
        ),
        Check.of(
            "error of adjusted p-values",
            p_error,
            1e-3,
            ok=p_error <= 1e-3,
            remedy="p-values near the level may fall on either side of it",
        ),
    )


def _readable(name: str, design: Design, setting: Setting) -> str:
    """Name a source of variation; indices of structured sources stand for algorithms or data sets.

    Examples of such: ``dataset:algorithm[2]``, ``residual[0]``.
    """
    source, bracket, index = name.removesuffix("]").partition("[")
    if not bracket:
        whole = design.structure != "unstructured" or name != "dataset:algorithm"
        return design.source(name) if whole else "some combination of algorithms between data sets"
    by_dataset = source == "residual" and design.residual == "dataset"
    owners = setting.coverage.datasets if by_dataset else setting.algorithms
    return f"{source} of {owners[int(index)]}"


def soundness_checks(setting: Setting, fitted: Fitted) -> list[Check]:
    """Say whether the scores look like the model, where that was looked at."""
    if fitted.residuals is None:
        return []
    names = setting.coverage.datasets, setting.algorithms
    own = fitted.design.structure == "pairwise"
    return soundness.checks(fitted.residuals, *names, setting.measure, own=own)
