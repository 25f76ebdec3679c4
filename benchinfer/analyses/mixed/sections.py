"""Sections of a mixed model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.analyses.mixed.influence import left_out
from benchinfer.analyses.mixed.tables import caterpillar, source_words
from benchinfer.comparison.effects import effect_columns
from benchinfer.comparison.further.influence import influence_table
from benchinfer.comparison.sections import better_side, columns_of_tests, favours, leading, slopes
from benchinfer.comparison.wording import margin
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import (
    count,
    join,
    level_percent,
    p_clause,
    p_value,
    percent,
    places,
    significant,
)
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
from benchinfer.relations.sections import on_one_line, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from benchinfer.comparison.further.prediction import NewDataset
    from benchinfer.core.measure import Measure


_TERMS = {"algorithm": "levels of the algorithms", "domain:algorithm": "algorithms, by domain"}


def variances(frame: pd.DataFrame, measure: Measure) -> Table:
    """One row per source of variation."""
    scale = {"identity": "the measure's own", "log": "the logarithmic", "logit": "the logit"}
    return Table(
        name="variances",
        caption=f"Where the scores vary, on {scale[measure.scale]} scale",
        frame=frame.assign(sd=np.sqrt(np.maximum(frame["variance"], 0.0))),
        data=frame,
        columns=(
            Column("source", "what varies", source_words, defined=False),
            number("share", "share of variance", percent),
            number("variance", "variance", significant, brief=False),
            number("sd", "std. deviation", significant),
            Column("source", "source", role="code", brief=False),
        ),
    )


def tests(frame: pd.DataFrame) -> Table:
    """One row per test of a whole term."""
    return Table(
        name="anova",
        caption="Tests of whole terms",
        frame=frame,
        columns=(
            Column("term", "term"),
            # In full the table would be wider than a terminal.
            Column("test", "test", lambda test: test.replace("likelihood ratio", "LR")),
            *columns_of_tests(),
            Column(
                "term",
                "which is",
                lambda term: _TERMS.get(term) or source_words(term),
                brief=False,
                defined=False,
            ),
        ),
        note="Each p-value is that of its test alone; one df: a chi-squared test, of a variance"
        " with half of its p-value, as none is below 0. LR: likelihood ratio.",
    )


def new_dataset_tables(mixed: MixedComparison, new: NewDataset) -> tuple[Table, Table]:
    """One row per algorithm and one per contrast, with the probabilities of its outcomes."""
    measure, frame = new.measure, new.contrasts()
    tolerant = measure.tolerance > 0
    by = f" by more than {margin(measure)}" if tolerant else ""
    near = [number("prob_near_best", "P(within tolerance of the best)", places(2))]
    equal = [number("prob_equivalent", "P(equiv)", places(2))]
    ranks = Table(
        name="",
        caption="Who is likely best there",
        frame=new.summary().sort_values("prob_best_next", ascending=False, kind="stable"),
        columns=(
            *names("algorithm"),
            number("prob_best_next", "P(best)", places(2)),
            *(near if tolerant else []),
        ),
    )
    contrasts = Table(
        name="",
        caption=f"Contrasts in {measure.title} on one new data set",
        frame=mixed.pairs.in_order(frame),
        columns=(
            *names("first", "second"),
            *effect_columns(measure, frame, f"{level_percent(new.predicted.level)} prediction"),
            number("prob_first", "P(first)", places(2)),
            *(equal if tolerant else []),
            number(
                "prob_second",
                "P(second)",
                places(2),
                spare=1,
                instead="P(second) is what the others leave to 1.",
            ),
        ),
        note=f"{favours(measure)} Prediction: interval of each contrast alone. P: probability to"
        f" be better there{by}.",
    )
    return ranks, contrasts


def correlations(frame: pd.DataFrame) -> str:
    """Return the intraclass correlations as a sentence, empty where there are none."""
    shares: list[str] = []
    for shared, value in rows_of(frame, "shared", "correlation"):
        if np.isfinite(value):
            nouns = [f"{'an' if n[0] in 'aeiou' else 'a'} {n}" for n in shared.split(" and ")]
            shares.append(f"{value:.2f} if they share {' and '.join(nouns)}")
    if not shares:
        return ""
    return f"Under the model two scores correlate by {'; by '.join(shares)}."


# Data sets, and verdicts without one of them; leaving out each of more takes longer than a report
# should.
_MOST, _VERDICTS = 300, 50_000
_ROWS = 8  # of more rows a table is folded
_CHECKS = ("residuals: ", "data set effects: ", "data set x algorithm effects: ", "outlying ")


def sections(comparison: MixedComparison, request: Request) -> tuple[Section, ...]:
    """Return the sections of a mixed model, the verdict first."""
    return (
        leading(comparison, request),
        spread(comparison, request),
        *(_details(comparison) if request.details else ()),
    )


def _details(mixed: MixedComparison) -> Iterator[Section]:
    if mixed.fitted.fixed.domains:
        yield by_domain(mixed)
    if mixed.design.covariates:
        yield along(mixed)
    if len(mixed.setting.coverage.datasets) == 1:
        return
    parts: list[Callable[[MixedComparison], Section]] = [terms_tested, departing, checks]
    for write in parts:
        try:
            yield write(mixed)
        except DesignError:
            continue  # this model has no such thing
    for title, name, write, refused in (
        ("Influence", "influence", influence, mixed.influence),
        ("A new data set", "prediction", new_dataset, mixed.predict),
    ):
        try:
            yield write(mixed)
        except DesignError as error:
            yield Section(title=title, warnings=(str(error),), values={name: refused})


def by_domain(mixed: MixedComparison) -> Section:
    """Return the section on the order of the algorithms in each domain."""
    import pandas as pd

    domains = mixed.by_domain()
    rows = [(name, on_one_line(relation)) for name, relation in domains.relations().items()]
    orders = Table(
        name="",
        caption="Order in each domain, best first",
        frame=pd.DataFrame(rows, columns=["domain", "order"]),
        columns=(*names("domain"), Column("order", "order", role="order", defined=False)),
    )
    frames = {name: result.contrasts(all=True) for name, result in domains.items()}
    return Section(title="In each domain", tables=(orders,), values={"by_domain": frames})


def along(mixed: MixedComparison) -> Section:
    """Return the section on the slopes of differences along covariates."""
    frame = mixed.slopes()
    table = slopes(frame, mixed, (number("p_value", "p", p_value),))
    return Section(title="Along covariates", tables=(table,))


def _where(mixed: MixedComparison) -> str:
    return f"{mixed.measure.title}, {mixed.measure.better} is better"


def spread(mixed: MixedComparison, request: Request) -> Section:
    """Return the section on the variance components and the correlations of scores."""
    frame = mixed.variances()
    shares = dict(zip(frame["source"], frame["share"], strict=True))
    most = max(shares, key=lambda source: shares[source])
    listed = ", ".join(f"{source} {percent(share)}" for source, share in shares.items())
    text = [f"Variance of single scores: {listed}."]
    tables = ()
    if request.details:
        tables = (variances(frame, mixed.measure),)
        first = f"What single scores ({_where(mixed)}) differ by most: {source_words(most)},"
        text = [f"{first} {percent(shares[most])}."]
        if "dataset:algorithm" in shares:
            text.append(
                f"{percent(shares['dataset:algorithm'])} is how the algorithms differ from one data"
                " set to the next: more data sets average it out, more replications do not."
            )
        text.append(correlations(mixed.correlations()))
    return Section(
        title="Where the spread comes from",
        text=tuple(line for line in text if line),
        figures=(
            Figure(mixed, "variances", "What single scores differ by, as shares of variance."),
        ),
        tables=tables,
        values={
            "variances": frame,
            "correlations": mixed.correlations,
            "anova": mixed.anova,
        },
    )


def terms_tested(mixed: MixedComparison) -> Section:
    """Return the section on the tests of whole terms, which are not about pairs."""
    frame = mixed.anova()
    tested = frame[frame["term"] == "algorithm"]
    if tested.empty:
        raise DesignError("no term of this model can be tested as a whole.")
    alpha, p = 1 - mixed.level, tested["p_value"]
    n, of = int((p <= alpha).sum()), len(tested)
    if n == of:
        verdict = "is rejected" if of == 1 else f"is rejected by all {of} tests of it"
    elif n == 0:
        verdict = "is not rejected" if of == 1 else f"is rejected by none of the {of} tests of it"
    else:
        verdict = f"is rejected by {n} of the {of} tests of it"
    largest = f"{'' if of == 1 else 'largest '}{p_clause(p.max())}"
    text = (
        f"The hypothesis that all {len(mixed.algorithms)} algorithms have the same level of"
        f" {mixed.measure.title}, {mixed.scope()}, {verdict} at {100 * alpha:.3g} % ({largest})."
        " Such a test is about the algorithms taken together. It decides no pair and says nothing"
        " of direction or size: the contrasts do. It compares means under the model; permutation"
        " tests of all algorithms ask whether their labels can be exchanged."
    )
    if tested["test"].str.startswith("Hotelling").any():
        text += " Hotelling's test gives each pair a spread of its own, as the contrasts do."
    return Section(
        title="Tests of the whole",
        text=(text,),
        tables=(tests(frame),),
    )


def departing(mixed: MixedComparison) -> Section:
    """Return the section on the predicted departures of data sets from the average."""
    departures = caterpillar(mixed)
    side = departures.side
    several = departures.owners != ("all algorithms",)
    better, worse = int((side > 0).sum()), int((side < 0).sum())
    of = "each algorithm on each data set" if several else "each data set, for all algorithms,"
    text = (
        f"How the model predicts {of} to depart from {departures.expected} ({_where(mixed)}):"
        f" {better:,} of {count(side.size, 'prediction')} {'is' if better == 1 else 'are'} better"
        f" and {worse} worse with the whole {100 * departures.level:g} % interval."
    )
    if several and (better or worse):
        rows = (side != 0).sum(axis=1)
        names = [departures.datasets[i] for i in (-rows).argsort(kind="stable")[:3] if rows[i]]
        text += f" Most of them are on {join(names)}."
    reading = (
        "Predictions are shrunk towards the average, the more so the less is known. Intervals are"
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
                f"Predicted departures; {better_side(mixed.measure)}. Data sets from the one with"
                " the largest departure on.",
            ),
        ),
    )


def checks(mixed: MixedComparison) -> Section:
    """Return the section on the residuals and on the checks of the model that failed."""
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
    rows = [row for row in mixed._checks if row.check.startswith(_CHECKS)]
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
    """Return the section on the verdicts that depend on a single data set."""
    d, title = len(mixed.setting.coverage.datasets), "Influence"
    if d > _MOST or d * len(mixed.pairs) > _VERDICTS:
        return Section(
            title=title,
            text=(
                (
                    f"With {count(d, 'data set')} and {count(len(mixed.pairs), 'pair')}, what"
                    " leaving out each does is left to influence()."
                ),
            ),
            values={"influence": mixed.influence},
        )
    without = left_out(mixed, "dataset", None)
    ranked = without.ranked()
    changing = ranked[ranked["n_changed"] > 0]
    table = influence_table(
        without,
        changing,
        caption=f"Verdicts that change when one {without.unit_name} is left out",
        note="Moves: the largest of a difference, in its standard errors. >: the first is better,"
        " <: the second is, ~: equivalent, ?: undecided.",
    )
    fold, shown = None, (table,)
    if len(changing) > _ROWS:
        fold, shown = Fold(f"Table of the {len(changing)} data sets", (), shown), ()
    return Section(
        title=title,
        text=(_influence(ranked, mixed),),
        figures=(
            Figure(
                without,
                "influence",
                "How far the difference that moves most does so when the data set is left out.",
            ),
        )
        if ranked["shift"].notna().any()
        else (),
        tables=shown,
        fold=fold,
    )


def _influence(ranked: pd.DataFrame, mixed: MixedComparison) -> str:
    changing = ranked[ranked["n_changed"] > 0]
    d, n, refitted = len(ranked), len(changing), int(ranked["refitted"].sum())
    if not refitted:
        return (
            "The model cannot be fitted without one of its data sets, so what the verdicts would be"
            " is not known: add data sets."
        )
    some = "" if refitted == d else f" (tried for the {refitted} of them that move most)"
    top, pairs = ranked["shift"].abs().max(), len(mixed.pairs)
    verdicts = "the verdict" if pairs == 1 else f"the {pairs} verdicts"
    if n:
        one = f"{changing['unit'].iloc[0]}, one" if n == 1 else f"any one of {n}"
        end = "," if n == 1 else ""
        most = int(changing["n_changed"].max())
        which = f"{most:,}" if n == 1 else "some"
        what = verdicts if pairs == 1 else f"{which} of {verdicts}"
        said = f"Leaving out {one} of the {d} data sets{some}{end} changes {what}, which"
        said += " depends on it." if pairs == 1 or (n == 1 and most == 1) else " depend on it."
    else:
        said = f"Leaving out any one of the {d} data sets{some} leaves {verdicts} as"
        said += " it is: it does" if pairs == 1 else " they are: they do"
        said += " not depend on a single data set."
    if np.isnan(top):
        return f"{said} No difference has an error to measure its moves in."
    moves = f"No difference in {mixed.measure.title} moves by more than {top:.2f} of its standard"
    return f"{said} {moves} errors."


def new_dataset(mixed: MixedComparison) -> Section:
    """Return the section on the prediction of a new data set."""
    new = mixed.predict()
    reading = (
        "The verdicts are about the average over the domain. From one data set to the next"
        " algorithms differ, so that the one that is better on average need not be better there:"
        " these probabilities count that in."
    )
    ranks, contrasts = new_dataset_tables(mixed, new)
    return Section(
        title="A new data set",
        text=(str(new), reading),
        figures=(
            Figure(new, "prediction", "Probability to be best on one new data set of the domain."),
        ),
        fold=Fold(f"Tables of the algorithms and the {len(contrasts.frame):,} contrasts there", (),
                  (ranks, contrasts)),
        values={"prediction": {"summary": new.summary(), "contrasts": new.contrasts()}},
    )  # fmt: skip


SECTIONS = {MixedComparison: sections}
KEYS = {
    "variances": (Rows, "sources of variation"),
    "correlations": (Rows, "correlations of two scores under the model"),
    "anova": (Rows, "tests of whole terms"),
    "by_domain": (dict[str, Rows], "contrasts in each domain"),
    "slopes": (Rows, "slopes along covariates"),
    "influence": (Rows | None, "what changes without a data set"),
    "prediction": (dict[str, Rows] | None, "summary and contrasts on a new data set"),
}
