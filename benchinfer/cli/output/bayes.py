"""Terminal output for hierarchical models."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchinfer.analyses.bayes.sensitivity import leaders
from benchinfer.cli.output import mixed, rounding
from benchinfer.cli.output.terminal import Terminal, TextTable
from benchinfer.core.numbers import count

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.comparison import BayesComparison


def evidence(out: Terminal, result: "BayesComparison") -> None:
    """Print how likely each algorithm is best, on average and on the next data set."""
    table = result.summary().sort_values("prob_best", ascending=False, kind="stable")
    out.heading("How likely each algorithm is best")
    heads = {"prob_best": result.average_words, "prob_best_next": "on the next data set"}
    if result.measure.tolerance > 0:
        heads["prob_near_best"] = "within tolerance of best there"
    heads = {name: head for name, head in heads.items() if name in table}
    columns = [[f"{x:.3f}" for x in table[name]] for name in heads]
    rows = tuple(
        (str(row["algorithm"]), *said, _ranks(row))
        for row, *said in zip(table.to_dict("records"), *columns, strict=True)
    )
    marked = frozenset(range(1, len(heads) + 1))
    out.grid(TextTable(("algorithm", *heads.values(), "rank"), rows, marked))
    out.line()
    out.prose(
        f"rank: mean of the rank {result.average_words}, and an interval with"
        f" {rounding.percent(result.level)} of it. Seed {result.provenance.seed}."
    )
    _others(out, result)


def _others(out: Terminal, result: "BayesComparison") -> None:
    """Print whom other models of the same scores call likeliest best."""
    heads, rows = leaders(result)
    if not rows:
        return
    out.heading("Other models of the same scores, by few draws")
    out.grid(TextTable(heads, tuple(rows)))


def _ranks(row: Mapping[Hashable, Any]) -> str:
    return f"{row['expected_rank']:.1f} ({row['rank_low']:g} to {row['rank_high']:g})"


def details(out: Terminal, result: "BayesComparison") -> None:
    """Print the pairs for the other quantity, how far chains settled, and the priors."""
    if result.following is not None:
        other = "average" if result.quantity == "next" else "next"
        where = result.average_words if other == "average" else "on the next data set"
        out.heading(f"The same pairs {where}")
        out.grid(_pairs(result.contrasts(other)))
    if result.along is not None:
        out.heading(mixed.heading(result))
        said = {"P first": "prob_first", "P second": "prob_second"}
        out.grid(mixed.grid(result.slopes(), result, said, lambda p: f"{p:.3f}"))
    out.heading("Chains")
    settled = result.convergence
    largest = max(settled.r_hat, settled.r_hat_effects)
    chains, draws, _ = result.draws.effects.shape
    out.prose(
        f"{chains} chains of {draws:,} draws: largest R-hat {largest:.4f}, smallest effective"
        f" sample size {min(settled.bulk, settled.tail):,.0f}; errors of probabilities by Monte"
        f" Carlo at most {float(result.outcomes.error.max()):.2g}."
    )
    _checked(out, result)
    out.heading("Priors")
    unused = result.unused_priors
    own = {k: v for k, v in asdict(result.priors).items() if v is not None and k not in unused}
    given = ", ".join(f"{k}={v:g}" for k, v in own.items())
    out.prose(f"{given}; {result.prior_unit}.")


def _checked(out: Terminal, result: "BayesComparison") -> None:
    """Print how well each data set is predicted by the others."""
    from benchinfer.analyses.bayes.responses.comparison import ResponseComparison

    if isinstance(result, ResponseComparison):  # whose rows have no such checks
        return
    left = result.loo()
    checks = [*left.checks(), *result.predictive_check(left).checks()]
    out.heading("Data sets predicted by the others")
    out.prose(
        f"Leaving one data set out: elpd {left.elpd:.1f} (standard error {left.se:.1f}),"
        f" {left.p_loo:.1f} effective parameters, largest Pareto k {left.pareto_k.max():.2f};"
        f" {count(int(left.refitted.sum()), 'refit')}."
    )
    for row in checks:
        found = f": {row.remedy}" if row.remedy else ""
        out.prose(f"{row.value:g} {row.check}{found}.")


def _pairs(table: "pd.DataFrame") -> TextTable:
    shares = ("prob_first", "prob_equivalent", "prob_second")
    rows = tuple(
        (
            str(row["first"]),
            str(row["second"]),
            *(f"{row[name]:.3f}" for name in shares),
            f"{row['winner']} better" if row["winner"] else str(row["verdict"]),
        )
        for row in table.to_dict("records")
    )
    heads = ("first", "second", "P first", "P equivalent", "P second", "verdict")
    return TextTable(heads, rows, frozenset({2, 3, 4}))
