"""The table of a paper with the effects of factors."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.factors.factors import Factors
from benchinfer.comparison.effects import row_writers
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, join, level_percent, p_value
from benchinfer.core.verdict import Verdict
from benchinfer.papers.algorithms import bounds, effects, words
from benchinfer.papers.styler import PaperTable, series

if TYPE_CHECKING:
    import pandas as pd

_MOST = 10  # pairs of levels of one factor; of more those with the best one are shown


def by_factor(result: Factors, top: int | None = None) -> PaperTable:
    """Return the table of main effects, and of the clearest difference of each interaction.

    Of factors with many levels it has the pairs with the best one, and of these the first `top`.
    """
    import pandas as pd

    parts = [
        _main(name, one.contrasts(order="result", all=True), one.ranking()[0], top)
        for name, one in result.items()
    ]
    parts += [_interactions(result)]
    rows = pd.concat([part for part in parts if len(part)], ignore_index=True)
    if rows.empty:
        raise DesignError("no effect of the factors is estimable.")
    writes = row_writers(result.measure, rows, rows)
    ends = list(zip(rows["conf_low"].tolist(), rows["conf_high"].tolist(), strict=True))
    decided = rows["decided"].tolist()
    texts = [
        bounds(*both, write, result.measure.neutral if shown else np.nan)
        for both, write, shown in zip(ends, writes, decided, strict=True)
    ]
    interval = f"{level_percent(result.level)} interval"
    p = rows["p_value"].tolist()
    columns = [
        words("factor", rows["factor"].tolist(), "factor", "name"),
        words("effect", rows["effect"].tolist(), "effect", "name"),
        effects("estimate", rows, writes, result.measure.effect_name),
        series("interval", ends, texts, interval, "text", short=interval),
        series("p_value", p, [p_value(value) for value in p], "p", "p"),
        words("verdict", rows["verdict"].tolist(), "verdict"),
    ]
    d = len(result.setting.coverage.datasets)
    caption = (
        f"Effects of {join([*result.levels])} on {count(d, 'data set')}: {result.measure.noun}"
        f" ({result.measure.better} is better)."
    )
    notes = (
        (
            "Main effects are on average over the cells of the other factors; of each pair of"
            " factors the clearest difference of differences is shown."
        ),
        f"{result.provenance.adjustment}.",
    )
    return PaperTable.of(columns, result.measure.name, caption, notes)


def _main(name: str, rows: "pd.DataFrame", best: str, top: int | None) -> "pd.DataFrame":
    """Return the main effects of a factor."""
    rows = rows[rows["verdict"] != Verdict.MISSING.label]
    if len(rows) > _MOST:
        rows = rows[(rows["first"] == best) | (rows["second"] == best)]
    rows = rows[:top]
    won = rows["verdict"].isin([Verdict.FIRST.label, Verdict.SECOND.label])
    return rows.assign(
        factor=name,
        effect=rows["first"] + " \N{MINUS SIGN} " + rows["second"],
        decided=won,
        verdict=rows["verdict"].astype(str).where(~won, rows["winner"].astype(str) + " better"),
    )


def _interactions(result: Factors) -> "pd.DataFrame":
    """Return the clearest difference of differences of each pair of factors that was tested."""
    table = result.interactions()
    ends = np.cumsum([len(one.n) for one in result.pairs_of_factors])
    places = [
        int(end) - len(one.n) + one.largest
        for end, one in zip(ends, result.pairs_of_factors, strict=True)
        if one.tested and one.n.any()
    ]
    rows = table.iloc[places]
    sides = rows["other_first"] + " \N{MINUS SIGN} " + rows["other_second"]
    return rows.assign(
        factor=rows["other_factor"] + " x " + rows["factor"],
        effect="(" + rows["first"] + " \N{MINUS SIGN} " + rows["second"] + ") at " + sides,
        verdict=np.where(rows["decided"], "interact", Verdict.UNDECIDED.label),
    )
