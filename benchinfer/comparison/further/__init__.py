"""Further questions to a comparison: the best, what each data set does, a data set not yet seen."""
