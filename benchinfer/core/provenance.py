"""Provenance of a result, with the arguments of its analysis as one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib import metadata
from inspect import signature
from typing import Any, ClassVar, Self

from benchinfer.core.arguments import check_fields
from benchinfer.core.saving import savable

__version__ = metadata.version("benchinfer")


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """All arguments of an analysis, as one record."""

    analysis: ClassVar[str]  # name of the function that takes them

    def __init_subclass__(cls) -> None:
        """Register the class as savable, so that results are saved with their options."""
        super().__init_subclass__()
        savable(cls)

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def from_call(cls, arguments: Mapping[str, object], **converted: object) -> Self:
        """Return the options of a call from its `locals`, some replaced by converted values."""
        values: dict[str, Any] = {**arguments, **converted}
        return cls(**{f.name: values[f.name] for f in fields(cls) if f.name in values})

    @classmethod
    def by_default(cls, function: Callable[..., object], **arguments: object) -> Self:
        """Return the options of a call with these arguments and the defaults of the others."""
        known = signature(function).parameters.values()
        defaults = {p.name: p.default for p in known if p.default is not p.empty}
        return cls.from_call({**defaults, **arguments})

    def arguments(self) -> dict[str, object]:
        """Return the arguments by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def provenance(self, digest: str, adjustment: str, seed: int | None = None) -> Provenance:
        """Return the provenance of a result with these options."""
        return Provenance(self, __version__, adjustment, digest, seed)


@savable
@dataclass(frozen=True, slots=True)
class Provenance:
    """Provenance of a result.

    Attributes
    ----------
    options
        The arguments of the analysis, defaults included.
    version
        Version of the package.
    adjustment
        How p-values and intervals are adjusted for many pairs, in words.
    digest
        Fingerprint of the table.
    seed
        Seed of the random numbers, None where there are none.
    choice
        Why this analysis fits, where it was chosen by the table; empty where the user named it.
    """

    options: AnalysisOptions
    version: str
    adjustment: str
    digest: str
    seed: int | None = None
    choice: str = ""

    @property
    def analysis(self) -> str:
        """The function that made the result."""
        return self.options.analysis

    @property
    def arguments(self) -> Mapping[str, object]:
        """Every argument by name, defaults included."""
        return self.options.arguments()


class StoredOptions[O: AnalysisOptions]:
    """Descriptor of a result's options: the arguments of its analysis, of one class."""

    def __init__(self, kind: type[O]) -> None:
        self._kind = kind
        self.__doc__ = f"Arguments of the analysis, as `{kind.__name__}`."

    def __get__(self, result: Any, owner: type) -> O:
        """Return the options of a result, or the descriptor where a class is accessed."""
        if result is None:
            return self  # pyright: ignore[reportReturnType]
        provenance: Provenance = result.provenance
        if not isinstance(provenance.options, self._kind):
            raise TypeError(f"{provenance.analysis} has no {self._kind.__name__}")
        return provenance.options
