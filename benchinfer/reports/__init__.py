"""Results to one self-contained HTML file; no statistics are computed here."""
