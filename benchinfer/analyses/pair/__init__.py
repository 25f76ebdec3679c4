"""Tests of two algorithms on one data set."""
