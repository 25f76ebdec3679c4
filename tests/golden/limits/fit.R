# Restricted means of run times that are all censored at one limit, in R: input runs.csv (written by
# this script: three solvers on 60 problems, stopped at 100 s; one is never stopped, one has ties),
# output limits.json, with the restricted mean up to 100 and up to 40 s and its standard error as
# survival has them (the area below Kaplan and Meier's curve, Greenwood's variance).
# Needs R with survival and jsonlite. Run from anywhere: Rscript tests/golden/limits/fit.R

suppressMessages({ library(survival); library(jsonlite) })
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
set.seed(37)

limit <- 100
hard <- rnorm(60, 3.2, 1.6)
times <- list(fast = exp(0.4 * hard + rnorm(60, 0, 0.4)), slow = exp(hard + rnorm(60, 0.6, 0.8)),
              ties = ceiling(exp(hard + rnorm(60, 0, 1)) / 5) * 5)
runs <- do.call(rbind, lapply(names(times), function(name) data.frame(
  problem = sprintf("p%02d", seq_along(hard)), solver = name,
  seconds = round(pmin(times[[name]], limit), 4),
  status = ifelse(times[[name]] < limit, "ok", "timeout"))))
write.csv(runs, file.path(here, "runs.csv"), row.names = FALSE)

of_limit <- function(upto) {
  fit <- survfit(Surv(seconds, status == "ok") ~ solver, data = runs)
  table <- summary(fit, rmean = upto)$table
  rows <- data.frame(solver = sub("solver=", "", rownames(table)), limit = upto,
                     n = unname(table[, "records"]), events = unname(table[, "events"]),
                     rmean = unname(table[, "rmean"]), se = unname(table[, "se(rmean)"]))
  rows
}
write_json(rbind(of_limit(limit), of_limit(40)), file.path(here, "limits.json"), digits = NA,
           pretty = TRUE)
