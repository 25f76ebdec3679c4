"""One analysis per module: ask, compute, return a comparison."""
