# Reference variances shrunk by empirical Bayes. Run by `make golden` from the repository's root;
# needs R with limma and jsonlite. Simulates its input, writes input and output as one JSON.
suppressMessages({ library(limma); library(jsonlite) })
set.seed(16)
drawn <- function(df, spread) round(exp(rnorm(length(df), 0, spread)) * rchisq(length(df), df) / df, 6)
sizes <- list(equal = rep(2, 8), unequal = c(1, 2, 4, 4, 8, 12), few = c(2, 2, 2), many = rep(4, 40))
cases <- list()
for (name in names(sizes)) for (spread in c(0, 1.5)) {
  df <- sizes[[name]]
  variance <- drawn(df, spread)
  if (name == "equal") variance[2] <- 1e-9
  found <- squeezeVar(variance, df)
  cases[[paste0(name, "_", spread)]] <- list(
    variance = variance, df = df, moderated = found$var.post, prior = found$var.prior,
    prior_df = if (is.finite(found$df.prior)) found$df.prior else "Inf")
}
out <- list(limma = as.character(packageVersion("limma")), R = R.version.string, cases = cases)
write(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = TRUE),
      "tests/golden/moderation/moderated.json")
