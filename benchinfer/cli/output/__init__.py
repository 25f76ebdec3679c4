"""benchinfer/cli/output TODO."""
