"""Command-line options of sources of scores."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.guard import guarded
from benchinfer.cli.hints import as_options
from benchinfer.core.errors import BenchinferError, DesignError, ScoreTableError, message

if TYPE_CHECKING:
    from benchinfer.analyses.meta.effects import Effects
    from benchinfer.analyses.wins.counts import Wins
    from benchinfer.scores.resampling import Resampling
    from benchinfer.scores.table import ScoreTable


Path = Annotated[
    str,
    typer.Argument(
        metavar="SCORES",
        help="A CSV, TSV, Parquet, JSON lines, Feather or DuckDB file, a folder or glob of them, or"
        " example:NAME for a bundled table.",
        show_default=False,
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="name:better[:tolerance[:scale]], as in error:lower:0.01, once per measure; or the"
        " path of a TOML file. Without it measures.toml beside the table is read.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=ROLE",
        help="The role of a column: dataset, replication, algorithm, measure, value or domain; of"
        " published effects: study, first, second, estimate, std_error and others; of published"
        " wins: first, second, wins, ties and losses. Once per column; common names are known.",
    ),
]
Layout = Annotated[
    Literal["long", "wide-algorithms", "wide-measures"],
    typer.Option(help="One row per score, or one column per algorithm or per measure."),
]
Resamples = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="How replications came about: independent, bootstrap, holdout:FRACTION, cv:FOLDS,"
        " seeds or items.",
    ),
]
Paired = Annotated[
    bool | None,
    typer.Option(
        "--paired/--unpaired",
        help="Take replications as shared by the algorithms, or not, if the resampling does not"
        " tell.",
        show_default=False,
    ),
]
Repeats = Annotated[
    Literal["error", "keep"],
    typer.Option(help="Several scores of one cell's replication: a fault, or kept."),
]
Nan = Annotated[
    Literal["error", "missing"], typer.Option(help="Scores that are NaN: a fault, or missing rows.")
]
Query = Annotated[
    str | None,
    typer.Option(metavar="SQL", help="What to select from a DuckDB file, as one SELECT."),
]
Dataset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The one data set to keep; where no column names data sets, what to call it.",
    ),
]
Covariates = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Columns of numbers to keep beside the scores, such as features of the data set,"
        " separated by commas.",
    ),
]
MeasureName = Annotated[
    str | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        help="The measure; may be omitted where the table has one.",
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print everything as JSON, in full precision.")
]
ReportTo = Annotated[
    str | None,
    typer.Option(
        "--report", metavar="FILE", help="Also write an HTML report there.", show_default=False
    ),
]
# What reads published results of other kinds than scores.
READERS = {
    "Effects": ("benchinfer.analyses.meta.read", "read_effects"),
    "Wins": ("benchinfer.analyses.wins.counts", "read_wins"),
}
_OF_SCORES = ("resampling", "paired", "repeats", "nan", "query", "dataset")


@dataclass(frozen=True, slots=True)
class SourceArguments:
    """Options of every command that name the source of the scores, as typed."""

    scores: Path
    measures: Measures = None
    column: Columns = None
    layout: Layout = "long"
    resampling: Resamples = None
    paired: Paired = None
    repeats: Repeats = "error"
    nan: Nan = "error"
    query: Query = None
    dataset: Dataset = None
    covariates: Covariates = None

    def read(self) -> "ScoreTable":
        """Read the table."""
        from benchinfer.scores.read import examples, load_example, read_scores

        source, options = self.scores, self._arguments()
        if source.startswith("example:"):
            name = source.removeprefix("example:")
            if name not in (folders := examples()):
                return load_example(name)  # which says what examples there are
            source = folders[name]
        if one := self.dataset is not None and self._names_datasets(source):
            options["dataset"] = None
        try:
            scores = read_scores(source, **options)
            return self._kept(scores) if one else scores
        except ScoreTableError:
            if self.holds("Effects"):
                what, hint = "effects (first, second, estimate)", "compare meta pools them."
            elif self.holds("Wins"):
                what, hint = "wins (first, second, wins, losses)", "compare wins compares by them."
            else:
                raise
            said = f"the table holds published {what}, not scores."
            raise ScoreTableError(message(said, hint=f"benchinfer {hint}")) from None

    def _names_datasets(self, source: object) -> bool:
        """Return whether a column of the table names data sets; only its head is read."""
        from benchinfer.scores.columns import assign
        from benchinfer.scores.sources import open_source

        names = open_source(source, self.query).names
        return assign(names, _columns(self.column), self.layout, ()).has("dataset")

    def _kept(self, scores: "ScoreTable") -> "ScoreTable":
        """Keep the one data set; a wrong name is wrong usage."""
        try:
            return scores.subset(datasets=self.dataset)
        except DesignError as error:
            raise typer.BadParameter(as_options(str(error)), param_hint="'--dataset'") from None

    def holds(self, kind: str) -> bool:
        """Return whether the columns are those of published effects or wins; the head is read."""
        from benchinfer.analyses.meta.effects import holds_effects
        from benchinfer.analyses.wins.counts import holds_wins
        from benchinfer.scores.sources import open_source

        if self.layout != "long" or self.scores.startswith("example:"):
            return False
        look = {"Effects": holds_effects, "Wins": holds_wins}[kind]
        return look(open_source(self.scores, self.query).names, _columns(self.column) or {})

    def published(self, kind: str, measure: str | None, **asked: Any) -> "Effects | Wins":
        """Read published effects or wins; what describes scores does not go with them."""
        if kind == "Effects":
            from benchinfer.analyses.meta.read import read_effects

            self._refuse("effects", _OF_SCORES)
            return read_effects(
                self.scores,
                measures=_measures(self.measures),
                columns=_columns(self.column),
                covariates=_names(self.covariates) or (),
                **asked,
            )
        from benchinfer.analyses.wins.counts import read_wins

        self._refuse("wins", (*_OF_SCORES, "measures", "covariates"))
        return read_wins(self.scores, name=measure or "score", columns=_columns(self.column))

    def _refuse(self, what: str, options: Iterable[str]) -> None:
        """Refuse options that go with scores alone."""
        for field in fields(self):
            if field.name in options and getattr(self, field.name) != field.default:
                raise typer.BadParameter(
                    f"goes with scores, and the table holds published {what}.",
                    param_hint=f"'--{field.name}'",
                )

    def _arguments(self) -> dict[str, Any]:
        return {
            "measures": _measures(self.measures),
            "columns": _columns(self.column),
            "layout": self.layout,
            "resampling": None if self.resampling is None else parse_resampling(self.resampling),
            "paired": self.paired,
            "repeats": self.repeats,
            "nan": self.nan,
            "query": self.query,
            "dataset": self.dataset,
            "covariates": _names(self.covariates),
        }

    def measure(self, scores: "ScoreTable | Effects | Wins", name: str | None) -> str:
        """Return the name of the measure requested; a wrong one is wrong usage."""
        try:
            return scores.measure(name).name
        except DesignError as error:
            raise typer.BadParameter(as_options(str(error)), param_hint="'--measure'") from None


def reads_scores(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of its parameters that are records, and errors without tracebacks.

    The command is called with these records, such as `SourceArguments`, and its other options.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}

    def run(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        with guarded():
            command(**made, **given)

    both = [inner for p in own for inner in (_options(groups[p.name]) if p.name in groups else [p])]
    both = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in both]
    run.__signature__ = inspect.Signature(both)  # pyright: ignore[reportFunctionMemberAccess]
    run.__annotations__ = {p.name: p.annotation for p in both}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def _options(group: type[Any]) -> Iterable[inspect.Parameter]:
    return inspect.signature(group, eval_str=True).parameters.values()


def _measures(texts: list[str] | None) -> str | list[str] | None:
    if texts is None:
        return None
    if len(texts) == 1 and texts[0].endswith(".toml"):
        return texts[0]
    return texts


def _columns(texts: list[str] | None) -> Mapping[str, str] | None:
    """Read NAME=ROLE; a name may hold ``=`` itself."""
    if texts is None:
        return None
    pairs = [text.rpartition("=") for text in texts]
    if wrong := [text for text, pair in zip(texts, pairs, strict=True) if not pair[0]]:
        raise typer.BadParameter(f"{wrong[0]!r} is not NAME=ROLE.", param_hint="'--column'")
    return {name.strip(): role.strip() for name, _, role in pairs}


def _names(text: str | None) -> list[str] | None:
    """Read names separated by commas; an empty text names none."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def parse_resampling(text: str) -> "Resampling":
    """Read KIND, cv:FOLDS and holdout:FRACTION; no such number is wrong usage."""
    from benchinfer.scores.resampling import Resampling

    try:
        return Resampling.of(text)
    except BenchinferError as error:
        raise typer.BadParameter(as_options(str(error)), param_hint="'--resampling'") from None
