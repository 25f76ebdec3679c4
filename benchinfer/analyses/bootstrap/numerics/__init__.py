"""Bootstrap resampling and intervals."""
