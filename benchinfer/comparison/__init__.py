"""The comparison: verdict and evidence for every pair."""
