# Classical tests of two algorithms in R: input folds.csv (20 paired scores) and items.csv (240
# outcomes of both algorithms on items of 30 documents), output pairs.json.
# Needs R with sandwich and jsonlite. Run from anywhere: Rscript tests/golden/pairs/fit.R

library(sandwich)
library(jsonlite)

here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
folds <- read.csv(file.path(here, "folds.csv"))
items <- read.csv(file.path(here, "items.csv"))

d <- folds$a - folds$b
paired <- t.test(folds$a, folds$b, paired = TRUE)
welch <- t.test(folds$a, folds$b)
signed <- wilcox.test(d, conf.int = TRUE, exact = TRUE)
sign <- binom.test(sum(d > 0), length(d))
b <- sum(items$a == 1 & items$b == 0)
c <- sum(items$a == 0 & items$b == 1)
mcnemar <- mcnemar.test(table(items$a, items$b), correct = TRUE)
exact <- binom.test(b, b + c)
wilson <- prop.test(sum(items$a), nrow(items), correct = FALSE)
clopper <- binom.test(sum(items$a), nrow(items))
two <- prop.test(c(sum(items$a), sum(items$b)), rep(nrow(items), 2), correct = FALSE)
model <- lm(I(a - b) ~ 1, items)
robust <- sqrt(vcovCL(model, cluster = items$document, type = "HC0", cadjust = TRUE)[1, 1])
equivalent <- max(
  t.test(d, mu = -0.03, alternative = "greater")$p.value,
  t.test(d, mu = 0.03, alternative = "less")$p.value
)

write_json(
  list(
    paired = list(
      estimate = unname(paired$estimate), statistic = unname(paired$statistic),
      df = unname(paired$parameter), p_value = paired$p.value,
      interval = as.numeric(paired$conf.int), std_error = paired$stderr
    ),
    better = t.test(d, alternative = "greater")$p.value,
    not_worse = t.test(d, mu = -0.01, alternative = "greater")$p.value,
    equivalent = equivalent,
    welch = list(
      statistic = unname(welch$statistic), df = unname(welch$parameter),
      p_value = welch$p.value, interval = as.numeric(welch$conf.int), std_error = welch$stderr
    ),
    wilcoxon = list(
      p_value = signed$p.value, estimate = unname(signed$estimate),
      interval = as.numeric(signed$conf.int)
    ),
    sign = sign$p.value,
    mcnemar = list(
      first = b, second = c, chi2 = unname(mcnemar$statistic), p_chi2 = mcnemar$p.value,
      p_exact = exact$p.value
    ),
    wilson = as.numeric(wilson$conf.int),
    clopper_pearson = as.numeric(clopper$conf.int),
    wald_difference = as.numeric(two$conf.int),
    shapiro = list(statistic = unname(shapiro.test(d)$statistic), p_value = shapiro.test(d)$p.value),
    clustered = list(estimate = unname(coef(model)), std_error = robust)
  ),
  file.path(here, "pairs.json"), auto_unbox = TRUE, digits = NA, pretty = TRUE
)
