# Reference numbers of few and unevenly exact effects. Run from the repository's root
# after fit.R; needs R with metafor and jsonlite.
suppressMessages({ library(metafor); library(jsonlite) })
file <- function(name) file.path("tests", "golden", "meta", name)
known <- fromJSON(file("meta.json"), simplifyVector = TRUE, simplifyDataFrame = FALSE)
tight <- list(threshold = 1e-14, maxiter = 10000)
values <- list()

# Hartung and Knapp's errors, not below Wald's (test "adhoc"), and fixed effects.
sets <- list(flat = known$flat[c("y", "v")], pair = known$pair[c("y", "v")],
             uneven = list(y = c(0.5, 0.1, 0.9), v = c(0.01, 1, 1)),
             useless = list(y = c(0.1, 0.3, 0.2), v = c(1e12, 1, 1)),
             two = list(y = c(0.1, 0.1001), v = c(0.01, 0.01)))
for (name in names(sets)) {
  one <- sets[[name]]
  truncated <- rma(one$y, one$v, test = "adhoc", control = tight)
  fixed <- rma(one$y, one$v, method = "FE")
  plain <- t.test(one$y)
  values$sets[[name]] <- list(y = one$y, v = one$v,
    truncated = c(truncated$beta, truncated$se, truncated$pval, truncated$ddf),
    fixed = c(fixed$beta, fixed$se, fixed$pval),
    plain = c(plain$estimate, plain$stderr, plain$p.value))
}

write(toJSON(values, auto_unbox = TRUE, digits = NA, pretty = TRUE), file("uneven.json"))
