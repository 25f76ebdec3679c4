# Reference tests of the score model as a whole. Run by `make golden` from the repository's root;
# needs R with lme4, lmerTest, pbkrtest and jsonlite. Reads the tables in datasets/, writes one JSON
# per table.
suppressMessages({library(lme4); library(lmerTest); library(pbkrtest); library(jsonlite)})
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

formula_of <- function(left, groups) {
  as.formula(paste("value ~", paste(c(left, sprintf("(1|%s)", groups)), collapse = " + ")))
}

matrix_of <- function(m) unname(as.matrix(m))

# Contrasts of the algorithms' means; all pairs depend on each other linearly.
contrasts_of <- function(k) {
  pairs <- t(combn(k, 2, function(p) replace(replace(numeric(k), p[1], 1), p[2], -1)))
  list(all_pairs = pairs,
       to_first = cbind(1, -diag(k - 1)),
       two = rbind(c(1, -1, numeric(k - 2)), c(0.5, 0.5, -1, numeric(k - 3))),
       one = rbind(c(1, -1, numeric(k - 2))))
}

f_tests <- function(fit, k) {
  transform <- diag(k); transform[, 1] <- 1
  lapply(contrasts_of(k), function(l) {
    treatment <- l %*% transform
    s <- contestMD(fit, treatment, ddf = "Satterthwaite")
    kr <- KRmodcomp(as(fit, "lmerMod"), treatment)$test
    list(contrasts = matrix_of(l),
         satterthwaite = list(statistic = s$`F value`, df_numerator = s$NumDF,
                              df_denominator = s$DenDF, p_value = s$`Pr(>F)`),
         `kenward-roger` = list(statistic = kr["Ftest", "stat"], df_numerator = kr["Ftest", "ndf"],
                                df_denominator = kr["Ftest", "ddf"], p_value = kr["Ftest", "p.value"],
                                scaling = kr["Ftest", "F.scaling"]))
  })
}

# -2 log restricted likelihood without each random effect, against that of the polished fit.
variance_tests <- function(fit, data, groups) {
  lapply(setNames(groups, groups), function(left_out) {
    rest <- setdiff(groups, left_out)
    without <- if (length(rest)) logLik(polished(formula_of("algorithm", rest), data, TRUE))
               else logLik(lm(value ~ algorithm, data), REML = TRUE)
    list(criterion = as.numeric(-2 * logLik(fit)), criterion_without = as.numeric(-2 * without))
  })
}

# Exact profile bounds by root finding; confint interpolates with splines, poorly near zero.
profile_bounds <- function(fit, formula, data, level = 0.95) {
  devfun <- lme4::lmer(formula, data, REML = FALSE, devFunOnly = TRUE)
  inside <- environment(devfun)
  n <- nrow(data)
  deviance_at <- function(sd, sigma) {
    devfun(sd / sigma)
    inside$pp$ldL2() + (inside$resp$wrss() + inside$pp$sqrL(1)) / sigma^2 + n * log(2 * pi * sigma^2)
  }
  sigma <- sigma(fit)
  best <- c(getME(fit, "theta") * sigma, sigma)
  least <- deviance_at(head(best, -1), sigma)
  z <- qnorm((1 + level) / 2)
  last <- length(best)
  bounds <- lapply(seq_along(best), function(i) {
    # Divided by sigma, the others are of order one, as nlminb likes it.
    from <- pmax(best[-i], sigma / 10) / sigma
    excess <- function(sd) {
      at <- function(others) {
        all <- append(others * sigma, sd, i - 1)
        deviance_at(head(all, -1), all[last])
      }
      lower <- rep(0, length(from))
      if (i != last) lower[length(lower)] <- 1e-3
      found <- Inf
      for (round in 1:3) {
        step <- nlminb(from, at, lower = lower,
                       control = list(rel.tol = 1e-15, x.tol = 1e-13, eval.max = 2000))
        from <- step$par; found <- min(found, step$objective)
      }
      sqrt(max(found - least, 0)) - z
    }
    root <- function(a, b) uniroot(excess, c(a, b), tol = 1e-10 * sigma)$root
    top <- max(2 * best[i], sigma / 10)
    while (excess(top) <= 0) top <- 2 * top
    upper <- root(max(best[i], 0), top)
    low <- if (i == last) { bottom <- best[i] / 2; while (excess(bottom) <= 0) bottom <- bottom / 2; root(bottom, best[i]) }
           else if (best[i] == 0 || excess(0) <= 0) 0 else root(0, best[i])
    list(estimate = best[i], low = low, high = upper)
  })
  names(bounds) <- c(sub("\\.\\(Intercept\\)", "", names(getME(fit, "theta"))), "residual")
  bounds
}

conditional_sd <- function(fit) {
  lapply(ranef(fit, condVar = TRUE), function(r) {
    list(mean = setNames(as.list(r[, 1]), rownames(r)),
         sd = setNames(as.list(sqrt(as.numeric(attr(r, "postVar")))), rownames(r)))
  })
}

for (name in tables) {
  data <- read.csv(file.path("datasets", name, "scores.csv"))
  for (column in c("dataset", "replication", "algorithm")) data[[column]] <- factor(data[[column]])
  several <- any(table(data$dataset, data$algorithm) > 1)
  k <- nlevels(data$algorithm)
  values <- list()
  for (model in if (several) names(terms) else "M1") {
    groups <- terms[[model]]
    formula <- formula_of("algorithm", groups)
    fit <- polished(formula, data, TRUE)
    full <- polished(formula, data, FALSE)
    null <- polished(formula_of("1", groups), data, FALSE)
    compared <- anova(null, full)
    values[[model]] <- list(
      terms = groups, f_test = f_tests(fit, k), variance_test = variance_tests(fit, data, groups),
      effect_test = list(statistic = compared$Chisq[2], df = compared$Df[2],
                         p_value = compared$`Pr(>Chisq)`[2], criterion = deviance(full),
                         criterion_null = deviance(null)),
      profile = profile_bounds(full, formula, data), random_effects = conditional_sd(fit))
    message(name, " ", model)
  }
  version <- sapply(c("lme4", "lmerTest", "pbkrtest"), function(p) as.character(packageVersion(p)))
  result <- list(table = name, algorithms = levels(data$algorithm), r = R.version.string,
                 packages = as.list(version), values = values)
  file <- file.path("tests", "golden", "whole", paste0(gsub("/", "_", name), ".json"))
  write(toJSON(result, digits = NA, auto_unbox = TRUE, pretty = FALSE), file)
}
