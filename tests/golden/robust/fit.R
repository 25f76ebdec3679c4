# Pair-specific standard errors of incomplete tables. Run by `make golden` from the repository's
# root; needs R with lme4, clubSandwich and jsonlite. Simulates its tables and writes them with the
# variances, CR2 covariances and degrees of freedom as one JSON.
suppressMessages({ library(lme4); library(clubSandwich); library(jsonlite) })
set.seed(14)

simulated <- function(d, b, k, lost, repeats = 1) {
  cells <- expand.grid(repeated = seq_len(repeats), algorithm = seq_len(k),
                       replication = seq_len(b), dataset = seq_len(d))
  spread <- c(0.3, 1, 0.3, 2, 0.5)[seq_len(k)]
  profile <- matrix(rnorm(d * k), d) * rep(spread, each = d)
  fold <- matrix(rnorm(d * b, sd = 0.5), d)
  cells$value <- rnorm(d)[cells$dataset] + profile[cbind(cells$dataset, cells$algorithm)] +
    fold[cbind(cells$dataset, cells$replication)] + rnorm(nrow(cells), sd = 0.7) +
    0.4 * cells$algorithm
  cells <- cells[runif(nrow(cells)) > lost, ]
  for (name in c("dataset", "algorithm", "replication")) cells[[name]] <- factor(cells[[name]])
  cells
}

tables <- list(
  replications = list(data = simulated(8, 4, 4, 0.2),
    right = "(1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)"),
  repeats = list(data = simulated(7, 3, 3, 0.3, repeats = 2),
    right = "(1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)"),
  cells = list(data = simulated(9, 3, 4, 0.3), right = "(1|dataset) + (1|dataset:algorithm)"),
  single = list(data = simulated(10, 1, 5, 0.25), right = "(1|dataset)"))

fitted <- function(table) {
  data <- table$data
  fit <- lmer(as.formula(paste("value ~ 0 + algorithm +", table$right)), data,
              control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12)))
  own <- vcovCR(fit, cluster = data$dataset, type = "CR2")
  rows <- constrain_pairwise(seq_along(fixef(fit)), fixef(fit))
  test <- linear_contrast(fit, vcov = own, contrasts = rows, test = "Satterthwaite")
  variances <- as.data.frame(VarCorr(fit))
  list(data = list(dataset = as.integer(data$dataset), algorithm = as.integer(data$algorithm),
                   replication = as.integer(data$replication), value = data$value),
       terms = I(setdiff(variances$grp, "Residual")),
       cov = unname(as.matrix(own)), contrasts = unname(do.call(rbind, rows)),
       std_error = test$SE, df = test$df)
}

write_json(lapply(tables, fitted), "tests/golden/robust/cr2.json", digits = NA, auto_unbox = TRUE)
