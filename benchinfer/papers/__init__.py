"""Tables and sentences for a paper."""
