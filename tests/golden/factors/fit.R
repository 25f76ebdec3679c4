# Estimates, F tests and contrasts of a balanced grid of factors; see tests/analyses/factors.
# Run by `make golden` from the repository's root; needs R with lmerTest, emmeans and jsonlite.
# Simulates and writes scores.csv.
suppressMessages({library(lmerTest); library(emmeans); library(jsonlite)})
folder <- "tests/golden/factors"
set.seed(59)
grid <- expand.grid(seed = 1:2, opt = c("adam", "sgd"), aug = c("mixup", "none"),
                    net = c("cnn", "resnet", "vit"), dataset = sprintf("d%02d", 1:9))
cell <- interaction(grid$dataset, grid$net, grid$aug, grid$opt)
level <- setNames(rnorm(9, .7, .1), levels(grid$dataset))
net <- c(cnn = 0, resnet = .02, vit = .03)
noise <- setNames(rnorm(nlevels(cell), 0, .015), levels(cell))
grid$score <- round(level[as.character(grid$dataset)] + net[as.character(grid$net)] +
  .01 * (grid$aug == "mixup") + .02 * (grid$aug == "mixup" & grid$net == "vit") +
  noise[as.character(cell)] + rnorm(nrow(grid), 0, .005), 5)
write.csv(grid[c("dataset", "net", "aug", "opt", "seed", "score")], file.path(folder, "scores.csv"),
          row.names = FALSE, quote = FALSE)
means <- aggregate(score ~ dataset + net + aug + opt, grid, mean)
means$dataset <- factor(means$dataset)
fit <- lmer(score ~ net * aug * opt + (1 | dataset), means)
table_of <- function(x) as.data.frame(x)[c(1, 2)]
main <- lapply(c("net", "aug", "opt"), function(f)
  as.data.frame(pairs(emmeans(fit, f), adjust = "none"))[c("contrast", "estimate")])
double <- lapply(list(c("net", "aug"), c("net", "opt"), c("aug", "opt")), function(f) {
  x <- as.data.frame(contrast(emmeans(fit, f), interaction = "pairwise"))
  data.frame(contrast = paste(x[[1]], x[[2]], sep = " x "), estimate = x$estimate)
})
simple <- as.data.frame(pairs(emmeans(fit, "aug", by = "net")))[c("net", "estimate")]
# Each contrast with its own spread: one number for each data set.
wide <- with(means, tapply(score, list(dataset, net, aug, opt), mean))
own <- function(x) { t <- t.test(x); list(estimate = unname(t$estimate), std_error = t$stderr,
  df = unname(t$parameter), p = t$p.value, low = t$conf.int[1], high = t$conf.int[2]) }
m <- apply(wide, c(1, 3), mean); mo <- apply(wide, c(1, 4), mean); mn <- apply(wide, c(1, 2), mean)
two <- apply(wide, c(1, 2, 3), mean)
# The F tests of a balanced design with data sets as the strata.
strata <- summary(aov(score ~ net * aug * opt + Error(dataset / (net * aug * opt)), means))
f_of <- function(s) { x <- strata[[s]][[1]]; list(F = x[1, "F value"], p = x[1, "Pr(>F)"],
  df1 = x[1, "Df"], df2 = x[2, "Df"], ss = x[1, "Sum Sq"], ms_by_dataset = x[2, "Mean Sq"]) }
terms <- c("net", "aug", "opt", "net:aug", "net:opt", "aug:opt", "net:aug:opt")
f <- setNames(lapply(paste0("Error: dataset:", terms), f_of), terms)
write(toJSON(list(main = main, double = double, simple = simple,
  own = list(aug = own(m[, "mixup"] - m[, "none"]), opt = own(mo[, "adam"] - mo[, "sgd"]),
    vit_cnn = own(mn[, "cnn"] - mn[, "vit"]),
    vit_cnn_aug = own(two[, "cnn", "mixup"] - two[, "vit", "mixup"] -
                      two[, "cnn", "none"] + two[, "vit", "none"])),
  f = f), auto_unbox = TRUE, digits = NA, pretty = TRUE), file.path(folder, "values.json"))
