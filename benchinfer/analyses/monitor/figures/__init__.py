"""Figures of monitored experiments."""
