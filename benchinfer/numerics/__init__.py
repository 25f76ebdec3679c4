"""Arrays in, frozen records out."""
