"""Errors that benchinfer raises."""

from benchinfer.core.errors import (
    BenchinferError,
    DesignError,
    FitError,
    MissingExtra,
    NotAWeakOrder,
    ScoreTableError,
)

__all__ = [
    "BenchinferError",
    "DesignError",
    "FitError",
    "MissingExtra",
    "NotAWeakOrder",
    "ScoreTableError",
]
