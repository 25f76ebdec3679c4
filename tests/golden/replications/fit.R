# Welch's and paired t-tests of each pair in R, on one data set and averaged over three: input
# scores.csv, output replications.json. Needs R with jsonlite.
# Run from anywhere: Rscript tests/golden/replications/fit.R

library(jsonlite)

here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
scores <- read.csv(file.path(here, "scores.csv"))
names <- sort(unique(scores$algorithm))
pairs <- combn(names, 2)
sidak <- 0.95^(1 / ncol(pairs))
tolerance <- 0.5
ratio <- 0.25 # test over training set of five folds

columns <- function(estimate, std_error, df) {
  t <- estimate / std_error
  reach <- qt(1 - (1 - sidak) / 2, df) * std_error
  list(
    estimate = estimate, std_error = std_error, df = df, statistic = t,
    p_raw = 2 * pt(-abs(t), df), conf_low = estimate - reach, conf_high = estimate + reach,
    within = pt((abs(estimate) - tolerance) / std_error, df)
  )
}

values <- function(dataset, algorithm) {
  part <- scores[scores$dataset == dataset & scores$algorithm == algorithm, ]
  setNames(part$score, part$replication)
}

welch <- function(dataset, first, second, ratio = 0) {
  x <- values(dataset, first)
  y <- values(dataset, second)
  n <- c(length(x), length(y))
  v <- c(var(x), var(y)) * (1 / n + ratio)
  df <- if (ratio == 0) unname(t.test(x, y)$parameter) else sum(v)^2 / sum(v^2 / (n - 1))
  # Fewer than four beside more than twice as many: Hsu's degrees of freedom.
  if (min(n) < 4 && max(n) > 2 * min(n)) df <- min(n) - 1
  list(estimate = mean(x) - mean(y), v = sum(v), df = df)
}

paired <- function(dataset, first, second, ratio = 0) {
  x <- values(dataset, first)
  y <- values(dataset, second)
  both <- intersect(names(x), names(y))
  n <- length(both)
  if (n < 2) {
    return(welch(dataset, first, second, ratio))
  }
  test <- t.test(x[both], y[both], paired = TRUE)
  list(
    estimate = unname(test$estimate), v = test$stderr^2 * (1 + n * ratio),
    df = unname(test$parameter)
  )
}

over <- function(test, datasets, ...) {
  rows <- apply(pairs, 2, function(pair) {
    parts <- lapply(datasets, test, pair[1], pair[2], ...)
    v <- sapply(parts, `[[`, "v") / length(datasets)^2
    df <- sum(v)^2 / sum(v^2 / sapply(parts, `[[`, "df"))
    columns(mean(sapply(parts, `[[`, "estimate")), sqrt(sum(v)), df)
  })
  sapply(names(rows[[1]]), function(name) sapply(rows, `[[`, name), simplify = FALSE)
}

levels <- function(datasets) {
  rows <- lapply(names, function(name) {
    parts <- lapply(datasets, function(dataset) values(dataset, name))
    v <- sapply(parts, function(x) var(x) / length(x)) / length(datasets)^2
    df <- sum(v)^2 / sum(v^2 / (lengths(parts) - 1))
    mean(sapply(parts, mean)) + c(0, -1, 1) * qt(0.975, df) * sqrt(sum(v))
  })
  setNames(as.data.frame(do.call(rbind, rows)), c("estimate", "conf_low", "conf_high"))
}

all <- unique(scores$dataset)
write_json(
  list(
    first = pairs[1, ], second = pairs[2, ],
    one = list(
      welch = over(welch, "d1"), paired = over(paired, "d1"),
      corrected = over(paired, "d1", ratio), levels = as.list(levels("d1"))
    ),
    three = list(
      welch = over(welch, all), paired = over(paired, all),
      corrected = over(paired, all, ratio), levels = as.list(levels(all))
    )
  ),
  file.path(here, "replications.json"), auto_unbox = TRUE, digits = NA, pretty = TRUE
)
