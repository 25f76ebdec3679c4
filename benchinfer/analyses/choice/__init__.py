"""The analysis that fits a table, chosen before any verdict."""
