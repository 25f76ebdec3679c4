# Reference meta-analyses. Run by `make golden` from the repository's root; needs R with metafor,
# clubSandwich and jsonlite. Simulates its input, writes input and output as one JSON.
suppressMessages({ library(metafor); library(clubSandwich); library(jsonlite) })
set.seed(20)
tight <- list(threshold = 1e-14, maxiter = 10000, tol = 1e-14)
values <- list()

# One pair: 14 effects, a covariate, studies that hold several data sets.
pair <- list(y = round(rnorm(14, 0.3, 0.25), 4), v = round(runif(14, 0.005, 0.06), 4),
             x = round(runif(14), 3), study = c(1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 8))
pair$y <- pair$y + 0.4 * pair$x + round(rnorm(8, 0, 0.3), 4)[pair$study]
values$pair <- pair

described <- function(fit) {
  ci <- confint(fit, control = list(tol = 1e-13))$random
  list(tau2 = fit$tau2, beta = as.numeric(fit$beta), std_error = fit$se, low = fit$ci.lb,
       high = fit$ci.ub, p_value = fit$pval, df = fit$ddf, q = fit$QE, q_p = fit$QEp, i2 = fit$I2,
       h2 = fit$H2, tau2_low = ci["tau^2", "ci.lb"], tau2_high = ci["tau^2", "ci.ub"],
       i2_low = ci["I^2(%)", "ci.lb"], i2_high = ci["I^2(%)", "ci.ub"])
}
for (method in c("REML", "PM", "DL")) for (test in c("knha", "z")) {
  fit <- rma(pair$y, pair$v, method = method, test = test, control = tight)
  out <- described(fit)
  ahead <- predict(fit)
  out$next_low <- ahead$pi.lb
  out$next_high <- ahead$pi.ub
  if (method == "REML" && test == "knha") {
    less <- leave1out(fit)
    out$leave <- list(estimate = less$estimate, tau2 = less$tau2, std_error = less$se, q = less$Q)
    out$cook <- influence(fit)$inf$cook.d
  }
  values[[paste0("pair_", method, "_", test)]] <- out
  along <- rma(pair$y, pair$v, mods = ~ pair$x, method = method, test = test, control = tight)
  values[[paste0("along_", method, "_", test)]] <- described(along)
}
funnel <- regtest(rma(pair$y, pair$v), model = "lm")
values$egger <- list(statistic = funnel$zval, df = funnel$dfs, p_value = funnel$pval,
                     limit = funnel$est, slope = coef(summary(funnel$fit))[2, 1],
                     std_error = coef(summary(funnel$fit))[2, 2])
data <- data.frame(y = pair$y, v = pair$v, study = pair$study, row = 1:14)
sharp <- list(optimizer = "optim", optmethod = "BFGS", reltol = 1e-15, maxit = 5000)
three <- rma.mv(y, v, random = ~ 1 | study / row, data = data, control = sharp)
values$three <- list(between = three$sigma2[1], within = three$sigma2[2], beta = as.numeric(three$beta),
                     std_error = three$se, log_likelihood = as.numeric(logLik(three)))

# Homogeneous effects: tau^2 is 0.
flat <- list(y = round(rnorm(8, 0.1, 0.1), 4), v = rep(0.04, 8))
values$flat <- c(flat, described(rma(flat$y, flat$v, test = "knha", control = tight)))

# A network of five algorithms: 2 to 4 in each of 13 data sets of 7 studies, baselines differ.
arms <- list(c(1, 2), c(2, 1, 3), c(3, 2), c(3, 1), c(4, 1, 2), c(2, 4), c(5, 4), c(4, 5, 3, 1),
             c(1, 2), c(4, 3), c(1, 5), c(2, 3, 1), c(3, 2, 4))
study <- c(1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 7)
level <- c(0, 0.2, 0.35, 0.1, 0.6)
shift <- matrix(rnorm(35, 0, 0.12), 7)
blocks <- lapply(seq_along(arms), function(d) {
  own <- arms[[d]]
  k <- length(own)
  root <- matrix(rnorm(k * (k + 3)), k)
  arm <- 0.01 * root %*% t(root) / (k + 3)
  contrast <- cbind(-1, diag(k - 1))
  true <- level[own] + shift[study[d], own] + rnorm(k, 0, 0.1)
  list(arms = own, y = round(as.numeric(contrast %*% (true + t(chol(arm)) %*% rnorm(k))), 4),
       cov = round(contrast %*% arm %*% t(contrast), 6))
})
values$network <- list(blocks = blocks, study = study)
rows <- do.call(rbind, lapply(seq_along(blocks), function(d) {
  own <- blocks[[d]]$arms
  data.frame(dataset = d, study = study[d], y = blocks[[d]]$y, first = own[-1], second = own[1])
}))
X <- t(sapply(seq_len(nrow(rows)), function(i) {
  (1:5 == rows$first[i]) - (1:5 == rows$second[i])
}))
V <- bldiag(lapply(blocks, function(b) b$cov))
rows$contrast <- factor(seq_len(nrow(rows)))
joint <- function(columns, ...) {
  rma.mv(rows$y, V, mods = ~ 0 + columns, random = ~ contrast | dataset, struct = "CS", rho = 0.5,
         data = rows, control = sharp, ...)
}
scaled <- function(fit, columns) {
  same <- outer(rows$dataset, rows$dataset, "==")
  weight <- solve(V + fit$tau2 * same * (0.5 + 0.5 * diag(nrow(rows))))
  rest <- rows$y - columns %*% fit$beta
  as.numeric(t(rest) %*% weight %*% rest) / (nrow(rows) - ncol(columns))
}
fit <- joint(X[, -1])
values$joint <- list(tau2 = fit$tau2, beta = as.numeric(fit$beta), cov = unname(fit$vb),
                     scale = scaled(fit, X[, -1]), q = fit$QE, df = fit$QEdf, p_value = fit$QEp)

