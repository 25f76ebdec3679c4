"""Arguments of `compare_mixed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from benchinfer.analyses.mixed.design import Domains, Structure
from benchinfer.analyses.mixed.evidence import OF_MIXED, Adjust
from benchinfer.analyses.mixed.numerics.structured_covariance import Residual
from benchinfer.comparison.adjustment import JOINT, Interval, resolve
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.options import TestedOptions
from benchinfer.comparison.per_dataset import check_alone
from benchinfer.core.arguments import ArgumentError
from benchinfer.numerics.rotations import Reference

type DfMethod = Literal["kenward-roger", "satterthwaite", "asymptotic"]


@dataclass(frozen=True, kw_only=True)
class MixedOptions(TestedOptions):
    """Arguments of `compare_mixed`; see there.

    References
    ----------
    Eugster, Hothorn & Leisch (2012), https://doi.org/10.17713/ajs.v41i1.185
    """

    analysis: ClassVar[str] = "compare_mixed"

    terms: Literal["auto"] | Sequence[str]
    structure: Structure
    residual: Residual
    domains: Domains
    covariates: tuple[str, ...]
    df: DfMethod
    adjust: Adjust
    interval: Interval
    reference: Reference
    target: Literal["auto"] | Target
    missing: Literal["use", "shared", "error"]
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target == "datasets":
            check_alone('target="datasets"', self.arguments() | {"target": "auto"})
        self._check_shared()
        # As far as arguments tell: whether "auto" is pairwise depends on the table.
        several = self.structure not in {"auto", "common"} or self.residual != "constant"
        common = not (several and self.adjust in JOINT)
        if self.adjust not in OF_MIXED:
            resolve(self.adjust, self.contrasts, self.alternative, common=common)

    def _check_shared(self) -> None:
        """Raise an ArgumentError for options by which a pair depends on further algorithms."""
        misfits = {
            f"structure={self.structure!r}": self.structure not in ("auto", "pairwise"),
            f"residual={self.residual!r}": self.residual != "constant",
            f"domains={self.domains!r}": self.domains != "pooled",
            "covariates": bool(self.covariates),
            'target="datasets"': self.target == "datasets",
        }
        if self.missing == "shared" and any(misfits.values()):
            words = next(name for name, holds in misfits.items() if holds)
            raise ArgumentError(
                f'missing="shared" compares each pair by the means of the data sets that hold both,'
                f" without {words}.",
                hint='missing="use" goes with it.',
            )
