"""Ensembles: named relations with weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, cast

import numpy as np

from benchinfer.core.arguments import check_argument, checked
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count
from benchinfer.core.result import Readable, Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.core.verdict import Missing, Undecided, Verdict, unrelated
from benchinfer.numerics.types import Array, States
from benchinfer.relations.cluster_stability import ClusterStability, cluster_stability
from benchinfer.relations.consensus.numerics import costs
from benchinfer.relations.numerics import distances
from benchinfer.relations.numerics.distances import Kind
from benchinfer.relations.relation import Relation, agreements, between, stacked

if TYPE_CHECKING:
    import pandas as pd


type Linkage = Literal["average", "complete", "single"]


type _Relations = Mapping[str, Relation]
type Weights = Mapping[str, float] | Sequence[float] | Array


# Of the columns of `Ensemble.tally`.
_ORDER = (
    Verdict.FIRST,
    Verdict.EQUIVALENT,
    Verdict.SECOND,
    Verdict.UNDECIDED,
    Verdict.MISSING,
)


@dataclass(frozen=True, slots=True)
class Clusters:
    """A hierarchy of clusters of relations."""

    names: tuple[str, ...]  # the B relations
    # (B - 1, 4), as scipy's ``linkage``: the two clusters merged, their distance, and the number of
    # members; it can be handed to ``scipy.cluster.hierarchy.dendrogram``
    merges: Array

    def cut(self, n: int) -> list[list[str]]:
        """Return the members of n clusters, in the order of their first members."""
        if not 1 <= n <= len(self.names):
            raise DesignError(
                f"{len(self.names)} relations make 1 to {len(self.names)} clusters, not {n!r}."
            )
        of = distances.cut(self.merges, n)
        return [[self.names[i] for i in np.flatnonzero(of == c)] for c in range(n)]


@dataclass(frozen=True, slots=True, repr=False)
class Map(Readable):
    """Points of relations in the plane, as far apart as the relations as can be."""

    names: tuple[str, ...]  # the B relations
    points: Array  # (B, 2)
    share: float  # how much of the distances the plane shows: 1 is all

    def description(self) -> str:
        """Return the number of relations and the share of their distances shown, as text."""
        many = count(len(self.names), "relation")
        return f"<Map: {many}, with {100 * self.share:.0f} % of their distances>"

    def to_frame(self) -> pd.DataFrame:
        """One row per relation: ``relation x y``."""
        x, y = self.points.T
        return frame({"relation": list(self.names), "x": x, "y": y})


@checked
@savable
@shaped(relations="B", weights="B [0,inf)")
@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Ensemble(Showable, Mapping[str, Relation]):
    """Named relations with weights: a mapping from name to relation.

    Parameters
    ----------
    relations
        Name (of a data set, a measure, a judge) to relation. Relations need not be about the
        same algorithms.
    weights
        Name to weight, or one weight per relation in their order; all 1 if not given.

    Attributes
    ----------
    relations
        The relations as they were given.
    weights
        (B,) weights in the order of the relations.

    Raises
    ------
    DesignError
        There is no relation, or the weights do not fit the relations.

    Examples
    --------
    >>> one = Relation.from_pairs(["a", "b"], {("a", "b"): "first"})
    >>> two = Relation.from_pairs(["b", "c"], {("b", "c"): "first"})
    >>> both = Ensemble({"d1": one, "d2": two}, weights={"d1": 2, "d2": 1})
    >>> both
    <Ensemble of 2 relations on 3 algorithms, weighted>
    >>> both.states[1].tolist()
    [[2, 0, 0], [0, 2, 3], [0, 4, 2]]
    """

    _home: ClassVar[str] = "benchinfer.relations"

    relations: Mapping[str, Relation]
    weights: Array

    def __init__(self, relations: Mapping[str, Relation], weights: Weights | None = None) -> None:
        object.__setattr__(self, "relations", _named(relations))
        object.__setattr__(self, "weights", _weights(list(relations), weights))

    @staticmethod
    def joined(
        parts: Mapping[str, Relation | Ensemble], weights: Weights | None = None
    ) -> Ensemble:
        """Join relations or ensembles, of several measures as a rule, into one ensemble.

        Parameters
        ----------
        parts
            Name (of a measure) to a relation, or to an ensemble, whose relations are then named
            ``"measure: data set"``.
        weights
            Name to the weight of the part, or one weight per part in their order; all 1 if not
            given. The weights of relations within an ensemble are multiplied by it.

        Raises
        ------
        DesignError
            Parts have no names, two relations have the same name, or the weights do not fit.

        Examples
        --------
        >>> error, seconds = Relation.from_text("a > b > c"), Relation.from_text("c > b > a")
        >>> both = Ensemble.joined({"error": error, "seconds": Ensemble({"d1": seconds})},
        ...                        weights={"error": 1, "seconds": 0.2})
        >>> dict(zip(both, both.weights.tolist(), strict=True))
        {'error': 1.0, 'seconds: d1': 0.2}
        """
        if not isinstance(parts, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DesignError(
                f"a {type(parts).__name__} gives its relations no names.",
                hint='as in {"error": relations, "seconds": relations}.',
            )
        names = list(parts)
        relations: dict[str, Relation] = {}
        multiplied: list[float] = []
        for (name, part), weight in zip(
            parts.items(), _weights(names, weights).tolist() if names else (), strict=True
        ):
            members = part if isinstance(part, Ensemble) else Ensemble({name: part})
            prefix = f"{name}: " if isinstance(part, Ensemble) else ""
            relations |= {prefix + inner: relation for inner, relation in members.items()}
            multiplied += (weight * members.weights).tolist()
        if n := len(multiplied) - len(relations):
            raise DesignError(
                f"{count(n, 'relation')} would have the name of another when joined.",
                hint="name relations, and the ensembles that they are joined from, differently.",
            )
        return Ensemble(relations, multiplied)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of all relations, in the order in which they are first named."""
        return stacked(list(self.relations.values()))[0]

    @property
    def states(self) -> States:
        """(B, K, K) `Verdict` codes; an algorithm that a relation lacks has ``MISSING`` pairs."""
        return stacked(list(self.relations.values()))[1]

    def __getitem__(self, name: str) -> Relation:
        """Return one relation."""
        return self.relations[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.relations)

    def __len__(self) -> int:
        """Return the number of relations."""
        return len(self.relations)

    def description(self) -> str:
        """Return the number of relations and algorithms."""
        weighted = ", weighted" if np.ptp(self.weights) else ""
        return (
            f"<Ensemble of {len(self)} relation{'s' * (len(self) != 1)} on"
            f" {len(self.algorithms)} algorithms{weighted}>"
        )

    def __str__(self) -> str:
        """Return one order per relation."""
        width = max(len(name) for name in self.relations)
        return "\n".join(f"{name.ljust(width)}  {order}" for name, order in self.items())

    def __eq__(self, other: object) -> bool:
        """Two ensembles are equal when their relations and weights are."""
        if isinstance(other, Ensemble) and not np.array_equal(self.weights, other.weights):
            return False
        return isinstance(other, Mapping) and dict(self) == dict(cast("_Relations", other))

    __hash__ = None  # pyright: ignore[reportAssignmentType] (as of any mapping)

    def to_frame(self) -> pd.DataFrame:
        """One row per relation and pair: ``relation weight first second verdict winner``."""
        import pandas as pd

        parts: list[pd.DataFrame] = []
        for (name, relation), weight in zip(self.items(), self.weights.tolist(), strict=True):
            table = relation.to_frame()
            parts.append(frame({"relation": [name] * len(table), "weight": weight}).join(table))
        return pd.concat(parts, ignore_index=True)

    def subset(self, names: Iterable[str]) -> Ensemble:
        """Return the ensemble of some of the relations, with their weights."""
        chosen = list(names)
        if strange := [name for name in chosen if name not in self.relations]:
            raise DesignError(unknown("relation", strange[0], list(self.relations)))
        weights = dict(zip(self, self.weights.tolist(), strict=True))
        return Ensemble({n: self[n] for n in chosen}, {n: weights[n] for n in chosen})

    def weighted(self, weights: Weights | None) -> Ensemble:
        """Return the same relations with other weights; None makes them all 1."""
        return Ensemble(self.relations, weights)

    def merged(
        self, *, undecided: Undecided = "undecided", missing: Missing = "ignore"
    ) -> Ensemble:
        """Return the ensemble with undecided or missing pairs recoded as another state.

        As `Relation.merged`; with ``missing="undecided"`` all relations are on all algorithms.
        """
        names, states = stacked(list(self.relations.values()))
        relations = {
            name: Relation(names, states[b], relation.rule) if missing != "ignore" else relation
            for b, (name, relation) in enumerate(self.items())
        }
        return Ensemble(
            {n: r.merged(undecided=undecided, missing=missing) for n, r in relations.items()},
            self.weights,
        )

    def distances(
        self,
        kind: Kind = "symdiff",
        *,
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
    ) -> pd.DataFrame:
        """Return the distances between all relations, in a square table.

        Parameters
        ----------
        kind
            A sum over pairs of algorithms: ``"symdiff"`` (symmetric difference, Kemeny and Snell),
            ``"cks"`` (Cook, Kress and Seiford), ``"emond-mason"`` and ``"jmb"`` (Jabeur, Martel and
            Khelifa), which differ in how far undecided is from other verdicts, and ``"discrete"``,
            the number of pairs with another verdict. On ranks: ``"cook-seiford"`` (sum of absolute
            differences) and ``"spearman"`` (of squared ones).
        undecided
            ``"equivalent"`` takes undecided pairs for equivalent.
        missing
            ``"ignore"``: a pair that one of two relations lacks adds nothing; on ranks it is
            a preference for neither. ``"undecided"``: it counts as undecided.

        References
        ----------
        Cook, Kress & Seiford (1986), https://doi.org/10.1051/ro/1986200201151

        Emond & Mason (2002), https://doi.org/10.1002/mcda.313

        Jabeur, Martel & Khelifa (2004), https://doi.org/10.1023/B:GRUP.0000042894.00775.75
        """
        return self._square(between(self.states, kind, undecided, missing))

    def agreements(
        self,
        kind: Kind | Literal["tau-x"] = "tau-x",
        *,
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
    ) -> pd.DataFrame:
        """Return the agreement of all relations, in a square table; see `Relation.agreement`."""
        return self._square(agreements(self.states, kind, undecided, missing))

    def _square(self, values: Array) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(values, index=list(self), columns=list(self))

    def agreement(
        self,
        kind: Kind | Literal["tau-x"] = "tau-x",
        *,
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
    ) -> float:
        """Return the mean agreement of two different relations, weighted by both their weights.

        NaN where no two relations have a compared pair in common.
        """
        values = agreements(self.states, kind, undecided, missing)
        weights = np.triu(np.outer(self.weights, self.weights), 1)
        weights[np.isnan(values)] = 0
        total = weights.sum()
        return float((weights * np.nan_to_num(values)).sum() / total) if total else float("nan")

    def concordance(self) -> float:
        """Return Kendall's W: 1 if all relations rank equally, 0 if the mean ranks are all equal.

        For rankings with ties it is W with the usual correction. Other relations enter by
        their ranks ``(K + 1 + better - worse) / 2``, to which undecided and missing pairs add
        a preference for neither side. NaN where no relation prefers anything.

        References
        ----------
        Kendall & Babington Smith (1939), https://doi.org/10.1214/aoms/1177732186
        """
        return distances.concordance(distances.generalised_ranks(self.states), self.weights)

    def tally(self) -> pd.DataFrame:
        """Return the weight of each verdict: ``first second weight_first ... weight_missing``."""
        names, states = stacked(list(self.relations.values()))
        i, j = np.triu_indices(len(names), 1)
        totals = costs.tally(states, self.weights)[:, i, j]
        sides: dict[str, object] = {
            "first": [names[a] for a in i],
            "second": [names[b] for b in j],
        }
        return frame(sides | {f"weight_{verdict.label}": totals[verdict] for verdict in _ORDER})

    def majority(self) -> Relation:
        """Return the verdicts that more than half the weight of the compared relations share.

        Other pairs are undecided, and missing where no relation compared them. Majorities can run
        in a circle.
        """
        from benchinfer.relations.consensus.numerics import points  # brings solvers: slow

        names, states = stacked(list(self.relations.values()))
        totals = costs.tally(states, self.weights)
        verdicts = unrelated(len(names))
        verdicts[totals[1:].any(axis=0)] = Verdict.UNDECIDED
        for verdict in (Verdict.EQUIVALENT, Verdict.FIRST, Verdict.SECOND):
            verdicts[points.majority(totals, verdict)] = verdict
        return Relation(names, verdicts, "verdicts of a majority")

    def clusters(
        self,
        kind: Kind = "symdiff",
        *,
        method: Linkage = "average",
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
    ) -> Clusters:
        """Cluster the relations hierarchically by their distances; weights play no part."""
        far = between(self.states, kind, undecided, missing)
        return Clusters(tuple(self), distances.linkage(far, method))

    def cluster_stability(
        self,
        n: int,
        kind: Kind = "symdiff",
        *,
        method: Linkage = "average",
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
        resamples: int = 200,
        seed: int | None = 1,
    ) -> ClusterStability:
        """Cluster and map the relations again after drawing them with replacement.

        Parameters
        ----------
        n
            Number of clusters.
        kind, method, undecided, missing
            As in `clusters`.
        resamples, seed
            Number of resamples, and the seed of the draws (None draws one).

        Returns
        -------
        ClusterStability
            How alike each cluster is to the one most like it (Jaccard coefficient: 0.75 or more for
            stable ones, below 0.6 for those not to be trusted, after Hennig), which relations are
            together in how many resamples, and how far each moves on the map.

        References
        ----------
        Hennig, C. (2007). Cluster-wise assessment of cluster stability. Computational Statistics &
        Data Analysis 52, 258-271. https://doi.org/10.1016/j.csda.2006.11.025

        Examples
        --------
        >>> one, two = Relation.from_text("a > b > c"), Relation.from_text("c > b > a")
        >>> four = Ensemble({"d1": one, "d2": one, "d3": two, "d4": two})
        >>> four.cluster_stability(2, resamples=20, seed=1).summary()["members"].tolist()
        ['d1, d2', 'd3, d4']
        """
        far = between(self.states, kind, undecided, missing)
        return cluster_stability(tuple(self), far, n, method, resamples, seed)

    def map(
        self,
        kind: Kind = "symdiff",
        *,
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
    ) -> Map:
        """Map the relations in the plane by their distances (classical scaling, unweighted)."""
        far = between(self.states, kind, undecided, missing)
        return Map(tuple(self), *distances.flat_map(far))


