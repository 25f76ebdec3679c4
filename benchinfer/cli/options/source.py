"""Command-line options of sources of scores."""

from __future__ import annotations

import inspect
import math
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.groups import OUTPUT, READING
from benchinfer.cli.guard import Exit, guarded
from benchinfer.cli.hints import accepted, as_options, of_proposals, run_again, undirected
from benchinfer.cli.options.arguments import declare, named, number_or_name, used, wrong
from benchinfer.cli.options.configuration import FILE, FROM, FROM_FILE, OPEN, TAKEN
from benchinfer.cli.output.terminal import QUIET, ROWS, note
from benchinfer.core.errors import ScoreTableError, message

if TYPE_CHECKING:
    from benchinfer.analyses.meta.effects import Effects
    from benchinfer.analyses.wins.counts import Wins
    from benchinfer.scores.columns.roles import Roles
    from benchinfer.scores.declaration import Declaration
    from benchinfer.scores.table import ScoreTable


Path = Annotated[
    str,
    typer.Argument(
        metavar="SCORES",
        help="A CSV, TSV, Parquet, JSON lines, Feather or DuckDB file, a folder or glob of them,"
        " example:NAME for a bundled table, or - for standard input.",
        show_default=False,
    ),
]
Others = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[MORE]...",
        help="Further files of its kind; where all hold the same algorithms, or none, each file is"
        " an algorithm with its name, as in old.json new.json.",
        show_default=False,
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="name:better[:tolerance[:scale]], as in error:lower:0.01, once per measure, with"
        " :limit=3600 where runs are stopped at a limit; or the path of a TOML file. Without it"
        " measures.toml beside the table is read.",
        rich_help_panel=READING,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=ROLE",
        help="The role of a column: dataset, replication, algorithm, measure, value, domain, factor"
        " (a part of the algorithm) or status (solved, stopped, crashed), or ignore, which leaves"
        " it out; of published effects: study, first, second, estimate, std_error and others; of"
        " published wins: first, second, wins, ties and losses. Once per column; common names are"
        " known; columns of the same role are joined.",
        rich_help_panel=READING,
    ),
]


def known_layout(text: str) -> str:
    """Return a layout; raise a usage error for a text that is neither a layout nor a pattern."""
    if text in ("auto", "long"):
        return text  # without an import that takes time
    from benchinfer.scores.columns.roles import LABELS, LAYOUTS, placeholders

    if text not in LAYOUTS and not set(placeholders(text)).intersection(LABELS):
        known = f"auto, {', '.join(LAYOUTS)} and patterns such as fold_{{replication}}"
        raise wrong("--layout", f"{text!r} is none of {known}.")
    return text


Layout = Annotated[
    str,
    typer.Option(
        metavar="LAYOUT",
        callback=known_layout,
        rich_help_panel=READING,
        help="auto finds out; long: one row per score; wide-algorithms, wide-measures or"
        " rows-are-algorithms: one column per algorithm, measure or data set; or the pattern of"
        " the names of the columns of scores, as in 'fold_{replication}' or"
        " 'split{replication}_test_{measure}'.",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        metavar="EXPRESSION",
        rich_help_panel=READING,
        help="Read only the rows for which this is true, as in \"status == 'done' and not"
        ' imputed".',
    ),
]
FileName = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="PATTERN",
        rich_help_panel=READING,
        help="Pattern of what the paths of the files say, as in '{algorithm}_TESTFOLDS' or"
        " '{dataset}/{algorithm}'; without their ending.",
    ),
]
Resamples = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="Origin of the replications: independent, bootstrap, holdout:FRACTION, cv:FOLDS,"
        " seeds, items or runs.",
        rich_help_panel=READING,
    ),
]
Paired = Annotated[
    bool | None,
    typer.Option(
        "--paired/--unpaired",
        help="Take replications as shared by the algorithms, or not, if the resampling does not"
        " tell.",
        show_default=False,
        rich_help_panel=READING,
    ),
]
Repeats = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        rich_help_panel=READING,
        help="Several scores of one cell's replication: error (a fault), keep, mean, or of right"
        " and wrong answers pass^3 (all of three are right) or pass@3 (one of three is).",
    ),
]
Failed = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        rich_help_panel=READING,
        help="Rows without a score: missing, error, worst (the worst score of their data set; of"
        " fewer than three algorithms that of the table), a number, or the algorithm whose scores"
        " they get.",
    ),
]
Crashed = Annotated[
    Literal["stopped", "missing"],
    typer.Option(
        rich_help_panel=READING,
        help="Runs that crashed: as stopped at the limit of their measure, or without a score.",
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        metavar="SQL",
        help="Rows of a DuckDB file, as one SELECT.",
        rich_help_panel=READING,
    ),
]
Dataset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The one data set to keep; where no column names data sets, what to call it.",
        rich_help_panel=READING,
    ),
]
Covariates = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Columns of numbers to keep beside the scores, such as features of the data set,"
        " separated by commas.",
        rich_help_panel=READING,
    ),
]
Units = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Columns of nested units, the outermost first, as in passage,item,answer, separated"
        " by commas: inference counts units of the first.",
        rich_help_panel=READING,
    ),
]
UnitWeights = Annotated[
    Literal["items", "units"],
    typer.Option(
        help="Unit of equal weight with --units: items, or units of the first level.",
        rich_help_panel=READING,
    ),
]
Take = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="The score of each curve: last:epoch, best:val_acc, at:step=10000 or mean-last:5,"
        " with names of columns.",
        rich_help_panel=READING,
    ),
]
Selected = Annotated[
    bool,
    typer.Option(
        "--selected",
        help="Compare the best scores of curves, each selected by itself, which is too good.",
        rich_help_panel=READING,
    ),
]
Targets = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Targets of traces of optimisers; scores are the evaluations until a run reaches one:"
        " values, as in 0.1,0.01, each a measure; how many for each data set, as in 51; or"
        " 1e2:1e-8:51. The measure of the trace is declared first, as in loss:lower.",
        rich_help_panel=READING,
    ),
]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="A table of features of the data sets, numbers or categories: one row for each,"
        " joined by the column that names data sets.",
        rich_help_panel=READING,
    ),
]
Normalised = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="A scale of its own for each data set: min-max, z, ranks, or the references of 0 and"
        " 1, as in random,human (algorithms or features), low=0.1,high=NAME, or a TOML file with a"
        " number for each data set. A tolerance on that scale may follow: min-max:0.05.",
        rich_help_panel=READING,
    ),
]


