"""Running experiments: decide while they run, with error control."""
