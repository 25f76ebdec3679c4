# Differences of two algorithms on items of passages of unequal size in R: input items.csv (written
# by this script: three tables of items in passages, scores of both algorithms), output units.json,
# with clubSandwich's CR2 standard error and Satterthwaite degrees of freedom of the mean difference.
# Needs R with clubSandwich and jsonlite. Run from anywhere: Rscript tests/golden/units/fit.R

suppressMessages({ library(clubSandwich); library(jsonlite) })
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
set.seed(35)

simulated <- function(table, sizes, between) {
  passage <- rep(seq_along(sizes), sizes)
  n <- length(passage)
  shift <- matrix(rnorm(2 * length(sizes), sd = between), ncol = 2)[passage, ]
  data.frame(table = table, passage = passage,
             a = round(0.5 + shift[, 1] + rnorm(n, sd = 0.2), 4),
             b = round(0.6 + shift[, 2] + rnorm(n, sd = 0.2), 4))
}

items <- rbind(simulated("few", c(1, 2, 3, 5, 8, 13, 21, 40), 0.3),
               simulated("many", sample(1:12, 40, replace = TRUE), 0.1),
               simulated("even", rep(6, 9), 0.2))
write.csv(items, file.path(here, "items.csv"), row.names = FALSE)

of_table <- function(part) {
  model <- lm(I(a - b) ~ 1, part)
  cr2 <- vcovCR(model, cluster = part$passage, type = "CR2")
  test <- coef_test(model, vcov = cr2, test = "Satterthwaite")
  cr0 <- vcovCR(model, cluster = part$passage, type = "CR0")
  cr1 <- vcovCR(model, cluster = part$passage, type = "CR1")
  interval <- conf_int(model, vcov = cr2, test = "Satterthwaite")
  list(estimate = test$beta, std_error = test$SE, statistic = test$tstat,
       df = test$df_Satt, p_value = test$p_Satt, low = interval$CI_L, high = interval$CI_U,
       std_error_cr0 = sqrt(cr0[1, 1]), std_error_cr1 = sqrt(cr1[1, 1]))
}

values <- lapply(split(items, items$table), of_table)
write(toJSON(values, auto_unbox = TRUE, digits = NA, pretty = TRUE), file.path(here, "units.json"))
