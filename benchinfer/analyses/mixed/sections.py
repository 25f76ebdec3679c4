"""Report sections of a mixed model."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.analyses.mixed.figures import departures, words
from benchinfer.comparison import sections as comparison_sections
from benchinfer.comparison.figures.influence import InfluenceLayout
from benchinfer.comparison.sections import effect_head, favours
from benchinfer.comparison.wording import margin
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import Either, Phrase
from benchinfer.core.numbers import count, decimals, fixed, join, p_value, percent, significant
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table
from benchinfer.relations.sections import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.prediction import NewDataset
    from benchinfer.core.measure import Measure
    from benchinfer.scores.table import ScoreTable


_TERMS = {"algorithm": "levels of the algorithms", "domain:algorithm": "algorithms, by domain"}


def variances(frame: "pd.DataFrame", measure: "Measure") -> Table:
    """One row per source of variation."""
    scale = {"identity": "the measure's own", "log": "the logarithmic", "logit": "the logit"}
    return Table(
        caption=f"Where the scores vary, on {scale[measure.scale]} scale",
        columns=(
            Column("", "what varies"),
            Column("share", "share of variance", numeric=True),
            Column("variance", "variance", numeric=True),
            Column("sd", "std. deviation", numeric=True),
            Column("source", "source"),
        ),
        rows=tuple(
            (
                Cell(words(source)),
                Cell(percent(share)),
                Cell(significant(variance)),
                Cell(significant(max(variance, 0.0) ** 0.5)),
                Cell(source, "code"),
            )
            for source, variance, share in rows_of(frame, "source", "variance", "share")
        ),
    )


def tests(frame: "pd.DataFrame") -> Table:
    """One row per test of a whole term."""
    names = ("term", "test", "statistic", "df", "df_residual", "p_value")
    return Table(
        caption="Tests of whole terms",
        columns=(
            Column("term", "term"),
            # Not adjusted, so the glossary's definition of p_value does not apply.
            Column("", "p", numeric=True),
            Column("test", "test"),
            Column("statistic", "statistic", numeric=True),
            Column("df", "df", numeric=True),
            Column("df_residual", "residual df", numeric=True),
        ),
        rows=tuple(
            (
                Cell(_TERMS.get(term) or words(term)),
                Cell(p_value(p)),
                Cell(test),
                Cell(fixed(statistic, 2)),
                Cell(fixed(df, 0)),
                Cell(fixed(rest, 1)),
            )
            for term, test, statistic, df, rest, p in rows_of(frame, *names)
        ),
        note="Each p-value is that of its test alone. Residual df without limit (∞): a chi-squared"
        " test.",
    )


def influence_table(left: "InfluenceLayout") -> Table:
    """One row per data set without which some verdict changes."""
    frame, rows = left.changing, []
    names = ("unit", "shift", "first", "second", "cooks_distance", "changes")
    for unit, shift, first, second, cook, changes in rows_of(frame, *names):
        rows.append(
            (
                Cell(str(unit), "name"),
                Cell(changes, "prose"),
                Cell(fixed(abs(shift), 2)),
                Cell(f"{first}, {second}", "name"),
                Cell(fixed(cook, 3)),
            )
        )
    return Table(
        caption=f"Verdicts that change when one {left.unit} is left out",
        columns=(
            Column("dataset", left.unit),
            Column("changes", "verdicts that change"),
            Column("shift", "largest move (std. errors)", numeric=True),
            Column("", "of the difference"),
            Column("cooks_distance", "Cook's distance", numeric=True),
        ),
        rows=tuple(rows),
        note=">: the first is better, <: the second is, ~: equivalent, ?: undecided.",
    )


def new_dataset_table(new: "NewDataset") -> Table:
    """One row per contrast, with the probabilities of its three outcomes."""
    measure, frame = new.measure, new.contrasts()
    places = decimals(frame["std_error"].tolist())

    def effect(value: float) -> str:
        return fixed(value, places) if measure.scale == "identity" else significant(value)

    tolerant = measure.tolerance > 0
    by = f" by more than {margin(measure)}" if tolerant else ""
    columns = [
        Column("first", "first"),
        Column("second", "second"),
        Column("prob_first", "P(first better)", numeric=True),
        *([Column("prob_equivalent", "P(equivalent)", numeric=True)] if tolerant else []),
        Column("prob_second", "P(second better)", numeric=True),
        Column("estimate", effect_head(measure), numeric=True),
        Column("conf_low", "from", numeric=True),
        Column("conf_high", "to", numeric=True),
    ]
    cells = [
        [Cell(str(text), "name") for text in frame[column.name]]
        if not column.numeric
        else [
            Cell(fixed(value, 2) if column.name.startswith("prob") else effect(value))
            for value in frame[column.name]
        ]
        for column in columns
    ]
    level = f"{100 * new.predicted.level:g} %"
    return Table(
        caption=f"Contrasts in {measure.title} on one new data set, {measure.better} is better",
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        note=f"{favours(measure)} From, to: {level} prediction interval of each contrast alone."
        f" P: probability to be better there{by}.",
    )


def correlations(frame: "pd.DataFrame") -> str:
    """Say the intraclass correlations in a sentence, or nothing where there are none."""
    found = [
        f"{value:.2f} if they share {_shared(shared)}"
        for shared, value in rows_of(frame, "shared", "correlation")
        if np.isfinite(value)
    ]
    if not found:
        return ""
    return f"Under the model two scores correlate by {'; by '.join(found)}."


def _shared(words: str) -> str:
    """Put articles before what two scores share."""
    return " and ".join(
        f"{'an' if word[0] in 'aeiou' else 'a'} {word}" for word in words.split(" and ")
    )


_MOST = 300  # data sets; leaving out each of more takes longer than a report should
_ROWS = 8  # of more rows a table is folded
_CHECKS = ("residuals: ", "data set effects: ", "data set x algorithm effects: ", "outlying ")


def sections(
    comparison: MixedComparison, before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison: verdicts, and what follows from them."""
    return (comparison_sections.leading(comparison, before), *_beyond(comparison))


