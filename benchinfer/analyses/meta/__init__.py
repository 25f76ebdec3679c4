"""Meta-analysis of data sets and published effects."""
