# Reference values of step procedures, mean-rank statements and exact paired tests. Run by
# `make golden` from the repository's root; needs R with coin and jsonlite.
suppressMessages({library(coin); library(jsonlite)})
set.seed(20)

families <- list(
  small = c(0.001, 0.04, 0.012, 0.3, 0.021, 0.9),
  ties = c(0.01, 0.02, 0.02, 0.02, 0.5, 1, 0, 0.013),
  many = signif(runif(45)^3, 6)
)
methods <- c("bonferroni", "holm", "hochberg", "hommel", "BH", "BY")
adjusted <- lapply(families, function(p) {
  c(list(p = p), sapply(methods, function(m) p.adjust(p, m), simplify = FALSE))
})

mean_ranks <- lapply(list(c(2, 10), c(5, 30), c(10, 14), c(20, 54)), function(size) {
  k <- size[1]; n <- size[2]
  se <- sqrt(k * (k + 1) / (6 * n))
  difference <- c(0.2, 1.15, 2.5)
  list(k = k, n = n, difference = difference,
       nemenyi = ptukey(sqrt(2) * difference / se, k, Inf, lower.tail = FALSE),
       nemenyi_difference = qtukey(0.95, k, Inf) / sqrt(2) * se,
       bonferroni_dunn_difference = qnorm(1 - 0.05 / (2 * (k - 1))) * se)
})

alternatives <- c("two.sided", "greater", "less")
signed_rank <- function(d, zeros) {
  sapply(alternatives, function(a) {
    as.numeric(pvalue(wilcoxsign_test(d ~ rep(0, length(d)), zero.method = zeros,
                                      distribution = "exact", alternative = a)))
  })
}
differences <- list(
  plain = round(rnorm(12, 0.3), 3),
  ties = round(rnorm(18, 0.3), 1),
  zeros = c(round(rnorm(20, 0.2), 1), 0, 0, 0)
)
paired <- lapply(differences, function(d) {
  list(d = d, pratt = as.list(signed_rank(d, "Pratt")),
       wilcoxon = as.list(signed_rank(d, "Wilcoxon")),
       sign = as.list(sapply(alternatives, function(a) {
         binom.test(sum(d > 0), sum(d != 0), alternative = a)$p.value
       })))
})

shifts <- lapply(list(c(6, 0.95), c(15, 0.9), c(40, 0.95), c(49, 0.99)), function(setting) {
  d <- round(rnorm(setting[1], 0.3), 8) # no ties
  found <- wilcox.test(d, exact = TRUE, conf.int = TRUE, conf.level = setting[2])
  list(d = d, level = setting[2], estimate = unname(found$estimate),
       interval = as.numeric(found$conf.int), p = found$p.value)
})

blocks <- round(matrix(rnorm(9 * 4), 9) %*% diag(c(1, 1, 3, 5)), 6)
pairs <- combn(4, 2)
means <- apply(pairs, 2, function(pair) {
  found <- t.test(blocks[, pair[1]], blocks[, pair[2]], paired = TRUE,
                  conf.level = 0.95^(1 / ncol(pairs)))
  c(unname(found$estimate), found$conf.int, unname(found$stderr))
})

values <- list(adjusted = adjusted, mean_ranks = mean_ranks, paired = paired, shifts = shifts,
               mean_differences = list(scores = blocks, estimate = means[1, ], low = means[2, ],
                                       high = means[3, ], std_error = means[4, ]))
versions <- list(R = R.version.string, coin = as.character(packageVersion("coin")))
write_json(list(package_versions = versions, values = values),
           "tests/golden/closed_testing/values.json", digits = NA, auto_unbox = TRUE)
