"""Times of programs: a file per tool that measures them, a score per run."""
