# Reference tests of contrast families. Run by `make golden` from the repository's root; needs R
# with lme4, multcomp and jsonlite. Reads the tables in datasets/, writes one JSON.
suppressMessages({ library(lme4); library(multcomp); library(jsonlite) })

polished <- function(data) {
  formula <- value ~ algorithm + (1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)
  quiet <- lmerControl(check.conv.grad = "ignore", check.conv.hess = "ignore",
                       check.conv.singular = "ignore", optimizer = "bobyqa",
                       optCtrl = list(rhoend = 1e-11, maxfun = 20000))
  fit <- lmer(formula, data, control = quiet)
  deviance <- lmer(formula, data, control = quiet, devFunOnly = TRUE)
  theta <- getME(fit, "theta")
  for (i in 1:5) {
    theta <- nlminb(theta, deviance, lower = 0,
                    control = list(rel.tol = 1e-15, x.tol = 1e-13, eval.max = 2000))$par
  }
  lmer(formula, data, control = lmerControl(optimizer = NULL, check.conv.singular = "ignore"),
       start = as.numeric(theta))
}

tested <- function(fit, matrix, alternative) {
  tests <- glht(fit, linfct = matrix, alternative = alternative)
  set.seed(1)
  single <- summary(tests, test = adjusted("single-step", abseps = 1e-6, maxpts = 1e6))$test
  raw <- summary(tests, test = adjusted("none"))$test
  set.seed(1)
  interval <- confint(tests)$confint
  list(estimate = unname(raw$coefficients), std_error = unname(raw$sigma),
       statistic = unname(raw$tstat), p_raw = unname(raw$pvalues),
       p_value = as.numeric(single$pvalues), p_error = attr(single$pvalues, "error"),
       low = unname(interval[, "lwr"]), high = unname(interval[, "upr"]))
}

values <- list()
for (name in c("simulated/balanced", "simulated/unbalanced")) {
  data <- read.csv(file.path("datasets", name, "scores.csv"))
  for (column in c("dataset", "replication", "algorithm")) data[[column]] <- factor(data[[column]])
  fit <- polished(data)
  levels <- levels(data$algorithm)
  k <- length(levels)
  # Treatment coding: a contrast of levels drops its first weight.
  coded <- function(matrix) { matrix <- cbind(0, matrix[, -1, drop = FALSE]); matrix }
  counts <- setNames(rep(1, k), levels)
  families <- list(
    mean = contrMat(counts, "GrandMean"), sequential = contrMat(counts, "Sequen"),
    dunnett = contrMat(counts, "Dunnett"),
    weights = rbind(c(0.5, 0.5, rep(0, k - 3), -1), c(1, rep(-1 / (k - 1), k - 1)))
  )
  for (family in names(families)) {
    for (alternative in c("two.sided", "less", "greater")) {
      key <- paste(basename(name), family, alternative, sep = "_")
      values[[key]] <- tested(fit, coded(unclass(families[[family]])), alternative)
    }
  }
}
version <- sapply(c("lme4", "multcomp", "mvtnorm"), function(p) as.character(packageVersion(p)))
write(toJSON(list(r = R.version.string, packages = as.list(version), values = values),
             digits = NA, auto_unbox = TRUE),
      file.path("tests", "golden", "contrasts", "contrasts.json"))
