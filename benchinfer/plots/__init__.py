"""Drawing kit of all figures; no statistics are computed here."""
