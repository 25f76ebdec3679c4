"""Models of single responses."""
