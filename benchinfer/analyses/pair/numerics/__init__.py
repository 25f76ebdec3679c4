"""t tests and tests of rates."""