def _beyond(comparison: MixedComparison) -> tuple[Section, ...]:
    return tuple(_sections(comparison))


def _sections(mixed: MixedComparison) -> "Iterator[Section]":
    several = len(mixed.setting.coverage.datasets) > 1
    asked: list[Callable[[MixedComparison], Section]] = [spread]
    if several:
        asked += [whole, departing, checks, influence, new_dataset]
    for ask in asked:
        try:
            yield ask(mixed)
        except DesignError:
            continue  # this model has no such thing


def _where(mixed: MixedComparison) -> str:
    return f"{mixed.measure.title}, {mixed.measure.better} is better"


def spread(mixed: MixedComparison) -> Section:
    """Say which source the scores vary by most, and how similar scores are."""
    frame = mixed.variances()
    found = variances(frame, mixed.measure)
    most = frame["share"].to_numpy().argmax()
    share = percent(frame["share"].iloc[most])
    text = [
        f"What single scores ({_where(mixed)}) differ by most: {found.rows[most][0].text}, {share}."
    ]
    shares = dict(zip(frame["source"], frame["share"], strict=True))
    if "dataset:algorithm" in shares:
        text.append(
            f"{percent(shares['dataset:algorithm'])} is how the algorithms differ from one data set"
            " to the next: more data sets average it out, more replications do not."
        )
    text.append(correlations(mixed.correlations()))
    return Section(
        title="Where the spread comes from",
        text=tuple(line for line in text if line),
        figures=(
            Figure(mixed, "variances", "What single scores differ by, as shares of variance."),
        ),
        tables=(found,),
    )


def whole(mixed: MixedComparison) -> Section:
    """Say what the tests of the algorithms as a whole find, and that they decide no pair."""
    frame = mixed.anova()
    own = frame[frame["term"] == "algorithm"]
    if own.empty:
        raise DesignError("no term of this model can be tested as a whole.")
    alpha, p = 1 - mixed.level, own["p_value"]
    n, of = int((p <= alpha).sum()), len(own)
    if n == of:
        verdict = "is rejected" if of == 1 else f"is rejected by all {of} tests of it"
    elif n == 0:
        verdict = "is not rejected" if of == 1 else f"is rejected by none of the {of} tests of it"
    else:
        verdict = f"is rejected by {n} of the {of} tests of it"
    largest = f"p {p_value(p.max())}" if of == 1 else f"largest p {p_value(p.max())}"
    text = (
        f"The hypothesis that all {len(mixed.algorithms)} algorithms have the same level of"
        f" {mixed.measure.title}, {mixed.scope()}, {verdict} at {100 * alpha:.3g} % ({largest})."
        " Such a test is about the algorithms taken together. It decides no pair and says nothing"
        " of direction or size: the contrasts do."
    )
    if own["test"].str.startswith("Hotelling").any():
        text += " Hotelling's test gives each pair a spread of its own, as the contrasts do."
    return Section(
        title="Tests of the whole",
        text=(text,),
        tables=(tests(frame),),
    )