def new_name(text: str | tuple[str, str]) -> tuple[str, str]:
    """Return the parts of NAME=NEW, or a pair from a file unchanged; a name may contain ``=``."""
    if not isinstance(text, str):
        return text
    name, equals, new = text.rpartition("=")
    if not (name.strip() and equals):
        raise typer.BadParameter(f"{text!r} is not NAME=NEW.")
    return name.strip(), new.strip()


NewNames = Annotated[
    list[Any] | None,  # pairs of names, which no type of Typer is
    typer.Option(
        "--names",
        metavar="NAME=NEW",
        parser=new_name,
        help="The new name of an algorithm or a data set, or the label of a measure, in all"
        " output. Once per name.",
        rich_help_panel=READING,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json", rich_help_panel=OUTPUT, help="Print everything as JSON, in full precision."
    ),
]
ReportTo = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Also write an HTML report there.",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
]
# What reads published results of other kinds than scores.
READERS = {
    "Effects": ("benchinfer.analyses.meta.read", "read_effects"),
    "Wins": ("benchinfer.analyses.wins.counts", "read_wins"),
}
_OF_SCORES = (
    *("where", "name", "resampling", "paired", "repeats", "failed", "query", "dataset"),
    *("crashed", "features", "normalise", "names", "units", "unit_weights"),
    *("take", "selected", "targets", "others"),
)
# The measures that the command is about, which are those to normalise; None for all.
MEASURES: ContextVar[Sequence[str] | None] = ContextVar("measures of a command", default=None)


@cache
def standard_input() -> str:
    """Return the path of a temporary file with the content of standard input, removed at exit."""
    from benchinfer.scores.sources.streams import saved

    return saved(sys.stdin.buffer, "scores", "standard input")


@cache
def file_of(path: str) -> str:
    """Return a path, or for a stream that of a file with its content, which is read once."""
    from benchinfer.scores.sources.streams import as_file

    return str(as_file(path))


