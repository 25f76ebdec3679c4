# Intervals of the difference of two independent rates in the eight examples of Newcombe (1998), Table II
# (https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I): method 10, from
# Wilson's closed form, and method 6 (Miettinen and Nurminen), whose rates under a difference are searched
# for, not solved. Run from the repository's root; needs R with jsonlite.
suppressMessages(library(jsonlite))
examples <- rbind(c(56, 70, 48, 80), c(9, 10, 3, 10), c(6, 7, 2, 7), c(5, 56, 0, 29), c(0, 10, 0, 20),
                  c(0, 10, 0, 10), c(10, 10, 0, 20), c(10, 10, 0, 10))
z <- qnorm(0.975)

wilson <- function(x, n) {
  half <- z * sqrt(z^2 + 4 * x * (1 - x / n))
  (2 * x + z^2 + c(-half, half)) / (2 * (n + z^2))
}
hybrid <- function(x, n, y, m) {
  one <- wilson(x, n)
  two <- wilson(y, m)
  d <- x / n - y / m
  c(d - sqrt((x / n - one[1])^2 + (two[2] - y / m)^2), d + sqrt((one[2] - x / n)^2 + (y / m - two[1])^2))
}

part <- function(k, p) if (k == 0) 0 else k * log(p)
statistic <- function(d, x, n, y, m) {
  unlikely <- function(q) {
    p <- min(max(q + d, 0), 1)
    -(part(x, p) + part(n - x, 1 - p) + part(y, q) + part(m - y, 1 - q))
  }
  ends <- c(max(0, -d), min(1, 1 - d))
  inner <- if (ends[1] < ends[2]) optimize(unlikely, ends, tol = 1e-14)$minimum else ends[1]
  tried <- c(ends, inner)
  q <- tried[which.min(sapply(tried, unlikely))]
  p <- q + d
  variance <- (p * (1 - p) / n + q * (1 - q) / m) * (n + m) / (n + m - 1)
  gap <- x / n - y / m - d
  if (abs(gap) < 1e-12) 0 else gap / sqrt(max(variance, 1e-300))
}
score <- function(x, n, y, m) {
  d <- x / n - y / m
  end <- function(side) {
    edge <- side * (1 - 1e-12)
    beyond <- function(t) abs(statistic(t, x, n, y, m)) - z
    if (abs(d - edge) < 1e-9 || beyond(edge) <= 0) return(side)
    uniroot(beyond, sort(c(d, edge)), tol = 1e-13)$root
  }
  c(end(-1), end(1))
}
rows <- lapply(seq_len(nrow(examples)), function(i) {
  e <- examples[i, ]
  list(first = e[1:2], second = e[3:4], method_10 = hybrid(e[1], e[2], e[3], e[4]),
       method_6 = score(e[1], e[2], e[3], e[4]))
})
write(toJSON(rows, auto_unbox = TRUE, digits = NA, pretty = TRUE),
      file.path("tests", "golden", "pairs", "newcombe.json"))
