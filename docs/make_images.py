"""Draw the figures of the documentation into ``docs/images``.

Run as ``python docs/make_images.py`` when a figure changes.
"""

from pathlib import Path

import benchinfer as bi

IMAGES = Path(__file__).with_name("images")


def main() -> None:
    """Draw all of them."""
    simulated = bi.load_example("simulated/balanced")
    permuted = bi.compare_permutation(bi.load_example("sklearn_bootstrap"), "error", seed=1)
    resampled = bi.compare_bootstrap(simulated, seed=1)
    local = bi.per_dataset(bi.compare_mixed, bi.load_example("sklearn_bootstrap"), "error")
    sampled = bi.compare_bayes(bi.load_example("sklearn_bootstrap"), "error", seed=1)
    agreed = bi.consensus(local.relations(), family="linear")
    for name, figure in {
        "contrasts": bi.plot(bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")),
        "order": bi.plot(bi.compare_mixed(simulated).relation()),
        "mean_ranks": bi.plot(permuted, "critical-difference"),
        "null": bi.plot(permuted, "null"),
        "profiles": bi.plot(resampled, "profile"),
        "improvement": bi.plot(resampled, "improvement"),
        "simplex": bi.plot(sampled, "simplex"),
        "wins": bi.plot(bi.compare_wins(bi.load_example("sklearn_bootstrap"), "error"), "wins"),
        "consensus_podium": bi.plot(local, "podium"),
        "consensus_map": bi.plot(local, "map"),
        "consensus_clusters": bi.plot(local, "clusters"),
        "consensus_order": bi.plot(agreed),
        "consensus_chances": bi.plot(
            bi.bootstrap_consensus(local.relations(), family="linear", seed=1)
        ),
        "consensus_support": bi.plot(agreed, "support"),
        "verdicts": bi.plot(bi.per_dataset(bi.compare_mixed, simulated)),
    }.items():
        figure.savefig(IMAGES / f"{name}.png", dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