@dataclass(frozen=True, slots=True)
class SourceArguments:
    """Options of every command that name the source of the scores, as typed."""

    scores: Path
    others: Others = None
    measures: Measures = None
    column: Columns = None
    layout: Layout = "auto"
    where: Where = None
    name: FileName = None
    resampling: Resamples = None
    paired: Paired = None
    repeats: Repeats = "error"
    failed: Failed = "missing"
    crashed: Crashed = "stopped"
    query: Query = None
    dataset: Dataset = None
    covariates: Covariates = None
    features: Features = None
    normalise: Normalised = None
    names: NewNames = None
    units: Units = None
    unit_weights: UnitWeights = "items"
    take: Take = None
    selected: Selected = False
    targets: Targets = None

    @property
    def place(self) -> str:
        """Path of the table, or of a temporary file with the content of a stream."""
        return standard_input() if self.scores == "-" else file_of(self.scores)

    @property
    def places(self) -> str | list[str]:
        """Path of the table, or a list of all paths where there are several."""
        return [self.place, *map(file_of, self.others)] if self.others else self.place

    def read(self) -> ScoreTable:
        """Read the table."""
        from benchinfer.core.progress import announced
        from benchinfer.scores.declaration import Declaration
        from benchinfer.scores.examples import examples, load_example
        from benchinfer.scores.read import read_to_targets
        from benchinfer.scores.resampling import Resampling

        source = self.places
        declaration = Declaration(
            measures=_measures(self.measures),
            columns=self.columns,
            layout=self.layout,
            where=self.where,
            name=self.name,
            paired=self.paired,
            repeats=self.repeats,
            failed=number_or_name(self.failed),
            crashed=self.crashed,
            query=self.query,
            dataset=self.dataset,
            covariates=_names(self.covariates),
            features=self.features and file_of(self.features),
            names=dict(self.names or ()),
            units=_names(self.units),
            unit_weights=self.unit_weights,
            take=self.take,
            selected=self.selected,
        )
        if self.resampling is not None:
            with used("--resampling"):
                declaration = replace(declaration, resampling=Resampling.of(self.resampling))
        if isinstance(source, str) and source.startswith("example:"):
            name = source.removeprefix("example:")
            if name not in (folders := examples()):
                return load_example(name)  # which says what examples there are
            source = folders[name]
        if one := self.dataset is not None and self.roles().has("dataset"):
            declaration = replace(declaration, dataset=None)
        try:
            size = _size([self.scores, *(self.others or ())])
            with nullcontext() if QUIET.get() else announced(f"Reading {self.scores}{size}"):
                scores = (
                    self._by_name(source, declaration)
                    if self.targets is None
                    else read_to_targets(source, self.targets, declaration)
                )
            _report_structure(scores)
            if self.scores == "-":
                scores = replace(scores, source="standard input")
            if one:
                with used("--dataset"):
                    scores = scores.subset(datasets=self.dataset)
        except ScoreTableError as error:
            raise self._explained(error) from None
        if self.normalise is None:
            return scores
        for name in MEASURES.get() or ():
            self.measure(scores, name)  # a wrong one is wrong usage
        return scores.normalise(self.normalise, MEASURES.get())

    def _by_name(self, source: object, declaration: Declaration) -> ScoreTable:
        """Read scores; measures that are only named have the direction of their name, if any.

        A name that a table declares, in a file beside it, has the direction that is said there.
        """
        from benchinfer.scores.read import read
        from benchinfer.scores.roles.directions import direction

        try:
            return read(source, declaration)
        except ScoreTableError:
            names = MEASURES.get() or ()
            ways = {name: direction(name) for name in names}
            if declaration.measures is not None or not ways or not all(ways.values()):
                raise
        return read(source, replace(declaration, measures=ways))

    def read_measures(self, names: Sequence[str] | None) -> ScoreTable:
        """Return the table with the named measures, or with all if no names are given."""
        scores = self.read()
        if names is None:
            return scores
        measures = named(self, scores, names)
        return scores if len(scores.measures) == 1 else scores.subset(measures=measures)

    def _explained(self, error: ScoreTableError) -> ScoreTableError:
        """Return an error with the command that resolves it, such as ``benchinfer init``."""
        if undirected(error) and not of_proposals(error):
            if self.scores == "-" or FILE.exists():
                return error
            init = f"Once for all commands: benchinfer init {shlex.quote(self.scores)}"
            return ScoreTableError("\n".join([str(error), init]), error.findings)
        if self.holds("Effects"):
            what, hint = "effects (first, second, estimate)", "compare meta pools them."
        elif self.holds("Wins"):
            what, hint = "wins (first, second, wins, losses)", "compare wins compares by them."
        else:
            return error
        said = f"the table holds published {what}, not scores."
        return ScoreTableError(said, hint=f"benchinfer {hint}")

    @property
    def columns(self) -> Mapping[str, str] | None:
        """Column to role, as typed."""
        if self.column is None:
            return None
        pairs = [text.rpartition("=") for text in self.column]
        if wrong := [text for text, pair in zip(self.column, pairs, strict=True) if not pair[1]]:
            raise typer.BadParameter(f"{wrong[0]!r} is not NAME=ROLE.", param_hint="'--column'")
        return {name.strip(): role.strip() for name, _, role in pairs}

    def roles(self, measures: Sequence[str] = ()) -> Roles:
        """Return the role of each column, from the head of the table."""
        from benchinfer.scores.columns.roles import level_columns
        from benchinfer.scores.declaration import check_units
        from benchinfer.scores.examples import examples
        from benchinfer.scores.rows.factors import as_algorithm, factor_columns
        from benchinfer.scores.sources.curves import Take, without_column
        from benchinfer.scores.sources.files import open_source
        from benchinfer.scores.sources.layouts import roles_of

        place = self.places
        if isinstance(place, str):
            place = examples().get(place.removeprefix("example:"), place)
        origin = open_source(place, self.query, self.name)
        if self.take is not None:
            origin = without_column(origin, Take.of(self.take, origin.names).steps)
        covariates = _names(self.covariates) or ()
        levels = check_units(_names(self.units) or ())
        factors = factor_columns(self.columns, origin.names)
        columns = level_columns(levels, as_algorithm(self.columns, factors), origin.names)
        return roles_of(origin, columns, self.layout, measures, covariates)

    def holds(self, kind: str) -> bool:
        """Return whether the table has the columns of published effects or wins."""
        from benchinfer.analyses.meta.effects import holds_effects
        from benchinfer.analyses.wins.counts import holds_wins
        from benchinfer.scores.sources.files import open_source

        if self.others or self.layout not in ("auto", "long"):
            return False
        if self.scores.startswith("example:"):
            return False
        look = {"Effects": holds_effects, "Wins": holds_wins}[kind]
        names = open_source(self.place, self.query, self.name).names
        return look(names, self.columns or {})

    def offer(self, scores: ScoreTable) -> str:
        """Return a line that offers the analysis of published errors; empty without any.

        Where an algorithm has several scores on a data set, their spread is the error.
        """
        from benchinfer.scores.sources.files import open_source
        from benchinfer.scores.sources.layouts import columns_of_errors

        several = self.others or scores.summary.replications.max() > 1
        if several or self.layout not in ("auto", "long") or self.scores == "-":
            return ""
        of_scores = [field for field in fields(self) if field.name in _OF_SCORES]
        typed = any(getattr(self, field.name) != field.default for field in of_scores)
        if self.scores.startswith("example:") or typed:
            return ""
        names = open_source(self.place, self.query, self.name).names
        measures = [measure.name for measure in scores.measures]
        if not columns_of_errors(names, self.columns or {}, measures):
            return ""
        words = ["benchinfer", "compare", "meta", self.scores]
        words += [word for text in self.column or () for word in ("--column", text)]
        option = "-m" if len(measures) == 1 else "--measures"
        for measure in scores.measures:
            words += [option, f"{measure.name}:{measure.better}"]
        return f"Weighing by the published errors of the scores: {shlex.join(words)}"

    def published(self, kind: str, measure: str | None, **options: Any) -> Effects | Wins:
        """Return published effects or wins; raise a usage error for options of scores."""
        if kind == "Effects":
            from benchinfer.analyses.meta.read import read_effects

            self._refuse("effects", _OF_SCORES)
            return read_effects(
                self.place,
                measures=_measures(self.measures),
                columns=self.columns,
                covariates=_names(self.covariates) or (),
                **options,
            )
        from benchinfer.analyses.wins.counts import read_wins

        self._refuse("wins", (*_OF_SCORES, "measures", "covariates"))
        return read_wins(self.place, name=measure or "score", columns=self.columns)

    def _refuse(self, what: str, options: Iterable[str]) -> None:
        """Raise a usage error for options that apply to scores but not to published results."""
        for field in fields(self):
            if field.name in FROM_FILE.get():
                continue
            if field.name in options and getattr(self, field.name) != field.default:
                raise typer.BadParameter(
                    f"goes with scores, and the table holds published {what}.",
                    param_hint=f"'--{field.name.replace('_', '-')}'",
                )

    def measure(self, scores: ScoreTable | Effects | Wins, name: str | None) -> str:
        """Return the name of the measure requested; raise a usage error for an unknown one."""
        with used("--measure"):
            return scores.measure(name).name


