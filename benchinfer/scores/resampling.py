"""Resampling schemes of replications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from benchinfer.core.arguments import check_argument, check_fields, checked
from benchinfer.core.errors import BenchinferError
from benchinfer.core.saving import savable

# Names of parts of a data set that are each tested once, of runs through all of them, and of random
# parts.
FOLDS = ("fold", "cv", "cv_fold")
REPEATS = ("repeat", "repetition", "rep", "replication", "replicate", "iteration", "iter")
SPLITS = ("split", "resample")
# Of those of runs, the ones that do not tell runs of their own from runs through all parts.
REPEATED = ("repeat", "repetition")
type Kind = Literal["independent", "bootstrap", "holdout", "cv", "seeds", "items", "runs"]


@checked
@savable
@dataclass(frozen=True, slots=True)
class Resampling:
    """Origin of replications; it decides on pairing, variance and the wording of claims.

    Parameters
    ----------
    kind
        ``independent`` (fresh data each time), ``bootstrap`` (resamples of one learning sample),
        ``holdout`` (repeated random splits), ``cv`` (folds), ``seeds`` (random starts), ``items``
        (test items) or ``runs`` (of a tool that times programs: the data sets of a run share the
        state of a machine).
    folds
        Number of folds, for ``cv``.
    test_fraction
        Share of the data held out, for ``holdout``.
    paired
        Whether algorithms share the replications. By default seeds and runs are not, independent
        replications are judged by the table, and all others are shared.

    Raises
    ------
    BenchinferError
        An argument is not legal.

    Examples
    --------
    >>> Resampling("cv", folds=10).overlap
    0.1
    """

    kind: Kind
    folds: int | None = None
    test_fraction: float | None = None
    paired: bool | None = None

    def __post_init__(self) -> None:
        check_argument("resampling", self.kind, Kind)
        check_fields(self)
        if self.folds is not None and (self.kind != "cv" or self.folds < 2):
            raise BenchinferError(
                f"{self.folds} folds with {self.kind!r}.", hint="at least 2, for cv only."
            )
        if self.test_fraction is not None and (
            self.kind != "holdout" or not 0 < self.test_fraction < 1
        ):
            raise BenchinferError(
                f"a test fraction of {self.test_fraction} with {self.kind!r}.",
                hint="between 0 and 1, for holdout only.",
            )

    @classmethod
    def of(cls, text: str) -> Resampling:
        """Read ``"KIND"``, ``"cv:FOLDS"`` or ``"holdout:FRACTION"``.

        Raises
        ------
        BenchinferError
            The kind is not known, or what stands behind the colon is no number.

        Examples
        --------
        >>> Resampling.of("cv:10").overlap, Resampling.of("holdout:0.2").overlap
        (0.1, 0.2)
        """
        kind, colon, size = text.partition(":")
        if not colon:
            return cls(kind)  # pyright: ignore[reportArgumentType]
        try:
            number = float(size) if kind == "holdout" else int(size)
        except ValueError:
            raise BenchinferError(
                f"{size!r} in {text!r} is no number of folds and no test fraction.",
                hint='as in "cv:10" and "holdout:0.2".',
            ) from None
        sized = {"test_fraction" if kind == "holdout" else "folds": number}
        return cls(kind, **sized)  # pyright: ignore[reportArgumentType]

    @property
    def pairs(self) -> bool | None:
        """True if algorithms share the replications, None if the kind does not say."""
        if self.paired is not None:
            return self.paired
        return {"seeds": False, "runs": False, "independent": None}.get(self.kind, True)

    @property
    def overlap(self) -> float | None:
        """Correlation of two replications' scores by the overlap of their training sets.

        The test fraction, after Nadeau & Bengio 2003 (https://doi.org/10.1023/A:1024068626366);
        None where it is not declared, 0 where training sets do not overlap.
        """
        if self.kind == "cv":
            return None if self.folds is None else 1 / self.folds
        return self.test_fraction if self.kind == "holdout" else 0.0


def declaration(kind: str, replications: int) -> str:
    """Return an example of a declared overlap, for folds one that the replications allow."""
    folds = next((n for n in (10, 5) if replications % n == 0), max(replications, 2))
    return f'resampling="{kind}:{folds if kind == "cv" else 0.1}"'
