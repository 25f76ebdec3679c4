"""Sources of tables: files, frames and queries."""
