"""Wins of algorithms over each other: counting them, and Bradley-Terry models of the counts."""