def _named(relations: object) -> dict[str, Relation]:
    """Return the relations by name; raise a DesignError if they are no mapping of relations."""
    known = cast("_Relations", relations) if isinstance(relations, Mapping) else {}
    if not known or not all(isinstance(r, Relation) for r in known.values()):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DesignError(
            "an ensemble is made of at least one relation, each with a name.",
            hint=(
                "Ensemble({'d1': relation, 'd2': relation}); of scores,"
                " per_dataset(compare_mixed, scores).relations(), or of compare_points where there"
                " are no replications, makes one."
            ),
        )
    return dict(known)


def _weights(names: list[str], weights: Weights | None) -> Array:
    """Return one weight per name."""
    check_argument("weights", weights, Weights | None)
    if weights is None:
        return np.ones(len(names))
    if isinstance(weights, Mapping):
        wrong = sorted(set(names) ^ set(weights))
        if wrong:
            raise DesignError(
                f"{len(wrong)} names are in the relations or in the weights, but not in both.",
                where=[
                    ("name", "in"),
                    *((n, "weights" if n in weights else "relations") for n in wrong),
                ],
                hint="give each relation a weight; 0 leaves it out.",
            )
        weights = [weights[name] for name in names]
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise DesignError("the weights of an ensemble are not all numbers.") from None
    if values.shape != (len(names),):
        raise DesignError(f"{len(names)} relations need {len(names)} weights, not {values.size}.")
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any() or not values.any():
        raise DesignError(
            f"{int(bad.sum()) or len(values):,} of {len(values):,} weights cannot be used.",
            where=[
                ("relation", "weight"),
                *(
                    (n, float(w))
                    for n, w, b in zip(names, values, bad | ~values.any(), strict=True)
                    if b
                ),
            ],
            hint="weights are finite and not negative, and at least one is above 0.",
        )
    return values
