"""Points of curves: one score of those that a run has over its steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, number_of
from benchinfer.scores.columns.engines import lazy
from benchinfer.scores.columns.roles import REMARKS, Roles, common_name, slots
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.format import directed
from benchinfer.scores.sources.frames import Columns, Loaded, Source
from benchinfer.scores.sources.query import numbers_of_text

if TYPE_CHECKING:
    import pandas as pd

# Names of columns of steps, the finest first: one epoch may have several steps.
STEPS = (
    *("_step", "global_step", "step", "timesteps", "total_timesteps", "timestep", "env_steps"),
    *("num_env_steps", "training_step", "frames", "epoch", "round", "checkpoint"),
    *("iteration", "iter", "evaluations", "evals", "stop_val"),
)
TRACES = ("evaluations", "evals", "stop_val")  # what optimisers count, in lines of their traces
TARGETS = 51  # of each data set, as COCO has them
_PARTS = re.compile(r"^(val|valid|validation|test|eval|dev|train)[_/.\s-]+", re.IGNORECASE)
# What stands in a place where nothing was logged; NaN is what a run has that diverged.
_NOT_LOGGED = {"", "NA", "N/A", "<NA>", "null", "NULL", "None"}
_FORMS = '"last:epoch", "best:val_acc", "at:step=10000" or "mean-last:5"'
_CURVE, _STEP, _POINT = "benchinfer_curve", "benchinfer_step", "benchinfer_point"


@dataclass(frozen=True, slots=True)
class Take:
    """The point of each curve that is its score.

    Attributes
    ----------
    kind
        ``"last"``, ``"best"``, ``"at"`` or ``"mean-last"``.
    steps
        The column of steps, which is neither a label nor a score.
    by
        The column whose best value says the step, of ``"best"``.
    better
        ``"higher"`` or ``"lower"`` of that column; empty where it is not said.
    number
        The step, of ``"at"``; how many scores are averaged, of ``"mean-last"``.
    """

    kind: str
    steps: str
    by: str = ""
    better: str = ""
    number: float = 1.0

    @classmethod
    def of(cls, text: str, names: Columns) -> Take:
        """Read ``last[:STEPS]``, ``best:NAME[:BETTER]``, ``at:STEPS=NUMBER``, ``mean-last:N``."""
        kind, _, rest = text.partition(":")
        match kind:
            case "last":
                return cls(kind, _steps(rest, names, text))
            case "at":
                column, _, number = rest.rpartition("=")
                return cls(kind, _steps(column, names, text), number=_number(number, text))
            case "mean-last":
                number, _, column = rest.partition(":")
                last = _number(number, text)
                if last < 1 or last % 1:
                    raise _unread(text)
                return cls(kind, _steps(column, names, text), number=last)
            case "best":
                head, _, better = rest.rpartition(":")
                name, better = (head, better) if better in ("higher", "lower") else (rest, "")
                if name not in names:
                    raise _no_column(name, names, text)
                return cls(kind, _steps("", names, text), by=name, better=better)
            case _:
                raise _unread(text)

    def directed(self, measures: Sequence[Measure]) -> Take:
        """Return the rule with the direction of ``best``, as declared or by the column's name."""
        if self.kind != "best" or self.better:
            return self
        declared = {m.name: m.better for m in measures}
        known = {m.name: m.better for m in directed([_PARTS.sub("", self.by)])}
        better = declared.get(self.by) or next(iter(known.values()), None)
        if better is None:
            ways = [f"take={literal(f'best:{self.by}:{way}')}" for way in ("higher", "lower")]
            raise ScoreTableError(
                f"it is not said whether higher or lower is better for {self.by}.",
                hint=f"{ways[0]} or {ways[1]} says so.",
            )
        return replace(self, better=better)

    def __str__(self) -> str:
        """Return the rule in words, such as ``that of the last epoch``."""
        match self.kind:
            case "at":
                return f"the one at {self.steps} {self.number:g}"
            case "mean-last":
                return f"the mean of the last {self.number:g} by {self.steps}"
            case "best":
                best = "largest" if self.better == "higher" else "smallest"
                return f"the one at the {self.steps} of the {best} {self.by}"
            case _:
                return f"that of the last {self.steps}"


def _unread(text: str) -> ScoreTableError:
    return ScoreTableError(f"take={text!r} is not understood.", hint=f"{_FORMS}.")


def _number(text: str, take: str) -> float:
    if (number := number_of(text)) is None:
        raise _unread(take)
    return number


