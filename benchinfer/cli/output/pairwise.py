"""Terminal output for published Bayesian tests."""

from typing import TYPE_CHECKING

from benchinfer.cli.output.terminal import Terminal, TextTable

if TYPE_CHECKING:
    from benchinfer.analyses.bayes.pairwise.comparison import BayesPairsComparison


_SHARES = ("dominant_first", "dominant_equivalent", "dominant_second")


def evidence(out: Terminal, result: "BayesPairsComparison") -> None:
    """Print how sure it is which outcome is the most probable one: what the papers print."""
    out.heading("Which outcome is the most probable one")
    rows = tuple(
        (
            str(row["first"]),
            str(row["second"]),
            *(f"{row[name]:.3f}" for name in _SHARES),
            str(row["n_datasets"]),
        )
        for row in result.dominance().to_dict("records")
    )
    heads = ("first", "second", "first better", "equivalent", "second better", "data sets")
    out.grid(TextTable(heads, rows, frozenset({2, 3, 4, 5})))
    out.line()
    out.prose(
        "Posterior probabilities that each outcome is ahead of the other two, as the papers print"
        " them. They say how sure it is which one leads, not how probable that outcome is: for"
        f" the {result.next_words} that is P in the table of contrasts. Seed"
        f" {result.provenance.seed}."
    )


def details(out: Terminal, result: "BayesPairsComparison") -> None:
    """Print how the probabilities were found."""
    out.heading("How")
    out.prose(result.method)
    error = float(result.votes.error.max())
    if error > 0:
        out.prose(f"Monte Carlo errors of these probabilities: at most {error:.2g}.")
