"""Analyses: each turns a table of scores into a comparison."""

# The module of `compare_<name>`, as text: whoever lists the analyses imports none of them.
ANALYSES = {
    "mixed": "benchinfer.analyses.mixed.compare",
    "meta": "benchinfer.analyses.meta.compare",
    "permutation": "benchinfer.analyses.permutation.compare",
    "bootstrap": "benchinfer.analyses.bootstrap.compare",
    "bayes": "benchinfer.analyses.bayes.compare",
    "bayes_pairs": "benchinfer.analyses.bayes.pairwise.compare",
    "pair": "benchinfer.analyses.pair.compare",
    "wins": "benchinfer.analyses.wins.compare",
    "points": "benchinfer.analyses.points",
}
