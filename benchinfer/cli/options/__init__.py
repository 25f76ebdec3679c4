"""benchinfer/cli/options TODO."""
