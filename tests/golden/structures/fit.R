# Reference fits of the score model with structured covariances. Run by `make golden` from the
# repository's root; needs R with lme4, lmerTest, pbkrtest, nlme and jsonlite. Reads tables in
# datasets/, writes one JSON per table. Data sets, sorted by name, get a domain (their number modulo
# 4) and a covariate (7 times their number modulo 11, divided by 11).
suppressMessages({
  library(lme4); library(lmerTest); library(pbkrtest); library(nlme); library(jsonlite)
})
tables <- c("simulated/balanced", "simulated/unbalanced", "simulated/heteroscedastic")
common <- "(1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)"

# lme4 stops about 1e-4 from the optimum in theta: go on until nothing improves.
polished <- function(formula, data, reml) {
  quiet <- lmerControl(check.conv.grad = "ignore", check.conv.hess = "ignore",
                       check.conv.singular = "ignore", optimizer = "bobyqa",
                       optCtrl = list(rhoend = 1e-11, maxfun = 50000))
  fit <- lme4::lmer(formula, data, REML = reml, control = quiet)
  deviance <- lme4::lmer(formula, data, REML = reml, control = quiet, devFunOnly = TRUE)
  theta <- getME(fit, "theta"); lower <- getME(fit, "lower")
  for (i in 1:8) {
    theta <- nlminb(theta, deviance, lower = lower,
                    control = list(rel.tol = 1e-15, x.tol = 1e-13, eval.max = 5000,
                                   iter.max = 5000))$par
  }
  theta[lower == 0 & theta < 1e-7] <- 0
  fixed <- lmerControl(optimizer = NULL, check.conv.singular = "ignore")
  lmerTest::lmer(formula, data, REML = reml, control = fixed, start = as.numeric(theta))
}

plain <- function(m) unname(as.matrix(m))

pairs_of <- function(k, p) {
  pairs <- t(combn(k, 2))
  rows <- matrix(0, nrow(pairs), k)
  rows[cbind(seq_len(nrow(pairs)), pairs[, 1])] <- 1
  rows[cbind(seq_len(nrow(pairs)), pairs[, 2])] <- -1
  if (p == k) rows else cbind(0 * rows, rows) # with a covariate: pairs of slopes
}

by_lme4 <- function(right, data, reml) {
  fit <- polished(as.formula(paste("value ~", right)), data, reml)
  p <- length(fixef(fit)); k <- nlevels(data$algorithm)
  variances <- lapply(VarCorr(fit), plain)
  predicted <- ranef(fit, condVar = TRUE)
  out <- list(reml = reml, formula = paste("value ~", right), level = unname(fixef(fit)),
              cov = plain(vcov(fit)), variances = variances, residual = sigma(fit)^2,
              criterion = if (reml) REMLcrit(fit) else deviance(fit), aic = AIC(fit),
              bic = BIC(fit))
  if (grepl("0 + algorithm | dataset", right, fixed = TRUE)) {
    out$blup <- plain(predicted$dataset)
    out$blup_variance <- t(apply(attr(predicted$dataset, "postVar"), 3, diag))
  }
  if (reml) {
    rows <- pairs_of(k, p)
    adjusted <- vcovAdj(as(fit, "lmerMod"))
    out$contrasts <- rows
    out$cov_adjusted <- plain(adjusted)
    out$`kenward-roger` <- apply(rows, 1, function(l) Lb_ddf(l, vcov(fit), adjusted))
    out$satterthwaite <- apply(rows, 1, function(l) contest1D(fit, l)$df)
  }
  out
}

by_nlme <- function(random, groups, data, reml) {
  control <- lmeControl(maxIter = 500, msMaxIter = 1000, msMaxEval = 5000, tolerance = 1e-12,
                        msTol = 1e-14, niterEM = 100, returnObject = TRUE)
  fit <- lme(value ~ 0 + algorithm, data = data, random = random, method = if (reml) "REML" else "ML",
             weights = varIdent(form = as.formula(paste("~ 1 |", groups))), control = control)
  factor <- coef(fit$modelStruct$varStruct, unconstrained = FALSE, allCoef = TRUE)
  list(reml = reml, groups = groups, level = unname(fixef(fit)), cov = plain(vcov(fit)),
       residual = unname((sigma(fit) * factor[levels(data[[groups]])])^2),
       criterion = -2 * as.numeric(logLik(fit)))
}

for (name in tables) {
  data <- read.csv(file.path("datasets", name, "scores.csv"))
  for (column in c("dataset", "replication", "algorithm")) data[[column]] <- factor(data[[column]])
  number <- as.integer(data$dataset)
  data$domain <- factor(number %% 4)
  data$size <- (7 * number) %% 11 / 11
  k <- nlevels(data$algorithm)
  own <- sprintf("own%d", seq_len(k))
  for (i in seq_len(k)) data[[own[i]]] <- as.numeric(as.integer(data$algorithm) == i)
  formulas <- list(
    unstructured = "0 + algorithm + (0 + algorithm | dataset) + (1|dataset:replication)",
    diagonal = paste("0 + algorithm + (1|dataset) + (1|dataset:replication) +",
                     paste(sprintf("(0 + %s | dataset)", own), collapse = " + ")),
    domain = paste("0 + algorithm + (1|domain) + (1|domain:algorithm) +", common),
    covariate = paste("0 + algorithm + algorithm:size +", common)
  )
  ## nlme has nested levels only: the replication within the data set
  random <- list(
    intercept = ~ 1 | dataset,
    nested = ~ 1 | dataset / replication,
    common = list(dataset = pdBlocked(list(pdIdent(~ 1), pdIdent(~ 0 + algorithm))),
                  replication = pdIdent(~ 1)),
    unstructured = list(dataset = pdSymm(~ 0 + algorithm), replication = pdIdent(~ 1))
  )
  values <- list()
  for (reml in c(TRUE, FALSE)) {
    suffix <- if (reml) "reml" else "ml"
    for (model in names(formulas)) {
      values[[paste("lme4", model, suffix, sep = "_")]] <- by_lme4(formulas[[model]], data, reml)
      message(name, " ", model, " ", suffix)
    }
    for (model in names(random)) for (groups in c("algorithm", "dataset")) {
      fit <- tryCatch(by_nlme(random[[model]], groups, data, reml),
                      error = function(e) { message(model, ": ", conditionMessage(e)); NULL })
      if (!is.null(fit)) values[[paste("nlme", model, groups, suffix, sep = "_")]] <- fit
    }
  }
  version <- sapply(c("lme4", "lmerTest", "pbkrtest", "nlme"),
                    function(p) as.character(packageVersion(p)))
  result <- list(table = name, algorithms = levels(data$algorithm), r = R.version.string,
                 packages = as.list(version), values = values)
  file <- file.path("tests", "golden", "structures", paste0(gsub("/", "_", name), ".json"))
  write(toJSON(result, digits = NA, auto_unbox = TRUE, pretty = FALSE), file)
}
