"""Terminal output for win comparisons: abilities, win table, goodness of fit."""

from typing import TYPE_CHECKING

from benchinfer.analyses.wins import comparison
from benchinfer.cli.output.terminal import Terminal, TextTable

if TYPE_CHECKING:
    from benchinfer.analyses.wins.comparison import WinsComparison


def evidence(out: Terminal, result: "WinsComparison") -> None:
    """Print the win table, with worths."""
    out.heading("Wins of each algorithm")
    table = result.summary().sort_values("rank", kind="stable")
    rows = tuple(
        (
            str(row["algorithm"]),
            f"{row['wins']:g}",
            f"{row['ties']:g}",
            f"{row['losses']:g}",
            f"{row['log_worth']:.2f}",
            f"{row['quasi_error']:.2f}",
            *((f"{row['prob_best']:.3f}",) if "prob_best" in row else ()),
        )
        for row in table.to_dict("records")
    )
    heads = ("algorithm", "wins", "ties", "losses", "log worth", "quasi-error")
    heads += ("P(best)",) if result.bayesian else ()
    out.grid(TextTable(heads, rows, frozenset(range(1, len(heads)))))
    out.line()
    out.prose(f"{comparison.counting(result)}.")
    out.prose(f"{comparison.model(result)}.")
    out.prose(f"{comparison.SIZES}.")


def details(out: Terminal, result: "WinsComparison") -> None:
    """Print the wins of each pair next to those that the model expects."""
    out.heading("Wins of each pair, and what the model expects")
    table = result.predicted()
    rows = tuple(
        (
            str(row["first"]),
            str(row["second"]),
            f"{row['wins']:g}",
            f"{row['expected_wins']:.1f}",
            f"{row['wins_low']:g} to {row['wins_high']:g}",
            "" if row["inside"] else "outside",
        )
        for row in table.to_dict("records")
    )
    heads = ("first", "second", "wins", "expected", "90 % of new ones", "")
    out.grid(TextTable(heads, rows, frozenset({2, 3, 4})))
    out.line()
    share = 100 * float(table["inside"].mean())
    out.prose(f"{share:.0f} % of the pairs lie within their intervals; of a model that fits, 90 %.")