def _no_column(name: str, names: Columns, take: str) -> ScoreTableError:
    return ScoreTableError(
        f"{take=}: there is no column {name!r}.",
        hint=f"the table has: {', '.join(names)}.",
    )


def _steps(name: str, names: Columns, take: str) -> str:
    """Return the column of steps, by its name or as the finest that is named as one."""
    if name and name not in names:
        raise _no_column(name, names, take)
    usual = (
        [name] if name else [name for step in STEPS for name in names if common_name(name) == step]
    )
    if not usual:
        raise ScoreTableError(
            f"{take=}: no column is named as one of steps.",
            hint='take="last:NAME" says which it is.',
        )
    return usual[0]


def without_column(source: Source, hidden: str) -> Source:
    """Hide the column of steps or costs, which is neither a label nor a score."""
    known = source.known
    if known is not None:
        columns = {name: role for name, role in known.columns.items() if name != hidden}
        known = replace(known, columns=columns)
    names = tuple(name for name in source.names if name != hidden)
    return replace(source, names=names, known=known)


def points(
    source: Source,
    take: Take,
    roles: Roles,
    measures: Sequence[Measure],
    *,
    selected: bool,
) -> Source:
    """Return the source with one score of each curve, which has the same labels in all its rows.

    Raises
    ------
    ScoreTableError
        Scores would be the best of their own curves, and nobody says that this is meant.
    """
    take = take.directed(measures)
    by_itself = take.by in roles.scores
    if by_itself and not selected:
        raise ScoreTableError(
            f"the best {take.by} of each curve would be compared, selected by itself: such a score"
            " is better than that of a new run, and more so of longer and noisier curves.",
            hint=(
                'select by another column, as in take="best:val_acc", or by none:'
                f" take={literal(f'last:{take.steps}')};\nDeclaration(selected=True) takes"
                " the best all the same."
            ),
        )
    keys = [name for role in roles.of if role not in (*REMARKS, "value") for name in roles.of[role]]
    apart = roles.of.get("measure", ())

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        if not scores:
            return source.load(labels, scores, covariates)
        import pyarrow as pa

        more = dict.fromkeys([take.steps, *([take.by] if take.by else ()), *scores])
        held = [*labels, *(name for name in more if name not in labels)]
        frame, findings = source.load(held, [], covariates)
        table: pd.DataFrame = frame.collect().to_arrow().to_pandas()
        curves = _Curves(table, take, [name for name in keys if name in labels], scores)
        notes = curves.notes(apart, per_column="measure" in roles.spread)
        if by_itself:
            what = f"scores are the best {take.by} of each curve, selected by themselves: too good."
            hint = f"take={literal(f'last:{take.steps}')} selects nothing."
            notes.append(Finding("selected scores", "warning", 1, what, (), hint))
        chosen = curves.points[[*labels, *scores, *slots(covariates)]]
        arrow = pa.Table.from_pandas(chosen, preserve_index=False)
        for name in scores:
            i = arrow.schema.get_field_index(name)
            if not pa.types.is_floating(kind := arrow.column(i).type) and not pa.types.is_integer(
                kind
            ):
                text = arrow.column(i).cast(pa.string())
                parsed = numbers_of_text(text)
                arrow = arrow.set_column(i, name, text if parsed is None else parsed)
        return lazy(arrow), [*findings, *notes]

    return replace(source, load=load, stream=None, planned=False)


