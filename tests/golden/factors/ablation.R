# Ablations of one factor at a time against the full cell: t tests of the data sets' own
# differences, and step-down p-values of the largest t with their correlations; see
# tests/analyses/factors.
# Run by `make golden` from the repository's root (`fit.R` writes scores.csv); needs R with
# clubSandwich, multcomp and jsonlite.
suppressMessages({library(clubSandwich); library(multcomp); library(jsonlite)})
folder <- "tests/golden/factors"
means <- aggregate(score ~ dataset + net + aug + opt, read.csv(file.path(folder, "scores.csv")), mean)
changed <- (means$net != "vit") + (means$aug != "mixup") + (means$opt != "adam")
means <- means[changed <= 1, ]
full <- "vit/mixup/adam"
means$cell <- relevel(factor(paste(means$net, means$aug, means$opt, sep = "/")), ref = full)
wide <- with(means, tapply(score, list(dataset, cell), mean))
others <- setdiff(colnames(wide), full)
own <- lapply(others, function(cell) {
  t <- t.test(wide[, cell] - wide[, full])
  list(cell = cell, estimate = unname(t$estimate), std_error = t$stderr, df = unname(t$parameter),
       p = t$p.value)
})
means$dataset <- factor(means$dataset)
fit <- lm(score ~ cell + dataset, means)
cov <- vcovCR(fit, cluster = means$dataset, type = "CR2")
test <- glht(fit, linfct = mcp(cell = "Dunnett"), vcov. = as.matrix(cov))
test$df <- nrow(wide) - 1
set.seed(1)
adjusted <- summary(test, test = adjusted("free"))$test
names <- sub(" - .*", "", names(adjusted$coefficients))
write(toJSON(list(own = own, names = names, step_down = as.numeric(adjusted$pvalues)),
             auto_unbox = TRUE, digits = NA, pretty = TRUE), file.path(folder, "ablation.json"))
