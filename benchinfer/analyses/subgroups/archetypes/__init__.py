"""Archetypal analysis of data sets: extreme profiles, of which all others are mixtures."""