# Three levels of the network: known correlations of contrasts within studies and within data sets.
alike <- function(group) outer(group, group, "==") * (X %*% t(X)) / 2
rows$inner <- rows$outer <- rows$contrast
both <- list(outer = alike(rows$study), inner = alike(rows$dataset))
for (i in 1:2) dimnames(both[[i]]) <- list(rows$contrast, rows$contrast)
nest <- rma.mv(rows$y, V, mods = ~ 0 + X[, -1], random = list(~ 1 | outer, ~ 1 | inner), R = both,
               Rscale = FALSE, data = rows, control = sharp)
values$nest <- list(between = nest$sigma2[1], within = nest$sigma2[2], beta = as.numeric(nest$beta),
                    cov = unname(nest$vb))

# Robust errors of the network with its data sets as clusters, from rows whitened by the symmetric root of
# their covariance: then CR2 does not depend on the baselines.
robust <- function(total, cluster) {
  power <- eigen(total, symmetric = TRUE)
  white <- power$vectors %*% diag(1 / sqrt(power$values)) %*% t(power$vectors)
  U <- white %*% X[, -1]
  u <- as.numeric(white %*% rows$y)
  fit <- lm(u ~ 0 + U)
  cov <- vcovCR(fit, cluster = cluster, type = "CR2", target = rep(1, length(u)), inverse_var = TRUE)
  pairs <- t(combn(5, 2))
  contrasts <- t(apply(pairs, 1, function(p) (2:5 == p[1]) - (2:5 == p[2])))
  tests <- linear_contrast(fit, vcov = cov, contrasts = contrasts, test = "Satterthwaite")
  list(cov = unname(as.matrix(cov)), std_error = tests$SE, df = tests$df)
}
values$robust <- robust(V + values$joint$tau2 * alike(rows$dataset), rows$dataset)
values$robust_nest <- robust(
  V + nest$sigma2[1] * alike(rows$study) + nest$sigma2[2] * alike(rows$dataset), rows$study)

# Consistency: contrasts of each design's own, and each pair that can be split.
design <- sapply(blocks, function(b) paste(sort(b$arms), collapse = ""))[rows$dataset]
own <- do.call(cbind, lapply(unique(design), function(d) {
  member <- X * (design == d)
  member <- member[, colSums(abs(member)) > 0, drop = FALSE]
  member[, -1, drop = FALSE]
}))
free <- joint(own)
part <- function(columns, tau2) {
  same <- outer(rows$dataset, rows$dataset, "==")
  weight <- solve(V + tau2 * same * (0.5 + 0.5 * diag(nrow(rows))))
  beta <- solve(t(columns) %*% weight %*% columns, t(columns) %*% weight %*% rows$y)
  rest <- rows$y - columns %*% beta
  as.numeric(t(rest) %*% weight %*% rest)
}
values$designs <- list(
  within = part(own, 0), between = part(X[, -1], 0) - part(own, 0), df_within = nrow(rows) - ncol(own),
  df_between = ncol(own) - 4, tau2 = free$tau2, inner = part(own, free$tau2),
  interaction = part(X[, -1], free$tau2) - part(own, free$tau2))
splits <- list()
for (i in 1:4) for (j in (i + 1):5) {
  both <- sapply(blocks, function(b) all(c(i, j) %in% b$arms))[rows$dataset]
  if (!any(both)) next
  extra <- ifelse(both, (X[, i] - X[, j]) / 2, 0)
  wide <- cbind(X[, -1], extra)
  if (qr(wide)$rank < 5) next
  fit <- joint(wide)
  c1 <- c((2:5 == i) - (2:5 == j), 0)
  pick <- rbind(c1 + c(0, 0, 0, 0, 1), c1, c(0, 0, 0, 0, 1))
  splits[[length(splits) + 1]] <- list(first = i, second = j, tau2 = fit$tau2,
    estimate = as.numeric(pick %*% fit$beta),
    std_error = sqrt(diag(pick %*% fit$vb %*% t(pick))), scale = scaled(fit, wide))
}
values$splits <- splits

# Effects from moments of scores.
m <- list(m1 = 0.82, s1 = 0.06, n1 = 12, m2 = 0.74, s2 = 0.09, n2 = 15)
moments <- function(name) {
  found <- escalc(name, m1i = m$m1, sd1i = m$s1, n1i = m$n1, m2i = m$m2, sd2i = m$s2, n2i = m$n2)
  c(found$yi, found$vi)
}
paired <- function(name) {
  found <- escalc(name, m1i = 0.82, sd1i = 0.06, m2i = 0.74, sd2i = 0.09, ni = 12, ri = 0.7)
  c(found$yi, found$vi)
}
values$effects <- list(moments = m, MD = moments("MD"), SMD = moments("SMD"), ROM = moments("ROM"),
                       MC = paired("MC"), ROMC = paired("ROMC"))

file <- file.path("tests", "golden", "meta", "meta.json")
write(toJSON(values, auto_unbox = TRUE, digits = NA, pretty = TRUE), file)
