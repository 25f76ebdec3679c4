"""Report sections of Bayesian comparisons."""

from dataclasses import fields
from typing import TYPE_CHECKING

from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.bayes.pairwise.comparison import NAMES, BayesPairsComparison
from benchinfer.analyses.bayes.responses.comparison import ResponseComparison
from benchinfer.analyses.bayes.sensitivity import leaders
from benchinfer.comparison import sections as comparison_sections
from benchinfer.core.numbers import alike, fixed, percent, significant
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table
from benchinfer.relations.sections import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


def pairwise_sections(
    comparison: BayesPairsComparison, before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison: verdicts, and what follows from them."""
    return (comparison_sections.leading(comparison, before), *_beyond_pairwise(comparison))


def _beyond_pairwise(comparison: BayesPairsComparison) -> tuple[Section, ...]:
    where = comparison.next_words
    return (
        Section(
            title="What is probable, and which outcome is ahead",
            lead=f"Each pair has {NAMES[comparison.preset]} of its own.",
            text=(_pairwise_text(comparison),),
            figures=(
                Figure(
                    comparison,
                    "simplex",
                    f"The three outcomes of each pair: filled on the {where}, hollow as the most"
                    " probable outcome.",
                ),
            ),
            tables=(dominance(comparison),),
        ),
    )


def _pairwise_text(result: BayesPairsComparison) -> str:
    where = result.next_words
    return (
        f"Probabilities in the table of contrasts are of the {where}, unless verdicts are about"
        " another quantity. The table below has what the papers print: the posterior probability"
        " that each of the three outcomes is the most probable one. It goes to 0 or 1 with more"
        " data sets even where the outcome itself stays uncertain: an outcome can be ahead almost"
        f" surely, and happen on the {where} no more than every second time."
    )


def dominance(result: BayesPairsComparison) -> Table:
    """Return the probability of each outcome to be the most probable one."""
    names = ("dominant_first", "dominant_equivalent", "dominant_second")
    rows = rows_of(result.dominance(), "first", "second", *names, "n_datasets")
    return Table(
        caption="Which outcome is the most probable one",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            Column("dominant_first", "first better", numeric=True),
            Column("dominant_equivalent", "equivalent", numeric=True),
            Column("dominant_second", "second better", numeric=True),
            Column("n_datasets", "data sets", numeric=True),
        ),
        rows=tuple(
            (
                Cell(first, "name"),
                Cell(second, "name"),
                *(Cell(fixed(share, 3)) for share in shares),
                Cell(str(n)),
            )
            for first, second, *shares, n in rows
        ),
        note="Data sets that lack scores of one of the pair are left out for it; they do not count"
        " as equality.",
    )


_PRIORS = {
    "effect_scale": "average effects, over variation between data sets: scale of a half-t",
    "effect_sd": "average effects: standard deviation",
    "interaction_scale": "variation between data sets: scale of a half-t",
    "tail_shape": "degrees of freedom, less 1: shape of a gamma",
    "tail_rate": "degrees of freedom, less 1: rate of a gamma",
    "shrinkage_median": "pull to one common variance: median",
    "shrinkage_sd": "pull to one common variance: standard deviation of its log",
    "residual_sd": "mean log residual scale: standard deviation",
    "residual_spread": "spread of residual scales: scale of a half-t",
    "domain_scale": "variation between domains: scale of a half-t",
    "slope_sd": "slopes along a scaled covariate: standard deviation",
    "level_sd": "mean level of the data sets: standard deviation",
    "level_scale": "levels of the data sets: scale of a half-t",
    "item_scale": "items or replications: scale of a half-t",
}


def sections(
    comparison: BayesComparison, before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison: verdicts, and what follows from them."""
    return (comparison_sections.leading(comparison, before), *_beyond(comparison))


def _beyond(comparison: BayesComparison) -> tuple[Section, ...]:
    shrinkage = Figure(
        comparison,
        "shrinkage",
        "What scores say of the two best algorithms on each data set, and what the model makes of"
        " it.",
    )
    text, figures = _text(comparison), (shrinkage,)
    if not isinstance(comparison, ResponseComparison):  # whose rows have no such checks
        predicted = Figure(
            comparison,
            "predicted",
            "How far apart algorithms are on each data set, and what the other data sets let"
            " expect.",
        )
        text, figures = (*text, fits(comparison)), (shrinkage, predicted)
    return (
        Section(
            title="How probable it is",
            lead=best(comparison),
            text=text,
            figures=(
                Figure(comparison, "ranks", "Probability of each rank."),
                Figure(comparison, "simplex", "The three outcomes of each pair."),
            ),
            tables=(chances(comparison), *others(comparison)),
            fold=Fold("Data sets one by one, and the priors", figures, (priors(comparison),)),
        ),
    )


def best(result: BayesComparison) -> str:
    """Name the algorithm that is most likely best, on average and on the next data set."""
    top = int(result.ranks.best.argmax())
    name, share = result.algorithms[top], percent(float(result.ranks.best[top]))
    said = f"{name} is the best algorithm {result.average_words} with probability {share}"
    if result.ranks_following is None:
        return f"{said}, of these data sets."
    following = result.ranks_following.best
    after = int(following.argmax())
    own = percent(float(following[top]))
    if after == top:
        return f"{said}, and on the next data set with probability {own}."
    other = f"{result.algorithms[after]} with {percent(float(following[after]))}"
    return f"{said}; on the next data set with {own}, where {other} is the likeliest."


def fits(result: BayesComparison) -> str:
    """Describe how well each data set is predicted by the others."""
    left = result.loo(refit=False)
    found = [*left.checks()[:1], *result.predictive_check(left).checks()]
    failed = [f"{row.value:g} {row.check}: {row.remedy}." for row in found if not row.ok]
    if failed:
        return "Predicting each data set by the others: " + " ".join(failed)
    return (
        "Each data set was predicted by the others: none is so influential that the answer rests on"
        " it, and none is far from what the others let expect."
    )


def _text(result: BayesComparison) -> tuple[str, ...]:
    words = result.average_words
    average = (
        "Probabilities are what the model believes after seeing the scores, given the priors"
        f" below. {words[:1].upper()}{words[1:]}: "
    )
    if result.following is None:
        average += "over these data sets, and no others."
    else:
        average += (
            f"{'of' if result.typical else 'over'} the domain that the data sets stand for. On the"
            " next data set: on a single one that is drawn from the same domain and was not seen."
            f" An algorithm can be better {words} almost surely, and lose on many a"
            " data set; no number of data sets makes that probability 1."
        )
    tails = (
        "Data sets may be unusual (t): those count less, so that the effects are those of a typical"
        " data set; the mean over all of them can be another."
        if result.interactions == "t"
        else "Every data set counts fully (normal), unusual ones too."
    )
    settled = result.convergence
    chains, draws, _ = result.draws.effects.shape
    state = "settled" if settled.passed else "did not settle, so take the numbers as rough"
    numbers = (
        f"The {chains} chains of {draws:,} draws {state}: largest R-hat"
        f" {fixed(max(settled.r_hat, settled.r_hat_effects), 3)}, smallest effective sample size"
        f" {fixed(min(settled.bulk, settled.tail), 0)}; Monte Carlo errors of the pairs'"
        f" probabilities are at most {significant(float(result.outcomes.error.max()), 1)}."
    )
    other = "The other choice answers another question; compare both where they matter."
    return average, f"{tails} {other}", numbers


def chances(result: BayesComparison) -> Table:
    """Return the probability of each algorithm to be best, the likeliest first."""
    frame = result.summary().sort_values("prob_best", ascending=False, kind="stable")
    heads = {
        "prob_best": f"P(best {result.average_words})",
        "prob_best_next": "P(best on the next data set)",
        "prob_near_best": "P(within tolerance of it)",
        "expected_rank": "mean rank",
        "rank_low": "from",
        "rank_high": "to",
        "expected_regret": f"expected regret {result.average_words}",
        "expected_regret_next": "on the next data set",
    }
    names = [name for name in heads if name in frame]
    if result.measure.tolerance == 0 and "prob_near_best" in names:
        names.remove("prob_near_best")
    places = {"expected_rank": 1, "rank_low": 0, "rank_high": 0}

    def column(name: str) -> list[str]:
        values: list[float] = frame[name].to_list()
        if name.startswith("expected_regret"):
            return alike(values)
        return [fixed(value, places.get(name, 3)) for value in values]

    return Table(
        caption="Who is likely best",
        columns=(
            Column("algorithm", "algorithm"),
            *(Column(name, heads[name], numeric=True) for name in names),
        ),
        rows=tuple(
            (
                Cell(algorithm, "name"),
                *(Cell(word) for word in words),
            )
            for algorithm, *words in zip(
                frame["algorithm"].to_list(), *(column(name) for name in names), strict=True
            )
        ),
        note=f"Ranks are {result.average_words}; from, to: an interval with"
        f" {100 * result.level:g} % of them. Expected regret: how much better the best algorithm"
        " is expected to be than this one.",
    )


def others(result: BayesComparison) -> tuple[Table, ...]:
    """Return the table of the algorithms that other models call best; none without these."""
    heads, rows = leaders(result)
    if result.other_models is None:
        return ()
    said = zip(result.other_models.variants, result.other_models.otherwise, strict=True)
    note = " ".join(f"By {name}: {words}." for name, words in said if words)
    return (
        Table(
            caption="Other models of the same scores",
            columns=tuple(Column("", head) for head in heads),
            rows=tuple(
                (Cell(name), *(Cell(word, "name") for word in words)) for name, *words in rows
            ),
            note=note
            or "All name the same algorithms, and decide pairs alike, within the error of"
            f" {result.other_models.draws:,} draws each.",
        ),
    )


def priors(result: BayesComparison) -> Table:
    """Return the priors that were used."""
    used = result.priors
    rows: list[tuple[Cell, ...]] = []
    for field in fields(used):
        if field.name in result.unused_priors:
            continue
        value: float | None = getattr(used, field.name)
        said = "number of algorithms \N{MINUS SIGN} 1" if value is None else f"{value:g}"
        rows.append((Cell(_PRIORS[field.name]), Cell(field.name, "code"), Cell(said)))
    return Table(
        caption="Priors",
        columns=(Column("", "of"), Column("", "name"), Column("", "value", numeric=True)),
        rows=tuple(rows),
        note=f"Priors are {result.prior_unit}.",
    )


SECTIONS = {BayesComparison: sections, BayesPairsComparison: pairwise_sections}
