"""The function `read_effects`."""

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from benchinfer.analyses.meta.effects import (
    EffectKind,
    Effects,
    check,
    read_columns,
    within_studies,
)
from benchinfer.core.errors import ScoreTableError, unknown
from benchinfer.core.measure import Measure
from benchinfer.scores.checks.faults import refuse
from benchinfer.scores.sources.declaration import Measures, declared
from benchinfer.scores.sources.files import open_source

type Harmonise = Mapping[str, tuple[str, str]]
# What a formula does to a difference of two scores x.
FORMULAS = {
    "x": 1.0,
    "1 - x": -1.0,
    "100 - x": -1.0,
    "x / 100": 0.01,
    "x * 100": 100.0,
    "1 - x / 100": -0.01,
    "100 - 100 * x": -100.0,
}


def factors(
    harmonise: Harmonise, measures: Sequence[Measure], effect: str
) -> dict[str, tuple[str, float]]:
    """Return, for each measure to be put into another, that one and the factor of its effects."""
    turned: dict[str, tuple[str, float]] = {}
    names = [measure.name for measure in measures]
    for source, (target, formula) in harmonise.items():
        if target not in names:
            raise ScoreTableError(unknown("measure to harmonise into", target, names))
        plain = " ".join(formula.split())
        if plain not in FORMULAS:
            raise ScoreTableError(unknown("formula", formula, list(FORMULAS)))
        factor = FORMULAS[plain]
        if effect == "log-ratio" and factor < 0:
            raise ScoreTableError(
                f"harmonise={{{source!r}: {(target, formula)!r}}} of log ratios.",
                hint="the ratio of two scores does not tell that of one minus each: leave these"
                " effects out, or read differences.",
            )
        if effect != "difference":
            factor = 1.0 if factor > 0 else -1.0
        turned[source] = target, factor
    return turned


def read_effects(
    source: object,
    *,
    measures: Measures | None = None,
    columns: Mapping[str, str] | None = None,
    effect: EffectKind = "difference",
    harmonise: Harmonise | None = None,
    correlation: float | None = None,
    covariates: str | Sequence[str] = (),
) -> Effects:
    """Read published effects and check them.

    Parameters
    ----------
    source
        A frame or a path, as `read_scores` takes. One row per comparison: ``study`` (or
        ``dataset``), ``first``, ``second``, ``estimate`` (first minus second) and ``std_error``, or
        ``variance``, or ``conf_low`` and ``conf_high`` of a normal 95 % interval; ``measure``,
        ``domain`` and ``n`` where there are such columns.
    measures
        The measures that effects are to be reported in, with their direction.
    columns
        Column to role where names are not common ones: ``{"paper_id": "study"}``.
    effect
        What estimates are: ``"difference"`` of means, ``"standardised"`` differences, or
        ``"log-ratio"`` (the log of first / second).
    harmonise
        Of published effects: how a measure of the file is put into another, as in
        ``accuracy=error:1 - x`` or ``error %=error:x / 100``.

        In Python ``{"accuracy": ("error", "1 - x"), "error %": ("error", "x / 100")}``. Of
        differences; nothing is guessed, and what was done is among the findings.
    correlation
        Of published effects: correlation of two that share a baseline, needed where a study of
        three or more algorithms reports differences from a baseline only.

        It is 1/2 where all scores are independent and equally exact. Of all pairs, the standard
        errors tell it.
    covariates
        Columns of numbers to keep, one value for each data set of a study.

    Returns
    -------
    Effects
        For `compare_meta`.

    Raises
    ------
    ScoreTableError
        All faults at once.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"paper": ["a", "b", "c"], "first": "svm",
    ...     "second": ["rf", "rf", "knn"], "estimate": [0.01, 0.03, -2.0], "se": [0.01, 0.01, 1.0],
    ...     "metric": ["accuracy", "accuracy", "error %"]})
    >>> read_effects(frame, measures={"error": "lower"},
    ...     harmonise={"accuracy": ("error", "1 - x"), "error %": ("error", "x / 100")})
    Effects(DataFrame: 3 effects of 3 studies on 3 data sets, 3 algorithms; error (lower is better))
    """
    if effect not in (known := get_args(EffectKind.__value__)):
        raise ScoreTableError(unknown("effect", effect, known))
    if correlation is not None and not -1 < correlation < 1:
        raise ScoreTableError(
            f"correlation is {correlation!r}.", hint="between -1 and 1, as in 0.5."
        )
    names = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    origin = open_source(source, None)
    declares, _, _, notes = declared(measures, None, (), origin.toml)
    turned = factors(harmonise or {}, declares, effect)
    raw = read_columns(origin, columns or {}, names)
    refuse([*notes, *raw.findings], origin.name)
    faults, measured = check(raw, declares, turned)
    findings = [*notes, *raw.findings, *faults]
    refuse(findings, origin.name)
    factor = np.array([turned[name][1] if name in turned else 1.0 for name in measured])
    made = Effects(
        measures=tuple(declares),
        kind=effect,
        study=tuple(raw.text["study"]),
        dataset=tuple(raw.text["dataset"]),
        first=tuple(raw.text["first"]),
        second=tuple(raw.text["second"]),
        measure_of=tuple(turned[name][0] if name in turned else name for name in measured),
        estimate=factor * raw.number["estimate"],
        std_error=np.abs(factor) * raw.number["std_error"],
        n=raw.number["n"],
        domain=tuple(raw.text.get("domain", ())),
        covariates={name: raw.number[f"covariate {name}"] for name in names},
        correlation=correlation,
        source=origin.name,
        notes=tuple(findings),
    )
    refuse(within_studies(made), origin.name)
    return made