def departing(mixed: MixedComparison) -> Section:
    """Say on which data sets algorithms do better or worse than expected."""
    found = departures(mixed)
    side = found.side
    several = found.owners != ("all algorithms",)
    better, worse = int((side > 0).sum()), int((side < 0).sum())
    of = "each algorithm on each data set" if several else "each data set, for all algorithms,"
    text = (
        f"How the model predicts {of} to depart from {found.expected} ({_where(mixed)}):"
        f" {better} of {count(side.size, 'prediction')} {'is' if better == 1 else 'are'} better and"
        f" {worse} worse with the whole {100 * found.level:g} % interval."
    )
    if several and (better or worse):
        rows = (side != 0).sum(axis=1)
        names = [found.datasets[i] for i in (-rows).argsort(kind="stable")[:3] if rows[i]]
        text += f" Most of them are on {join(names)}."
    reading = (
        "Predictions are drawn towards the average, the more so the less is known. Intervals are"
        f" each for itself: of {side.size}, some lie on one side by chance. They describe data sets"
        " and decide no pair."
    )
    return Section(
        title="Data sets that depart",
        text=(text, reading),
        figures=(
            Figure(
                mixed,
                "caterpillar",
                f"Predicted departures; {comparison_sections.better_side(mixed.measure)}."
                " Data sets from the one"
                " with the largest departure on.",
            ),
        ),
    )


def checks(mixed: MixedComparison) -> Section:
    """Show the residuals, and name the checks of the model that ask for attention."""
    residuals = mixed.fitted.residuals
    spreads = () if residuals is None else (residuals.spread.algorithm, residuals.spread.dataset)
    spread = any(np.isfinite(values).any() for values in spreads)
    if residuals is None or not (len(residuals.quantiles) or spread):
        raise DesignError("residuals are not known.")
    shown = Figure(
        mixed,
        "residuals",
        "Residuals are what the model leaves of the scores. Where their quantiles follow the dashed"
        " line they are normal; ends that leave it are tails. Standard deviations should be alike.",
    )
    rows = [row for row in mixed.checks if row.check.startswith(_CHECKS)]
    failed = [row for row in rows if not row.ok]
    if not failed:
        text = f"All {len(rows)} checks of the scores of {mixed.measure.title} against the model"
        text += " pass."
    else:
        text = (
            f"{len(failed)} of {len(rows)} checks of the scores of {mixed.measure.title} against"
            f" the model {'asks' if len(failed) == 1 else 'ask'} for attention:"
            f" {join([row.check.partition(': Shapiro')[0] for row in failed])}. The diagnostics say"
            " how to read each and what to do."
        )
    return Section(title="Checks of the model", text=(text,), figures=(shown,))


def influence(mixed: MixedComparison) -> Section:
    """Say which verdicts depend on a single data set."""
    d, title = len(mixed.setting.coverage.datasets), "Influence"
    if d > _MOST:
        return Section(
            title=title,
            text=(
                Phrase(
                    f"With {d} data sets, what leaving out each does is left to"
                    f" {Either('influence()', '--details')}."
                ),
            ),
        )
    left = InfluenceLayout.sorted(mixed.measure, mixed.influence())
    found = influence_table(left)
    fold, shown = None, (found,) if found.rows else ()
    if len(found.rows) > _ROWS:
        fold, shown = Fold(f"Table of the {len(found.rows)} data sets", (), shown), ()
    return Section(
        title=title,
        text=(_influence(left, mixed),),
        figures=(
            Figure(
                left,
                "influence",
                "How far the difference that moves most does so when the data set is left out.",
            ),
        ),
        tables=shown,
        fold=fold,
    )


def _influence(left: InfluenceLayout, mixed: MixedComparison) -> str:
    d, n, refitted = len(left.table), len(left.changing), int(left.table["refitted"].sum())
    if not refitted:
        return (
            "The model cannot be fitted without one of its data sets, so what the verdicts would be"
            " is not known: add data sets."
        )
    some = "" if refitted == d else f" (tried for the {refitted} of them that move most)"
    top, pairs = left.table["shift"].abs().max(), len(mixed.pairs)
    verdicts = "the verdict" if pairs == 1 else f"the {pairs} verdicts"
    if n:
        one = f"{left.changing['unit'].iloc[0]}, one" if n == 1 else f"any one of {n}"
        what = verdicts if pairs == 1 else f"some of {verdicts}"
        said = f"Leaving out {one} of the {d} data sets{some} changes {what}, which"
        said += " hangs on it." if pairs == 1 else " hang on it."
    else:
        said = f"Leaving out any one of the {d} data sets{some} leaves {verdicts} as"
        said += " it is: it does" if pairs == 1 else " they are: they do"
        said += " not hang on a single data set."
    moves = f"No difference in {left.measure.title} moves by more than {top:.2f} of its standard"
    return f"{said} {moves} errors."


def new_dataset(mixed: MixedComparison) -> Section:
    """Say which algorithm is likely to be best on a data set not yet seen."""
    new = mixed.predict()
    reading = (
        "The verdicts are about the average over the domain. From one data set to the next"
        " algorithms differ, so that the one that is better on average need not be better there:"
        " these probabilities count that in."
    )
    found = new_dataset_table(new)
    return Section(
        title="A new data set",
        text=(str(new), reading),
        figures=(
            Figure(new, "prediction", "Probability to be best on one new data set of the domain."),
        ),
        fold=Fold(f"Table of the {len(found.rows)} contrasts there", (), (found,)),
    )


SECTIONS = {MixedComparison: sections}
