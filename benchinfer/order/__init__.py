"""What follows from comparisons."""
