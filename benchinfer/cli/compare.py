"""The commands below `compare`."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.answer import Showing, answer
from benchinfer.cli.guard import EPILOG
from benchinfer.cli.options.bayes import BayesQuestion
from benchinfer.cli.options.bootstrap import BootstrapQuestion
from benchinfer.cli.options.meta import MetaQuestion
from benchinfer.cli.options.mixed import MixedQuestion
from benchinfer.cli.options.pair import PairArguments
from benchinfer.cli.options.permutation import PermutationQuestion
from benchinfer.cli.options.source import (
    AsJson,
    MeasureName,
    SourceArguments,
    Tolerance,
    reads_scores,
)
from benchinfer.cli.options.tests import Whole, wrong
from benchinfer.cli.options.wins import WinsQuestion

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchinfer.comparison.comparison import Comparison


compare = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=EPILOG,
    help="Compare the algorithms, all pairs of them.",
)
PerDataset = Annotated[bool, typer.Option("--per-dataset", help="Each data set by itself.")]


@compare.command(epilog=EPILOG)
@reads_scores
def mixed(
    source: SourceArguments,
    question: MixedQuestion,
    *,
    measure: MeasureName = None,
    per_dataset: PerDataset = False,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="Tests of the whole, verdicts that change without a data set, and what to expect"
            " on a new one.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare by a linear mixed-effects model and simultaneous contrasts.

    Exit code 0 says that one algorithm is better than or equivalent to each of the others (with
    --per-dataset: on each data set), 3 that none is.
    """
    from benchinfer.analyses.mixed.compare import compare_mixed

    show = Showing(per_dataset=per_dataset, details=details, as_json=as_json)
    _ask(compare_mixed, source, question, measure, show)


