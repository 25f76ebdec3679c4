# Shapiro-Francia tests of simulated samples in R: output normality.json, with the samples.
# Needs R with nortest and jsonlite. Run from anywhere: Rscript tests/golden/normality/fit.R

library(nortest)
library(jsonlite)

here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
set.seed(1)
samples <- list(
  five = rnorm(5), eight = rnorm(8, 3, 0.1), ties = round(rnorm(20), 1), skewed = rexp(50),
  tails = rt(300, 3), binary = rep(c(0, 1), 10), large = rnorm(600)
)
write_json(
  list(
    versions = list(R = R.version.string, nortest = as.character(packageVersion("nortest"))),
    samples = samples,
    statistic = lapply(samples, function(x) unname(sf.test(x)$statistic)),
    p_value = lapply(samples, function(x) sf.test(x)$p.value)
  ),
  file.path(here, "normality.json"),
  digits = NA, auto_unbox = TRUE
)
