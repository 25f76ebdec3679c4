# Needs python3 (>= 3.9), git and make; the rest comes into .tools and .venv.
# `make test PYTHON=3.12` works in an environment of its own, .venv-3.12.
PYTHON :=
VENV := .venv$(PYTHON:%=-%)
BIN := $(VENV)/bin
ENGINES := .venv-engines
READY := $(VENV)/.benchinfer-lock
# A uv on the PATH may be the shim of a Python that is switched off, so run it; the one inside
# an activated environment cannot replace that environment.
UV := $(filter-out $(CURDIR)/.venv%,$(shell uv --version >/dev/null 2>&1 && command -v uv))
UV := $(or $(UV),.tools/bin/uv)
# pip trusts the certificates of the system. Behind a proxy that has one of its own uv must, too.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export SSL_CERT_FILE ?= /etc/ssl/certs/ca-certificates.crt
endif
# Without bytecode each process that a test starts compiles all that it imports again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: test test-core test-oldest test-kernels demo test-browser test-engines paper reproduce check format docs golden bench calibrate release setup lock clean

# Quick tests with a few cases of each, drawn anew by every run; all of them with ARGS=--all.
# One BLAS thread in each of the two workers, which take long runs of tests: fits are shared in a file.
test: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal $(ARGS)

# OpenBLAS takes the kernel of another processor where this one has its instructions: what reaches
# a verdict must not depend on it. Other makers' BLAS and other architectures have no such choice.
KERNELS := Prescott Nehalem Sandybridge Haswell Zen
KERNELS += $(shell grep -qw avx512f /proc/cpuinfo 2>/dev/null && echo SkylakeX)
NUMERICAL := tests/numerics tests/scores/checks/test_advice.py \
	$(foreach analysis,mixed meta permutation subgroups wins,tests/analyses/$(analysis))
test-kernels: $(READY)
	set -e; for kernel in $(KERNELS); do echo "OPENBLAS_CORETYPE=$$kernel"; \
		OPENBLAS_CORETYPE=$$kernel OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal $(NUMERICAL) $(ARGS); done

demo: $(READY)
	$(BIN)/benchinfer report datasets/sklearn_bootstrap/scores.csv.zst --output demo/report.html

# The wheel in an environment of its own, without any extra: what a new user installs and runs.
CORE := .venv-core
test-core: $(READY)
	rm -rf $(CORE) dist/core && $(UV) build --quiet --wheel --out-dir dist/core
	$(UV) venv --quiet --no-project --python $(BIN)/python $(CORE)
	time $(UV) pip install --quiet --python $(CORE) dist/core/*.whl
	du -sm $(CORE) && $(UV) pip list --python $(CORE)
	cd dist/core && ../../$(CORE)/bin/python ../../tests/core_alone.py .

# The tests in the oldest versions that pyproject.toml allows, which are printed. Old versions warn of
# what newer ones of others change.
OLDEST := .venv-oldest
EXTRAS := bayes excel sql
GROUPS := dev docs datasets
test-oldest: $(READY)
	rm -rf $(OLDEST) && $(UV) venv --quiet --no-project --python $(BIN)/python $(OLDEST)
	$(UV) pip compile --quiet --no-header --resolution lowest-direct $(EXTRAS:%=--extra %) \
		--python $(OLDEST) --output-file $(OLDEST)/versions pyproject.toml
	$(UV) pip install --quiet --python $(OLDEST) --constraint $(OLDEST)/versions $(GROUPS:%=--group %) \
		--editable . --requirement $(OLDEST)/versions
	$(UV) pip list --python $(OLDEST)
	OMP_NUM_THREADS=1 $(OLDEST)/bin/pytest -n 2 --dist worksteal -W ignore::DeprecationWarning $(ARGS)

test-browser: $(READY)
	$(BIN)/pytest -m browser $(ARGS)

# An environment of its own, for Spark needs Java 17, and a version that the lock does not have.
test-engines: $(READY)
	java -version || apt-get install -y --no-install-recommends openjdk-17-jre-headless
	test -x $(ENGINES)/bin/spark-submit || { $(UV) venv --no-project --clear --python $(BIN)/python $(ENGINES) && \
		$(UV) pip install --python $(ENGINES) -r requirements.lock "distributed" "pyspark>=4" && \
		$(UV) pip install --python $(ENGINES) --no-deps --no-build-isolation --editable .; }
	$(ENGINES)/bin/python -m pytest -n 0 -m engines tests/scores/rows/test_clusters.py tests/scores/rows/test_statistics.py -W default $(ARGS)

paper: $(READY) # needs pdflatex: apt-get install texlive-latex-extra texlive-science
	$(BIN)/pytest -m latex $(ARGS)

reproduce: $(READY) # TABLES: a folder with the tables that docs/reproductions names
	BENCHINFER_TABLES=$(abspath $(TABLES)) $(BIN)/pytest tests/docs/test_docs.py tests/reproductions -k reproductions $(ARGS)

check: $(READY) # the cache of lint-imports misses modules that are new or gone
	$(BIN)/ruff check && $(BIN)/ruff format --check
	$(BIN)/basedpyright && $(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python scripts/lock.py check

format: $(READY)
	$(BIN)/ruff check --fix; $(BIN)/ruff format

docs: $(READY) # pages of names that are gone would stay
	rm -rf docs/reference/api
	$(BIN)/sphinx-build -W --keep-going docs docs/_build/html

golden: # needs R with the packages that each script loads
	set -e; for script in $$(find tests/golden -name '*.R' | sort); do Rscript $$script; done

bench: $(READY)
	set -e; for script in benchmarks/*.py; do $(BIN)/python $$script; done

calibrate: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 -m calibration $(ARGS)

# The archives of a release, with the address of the repository: make release HOME=https://...
# HOME is the user's folder where it is not typed, and again below for what make runs.
ifeq ($(origin HOME),command line)
ADDRESS := $(HOME)
override HOME := $(shell eval echo "~$$(id -un)")
else ifneq ($(filter release,$(MAKECMDGOALS)),)
$(error make release needs the address of the repository: make release HOME=https://...)
endif
release: $(READY)
	$(BIN)/python scripts/release.py $(ADDRESS)

setup: $(READY)

$(READY): requirements.lock pyproject.toml .python-version scripts/setup.sh | $(UV)
	sh scripts/setup.sh $(UV) $(VENV) $(PYTHON)

.tools/bin/uv:
	sh scripts/get-uv.sh

# Newer versions: make lock ARGS=--upgrade (or "--upgrade-package pymc").
lock: $(READY)
	$(BIN)/python scripts/lock.py compile $(UV) $(ARGS)

clean:
	rm -rf .tools .venv* demo docs/_build dist .pytest_cache .ruff_cache .hypothesis