@compare.command(epilog=EPILOG)
@reads_scores
def meta(
    source: SourceArguments,
    question: MetaQuestion,
    *,
    measure: MeasureName = None,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="Direct and indirect evidence, their consistency, and verdicts that change"
            " without a data set.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Pool the effects of data sets or published studies, which need not have the same algorithms.

    A table with the columns first, second, estimate and std_error (or variance, or conf_low and
    conf_high) beside study or dataset holds published effects. Exit code 0 says that one algorithm
    is better than or equivalent to each of the others, 3 that none is.
    """
    from benchinfer.analyses.meta.compare import compare_meta

    show = Showing(per_dataset=False, details=details, as_json=as_json)
    _ask(compare_meta, source, question, measure, show)


@compare.command(epilog=EPILOG)
@reads_scores
def permutation(
    source: SourceArguments,
    question: PermutationQuestion,
    *,
    measure: MeasureName = None,
    per_dataset: PerDataset = False,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="Tests of all algorithms together, pairs on scores that all share, and critical"
            " differences.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare by permutation tests within blocks, each pair on its own scores.

    A block is a data set, or a replication where claims are about these data sets. Exit code 0
    says that one algorithm is better than or equivalent to each of the others (with --per-dataset:
    on each data set), 3 that none is.
    """
    from benchinfer.analyses.permutation.compare import compare_permutation

    places = question.places
    show = Showing(per_dataset=per_dataset, details=details, as_json=as_json, places=places)
    _ask(compare_permutation, source, question, measure, show)


@compare.command(epilog=EPILOG)
@reads_scores
def bootstrap(
    source: SourceArguments,
    question: BootstrapQuestion,
    *,
    measure: MeasureName = None,
    per_dataset: PerDataset = False,
    details: Annotated[
        bool,
        typer.Option("--details", help="Probabilities of improvement and performance profiles."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare robust aggregates over data sets by the bootstrap.

    Exit code 0 says that one algorithm is better than or equivalent to each of the others (with
    --per-dataset: on each data set), 3 that none is.
    """
    from benchinfer.analyses.bootstrap.compare import compare_bootstrap

    show = Showing(per_dataset=per_dataset, details=details, as_json=as_json)
    _ask(compare_bootstrap, source, question, measure, show)


@compare.command(epilog=EPILOG)
@reads_scores
def bayes(
    source: SourceArguments,
    question: BayesQuestion,
    *,
    measure: MeasureName = None,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="Probabilities of the pairs for the other quantity, how far the chains settled,"
            " how well each data set is predicted by the others, and the priors.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare by a hierarchical Bayesian model, with the probability that one is better.

    Exit code 0 says that one algorithm is better than or equivalent to each of the others with the
    probability --level, 3 that none is.
    """
    from benchinfer.analyses.bayes.compare import compare_bayes

    show = Showing(per_dataset=False, details=details, as_json=as_json)
    _ask(compare_bayes, source, question, measure, show)


@compare.command(epilog=EPILOG)
@reads_scores
def pair(
    source: SourceArguments,
    question: PairArguments,
    *,
    measure: MeasureName = None,
    per_dataset: PerDataset = False,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="What other tests give on the same scores, and whether differences look normal.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare two algorithms on one data set, by a test that fits how scores came about.

    Exit code 0 says that one algorithm is better than or equivalent to each of the others (with
    --per-dataset: on each data set), 3 that none is.
    """
    from benchinfer.analyses.pair.compare import compare_pair

    show = Showing(per_dataset=per_dataset, details=details, as_json=as_json)
    _ask(compare_pair, source, question, measure, show)


@compare.command(epilog=EPILOG)
@reads_scores
def wins(
    source: SourceArguments,
    question: WinsQuestion,
    *,
    measure: MeasureName = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Wins of each pair, and what the model expects."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare by how often algorithms win on data sets, by a Bradley-Terry model.

    A table with the columns first, second, wins and losses, and ties if there are any, holds a
    published win table; --measure names what was compared.

    Exit code 0 says that one algorithm is better than or equivalent to each of the others, 3 that
    none is.
    """
    from benchinfer.analyses.wins.compare import compare_wins

    show = Showing(per_dataset=False, details=details, as_json=as_json)
    _ask(compare_wins, source, question, measure, show)


@compare.command(epilog=EPILOG)
@reads_scores
def points(
    source: SourceArguments,
    *,
    measure: MeasureName = None,
    statistic: Annotated[
        Literal["mean", "median", "worst"], typer.Option(help="Of the scores of a data set.")
    ] = "mean",
    tolerance: Tolerance = None,
    missing: Whole = "complete",
    per_dataset: PerDataset = False,
    as_json: AsJson = False,
) -> None:
    """Compare by means, medians or worst scores, without inference.

    Exit code 0 says that one algorithm is better than or equivalent to each of the others by the
    rule (with --per-dataset: on each data set), 3 that none is.
    """
    from benchinfer.analyses.points import compare_points

    options = {"statistic": statistic, "tolerance": tolerance, "missing": missing}
    scores = source.read()
    show = Showing(per_dataset=per_dataset, as_json=as_json)
    answer(compare_points, scores, source.measure(scores, measure), options, show)


def _ask(
    analysis: "Callable[..., Comparison]",
    source: SourceArguments,
    question: MixedQuestion
    | MetaQuestion
    | PermutationQuestion
    | BootstrapQuestion
    | BayesQuestion
    | PairArguments
    | WinsQuestion,
    measure: str | None,
    show: Showing,
) -> None:
    """Put a question to an analysis: what is wrong with it is said before the table is read."""
    if show.details and show.per_dataset:
        raise wrong("--details", "goes without --per-dataset.")
    options: dict[str, Any] = question.arguments(each=show.per_dataset)
    # Published effects and wins have algorithms and measures as a score table has.
    scores: Any
    if isinstance(question, MetaQuestion):
        scores = question.read(source)
    elif isinstance(question, WinsQuestion) and source.holds_wins():
        scores = question.published(source, measure)
    else:
        scores = source.read()
    question.check_names(scores)
    answer(analysis, scores, source.measure(scores, measure), options, show)
