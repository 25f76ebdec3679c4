# Reference Bradley-Terry and Davidson models. Run by `make golden` from the repository's root; needs
# R with sandwich and jsonlite. Simulates its input, writes input and output as one JSON.
suppressMessages({ library(sandwich); library(jsonlite) })
set.seed(24)
m <- 18; k <- 5
scores <- round(outer(rnorm(m, 0, 0.3), c(0, 0.05, 0.12, 0.15, 0.3), `+`)
                + matrix(rnorm(m * k, 0, 0.15), m), 1)
pairs <- t(combn(k, 2))
long <- do.call(rbind, lapply(seq_len(m), function(s) data.frame(
  dataset = s, i = pairs[, 1], j = pairs[, 2], d = scores[s, pairs[, 1]] - scores[s, pairs[, 2]])))
long$win <- as.numeric(long$d > 1e-6); long$loss <- as.numeric(long$d < -1e-6)
long$tie <- 1 - long$win - long$loss
design <- matrix(0, nrow(long), k)
design[cbind(seq_len(nrow(long)), long$i)] <- 1
design[cbind(seq_len(nrow(long)), long$j)] <- -1
x <- design[, -1]  # the first algorithm is the reference
tight <- glm.control(epsilon = 1e-15, maxit = 100)

full <- function(v) { w <- matrix(0, k, k); w[-1, -1] <- v; w }  # with the reference's zeros
difference <- t(apply(pairs, 1, function(p) { r <- numeric(k); r[p[1]] <- 1; r[p[2]] <- -1; r }))
variances <- function(v) diag(difference %*% full(v) %*% t(difference))

# Quasi-variances: least squares on the logs of the variances of all differences.
quasi <- function(v) {
  wanted <- variances(v)
  loss <- function(q) sum((log(pmax(q[pairs[, 1]] + q[pairs[, 2]], 1e-12)) - log(wanted))^2)
  start <- qr.solve(abs(difference), wanted)
  found <- optim(pmax(start, 0.01), loss, method = "BFGS",
                 control = list(reltol = 1e-16, maxit = 10000))
  optim(found$par, loss, method = "Nelder-Mead", control = list(reltol = 1e-16, maxit = 50000))$par
}

half <- suppressWarnings(glm(I(win + tie / 2) ~ 0 + x, family = binomial, weights = rep(1, nrow(long)),
                             data = long, control = tight))
drop <- glm(win ~ 0 + x, family = binomial, data = long, subset = tie == 0, control = tight)
robust <- function(fit, cluster) vcovCL(fit, cluster = cluster, type = "HC0", cadjust = TRUE)

# Firth's penalty: the likelihood times the root of the determinant of the information.
penalised <- function(b) {
  eta <- as.numeric(x %*% b); p <- plogis(eta); y <- long$win + long$tie / 2
  -(sum(y * log(p) + (1 - y) * log(1 - p))
    + as.numeric(determinant(crossprod(x * sqrt(p * (1 - p))))$modulus) / 2)
}
firth <- optim(coef(half), penalised, method = "BFGS", control = list(reltol = 1e-16, maxit = 1000))

# Davidson as a log-linear model: three counts for each pair, its total fixed.
totals <- aggregate(cbind(win, tie, loss) ~ i + j, long, sum)
cells <- do.call(rbind, lapply(seq_len(nrow(totals)), function(r) {
  e <- matrix(0, 3, k)
  e[1, totals$i[r]] <- 1; e[3, totals$j[r]] <- 1; e[2, c(totals$i[r], totals$j[r])] <- 0.5
  data.frame(count = unlist(totals[r, c("win", "tie", "loss")]), pair = r, tied = c(0, 1, 0),
             worth = e[, -1])
}))
davidson <- glm(reformulate(c("0", "factor(pair)", "tied", grep("worth", names(cells), value = TRUE)),
                            "count"), family = poisson, data = cells, control = tight)
worths <- grep("worth", names(coef(davidson)))
one <- function(fit, v) list(worth = c(0, unname(coef(fit))), variance = variances(v))
values <- list(
  half = c(one(half, vcov(half)), list(robust = variances(robust(half, long$dataset)),
                                       quasi = quasi(vcov(half)))),
  drop = c(one(drop, vcov(drop)), list(robust = variances(robust(drop, long$dataset[long$tie == 0])),
                                       quasi = quasi(vcov(drop)))),
  firth = list(worth = c(0, unname(firth$par))),
  davidson = list(worth = c(0, unname(coef(davidson)[worths])), tie = unname(coef(davidson)["tied"]),
                  variance = variances(vcov(davidson)[worths, worths]),
                  quasi = quasi(vcov(davidson)[worths, worths]), deviance = deviance(davidson)),
  counts = totals
)
versions <- list(R = R.version.string, sandwich = as.character(packageVersion("sandwich")))
write(toJSON(list(call = "glm, sandwich::vcovCL, optim", versions = versions,
                  input = list(scores = scores), values = values),
             digits = NA, auto_unbox = TRUE), "tests/golden/wins/wins.json")
