"""Sections of Bayesian comparisons."""

from dataclasses import fields

from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.pairwise.comparison import NAMES, BayesPairsComparison
from benchinfer.analyses.bayes.responses.comparison import ResponseComparison
from benchinfer.analyses.bayes.sensitivity import leaders
from benchinfer.comparison.posterior import Convergence
from benchinfer.comparison.sections import contrasts, leading, slopes
from benchinfer.core.numbers import (
    amount,
    chance,
    fixed,
    interval,
    level_percent,
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
from benchinfer.relations.sections import outcome


def pairwise_sections(comparison: BayesPairsComparison, request: Request) -> tuple[Section, ...]:
    """Return the sections of a comparison: the verdict, and the outcomes of each pair."""
    seed = comparison.provenance.seed
    basis = "" if seed is None else f"Seed {seed}."
    rows = contrasts(comparison, basis)
    return (
        leading(comparison, request, rows),
        outcomes(comparison, request),
    )


def outcomes(result: BayesPairsComparison, request: Request) -> Section:
    """Return the section on the probabilities of the outcomes of each pair."""
    where, text = result.next_words, []
    error = float(result.votes.error.max())
    if request.details:
        text.append(
            f"Probabilities in the table of contrasts are of the {where}, unless verdicts are"
            " about another quantity. The probability that an outcome is the most probable one"
            " goes to 0 or 1 with more data sets even where the outcome itself stays uncertain: an"
            f" outcome can be ahead almost surely, and happen on the {where} no more than every"
            " second time."
        )
        text.append(result.method)
        if error > 0:
            text.append(f"Monte Carlo errors of these probabilities: at most {error:.2g}.")
    return Section(
        title="What is probable, and which outcome is ahead",
        lead=f"Each pair has {NAMES[result.test]} of its own.",
        text=tuple(text),
        figures=(
            Figure(
                result,
                "simplex",
                f"The three outcomes of each pair: filled on the {where}, hollow as the most"
                " probable outcome.",
            ),
        ),
        tables=(dominance(result),),
        values={
            "published_test": result.test,
            "quantity": result.quantity,
            "convergence": result.convergence,
        },
    )


def dominance(result: BayesPairsComparison) -> Table:
    """Return the probability of each outcome to be the most probable one."""
    data = result.dominance()
    return Table(
        name="dominance",
        caption="Which outcome is the most probable one",
        frame=result.pairs.in_order(data),
        data=data,
        columns=(
            *names("first", "second"),
            number("dominant_first", "first better", places(3)),
            number("dominant_equivalent", "equivalent", places(3)),
            number("dominant_second", "second better", places(3)),
            number("n_datasets", "data sets", amount),
        ),
        note="Posterior probabilities that each outcome is ahead of the other two, as the papers"
        " print them. They say how sure it is which one leads, not how probable that outcome is:"
        f" for the {result.next_words} that is P in the table of contrasts. Data sets that lack"
        " scores of one of the pair are left out for it; they do not count as equality.",
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


def sections(comparison: BayesComparison, request: Request) -> tuple[Section, ...]:
    """Return the sections of a comparison: the verdict, and the probabilities to be best."""
    return leading(comparison, request), probable(comparison, request)


def probable(result: BayesComparison, request: Request) -> Section:
    """Return the section on probabilities of ranks and pairs; with details, the priors and fits."""
    values: dict[str, object] = {"quantity": result.quantity, "convergence": result.convergence}
    if result.other_models is not None:
        values["other_models"] = result.other_models.table(result.measure, result.algorithms)
    text, fold = (), None
    if request.details:
        text, fold = (*_text(result), *fits(result)), _fold(result)
        kinds = ("average",) if result.following is None else ("average", "next")
        values["quantities"] = {kind: result.contrasts(kind, all=True) for kind in kinds}
        shares = result.ranks.distribution.tolist()
        values["rank_probabilities"] = dict(zip(result.algorithms, shares, strict=True))
        values["priors"] = result.priors
    return Section(
        title="How probable it is",
        lead=best(result),
        text=text,
        figures=(
            Figure(result, "ranks", "Probability of each rank."),
            Figure(result, "simplex", "The three outcomes of each pair."),
        ),
        tables=(chances(result), *others(result)),
        fold=fold,
        values=values,
    )


def _fold(result: BayesComparison) -> Fold:
    """Return the folded details: data sets, the other quantity, slopes and priors."""
    figures = [
        Figure(
            result,
            "shrinkage",
            "What scores say of the two best algorithms on each data set, and what the model makes"
            " of it.",
        )
    ]
    if not isinstance(result, ResponseComparison):  # whose rows have no such checks
        figures.append(
            Figure(
                result,
                "predicted",
                "How far apart algorithms are on each data set, and what the other data sets let"
                " expect.",
            )
        )
    tables = [priors(result)]
    if result.along is not None:
        columns = (
            number("prob_first", "P first", places(3)),
            number("prob_second", "P second", places(3)),
        )
        tables.insert(0, slopes(result.slopes(), result, columns))
    if result.following is not None:
        other = "average" if result.quantity == "next" else "next"
        where = result.average_words if other == "average" else "on the next data set"
        pairs = Table(
            name="",
            caption=f"The same pairs {where}",
            frame=result.contrasts(other, order="result", all=True),
            columns=(
                *names("first", "second"),
                number("prob_first", "P first", places(3)),
                number("prob_equivalent", "P equivalent", places(3)),
                number("prob_second", "P second", places(3)),
                outcome(),
            ),
        )
        tables.insert(0, pairs)
    return Fold("Data sets one by one, and the priors", tuple(figures), tuple(tables))


def best(result: BayesComparison) -> str:
    """Return a sentence on the algorithm most likely best on average and on the next data set."""
    top = int(result.ranks.best.argmax())
    name, share = result.algorithms[top], chance(float(result.ranks.best[top]))
    sentence = f"{name} is the best algorithm {result.average_words} with probability {share}"
    if result.ranks_following is None:
        return f"{sentence}, of these data sets."
    following = result.ranks_following.best
    after = int(following.argmax())
    share_next = chance(float(following[top]))
    if after == top:
        return f"{sentence}, and on the next data set with probability {share_next}."
    other = f"{result.algorithms[after]} with {chance(float(following[after]))}"
    return f"{sentence}; on the next data set with {share_next}, where {other} is the likeliest."


def fits(result: BayesComparison) -> tuple[str, ...]:
    """Return sentences on the leave-one-out predictions of the data sets."""
    if isinstance(result, ResponseComparison):  # whose rows have no such checks
        return ()
    left = result.loo(refit=False)
    largest = float(left.pareto_k.max())
    checks = [*left.checks(), *result.predictive_check(left).checks()]
    failed = [f"{row.sentence} {row.remedy}" for row in checks if not row.ok]
    score = (
        f"Leaving one data set out: elpd {fixed(left.elpd, 1)}"
        f" (standard error {fixed(left.se, 1)}), {fixed(left.p_loo, 1)} effective parameters,"
        f" largest Pareto k {fixed(largest, 2)}."
    )
    if failed:
        return score, " ".join(["Each data set was predicted by the others.", *failed])
    return score, (
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
            f"{'of' if result.typical else 'over'} data sets like these. On the"
            " next data set: on a single one that is drawn as these were, and was not seen."
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
    frame = result.summary().sort_values(
        ["prob_best", "expected_rank"], ascending=[False, True], kind="stable"
    )
    columns = [
        number("prob_best", result.average_words, places(3)),
        number("prob_best_next", "on the next data set", places(3)),
        number("prob_near_best", "within tolerance of it", places(3)),
        Column("expected_rank", "rank", _ranks, also=("rank_low", "rank_high")),
    ]
    if result.measure.tolerance == 0:
        columns = [column for column in columns if column.name != "prob_near_best"]
    return Table(
        name="",
        caption="How likely each algorithm is best",
        frame=frame,
        columns=(*names("algorithm"), *(column for column in columns if column.name in frame)),
        note=f"rank: mean of the rank {result.average_words}, and an interval with"
        f" {level_percent(result.level)} of it. Seed {result.provenance.seed}.",
    )


def _ranks(mean: float, low: float, high: float) -> str:
    return f"{fixed(mean, 1)} ({interval(low, high, amount)})"


def others(result: BayesComparison) -> tuple[Table, ...]:
    """Return the algorithms that other models of the same scores call best; none without these."""
    import pandas as pd

    heads, rows = leaders(result)
    if result.other_models is None:
        return ()
    answers = zip(result.other_models.variants, result.other_models.otherwise, strict=True)
    note = " ".join(f"By {name}: {words}." for name, words in answers if words)
    return (
        Table(
            name="",
            caption="Other models of the same scores, by few draws",
            frame=pd.DataFrame(rows, columns=list(heads)),
            columns=tuple(
                Column(head, head, role="name" if n else "", defined=False)
                for n, head in enumerate(heads)
            ),
            note=note
            or "All name the same algorithms, and decide pairs alike, within the error of"
            f" {result.other_models.draws:,} draws each.",
        ),
    )


def priors(result: BayesComparison) -> Table:
    """Return the priors that were used."""
    import pandas as pd

    used = result.priors
    rows: list[tuple[str, str, str]] = []
    for name in (field.name for field in fields(used)):
        if name not in result.unused_priors:
            value = getattr(used, name)
            text = "number of algorithms \N{MINUS SIGN} 1" if value is None else f"{value:g}"
            rows.append((_PRIORS[name], name, text))
    return Table(
        name="",
        caption="Priors",
        frame=pd.DataFrame(rows, columns=["of", "name", "prior"]),
        columns=(
            Column("of", "of"),
            Column("name", "name", role="code"),
            number("prior", "value", str),
        ),
        note=f"Priors are {result.prior_unit}.",
    )


SECTIONS = {BayesComparison: sections, BayesPairsComparison: pairwise_sections}
KEYS = {
    "published_test": (str, "test of the literature"),
    "dominance": (Rows, "probability of each outcome to be the most probable one"),
    "quantity": (str, "what verdicts are about"),
    "convergence": (Convergence | None, "convergence of the chains"),
    "other_models": (Rows, "which algorithms other models of the same scores call best"),
    "quantities": (dict[str, Rows], "contrasts on average and on the next data set"),
    "rank_probabilities": (dict[str, list[float]], "probability of each rank, by algorithm"),
    "priors": (Priors, "priors that were used"),
    "slopes": (Rows, "slopes along covariates"),
}
