# Contrasts of an incomplete grid of factors by a model with levels of data sets, and ablations
# against the full cell; see tests/analyses/factors.
# Run by `make golden` from the repository's root, after fit.R; needs R with emmeans, clubSandwich
# and jsonlite. Writes gaps.csv.
suppressMessages({library(emmeans); library(clubSandwich); library(jsonlite)})
folder <- "tests/golden/factors"
means <- aggregate(score ~ dataset + net + aug + opt, read.csv(file.path(folder, "scores.csv")), mean)
means <- means[order(means$dataset, means$net, means$aug, means$opt), ]
gone <- seq_len(nrow(means)) %% 5 == 0 |
  (means$net == "vit" & means$aug == "none" & means$opt == "sgd")
gaps <- means[!gone, ]
write.csv(gaps, file.path(folder, "gaps.csv"), row.names = FALSE, quote = FALSE)
gaps$dataset <- factor(gaps$dataset)
# Sums to zero, so that main effects are those of the averages over the other factors.
options(contrasts = c("contr.sum", "contr.sum"))
fit <- lm(score ~ dataset + (net + aug + opt)^2, gaps)
cov <- vcovCR(fit, cluster = gaps$dataset, type = "CR2")
tested <- function(linfct, names, estimates) {
  # Degrees of freedom of a linear combination are those of clubSandwich.
  rows <- lapply(seq_len(nrow(linfct)), function(i)
    linear_contrast(fit, vcov = cov, contrasts = linfct[i, , drop = FALSE], test = "Satterthwaite"))
  data.frame(contrast = names, estimate = estimates,
             std_error = sapply(rows, function(x) x$SE), df = sapply(rows, function(x) x$df))
}
of <- function(grid, label) {
  x <- as.data.frame(grid)
  tested(grid@linfct, label(x), x$estimate)
}
main <- lapply(c("net", "aug", "opt"), function(f)
  of(pairs(emmeans(fit, f), adjust = "none"), function(x) as.character(x$contrast)))
double <- lapply(list(c("net", "aug"), c("net", "opt"), c("aug", "opt")), function(f)
  of(contrast(emmeans(fit, f), interaction = "pairwise"), function(x) paste(x[[1]], x[[2]], sep = " x ")))
simple <- of(pairs(emmeans(fit, "aug", by = "net"), adjust = "none"), function(x) as.character(x$net))
levels <- as.data.frame(emmeans(fit, "net"))
write(toJSON(list(main = main, double = double, simple = simple, levels = levels$emmean),
             auto_unbox = TRUE, digits = NA, pretty = TRUE), file.path(folder, "gaps.json"))
