"""Sections of win comparisons."""

from benchinfer.analyses.wins.comparison import SIZES, WinsComparison, counting, model
from benchinfer.comparison.sections import leading
from benchinfer.core.numbers import amount, chance, interval, percent, places
from benchinfer.core.sections import (
    Column,
    Figure,
    Fold,
    Request,
    Rows,
    Section,
    Table,
    names,
    number,
)

_MEANS = "A preference by wins can be the opposite of one by mean scores."


def sections(comparison: WinsComparison, request: Request) -> tuple[Section, ...]:
    """Return the sections of a comparison: the verdict, and the wins of each algorithm."""
    return leading(comparison, request), contests(comparison, request)


def contests(comparison: WinsComparison, request: Request) -> Section:
    """Return the section on the wins of each algorithm and the worths of the model."""
    fold = None
    if request.details:
        fold = Fold("Wins of each pair, and what the model expects", (), (pairs(comparison),))
    return Section(
        title="Who wins how often",
        lead=best(comparison),
        text=(
            f"{counting(comparison)}. {model(comparison)}.",
            f"{SIZES}. {_MEANS}",
        ),
        figures=(
            Figure(comparison, "wins", "Share of the contests that the row's algorithm wins."),
            Figure(comparison, "worths", "Log worths, with intervals that compare any two."),
        ),
        tables=(worths(comparison),),
        fold=fold,
        values={"wins": comparison.wins},
    )


def best(result: WinsComparison) -> str:
    """Return a sentence on the algorithm with the largest worth."""
    top = result.pairs.best_first[0]
    row = result.summary().iloc[top]
    against = percent(float(row["estimate"]))
    rival = "the other" if len(result.algorithms) == 2 else "an algorithm of average worth"
    said = (
        f"{row['algorithm']} has the largest worth: it wins {row['wins']:g} of its"
        f" {row['wins'] + row['ties'] + row['losses']:g} contests, and {against} of those that"
        f" are decided against {rival}, under the model"
    )
    if "prob_best" not in row:
        return f"{said}."
    return f"{said}; it is the best one with probability {chance(float(row['prob_best']))}."


def worths(result: WinsComparison) -> Table:
    """Return the contests and worth of each algorithm, the best first."""
    frame = result.summary().iloc[[*result.pairs.best_first]]
    columns = (
        number("wins", "wins", amount),
        number("ties", "ties", amount),
        number("losses", "losses", amount),
        number("worth", "worth", places(3)),
        number("log_worth", "log worth", places(2)),
        number("quasi_error", "quasi-error", places(2)),
        number("prob_best", "P(best)", places(3)),
    )
    return Table(
        name="",
        caption="Contests and worths",
        frame=frame,
        columns=(*names("algorithm"), *(column for column in columns if column.name in frame)),
        note="Worths are shares that sum to 1; the odds that one wins against another are the ratio"
        " of their worths.",
    )


def pairs(result: WinsComparison) -> Table:
    """Return wins and losses of each pair next to those that the model expects."""
    data = result.predicted()
    frame = result.pairs.in_order(data)
    # With ties either side may depart alone, whichever algorithm stands first.
    share = percent(float(frame[["inside", "losses_inside"]].to_numpy().mean()))
    return Table(
        name="predicted",
        caption="Wins and losses of the first, observed and expected",
        frame=frame,
        data=data,
        columns=(
            *names("first", "second"),
            *(
                column
                for name, inside in (("wins", "inside"), ("losses", "losses_inside"))
                for column in (
                    number(name, name, amount),
                    number(f"expected_{name}", "expected", places(1)),
                    number(
                        f"{name}_low",
                        "90 % of new ones",
                        lambda low, high: interval(low, high, amount),
                        also=(f"{name}_high",),
                    ),
                    Column(inside, f"{name} within", lambda held: "" if held else "outside"),
                )
            ),
        ),
        note=f"{share} of wins and losses lie within their intervals; of a model that fits, 90 %.",
    )


SECTIONS = {WinsComparison: sections}
KEYS = {
    "wins": (Rows, "wins and ties of each pair"),
    "predicted": (Rows, "wins of each pair, and what the model expects"),
}
