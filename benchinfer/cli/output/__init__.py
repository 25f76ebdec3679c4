"""Terminal and JSON output."""