class _Curves:
    """The rows of curves, and the points that are taken of them.

    Scores are text where they come from a file of text, so that NaN and an empty place differ.
    """

    def __init__(
        self, table: pd.DataFrame, take: Take, keys: Sequence[str], scores: Sequence[str]
    ) -> None:
        import pandas as pd

        self.take, self.scores = take, scores
        steps = numbers(table[take.steps])
        if bad := int(steps.isna().sum()):
            raise ScoreTableError(
                f"{bad:,} of {len(table):,} rows have no number in {take.steps!r}, the column of"
                " steps.",
                hint='take="last:NAME" names another one.',
            )
        groups = (
            table.groupby(list(keys), sort=False, dropna=False, observed=True) if keys else None
        )
        curves = 0 if groups is None else groups.ngroup()
        self.table = table.assign(**{_CURVE: curves, _STEP: steps}).sort_values(
            _STEP, kind="stable"
        )
        if take.kind == "best":  # the first step with the best value of each curve that has one
            values = numbers(self.table[take.by])
            values = values if take.better == "higher" else -values
            largest = values.groupby(self.table[_CURVE]).transform("max")
            self.best = self.table[values == largest].groupby(_CURVE)[_STEP].min()
        logged = {name: self.table[_logged(self.table[name])] for name in scores}
        self.ends = {name: rows.groupby(_CURVE)[_STEP].max() for name, rows in logged.items()}
        parts = [self._points(name, rows) for name, rows in logged.items()]
        self.rows = self.table.drop_duplicates(_CURVE, keep="last").sort_values(_CURVE)
        index = pd.concat(
            [self.rows[[_CURVE]].assign(**{_POINT: 0}), *(part[[_CURVE, _POINT]] for part in parts)]
        ).drop_duplicates()
        self.points = index.merge(self.rows.drop(columns=list(scores)), on=_CURVE)
        for part in parts:
            self.points = self.points.merge(part, on=[_CURVE, _POINT], how="left")

    def _points(self, name: str, logged: pd.DataFrame) -> pd.DataFrame:
        """Return the points of one column of scores; several of one step are for checks to see."""
        ends = logged[_CURVE].map(self.ends[name])
        match self.take.kind:
            case "at":
                part = logged[logged[_STEP] == self.take.number]
            case "best":
                part = logged[logged[_STEP] == logged[_CURVE].map(self.best)]
            case "mean-last" if not logged.duplicated([_CURVE, _STEP]).any():
                last = logged.assign(**{name: numbers(logged[name])})
                last = last.groupby(_CURVE).tail(int(self.take.number))
                means = last.groupby(_CURVE)[name].agg(lambda scores: scores.mean(skipna=False))
                part = means.reset_index()
            case _:
                part = logged[logged[_STEP] == ends]
        return part[[_CURVE, name]].assign(**{_POINT: part.groupby(_CURVE).cumcount()})

    def notes(self, apart: Sequence[str], *, per_column: bool) -> list[Finding]:
        """Report the points taken, curves that end before others, and curves without a score."""
        take, n = self.take, len(self.rows)
        what = f"{len(self.table):,} rows of {count(n, 'curve')}: the score of each is {take}."
        findings = [Finding("points of curves", "note", n, what)]
        absent = {name: int(self.points[name].isna().sum()) for name in self.scores}
        if take.kind in ("at", "best") and any(absent.values()):
            if all(number == len(self.points) for number in absent.values()):
                steps = f"{self.table[_STEP].min():g} to {self.table[_STEP].max():g}"
                raise ScoreTableError(
                    f"no curve has a score at the point that is taken: {take}.",
                    hint=f"{take.steps} is {steps}, and not each measure has a score at each.",
                )
            where = (("column", "curves"), *((n, str(m)) for n, m in absent.items() if m))
            what = f"{sum(absent.values()):,} curves have no score there: they count as failures."
            findings.append(
                Finding("curves without the point", "warning", sum(absent.values()), what, where)
            )
        return findings if take.kind == "at" else [*findings, *self._unequal(apart, per_column)]

    def _unequal(self, apart: Sequence[str], per_column: bool) -> list[Finding]:  # noqa: FBT001
        """Report curves of one measure that end at different steps."""
        import pandas as pd

        labels = self.rows.set_index(_CURVE)
        ends = pd.concat(
            [
                pd.DataFrame({"end": end, "column": name if per_column else "", "of": ""})
                for name, end in self.ends.items()
            ]
        )
        if apart:
            ends["of"] = (
                labels[list(apart)].fillna("").astype(str).agg("/".join, axis=1).reindex(ends.index)
            )
        where: list[tuple[str, str, str]] = []
        for (column, of), group in ends.groupby(["column", "of"]):
            first, last = group["end"].min(), group["end"].max()
            if first < last:
                scores = f"{column}{of}" or ", ".join(self.scores[:2])
                where.append((scores, f"{first:g}", f"{last:g}"))
        if not where:
            return []
        what = f"curves end at different {self.take.steps}: their scores are of unequal budgets."
        hint = f"take={literal(f'at:{self.take.steps}={where[0][1]}')} compares at one."
        head = ("scores", "earliest end", "latest end")
        return [
            Finding(
                "curves of unequal length", "warning", len(where), what, (head, *where[:5]), hint
            )
        ]


def numbers(values: pd.Series[Any]) -> pd.Series[float]:
    """Return the numbers of a column, NaN where there is none."""
    import pandas as pd

    return pd.to_numeric(values.astype(object), errors="coerce").astype(float)


def _logged(values: pd.Series[Any]) -> pd.Series[bool]:
    """Return the rows in which a score was logged; NaN as text counts, as of a diverged run."""
    text = values.astype(object).map(
        lambda v: v.strip() in _NOT_LOGGED if isinstance(v, str) else False
    )
    return values.notna() & ~text.astype(bool)
