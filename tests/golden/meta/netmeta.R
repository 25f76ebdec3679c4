# Network meta-analyses by netmeta: estimates, errors, P-scores (netrank), heterogeneity and its parts within
# and between designs, of a network that is simulated here. Run from the repository's root; needs R with
# netmeta and jsonlite. (netmeta is no package of Debian: versions 2.8-2, and 6.2-1 of meta, install from their
# sources with Debian's R 4.2 and metafor; meta's import of CompQuadForm, which is not used here, was left out.)
# The tau^2 by REML is metafor's: netmeta's own takes the effects of a data set for independent where it has
# effects alone.
suppressMessages({ library(netmeta); library(metafor); library(jsonlite) })
set.seed(52)
level <- c(0, 0.15, 0.3, 0.1, 0.5, 0.35)
name <- paste0("a", seq_along(level))
# The first seven join all algorithms.
arms <- c(list(1:2, 2:3, c(1, 4), 4:5, c(5, 6, 1), c(2, 6), c(3, 6, 4, 1)),
          lapply(1:15, function(d) sample(6, sample(c(2, 2, 3, 4), 1))))
rows <- do.call(rbind, lapply(seq_along(arms), function(d) {
  own <- sort(arms[[d]])
  variance <- round(runif(length(own), 0.002, 0.02), 5)
  y <- round(rnorm(1) + level[own] + rnorm(length(own), 0, 0.12) + rnorm(length(own), 0, sqrt(variance)), 4)
  pairs <- t(combn(length(own), 2))
  data.frame(dataset = sprintf("d%02d", d), first = name[own[pairs[, 1]]], second = name[own[pairs[, 2]]],
             estimate = y[pairs[, 1]] - y[pairs[, 2]], std_error = sqrt(variance[pairs[, 1]] + variance[pairs[, 2]]))
}))

fit <- function(tau = NULL) {
  netmeta(estimate, std_error, first, second, dataset, data = rows, sm = "MD", tau.preset = tau,
          small.values = "undesirable", seq = name, common = TRUE, random = TRUE)
}
described <- function(estimates, errors, scores, tau2) {
  list(tau2 = tau2, estimates = unname(estimates[name, name]), errors = unname(errors[name, name]),
       p_scores = unname(scores[name]))
}
random <- function(found) {
  described(found$TE.random, found$seTE.random, netrank(found)$ranking.random, found$tau^2)
}

# Differences from the first algorithm of each data set, and what they share.
base <- rows[rows$first == ave(rows$first, rows$dataset, FUN = min), ]
square <- function(d, i, j) if (i == j) 0 else
  rows$std_error[rows$dataset == d & rows$first == min(i, j) & rows$second == max(i, j)]^2
shared <- function(d) {
  own <- base[base$dataset == d, ]
  outer(own$second, own$second, Vectorize(function(i, j) {
    (square(d, own$first[1], i) + square(d, own$first[1], j) - square(d, i, j)) / 2
  }))
}
X <- sapply(name[-1], function(k) (base$first == k) - (base$second == k))
base$id <- seq_len(nrow(base))
reml <- rma.mv(base$estimate, bldiag(lapply(unique(base$dataset), shared)), mods = ~ 0 + X, data = base,
               random = ~ factor(id) | dataset, struct = "CS", rho = 0.5,
               control = list(optimizer = "optim", optmethod = "BFGS", reltol = 1e-15))

common <- fit()
parts <- decomp.design(common)$Q.decomp
write(toJSON(list(
  rows = rows,
  fixed = c(described(common$TE.common, common$seTE.common, netrank(common)$ranking.common, 0),
            list(q = common$Q, df = common$df.Q, p_value = common$pval.Q,
                 within = unlist(parts["Within designs", ]), between = unlist(parts["Between designs", ]))),
  `dersimonian-laird` = random(common), reml = random(fit(sqrt(reml$tau2)))),
  auto_unbox = TRUE, digits = NA, pretty = TRUE), file.path("tests", "golden", "meta", "netmeta.json"))
