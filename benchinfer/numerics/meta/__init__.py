"""Meta-analysis: effects of data sets and studies, and how they are pooled."""