def _size(paths: Sequence[str]) -> str:
    """Return the number of files and their size as text; empty where they are no files."""
    from pathlib import Path

    files = [Path(path) for path in paths if Path(path).is_file()]
    if not files:
        return ""
    size = f"{sum(path.stat().st_size for path in files) / 1e6:,.1f} MB"
    return f" ({size})" if len(files) == 1 else f" and {len(files) - 1} more ({size})"


def _report_structure(scores: ScoreTable) -> None:
    """Report on stderr what was taken for what, where nobody said it."""
    from benchinfer.scores.roles.readings import STRUCTURE

    for one in scores.notes:
        if one.rule == STRUCTURE:
            note(f"note  {one.what} {as_options(one.hint)}")


Top = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        min=1,
        help="Rows of each table; as many as fit on a terminal if not given.",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
]
Everything = Annotated[
    bool, typer.Option("--all", rich_help_panel=OUTPUT, help="Print all rows of all tables.")
]
Debug = Annotated[
    bool, typer.Option("--debug", rich_help_panel=OUTPUT, help="Show where an error comes from.")
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        rich_help_panel=OUTPUT,
        help="Print nothing but errors, and JSON or a table in a format that is asked for.",
    ),
]


@dataclass(frozen=True, slots=True)
class OutputArguments:
    """Options of every command, as typed."""

    top: Top = None
    everything: Everything = False
    quiet: Quiet = False
    debug: Debug = False

    @property
    def rows(self) -> float | None:
        """Number of table rows to print: infinite for all, None for as many as fit."""
        if self.everything and self.top is not None:
            raise wrong("--top", "goes without --all.")
        return math.inf if self.everything else self.top


