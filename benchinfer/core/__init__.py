"""The words that everyone uses: measures, verdicts, results, errors."""
