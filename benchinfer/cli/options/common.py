"""Command-line options that several commands share."""

from typing import Annotated, Literal

import typer


def open_unit(value: float) -> float:
    """Let through what is between 0 and 1."""
    if not 0 < value < 1:
        raise typer.BadParameter("between 0 and 1, as in 0.95.")
    return value


Level = Annotated[
    float,
    typer.Option(
        metavar="NUMBER", callback=open_unit, help="Confidence level of the family of contrasts."
    ),
]
Target = Annotated[
    Literal["auto", "domain", "datasets"],
    typer.Option(help="Claims about the domain of the data sets, or these data sets alone."),
]
Alternative = Annotated[
    Literal["two-sided", "better", "worse"],
    typer.Option(help="Alternative that tests are to show, of the first algorithm of a contrast."),
]


def seed(text: str) -> int | None:
    """Read a seed; with `random` one is drawn."""
    if text == "random":
        return None
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither an integer nor random.") from None


Seed = Annotated[
    int | None,
    typer.Option(metavar="INTEGER|random", parser=seed, help="Of the random numbers."),
]


def wrong(option: str, why: str) -> typer.BadParameter:
    """Return the error that an option is used wrongly."""
    return typer.BadParameter(why, param_hint=f"'{option}'")


def listed(text: str) -> tuple[str, ...]:
    """Read names separated by commas."""
    return tuple(name.strip() for name in text.split(","))


def number_or_name(text: str) -> float | str:
    """Read a number; what is none is a name."""
    try:
        return float(text)
    except ValueError:
        return text
