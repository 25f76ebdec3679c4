"""Linear mixed models."""
