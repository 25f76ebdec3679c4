"""The score model with structured covariances: any of the algorithms, residuals and domains."""
