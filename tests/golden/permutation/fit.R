# Reference values of permutation tests within blocks. Run by `make golden` from the
# repository's root; needs R with coin and jsonlite. Reads the tables in datasets/, writes one JSON
# per case: the blocks and scores it used, and what coin says about them.
suppressMessages({library(coin); library(jsonlite)})

read_scores <- function(name, measure = NULL) {
  d <- read.csv(file.path("datasets", name, "scores.csv"))
  if (is.null(measure)) measure <- d$measure[1]
  d <- d[d$measure == measure & !is.na(d$value), ]
  d$algorithm <- factor(d$algorithm, levels = sort(unique(d$algorithm), method = "radix"))
  d
}

# Aligned values are rounded before ranking: float noise would break ties.
scores_of <- function(d) {
  aligned <- d$value - ave(d$value, d$block)
  around_median <- d$value - ave(d$value, d$block, FUN = median)
  list(values = d$value,
       ranks = ave(d$value, d$block, FUN = rank),
       aligned_ranks = rank(round(aligned, 11)),
       median_aligned_ranks = rank(round(around_median, 11)),
       normal_scores = as.numeric(normal_trafo(round(aligned, 11), ties.method = "mid-ranks")))
}

tested <- function(d, y) {
  d$y <- y
  q <- independence_test(y ~ algorithm | block, d, teststat = "quadratic")
  pairs <- mcp_trafo(algorithm = "Tukey")
  m <- independence_test(y ~ algorithm | block, d, teststat = "maximum", xtrafo = pairs)
  z <- statistic(m, "standardized")
  list(linear = as.numeric(statistic(q, "linear")), expectation = as.numeric(expectation(q)),
       covariance = unname(as.matrix(covariance(q))), quadratic = as.numeric(statistic(q)),
       p_quadratic = as.numeric(pvalue(q)), contrasts = rownames(z), z = as.numeric(z),
       p_raw = as.numeric(pvalue(m, method = "unadjusted")))
}

resampled <- function(d, y, n) {
  d$y <- y
  random <- approximate(nresample = n)
  set.seed(1)
  q <- independence_test(y ~ algorithm | block, d, teststat = "quadratic", distribution = random)
  m <- independence_test(y ~ algorithm | block, d, teststat = "maximum", distribution = random,
                         xtrafo = mcp_trafo(algorithm = "Tukey"))
  list(resamples = n, p_quadratic = as.numeric(pvalue(q)),
       p_single_step = as.numeric(pvalue(m, method = "single-step")),
       p_step_down = as.numeric(pvalue(m, method = "step-down")))
}

classical <- function(d) {
  d$block <- factor(d$block)
  table <- tapply(d$value, list(d$block, d$algorithm), identity)
  friedman <- friedman_test(value ~ algorithm | block, d)
  base <- quade.test(table)
  weighted <- quade_test(value ~ algorithm | block, d)
  ordered <- transform(d, algorithm = factor(algorithm, ordered = TRUE))
  trend <- friedman_test(value ~ algorithm | block, ordered, alternative = "greater")
  anova <- summary(aov(value ~ factor(block) + algorithm, d))[[1]]
  list(friedman = c(statistic(friedman), pvalue(friedman)),
       quade_chi2 = as.numeric(statistic(weighted)),
       quade = c(base$statistic, base$p.value), page = c(statistic(trend), pvalue(trend)),
       anova = c(anova[2, "F value"], anova[2, "Pr(>F)"]))
}

write_case <- function(name, source, d, complete) {
  d <- d[order(d$block), ]
  d$block <- factor(d$block)
  scores <- scores_of(d)
  if (max(table(d$block, d$algorithm)) > 1) scores$ranks <- ave(d$value, d$block, FUN = rank)
  out <- list(source = source, versions = list(R = as.character(getRversion()),
                coin = as.character(packageVersion("coin"))),
              algorithms = levels(d$algorithm), block = as.integer(d$block) - 1L,
              algorithm = as.integer(d$algorithm) - 1L, value = d$value, scores = scores,
              tests = lapply(scores, function(y) tested(d, y)),
              resampled = lapply(scores[c("values", "aligned_ranks")],
                                 function(y) resampled(d, y, 50000)))
  if (complete) out$classical <- lapply(classical(d), as.numeric)
  path <- file.path("tests/golden/permutation", paste0(name, ".json"))
  write_json(out, path, digits = NA, auto_unbox = TRUE, null = "null")
}

demsar <- read_scores("demsar2006")
demsar$block <- demsar$dataset
write_case("demsar", "demsar2006", demsar, TRUE)

balanced <- read_scores("simulated/balanced")
means <- aggregate(value ~ dataset + algorithm, balanced, mean)
means$block <- means$dataset
write_case("means", "simulated/balanced, means over replications", means, TRUE)

unbalanced <- read_scores("simulated/unbalanced")
incomplete <- transform(unbalanced, block = paste(dataset, replication))
several <- tapply(incomplete$algorithm, incomplete$block, function(a) length(unique(a)))
incomplete <- incomplete[incomplete$block %in% names(several)[several > 1], ]
write_case("incomplete", "simulated/unbalanced, a block per data set and replication", incomplete,
           FALSE)

repeated <- transform(unbalanced, block = dataset)
write_case("repeated", "simulated/unbalanced, a block per data set", repeated, FALSE)