def reads_scores(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the fields of its records as options and errors without tracebacks.

    The command is called with these records, such as `SourceArguments`, and its other options.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {
        p.name: p.annotation for p in parameters if is_dataclass(p.annotation)
    }

    def run(context: typer.Context, **given: Any) -> None:
        output = _made(OutputArguments, given)
        with guarded(debug=output.debug):
            QUIET.set(output.quiet)
            _configured(context, given)
            declare(given)
            measures = given.get("measure") or None
            MEASURES.set([measures] if isinstance(measures, str) else measures)
            made = {name: _made(group, given) for name, group in groups.items()}
            ROWS.set(output.rows)
            try:
                command(**made, **given)
            except ScoreTableError as error:
                words = accepted(error)
                if words is None:
                    raise
                code = run_again(context, words) if words else Exit.UNDECIDABLE
                raise typer.Exit(code) from None

    both = [
        inner
        for p in parameters
        for inner in (_options(groups[p.name]) if p.name in groups else [p])
    ]
    both += _options(OutputArguments)
    both.append(inspect.Parameter("context", _WORD, annotation=typer.Context))
    both = [p.replace(kind=_WORD) for p in both]
    run.__signature__ = inspect.Signature(both)  # pyright: ignore[reportFunctionMemberAccess]
    run.__annotations__ = {p.name: p.annotation for p in both}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


_WORD = inspect.Parameter.KEYWORD_ONLY


def _configured(context: typer.Context, given: dict[str, Any]) -> None:
    """Report on stderr the options from a file; declared measures override those of the file."""
    sources = {name: context.get_parameter_source(name) for name in given}
    names = [name for name, source in sources.items() if source and source.name == FROM]
    measure = given.get("measure")
    texts = [measure] if isinstance(measure, str) else measure or ()
    declares = any(":" in text for text in texts)
    if declares and "measures" in names and "measure" not in names:
        given["measures"] = None
        names.remove("measures")
    flags = {option.name: max(option.opts, key=len) for option in context.command.params}
    typed: Mapping[str, Any] = context.default_map or {}
    FROM_FILE.set(frozenset(names))
    TAKEN.set({flags[name]: _as_typed(typed[name]) for name in names})
    measures: Sequence[str] = given["measures"] or () if "measures" in names else ()
    if texts := [text for text in measures if text.endswith(f":{OPEN}")]:
        which = ", ".join(text.removesuffix(f":{OPEN}") for text in texts)
        said = f"{FILE} does not say yet whether higher or lower is better for: {which}."
        hint = f"write higher or lower in place of the {OPEN} there, or leave the line out."
        raise typer.BadParameter(message(said, hint=hint))
    if names:
        note(f"note  {FILE}: {', '.join(flags[name] for name in names)}")


def _as_typed(value: object) -> object:
    """Return a value of the file as an option: new names, which are pairs there, as NAME=NEW."""
    if isinstance(value, list):
        return [item if isinstance(item, str) else "=".join(item) for item in value]
    return value


def _made[T](group: type[T], given: dict[str, Any]) -> T:
    """Return a record with values from the options of its fields."""
    return group(**{field.name: given.pop(field.name) for field in fields(group)})  # pyright: ignore[reportArgumentType]


def _options(group: type[Any]) -> Iterable[inspect.Parameter]:
    return inspect.signature(group, eval_str=True).parameters.values()


def _measures(texts: list[str] | None) -> str | list[str] | None:
    return texts[0] if texts and len(texts) == 1 and texts[0].endswith(".toml") else texts


def _names(text: str | None) -> list[str] | None:
    """Return the names of a comma-separated list; an empty list for an empty text."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]
