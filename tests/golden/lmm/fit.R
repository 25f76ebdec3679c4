# Reference fits of the score model. Run by `make golden` from the
# repository's root; needs R with lme4, lmerTest, pbkrtest,
# emmeans, multcomp and jsonlite. Reads the tables in datasets/, writes one JSON per table.
suppressMessages({
  library(lme4); library(lmerTest); library(pbkrtest); library(emmeans); library(multcomp)
  library(jsonlite)
})
tables <- c("simulated/balanced", "simulated/unbalanced", "simulated/singular",
            "simulated/heteroscedastic", "demsar2006")
terms <- list(
  M1 = c("dataset"),
  M2 = c("dataset", "dataset:algorithm"),
  M3 = c("dataset", "dataset:replication"),
  M4 = c("dataset", "dataset:algorithm", "dataset:replication")
)

# lme4 stops about 1e-4 from the optimum in theta: go on until nothing improves.
polished <- function(formula, data, reml) {
  start <- NULL
  quiet <- lmerControl(check.conv.grad = "ignore", check.conv.hess = "ignore",
                       check.conv.singular = "ignore", optimizer = "bobyqa",
                       optCtrl = list(rhoend = 1e-11, maxfun = 20000))
  fit <- lme4::lmer(formula, data, REML = reml, control = quiet)
  deviance <- lme4::lmer(formula, data, REML = reml, control = quiet, devFunOnly = TRUE)
  theta <- getME(fit, "theta")
  for (i in 1:5) {
    theta <- nlminb(theta, deviance, lower = 0,
                    control = list(rel.tol = 1e-15, x.tol = 1e-13, eval.max = 2000))$par
  }
  theta[theta < 1e-7] <- 0
  fixed <- lmerControl(optimizer = NULL, check.conv.singular = "ignore")
  lmerTest::lmer(formula, data, REML = reml, control = fixed, start = as.numeric(theta))
}

matrix_of <- function(m) unname(as.matrix(m))

pairs_by <- function(fit, method) {
  means <- emmeans(fit, "algorithm", lmer.df = method, pbkrtest.limit = 1e5, lmerTest.limit = 1e5)
  difference <- as.data.frame(pairs(means, adjust = "none"))
  level <- as.data.frame(means)
  list(estimate = difference$estimate, std_error = difference$SE, df = difference$df,
       p_raw = difference$p.value, mean = level$emmean, mean_std_error = level$SE,
       mean_df = level$df)
}

single_step <- function(fit) {
  set.seed(1)
  tested <- summary(glht(fit, linfct = mcp(algorithm = "Tukey")),
                    test = adjusted("single-step", abseps = 1e-5, maxpts = 2e5))
  set.seed(1)
  interval <- confint(glht(fit, linfct = mcp(algorithm = "Tukey")))
  stepwise <- function(type) {
    set.seed(1)
    as.numeric(summary(glht(fit, linfct = mcp(algorithm = "Tukey")),
                       test = adjusted(type, abseps = 1e-5, maxpts = 2e5))$test$pvalues)
  }
  list(p_raw = stepwise("none"), p_holm = stepwise("holm"), p_shaffer = stepwise("Shaffer"),
       p_westfall = stepwise("Westfall"), pair = names(tested$test$coefficients), statistic = unname(tested$test$tstat),
       p_value = as.numeric(tested$test$pvalues), p_error = attr(tested$test$pvalues, "error"),
       low = unname(interval$confint[, "lwr"]), high = unname(interval$confint[, "upr"]))
}

for (name in tables) {
  path <- file.path("datasets", name, "scores.csv")
  data <- read.csv(path)
  for (column in c("dataset", "replication", "algorithm")) data[[column]] <- factor(data[[column]])
  several <- any(table(data$dataset, data$algorithm) > 1)
  values <- list()
  for (model in if (several) names(terms) else "M1") {
    for (reml in c(TRUE, FALSE)) {
      right <- paste(c("algorithm", sprintf("(1|%s)", terms[[model]])), collapse = " + ")
      fit <- polished(as.formula(paste("value ~", right)), data, reml)
      variances <- as.data.frame(VarCorr(fit))
      levels <- fixef(fit)
      transform <- diag(length(levels)); transform[, 1] <- 1
      out <- list(
        terms = terms[[model]], reml = reml,
        level = as.numeric(transform %*% levels),
        cov = matrix_of(transform %*% as.matrix(vcov(fit)) %*% t(transform)),
        variances = setNames(as.list(variances$vcov), variances$grp),
        criterion = if (reml) REMLcrit(fit) else deviance(fit), aic = AIC(fit), bic = BIC(fit),
        blup = lapply(ranef(fit, condVar = FALSE), function(r) setNames(as.list(r[, 1]), rownames(r)))
      )
      if (reml) {
        out$satterthwaite <- pairs_by(fit, "satterthwaite")
        out$`kenward-roger` <- pairs_by(fit, "kenward-roger")
        out$asymptotic <- pairs_by(fit, "asymptotic")
        unadjusted <- vcovAdj(as(fit, "lmerMod"))
        out$cov_adjusted <- matrix_of(transform %*% as.matrix(unadjusted) %*% t(transform))
        out$single_step <- single_step(fit)
      }
      values[[paste0(model, if (reml) "_reml" else "_ml")]] <- out
      message(name, " ", model, " ", reml)
    }
  }
  version <- sapply(c("lme4", "lmerTest", "pbkrtest", "emmeans", "multcomp", "mvtnorm"),
                    function(p) as.character(packageVersion(p)))
  result <- list(table = name, algorithms = levels(data$algorithm), r = R.version.string,
                 packages = as.list(version), values = values)
  file <- file.path("tests", "golden", "lmm", paste0(gsub("/", "_", name), ".json"))
  write(toJSON(result, digits = NA, auto_unbox = TRUE, pretty = FALSE), file)
}
