"""Measures of published effects put into another: accuracy into error, percent into fractions."""

from collections.abc import Mapping, Sequence

from benchinfer.errors import ScoreTableError, message, unknown
from benchinfer.measure import Measure

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
    asked: Harmonise, measures: Sequence[Measure], effect: str
) -> dict[str, tuple[str, float]]:
    """Return, for each measure to be put into another, that one and the factor of its effects.

    Parameters
    ----------
    asked
        Measure of the file to the declared measure and a formula of `FORMULAS`.
    measures
        The declared ones.
    effect
        What estimates are: standardised ones have no unit, so that only the sign counts, and of log
        ratios only factors of scores can be taken out.

    Raises
    ------
    ScoreTableError
        A measure is not declared, or a formula is not known or does not fit the effect.
    """
    found: dict[str, tuple[str, float]] = {}
    names = [measure.name for measure in measures]
    for source, (target, formula) in asked.items():
        if target not in names:
            raise ScoreTableError(unknown("measure to harmonise into", target, names))
        plain = " ".join(formula.split())
        if plain not in FORMULAS:
            raise ScoreTableError(unknown("formula", formula, list(FORMULAS)))
        factor = FORMULAS[plain]
        if effect == "log-ratio" and factor < 0:
            raise ScoreTableError(
                message(
                    f"harmonise={{{source!r}: {(target, formula)!r}}} of log ratios.",
                    hint="the ratio of two scores does not tell that of one minus each: leave these"
                    " effects out, or read differences.",
                )
            )
        if effect != "difference":
            factor = 1.0 if factor > 0 else -1.0
        found[source] = target, factor
    return found
