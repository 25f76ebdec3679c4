"""Tables of results that benchmarks of methods publish."""
