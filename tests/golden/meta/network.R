# Reference network meta-analyses with fixed effects and with random ones: estimates, covariances and
# P-scores, of the network that fit.R simulated. Run from the repository's root after fit.R; needs R with
# metafor and jsonlite.
suppressMessages({ library(metafor); library(jsonlite) })
file <- function(name) file.path("tests", "golden", "meta", name)
known <- fromJSON(file("meta.json"), simplifyVector = TRUE, simplifyDataFrame = FALSE)
blocks <- known$network$blocks
rows <- do.call(rbind, lapply(seq_along(blocks), function(d) {
  own <- blocks[[d]]$arms
  data.frame(dataset = d, y = unlist(blocks[[d]]$y), first = own[-1], second = own[1])
}))
rows$contrast <- factor(seq_len(nrow(rows)))
X <- t(sapply(seq_len(nrow(rows)), function(i) (1:5 == rows$first[i]) - (1:5 == rows$second[i])))
V <- bldiag(lapply(blocks, function(b) as.matrix(b$cov)))

p_scores <- function(beta, cov) {
  beta <- c(0, beta)
  cov <- rbind(0, cbind(0, cov))
  sapply(1:5, function(i) mean(sapply(setdiff(1:5, i), function(j) {
    pnorm((beta[i] - beta[j]) / sqrt(cov[i, i] + cov[j, j] - 2 * cov[i, j]))
  })))
}
described <- function(fit) {
  beta <- as.numeric(fit$beta)
  list(tau2 = fit$tau2, beta = beta, cov = unname(as.matrix(fit$vb)), q = fit$QE, df = nrow(rows) - 4,
       p_value = fit$QEp, p_scores = p_scores(beta, as.matrix(fit$vb)))
}
sharp <- list(optimizer = "optim", optmethod = "BFGS", reltol = 1e-15, maxit = 5000)
values <- list(
  fixed = described(rma.mv(rows$y, V, mods = ~ 0 + X[, -1])),
  random = described(rma.mv(rows$y, V, mods = ~ 0 + X[, -1], random = ~ contrast | dataset,
                            struct = "CS", rho = 0.5, data = rows, control = sharp)))
write(toJSON(values, auto_unbox = TRUE, digits = NA, pretty = TRUE), file("network.json"))
