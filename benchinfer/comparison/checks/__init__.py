"""Checks that several analyses share."""
