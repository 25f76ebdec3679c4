"""Bradley-Terry models of wins."""
