"""Power of tests."""
