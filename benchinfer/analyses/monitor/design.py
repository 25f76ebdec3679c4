"""Design of a monitored experiment."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar, Literal

import numpy as np

from benchinfer.analyses.monitor.numerics.stages import Rule, Spending
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.evidence import alpha_of
from benchinfer.core.arguments import check_fields
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.measure import Measure
from benchinfer.core.provenance import AnalysisOptions
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Codes

type Method = Literal["recursive", "anytime", "group-sequential"]
type Test = Literal["t", "signed-rank", "sign-flip"]
type Null = Literal["symmetry", "mean"]
type Pairs = Codes


@savable
@shaped(level="(0,1)", n_pairs="[1,inf)", n_measures="[1,inf)")
@dataclass(frozen=True, slots=True)
class MonitorDesign:
    """Design of a monitored experiment.

    Attributes
    ----------
    method, rule, spending, test, null, alternative, level
        As in `benchinfer.monitor`.
    stage
        Replications per data set and stage.
    last_stage
        The stage that is the last one, None where there is none.
    n_pairs
        Number of pairs that share the level, of all measures.
    n_measures
        Number of measures that are decided together.
    """

    method: Method
    rule: Rule
    spending: Spending
    stage: int
    last_stage: int | None
    test: Test
    null: Null
    alternative: Alternative
    level: float
    n_pairs: int
    n_measures: int = 1

    @property
    def alpha(self) -> float:
        """Family-wise error rate."""
        return alpha_of(self.level)

    @property
    def sides(self) -> tuple[int, ...]:
        """The directions tested: 1 for first better, -1 for second better."""
        return {"two-sided": (1, -1), "better": (1,), "worse": (-1,)}[self.alternative]

    @property
    def alpha_pair(self) -> float:
        """Level of one pair, over both directions."""
        return self.alpha / self.n_pairs

    @property
    def alpha_one(self) -> float:
        """Level of one pair in one direction."""
        return self.alpha_pair / len(self.sides)


@dataclass(frozen=True, kw_only=True)
class MonitorOptions(AnalysisOptions):
    """Arguments of `monitor`, those of the design as one record.

    References
    ----------
    Brannath, Posch & Bauer (2002), https://doi.org/10.1198/016214502753479374

    Ibragimov & Mueller (2010), https://doi.org/10.1198/jbes.2009.08046
    """

    analysis: ClassVar[str] = "monitor"

    measure: str
    # pairs, control, target: as in `benchinfer.monitor`
    pairs: str | tuple[str, str]
    control: str | None
    target: Literal["datasets"]
    design: MonitorDesign  # the other arguments

    def arguments(self) -> dict[str, object]:
        """Return the arguments by name, as `benchinfer.monitor` takes them."""
        design = {n: v for n, v in asdict(self.design).items() if not n.startswith("n_")}
        return {
            "measure": self.measure,
            "pairs": self.pairs,
            "control": self.control,
            **design,
            "target": self.target,
        }


@dataclass(frozen=True, kw_only=True)
class MonitorMeasuresOptions(MonitorOptions):
    """Arguments of `monitor_measures`, with the measure of one of its comparisons."""

    analysis: ClassVar[str] = "monitor_measures"

    measures: tuple[str, ...]

    def arguments(self) -> dict[str, object]:
        """Return the arguments by name, as `benchinfer.monitor_measures` takes them."""
        others = {n: value for n, value in super().arguments().items() if n != "measure"}
        return {"measures": list(self.measures), **others}


def check(design: MonitorDesign, measure: Measure, *, unequal: bool) -> None:
    """Raise a DesignError where options are unknown, inconsistent or do not fit the measure."""
    check_fields(design)
    _ = design.alpha
    if design.stage < 2:
        raise DesignError(f"stage is {design.stage}.", hint="2 or more replications, as in 50.")
    if design.last_stage is not None and design.last_stage < 1:
        raise DesignError(
            f"last_stage is {design.last_stage}.", hint="1 or more, or None for no last."
        )
    if design.method == "group-sequential" and design.last_stage is None:
        raise DesignError(
            "a group sequential test plans all its looks in advance.",
            hint="last_stage= is their number; the other methods go without.",
        )
    bets = design.method == "anytime" and design.null == "mean"
    if unequal and (bets or (design.test == "signed-rank" and design.method != "anytime")):
        what = (
            "bets on a mean need a bound that is known beforehand, and sums over the items of a"
            " unit have none"
            if bets
            else "signed ranks are of units, each counting once, whatever it holds"
        )
        raise DesignError(
            f"units hold different numbers of items: {what}.",
            hint=(
                ('null="symmetry"' if bets else 'test="sign-flip"')
                + (' takes them; with Declaration(unit_weights="units") all units count alike.')
            ),
        )
    if bets and (measure.bounds is None or measure.scale != "identity"):
        raise DesignError(
            f"bets on a mean need scores within bounds, and measure {measure.name!r} has none"
            + (" on its scale." if measure.bounds else "."),
            hint="Measure(bounds=(0, 1)) on the identity scale names the legal range.",
        )


def pairs_of(
    algorithms: tuple[str, ...], pairs: str | tuple[str, str], control: str | None
) -> Pairs:
    """Return the (P, 2) index pairs that are watched."""
    k = len(algorithms)
    if control is not None:
        if pairs != "all":
            raise DesignError("pairs and control are both given.", hint="name one.")
        c = _index(algorithms, control)
        return np.array([(i, c) for i in range(k) if i != c], dtype=np.int64)
    if pairs == "all":
        return np.column_stack(np.triu_indices(k, 1)).astype(np.int64)
    if isinstance(pairs, str) or len(pairs) != 2 or pairs[0] == pairs[1]:
        raise DesignError(
            f"pairs is {pairs!r}.",
            hint='"all", or the names of two algorithms; control= names one for all others.',
        )
    return np.array([[_index(algorithms, name) for name in pairs]], dtype=np.int64)


def _index(algorithms: tuple[str, ...], name: str) -> int:
    if name not in algorithms:
        raise DesignError(unknown("algorithm", name, algorithms))
    return algorithms.index(name)
