"""Tables and sentences for a paper."""

from benchinfer.papers.markup import latex

__all__ = ["latex"]
