"""Tables of ensembles and of a consensus."""

from typing import TYPE_CHECKING

from benchinfer.reports.numbers import brief, fixed
from benchinfer.reports.records import Cell, Column, Table
from benchinfer.reports.tables import pair_verdict, rows_of

if TYPE_CHECKING:
    from benchinfer.order.consensus import Consensus
    from benchinfer.order.ensemble import Ensemble

_WEIGHTS = ("first", "equivalent", "undecided", "second", "missing")


def orders(ensemble: "Ensemble") -> Table:
    """One row per relation: its weight and its order."""
    return Table(
        caption="Order of each relation, best first",
        columns=(
            Column("relation", "relation"),
            Column("weight", "weight", numeric=True),
            Column("order", "order"),
        ),
        rows=tuple(
            (Cell(name, "name"), Cell(brief(weight)), Cell(str(relation), "order"))
            for (name, relation), weight in zip(
                ensemble.items(), ensemble.weights.tolist(), strict=True
            )
        ),
        note="> preferred to, ~ equivalent, ? not told apart",
    )


def positions(found: "Consensus") -> Table:
    """One row per algorithm: its best and worst rank in any optimum."""
    frame = found.summary()
    names = [name for name in ("rank_low", "rank_high", "score") if name in frame]
    heads = {"rank_low": "best rank", "rank_high": "worst rank", "score": "points"}
    return Table(
        caption="Ranks in the consensus",
        columns=(
            Column("algorithm", "algorithm"),
            *(Column(name, heads[name], numeric=True) for name in names),
        ),
        rows=tuple(
            (Cell(str(algorithm), "name"), *(Cell(brief(float(v))) for v in values))
            for algorithm, *values in rows_of(frame, "algorithm", *names)
        ),
        note="Best and worst rank differ where algorithms are tied or optima disagree.",
    )


def support(found: "Consensus") -> Table:
    """One row per pair: the weight of each verdict, the share that agrees, and the regret."""
    frame = found.support()
    columns = [Column("first", "first"), Column("second", "second"), Column("verdict", "verdict")]
    cells = [[Cell(str(v), "name") for v in frame[name]] for name in ("first", "second")]
    cells.append([pair_verdict(*row) for row in rows_of(frame, "verdict", "first", "second")])
    columns.append(Column("support", "support", numeric=True))
    cells.append([Cell(fixed(float(v), 2)) for v in frame["support"]])
    if "regret" in frame:
        columns.append(Column("regret", "regret", numeric=True))
        cells.append(
            [
                Cell(("" if exact else "≥ ") + brief(float(v)))
                for v, exact in rows_of(frame, "regret", "regret_exact")
            ]
        )
    for name in _WEIGHTS:
        columns.append(Column(f"weight_{name}", name, numeric=True))
        cells.append([Cell(brief(float(v))) for v in frame[f"weight_{name}"]])
    return Table(
        caption="What speaks for each pair",
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        note="The last columns: weight of the relations that give that verdict.",
    )
