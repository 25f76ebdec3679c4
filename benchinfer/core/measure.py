"""Measures: direction, tolerance and scale."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.arguments import ArgumentError, check_fields
from benchinfer.core.errors import BenchinferError, DesignError, unknown
from benchinfer.core.saving import savable

# Largest score, and inverse of the smallest spread, of which all powers needed are numbers.
RANGE = 1e50
type Better = Literal["higher", "lower"]
type Scale = Literal["identity", "log", "logit"]
# A number, the name of an algorithm or feature, or a number for each data set.
type Reference = float | str | Mapping[str, float]
type Kind = Literal["references", "min-max", "z", "ranks"]
# Control characters, halves of surrogate pairs and what is no character: neither HTML nor SVG
# may hold them. Changes of the direction of writing turn the text after a name around.
_WHOLE = 2**53  # whole numbers up to this are floats, too
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def printable(text: str) -> str:
    r"""Return a text with unprintable characters replaced by their codes.

    Examples
    --------
    >>> printable("svm\u202e")
    'svm[U+202E]'
    """
    return UNPRINTABLE.sub(lambda sign: f"[U+{ord(sign[0]):04X}]", text)


def out_of_range(low: float, high: float) -> str:
    """Return the reason why fourth powers of scores would overflow or underflow; empty if not."""
    size, spread = max(abs(low), abs(high)), high - low
    if 0 < spread < 1 / RANGE:
        return f"differ by {spread:.3g} at most"
    return f"are as large as {size:.3g}" if size > RANGE else ""


@savable
@dataclass(frozen=True, slots=True)
class Normalisation:
    """Origin of normalised scores."""

    kind: Kind  # by two references of each data set, by the scores at hand, or by their ranks
    measure: Measure  # the measure that was normalised
    # Names and values of what became 0 and 1; none for other kinds
    references: Mapping[str, Reference] = field(hash=False)
    of_scores: bool  # whether it rests on scores of the table, and changes with these


_SCALE = "on the scale where "
# Words between a name, or a number, and the unit of scores that were normalised in a way.
_AFTER_NAMES = {
    "references": _SCALE,
    "min-max": _SCALE,
    "z": "in ",
    "ranks": "",
}
_AFTER_NUMBERS = {"references": _SCALE, "min-max": _SCALE, "z": "", "ranks": "ranks "}


@savable
@dataclass(frozen=True, slots=True)
class Measure:
    """A performance measure.

    Parameters
    ----------
    name
        As in the table's measure column.
    better
        ``"higher"`` or ``"lower"``. Required: a guess here would invert every conclusion.
    tolerance
        The difference that does not matter (relevance margin, region of practical equivalence), in
        the unit of the reported difference: the measure's unit on the identity scale; relative on
        the log scale (0.05 is 5 %: ``abs(log ratio) <= log(1.05)``); log-odds on the logit scale.
        With the default 0 no pair is ever called equivalent.
    scale
        The scale on which models are fitted and averages are taken. Contrasts are reported as
        differences (identity), ratios (log) or odds ratios (logit).
    bounds
        The legal range of a score, both ends included.
    unit, label
        For display: the label stands on axes, in titles and tables for a paper, and with the
        direction in sentences; formulas, columns of results and "the lowest ..." have the name.
    normalised
        Origin of normalised scores, whose unit says what their numbers stand for, as in
        ``"0 = random, 1 = human"``; `ScoreTable.normalise` sets both.
    limit
        Time, or other cost, at which runs are stopped. A run that is stopped has no score but a
        bound: it counts `par` times the limit. With ``par=1`` means are of the time up to the
        limit, min(T, L), so that verdicts are about that (restricted mean).
    par
        Penalty factor of stopped runs: 2 for PAR2, 10 for PAR10.

    References
    ----------
    Restricted mean: Royston & Parmar (2013), https://doi.org/10.1186/1471-2288-13-152

    Raises
    ------
    BenchinferError
        An argument is not legal.

    Examples
    --------
    >>> error = Measure("error", better="lower", tolerance=0.01)
    >>> error.orient([0.1, 0.3])
    array([-0.1, -0.3])
    >>> Measure("seconds", better="lower", scale="log").effect(np.log(2.0))
    np.float64(0.5)
    """

    name: str
    better: Better
    tolerance: float = 0.0
    scale: Scale = "identity"
    bounds: tuple[float, float] | None = None
    unit: str = ""
    label: str = ""
    normalised: Normalisation | None = None
    limit: float | None = None
    par: float = 1.0

    def __post_init__(self) -> None:
        if self.better not in get_args(Better.__value__):
            raise BenchinferError(
                f"measure {self.name!r}: "
                + (
                    f"better is {self.better!r}."
                    if self.better
                    else "it is not said whether higher or lower is better."
                ),
                hint='it is "higher" or "lower".',
            )
        check_fields(self)
        for what in ("tolerance", "par", "limit", "bounds"):
            self._as_floats(what)
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise BenchinferError(
                f"measure {self.name!r}: tolerance is {self.tolerance!r}.",
                hint="a finite number, zero or larger.",
            )
        for what, text in (("unit", self.unit), ("label", self.label)):
            if UNPRINTABLE.search(text):
                raise BenchinferError(
                    f"measure {self.name!r}: {what} is {text!r}.",
                    hint="without control characters.",
                )
        if self.bounds is not None and not self.bounds[0] < self.bounds[1]:
            raise BenchinferError(
                f"measure {self.name!r}: bounds are {self.bounds!r}.",
                hint="lower bound first: Measure(bounds=(0, 1)).",
            )
        self._check_limit()

    def _as_floats(self, what: str) -> None:
        """Hold whole numbers of more than 53 bits as floats; refuse those beyond floats."""
        value = getattr(self, what)
        numbers: tuple[float | None, ...] = value if what == "bounds" and value else (value,)
        if not any(isinstance(number, int) and abs(number) > _WHOLE for number in numbers):
            return
        try:
            floats = tuple(float(number) for number in numbers if number is not None)
        except OverflowError:
            raise BenchinferError(
                f"measure {self.name!r}: {what} is a number of more than 308 digits.",
                hint="a finite number.",
            ) from None
        object.__setattr__(self, what, floats if what == "bounds" else floats[0])

    def _check_limit(self) -> None:
        """Raise a BenchinferError where the limit or penalty is impossible for the measure."""
        if not (math.isfinite(self.par) and self.par >= 1):
            raise BenchinferError(
                f"measure {self.name!r}: par is {self.par!r}.",
                hint="a finite number, 1 or larger: stopped runs count so many times the limit.",
            )
        if self.limit is None and self.par != 1:
            raise BenchinferError(
                f"measure {self.name!r}: par is {self.par:g}, and there is no limit.",
                hint="say at which time runs are stopped: Measure(limit=3600).",
            )
        if self.limit is None:
            return
        if not (math.isfinite(self.limit) and self.limit > 0):
            raise BenchinferError(
                f"measure {self.name!r}: limit is {self.limit!r}.",
                hint="a finite number above 0, in the unit of the measure.",
            )
        if self.better == "higher" or self.scale == "logit":
            other = f"better={self.better!r}" if self.better == "higher" else "scale='logit'"
            raise BenchinferError(
                f"measure {self.name!r}: a limit does not go with {other}.",
                hint="a limit is of times and other costs, of which lower is better.",
            )

    @property
    def stopped_score(self) -> float | None:
        """Score of a run that was stopped; None without a limit."""
        return None if self.limit is None else self.par * self.limit

    @property
    def sign(self) -> int:
        """``1`` where higher is better, ``-1`` where lower is."""
        return 1 if self.better == "higher" else -1

    @property
    def display_name(self) -> str:
        """Label, or the name where there is none."""
        return self.label or self.name

    @property
    def noun(self) -> str:
        """Label or name with the scale of normalised scores, for sentences."""
        return self.on_scale(self.display_name)

    @property
    def title(self) -> str:
        """Label (or name) with its unit, for axes and headings."""
        return self.noun if self.normalised else self.display_name + self.unit_mark

    @property
    def unit_mark(self) -> str:
        """Unit in brackets, to follow a short name; empty without one."""
        return f" [{self.unit}]" if self.unit else ""

    def on_scale(self, name: str) -> str:
        """Return a name with the scale of normalised scores or with the limit, if there is one."""
        if self.limit is not None:
            limit = f"{self.limit:,.6g}"
            up_to = f"{name} up to {limit}"
            return up_to if self.par == 1 else f"PAR{self.par:g} of {name} (limit {limit})"
        return (
            f"{name} {_AFTER_NAMES[self.normalised.kind]}{self.unit}" if self.normalised else name
        )

    def in_unit(self, number: str) -> str:
        """Return a number as text with its unit or the scale of normalised scores."""
        scale = _AFTER_NUMBERS[self.normalised.kind] if self.normalised else ""
        return f"{number} {scale}{self.unit}".rstrip()

    @property
    def margin(self) -> float:
        """The tolerance on the modelling scale, as a difference."""
        return math.log1p(self.tolerance) if self.scale == "log" else self.tolerance

    @property
    def neutral(self) -> float:
        """The reported effect that means "no difference": 0, or 1 for ratios."""
        return 0.0 if self.scale == "identity" else 1.0

    @property
    def effect_name(self) -> str:
        """Kind of a reported contrast: difference, ratio or odds ratio."""
        return {"identity": "difference", "log": "ratio", "logit": "odds ratio"}[self.scale]

    @property
    def average(self) -> str:
        """Kind of average that a mean on the modelling scale is, such as geometric mean."""
        return {"log": "geometric mean", "logit": "mean on the logit scale"}.get(self.scale, "mean")

    @property
    def mean_name(self) -> str:
        """The mean on the modelling scale in words, such as mean accuracy."""
        names = {"log": "geometric mean of {}", "logit": "mean {} on the logit scale"}
        return names.get(self.scale, "mean {}").format(self.name)

    def transform(self, values: object) -> NDArray[np.float64]:
        """Bring scores in the user's unit to the modelling scale, direction unchanged."""
        array = np.asarray(values, dtype=np.float64)
        if self.scale == "log":
            return np.log(array)
        return np.log(array / (1 - array)) if self.scale == "logit" else array

    def orient(self, values: object) -> NDArray[np.float64]:
        """Bring scores in the user's unit to the modelling scale, larger is better."""
        return self.sign * self.transform(values)

    def level_of(self, oriented: object) -> NDArray[np.float64]:
        """Turn a location on the oriented modelling scale back to the user's unit."""
        array = self.sign * np.asarray(oriented, dtype=np.float64) + 0.0  # no minus zero
        if self.scale == "log":
            return np.exp(array)
        return 1 / (1 + np.exp(-array)) if self.scale == "logit" else array

    def sizes(self, oriented: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sizes to which rounding of scores is relative on the modelling scale.

        A score that is off by a share is off by that share in its logarithm, however near 0 this
        is, and by the share over ``1 - score`` in its log odds.

        Examples
        --------
        >>> Measure("seconds", better="lower", scale="log").sizes(np.array([0.0, -5.0]))
        array([1., 5.])
        """
        size = np.abs(oriented)
        if self.scale == "log":
            return np.maximum(size, 1.0)
        return 1.0 + np.exp(size) if self.scale == "logit" else size

    def effect(self, oriented: object) -> NDArray[np.float64]:
        """Turn an oriented difference into the reported effect (difference or ratio)."""
        array = self.sign * np.asarray(oriented, dtype=np.float64) + 0.0  # no minus zero
        with np.errstate(over="ignore"):  # a ratio beyond all numbers is infinite
            return array if self.scale == "identity" else np.exp(array)

    def difference(self, effect: object) -> NDArray[np.float64]:
        """Turn a reported effect back into an oriented difference on the modelling scale."""
        array = np.asarray(effect, dtype=np.float64)
        if self.scale != "identity":
            with np.errstate(divide="ignore"):
                array = np.log(array)
        return self.sign * array + 0.0  # no minus zero

    def effect_interval(
        self, low: object, high: object
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Turn the bounds of an oriented difference into bounds of the reported effect."""
        low, high = (low, high) if self.sign > 0 else (high, low)
        return self.effect(low), self.effect(high)

    def level_interval(
        self, low: object, high: object
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Turn the bounds of an oriented location into bounds in the user's unit."""
        low, high = (low, high) if self.sign > 0 else (high, low)
        return self.level_of(low), self.level_of(high)

    @staticmethod
    def parse(text: str) -> Measure:
        """Read ``"name:better"``, optionally with ``:tolerance``, ``:scale`` and ``:limit=``.

        Examples
        --------
        >>> Measure.parse("error:lower:0.01").tolerance
        0.01
        >>> Measure.parse("seconds:lower:0:identity:limit=3600:par=2").stopped_score
        7200.0
        """
        name, better, *rest = [part.strip() for part in text.split(":")] + [""]
        pairs = [part.partition("=") for part in rest if "=" in part]
        keys = dict[str, float]()
        tolerance, scale, *others = [*(part for part in rest if "=" not in part), "", ""]
        known = {key.strip() for key, _, _ in pairs} <= {"limit", "par"}
        try:
            keys = {key.strip(): float(value) for key, _, value in pairs}
            tolerance = float(tolerance or 0)
        except ValueError:
            known = False
        if not (name and known) or len(keys) < len(pairs) or any(others):
            raise BenchinferError(
                f"cannot read the measure {text!r}.",
                hint='write name:better:tolerance:scale, as in "seconds:lower:0.05:log", and for'
                ' runs that are stopped the limit, as in "seconds:lower:limit=3600".',
            )
        return Measure(name, better, tolerance, scale or "identity", **keys)  # pyright: ignore[reportArgumentType]


def as_measures(source: object) -> tuple[Measure, ...]:
    """Read measures from any of the forms that ``measures=`` takes (a TOML file excepted).

    Examples
    --------
    >>> [m.better for m in as_measures({"acc": "higher", "seconds": "lower"})]
    ['higher', 'lower']
    """
    if isinstance(source, Measure):
        return (source,)
    if isinstance(source, str):
        return (Measure.parse(source),)
    if isinstance(source, Mapping):
        measures = tuple(Measure(str(k), v) for k, v in source.items())
    else:
        measures = tuple(m for item in source for m in as_measures(item))  # pyright: ignore[reportGeneralTypeIssues]
    names = [m.name for m in measures]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BenchinferError(
            f"measures given twice: {', '.join(twice)}.", hint="keep one of each."
        )
    return measures


def one_measure(measures: Sequence[Measure], name: str | None) -> Measure:
    """Return a measure by its name, or that before it was normalised; or the only one."""
    names = [m.name for m in measures]
    normalised = {m.normalised.measure.name: m.name for m in measures if m.normalised}
    if name is None:
        if len(names) == 1:
            return measures[0]
        raise DesignError(
            f"the table has {len(names)} measures.",
            hint="say which: " + ", ".join(map(repr, names)) + ".",
        )
    if name not in names and name not in normalised:
        raise ArgumentError(unknown("measure", name, names))
    return measures[names.index(name if name in names else normalised[name])]
