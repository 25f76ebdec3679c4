# Reference values of false discovery rates by p.adjust: ties, ones, zeros, one p-value, none
# significant, many. Run by `make golden` from the repository's root; needs R with jsonlite.
library(jsonlite)
set.seed(38)

families <- list(
  paper = c(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1),
  ties = c(0.02, 0.01, 0.02, 0.02, 0.5, 0.013, 0.5, 0.01),
  bounds = c(1, 0, 0, 1, 0.05, 0.05, 1e-300),
  ones = rep(1, 4),
  zeros = rep(0, 3),
  equal = rep(0.04, 6),
  single = 0.03,
  many = signif(runif(200)^3, 6)
)
adjusted <- lapply(families, function(p) {
  list(p = p, bh = p.adjust(p, "BH"), by = p.adjust(p, "BY"))
})
write_json(list(package_versions = list(R = R.version.string), values = adjusted),
           "tests/golden/multiplicity/values.json", digits = NA)
