"""Bootstrap of robust aggregates."""
