# Bradley-Terry trees on simulated verdicts: partykit::mob with a fit by psychotools::btmodel, as
# psychotree::bttree calls it. Run by `make golden` from the repository's root; kinds.csv is by
# kinds.py, planted.csv and none.csv are simulated alike by R.
folder <- "tests/golden/subgroups/"
suppressMessages({library(psychotools); library(partykit); library(jsonlite)})

fit <- function(y, x = NULL, start = NULL, weights = NULL, offset = NULL, ..., estfun = FALSE, object = FALSE) {
  model <- btmodel(y, weights = weights, estfun = estfun, vcov = object)
  list(coefficients = model$coefficients, objfun = -model$loglik,
    estfun = if (estfun) model$estfun else NULL, object = if (object) model else NULL)
}

grown <- function(name, formula) {
  d <- read.csv(paste0(folder, name, ".csv"), check.names = FALSE, stringsAsFactors = TRUE)
  columns <- grep(":", names(d))
  labels <- unique(unlist(strsplit(names(d)[columns], ":")))
  # paircomp takes pairs as 1:2, 1:3, 2:3, 1:4, ...
  k <- length(labels)
  wanted <- unlist(lapply(2:k, function(j) paste(labels[1:(j - 1)], labels[j], sep = ":")))
  d$p <- paircomp(as.matrix(d[, wanted]), labels = labels)
  m <- mob(formula, data = d, fit = fit, control = mob_control(minsize = 10, ytype = "vector"))
  nodes <- nodeids(m)
  leaves <- nodeids(m, terminal = TRUE)
  tests <- lapply(nodes, function(i) {
    t <- nodeapply(m, i, function(n) n$info$test)[[1]]
    if (is.null(t)) NULL else as.list(as.data.frame(t(t)))
  })
  named <- function(i) colnames(nodeapply(m, i, function(n) n$info$test)[[1]])
  splits <- lapply(setdiff(nodes, leaves), function(i) {
    s <- nodeapply(m, i, split_node)[[1]]
    list(node = i, variable = names(m$data)[s$varid], breaks = s$breaks, index = s$index)
  })
  list(n = nrow(d), root = list(names = named(1), statistic = unname(nodeapply(m, 1, function(n) n$info$test)[[1]]["statistic", ]),
      p_value = unname(nodeapply(m, 1, function(n) n$info$test)[[1]]["p.value", ])),
    nodes = nodes, splits = splits, leaves = leaves, node_of_dataset = as.integer(predict(m, type = "node")),
    log_likelihoods = sapply(nodes, function(i) nodeapply(m, i, function(n) -n$info$objfun)[[1]]),
    worth = lapply(leaves, function(i) as.list(itempar(nodeapply(m, i, function(n) n$info$object)[[1]]))))
}

out <- list(planted = grown("planted", p ~ 1 | size + classes + kind), none = grown("none", p ~ 1 | size + classes + kind),
  kinds = grown("kinds", p ~ 1 | size + kind + year),
  versions = list(R = R.version.string, psychotools = as.character(packageVersion("psychotools")),
    partykit = as.character(packageVersion("partykit"))))
write_json(out, paste0(folder, "trees.json"), auto_unbox = TRUE, digits = 12, pretty = TRUE)
