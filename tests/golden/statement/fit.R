# Single-step tests and intervals of all pairs by lme4 and multcomp, with the degrees of freedom of
# the balanced table and with multcomp's default, the normal distribution. Run by `make golden` from
# the repository's root; needs R with lme4, multcomp and jsonlite. Reads scores.csv.
suppressMessages({library(lme4); library(multcomp); library(jsonlite)})
folder <- "tests/golden/statement"
data <- read.csv(file.path(folder, "scores.csv"))
for (column in c("dataset", "algorithm")) data[[column]] <- factor(data[[column]])
fit <- lmer(value ~ algorithm + (1 | dataset), data,
            control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-11)))
single_step <- function(df) {
  pairs <- glht(fit, linfct = mcp(algorithm = "Tukey"), df = df)
  set.seed(1)
  tested <- summary(pairs, test = adjusted("single-step", abseps = 1e-5, maxpts = 1e6))$test
  set.seed(1)
  ends <- confint(pairs, calpha = adjusted_calpha(abseps = 1e-5, maxpts = 1e6))$confint
  list(df = df, pair = names(tested$coefficients), estimate = unname(tested$coefficients),
       std_error = unname(tested$sigma), p_value = as.numeric(tested$pvalues),
       critical = attr(ends, "calpha"), low = unname(ends[, "lwr"]), high = unname(ends[, "upr"]))
}
df <- (nlevels(data$dataset) - 1) * (nlevels(data$algorithm) - 1)
versions <- list(R = as.character(getRversion()), lme4 = as.character(packageVersion("lme4")),
                 multcomp = as.character(packageVersion("multcomp")))
write(toJSON(list(versions = versions, variances = as.data.frame(VarCorr(fit))$vcov,
                  exact = single_step(df), default = single_step(0)),
             digits = NA, auto_unbox = TRUE, pretty = TRUE), file.path(folder, "values.json"))
