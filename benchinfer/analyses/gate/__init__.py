"""Gate: whether a candidate is not worse than a baseline."""
