"""Results as tools write them: a file per family of tools."""
