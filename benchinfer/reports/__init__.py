"""Reports: sections to one HTML file; no statistics are computed here."""
