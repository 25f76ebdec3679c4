"""Results of searches and trackers: a file per tool."""
